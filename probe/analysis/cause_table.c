/* The causes, in the order in which they are asked: see causes.h. What the DAG orders comes first,
 * then the host, then the order that streams add, then what the device had no room for. */
#include "probe/analysis/cause_rules.h"

const struct gp_cause_rule gp_cause_table[GP_CAUSE_COUNT] = {
    [GP_CAUSE_DEPENDENCY] =
        {
            .is_limit = true,
            .experiment = {.streams_times = 2},
            .summary = "it needs the result of work that had not ended, or had not arrived yet",
            .remedy = "only another workload would help: shorter chains, or smaller pieces",
            .holds = gp_cause_dependency,
        },
    [GP_CAUSE_HOST_FUNCTION] =
        {
            .summary = "a host function ran before it, or was waited for",
            .remedy = "an event, a flag or work on the device instead of the host function",
            .experiment = {.parameter = "host", .word = "off"},
            .holds = gp_cause_host_function,
        },
    [GP_CAUSE_LAUNCH_QUEUE] =
        {
            .summary = "the host's call did not return: a stream's queue of launches was full",
            .remedy = "more streams, or fewer and larger operations",
            .figure = "launches that were outstanding on the stream",
            .experiment = {.streams_times = 2},
            .holds = gp_cause_launch_queue,
        },
    [GP_CAUSE_PAGEABLE] =
        {
            .summary = "a copy of pageable memory kept the host's thread in its call",
            .remedy = "pinned host memory",
            .experiment = {.parameter = "memory", .word = "pinned"},
            .holds = gp_cause_pageable,
        },
    [GP_CAUSE_IMPLICIT_SYNC] =
        {
            .summary = "the host was in a call that waits for the device: allocation, release, or "
                       "loading code at its first use",
            .remedy =
                "allocating and loading before the work begins, or allocating in stream order",
            .experiment = {.parameter = "allocation", .word = "ordered"},
            .holds = gp_cause_implicit_sync,
        },
    [GP_CAUSE_NOT_SUBMITTED] =
        {
            .summary = "the host had not submitted it yet",
            .remedy = "submission in fewer calls: a graph, or fewer and larger operations",
            .experiment = {.submit = GP_SUBMIT_GRAPH},
            .holds = gp_cause_not_submitted,
        },
    [GP_CAUSE_SAME_STREAM] =
        {
            .summary = "its stream was busy with work that it does not need",
            .remedy = "more streams, or a policy that keeps the two apart",
            .experiment = {.streams_times = 2},
            .holds = gp_cause_same_stream,
        },
    [GP_CAUSE_NULL_STREAM] =
        {
            .summary = "work on the legacy NULL stream and on blocking streams excludes each other",
            .remedy = "non-blocking streams, and nothing on the NULL stream",
            .experiment = {.policy = "round-robin"},
            .holds = gp_cause_null_stream,
        },
    [GP_CAUSE_RECORDER] =
        {
            .is_limit = true,
            .summary = "an event of the recorder itself stood before it",
            .remedy = "--trace stamps, which puts no event near kernels",
            .is_extra = true,
            .holds = gp_cause_recorder,
        },
    [GP_CAUSE_CONNECTION] =
        {
            .is_derived = true,
            .summary = "streams share its hardware connection, and another's work waited in it",
            .remedy = "more connections, or no more streams than there are connections",
            .figure = "the connection",
            .experiment = {.connections = 32},
            .holds = gp_cause_connection,
        },
    [GP_CAUSE_TIMED_EVENT] =
        {
            .is_derived = true,
            .summary = "streams share its hardware connection, and a timed event waited in it",
            .remedy = "more connections, or events without timing",
            .figure = "the connection",
            .experiment = {.connections = 32},
            .holds = gp_cause_timed_event,
        },
    [GP_CAUSE_ENGINE_BUSY] =
        {
            .is_limit = true,
            .experiment = {.streams_times = 2},
            .summary = "the copy engine of its direction was busy",
            .remedy = "fewer bytes; a device has one engine a direction",
            .holds = gp_cause_engine_busy,
        },
    [GP_CAUSE_GRID_LIMIT] =
        {
            .is_limit = true,
            .summary = "as many kernels as the device can hold were resident",
            .remedy = "fewer and larger kernels",
            .figure = "kernels that were resident",
            .holds = gp_cause_grid_limit,
        },
    [GP_CAUSE_PRIORITY] =
        {
            .is_derived = true,
            .summary = "blocks of a stream of higher priority went first",
            .remedy = "the same priority for both",
            .experiment = {.policy = "round-robin"},
            .holds = gp_cause_priority,
        },
    [GP_CAUSE_SM_FULL] =
        {
            .is_limit = true,
            .experiment = {.streams_times = 2},
            .summary = "no SM had room for one of its blocks",
            .remedy = "smaller grids, or blocks that need less of an SM",
            .figure = "blocks of its kind that the device holds when empty",
            .holds = gp_cause_sm_full,
        },
    [GP_CAUSE_HEAD_OF_LINE] =
        {
            .is_derived = true,
            .summary = "it would have fitted, but blocks of an earlier kernel had to go first",
            .remedy = "issuing small kernels before large ones, or giving them a higher priority",
            .experiment = {.policy = "critical-priority"},
            .holds = gp_cause_head_of_line,
        },
    [GP_CAUSE_CARVE_OUT] =
        {
            .is_derived = true,
            .summary = "kernels that want different shares of shared memory do not share an SM",
            .remedy = "the same preferred carve-out for kernels that are to run together",
            .holds = gp_cause_carve_out,
        },
    [GP_CAUSE_THROTTLE] =
        {
            .is_derived = true,
            .summary = "the device had slowed its clocks down",
            .remedy = "cooling, a higher power limit, or fixed clocks",
            .figure = "NVML's reasons, a bit mask",
            .holds = gp_cause_throttle,
        },
    [GP_CAUSE_TIME_SLICE] =
        {
            .is_derived = true,
            .summary = "another process had its turn on the device",
            .remedy = "a device of one's own, or MPS",
            .figure = "other processes",
            .holds = gp_cause_time_slice,
        },
    [GP_CAUSE_UNKNOWN] =
        {
            .is_limit = true,
            .summary = "nothing in the recording says why",
            .remedy = "a recording that says more: --trace stamps, if it has none",
        },
};
