/* What must hold in every run: see invariants.h. */
#include "probe/analysis/invariants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probe/analysis/by_time.h"
#include "probe/memory.h"

/* CUPTI's times of operations of one kind agree with each other to about this (measured on an
 * H200: the spread of kernels against stamps is 0.5 µs, copies are interpolated). */
static const int64_t reference_tolerance_ns = 2000;
/* How much faster than the measured rate an engine is believed to be, how unevenly its end events
 * come, and which copies are long enough for both. */
static const double rate_tolerance = 1.1;
static const int64_t event_tolerance_ns = 2000;
static const int64_t rated_bytes_min = INT64_C(256) * 1024;

/* ---- helpers ------------------------------------------------------------------------------- */

static int64_t tick_ns(const struct gp_run_data *run)
{
    int64_t tick = run->device->timer_tick_ns;

    return tick != GP_UNKNOWN && tick > 0 ? tick : 0;
}

static bool is_known(int64_t time)
{
    return time != GP_UNKNOWN;
}

/* By how much `later` certainly began before `earlier` ended; 0 when that is not certain. */
static int64_t certain_overlap(const struct gp_run_data *run, const struct gp_op_row *earlier,
                               const struct gp_op_row *later)
{
    int64_t by;

    if (!is_known(later->begin_hi) || !is_known(earlier->end_lo)) {
        return 0;
    }
    by = earlier->end_lo - later->begin_hi;
    return by > tick_ns(run) ? by : 0;
}

static void add(struct gp_violations *out, enum gp_invariant what, uint32_t op, uint32_t other,
                int64_t by_ns, const char *text)
{
    gp_violations_add(out,
                      &(struct gp_violation){
                          .what = what, .op = op, .other = other, .by_ns = by_ns, .text = text});
}

/* Operations sorted by a time of theirs, those without it left out. The caller's to free. */
static struct gp_moment *sort_by(const struct gp_run_data *run,
                                 bool (*take)(const struct gp_op_row *op, struct gp_moment *out),
                                 uint32_t *count)
{
    struct gp_moment *moments = gp_xalloc(run->op_count + 1, sizeof *moments);

    *count = 0;
    for (uint32_t i = 0; i < run->op_count; i++) {
        struct gp_moment *moment = &moments[*count];

        if (take(&run->ops[i], moment)) {
            moment->op = i;
            (*count)++;
        }
    }
    gp_moments_sort(moments, *count);
    return moments;
}

static bool take_submit(const struct gp_op_row *op, struct gp_moment *out)
{
    out->at = op->submit_begin;
    return gp_op_runs(op) && is_known(op->submit_begin);
}

/* ---- single operations --------------------------------------------------------------------- */

static const char *check_data(const struct gp_run_data *run, struct gp_violations *out)
{
    if (run->run.verified == 0) {
        add(out, GP_INVARIANT_DATA, GP_NO_OP, GP_NO_OP, GP_UNKNOWN,
            "its output differs from the reference");
    }
    return run->run.verified < 0 ? "its output was not compared" : NULL;
}

/* Known values that must not fall from one to the next. */
struct sequence {
    int64_t first, second;
    const char *text;
};

static const char *check_interval(const struct gp_run_data *run, struct gp_violations *out)
{
    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gp_op_row *op = &run->ops[i];
        const struct sequence sequences[] = {
            {op->begin, op->end, "it ends before it begins"},
            {op->begin_lo, op->begin, "its begin lies before the interval of it"},
            {op->begin, op->begin_hi, "its begin lies behind the interval of it"},
            {op->end_lo, op->end, "its end lies before the interval of it"},
            {op->end, op->end_hi, "its end lies behind the interval of it"},
            {op->stamp_begin, op->stamp_end, "its last stamp is before its first"},
            {op->ready, op->done, "its end event is before its start event"},
            {op->ref_begin, op->ref_end, "its reference ends before it begins"},
            {op->submit_begin, op->submit_end, "its submission ends before it begins"},
        };

        for (size_t k = 0; k < sizeof sequences / sizeof sequences[0]; k++) {
            const struct sequence *sequence = &sequences[k];

            if (is_known(sequence->first) && is_known(sequence->second) &&
                sequence->second < sequence->first) {
                add(out, GP_INVARIANT_INTERVAL, i, GP_NO_OP, sequence->first - sequence->second,
                    sequence->text);
            }
        }
    }
    return NULL;
}

