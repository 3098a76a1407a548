/*
 * priority: urgent kernels that arrive one by one, in open loop, beside a chain of bulk kernels
 * that is queued up front and fills the GPU all the time. Blocks of the bulk take unequal time, so
 * that they end one by one; what an urgent kernel waits for is the policy's and the streams'
 * matter. Its latency counts from its intended arrival.
 *
 * Tests W13 and P15 (priorities are honoured, at block boundaries, without preemption). The
 * policies equal-tiers and priority-tiers give the urgent kernels streams of their own, at the same
 * and at the highest priority; with one stream for all they stand in the bulk's queue.
 */
#include <string.h>

#include "core/memory.h"
#include "scenarios/arrivals.h"
#include "scenarios/chains.h"
#include "scenarios/measure.h"
#include "scenarios/scenarios.h"
#include "scenarios/words.h"

enum { URGENT_PRIORITY = -1 };

enum { BULK, BLOCKS, BULK_US, SPREAD_US, URGENT, URGENT_BLOCKS, URGENT_US, MEAN_US };

/* Blocks of 1 024 threads: two fill an SM. */
enum { BULK_THREADS = 1024, URGENT_THREADS = 256, WAVES = 10 };

static const struct gp_parameter parameters[] = {
    {.name = "bulk", .summary = "number of bulk kernels", .initial = 100, .min = 1, .max = 1000},
    {.name = "bulk_blocks",
     .summary = "blocks of a bulk kernel, of 1024 threads; auto: 10 waves",
     .initial = GP_AUTO,
     .min = 1,
     .max = 100000,
     .adapts = true},
    {.name = "bulk_us",
     .summary = "the least that a bulk block takes, in microseconds",
     .initial = 100,
     .min = 1,
     .max = 100000},
    {.name = "spread_us",
     .summary = "what bulk blocks take more, uniform from 0, in microseconds",
     .initial = 200,
     .min = 0,
     .max = 100000},
    {.name = "urgent",
     .summary = "number of urgent kernels",
     .initial = 500,
     .min = 1,
     .max = 10000},
    {.name = "urgent_blocks",
     .summary = "blocks of an urgent kernel, of 256 threads",
     .initial = 16,
     .min = 1,
     .max = 100000},
    {.name = "urgent_us",
     .summary = "what an urgent block takes, in microseconds",
     .initial = 20,
     .min = 1,
     .max = 100000},
    {.name = "mean_us",
     .summary = "mean time between arrivals (Poisson), in microseconds",
     .initial = 400,
     .min = 1,
     .max = 1000000},
    {.name = NULL},
};

static const char *const policies[] = {"round-robin", "equal-tiers", "priority-tiers", NULL};
/* Seven for the urgent kernels, which with that of the bulk have a connection each. */
static const uint32_t streams[] = {14, 0};

static const struct gp_claim claims[] = {
    {"priority-cuts-latency",
     "Streams of high priority cut the latency of urgent kernels beside bulk work."},
    {"priority-waits-for-one-block",
     "An urgent kernel of high priority waits no longer than for a block of the bulk to end."},
    {"priority-does-not-preempt",
     "Blocks that run already are not preempted by streams of higher priority."},
    {NULL, NULL},
};

struct mixture {
    struct gp_words words; /* first; that of the bulk, then one an urgent kernel */
    int64_t values[GP_PARAMETERS_MAX];
    int64_t *arrivals_ns; /* of the urgent ones */
};

static void adapt(const struct gp_device_info *info, int64_t *values)
{
    int64_t at_once = (int64_t)info->sm_count * (info->threads_per_sm / BULK_THREADS);

    if (values[BLOCKS] == GP_AUTO) {
        values[BLOCKS] = WAVES * (at_once > 0 ? at_once : 1);
    }
}

/* All of the bulk, one after another: in a stream, always queued. */
static struct gp_op *build_bulk(const struct mixture *mixture, struct gp_builder *builder)
{
    const int64_t *values = mixture->values;
    struct gp_op *chain = NULL;

    for (uint32_t i = 0; i < (uint32_t)values[BULK]; i++) {
        const struct gp_spin one = {.value = i + 1,
                                    .ns = (uint32_t)values[BULK_US] * 1000,
                                    .spread_ns = (uint32_t)values[SPREAD_US] * 1000,
                                    .blocks = (uint32_t)values[BLOCKS],
                                    .threads = BULK_THREADS};
        struct gp_op *op = gp_words_spin(&mixture->words, builder, &one);

        chain = chain == NULL ? op : gp_op_and_then(builder, chain, op);
    }
    return chain;
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct mixture *mixture = state;
    const struct gp_spin one = {.word = i,
                                .value = i,
                                .ns = (uint32_t)mixture->values[URGENT_US] * 1000,
                                .blocks = (uint32_t)mixture->values[URGENT_BLOCKS],
                                .threads = URGENT_THREADS};
    struct gp_attributes urgent = {.priority = URGENT_PRIORITY};

    if (i == 0) {
        return build_bulk(mixture, builder);
    }
    urgent.release_ns = mixture->arrivals_ns[i - 1];
    return gp_op_set_attributes(builder, gp_words_spin(&mixture->words, builder, &one), &urgent);
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct mixture *mixture = gp_alloc(1, sizeof *mixture);
    uint32_t urgent = (uint32_t)workload->values[URGENT];
    struct gp_random random = {workload->seed};
    int code;

    if (mixture == NULL) {
        return gp_fail(err, GP_ENOMEM, "priority: out of host memory");
    }
    workload->state = mixture;
    memcpy(mixture->values, workload->values, sizeof mixture->values);
    mixture->arrivals_ns = gp_alloc(urgent, sizeof mixture->arrivals_ns[0]);
    if (mixture->arrivals_ns == NULL) {
        return gp_fail(err, GP_ENOMEM, "priority: out of host memory");
    }
    gp_arrivals_draw(mixture->arrivals_ns, urgent, (double)workload->values[MEAN_US] * 1000,
                     &random);
    code = gp_words_init(&mixture->words, workload, 1 + urgent, err);
    return code == 0 ? gp_chains_build(workload, 1 + urgent, build_chain, err) : code;
}

static void teardown(struct gp_workload *workload)
{
    struct mixture *mixture = workload->state;

    if (mixture != NULL) {
        gp_free(mixture->arrivals_ns);
        gp_words_teardown(workload);
    }
}

/* The bulk's operations come first. */
static uint32_t measure(const struct gp_workload *workload, const struct gp_op_times *times,
                        struct gp_measure *out)
{
    const struct mixture *mixture = workload->state;
    int64_t bulk = mixture->values[BULK];
    int64_t ns = times[bulk - 1].end_ns - times[0].begin_ns;

    uint32_t count = gp_arrivals_measure(workload, times, "latency", URGENT_PRIORITY, out);

    out[count++] = gp_measure_rate("bulk_kernels_per_s", (double)bulk, ns);
    return count;
}

const struct gp_scenario_ops gp_scenario_priority = {
    .name = "priority",
    .summary = "urgent kernels that arrive one by one beside bulk work that fills the GPU",
    .expect =
        "On streams of the highest priority an urgent kernel enters as blocks of the bulk end, "
        "within about one block; at equal priority it waits until the bulk kernel before it "
        "has been dispatched whole, and behind the bulk in its stream for all of that.",
    .parameters = parameters,
    .claims = claims,
    .policies = policies,
    .streams = streams,
    .adapt = adapt,
    .setup = setup,
    .reset = gp_words_reset,
    .verify = gp_words_verify,
    .teardown = teardown,
    .measure = measure,
};
