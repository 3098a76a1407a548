/* A run as lines of text: see timeline.h. */
#include "probe/cli/timeline.h"

#include <assert.h>
#include <math.h>

#include "probe/analysis/by_time.h"
#include "probe/memory.h"

enum { TICKS = GP_TICK_OTHER + 1 };

/* How much of each column each stream did what. */
struct parts {
    const struct gp_run_data *run;
    struct gp_timeline *out;
    double (*ns)[TICKS]; /* per stream and column */
    double column_ns;
    int64_t *busy_until; /* per stream, while it is walked */
};

static enum gp_tick tick_of(enum gp_op_kind kind)
{
    switch (kind) {
    case GP_OP_KERNEL:
        return GP_TICK_KERNEL;
    case GP_OP_H2D:
    case GP_OP_D2H:
    case GP_OP_D2D:
        return GP_TICK_COPY;
    default:
        return GP_TICK_OTHER;
    }
}

static void spread(struct parts *parts, uint32_t stream, enum gp_tick tick, int64_t from,
                   int64_t to)
{
    struct gp_timeline *out = parts->out;
    uint32_t column = (uint32_t)((double)from / parts->column_ns);
    double at = (double)from;

    for (; column < out->columns && at < (double)to; column++) {
        double until = fmin((double)(column + 1) * parts->column_ns, (double)to);

        until = column + 1 == out->columns ? (double)to : until;
        if (until > at) {
            parts->ns[(size_t)stream * out->columns + column][tick] += until - at;
            out->together[column] += tick == GP_TICK_WAITING ? 0 : (until - at) / parts->column_ns;
            at = until;
        }
    }
}

/* Operations in order of begin: what they ran, and what their stream waited for them. */
static void walk(struct parts *parts, uint32_t op)
{
    const struct gp_op_row *row = &parts->run->ops[op];
    int64_t *until = &parts->busy_until[row->stream];
    int64_t begin = row->begin > 0 ? row->begin : 0;
    int64_t new_from = begin > *until ? begin : *until;

    parts->out->op_counts[row->stream]++;
    if (begin > *until) {
        spread(parts, row->stream, GP_TICK_WAITING, *until, begin);
    }
    if (row->end > begin) {
        spread(parts, row->stream, tick_of(row->kind), begin, row->end);
    }
    if (row->end > new_from) {
        parts->out->busy[row->stream] += (double)(row->end - new_from);
    }
    *until = row->end > *until ? row->end : *until;
}

static void choose_ticks(struct parts *parts)
{
    struct gp_timeline *out = parts->out;

    for (size_t i = 0; i < (size_t)out->columns * out->streams; i++) {
        enum gp_tick most = GP_TICK_DONE;

        /* At the end of a stream's work the column is its last operation's. */
        for (int tick = GP_TICK_WAITING; tick < TICKS; tick++) {
            most = parts->ns[i][tick] > (most == GP_TICK_DONE ? 0 : parts->ns[i][most])
                       ? (enum gp_tick)tick
                       : most;
        }
        out->ticks[i] = (uint8_t)most;
    }
}

static struct gp_moment *order(const struct gp_run_data *run, uint32_t *count, int64_t *end_ns)
{
    struct gp_moment *moments = gp_xalloc(run->op_count, sizeof *moments);

    *count = 0;
    *end_ns = 0;
    for (uint32_t op = 0; op < run->op_count; op++) {
        if (gp_op_runs(&run->ops[op])) {
            moments[(*count)++] = (struct gp_moment){run->ops[op].begin, op, 0};
            *end_ns = run->ops[op].end > *end_ns ? run->ops[op].end : *end_ns;
        }
    }
    gp_moments_sort(moments, *count);
    return moments;
}

void gp_timeline_make(const struct gp_run_data *run, uint32_t columns, struct gp_timeline *out)
{
    struct parts parts = {.run = run, .out = out};
    struct gp_moment *moments;
    uint32_t count;

    assert(run != NULL && columns > 0 && columns <= GP_TIMELINE_COLUMNS_MAX);
    *out = (struct gp_timeline){.columns = columns, .streams = run->stream_count};
    out->ticks = gp_xalloc((size_t)columns * out->streams, sizeof *out->ticks);
    out->together = gp_xalloc(columns, sizeof *out->together);
    out->busy = gp_xalloc(out->streams, sizeof *out->busy);
    out->op_counts = gp_xalloc(out->streams, sizeof *out->op_counts);
    parts.ns = gp_xalloc((size_t)columns * out->streams, sizeof *parts.ns);
    parts.busy_until = gp_xalloc(out->streams, sizeof *parts.busy_until);
    moments = order(run, &count, &out->end_ns);
    parts.column_ns = (double)out->end_ns / columns;
    for (uint32_t i = 0; i < count && out->end_ns > 0; i++) {
        walk(&parts, moments[i].op);
    }
    choose_ticks(&parts);
    for (uint32_t i = 0; i < out->streams; i++) {
        out->busy[i] = out->end_ns > 0 ? out->busy[i] / (double)out->end_ns : 0;
    }
    gp_free(moments);
    gp_free(parts.ns);
    gp_free(parts.busy_until);
}

void gp_timeline_finish(struct gp_timeline *timeline)
{
    if (timeline == NULL) {
        return;
    }
    gp_free(timeline->ticks);
    gp_free(timeline->together);
    gp_free(timeline->busy);
    gp_free(timeline->op_counts);
    *timeline = (struct gp_timeline){0};
}
