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

/* Imports, which must succeed, and opens the result; the caller's to close. */
struct gp_reader *import_and_open(const char *path, struct gp_import_counts *counts);

/* Rows that were taken and lost, which must be all. */
uint64_t sum_of(const struct gp_import_counts *counts);

/* The first column of the first row. */
int64_t query(const char *path, const char *sql);

#endif