static const char *check_inside_run(const struct gp_run_data *run, struct gp_violations *out)
{
    int64_t tick = tick_ns(run);

    if (!is_known(run->run.makespan_ns)) {
        return "its makespan is not known";
    }
    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gp_op_row *op = &run->ops[i];

        if (is_known(op->begin_hi) && op->begin_hi < -tick) {
            add(out, GP_INVARIANT_INSIDE_RUN, i, GP_NO_OP, -op->begin_hi,
                "it begins before the run does");
        }
        if (is_known(op->end_lo) && op->end_lo > run->run.makespan_ns + tick) {
            add(out, GP_INVARIANT_INSIDE_RUN, i, GP_NO_OP, op->end_lo - run->run.makespan_ns,
                "it ends after the run did");
        }
    }
    return NULL;
}

static const char *check_submitted(const struct gp_run_data *run, struct gp_violations *out)
{
    bool any = false;

    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gp_op_row *op = &run->ops[i];

        if (!is_known(op->begin_hi) || !is_known(op->submit_begin)) {
            continue;
        }
        any = true;
        if (op->begin_hi + tick_ns(run) < op->submit_begin) {
            add(out, GP_INVARIANT_SUBMITTED, i, GP_NO_OP, op->submit_begin - op->begin_hi,
                "it begins before the host submits it");
        }
    }
    return any ? NULL : "when operations were submitted is not known";
}

/* ---- order --------------------------------------------------------------------------------- */

/* Edges to and from what does not run on the device say nothing about times there. */
static const char *check_dependency(const struct gp_run_data *run, struct gp_violations *out)
{
    for (uint32_t i = 0; i < run->edge_count; i++) {
        const struct gp_edge_row *edge = &run->edges[i];
        const struct gp_op_row *from = &run->ops[edge->from];
        const struct gp_op_row *to = &run->ops[edge->to];
        int64_t by;

        if (!gp_op_runs(from) || !gp_op_runs(to)) {
            continue;
        }
        by = certain_overlap(run, from, to);
        if (by > 0) {
            add(out, GP_INVARIANT_DEPENDENCY, edge->to, edge->from, by,
                "it begins before what it depends on ends");
        }
    }
    return NULL;
}

static const char *check_stream_order(const struct gp_run_data *run, struct gp_violations *out)
{
    uint32_t *last;
    struct gp_moment *moments;
    uint32_t count;

    if (run->device->kind == GP_ORIGIN_IMPORTED) {
        return "kernels of one stream may overlap by programmatic launch, and an imported trace "
               "does not say which";
    }
    moments = sort_by(run, take_submit, &count);
    last = gp_xalloc(run->stream_count + 1, sizeof *last);
    for (uint32_t i = 0; i < run->stream_count; i++) {
        last[i] = GP_NO_OP;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_op_row *op = &run->ops[moments[i].op];
        uint32_t before = last[op->stream];
        int64_t by = before != GP_NO_OP ? certain_overlap(run, &run->ops[before], op) : 0;

        if (by > 0) {
            add(out, GP_INVARIANT_STREAM_ORDER, moments[i].op, before, by,
                "it begins before the operation before it on the stream ends");
        }
        last[op->stream] = moments[i].op;
    }
    gp_free(last);
    gp_free(moments);
    return count > 0 ? NULL : "in which order streams were given their operations is not known";
}

/* ---- engines ------------------------------------------------------------------------------- */

static bool take_engine_begin(const struct gp_op_row *op, struct gp_moment *out)
{
    out->at = op->begin;
    return op->engine >= 0 && gp_op_runs(op);
}

static bool take_engine_done(const struct gp_op_row *op, struct gp_moment *out)
{
    out->at = op->done;
    return op->engine >= 0 && is_known(op->done);
}

static bool take_engine_reference(const struct gp_op_row *op, struct gp_moment *out)
{
    out->at = op->ref_begin;
    return op->engine >= 0 && is_known(op->ref_begin) && is_known(op->ref_end);
}

