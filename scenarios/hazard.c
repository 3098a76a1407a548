/*
 * hazard: a wait left out on purpose. Pairs of kernels, a producer and a consumer of the same word,
 * are built as operations of their own instead of one after the other, so nothing orders them but
 * the stream, when it is the same. The check of schedules finds it before anything is measured, and
 * wrong data shows it.
 *
 * Tests W21 and P13 (a single stream removes ordering bugs; the pool brings them out).
 */
#include "core/memory.h"
#include "scenarios/chains.h"
#include "scenarios/scenarios.h"
#include "scenarios/words.h"

enum { PAIRS, SPIN_US };

enum { THREADS = 32 };

static const struct gp_parameter parameters[] = {
    {.name = "pairs", .summary = "producers and consumers", .initial = 32, .min = 1, .max = 1024},
    {.name = "spin_us",
     .summary = "what each kernel takes, in microseconds",
     .initial = 100,
     .min = 1,
     .max = 100000},
    {.name = NULL},
};

static const uint32_t streams[] = {1, 2, 4, 0};

static const struct gp_claim claims[] = {
    {"single-stream-removes-order-bugs",
     "Running on a single stream makes bugs of missing order go away."},
    {NULL, NULL},
};

struct hazard {
    struct gp_words words; /* first; one a pair */
    uint32_t ns;
};

/* Operation 2 · i is the producer of word i, the next one its consumer. */
static struct gp_op *build_half(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct hazard *hazard = state;
    const struct gp_spin one = {
        .word = i / 2, .value = i % 2 + 1, .ns = hazard->ns, .blocks = 1, .threads = THREADS};

    return gp_words_spin(&hazard->words, builder, &one);
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct hazard *hazard = gp_alloc(1, sizeof *hazard);
    uint32_t pairs = (uint32_t)workload->values[PAIRS];
    int code;

    if (hazard == NULL) {
        return gp_fail(err, GP_ENOMEM, "hazard: out of host memory");
    }
    workload->state = hazard;
    hazard->ns = (uint32_t)workload->values[SPIN_US] * 1000;
    code = gp_words_init(&hazard->words, workload, pairs, err);
    return code == 0 ? gp_chains_build(workload, 2 * pairs, build_half, err) : code;
}

const struct gp_scenario_ops gp_scenario_hazard = {
    .name = "hazard",
    .summary = "producers and consumers with the wait between them left out: wrong on purpose",
    .expect = "On one stream the order is right by luck; on more the missing wait is found before "
              "anything is measured, the data are wrong, and gpuprobe exits with 3.",
    .parameters = parameters,
    .claims = claims,
    .streams = streams,
    .flags = GP_SCENARIO_FAULTY,
    .setup = setup,
    .reset = gp_words_reset,
    .verify = gp_words_verify,
    .teardown = gp_words_teardown,
};
