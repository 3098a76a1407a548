/* events: of three kernels the third needs the first only. With an event after the first it may run
 * beside the second; with a join it waits for both. */
#include "scenarios/chains.h"
#include "scenarios/field.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"

enum { GROUPS, US, BLOCKS, ORDER };

enum { BLOCK = 256 };
enum { EVENT, JOIN };

static const char *const orders[] = {"event", "join", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "groups", .summary = "number of groups", .initial = 16, .min = 1, .max = 1024},
    {.name = "us",
     .summary = "length of a kernel in us on an H200",
     .initial = 100,
     .min = 5,
     .max = 1000},
    {.name = "blocks",
     .summary = "blocks of 256 threads of the second and the third kernel",
     .initial = 16,
     .min = 1,
     .max = 256},
    {.name = "order",
     .summary = "whether the third waits for the first, or for both",
     .kind = GP_PARAMETER_WORD,
     .words = orders},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"order", EVENT}}},
    {{{"order", JOIN}}},
    {{{NULL, 0}}},
};

static const struct gp_claim claims[] = {
    {"event-beats-join", "An event lets work go on that a join would hold back."},
    {NULL, NULL},
};

struct events {
    struct gp_field field; /* first */
    uint32_t blocks, iterations;
    bool joins;
};

static uint64_t data_bytes(const int64_t *values)
{
    return (uint64_t)values[BLOCKS] * 2 * BLOCK * sizeof(float);
}

static int check(const struct gp_device_info *info, const int64_t *values, struct gp_error *err)
{
    (void)info;
    return gp_field_check("events", 2 * values[GROUPS], values[US], err);
}

/* One kernel on `halves` of the data from half `first` on. */
static struct gp_op *kernel(const struct events *events, struct gp_builder *builder,
                            const char *name, uint32_t first, uint32_t halves)
{
    uint32_t half = events->blocks * BLOCK;

    return gp_field_add(&events->field, builder, name,
                        &(struct gp_field_work){.at = first * half,
                                                .count = halves * half,
                                                .blocks = halves * events->blocks,
                                                .threads = BLOCK,
                                                .iterations = events->iterations});
}

static struct gp_op *build_group(const void *state, struct gp_builder *builder, uint32_t index)
{
    const struct events *events = state;
    struct gp_op *first = kernel(events, builder, "first", 0, 2);
    struct gp_op *others[2] = {kernel(events, builder, "second", 0, 1),
                               kernel(events, builder, "third", 1, 1)};

    (void)index;
    if (events->joins) {
        return gp_op_and_then(builder, gp_op_and_then(builder, first, others[0]), others[1]);
    }
    return gp_op_and_then(builder, first, gp_op_zip(builder, others, 2));
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct events *events = gp_setup_state(workload, sizeof *events, err);
    int code;

    if (events == NULL) {
        return err->code;
    }
    events->blocks = (uint32_t)workload->values[BLOCKS];
    events->iterations = gp_field_iterations(workload->values[US]);
    events->joins = workload->values[ORDER] == JOIN;
    code =
        gp_field_init(&events->field, workload, data_bytes(workload->values) / sizeof(float), err);
    return code == 0 ? gp_chains_build_in_sequence(workload, (uint32_t)workload->values[GROUPS],
                                                   build_group, err)
                     : code;
}

const struct gp_scenario_ops gp_scenario_events = {
    .name = "events",
    .summary = "order by an event against order by a join",
    .expect = "The third kernel of a group needs the first only: with an event it runs beside the "
              "second on two streams, so a group takes two kernels' time; with a join it takes "
              "three, whatever the pool.",
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
