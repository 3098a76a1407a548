/*
 * mixed: chunks of data that are uploaded, computed on in place, and downloaded: two copy engines
 * and the SMs with about equal work. Each chunk is a chain with memory of its own; four distinct
 * chunks in pinned memory are sources for all.
 */
#include "core/memory.h"
#include "kernels/kernels.h"
#include "scenarios/chains.h"
#include "scenarios/scenarios.h"
#include "scenarios/values.h"

enum { CHUNK_KIB, CHUNKS, BLOCKS, ITERATIONS };

enum { INPUTS = 4, BLOCK = 256, VALUE_MAX = 4096, ITERATIONS_MAX = 1000000 };
enum { TOTAL_KIB = 384 << 10, CHUNKS_MAX = 2048 };

/* The kernel adds 1 `iterations` times; the sum must be exact. */
_Static_assert(VALUE_MAX + ITERATIONS_MAX <= 1 << 22,
               "sums must be exact, and the reference quick");

/*
 * 460 iterations: a thread has 4 MiB ÷ (64 · 256 · 4 bytes) = 64 elements, each of 460 dependent
 * multiply-adds at 4.5 cycles and 410 cycles around them (measured on an H200, one block an SM): 80
 * µs at 1.98 GHz, what a copy of 4 MiB takes there.
 */
static const struct gp_parameter parameters[] = {
    {.name = "chunk_kib",
     .summary = "size of a chunk in KiB",
     .initial = 4096,
     .min = 4,
     .max = 65536},
    {.name = "chunks",
     .summary = "number of chunks; auto: as many as 384 MiB hold",
     .initial = GP_AUTO,
     .min = 1,
     .max = CHUNKS_MAX,
     .adapts = true},
    {.name = "blocks",
     .summary = "blocks of 256 threads of each kernel",
     .initial = 64,
     .min = 1,
     .max = 4096},
    {.name = "iterations",
     .summary = "multiply-adds per element",
     .initial = 460,
     .min = 1,
     .max = ITERATIONS_MAX},
    {.name = NULL},
};

/* The best size of a chunk, of constant data: the default first. */
static const struct gp_variant variants[] = {
    {{{"chunk_kib", 4096}}},
    {{{"chunk_kib", 1024}}},
    {{{"chunk_kib", 16384}}},
    {{{NULL, 0}}},
};

static const struct gp_claim claims[] = {
    {"transfers-overlap", "On several streams, transfers in both directions overlap with kernels."},
    {"chunk-size-matters",
     "Chunks may be too small, as each copy has a price, and too large to overlap."},
    {"streams-help-until-engines-are-busy",
     "Streams help only until the copy engines are busy all the time."},
    {"depth-first-is-as-good", "Issuing chains one after another is as good as breadth first."},
    {"stream-per-engine-is-best",
     "A stream for each copy engine and the rest for kernels beats taking turns."},
    {"default-stream-is-one-stream",
     "The default stream alone is as fast as a stream of one's own."},
    {NULL, NULL},
};

struct mixed {
    uint32_t count; /* floats of a chunk */
    uint32_t chunks, blocks, iterations;
    struct gp_buffer *input, *output; /* pinned: [INPUTS][count], [chunks][count] */
    struct gp_buffer *data;           /* on the device: [chunks][count] */
    float *right;                     /* [INPUTS][count], what must come out */
};

static void adapt(const struct gp_device_info *info, int64_t *values)
{
    int64_t chunks = TOTAL_KIB / values[CHUNK_KIB];

    (void)info;
    if (values[CHUNKS] == GP_AUTO) {
        values[CHUNKS] = chunks < 1 ? 1 : chunks < CHUNKS_MAX ? chunks : CHUNKS_MAX;
    }
}

static uint64_t data_bytes(const int64_t *values)
{
    return (uint64_t)values[CHUNKS] * (uint64_t)values[CHUNK_KIB] * 1024;
}

static uint64_t chunk_bytes(const struct mixed *mixed)
{
    return (uint64_t)mixed->count * sizeof(float);
}

static int allocate(struct gp_workload *workload, struct gp_error *err)
{
    struct mixed *mixed = workload->state;
    struct gp_device *device = workload->device;
    uint64_t bytes = chunk_bytes(mixed);
    int code;

    mixed->right = gp_alloc(INPUTS, bytes);
    if (mixed->right == NULL) {
        return gp_fail(err, GP_ENOMEM, "mixed: out of host memory");
    }
    code =
        gp_buffer_create(device, GP_SPACE_PINNED, INPUTS * bytes, 0, "input", &mixed->input, err);
    if (code == 0) {
        code = gp_buffer_create(device, GP_SPACE_PINNED, mixed->chunks * bytes, 1, "output",
                                &mixed->output, err);
    }
    if (code == 0) {
        code = gp_buffer_create(device, GP_SPACE_DEVICE, mixed->chunks * bytes, 2, "data",
                                &mixed->data, err);
    }
    return code;
}

