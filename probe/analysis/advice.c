/* What to do about it: see advice.h. */
#include "probe/analysis/advice.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/analysis/bounds.h"
#include "probe/analysis/what_if.h"

/* Less than this is not worth a sentence. */
static const double gain_min = 0.02;

const char *gp_sureness_name(enum gp_sureness sureness)
{
    static const char *const names[] = {
#define X(name, word) word,
        GP_SURENESSES(X)
#undef X
    };

    assert((unsigned)sureness < GP_SURENESS_COUNT);
    return names[sureness];
}

/* ---- the list ------------------------------------------------------------------------------ */

/* Wrong data come before any time. */
static double value_of(const struct gp_advice *advice)
{
    return isnan(advice->gain) ? INFINITY : advice->gain;
}

/* Kinds of remedy; what is for one cause alone comes after these. */
enum { KIND_FIX, KIND_CHOICE, KIND_STREAMS, KIND_CONNECTIONS, KIND_CAUSE };

static int kind_of(const struct gp_advice *advice)
{
    const struct gp_experiment *experiment;

    if (advice->cause == GP_CAUSE_COUNT) {
        return isnan(advice->gain) ? KIND_FIX : KIND_CHOICE;
    }
    experiment = &gp_cause_table[advice->cause].experiment;
    return experiment->streams_times > 1 ? KIND_STREAMS
           : experiment->connections > 0 ? KIND_CONNECTIONS
                                         : KIND_CAUSE + (int)advice->cause;
}

static void take_out(struct gp_advices *list, uint32_t place)
{
    list->count--;
    memmove(&list->all[place], &list->all[place + 1], (list->count - place) * sizeof list->all[0]);
}

static void insert(struct gp_advices *list, const struct gp_advice *advice)
{
    uint32_t place = list->count;

    while (place > 0 && value_of(&list->all[place - 1]) < value_of(advice)) {
        place--;
    }
    if (place == GP_ADVICE_MAX) {
        return;
    }
    list->count += list->count < GP_ADVICE_MAX ? 1 : 0;
    memmove(&list->all[place + 1], &list->all[place],
            (list->count - place - 1) * sizeof list->all[0]);
    list->all[place] = *advice;
}

static void add(struct gp_advices *list, struct gp_advice *advice)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct gp_advice *same = &list->all[i];
        uint32_t others = same->others + (same->cell != advice->cell ? 1 : 0);

        if (kind_of(same) != kind_of(advice)) {
            continue;
        }
        if (value_of(same) >= value_of(advice)) {
            same->others = others;
            return;
        }
        advice->others = others;
        take_out(list, i);
        break;
    }
    insert(list, advice);
}

enum { NAME_BYTES_MAX = 112 };

/* "round-robin with 4 streams". */
static const char *name_cell(const struct gp_cell_row *cell, char out[NAME_BYTES_MAX])
{
    (void)snprintf(out, NAME_BYTES_MAX, "%.48s%s with %d stream%s", cell->policy,
                   cell->submit == GP_SUBMIT_GRAPH ? " as a graph" : "", (int)cell->streams,
                   cell->streams == 1 ? "" : "s");
    return out;
}

enum { WORK_BYTES_MAX = 48 + GP_VARIANT_BYTES_MAX + 8 };

/* "small", or "small (us=2)" where others of the recording have other parameters. */
static const char *name_work(const struct gp_result *result, char out[WORK_BYTES_MAX])
{
    bool has_variant = result->variant[0] != '\0';

    (void)snprintf(out, WORK_BYTES_MAX, "%.48s%s%s%s", result->cell->scenario,
                   has_variant ? " (" : "", result->variant, has_variant ? ")" : "");
    return out;
}

/* ---- what was measured --------------------------------------------------------------------- */

static void advise_fix_of(const struct gp_result *cell, struct gp_advices *out)
{
    struct gp_advice advice = {.gain = NAN,
                               .gain_lo = NAN,
                               .gain_hi = NAN,
                               .cause = GP_CAUSE_COUNT,
                               .sureness = GP_SURENESS_MEASURED,
                               .cell = cell->cell};
    char name[NAME_BYTES_MAX], work[WORK_BYTES_MAX];

    (void)snprintf(advice.text, sizeof advice.text,
                   "Add the dependencies that are missing before comparing times: %.0f pair%s "
                   "of operations of %s, %s, may run in the wrong order.",
                   cell->metrics.hazards, cell->metrics.hazards == 1 ? "" : "s",
                   name_work(cell, work), name_cell(cell->cell, name));
    add(out, &advice);
}

/* Of all cells: another than the recommended one is where they show. Whether any are missing; then
 * no time is worth a sentence. */
