/*
 * many-streams: far more chains than hardware connections, each of kernels that take one block and
 * a given time, so that nothing but the order in which work reaches the GPU keeps them apart. With
 * `waits` the middle kernel of each chain also waits for one that all share, in another stream.
 *
 * Tests W14 (too many streams) and P5 (what they cost, apart by connections: run it with
 * --connections 1,8,32). The default sizes of the pool leave out 1 and 2, which only take as many
 * times longer as the pool is smaller.
 */
#include "core/memory.h"
#include "scenarios/chains.h"
#include "scenarios/scenarios.h"
#include "scenarios/words.h"

enum { CHAINS, LINKS, SPIN_US, WAITS };

enum { THREADS = 32 };

static const char *const off_on[] = {"off", "on", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "chains", .summary = "number of chains", .initial = 144, .min = 1, .max = 1024},
    {.name = "links", .summary = "kernels of a chain", .initial = 4, .min = 1, .max = 64},
    {.name = "spin_us",
     .summary = "what each kernel takes, in microseconds",
     .initial = 1000,
     .min = 1,
     .max = 100000},
    {.name = "waits",
     .summary = "whether each chain waits for another stream in the middle",
     .kind = GP_PARAMETER_WORD,
     .words = off_on},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"waits", 0}}},
    {{{"waits", 1}}},
    {{{NULL, 0}}},
};

static const char *const policies[] = {"round-robin", "per-unit", NULL};
static const uint32_t streams[] = {4, 8, 16, 32, 64, 128, 0};

static const struct gp_claim claims[] = {
    {"more-streams-never-help-past-connections",
     "More streams than hardware connections bring nothing: work of different streams is "
     "serialised."},
    {"few-connections-serialise",
     "With fewer hardware connections than streams, work of different streams runs in turn."},
    {NULL, NULL},
};

struct many {
    struct gp_words words; /* first; one a chain, and that of the shared kernel */
    uint32_t chains, links, ns;
    bool waits;
    struct gp_op **shared; /* while building: what all wait for, NULL until it is made */
};

static struct gp_op *spin(const struct many *many, struct gp_builder *builder, uint32_t word,
                          uint32_t value)
{
    const struct gp_spin one = {
        .word = word, .value = value, .ns = many->ns, .blocks = 1, .threads = THREADS};

    return gp_words_spin(&many->words, builder, &one);
}

static struct gp_op *await_shared(const struct many *many, struct gp_builder *builder,
                                  struct gp_op *chain)
{
    struct gp_op *both[2] = {chain};

    if (*many->shared == NULL) {
        *many->shared = gp_op_share(builder, spin(many, builder, many->chains, 1));
    }
    both[1] = *many->shared;
    return gp_op_zip(builder, both, 2);
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct many *many = state;
    struct gp_op *chain = spin(many, builder, i, 1);

    for (uint32_t link = 1; link < many->links; link++) {
        if (many->waits && link == many->links / 2) {
            chain = await_shared(many, builder, chain);
        }
        chain = gp_op_and_then(builder, chain, spin(many, builder, i, link + 1));
    }
    return chain;
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct many *many = gp_alloc(1, sizeof *many);
    struct gp_op *shared = NULL;
    int code;

    if (many == NULL) {
        return gp_fail(err, GP_ENOMEM, "many-streams: out of host memory");
    }
    workload->state = many;
    many->chains = (uint32_t)workload->values[CHAINS];
    many->links = (uint32_t)workload->values[LINKS];
    many->ns = (uint32_t)workload->values[SPIN_US] * 1000;
    many->waits = workload->values[WAITS] != 0;
    many->shared = &shared;
    code = gp_words_init(&many->words, workload, many->chains + 1, err);
    if (code == 0) {
        code = gp_chains_build(workload, many->chains, build_chain, err);
    }
    many->shared = NULL;
    return code;
}

const struct gp_scenario_ops gp_scenario_many_streams = {
    .name = "many-streams",
    .summary = "many chains of kernels of one block, with and without waits between streams",
    .expect = "With chains issued one after another, what is behind a chain's first kernel in the "
              "same hardware connection waits with it, so that streams beyond the connections gain "
              "little; with 32 connections 32 streams and more run nearly side by side.",
    .parameters = parameters,
    .variants = variants,
    .claims = claims,
    .policies = policies,
    .streams = streams,
    .setup = setup,
    .reset = gp_words_reset,
    .verify = gp_words_verify,
    .teardown = gp_words_teardown,
};