static double rate_of(const struct gp_run_data *run, const struct gp_op_row *op)
{
    switch (op->kind) {
    case GP_OP_H2D:
        return run->facts.h2d_rate;
    case GP_OP_D2H:
        return run->facts.d2h_rate;
    default:
        return (double)NAN;
    }
}

/* Which copy was first is not known, so each must have begun before the other ended. */
static void judge_engine(const struct gp_run_data *run, uint32_t before, uint32_t op,
                         struct gp_violations *out)
{
    int64_t by = certain_overlap(run, &run->ops[before], &run->ops[op]);

    if (by > 0 && certain_overlap(run, &run->ops[op], &run->ops[before]) > 0) {
        add(out, GP_INVARIANT_ENGINE, op, before, by,
            "it runs at the same time as another copy on the same engine");
    }
}

/* End events of one engine come at least as far apart as the later copy takes at full rate. */
static void judge_rate(const struct gp_run_data *run, uint32_t before, uint32_t op,
                       struct gp_violations *out)
{
    const struct gp_op_row *row = &run->ops[op];
    double rate = rate_of(run, row) * rate_tolerance;
    double least_ns;
    int64_t apart_ns = row->done - run->ops[before].done + event_tolerance_ns;

    if (isnan(rate) || rate <= 0 || row->bytes == GP_UNKNOWN || row->bytes < rated_bytes_min) {
        return;
    }
    least_ns = (double)row->bytes * 1e9 / rate;
    if ((double)apart_ns < least_ns) {
        add(out, GP_INVARIANT_ENGINE_RATE, op, before, (int64_t)least_ns - apart_ns,
            "its end event follows that of the copy before it on the engine sooner than its bytes "
            "can be copied");
    }
}

static void judge_reference(const struct gp_run_data *run, uint32_t before, uint32_t op,
                            struct gp_violations *out)
{
    int64_t by = run->ops[before].ref_end - run->ops[op].ref_begin;

    if (by > reference_tolerance_ns) {
        add(out, GP_INVARIANT_REFERENCE, op, before, by,
            "by the reference it begins before the copy before it on the same engine ends");
    }
}

/* Asks `judge` of each copy and the one before it on its engine. NULL, or `reason` when there are
 * no two. */
static const char *judge_neighbours(const struct gp_run_data *run,
                                    bool (*take)(const struct gp_op_row *op, struct gp_moment *out),
                                    void (*judge)(const struct gp_run_data *run, uint32_t before,
                                                  uint32_t op, struct gp_violations *out),
                                    const char *reason, struct gp_violations *out)
{
    enum { ENGINES_MAX = 64 };
    uint32_t last[ENGINES_MAX];
    uint32_t count;
    struct gp_moment *moments = sort_by(run, take, &count);
    bool any = false;

    for (int i = 0; i < ENGINES_MAX; i++) {
        last[i] = GP_NO_OP;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = moments[i].op;
        uint32_t *before = &last[run->ops[op].engine % ENGINES_MAX];

        if (*before != GP_NO_OP) {
            any = true;
            judge(run, *before, op, out);
        }
        *before = op;
    }
    gp_free(moments);
    return any ? NULL : reason;
}

static const char *check_engine(const struct gp_run_data *run, struct gp_violations *out)
{
    return judge_neighbours(run, take_engine_begin, judge_engine,
                            "no two copies are known to share an engine", out);
}

static const char *check_engine_rate(const struct gp_run_data *run, struct gp_violations *out)
{
    if (isnan(run->facts.h2d_rate) && isnan(run->facts.d2h_rate)) {
        return "the engines' rates are not known";
    }
    return judge_neighbours(run, take_engine_done, judge_rate,
                            "no two copies of an engine have end events", out);
}

static const char *check_reference(const struct gp_run_data *run, struct gp_violations *out)
{
    return judge_neighbours(run, take_engine_reference, judge_reference,
                            "no two copies of an engine have reference times", out);
}

/* ---- grids --------------------------------------------------------------------------------- */

enum { BEGINS = 0, ENDS = 1 };

/* Kernels that run for certain, first the ends of a moment and then its begins. */
static struct gp_moment *certain_kernels(const struct gp_run_data *run, uint32_t *count)
{
    struct gp_moment *moments = gp_xalloc(2 * (size_t)run->op_count + 1, sizeof *moments);

