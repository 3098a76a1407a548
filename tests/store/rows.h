/*
 * Rows for the store's tests: one small run that uses every column of every table of a run.
 */
#ifndef GP_TESTS_STORE_ROWS_H
#define GP_TESTS_STORE_ROWS_H

#include "probe/record.h"

struct gp_device_row make_device(int64_t id);
struct gp_cell_row make_cell(int64_t id, int64_t device);

/* A traced run of `op_count` operations on two streams, with edges, accesses, ranges, calls and
 * clocks. Release with free_run. */
struct gp_run_rows make_run(int64_t id, int64_t cell, uint32_t op_count);
void free_run(struct gp_run_rows *rows);

/* "DIR/name" in a fresh directory of this test program, which remove_directory removes. Static;
 * good for the next seven calls. */
const char *make_path(const char *name);
void remove_directory(void);

#endif
