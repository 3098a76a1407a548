/* chain: long chains of short kernels, each after the one before, and few of them. */
#include "scenarios/chains.h"
#include "scenarios/field.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"

enum { WIDTH, LINKS, US, BLOCKS };

enum { BLOCK = 256 };

static const struct gp_parameter parameters[] = {
    {.name = "width", .summary = "number of chains", .initial = 1, .min = 1, .max = 256},
    {.name = "links", .summary = "kernels of a chain", .initial = 240, .min = 1, .max = 4096},
    {.name = "us",
     .summary = "length of a kernel in us on an H200",
     .initial = 10,
     .min = 1,
     .max = 1000},
    {.name = "blocks",
     .summary = "blocks of 256 threads of a kernel",
     .initial = 16,
     .min = 1,
     .max = 256},
    {.name = NULL},
};

/* A stream holds back the host when some 1 000 launches wait in it; so many links that `single` has
 * fewer. */
static const struct gp_variant variants[] = {
    {{{"width", 1}}},
    {{{"width", 4}}},
    {{{"width", 16}, {"links", 60}}},
    {{{NULL, 0}}},
};

static const char *const policies[] = {"single", "round-robin", "round-robin-op", NULL};
static const uint32_t streams[] = {1, 4, 16, 0};

static const struct gp_claim claims[] = {
    {"chain-needs-none", "A single chain of dependent kernels gains nothing from more streams."},
    {"width-is-the-limit", "Chains side by side gain from streams up to the number of chains."},
    {"chain-keeps-its-stream", "A chain is best kept on one stream."},
    {NULL, NULL},
};

struct chain {
    struct gp_field field; /* first */
    uint32_t links, iterations, blocks;
};

static uint64_t data_bytes(const int64_t *values)
{
    return (uint64_t)values[WIDTH] * (uint64_t)values[BLOCKS] * BLOCK * sizeof(float);
}

static int check(const struct gp_device_info *info, const int64_t *values, struct gp_error *err)
{
    (void)info;
    return gp_field_check("chain", values[LINKS], values[US], err);
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct chain *chain = state;
    const struct gp_field_work work = {
        .at = i * chain->blocks * BLOCK,
        .count = chain->blocks * BLOCK,
        .blocks = chain->blocks,
        .threads = BLOCK,
        .iterations = chain->iterations,
    };
    struct gp_op *all = gp_field_add(&chain->field, builder, NULL, &work);

    for (uint32_t link = 1; link < chain->links; link++) {
        all = gp_op_and_then(builder, all, gp_field_add(&chain->field, builder, NULL, &work));
    }
    return all;
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct chain *chain = gp_setup_state(workload, sizeof *chain, err);
    int code;

    if (chain == NULL) {
        return err->code;
    }
    chain->links = (uint32_t)workload->values[LINKS];
    chain->iterations = gp_field_iterations(workload->values[US]);
    chain->blocks = (uint32_t)workload->values[BLOCKS];
    code =
        gp_field_init(&chain->field, workload, data_bytes(workload->values) / sizeof(float), err);
    return code == 0
               ? gp_chains_build(workload, (uint32_t)workload->values[WIDTH], build_chain, err)
               : code;
}

const struct gp_scenario_ops gp_scenario_chain = {
    .name = "chain",
    .summary = "long chains of short kernels",
    .expect =
        "A chain takes as long as its links and the gaps between them, whatever the pool; "
        "chains side by side gain from streams until the host cannot launch faster, at 3 or 4 "
        "for kernels of 10 us. A policy that gives each operation another stream gains nothing "
        "from chains that are issued one by one.",
    .parameters = parameters,
    .variants = variants,
    .policies = policies,
    .streams = streams,
    .claims = claims,
    .check = check,
    .bytes = data_bytes,
    .setup = setup,
    .reset = gp_field_reset,
    .verify = gp_field_verify,
    .teardown = gp_field_teardown,
};