    *count = 0;
    for (int pass = ENDS; pass >= BEGINS; pass--) {
        for (uint32_t i = 0; i < run->op_count; i++) {
            const struct gp_op_row *op = &run->ops[i];

            if (op->kind == GP_OP_KERNEL && is_known(op->begin_hi) && is_known(op->end_lo) &&
                op->begin_hi < op->end_lo) {
                moments[(*count)++] = (struct gp_moment){
                    .at = pass == ENDS ? op->end_lo : op->begin_hi,
                    .op = i,
                    .what = (uint32_t)pass,
                };
            }
        }
    }
    gp_moments_sort(moments, *count);
    return moments;
}

static const char *check_resident(const struct gp_run_data *run, struct gp_violations *out)
{
    int64_t limit = gp_facts_grids(&run->facts, run->device);
    int64_t running = 0;
    struct gp_moment *moments;
    uint32_t count;

    if (limit <= 0) {
        return "how many grids the device can hold is not known";
    }
    moments = certain_kernels(run, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (moments[i].what == ENDS) {
            running--;
        } else if (++running == limit + 1) {
            add(out, GP_INVARIANT_RESIDENT, moments[i].op, GP_NO_OP, GP_UNKNOWN,
                "it runs beside more kernels than the device can hold at once");
        }
    }
    gp_free(moments);
    return NULL;
}

/* ---- all ----------------------------------------------------------------------------------- */

const char *gp_invariant_name(enum gp_invariant what)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_INVARIANTS(X)
#undef X
    };

    return (unsigned)what < GP_INVARIANT_COUNT ? words[what] : "unknown";
}

void gp_violations_add(struct gp_violations *violations, const struct gp_violation *violation)
{
    if (violations->totals[violation->what]++ >= GP_VIOLATIONS_KEPT_MAX) {
        return;
    }
    violations->rows = gp_xgrow(violations->rows, &violations->capacity, violations->count + 1,
                                sizeof violations->rows[0]);
    violations->rows[violations->count++] = *violation;
}

void gp_violations_finish(struct gp_violations *violations)
{
    gp_free(violations->rows);
    memset(violations, 0, sizeof *violations);
}

void gp_invariants_check(const struct gp_run_data *run, struct gp_violations *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < GP_INVARIANT_COUNT; i++) {
        out->skipped[i] = gp_invariant_table[i].check(run, out);
    }
}

const struct gp_invariant_rule gp_invariant_table[GP_INVARIANT_COUNT] = {
    [GP_INVARIANT_DATA] = {"the output is the reference's", check_data},
    [GP_INVARIANT_INTERVAL] = {"times lie in their intervals, and nothing ends before it begins",
                               check_interval},
    [GP_INVARIANT_INSIDE_RUN] = {"operations run between the run's begin and end",
                                 check_inside_run},
    [GP_INVARIANT_SUBMITTED] = {"nothing begins before it is submitted", check_submitted},
    [GP_INVARIANT_DEPENDENCY] = {"nothing begins before what it depends on ends", check_dependency},
    [GP_INVARIANT_STREAM_ORDER] = {"a stream runs one operation after the other",
                                   check_stream_order},
    [GP_INVARIANT_ENGINE] = {"a copy engine makes one copy at a time", check_engine},
    [GP_INVARIANT_ENGINE_RATE] = {"end events of an engine's copies are as far apart as the bytes "
                                  "need",
                                  check_engine_rate},
    [GP_INVARIANT_REFERENCE] = {"by the reference too an engine makes one copy at a time",
                                check_reference},
    [GP_INVARIANT_RESIDENT] = {"no more kernels run than the device can hold", check_resident},
    [GP_INVARIANT_BLOCK] = {"every block of a kernel that stamps them runs once, on an SM of the "
                            "device and while the kernel does",
                            gp_blocks_check},
    [GP_INVARIANT_BLOCK_ROOM] = {"no more blocks are on an SM than it has room for",
                                 gp_block_room_check},
    [GP_INVARIANT_HAZARD] = {"operations that use the same bytes are ordered, and every edge is "
                             "kept",
                             gp_ordering_check},
};
