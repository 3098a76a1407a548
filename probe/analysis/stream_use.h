/*
 * What the time of each stream went to, from the run's begin to its last end.
 *
 *     stream 0   ....|--a--|..|----b----|........     idle 4 + 2, busy 7 + 11, done 8
 *     stream 1   .........................|--c--|     idle 25, busy 7
 *                0                               32   last end
 *
 *     utilisation of a stream = busy ÷ last end       18 ÷ 32, 7 ÷ 32
 *     busy + idle + done = last end, and the idle time is that of causes.h, by cause.
 */
#ifndef GP_PROBE_ANALYSIS_STREAM_USE_H
#define GP_PROBE_ANALYSIS_STREAM_USE_H

#include "probe/analysis/causes.h"

struct gp_stream_use {
    uint32_t ops; /* that ran */
    int64_t busy_ns, idle_ns, done_ns;
    int64_t idle_by_ns[GP_CAUSE_COUNT]; /* their sum is idle_ns */
};

/* Fills in one a stream of the run, which is out's length. Returns the last end. */
int64_t gp_stream_use_measure(const struct gp_causes *causes, struct gp_stream_use *out);

#endif
