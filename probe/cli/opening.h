/*
 * What a user gives where a recording is wanted, opened for every verb alike.
 */
#ifndef GP_PROBE_CLI_OPENING_H
#define GP_PROBE_CLI_OPENING_H

#include "probe/store/reader.h"

/* Opens a recording, or the trace of another tool, as gp_import_open does, and says on stderr what
 * of such a trace is not there. Errors as gp_import_open's. */
int gp_cli_open(const char *path, struct gp_reader **out, struct gp_error *err);

#endif
