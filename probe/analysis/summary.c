/* The figures of a cell, and cells against each other: see summary.h. */
#include "probe/analysis/summary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "probe/analysis/overlap.h"
#include "probe/memory.h"

#define WITHIN_BEST 1.02 /* what "as good as the best" means for the recommendation */

static const char *const versus_names[] = {
#define X(name, word) word,
    GP_VERSUSES(X)
#undef X
};

const char *gp_versus_name(enum gp_versus versus)
{
    assert((unsigned)versus < GP_VERSUS_COUNT);
    return versus_names[versus];
}

static double divide(double part, int64_t whole_ns)
{
    return whole_ns > 0 ? part / (double)whole_ns : NAN;
}

/* ---- one cell ------------------------------------------------------------------------------ */

static struct gp_figure measure_makespan(const struct gp_cell_data *data)
{
    double *values = gp_xalloc(data->plain_count, sizeof *values);
    struct gp_figure figure;

    for (uint32_t i = 0; i < data->plain_count; i++) {
        values[i] = (double)data->plain_ns[i];
    }
    figure = gp_figure_median(values, data->plain_count);
    gp_free(values);
    return figure;
}

static struct gp_figure measure_perturbation(const struct gp_cell_data *data)
{
    double *ratios = gp_xalloc(data->pair_count, sizeof *ratios);
    struct gp_figure figure;
    uint32_t count = 0;

    for (uint32_t i = 0; i < data->pair_count; i++) {
        if (data->twin_ns[i] > 0) {
            ratios[count++] = (double)data->traced_ns[i] / (double)data->twin_ns[i];
        }
    }
    figure = gp_figure_median(ratios, count);
    gp_free(ratios);
    return figure;
}

