/* A run played again, once for each cause that held anybody, without it: see what_if.h. */
#include "probe/analysis/what_if.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "probe/analysis/cause_index.h"
#include "probe/memory.h"

/* The plays go side by side, so that a run's rows are read once: play p is without[p]. */
struct replay {
    const struct gp_causes *causes;
    const struct gp_cause_index *index;
    enum gp_cause without[GP_CAUSE_COUNT];
    uint32_t count;
    int64_t *earlier_ns; /* by how much each operation moved: [op · count + play] */
};

/* Something that held an operation until it began or before. */
struct tie {
    int64_t until;
    uint32_t on;
    enum gp_cause cause;
};

/* What the index knows of who held whom, and for which cause. */
static const struct {
    enum gp_cause cause;
    size_t field;
} kinds[] = {
    {GP_CAUSE_DEPENDENCY, offsetof(struct gp_cause_index, depends)},
    {GP_CAUSE_HOST_FUNCTION, offsetof(struct gp_cause_index, host)},
    {GP_CAUSE_SAME_STREAM, offsetof(struct gp_cause_index, behind)},
    {GP_CAUSE_NULL_STREAM, offsetof(struct gp_cause_index, null)},
    {GP_CAUSE_CONNECTION, offsetof(struct gp_cause_index, connection)},
    {GP_CAUSE_TIMED_EVENT, offsetof(struct gp_cause_index, timed)},
    {GP_CAUSE_ENGINE_BUSY, offsetof(struct gp_cause_index, engine)},
    {GP_CAUSE_GRID_LIMIT, offsetof(struct gp_cause_index, grids)},
    {GP_CAUSE_PRIORITY, offsetof(struct gp_cause_index, priority)},
    {GP_CAUSE_SM_FULL, offsetof(struct gp_cause_index, sms)},
    {GP_CAUSE_HEAD_OF_LINE, offsetof(struct gp_cause_index, line)},
    {GP_CAUSE_CARVE_OUT, offsetof(struct gp_cause_index, carve_out)},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static uint32_t find_ties(const struct gp_cause_index *index, uint32_t op, struct tie out[KINDS])
{
    int64_t begin = index->run->ops[op].begin;
    uint32_t count = 0;

    for (int i = 0; i < KINDS; i++) {
        const void *field = (const char *)index + kinds[i].field;
        const struct gp_held *all = *(struct gp_held *const *)field;

        /* What held it beyond its begin did not hold it. */
        if (all != NULL && all[op].on != GP_NO_OP && all[op].until <= begin) {
            out[count++] = (struct tie){all[op].until, all[op].on, kinds[i].cause};
        }
    }
    return count;
}

/* How much of the host's time until `at` goes away without each cause. */
static void save_host_time(const struct gp_cause_index *index, int64_t at,
                           int64_t saved_ns[GP_CAUSE_COUNT])
{
    uint32_t on;
    int64_t other_ns;

    saved_ns[GP_CAUSE_LAUNCH_QUEUE] = gp_stretches_within(&index->launch_queue, 0, at, &on);
    saved_ns[GP_CAUSE_PAGEABLE] = gp_stretches_within(&index->pageable, 0, at, &on);
    saved_ns[GP_CAUSE_IMPLICIT_SYNC] = gp_stretches_within(&index->implicit_sync, 0, at, &on);
    other_ns = saved_ns[GP_CAUSE_LAUNCH_QUEUE] + saved_ns[GP_CAUSE_PAGEABLE] +
               saved_ns[GP_CAUSE_IMPLICIT_SYNC];
    saved_ns[GP_CAUSE_NOT_SUBMITTED] = other_ns < at ? at - other_ns : 0;
}

/* What of the time from `from` to its begin is put down to each cause. */
static void put_down(const struct gp_causes *causes, uint32_t op, int64_t from,
                     int64_t put_ns[GP_CAUSE_COUNT])
{
    for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
        const struct gp_wait *wait = &causes->waits[i];

        if (wait->to > from) {
            put_ns[wait->cause] += wait->to - later(wait->from, from);
        }
    }
}

