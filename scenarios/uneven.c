/* uneven: a random graph of kernels of random length and size. Each works on a random stretch of
 * the data, after whoever worked there before. */
#include "core/memory.h"
#include "core/random.h"
#include "scenarios/field.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"

enum { KERNELS, US, SPAN };

enum { CELLS = 64, CELL_BLOCKS = 4, BLOCK = 256, CELL_FLOATS = CELL_BLOCKS * BLOCK };

static const struct gp_parameter parameters[] = {
    {.name = "kernels", .summary = "number of kernels", .initial = 512, .min = 1, .max = 2048},
    {.name = "us",
     .summary = "longest kernel in us on an H200; the shortest takes 2",
     .initial = 60,
     .min = 2,
     .max = 60},
    {.name = "span",
     .summary = "most stretches of 1024 elements that a kernel works on, of 64",
     .initial = 8,
     .min = 1,
     .max = 16},
    {.name = NULL},
};

static const struct gp_claim claims[] = {
    {"look-ahead-helps", "A policy that sees the whole graph beats one that takes turns."},
    {"least-loaded-beats-turns",
     "Giving work to the stream with the least to do beats taking turns."},
    {NULL, NULL},
};

static const char *const policies[] = {"single", "round-robin", "least-loaded", "heft", NULL};
static const uint32_t streams[] = {1, 2, 4, 8, 16, 0};

struct uneven {
    struct gp_field field; /* first */
};

/* Whoever wrote each stretch last, while the graph is built. */
struct graph {
    struct gp_builder *builder;
    struct gp_random random;
    struct gp_op *writers[CELLS]; /* NULL: nobody */
};

/* All that wrote [first, end), each once; NULL when there is none. */
static struct gp_op *join_writers(struct graph *graph, uint32_t first, uint32_t end)
{
    struct gp_op *before[CELLS];
    uint32_t count = 0;

    for (uint32_t cell = first; cell < end; cell++) {
        struct gp_op *writer = graph->writers[cell];
        bool is_known = writer == NULL;

        for (uint32_t i = 0; i < count && !is_known; i++) {
            is_known = before[i] == writer;
        }
        if (!is_known) {
            before[count++] = writer;
        }
    }
    return count == 0 ? NULL : gp_op_zip(graph->builder, before, count);
}

/* Shared, because several may follow it. */
static struct gp_op *build_kernel(const struct gp_workload *workload, struct graph *graph)
{
    const struct uneven *uneven = workload->state;
    uint64_t cells = 1 + gp_random_below(&graph->random, (uint64_t)workload->values[SPAN]);
    uint32_t first = (uint32_t)gp_random_below(&graph->random, CELLS - cells + 1);
    int64_t us = 2 + (int64_t)gp_random_below(&graph->random, (uint64_t)workload->values[US] - 1);
    uint32_t end = first + (uint32_t)cells;
    struct gp_op *before = join_writers(graph, first, end);
    struct gp_op *kernel =
        gp_field_add(&uneven->field, graph->builder, NULL,
                     &(struct gp_field_work){.at = first * CELL_FLOATS,
                                             .count = (uint32_t)cells * CELL_FLOATS,
                                             .blocks = (uint32_t)cells * CELL_BLOCKS,
                                             .threads = BLOCK,
                                             .iterations = gp_field_iterations(us)});

    if (before != NULL) {
        kernel = gp_op_and_then(graph->builder, before, kernel);
    }
    kernel = gp_op_share(graph->builder, kernel);
    for (uint32_t cell = first; cell < end; cell++) {
        graph->writers[cell] = kernel;
    }
    return kernel;
}

static int build(struct gp_workload *workload, struct gp_error *err)
{
    uint32_t count = (uint32_t)workload->values[KERNELS];
    struct graph graph = {.random = {workload->seed}};
    struct gp_op **kernels = gp_alloc(count, sizeof(struct gp_op *));
    int code;

    if (kernels == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    code = gp_builder_create(&graph.builder, err);
    for (uint32_t i = 0; i < count && code == 0; i++) {
        kernels[i] = build_kernel(workload, &graph);
    }
    if (code == 0) {
        code = gp_dag_freeze(graph.builder, gp_op_zip(graph.builder, kernels, count),
                             &workload->dag, err);
    }
    gp_builder_destroy(graph.builder);
    gp_free((void *)kernels);
    return code;
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct uneven *uneven = gp_setup_state(workload, sizeof *uneven, err);
    int code;

    if (uneven == NULL) {
        return err->code;
    }
    code = gp_field_init(&uneven->field, workload, (uint64_t)CELLS * CELL_FLOATS, err);
    return code == 0 ? build(workload, err) : code;
}

const struct gp_scenario_ops gp_scenario_uneven = {
    .name = "uneven",
    .summary = "a random graph of kernels of random length, by the seed",
    .expect =
        "About ten kernels can run at a time and the longest path is a fraction of the sum, so "
        "streams help up to about ten; how much policies that look at lengths and paths gain "
        "over round-robin differs from pool to pool.",
    .parameters = parameters,
    .policies = policies,
    .streams = streams,
    .claims = claims,
    .setup = setup,
    .reset = gp_field_reset,
    .verify = gp_field_verify,
    .teardown = gp_field_teardown,
};
