/*
 * alloc: chains of rounds that each take memory, compute in it and give it back, between the
 * kernels of other chains: memory of the whole run, memory in stream order, or memory by calls that
 * act at once, of which the one that frees waits for the device.
 *
 * Tests what the origin does (cuMemAllocAsync and cuMemFreeAsync in each batch of W1) against what
 * it is said to be better than, and P8 (a call that allocates must not keep the host's thread).
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/memory.h"
#include "kernels/kernels.h"
#include "scenarios/chains.h"
#include "scenarios/field.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"
#include "scenarios/values.h"

enum { CHAINS, ROUNDS, US, KIB, ALLOCATION };

/* What a round computes on, at the begin of its memory. */
enum { BLOCKS = 16, BLOCK = 256, FLOATS = BLOCKS * BLOCK };

enum { LASTING, ORDERED, IMMEDIATE };

static const char *const allocations[] = {"lasting", "ordered", "immediate", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "chains", .summary = "number of chains", .initial = 16, .min = 1, .max = 256},
    {.name = "rounds",
     .summary = "rounds of a chain, each with memory of its own",
     .initial = 4,
     .min = 1,
     .max = 256},
    {.name = "us",
     .summary = "length of a round's long kernel in us on an H200",
     .initial = 100,
     .min = 1,
     .max = 1000},
    {.name = "kib",
     .summary = "memory of a round in KiB",
     .initial = 1024,
     .min = FLOATS * sizeof(float) / 1024,
     .max = 65536},
    {.name = "allocation",
     .summary = "of the whole run; taken and given back in stream order; or by calls that act at "
                "once",
     .kind = GP_PARAMETER_WORD,
     .initial = ORDERED,
     .words = allocations},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"allocation", LASTING}}},
    {{{"allocation", ORDERED}}},
    {{{"allocation", IMMEDIATE}}},
    {{{NULL, 0}}},
};

static const uint32_t streams[] = {4, 8, 0};

static const struct gp_claim claims[] = {
    {"ordered-allocation-overlaps",
     "Allocating in stream order lets other streams go on, where cuMemAlloc and cuMemFree do not."},
    {"free-waits-for-the-device",
     "Freeing memory between kernels makes all streams one: cuMemFree waits for the device."},
    {"ordered-allocation-costs-nothing",
     "Memory in stream order costs no more than memory that is there from the start."},
    {NULL, NULL},
};

struct alloc {
    struct gp_field field;      /* first; what rounds add to */
    struct gp_buffer *addend;   /* on the device: [FLOATS], at least 1 each */
    struct gp_buffer **scratch; /* [chains] */
    float *added;               /* the addend's values */
    uint32_t chains, rounds, iterations;
    uint64_t scratch_bytes;
    int64_t allocation;
};

static uint64_t data_bytes(const int64_t *values)
{
    return (uint64_t)values[CHAINS] * ((uint64_t)values[KIB] * 1024 + FLOATS * sizeof(float));
}

static int check(const struct gp_device_info *info, const int64_t *values, struct gp_error *err)
{
    (void)info;
    return gp_field_check("alloc", values[ROUNDS], values[US], err);
}

/* ---- operations ---------------------------------------------------------------------------- */

