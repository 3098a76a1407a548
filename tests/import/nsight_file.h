/*
 * Small Nsight databases, made statement by statement.
 */
#ifndef GP_TESTS_IMPORT_NSIGHT_FILE_H
#define GP_TESTS_IMPORT_NSIGHT_FILE_H

#include <stdint.h>

#include "probe/import/import.h"

/* Makes the file anew and runs the SQL, which must succeed. */
void make_database(const char *path, const char *sql);

/* The tables of 2023's schema 3.4.0, as much as kernels, copies, memsets, calls, synchronisation,
 * events and NVTX need; empty. */
extern const char nsight_tables[];

/* globalPid of two processes: VM 1, pid 1 or 2. */
#define P1 "281474993487872"
#define P2 "281475010265088"
#define SHAPE "1, 1, 4, 1, 1, 32, 1, 1, 16, 16, 24, NULL"
/* A kernel of process, device, context, stream and correlation id. */
#define KERNEL(start, end, device, context, stream, id, pid)                                       \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" start "," end "," device "," context         \
    "," stream "," id "," pid "," SHAPE ");"
#define COPY(start, end, stream, id, kind)                                                         \
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (" start "," end ",0,1," stream "," id "," P1   \
    ",4096," kind ");"
#define CALL(start, end, pid, id, name)                                                            \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" start "," end ",0," pid "+1," id "," name   \
    ",0);"

/* Such tables with these rows, in a file of the temporary folder; its path. */
const char *make_nsight(const char *rows);

/* Imports, which must succeed, and opens the result; the caller's to close. */
struct gp_reader *import_and_open(const char *path, struct gp_import_counts *counts);

/* Rows that were taken and lost, which must be all. */
uint64_t sum_of(const struct gp_import_counts *counts);

/* The first column of the first row. */
int64_t query(const char *path, const char *sql);

#endif
