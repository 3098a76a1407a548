/* Causes that lie with the host: see cause_rules.h. Which of its calls took long, and why, is found
 * once a run. */
#include "probe/analysis/cause_rules.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "probe/memory.h"

/* Calls no longer than this are usual ones. */
static const int64_t long_call_ns = 20000;
/* Launches that a stream accepts before a call blocks, where the device's number is not known: 1
 * 021 on an H200, and about as many on others. */
static const double queue_launches = 1000;
/* A queue counts as full from this part on: what is outstanding is known to a few launches. */
static const double queue_full = 0.9;

/* Kernels of each stream in order of begin: ops[first[s] .. first[s + 1]). */
struct queues {
    uint32_t *first, *ops;
    uint32_t *place; /* per operation, in ops */
};

static struct queues make_queues(const struct gp_cause_index *index)
{
    const struct gp_run_data *run = index->run;
    struct queues queues = {
        .first = gp_xalloc((size_t)run->stream_count + 2, sizeof *queues.first),
        .ops = gp_xalloc(index->begun, sizeof *queues.ops),
        .place = gp_xalloc(run->op_count, sizeof *queues.place),
    };

    for (uint32_t i = 0; i < index->begun; i++) {
        const struct gp_op_row *op = &run->ops[index->by_begin[i].op];

        queues.first[op->stream + 2] += op->kind == GP_OP_KERNEL ? 1 : 0;
    }
    for (uint32_t s = 2; s < run->stream_count + 2; s++) {
        queues.first[s] += queues.first[s - 1];
    }
    for (uint32_t i = 0; i < index->begun; i++) {
        const struct gp_op_row *op = &run->ops[index->by_begin[i].op];

        if (op->kind == GP_OP_KERNEL) {
            queues.place[index->by_begin[i].op] = queues.first[op->stream + 1];
            queues.ops[queues.first[op->stream + 1]++] = index->by_begin[i].op;
        }
    }
    return queues;
}

/* Launches before it on its stream that had not ended when it was submitted. A stream's kernels end
 * in their order. */
static uint32_t outstanding(const struct gp_run_data *run, const struct queues *queues, uint32_t op)
{
    uint32_t end = queues->place[op];
    uint32_t low = queues->first[run->ops[op].stream];
    uint32_t high = end;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (run->ops[queues->ops[middle]].end <= run->ops[op].submit_begin) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return end - low;
}

/* The call went on while the copy ran, and for a good part of it. */
static bool is_pageable(const struct gp_op_row *op)
{
    return (op->kind == GP_OP_H2D || op->kind == GP_OP_D2H) && gp_op_runs(op) &&
           op->submit_begin != GP_UNKNOWN && op->submit_end != GP_UNKNOWN &&
           op->submit_end > op->begin &&
           2 * (op->submit_end - op->submit_begin) >= op->end - op->begin;
}

static bool is_first_of_name(const struct gp_run_data *run, const struct gp_moment *by_submit,
                             uint32_t place)
{
    const char *name = run->ops[by_submit[place].op].name;

    for (uint32_t i = 0; i < place; i++) {
        if (strcmp(run->ops[by_submit[i].op].name, name) == 0) {
            return false;
        }
    }
    return true;
}

/* Why the call that submitted an operation was long; GP_CAUSE_COUNT: for no reason known. */
static enum gp_cause long_call_cause(const struct gp_cause_index *index,
                                     const struct queues *queues, const struct gp_moment *by_submit,
                                     uint32_t place)
{
    const struct gp_run_data *run = index->run;
    uint32_t op = by_submit[place].op;
    double most = isnan(run->facts.queue_launches) ? queue_launches : run->facts.queue_launches;

    if (is_pageable(&run->ops[op])) {
        return GP_CAUSE_PAGEABLE;
    }
    if (run->ops[op].kind == GP_OP_ALLOC || run->ops[op].kind == GP_OP_FREE) {
        return GP_CAUSE_IMPLICIT_SYNC; /* not in stream order, which takes no long call */
    }
    if (run->ops[op].kind != GP_OP_KERNEL || !gp_op_runs(&run->ops[op])) {
        return GP_CAUSE_COUNT;
    }
    if (outstanding(run, queues, op) >= queue_full * most) {
        return GP_CAUSE_LAUNCH_QUEUE;
    }
    return is_first_of_name(run, by_submit, place) ? GP_CAUSE_IMPLICIT_SYNC : GP_CAUSE_COUNT;
}

