/* fork-join: diamonds one after another: a kernel, four arms that each go on with a quarter of its
 * data, and a kernel that goes on with all of it. */
#include "scenarios/chains.h"
#include "scenarios/field.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"

enum { DIAMONDS, US, BLOCKS, SHAPE };

enum { ARMS = 4, BLOCK = 256 };
enum { EVEN, UNEVEN };

static const char *const shapes[] = {"even", "uneven", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "diamonds", .summary = "number of diamonds", .initial = 32, .min = 1, .max = 1024},
    {.name = "us",
     .summary = "mean length of an arm in us on an H200",
     .initial = 50,
     .min = 5,
     .max = 1000},
    {.name = "blocks",
     .summary = "blocks of 256 threads of an arm",
     .initial = 16,
     .min = 1,
     .max = 256},
    {.name = "shape",
     .summary = "arms of equal length, or as 2:4:6:8",
     .kind = GP_PARAMETER_WORD,
     .words = shapes},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"shape", EVEN}}},
    {{{"shape", UNEVEN}}},
    {{{NULL, 0}}},
};

static const struct gp_claim claims[] = {
    {"arms-overlap", "Arms of a fork run at the same time on streams of their own."},
    {"longest-arm-decides", "A join waits for the longest arm, so uneven arms gain less."},
    {NULL, NULL},
};

struct fork_join {
    struct gp_field field; /* first */
    uint32_t us, blocks;
    bool is_uneven;
};

static uint64_t data_bytes(const int64_t *values)
{
    return (uint64_t)values[BLOCKS] * ARMS * BLOCK * sizeof(float);
}

/* The longest arm is 8 / 5 of the mean; the ends are 2 / 5 each. */
static int check(const struct gp_device_info *info, const int64_t *values, struct gp_error *err)
{
    (void)info;
    return gp_field_check("fork-join", 3 * values[DIAMONDS], values[US], err);
}

static struct gp_op *end(const struct fork_join *state, struct gp_builder *builder,
                         const char *name)
{
    return gp_field_add(
        &state->field, builder, name,
        &(struct gp_field_work){.count = ARMS * state->blocks * BLOCK,
                                .blocks = ARMS * state->blocks,
                                .threads = BLOCK,
                                .iterations = gp_field_iterations(state->us * 2 / 5)});
}

static struct gp_op *build_diamond(const void *user, struct gp_builder *builder, uint32_t index)
{
    const struct fork_join *state = user;
    struct gp_op *arms[ARMS];
    struct gp_op *diamond = end(state, builder, "fork");

    (void)index;
    for (uint32_t i = 0; i < ARMS; i++) {
        uint32_t us = state->is_uneven ? state->us * 2 * (i + 1) / 5 : state->us;

        arms[i] = gp_field_add(&state->field, builder, "arm",
                               &(struct gp_field_work){.at = i * state->blocks * BLOCK,
                                                       .count = state->blocks * BLOCK,
                                                       .blocks = state->blocks,
                                                       .threads = BLOCK,
                                                       .iterations = gp_field_iterations(us)});
    }
    diamond = gp_op_and_then(builder, diamond, gp_op_zip(builder, arms, ARMS));
    return gp_op_and_then(builder, diamond, end(state, builder, "join"));
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct fork_join *state = gp_setup_state(workload, sizeof *state, err);
    int code;

    if (state == NULL) {
        return err->code;
    }
    state->us = (uint32_t)workload->values[US];
    state->blocks = (uint32_t)workload->values[BLOCKS];
    state->is_uneven = workload->values[SHAPE] == UNEVEN;
    code =
        gp_field_init(&state->field, workload, data_bytes(workload->values) / sizeof(float), err);
    return code == 0 ? gp_chains_build_in_sequence(workload, (uint32_t)workload->values[DIAMONDS],
                                                   build_diamond, err)
                     : code;
}

const struct gp_scenario_ops gp_scenario_fork_join = {
    .name = "fork-join",
    .summary = "diamonds: a kernel, four arms, a kernel",
    .expect = "The arms of a diamond overlap on four streams, so that even ones gain 240 : 90, and "
              "of uneven ones, of the same sum, the longest decides: 240 : 120. More streams than "
              "arms add nothing.",
    .parameters = parameters,
    .variants = variants,
    .claims = claims,
    .check = check,
    .bytes = data_bytes,
    .setup = setup,
    .reset = gp_field_reset,
    .verify = gp_field_verify,
    .teardown = gp_field_teardown,
};