static void draw_inputs(struct mixed *mixed, uint64_t seed)
{
    struct gp_random random = {seed};
    float *input = gp_buffer_host(mixed->input);
    size_t count = (size_t)INPUTS * mixed->count;

    gp_values_draw(input, count, &random, -VALUE_MAX, VALUE_MAX);
    for (size_t i = 0; i < count; i++) {
        mixed->right[i] = input[i] + (float)mixed->iterations;
    }
}

static struct gp_op *compute(const struct mixed *mixed, struct gp_builder *builder, uint32_t i)
{
    static const float multiplier = 1.0f;
    uint64_t bytes = chunk_bytes(mixed);
    const struct gp_access access = {mixed->data, i * bytes, bytes, GP_ACCESS_READ_WRITE};
    const gp_addr data = mixed->data->address + access.offset;
    const void *const args[] = {&data, &mixed->count, &mixed->iterations, &multiplier};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_fma_1,
        .grid = {mixed->blocks, 1, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = &access,
        .access_count = 1,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct mixed *mixed = state;
    uint64_t bytes = chunk_bytes(mixed);
    struct gp_op *upload = gp_op_copy(builder, "upload", mixed->data, i * bytes, mixed->input,
                                      i % INPUTS * bytes, bytes);
    struct gp_op *download =
        gp_op_copy(builder, "download", mixed->output, i * bytes, mixed->data, i * bytes, bytes);

    return gp_op_and_then(builder, gp_op_and_then(builder, upload, compute(mixed, builder, i)),
                          download);
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct mixed *mixed = gp_alloc(1, sizeof *mixed);
    int code;

    if (mixed == NULL) {
        return gp_fail(err, GP_ENOMEM, "mixed: out of host memory");
    }
    workload->state = mixed;
    mixed->count = (uint32_t)(workload->values[CHUNK_KIB] * 1024 / (int64_t)sizeof(float));
    mixed->chunks = (uint32_t)workload->values[CHUNKS];
    mixed->blocks = (uint32_t)workload->values[BLOCKS];
    mixed->iterations = (uint32_t)workload->values[ITERATIONS];
    code = allocate(workload, err);
    if (code != 0) {
        return code;
    }
    draw_inputs(mixed, workload->seed);
    return gp_chains_build(workload, mixed->chunks, build_chain, err);
}

static int reset(struct gp_workload *workload, struct gp_error *err)
{
    struct mixed *mixed = workload->state;
    int code = gp_buffer_fill(mixed->data, workload->stream, GP_POISON, err);

    return code == 0 ? gp_buffer_fill(mixed->output, workload->stream, GP_POISON, err) : code;
}

static int verify(struct gp_workload *workload, struct gp_error *err)
{
    struct mixed *mixed = workload->state;
    const float *output = gp_buffer_host(mixed->output);

    for (uint32_t i = 0; i < mixed->chunks; i++) {
        const float *got = output + (size_t)i * mixed->count;
        const float *right = mixed->right + i % INPUTS * (size_t)mixed->count;
        size_t wrong = gp_values_differ(got, right, mixed->count);

        if (wrong < mixed->count) {
            return gp_values_fail(err, got[wrong], right[wrong], "mixed: output[%zu] of chunk %u",
                                  wrong, i);
        }
    }
    return 0;
}

static void teardown(struct gp_workload *workload)
{
    struct mixed *mixed = workload->state;

    if (mixed == NULL) {
        return;
    }
    gp_buffer_destroy(mixed->input);
    gp_buffer_destroy(mixed->output);
    gp_buffer_destroy(mixed->data);
    gp_free(mixed->right);
    gp_free(mixed);
}

const struct gp_scenario_ops gp_scenario_mixed = {
    .name = "mixed",
    .summary = "upload, compute, download of equal length, chunk by chunk",
    .expect = "Both copy directions and the kernel take about equal times, so three chains at once "
              "keep all three busy and the makespan falls to that of the uploads alone; 4 streams "
              "are enough. Chunks of 1 MiB pay for their number, each copy about 3 us; those of 16 "
              "MiB for the first upload and the last download, which nothing hides.",
    .parameters = parameters,
    .variants = variants,
    .claims = claims,
    .adapt = adapt,
    .bytes = data_bytes,
    .setup = setup,
    .reset = reset,
    .verify = verify,
    .teardown = teardown,
};
