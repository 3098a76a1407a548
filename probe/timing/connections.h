/*
 * How many hardware connections the device really has for its streams, found by trying: the driver
 * reads CUDA_DEVICE_MAX_CONNECTIONS once and says nowhere what it made of it, and a server that
 * shares the device may have divided them.
 *
 * Of streams that have work at once the k-th to get some is given connection k mod their number
 * (measured on an H200). Stream 0 is kept busy and has a second kernel, which waits at the head of
 * its connection; kernels of the other streams run at once, but for those that share it:
 *
 *     streams      0  1  2  3  4  5  6  7  8  9 …     8 connections: 8, 16, 24, … wait for 0
 */
#ifndef GP_PROBE_TIMING_CONNECTIONS_H
#define GP_PROBE_TIMING_CONNECTIONS_H

#include "core/device/device.h"

/* Makes 33 streams for some ms on a device that is idle otherwise. *out: the number, 1 to 32; 0:
 * nothing so regular was seen, or there are more. Errors are the device's. */
int gp_connections_measure(struct gp_device *device, int32_t *out, struct gp_error *err);

#endif
