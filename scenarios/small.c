/* small: many short kernels on a few blocks each, none after another. */
#include "scenarios/chains.h"
#include "scenarios/field.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"

enum { KERNELS, US, BLOCKS };

enum { BLOCK = 128 };

/* A launch costs the host about 3.5 µs and a stream about 1.5 µs between kernels, so pools beyond
 * (15 + 1.5) / 3.5 = 4.7 cannot help kernels of 15 µs, and none can help those of 2 µs. */
static const struct gp_parameter parameters[] = {
    {.name = "kernels", .summary = "number of kernels", .initial = 1000, .min = 1, .max = 16384},
    {.name = "us",
     .summary = "length of a kernel in us on an H200",
     .initial = 15,
     .min = 1,
     .max = 1000},
    {.name = "blocks",
     .summary = "blocks of 128 threads of a kernel",
     .initial = 4,
     .min = 1,
     .max = 256},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"us", 15}}},
    {{{"us", 2}}},
    {{{NULL, 0}}},
};

static const struct gp_claim claims[] = {
    {"small-needs-streams", "Many small kernels run faster on several streams."},
    {"tiny-is-launch-bound", "Kernels of 2 us gain nothing from streams: the host is the limit."},
    {"graphs-are-five-times-faster", "A graph runs tiny kernels five times as fast as streams do."},
    {"event-pairs-slow-streams", "Timing every operation by a pair of events slows the run down."},
    {"stamps-cost-nothing", "Kernels that stamp their own begin and end cost no time."},
    {NULL, NULL},
};

struct small {
    struct gp_field field; /* first */
    uint32_t iterations, blocks;
};

static uint64_t data_bytes(const int64_t *values)
{
    return (uint64_t)values[KERNELS] * (uint64_t)values[BLOCKS] * BLOCK * sizeof(float);
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct small *small = state;
    uint32_t count = small->blocks * BLOCK;

    return gp_field_add(&small->field, builder, NULL,
                        &(struct gp_field_work){.at = i * count,
                                                .count = count,
                                                .blocks = small->blocks,
                                                .threads = BLOCK,
                                                .iterations = small->iterations});
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct small *small = gp_setup_state(workload, sizeof *small, err);
    int code;

    if (small == NULL) {
        return err->code;
    }
    small->blocks = (uint32_t)workload->values[BLOCKS];
    small->iterations = gp_field_iterations(workload->values[US]);
    code =
        gp_field_init(&small->field, workload, data_bytes(workload->values) / sizeof(float), err);
    return code == 0
               ? gp_chains_build(workload, (uint32_t)workload->values[KERNELS], build_chain, err)
               : code;
}

const struct gp_scenario_ops gp_scenario_small = {
    .name = "small",
    .summary = "many short kernels on a few blocks each",
    .expect =
        "A kernel of 15 us leaves most of the GPU free, so streams help until the host cannot "
        "launch faster, at about 4 or 5; kernels of 2 us are over before the next is launched, "
        "so streams do nothing for them and only a graph (--submit graph) helps.",
    .parameters = parameters,
    .variants = variants,
    .claims = claims,
    .bytes = data_bytes,
    .setup = setup,
    .reset = gp_field_reset,
    .verify = gp_field_verify,
    .teardown = gp_field_teardown,
};