static bool advise_fix(const struct gp_result *cells, uint32_t count, struct gp_advices *out)
{
    bool is_missing = false;

    for (uint32_t i = 0; i < count; i++) {
        if (cells[i].metrics.hazards > 0) {
            is_missing = true;
            advise_fix_of(&cells[i], out);
        }
    }
    return is_missing;
}

static const struct gp_result *find_single(const struct gp_result *cells, uint32_t count,
                                           enum gp_submit submit)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(cells[i].cell->policy, "single") == 0 && cells[i].cell->submit == submit &&
            cells[i].cell->status == GP_STATUS_COMPLETE) {
            return &cells[i];
        }
    }
    return NULL;
}

/* That the recommended cell beats one stream, beyond doubt. */
static void advise_choice(const struct gp_result *cells, uint32_t count,
                          const struct gp_result *chosen, struct gp_advices *out)
{
    const struct gp_result *single = find_single(cells, count, GP_SUBMIT_STREAMS);
    const struct gp_figure *was, *is = &chosen->summary.makespan_ns;
    struct gp_advice advice = {
        .sureness = GP_SURENESS_MEASURED, .cause = GP_CAUSE_COUNT, .cell = chosen->cell};
    char name[NAME_BYTES_MAX], work[WORK_BYTES_MAX];

    if (single == NULL || single == chosen || !chosen->summary.is_recommended) {
        return;
    }
    was = &single->summary.makespan_ns;
    advice.gain = 1 - is->median / was->median;
    advice.gain_lo = 1 - is->hi / was->lo;
    advice.gain_hi = 1 - is->lo / was->hi;
    if (!(advice.gain_lo > 0) || advice.gain < gain_min) {
        return;
    }
    (void)snprintf(advice.text, sizeof advice.text,
                   "Run %s under %s instead of on one stream: %.1f %% less time (%.1f to %.1f "
                   "%%, measured).",
                   name_work(chosen, work), name_cell(chosen->cell, name), 100 * advice.gain,
                   100 * advice.gain_lo, 100 * advice.gain_hi);
    add(out, &advice);
}

/* ---- what is estimated --------------------------------------------------------------------- */

/* Whether a cell of the recording, this one or another, is what the experiment would run. */
static bool is_tried(const struct gp_result *cells, uint32_t count, const struct gp_result *about,
                     const struct gp_experiment *experiment)
{
    if ((experiment->submit != GP_SUBMIT_STREAMS && about->cell->submit == experiment->submit) ||
        (experiment->connections > 0 && about->device->connections >= experiment->connections)) {
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_cell_row *cell = cells[i].cell;
        bool as_policy =
            experiment->policy != NULL && strcmp(cell->policy, experiment->policy) == 0;
        bool as_submit = experiment->submit != GP_SUBMIT_STREAMS &&
                         cell->submit == experiment->submit &&
                         about->cell->submit != experiment->submit;
        bool as_streams = experiment->streams_times > 1 &&
                          cell->streams >= about->cell->streams * experiment->streams_times;

        if (cell->status == GP_STATUS_COMPLETE && (as_policy || as_submit || as_streams)) {
            return true;
        }
    }
    return false;
}

/* The part of the makespan below which no schedule gets it; the host's own part goes with what
 * keeps the host. */
static double least_part(const struct gp_result *about, enum gp_cause cause)
{
    const struct gp_cell_summary *summary = &about->summary;
    bool is_hosts =
        summary->limit != NULL && strcmp(summary->limit, gp_limit_name(GP_LIMIT_HOST)) == 0;

    if (isnan(summary->efficiency) ||
        (is_hosts && (cause == GP_CAUSE_NOT_SUBMITTED || cause == GP_CAUSE_LAUNCH_QUEUE ||
                      cause == GP_CAUSE_PAGEABLE || cause == GP_CAUSE_IMPLICIT_SYNC))) {
        return 0;
    }
    return summary->efficiency;
}

/* What cannot be told from noise. */
static double noise_of(const struct gp_result *about)
{
    const struct gp_figure *makespan = &about->summary.makespan_ns;
    double spread = (makespan->hi - makespan->lo) / makespan->median;
    double perturbation = fabs(about->summary.perturbation.median - 1);

    spread = isnan(spread) ? 0 : spread;
    perturbation = isnan(perturbation) ? 0 : perturbation;
    return fmax(gain_min, fmax(spread, perturbation));
}

