/* What the time of each stream went to: see stream_use.h. */
#include "probe/analysis/stream_use.h"

#include <assert.h>
#include <string.h>

static void add_waits(const struct gp_causes *causes, uint32_t op, struct gp_stream_use *use)
{
    for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
        const struct gp_wait *wait = &causes->waits[i];

        if (wait->is_idle) {
            use->idle_ns += wait->to - wait->from;
            use->idle_by_ns[wait->cause] += wait->to - wait->from;
        }
    }
}

int64_t gp_stream_use_measure(const struct gp_causes *causes, struct gp_stream_use *out)
{
    const struct gp_run_data *run = causes->run;
    int64_t last_ns = 0;

    assert(out != NULL || run->stream_count == 0);
    memset(out, 0, run->stream_count * sizeof *out);
    for (uint32_t op = 0; op < run->op_count; op++) {
        const struct gp_op_row *row = &run->ops[op];
        struct gp_stream_use *use = &out[row->stream];

        if (gp_op_runs(row)) {
            use->ops++;
            /* Until its last end a stream is busy whenever it is not idle. */
            use->busy_ns = row->end > use->busy_ns ? row->end : use->busy_ns;
            last_ns = row->end > last_ns ? row->end : last_ns;
            add_waits(causes, op, use);
        }
    }
    for (uint32_t i = 0; i < run->stream_count; i++) {
        out[i].done_ns = last_ns - out[i].busy_ns;
        out[i].busy_ns -= out[i].idle_ns;
    }
    return last_ns;
}