/* Of CUDA and of this project's device interface. Allocation in stream order does not wait. */
static bool is_synchronising(const char *name)
{
    static const char *const parts[] = {"lloc",        "Free",     "free",    "ModuleLoad",
                                        "LibraryLoad", "Register", "SetLimit"};

    if (strstr(name, "Async") != NULL || strstr(name, "async") != NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strstr(name, parts[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- stretches of the host's time ---------------------------------------------------------- */

/* Moments of one cause, while they are collected: `what` 0 an operation's call, 1 another call. */
struct collected {
    struct gp_moment *moments;
    size_t capacity;
    uint32_t count;
};

static void collect(struct collected *collected, int64_t at, uint32_t which, uint32_t what)
{
    collected->moments = gp_xgrow(collected->moments, &collected->capacity,
                                  (size_t)collected->count + 1, sizeof *collected->moments);
    collected->moments[collected->count++] = (struct gp_moment){at, which, what};
}

static void collect_submissions(const struct gp_cause_index *index,
                                const struct gp_moment *by_submit, uint32_t submitted,
                                struct collected all[GP_CAUSE_COUNT])
{
    const struct gp_run_data *run = index->run;
    struct queues queues = make_queues(index);

    for (uint32_t i = 0; i < submitted; i++) {
        uint32_t op = by_submit[i].op;
        enum gp_cause cause;

        if (run->ops[op].submit_end - run->ops[op].submit_begin < long_call_ns) {
            continue;
        }
        cause = long_call_cause(index, &queues, by_submit, i);
        if (cause != GP_CAUSE_COUNT) {
            collect(&all[cause], run->ops[op].submit_begin, op, 0);
        }
    }
    gp_free(queues.first);
    gp_free(queues.ops);
    gp_free(queues.place);
}

static void collect_calls(const struct gp_run_data *run, struct collected *collected)
{
    for (uint32_t i = 0; i < run->call_count; i++) {
        if (is_synchronising(run->calls[i].name)) {
            collect(collected, run->calls[i].begin, i, 1);
        }
    }
}

static void make_stretches(const struct gp_run_data *run, struct collected *collected,
                           struct gp_stretches *out)
{
    gp_moments_sort(collected->moments, collected->count);
    for (uint32_t i = 0; i < collected->count; i++) {
        const struct gp_moment *moment = &collected->moments[i];

        if (moment->what == 0) {
            gp_stretches_add(out, moment->at, run->ops[moment->op].submit_end, moment->op);
        } else {
            const struct gp_call_row *call = &run->calls[moment->op];

            gp_stretches_add(out, moment->at, call->end,
                             call->op == GP_UNKNOWN ? GP_NO_OP : (uint32_t)call->op);
        }
    }
    gp_free(collected->moments);
}

void gp_cause_index_host(struct gp_cause_index *index, const struct gp_moment *by_submit,
                         uint32_t submitted)
{
    struct collected all[GP_CAUSE_COUNT] = {0};

    /* A graph is submitted by one call, which all its operations share. */
    if (index->run->cell->submit != GP_SUBMIT_GRAPH) {
        collect_submissions(index, by_submit, submitted, all);
    }
    collect_calls(index->run, &all[GP_CAUSE_IMPLICIT_SYNC]);
    make_stretches(index->run, &all[GP_CAUSE_LAUNCH_QUEUE], &index->launch_queue);
    make_stretches(index->run, &all[GP_CAUSE_PAGEABLE], &index->pageable);
    make_stretches(index->run, &all[GP_CAUSE_IMPLICIT_SYNC], &index->implicit_sync);
}

/* ---- the rules ----------------------------------------------------------------------------- */

/* As much of the time until it was submitted as the host spent in such calls. */
static bool held(const struct gp_cause_index *index, const struct gp_stretches *stretches,
                 uint32_t op, int64_t from, struct gp_hold *out)
{
    const struct gp_op_row *row = &index->run->ops[op];
    int64_t until = row->submit_end < row->begin ? row->submit_end : row->begin;
    int64_t ns;

    *out = (struct gp_hold){.figure = GP_UNKNOWN, .on = GP_NO_OP};
    if (row->submit_end == GP_UNKNOWN || until <= from) {
        return false;
    }
    ns = gp_stretches_within(stretches, from, until, &out->on);
    out->until = from + ns;
    return ns > 0;
}

bool gp_cause_launch_queue(const struct gp_cause_index *index, uint32_t op, int64_t from,
                           int64_t to, struct gp_hold *out)
{
    (void)to;
    return held(index, &index->launch_queue, op, from, out);
}

bool gp_cause_pageable(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                       struct gp_hold *out)
{
    (void)to;
    return held(index, &index->pageable, op, from, out);
}

bool gp_cause_implicit_sync(const struct gp_cause_index *index, uint32_t op, int64_t from,
                            int64_t to, struct gp_hold *out)
{
    (void)to;
    return held(index, &index->implicit_sync, op, from, out);
}

bool gp_cause_not_submitted(const struct gp_cause_index *index, uint32_t op, int64_t from,
                            int64_t to, struct gp_hold *out)
{
    const struct gp_op_row *row = &index->run->ops[op];

    (void)from;
    (void)to;
    *out = (struct gp_hold){.until = row->submit_end, .figure = GP_UNKNOWN, .on = GP_NO_OP};
    return row->submit_end != GP_UNKNOWN;
}
