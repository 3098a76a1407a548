/*
 * inflight: many short chains that the host drives one by one, in the three ways that programs do:
 * awaited (a future each, polled by one thread), each synchronised before the next, or by threads
 * that each do so; and, to compare, all submitted at once.
 *
 * Tests W16 and P7 (await scales better than sync, and must lose with one chain), W18 (dozens in
 * flight cost no threads) and P8 (no host thread is occupied meanwhile).
 */
#include "core/memory.h"
#include "scenarios/chains.h"
#include "scenarios/scenarios.h"
#include "scenarios/words.h"
#include "scenarios/workload.h"

enum { CHAINS, LINKS, SPIN_US, DRIVE, WORKERS };

enum { THREADS = 32 };

static const struct gp_parameter parameters[] = {
    {.name = "chains", .summary = "chains in flight", .initial = 128, .min = 1, .max = 1024},
    {.name = "links", .summary = "kernels of a chain", .initial = 4, .min = 1, .max = 64},
    {.name = "spin_us",
     .summary = "what each kernel takes, in microseconds",
     .initial = 10,
     .min = 1,
     .max = 100000},
    {.name = "drive",
     .summary = "how the host drives the chains",
     .kind = GP_PARAMETER_WORD,
     .initial = GP_DRIVE_AWAIT,
     .words = gp_drive_words},
    {.name = "workers",
     .summary = "host threads of drive=threads",
     .initial = 8,
     .min = 1,
     .max = GP_DRIVE_WORKERS_MAX},
    {.name = NULL},
};

#define EACH_DRIVE(count)                                                                          \
    {{{"chains", count}, {"drive", GP_DRIVE_SUBMIT}}},                                             \
        {{{"chains", count}, {"drive", GP_DRIVE_AWAIT}}},                                          \
        {{{"chains", count}, {"drive", GP_DRIVE_SYNC}}},                                           \
        {{{"chains", count}, {"drive", GP_DRIVE_THREADS}}},

static const struct gp_variant variants[] = {
    EACH_DRIVE(1) EACH_DRIVE(4) EACH_DRIVE(16) EACH_DRIVE(64) EACH_DRIVE(256)
        EACH_DRIVE(1024){{{NULL, 0}}},
};

static const char *const policies[] = {"round-robin", NULL};
static const uint32_t streams[] = {8, 0};

static const struct gp_claim claims[] = {
    {"await-scales-better-than-sync",
     "Awaiting many chains scales better than synchronising each."},
    {"await-costs-one-chain-more", "With a single chain, await costs more than sync."},
    {"dozens-in-flight-cost-no-threads",
     "Dozens in flight need no thread each: one that awaits them does as well as eight that wait."},
    {NULL, NULL},
};

struct inflight {
    struct gp_words words; /* first; one a chain */
    uint32_t links, ns;
};

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct inflight *inflight = state;
    struct gp_op *chain = NULL;

    for (uint32_t link = 0; link < inflight->links; link++) {
        const struct gp_spin one = {
            .word = i, .value = link + 1, .ns = inflight->ns, .blocks = 1, .threads = THREADS};
        struct gp_op *op = gp_words_spin(&inflight->words, builder, &one);

        chain = chain == NULL ? op : gp_op_and_then(builder, chain, op);
    }
    return chain;
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct inflight *inflight = gp_alloc(1, sizeof *inflight);
    uint32_t chains = (uint32_t)workload->values[CHAINS];
    int code;

    if (inflight == NULL) {
        return gp_fail(err, GP_ENOMEM, "inflight: out of host memory");
    }
    workload->state = inflight;
    workload->drive = (enum gp_drive)workload->values[DRIVE];
    workload->worker_count = (uint32_t)workload->values[WORKERS];
    inflight->links = (uint32_t)workload->values[LINKS];
    inflight->ns = (uint32_t)workload->values[SPIN_US] * 1000;
    code = gp_words_init(&inflight->words, workload, chains, err);
    return code == 0 ? gp_chains_build(workload, chains, build_chain, err) : code;
}

const struct gp_scenario_ops gp_scenario_inflight = {
    .name = "inflight",
    .summary = "many short chains: awaited, synchronised one by one, or by threads",
    .expect = "Synchronising each chain adds its whole time and a round trip; threads divide that "
              "by their number; awaiting keeps all in flight with one thread, costs more than sync "
              "for a single chain, and is limited by what that thread can submit and look at.",
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
