/*
 * Where results are written: a name that is free, and the promise, checked before any work, that a
 * file can be written there.
 */
#ifndef GP_PROBE_CLI_OUTPUT_H
#define GP_PROBE_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

enum { GP_PATH_BYTES_MAX = 4096 };

/* The first of STEM-001.gpuprobe, STEM-002.gpuprobe, … in the working directory that is not there.
 */
int gp_output_choose(const char *stem, char out[GP_PATH_BYTES_MAX], struct gp_error *err);

/* 0 when a new file can be made at path, or, with force, the regular file there be replaced. Leaves
 * everything as it was. GP_EEXISTS, GP_EIO. */
int gp_output_check(const char *path, bool force, struct gp_error *err);

#endif
