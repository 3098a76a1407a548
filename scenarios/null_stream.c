/*
 * null-stream: independent kernels of one block, of which every few belong on the legacy default
 * stream, as those of a library do that knows no streams. The policies `blocking` and
 * `non-blocking` put these there, and the others on streams of either kind.
 *
 * Tests W12 and P14 (non-blocking streams avoid serialisation by the default stream) and P16 (the
 * default stream serialises with most other streams: with blocking ones only).
 */
#include "core/memory.h"
#include "scenarios/chains.h"
#include "scenarios/scenarios.h"
#include "scenarios/words.h"

enum { KERNELS, EVERY, SPIN_US };

enum { THREADS = 32 };

static const struct gp_parameter parameters[] = {
    {.name = "kernels", .summary = "number of kernels", .initial = 96, .min = 1, .max = 4096},
    {.name = "every",
     .summary = "of how many kernels one belongs on the default stream",
     .initial = 8,
     .min = 1,
     .max = 4096},
    {.name = "spin_us",
     .summary = "what each kernel takes, in microseconds",
     .initial = 200,
     .min = 1,
     .max = 100000},
    {.name = NULL},
};

static const char *const policies[] = {"non-blocking", "blocking", NULL};
static const uint32_t streams[] = {1, 2, 5, 9, 0};

static const struct gp_claim claims[] = {
    {"non-blocking-ignores-null-stream",
     "Non-blocking streams avoid being serialised by work on the default stream."},
    {"null-stream-serialises", "Work on the default stream serialises with that of other streams."},
    {NULL, NULL},
};

struct beside {
    struct gp_words words; /* first; one a kernel */
    uint32_t every, ns;
};

static struct gp_op *build_kernel(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct beside *beside = state;
    const struct gp_attributes attributes = {.on_null_stream =
                                                 i % beside->every == beside->every - 1};
    const struct gp_spin one = {
        .word = i, .value = i + 1, .ns = beside->ns, .blocks = 1, .threads = THREADS};

    return gp_op_set_attributes(builder, gp_words_spin(&beside->words, builder, &one), &attributes);
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct beside *beside = gp_alloc(1, sizeof *beside);
    uint32_t kernels = (uint32_t)workload->values[KERNELS];
    int code;

    if (beside == NULL) {
        return gp_fail(err, GP_ENOMEM, "null-stream: out of host memory");
    }
    workload->state = beside;
    beside->every = (uint32_t)workload->values[EVERY];
    beside->ns = (uint32_t)workload->values[SPIN_US] * 1000;
    code = gp_words_init(&beside->words, workload, kernels, err);
    return code == 0 ? gp_chains_build(workload, kernels, build_kernel, err) : code;
}

const struct gp_scenario_ops gp_scenario_null_stream = {
    .name = "null-stream",
    .summary = "independent kernels, every eighth on the legacy default stream",
    .expect =
        "Blocking streams wait for the default stream and it for them, so a kernel there runs "
        "alone and the others only between two of them; beside non-blocking streams it is one "
        "stream among others.",
    .parameters = parameters,
    .claims = claims,
    .policies = policies,
    .streams = streams,
    .setup = setup,
    .reset = gp_words_reset,
    .verify = gp_words_verify,
    .teardown = gp_words_teardown,
};