static struct gp_op *launch(struct gp_builder *builder, const struct gp_kernel *kernel,
                            const void *const *args, const struct gp_access *accesses,
                            uint32_t access_count)
{
    const struct gp_launch launch = {
        .kernel = kernel,
        .grid = {BLOCKS, 1, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
        .access_count = access_count,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

/* scratch = addend, whatever the memory held before. */
static struct gp_op *load(const struct alloc *alloc, struct gp_builder *builder,
                          const struct gp_buffer *scratch)
{
    const struct gp_access accesses[] = {
        {alloc->addend, 0, FLOATS * sizeof(float), GP_ACCESS_READ},
        {scratch, 0, FLOATS * sizeof(float), GP_ACCESS_WRITE},
    };
    const uint32_t count = FLOATS;
    const void *const args[] = {&alloc->addend->address, &scratch->address, &count};

    return launch(builder, &gp_kernel_relu, args, accesses, 2);
}

/* scratch += iterations */
static struct gp_op *work(const struct alloc *alloc, struct gp_builder *builder,
                          const struct gp_buffer *scratch)
{
    static const float multiplier = 1.0f;
    const struct gp_access access = {scratch, 0, FLOATS * sizeof(float), GP_ACCESS_READ_WRITE};
    const uint32_t count = FLOATS;
    const void *const args[] = {&scratch->address, &count, &alloc->iterations, &multiplier};

    return launch(builder, &gp_kernel_fma_1, args, &access, 1);
}

/* The chain's part of the field += scratch; counted in what must come out. */
static struct gp_op *add(const struct alloc *alloc, struct gp_builder *builder,
                         const struct gp_buffer *scratch, uint32_t chain)
{
    const struct gp_buffer *data = alloc->field.data;
    const uint64_t bytes = FLOATS * sizeof(float);
    const struct gp_access accesses[] = {
        {data, chain * bytes, bytes, GP_ACCESS_READ_WRITE},
        {scratch, 0, bytes, GP_ACCESS_READ},
    };
    const gp_addr sum = data->address + chain * bytes;
    const uint32_t count = FLOATS;
    const void *const args[] = {&sum, &scratch->address, &sum, &count};
    float *right = alloc->field.right + (size_t)chain * FLOATS;

    for (uint32_t i = 0; i < FLOATS; i++) {
        right[i] += alloc->added[i] + (float)alloc->iterations;
    }
    return launch(builder, &gp_kernel_vector_add, args, accesses, 2);
}

static struct gp_op *build_round(const struct alloc *alloc, struct gp_builder *builder,
                                 uint32_t chain)
{
    struct gp_buffer *scratch = alloc->scratch[chain];
    struct gp_op *round = load(alloc, builder, scratch);

    if (alloc->allocation != LASTING) {
        round = gp_op_and_then(builder, gp_op_alloc(builder, NULL, scratch), round);
    }
    round = gp_op_and_then(builder, round, work(alloc, builder, scratch));
    round = gp_op_and_then(builder, round, add(alloc, builder, scratch, chain));
    return alloc->allocation == LASTING
               ? round
               : gp_op_and_then(builder, round, gp_op_free(builder, NULL, scratch));
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct alloc *alloc = state;
    struct gp_op *chain = build_round(alloc, builder, i);

    for (uint32_t round = 1; round < alloc->rounds; round++) {
        chain = gp_op_and_then(builder, chain, build_round(alloc, builder, i));
    }
    return chain;
}

/* ---- the scenario -------------------------------------------------------------------------- */

/* Recordings know buffers by their names. */
static int create_scratch(struct gp_workload *workload, uint32_t i, struct gp_error *err)
{
    struct alloc *alloc = workload->state;
    char name[24];

    (void)snprintf(name, sizeof name, "scratch %" PRIu32, i);
    if (alloc->allocation == LASTING) {
        return gp_buffer_create(workload->device, GP_SPACE_DEVICE, alloc->scratch_bytes, 2 + i,
                                name, &alloc->scratch[i], err);
    }
    return gp_buffer_create_transient(workload->device,
                                      alloc->allocation == ORDERED ? GP_LIFETIME_ORDERED
                                                                   : GP_LIFETIME_IMMEDIATE,
                                      alloc->scratch_bytes, 2 + i, name, &alloc->scratch[i], err);
}

static int allocate(struct gp_workload *workload, struct gp_error *err)
{
    struct alloc *alloc = workload->state;
    struct gp_random random = {workload->seed + 1};
    int code;

    alloc->scratch = gp_alloc(alloc->chains, sizeof(struct gp_buffer *));
    alloc->added = gp_alloc(FLOATS, sizeof(float));
    if (alloc->scratch == NULL || alloc->added == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    gp_values_draw(alloc->added, FLOATS, &random, 1, GP_FIELD_FIRST_MAX);
    code = gp_buffer_create(workload->device, GP_SPACE_DEVICE, FLOATS * sizeof(float), 1, "addend",
                            &alloc->addend, err);
    if (code == 0) {
        code = gp_buffer_write(alloc->addend, workload->stream, 0, alloc->added,
                               FLOATS * sizeof(float), err);
    }
    for (uint32_t i = 0; i < alloc->chains && code == 0; i++) {
        code = create_scratch(workload, i, err);
    }
    return code;
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct alloc *alloc = gp_setup_state(workload, sizeof *alloc, err);
    int code;

    if (alloc == NULL) {
        return err->code;
    }
    alloc->chains = (uint32_t)workload->values[CHAINS];
    alloc->rounds = (uint32_t)workload->values[ROUNDS];
    alloc->iterations = gp_field_iterations(workload->values[US]);
    alloc->scratch_bytes = (uint64_t)workload->values[KIB] * 1024;
    alloc->allocation = workload->values[ALLOCATION];
    code = gp_field_init(&alloc->field, workload, (uint64_t)alloc->chains * FLOATS, err);
    if (code == 0) {
        code = allocate(workload, err);
    }
    return code == 0 ? gp_chains_build(workload, alloc->chains, build_chain, err) : code;
}

static void teardown(struct gp_workload *workload)
{
    struct alloc *alloc = workload->state;

    if (alloc != NULL) {
        for (uint32_t i = 0; i < alloc->chains && alloc->scratch != NULL; i++) {
            gp_buffer_destroy(alloc->scratch[i]);
        }
        gp_buffer_destroy(alloc->addend);
        gp_free((void *)alloc->scratch);
        gp_free(alloc->added);
    }
    gp_field_teardown(workload);
}

const struct gp_scenario_ops gp_scenario_alloc = {
    .name = "alloc",
    .summary = "rounds of kernels in memory that they take and give back",
    .expect = "In stream order nobody waits, so chains overlap as if the memory were there from "
              "the start; cuMemFree waits for all that the device has, so with calls that act at "
              "once more streams gain nothing.",
    .parameters = parameters,
    .variants = variants,
    .streams = streams,
    .claims = claims,
    .bytes = data_bytes,
    .check = check,
    .setup = setup,
    .reset = gp_field_reset,
    .verify = gp_field_verify,
    .teardown = teardown,
};
