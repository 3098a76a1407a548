/*
 * Order between streams, for programs that choose their streams themselves: fork and join, and one
 * stream waiting for where another is. The host never waits.
 */
#ifndef GP_CORE_STREAM_H
#define GP_CORE_STREAM_H

#include "core/device/device.h"

/* A new non-blocking stream of the parent's priority, whose work begins after what the parent has
 * been given so far. *out is the caller's. */
int gp_stream_fork(struct gp_stream *parent, struct gp_stream **out, struct gp_error *err);

/* Later work of `into` waits for what `from` has been given so far. Both are of one device. */
int gp_stream_join(struct gp_stream *into, struct gp_stream *from, struct gp_error *err);

#endif
