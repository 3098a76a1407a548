/*
 * Reads everything that a reader can read, for tests that are after crashes and errors.
 */
#ifndef GP_TESTS_STORE_READ_ALL_H
#define GP_TESTS_STORE_READ_ALL_H

#include "core/error.h"

/* The first error of opening path and reading every row in it. */
int read_all(const char *path, struct gp_error *err);

#endif
