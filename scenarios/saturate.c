/* saturate: kernels that each fill the GPU: its SMs, in whole waves of blocks or in two and a half;
 * or, with a wave of blocks that only read, its memory. */
#include "scenarios/chains.h"
#include "scenarios/field.h"
#include "scenarios/reading.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"

enum { KERNELS, WAVES, US, WAVE_BLOCKS, BOUND, MIB };

enum { BLOCK = 256 };

/* A wave of 8 blocks of 256 threads on each SM: their warps issue in turn, and 20 000
 * multiply-adds, which take a lone block 46 us, take each of them 205 (measured on an H200). */
static const double wave_slowdown = 4.48;

enum { COMPUTE, MEMORY };
static const char *const bounds[] = {"compute", "memory", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "kernels", .summary = "number of kernels", .initial = 16, .min = 1, .max = 256},
    {.name = "waves",
     .summary = "waves of blocks of a kernel",
     .kind = GP_PARAMETER_TENTHS,
     .initial = 40,
     .min = 1,
     .max = 200},
    {.name = "us",
     .summary = "length of a wave in us on an H200",
     .initial = 100,
     .min = 3,
     .max = 5000},
    {.name = "wave_blocks",
     .summary = "blocks of 256 threads that fill the GPU",
     .initial = GP_AUTO,
     .min = 1,
     .max = 8192,
     .adapts = true},
    {.name = "bound",
     .summary = "what limits a kernel; bound by memory it is one wave, whatever waves and us say",
     .kind = GP_PARAMETER_WORD,
     .words = bounds},
    {.name = "mib",
     .summary = "what a kernel bound by memory reads, in MiB",
     .initial = 512,
     .min = 16,
     .max = 2048},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"waves", 40}}},
    {{{"waves", 25}}},
    {{{"bound", MEMORY}, {"kernels", 20}}},
    {{{NULL, 0}}},
};

static const struct gp_claim claims[] = {
    {"full-gpu-gains-nothing", "Kernels that fill the GPU gain nothing from more streams."},
    {"tails-are-filled", "Of a half-full last wave, another stream's kernel takes the free half."},
    {"full-memory-gains-nothing",
     "Kernels that are limited by memory bandwidth gain nothing from more streams."},
    {NULL, NULL},
};

static const uint32_t streams[] = {1, 2, 4, 8, 0};

struct saturate {
    struct gp_field field;     /* first; of kernels bound by compute */
    struct gp_reading reading; /* of those bound by memory */
    uint32_t blocks, iterations;
};

static void adapt(const struct gp_device_info *info, int64_t *values)
{
    int32_t per_sm = info->threads_per_sm / BLOCK;

    if (per_sm > info->blocks_per_sm) {
        per_sm = info->blocks_per_sm;
    }
    if (values[WAVE_BLOCKS] == GP_AUTO) {
        values[WAVE_BLOCKS] = info->sm_count * (int64_t)(per_sm > 1 ? per_sm : 1);
    }
}

static uint64_t blocks_of(const int64_t *values)
{
    uint64_t blocks = (uint64_t)(values[WAVE_BLOCKS] * values[WAVES] / 10);

    return blocks > 1 ? blocks : 1;
}

static uint64_t read_bytes(const int64_t *values)
{
    return (uint64_t)values[MIB] << 20;
}

static uint64_t data_bytes(const int64_t *values)
{
    if (values[BOUND] == MEMORY) {
        return gp_reading_bytes((uint32_t)values[KERNELS], (uint32_t)values[WAVE_BLOCKS],
                                read_bytes(values));
    }
    return (uint64_t)values[KERNELS] * blocks_of(values) * BLOCK * sizeof(float);
}

static int64_t lone_us(const int64_t *values)
{
    return (int64_t)((double)values[US] / wave_slowdown);
}

static int check(const struct gp_device_info *info, const int64_t *values, struct gp_error *err)
{
    (void)info;
    return values[BOUND] == MEMORY ? gp_reading_check("saturate", (uint32_t)values[WAVE_BLOCKS],
                                                      read_bytes(values), err)
                                   : gp_field_check("saturate", 1, lone_us(values), err);
}

static struct gp_op *build_reading(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct saturate *saturate = state;

    return gp_reading_sum(&saturate->reading, builder, i);
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct saturate *saturate = state;
    uint32_t count = saturate->blocks * BLOCK;

    return gp_field_add(&saturate->field, builder, NULL,
                        &(struct gp_field_work){.at = i * count,
                                                .count = count,
                                                .blocks = saturate->blocks,
                                                .threads = BLOCK,
                                                .iterations = saturate->iterations});
}

static int setup_reading(struct gp_workload *workload, struct gp_error *err)
{
    struct saturate *saturate = workload->state;
    uint32_t kernels = (uint32_t)workload->values[KERNELS];
    int code =
        gp_reading_init(&saturate->reading, workload, kernels,
                        (uint32_t)workload->values[WAVE_BLOCKS], read_bytes(workload->values), err);

    return code == 0 ? gp_chains_build(workload, kernels, build_reading, err) : code;
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct saturate *saturate = gp_setup_state(workload, sizeof *saturate, err);
    int code;

    if (saturate == NULL) {
        return err->code;
    }
    if (workload->values[BOUND] == MEMORY) {
        return setup_reading(workload, err);
    }
    saturate->blocks = (uint32_t)blocks_of(workload->values);
    saturate->iterations = gp_field_iterations(lone_us(workload->values));
    code = gp_field_init(&saturate->field, workload, data_bytes(workload->values) / sizeof(float),
                         err);
    return code == 0
               ? gp_chains_build(workload, (uint32_t)workload->values[KERNELS], build_chain, err)
               : code;
}

static int reset(struct gp_workload *workload, struct gp_error *err)
{
    const struct saturate *saturate = workload->state;

    return workload->values[BOUND] == MEMORY ? gp_reading_reset(&saturate->reading, workload, err)
                                             : gp_field_reset(workload, err);
}

static int verify(struct gp_workload *workload, struct gp_error *err)
{
    const struct saturate *saturate = workload->state;

    return workload->values[BOUND] == MEMORY ? gp_reading_verify(&saturate->reading, workload, err)
                                             : gp_field_verify(workload, err);
}

static void teardown(struct gp_workload *workload)
{
    struct saturate *saturate = workload->state;

    if (saturate != NULL) {
        gp_reading_finish(&saturate->reading);
        gp_field_teardown(workload);
    }
}

const struct gp_scenario_ops gp_scenario_saturate = {
    .name = "saturate",
    .summary = "kernels that each fill the GPU",
    .expect =
        "A kernel of whole waves leaves no room for another, so streams save no more than the gap "
        "between two kernels. Of two and a half waves the last leaves SMs half empty; but as its "
        "blocks then run faster by as much, another stream's kernel finds little to gain there. "
        "Kernels limited by memory share it and gain nothing either.",
    .parameters = parameters,
    .variants = variants,
    .streams = streams,
    .claims = claims,
    .bytes = data_bytes,
    .check = check,
    .adapt = adapt,
    .setup = setup,
    .reset = reset,
    .verify = verify,
    .teardown = teardown,
};
