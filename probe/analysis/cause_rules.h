/*
 * The functions behind gp_cause_table, by what they look at. Each answers whether its cause held an
 * operation, as in struct gp_cause_rule. Internal to the causes.
 */
#ifndef GP_PROBE_ANALYSIS_CAUSE_RULES_H
#define GP_PROBE_ANALYSIS_CAUSE_RULES_H

#include "probe/analysis/cause_index.h"

typedef bool gp_cause_fn(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                         struct gp_hold *out);

/* What one of the index's arrays says of an operation, as a rule's answer; all NULL: nothing. */
bool gp_cause_held(const struct gp_held *all, uint32_t op, struct gp_hold *out);

/* The DAG and streams (cause_order.c). */
gp_cause_fn gp_cause_dependency;
gp_cause_fn gp_cause_host_function;
gp_cause_fn gp_cause_same_stream;

/* The host (cause_host.c). */
gp_cause_fn gp_cause_launch_queue;
gp_cause_fn gp_cause_pageable;
gp_cause_fn gp_cause_implicit_sync;
gp_cause_fn gp_cause_not_submitted;

/* What streams share (cause_connection.c). */
gp_cause_fn gp_cause_null_stream;
gp_cause_fn gp_cause_recorder;
gp_cause_fn gp_cause_connection;
gp_cause_fn gp_cause_timed_event;

/* What the device has no room for (cause_device.c). */
gp_cause_fn gp_cause_engine_busy;
gp_cause_fn gp_cause_grid_limit;
gp_cause_fn gp_cause_priority;
gp_cause_fn gp_cause_sm_full;
gp_cause_fn gp_cause_head_of_line;
gp_cause_fn gp_cause_carve_out;

/* What the machine did (cause_machine.c). */
gp_cause_fn gp_cause_throttle;
gp_cause_fn gp_cause_time_slice;

#endif