static void advise_against(const struct gp_result *about, const struct gp_what_if *what_if,
                           enum gp_cause cause, struct gp_advices *out)
{
    const struct gp_cause_rule *rule = &gp_cause_table[cause];
    int64_t recorded_ns = what_if->causes->run->run.makespan_ns;
    double was_ns = (double)what_if->as_it_was_ns;
    double makespan_ns = recorded_ns == GP_UNKNOWN ? was_ns : (double)recorded_ns;
    struct gp_advice advice = {.gain_lo = NAN,
                               .gain_hi = NAN,
                               .sureness =
                                   rule->is_derived ? GP_SURENESS_GUESSED : GP_SURENESS_ESTIMATED,
                               .cause = cause,
                               .experiment = rule->experiment,
                               .cell = about->cell};
    char name[NAME_BYTES_MAX], cell[NAME_BYTES_MAX], work[WORK_BYTES_MAX];

    advice.gain = (was_ns - (double)what_if->without_ns[cause]) / makespan_ns;
    advice.gain = fmin(advice.gain, 1 - least_part(about, cause));
    if (!(advice.gain >= noise_of(about))) {
        return;
    }
    /* Another program has no policy and none of our options. */
    if (about->device->kind == GP_ORIGIN_IMPORTED) {
        advice.experiment = (struct gp_experiment){0};
        (void)snprintf(name, sizeof name, "as it is");
    } else {
        (void)snprintf(name, sizeof name, "under %.*s", NAME_BYTES_MAX - 8,
                       name_cell(about->cell, cell));
    }
    (void)snprintf(advice.text, sizeof advice.text,
                   "For %s %s, try %s: up to %.0f %% less time, because %s (%s).",
                   name_work(about, work), name, rule->remedy, 100 * advice.gain, rule->summary,
                   gp_sureness_name(advice.sureness));
    add(out, &advice);
}

void gp_advise(const struct gp_result *cells, uint32_t count, uint32_t about,
               const struct gp_what_if *what_if, struct gp_advices *out)
{
    assert(about < count && out != NULL && out->count <= GP_ADVICE_MAX);
    if (advise_fix(cells, count, out)) {
        return;
    }
    advise_choice(cells, count, &cells[about], out);
    if (what_if == NULL || gp_run_is_vague(what_if->causes->run)) {
        return;
    }
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        const struct gp_cause_rule *rule = &gp_cause_table[cause];

        if (!rule->is_limit && what_if->causes->totals[cause].ops > 0 &&
            !is_tried(cells, count, &cells[about], &rule->experiment)) {
            advise_against(&cells[about], what_if, (enum gp_cause)cause, out);
        }
    }
}

uint32_t gp_advice_about(const struct gp_result *cells, uint32_t count)
{
    uint32_t first = count;

    for (uint32_t i = count; i > 0; i--) {
        if (cells[i - 1].summary.is_recommended) {
            return i - 1;
        }
        first = cells[i - 1].cell->status == GP_STATUS_COMPLETE ? i - 1 : first;
    }
    return first;
}

/* ---- a recording --------------------------------------------------------------------------- */

static int advise_loaded(struct gp_reader *reader, const struct gp_result *cells, uint32_t count,
                         struct gp_advices *out, struct gp_error *err)
{
    uint32_t about = gp_advice_about(cells, count);
    struct gp_run_data run;
    struct gp_causes causes;
    struct gp_what_if what_if;
    int code;

    if (about == count) {
        (void)advise_fix(cells, count, out);
        return 0;
    }
    if (cells[about].kept_run == 0) {
        gp_advise(cells, count, about, NULL, out);
        return 0;
    }
    code = gp_run_load(reader, cells[about].cell->id, cells[about].kept_run, &run, err);
    if (code == 0) {
        if (gp_causes_measure(&run, &causes)) {
            gp_what_if_measure(&causes, &what_if);
            gp_advise(cells, count, about, &what_if, out);
        } else {
            code = gp_fail(err, GP_EINTERRUPTED, "looking for advice was given up");
        }
        gp_causes_finish(&causes);
        gp_run_finish(&run);
    }
    return code;
}

/* " So too, by less, for 3 others." */
static void say_others(struct gp_advices *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct gp_advice *advice = &list->all[i];
        size_t used = strlen(advice->text);

        if (advice->others > 0) {
            (void)snprintf(advice->text + used, sizeof advice->text - used, " So too%s for %u %s.",
                           isnan(advice->gain) ? "" : ", by less,", (unsigned)advice->others,
                           advice->others == 1 ? "other" : "others");
        }
    }
}

int gp_advice_load(struct gp_reader *reader, const struct gp_results *results,
                   struct gp_advices *out, struct gp_error *err)
{
    int code = 0;

    assert(reader != NULL && results != NULL && out != NULL);
    out->count = 0;
    for (uint32_t first = 0, next; first < results->count && code == 0; first = next) {
        next = gp_results_group(results, first);
        code = advise_loaded(reader, &results->cells[first], next - first, out, err);
    }
    say_others(out);
    return code;
}
