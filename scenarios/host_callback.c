/* host-callback: chains of kernels with a host function between every two, and without. */
#include "scenarios/chains.h"
#include "scenarios/field.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"
#include "scenarios/values.h"

enum { CHAINS, LINKS, US, HOST };

enum { BLOCKS = 16, BLOCK = 256 };
enum { OFF, ON };

static const char *const words[] = {"off", "on", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "chains", .summary = "number of chains", .initial = 16, .min = 1, .max = 256},
    {.name = "links", .summary = "kernels of a chain", .initial = 32, .min = 2, .max = 1024},
    {.name = "us",
     .summary = "length of a kernel in us on an H200",
     .initial = 20,
     .min = 1,
     .max = 1000},
    {.name = "host",
     .summary = "a host function between every two kernels",
     .kind = GP_PARAMETER_WORD,
     .initial = ON,
     .words = words},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"host", OFF}}},
    {{{"host", ON}}},
    {{{NULL, 0}}},
};

static const struct gp_claim claims[] = {
    {"host-function-stalls", "A host function in a stream stalls it for tens of microseconds."},
    {NULL, NULL},
};

static const uint32_t streams[] = {1, 4, 8, 16, 0};

struct host_callback {
    struct gp_field field;    /* first */
    struct gp_buffer *counts; /* pinned: [chains], how often each chain's function ran */
    uint32_t links, iterations;
    bool has_host;
};

static uint64_t data_bytes(const int64_t *values)
{
    return (uint64_t)values[CHAINS] * BLOCKS * BLOCK * sizeof(float);
}

static int check(const struct gp_device_info *info, const int64_t *values, struct gp_error *err)
{
    (void)info;
    return gp_field_check("host-callback", values[LINKS], values[US], err);
}

static void count_one(void *user)
{
    float *count = user;

    *count += 1.0f;
}

static struct gp_op *build_host(const struct host_callback *state, struct gp_builder *builder,
                                uint32_t i)
{
    const struct gp_access access = {state->counts, i * sizeof(float), sizeof(float),
                                     GP_ACCESS_READ_WRITE};
    float *counts = gp_buffer_host(state->counts);

    return gp_op_host(builder, "count", count_one, &counts[i], &access, 1);
}

static struct gp_op *build_chain(const void *user, struct gp_builder *builder, uint32_t i)
{
    const struct host_callback *state = user;
    const struct gp_field_work work = {
        .at = i * BLOCKS * BLOCK,
        .count = BLOCKS * BLOCK,
        .blocks = BLOCKS,
        .threads = BLOCK,
        .iterations = state->iterations,
    };
    struct gp_op *chain = gp_field_add(&state->field, builder, NULL, &work);

    for (uint32_t link = 1; link < state->links; link++) {
        if (state->has_host) {
            chain = gp_op_and_then(builder, chain, build_host(state, builder, i));
        }
        chain = gp_op_and_then(builder, chain, gp_field_add(&state->field, builder, NULL, &work));
    }
    return chain;
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct host_callback *state = gp_setup_state(workload, sizeof *state, err);
    uint32_t chains = (uint32_t)workload->values[CHAINS];
    int code;

    if (state == NULL) {
        return err->code;
    }
    state->links = (uint32_t)workload->values[LINKS];
    state->iterations = gp_field_iterations(workload->values[US]);
    state->has_host = workload->values[HOST] == ON;
    code =
        gp_field_init(&state->field, workload, data_bytes(workload->values) / sizeof(float), err);
    if (code == 0) {
        code = gp_buffer_create(workload->device, GP_SPACE_PINNED, chains * sizeof(float), 1,
                                "counts", &state->counts, err);
    }
    return code == 0 ? gp_chains_build(workload, chains, build_chain, err) : code;
}

static int reset(struct gp_workload *workload, struct gp_error *err)
{
    struct host_callback *state = workload->state;
    float *counts = gp_buffer_host(state->counts);

    for (int64_t i = 0; i < workload->values[CHAINS]; i++) {
        counts[i] = 0.0f;
    }
    return gp_field_reset(workload, err);
}

static int verify(struct gp_workload *workload, struct gp_error *err)
{
    struct host_callback *state = workload->state;
    const float *counts = gp_buffer_host(state->counts);
    float right = state->has_host ? (float)(state->links - 1) : 0.0f;

    for (int64_t i = 0; i < workload->values[CHAINS]; i++) {
        if (counts[i] != right) {
            return gp_values_fail(err, counts[i], right, "host-callback: counts[%d]", (int)i);
        }
    }
    return gp_field_verify(workload, err);
}

static void teardown(struct gp_workload *workload)
{
    struct host_callback *state = workload->state;

    if (state != NULL) {
        gp_buffer_destroy(state->counts);
    }
    gp_field_teardown(workload);
}

const struct gp_scenario_ops gp_scenario_host_callback = {
    .name = "host-callback",
    .summary = "chains of kernels with host functions between them",
    .expect =
        "A host function between two kernels costs its stream several times a kernel of 20 us, "
        "and all host functions run on one thread, so chains with them gain from streams only "
        "until that thread is busy.",
    .parameters = parameters,
    .variants = variants,
    .streams = streams,
    .claims = claims,
    .bytes = data_bytes,
    .check = check,
    .setup = setup,
    .reset = reset,
    .verify = verify,
    .teardown = teardown,
};
