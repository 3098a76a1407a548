/*
 * --connections: how many hardware connections the driver makes. It reads the number once a
 * process, so that each number gets a process of its own, one after another.
 */
#ifndef GP_PROBE_CLI_CONNECTIONS_H
#define GP_PROBE_CLI_CONNECTIONS_H

#include "probe/cli/verbs.h"

/* GP_EINVAL where the number is not this process's to choose: on a GPU that is shared through MPS,
 * whose server has divided the connections. spec as for gp_device_open. */
int gp_connections_check(const char *spec, struct gp_error *err);

/* For this process; before the device is opened. The model takes its number when it is opened. */
void gp_connections_set(uint32_t connections);

/* What one process does for values[index]; what it returns is its exit status. */
typedef enum gp_exit gp_connections_fn(void *user, uint32_t index);

/* Calls work once for each index < count, one after another, each in a process of its own, until
 * one does not return GP_EXIT_OK; that status is returned. The calling process has one thread and
 * no device open. */
enum gp_exit gp_connections_each(uint32_t count, gp_connections_fn *work, void *user);

#endif