static int compare_times(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The smallest value that is not exceeded by `percent` of them (nearest rank). */
static double percentile(const int64_t *sorted, uint32_t count, uint32_t percent)
{
    uint64_t rank = ((uint64_t)count * percent + 99) / 100;

    return count == 0 ? NAN : (double)sorted[rank - 1];
}

/* A chain's first submission, or arrival, and last end, while its operations are walked in order.
 */
struct chain {
    int64_t from_ns, end_ns;
    bool arrives;
};

static void extend(struct chain *chain, const struct gp_op_row *op)
{
    if (chain->from_ns == INT64_MAX) {
        chain->arrives = op->release > 0;
        chain->from_ns = chain->arrives ? op->release : op->submit_begin;
    }
    chain->end_ns = op->end;
}

static uint32_t measure_latencies(const struct gp_cell_data *data, int64_t *latencies_ns)
{
    struct chain *chains;
    uint32_t chain_count = 0;
    uint32_t count = 0;
    bool any_arrives = false;

    for (uint32_t i = 0; i < data->op_count; i++) {
        assert(data->ops[i].chain < data->op_count);
        chain_count = data->ops[i].chain >= chain_count ? data->ops[i].chain + 1 : chain_count;
    }
    chains = gp_xalloc(chain_count, sizeof *chains);
    for (uint32_t i = 0; i < chain_count; i++) {
        chains[i].from_ns = INT64_MAX;
        chains[i].end_ns = GP_UNKNOWN;
    }
    for (uint32_t i = 0; i < data->op_count; i++) {
        struct chain *chain = &chains[data->ops[i].chain];

        extend(chain, &data->ops[i]);
        any_arrives |= chain->arrives;
    }
    for (uint32_t i = 0; i < chain_count; i++) {
        if (chains[i].from_ns != INT64_MAX && chains[i].from_ns != GP_UNKNOWN &&
            chains[i].end_ns != GP_UNKNOWN && chains[i].arrives == any_arrives) {
            latencies_ns[count++] = chains[i].end_ns - chains[i].from_ns;
        }
    }
    gp_free(chains);
    return count;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void summarise_ops(const struct gp_cell_data *data, struct gp_cell_summary *out)
{
    int64_t *latencies_ns = gp_xalloc(data->op_count, sizeof *latencies_ns);
    uint32_t count = measure_latencies(data, latencies_ns);
    struct gp_overlap overlap;

    qsort(latencies_ns, count, sizeof *latencies_ns, compare_times);
    out->latency_p50_ns = percentile(latencies_ns, count, 50);
    out->latency_p99_ns = percentile(latencies_ns, count, 99);
    gp_free(latencies_ns);
    gp_overlap_measure(data->ops, data->op_count, &overlap);
    out->concurrency = divide(overlap.total_ns, overlap.running_ns);
    out->copy_compute_overlap =
        divide((double)overlap.both_ns, smaller(overlap.copy_ns, overlap.kernel_ns));
    out->h2d_d2h_overlap =
        divide((double)overlap.duplex_ns, smaller(overlap.h2d_ns, overlap.d2h_ns));
}

void gp_summary_cell(const struct gp_cell_data *data, struct gp_cell_summary *out)
{
    assert(data != NULL && out != NULL);
    for (uint32_t i = 0; i < data->plain_count; i++) {
        assert(data->plain_ns[i] >= 0);
    }
    *out = (struct gp_cell_summary){
        .makespan_ns = measure_makespan(data),
        .perturbation = measure_perturbation(data),
        .speedup = NAN,
        .concurrency = NAN,
        .copy_compute_overlap = NAN,
        .h2d_d2h_overlap = NAN,
        .latency_p50_ns = NAN,
        .latency_p99_ns = NAN,
        .bound_ns = NAN,
        .bound_but_host_ns = NAN,
        .device_bound_ns = NAN,
        .bound_lowered_ns = NAN,
        .efficiency = NAN,
        .limit_share = NAN,
        .repeats = data->plain_count,
    };
    if (data->ops != NULL) {
        summarise_ops(data, out);
    }
}

/* ---- cells against each other -------------------------------------------------------------- */

static double median_of(const struct gp_summary_entry *entry)
{
    return entry->summary->makespan_ns.median;
}

/* An interval that is not known reaches everywhere. */
static bool may_be_equal(const struct gp_figure *a, const struct gp_figure *b)
{
    return isnan(a->lo) || isnan(b->lo) || (a->lo <= b->hi && b->lo <= a->hi);
}

static const struct gp_summary_entry *find_best(const struct gp_summary_entry *entries,
                                                uint32_t count)
{
    const struct gp_summary_entry *best = NULL;

    for (uint32_t i = 0; i < count; i++) {
        if (!isnan(median_of(&entries[i])) &&
            (best == NULL || median_of(&entries[i]) < median_of(best))) {
            best = &entries[i];
        }
    }
    return best;
}

/* Whether it is as good as the best: it cannot be told from it, or loses too little to matter. */
static bool is_good(const struct gp_summary_entry *entry, double best_ns)
{
    return !isnan(median_of(entry)) && (median_of(entry) <= best_ns * WITHIN_BEST ||
                                        (entry->summary->is_tied && entry->makespans.count > 1));
}

/* The smallest pool that is as good as the best; of equal pools the faster. */
static const struct gp_summary_entry *find_recommended(const struct gp_summary_entry *entries,
                                                       uint32_t count, double best_ns)
{
    const struct gp_summary_entry *found = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_summary_entry *entry = &entries[i];

        if (!is_good(entry, best_ns)) {
            continue;
        }
        if (found == NULL || entry->streams < found->streams ||
            (entry->streams == found->streams && median_of(entry) < median_of(found))) {
            found = entry;
        }
    }
    return found;
}

static enum gp_versus compare(const struct gp_figure *figure, const struct gp_figure *with)
{
    if (isnan(figure->lo) || isnan(with->lo)) {
        return GP_VERSUS_UNKNOWN;
    }
    if (may_be_equal(figure, with)) {
        return GP_VERSUS_SAME;
    }
    return figure->hi < with->lo ? GP_VERSUS_FASTER : GP_VERSUS_SLOWER;
}

static void compare_with_round_robin(const struct gp_summary_entry *entries, uint32_t count,
                                     const struct gp_summary_entry *entry)
{
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].is_round_robin && entries[i].streams == entry->streams &&
            entries[i].submit == entry->submit) {
            entry->summary->versus_round_robin =
                compare(&entry->summary->makespan_ns, &entries[i].summary->makespan_ns);
            return;
        }
    }
}

static void find_tied(const struct gp_summary_entry *entries, uint32_t count)
{
    struct gp_sample *samples = gp_xalloc(count, sizeof *samples);
    bool *may_be_best = gp_xalloc(count, sizeof *may_be_best);

    for (uint32_t i = 0; i < count; i++) {
        samples[i] = entries[i].makespans;
    }
    gp_best_find(samples, count, may_be_best);
    for (uint32_t i = 0; i < count; i++) {
        entries[i].summary->is_tied = may_be_best[i] && !isnan(median_of(&entries[i]));
    }
    gp_free(may_be_best);
    gp_free(samples);
}

void gp_summary_compare(const struct gp_summary_entry *entries, uint32_t count)
{
    const struct gp_summary_entry *best = find_best(entries, count);
    double single_ns = NAN;

    if (best == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count && isnan(single_ns); i++) {
        single_ns = entries[i].is_single ? median_of(&entries[i]) : NAN;
    }
    find_tied(entries, count);
    for (uint32_t i = 0; i < count; i++) {
        struct gp_cell_summary *summary = entries[i].summary;

        summary->speedup = median_of(&entries[i]) > 0 ? single_ns / median_of(&entries[i]) : NAN;
        summary->is_best = &entries[i] == best;
        compare_with_round_robin(entries, count, &entries[i]);
    }
    find_recommended(entries, count, median_of(best))->summary->is_recommended = true;
}
