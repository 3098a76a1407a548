/* The critical path: see critical.h. */
#include "probe/analysis/critical.h"

#include <assert.h>

#include "probe/analysis/cause_index.h"
#include "probe/memory.h"

/* A walk from the end to the begin; steps are in that order until it is done. */
struct walk {
    const struct gp_causes *causes;
    struct gp_critical *out;
    size_t capacity;
    uint32_t op;
    int64_t at;          /* all from here on is on the path */
    enum gp_cause cause; /* why what is next on the path could not begin earlier */
};

static void add_step(struct walk *walk, int64_t from, bool is_run, enum gp_cause cause)
{
    struct gp_critical *out = walk->out;

    if (from >= walk->at) {
        return;
    }
    out->steps = gp_xgrow(out->steps, &walk->capacity, (size_t)out->count + 1, sizeof *out->steps);
    out->steps[out->count++] = (struct gp_critical_step){from, walk->at, walk->op, cause, is_run};
    walk->at = from;
}

/* The host had its hands full from then on. What its long calls were is known. */
static void add_host(struct walk *walk, int64_t from)
{
    static const enum gp_cause causes[] = {GP_CAUSE_LAUNCH_QUEUE, GP_CAUSE_PAGEABLE,
                                           GP_CAUSE_IMPLICIT_SYNC};
    const struct gp_cause_index *index = walk->causes->index;
    const struct gp_stretches *const all[] = {&index->launch_queue, &index->pageable,
                                              &index->implicit_sync};

    while (walk->at > from) {
        const struct gp_stretch *last = NULL;
        enum gp_cause cause = GP_CAUSE_NOT_SUBMITTED;

        for (int i = 0; i < 3; i++) {
            const struct gp_stretch *stretch = gp_stretches_before(all[i], walk->at);

            if (stretch != NULL && stretch->from >= from &&
                (last == NULL || stretch->from > last->from)) {
                last = stretch;
                cause = causes[i];
            }
        }
        add_step(walk, last != NULL ? last->to : from, false, GP_CAUSE_NOT_SUBMITTED);
        add_step(walk, last != NULL ? last->from : from, false, cause);
    }
}

static bool is_of_host(enum gp_cause cause)
{
    return cause == GP_CAUSE_NOT_SUBMITTED || cause == GP_CAUSE_LAUNCH_QUEUE ||
           cause == GP_CAUSE_PAGEABLE || cause == GP_CAUSE_IMPLICIT_SYNC;
}

/* Goes on with another operation, which ended at or before `at`, or still ran; false when that
 * leads nowhere. */
static bool step_to(struct walk *walk, uint32_t on, enum gp_cause cause)
{
    const struct gp_op_row *row;

    if (on == GP_NO_OP) {
        return false;
    }
    row = &walk->causes->run->ops[on];
    if (row->begin == GP_UNKNOWN || row->end == GP_UNKNOWN || row->begin >= walk->at ||
        row->end < 0) {
        return false;
    }
    add_step(walk, row->end, false, cause);
    walk->op = on;
    walk->cause = cause;
    return true;
}

/* Where there is no wait: what ended last before it, by the DAG or on its stream. */
static bool step_back(struct walk *walk)
{
    const struct gp_cause_index *index = walk->causes->index;
    const struct gp_held *depends = &index->depends[walk->op];
    const struct gp_held *behind = &index->behind[walk->op];
    bool by_dag = depends->on != GP_NO_OP && depends->until >= behind->until;

    return step_to(walk, by_dag ? depends->on : behind->on,
                   by_dag ? GP_CAUSE_DEPENDENCY : GP_CAUSE_SAME_STREAM);
}

/* From an operation's begin back to what let it go; false when the begin is reached. */
static bool walk_waits(struct walk *walk)
{
    const struct gp_causes *causes = walk->causes;
    uint32_t op = walk->op;

    for (uint32_t i = causes->first[op + 1]; i > causes->first[op]; i--) {
        const struct gp_wait *wait = &causes->waits[i - 1];

        if (is_of_host(wait->cause) || gp_wait_is_arrival(wait)) {
            int64_t release = causes->run->ops[op].release;

            /* Before it arrives nobody can do anything about it. */
            release = release > 0 ? release : 0;
            if (is_of_host(wait->cause)) {
                add_host(walk, release < walk->at ? release : walk->at);
            }
            add_step(walk, 0, false, GP_CAUSE_DEPENDENCY);
            return false;
        }
        if (step_to(walk, wait->on, wait->cause)) {
            return true;
        }
        add_step(walk, wait->from > 0 ? wait->from : 0, false, wait->cause);
    }
    if (step_back(walk)) {
        return true;
    }
    add_step(walk, 0, false, GP_CAUSE_UNKNOWN);
    return false;
}

static bool find_last(const struct gp_run_data *run, uint32_t *last)
{
    bool found = false;

    for (uint32_t op = 0; op < run->op_count; op++) {
        if (gp_op_runs(&run->ops[op]) && (!found || run->ops[op].end > run->ops[*last].end)) {
            *last = op;
            found = true;
        }
    }
    return found;
}

static void turn_around(struct gp_critical *out)
{
    for (uint32_t i = 0; i < out->count / 2; i++) {
        struct gp_critical_step step = out->steps[i];

        out->steps[i] = out->steps[out->count - 1 - i];
        out->steps[out->count - 1 - i] = step;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        const struct gp_critical_step *step = &out->steps[i];
        int64_t ns = step->to - step->from;

        if (!step->is_run) {
            out->wait_ns[step->cause] += ns;
            continue;
        }
        out->run_ns += ns;
        if (step->cause != GP_CAUSE_COUNT) {
            out->after_ns[step->cause] += ns;
        }
    }
}

void gp_critical_find(const struct gp_causes *causes, struct gp_critical *out)
{
    struct walk walk = {.causes = causes, .out = out, .cause = GP_CAUSE_COUNT};

    assert(causes != NULL && out != NULL);
    *out = (struct gp_critical){0};
    if (!find_last(causes->run, &walk.op)) {
        return;
    }
    walk.at = causes->run->ops[walk.op].end;
    do {
        int64_t begin = causes->run->ops[walk.op].begin;

        add_step(&walk, begin > 0 ? begin : 0, true, walk.cause);
    } while (walk.at > 0 && walk_waits(&walk));
    turn_around(out);
}

void gp_critical_finish(struct gp_critical *critical)
{
    if (critical == NULL) {
        return;
    }
    gp_free(critical->steps);
    *critical = (struct gp_critical){0};
}