static void play(struct replay *replay, uint32_t op)
{
    const struct gp_op_row *row = &replay->index->run->ops[op];
    struct tie ties[KINDS];
    uint32_t tie_count = find_ties(replay->index, op, ties);
    int64_t arrival = later(row->release, 0);
    int64_t submitted = row->submit_end < row->begin ? row->submit_end : row->begin;
    bool has_submit = row->submit_end != GP_UNKNOWN && submitted > 0;
    int64_t saved_ns[GP_CAUSE_COUNT] = {0}, put_ns[GP_CAUSE_COUNT] = {0};
    int64_t was = arrival; /* when all that held it let it go */

    for (uint32_t i = 0; i < tie_count; i++) {
        was = later(was, ties[i].until);
    }
    if (has_submit) {
        was = later(was, submitted);
        save_host_time(replay->index, submitted, saved_ns);
    }
    if (row->begin > was) {
        put_down(replay->causes, op, was, put_ns);
    }
    for (uint32_t p = 0; p < replay->count; p++) {
        enum gp_cause without = replay->without[p];
        int64_t is = arrival;

        for (uint32_t i = 0; i < tie_count; i++) {
            if (ties[i].cause != without) {
                is = later(is, ties[i].until -
                                   replay->earlier_ns[(size_t)ties[i].on * replay->count + p]);
            }
        }
        if (has_submit) {
            is = later(is, submitted - saved_ns[without]);
        }
        if (row->begin > was) {
            is += row->begin - was - put_ns[without];
        }
        replay->earlier_ns[(size_t)op * replay->count + p] = later(row->begin - is, 0);
    }
}

void gp_what_if_measure(const struct gp_causes *causes, struct gp_what_if *out)
{
    const struct gp_cause_index *index = causes->index;
    struct replay replay = {.causes = causes, .index = index};
    int64_t last_ns[GP_CAUSE_COUNT] = {0};

    assert(out != NULL);
    *out = (struct gp_what_if){.causes = causes};
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        if (causes->totals[cause].ops > 0) {
            replay.without[replay.count++] = (enum gp_cause)cause;
        }
    }
    replay.earlier_ns =
        gp_xalloc((size_t)causes->run->op_count * replay.count, sizeof *replay.earlier_ns);
    for (uint32_t i = 0; i < index->begun; i++) {
        uint32_t op = index->by_begin[i].op;
        const struct gp_op_row *row = &causes->run->ops[op];

        play(&replay, op);
        if (!gp_op_runs(row)) {
            continue;
        }
        out->as_it_was_ns = later(out->as_it_was_ns, row->end);
        for (uint32_t p = 0; p < replay.count; p++) {
            last_ns[p] =
                later(last_ns[p], row->end - replay.earlier_ns[(size_t)op * replay.count + p]);
        }
    }
    gp_free(replay.earlier_ns);
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        out->without_ns[cause] = out->as_it_was_ns;
    }
    for (uint32_t p = 0; p < replay.count; p++) {
        out->without_ns[replay.without[p]] = last_ns[p];
    }
}

static bool is_of_host(enum gp_cause cause)
{
    return cause == GP_CAUSE_NOT_SUBMITTED || cause == GP_CAUSE_LAUNCH_QUEUE ||
           cause == GP_CAUSE_PAGEABLE || cause == GP_CAUSE_IMPLICIT_SYNC;
}

void gp_what_if_bound(struct gp_what_if *what_if, double bound_ns, double but_host_ns)
{
    assert(what_if != NULL);
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        double least_ns = is_of_host((enum gp_cause)cause) ? but_host_ns : bound_ns;
        int64_t *ns = &what_if->without_ns[cause];

        if ((double)*ns < least_ns) {
            *ns = (double)what_if->as_it_was_ns < least_ns ? what_if->as_it_was_ns
                                                           : (int64_t)llround(least_ns);
        }
    }
}
