/*
 * Whole recordings for tests: one small file with something in every table that is written.
 */
#ifndef GP_TESTS_STORE_RECORDINGS_H
#define GP_TESTS_STORE_RECORDINGS_H

#include "probe/store/writer.h"

/* Operations of the traced run, which is run 2 of cell 1; run 1 is its plain twin. */
enum { OPS = 9 };

/* Everything written, not yet finished. */
struct gp_writer *write_most(const char *path);

/* The same, finished. */
void write_file(const char *path);

void copy_file(const char *from, const char *to);

#endif
