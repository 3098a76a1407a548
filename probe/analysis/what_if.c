/* A run played again without one cause: see what_if.h. */
#include "probe/analysis/what_if.h"

#include <assert.h>

#include "probe/analysis/cause_index.h"
#include "probe/memory.h"

struct replay {
    const struct gp_causes *causes;
    const struct gp_cause_index *index;
    enum gp_cause without;
    int64_t *earlier_ns; /* by how much each operation moved */
};

/* What lets an operation go: as it was, and now. */
struct go {
    int64_t was, is;
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void hold(const struct replay *replay, const struct gp_held *all, enum gp_cause cause,
                 uint32_t op, struct go *go)
{
    const struct gp_held *held = all != NULL ? &all[op] : NULL;

    /* What held it beyond its begin did not hold it. */
    if (held == NULL || held->on == GP_NO_OP || held->until > replay->index->run->ops[op].begin) {
        return;
    }
    go->was = later(go->was, held->until);
    if (cause != replay->without) {
        go->is = later(go->is, held->until - replay->earlier_ns[held->on]);
    }
}

/* How much of the host's time until `at` goes away. */
static int64_t host_time_saved(const struct replay *replay, int64_t at)
{
    static const struct {
        enum gp_cause cause;
        size_t field;
    } parts[] = {
        {GP_CAUSE_LAUNCH_QUEUE, offsetof(struct gp_cause_index, launch_queue)},
        {GP_CAUSE_PAGEABLE, offsetof(struct gp_cause_index, pageable)},
        {GP_CAUSE_IMPLICIT_SYNC, offsetof(struct gp_cause_index, implicit_sync)},
    };
    int64_t other_ns = 0;
    uint32_t on;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const void *stretches = (const char *)replay->index + parts[i].field;
        int64_t ns = gp_stretches_within(stretches, 0, at, &on);

        if (parts[i].cause == replay->without) {
            return ns;
        }
        other_ns += ns;
    }
    if (replay->without != GP_CAUSE_NOT_SUBMITTED) {
        return 0;
    }
    return other_ns < at ? at - other_ns : 0;
}

static void submit(const struct replay *replay, uint32_t op, struct go *go)
{
    const struct gp_op_row *row = &replay->index->run->ops[op];
    int64_t at = row->submit_end < row->begin ? row->submit_end : row->begin;

    if (row->submit_end == GP_UNKNOWN || at <= 0) {
        return;
    }
    go->was = later(go->was, at);
    go->is = later(go->is, at - host_time_saved(replay, at));
}

/* What of the time from `from` to its begin is put down to the cause. */
static int64_t put_down(const struct replay *replay, uint32_t op, int64_t from)
{
    const struct gp_causes *causes = replay->causes;
    int64_t ns = 0;

    for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
        const struct gp_wait *wait = &causes->waits[i];

        if (wait->cause == replay->without && wait->to > from) {
            ns += wait->to - later(wait->from, from);
        }
    }
    return ns;
}

static void play(struct replay *replay, uint32_t op)
{
    const struct gp_cause_index *index = replay->index;
    int64_t begin = index->run->ops[op].begin;
    int64_t arrival = later(index->run->ops[op].release, 0);
    struct go go = {arrival, arrival};

    hold(replay, index->depends, GP_CAUSE_DEPENDENCY, op, &go);
    hold(replay, index->host, GP_CAUSE_HOST_FUNCTION, op, &go);
    hold(replay, index->behind, GP_CAUSE_SAME_STREAM, op, &go);
    hold(replay, index->null, GP_CAUSE_NULL_STREAM, op, &go);
    hold(replay, index->connection, GP_CAUSE_CONNECTION, op, &go);
    hold(replay, index->timed, GP_CAUSE_TIMED_EVENT, op, &go);
    hold(replay, index->engine, GP_CAUSE_ENGINE_BUSY, op, &go);
    hold(replay, index->grids, GP_CAUSE_GRID_LIMIT, op, &go);
    hold(replay, index->priority, GP_CAUSE_PRIORITY, op, &go);
    hold(replay, index->sms, GP_CAUSE_SM_FULL, op, &go);
    hold(replay, index->line, GP_CAUSE_HEAD_OF_LINE, op, &go);
    hold(replay, index->carve_out, GP_CAUSE_CARVE_OUT, op, &go);
    submit(replay, op, &go);
    if (begin > go.was) {
        go.is += begin - go.was - put_down(replay, op, go.was);
    }
    replay->earlier_ns[op] = begin > go.is ? begin - go.is : 0;
}

int64_t gp_what_if_without(const struct gp_causes *causes, enum gp_cause cause)
{
    const struct gp_run_data *run = causes->run;
    struct replay replay = {.causes = causes, .index = causes->index, .without = cause};
    struct gp_moment *moments = gp_xalloc(run->op_count, sizeof *moments);
    uint32_t count = 0;
    int64_t last = 0;

    assert((unsigned)cause < GP_CAUSE_COUNT);
    replay.earlier_ns = gp_xalloc(run->op_count, sizeof *replay.earlier_ns);
    for (uint32_t op = 0; op < run->op_count; op++) {
        if (run->ops[op].begin != GP_UNKNOWN && run->ops[op].end != GP_UNKNOWN) {
            moments[count++] = (struct gp_moment){run->ops[op].begin, op, 0};
        }
    }
    gp_moments_sort(moments, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = moments[i].op;

        play(&replay, op);
        if (gp_op_runs(&run->ops[op])) {
            last = later(last, run->ops[op].end - replay.earlier_ns[op]);
        }
    }
    gp_free(moments);
    gp_free(replay.earlier_ns);
    return last;
}

int64_t gp_what_if_as_it_was(const struct gp_causes *causes)
{
    int64_t last = 0;

    for (uint32_t op = 0; op < causes->run->op_count; op++) {
        if (gp_op_runs(&causes->run->ops[op])) {
            last = later(last, causes->run->ops[op].end);
        }
    }
    return last;
}
