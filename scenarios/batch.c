/*
 * batch: inference of a small network for many batches of rows, y = relu((A · W) · v). Each batch
 * is a chain: upload of A, gemm, matvec, relu, download of y. It uses memory of its own; W and v
 * are there from the start, and four distinct A in pinned memory are sources for all.
 */
#include "core/memory.h"
#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "scenarios/chains.h"
#include "scenarios/product.h"
#include "scenarios/scenarios.h"
#include "scenarios/values.h"

enum { M, K, N, BATCHES };

/* |a|, |w| ≤ 2 and |v| ≤ 1, so with k · n ≤ 2^22 no sum exceeds 4 · k · n ≤ 2^24: floats hold it.
 */
enum { WEIGHT_MAX = 2, VECTOR_MAX = 1, SIDE_MAX = 2048 };
_Static_assert(1L * SIDE_MAX * SIDE_MAX * WEIGHT_MAX * WEIGHT_MAX * VECTOR_MAX <= 1L << 24,
               "sums must be exact");

enum { INPUTS = 4, GEMM_TILE = 64, MATVEC_ROWS = 8, BLOCK = 256 };

static const struct gp_parameter parameters[] = {
    {.name = "m",
     .summary = "rows of a batch",
     .initial = 256,
     .min = 64,
     .max = 1024,
     .multiple = 64},
    {.name = "k",
     .summary = "inputs of the network, columns of A",
     .initial = 1024,
     .min = 64,
     .max = SIDE_MAX,
     .multiple = 64},
    {.name = "n",
     .summary = "hidden units, columns of W",
     .initial = 1024,
     .min = 64,
     .max = SIDE_MAX,
     .multiple = 64},
    {.name = "batches", .summary = "number of batches", .initial = 128, .min = 1, .max = 1024},
    {.name = NULL},
};

static const struct gp_claim claims[] = {
    {"streams-speed-up-inference", "Batches of inference run faster on several streams."},
    {"four-batches-cost-a-third-more",
     "Four batches on four streams take about 1.3 times as long as one."},
    {"four-streams-are-a-good-default", "Four streams are a good default."},
    {"more-streams-never-hurt", "More streams than needed do no harm."},
    {NULL, NULL},
};

struct batch {
    uint32_t m, k, n, batches;
    /* Pinned: sources of the uploads [INPUTS][m][k]; results [batches][m]. */
    struct gp_buffer *input, *output;
    /* On the device, of each batch: A [m][k], C = A · W [m][n], C · v [m], relu of it [m]. */
    struct gp_buffer *a, *c, *z, *y;
    /* On the device, of all: W [k][n], v [n]. */
    struct gp_buffer *w, *v;
    /* On the host: W and v as uploaded, and the right y of each input [INPUTS][m]. */
    float *weights, *vector, *right_y;
    struct gp_product product; /* of A and W */
};

static uint64_t floats(uint64_t count)
{
    return count * sizeof(float);
}

/* The two that grow with everything: the inputs and the products of the gemm. */
static uint64_t data_bytes(const int64_t *values)
{
    return floats((uint64_t)values[BATCHES] * (uint64_t)values[M] *
                  (uint64_t)(values[K] + values[N]));
}

static int allocate_host(struct batch *batch, struct gp_error *err)
{
    size_t m = batch->m, k = batch->k, n = batch->n;

    batch->weights = gp_alloc(k * n, sizeof(float));
    batch->vector = gp_alloc(n, sizeof(float));
    batch->right_y = gp_alloc(INPUTS * m, sizeof(float));
    if (batch->weights == NULL || batch->vector == NULL || batch->right_y == NULL) {
        return gp_fail(err, GP_ENOMEM, "batch: out of host memory");
    }
    return 0;
}

static int allocate_buffers(struct gp_workload *workload, struct gp_error *err)
{
    struct batch *batch = workload->state;
    uint64_t m = batch->m, k = batch->k, n = batch->n, batches = batch->batches;
    const struct {
        struct gp_buffer **out;
        const char *name;
        enum gp_space space;
        uint64_t count;
    } wanted[] = {
        {&batch->input, "input", GP_SPACE_PINNED, INPUTS * m * k},
        {&batch->output, "output", GP_SPACE_PINNED, batches * m},
        {&batch->a, "a", GP_SPACE_DEVICE, batches * m * k},
        {&batch->c, "c", GP_SPACE_DEVICE, batches * m * n},
        {&batch->z, "z", GP_SPACE_DEVICE, batches * m},
        {&batch->y, "y", GP_SPACE_DEVICE, batches * m},
        {&batch->w, "w", GP_SPACE_DEVICE, k * n},
        {&batch->v, "v", GP_SPACE_DEVICE, n},
    };
    int code = 0;

    for (uint32_t i = 0; i < sizeof wanted / sizeof wanted[0] && code == 0; i++) {
        code = gp_buffer_create(workload->device, wanted[i].space, floats(wanted[i].count), i,
                                wanted[i].name, wanted[i].out, err);
    }
    return code;
}

/* Draws everything and computes what must come out: C · v = A · (W · v) needs no product of
 * matrices. */
static int draw_inputs(struct gp_workload *workload, struct gp_error *err)
{
    struct batch *batch = workload->state;
    struct gp_random random = {workload->seed};
    size_t m = batch->m, k = batch->k, n = batch->n;
    float *input = gp_buffer_host(batch->input);
    float *projected = gp_alloc(k, sizeof *projected);

    if (projected == NULL) {
        return gp_fail(err, GP_ENOMEM, "batch: out of host memory");
    }
    gp_values_draw(input, INPUTS * m * k, &random, -WEIGHT_MAX, WEIGHT_MAX);
    gp_values_draw(batch->weights, k * n, &random, -WEIGHT_MAX, WEIGHT_MAX);
    gp_values_draw(batch->vector, n, &random, -VECTOR_MAX, VECTOR_MAX);
    gp_reference_matvec(batch->weights, batch->vector, projected, batch->k, batch->n);
    gp_reference_matvec(input, projected, batch->right_y, INPUTS * batch->m, batch->k);
    gp_free(projected);
    for (size_t i = 0; i < INPUTS * m; i++) {
        batch->right_y[i] = batch->right_y[i] > 0.0f ? batch->right_y[i] : 0.0f;
    }
    batch->product = (struct gp_product){.m = batch->m,
                                         .n = batch->n,
                                         .k = batch->k,
                                         .inputs = INPUTS,
                                         .a = input,
                                         .b = batch->weights};
    return gp_product_init(&batch->product, workload, &random, err);
}

static int upload_weights(struct gp_workload *workload, struct gp_error *err)
{
    struct batch *batch = workload->state;
    int code = gp_buffer_write(batch->w, workload->stream, 0, batch->weights, batch->w->bytes, err);

    if (code == 0) {
        code = gp_buffer_write(batch->v, workload->stream, 0, batch->vector, batch->v->bytes, err);
    }
    return code;
}

/* The range of a buffer that belongs to batch i of all. */
static struct gp_access part(const struct batch *batch, const struct gp_buffer *buffer, uint32_t i,
                             enum gp_access_mode mode)
{
    uint64_t bytes = buffer->bytes / batch->batches;

    return (struct gp_access){buffer, i * bytes, bytes, mode};
}

static struct gp_access whole(const struct gp_buffer *buffer)
{
    return (struct gp_access){buffer, 0, buffer->bytes, GP_ACCESS_READ};
}

static gp_addr address(const struct gp_access *access)
{
    return access->buffer->address + access->offset;
}

static struct gp_op *multiply(const struct batch *batch, struct gp_builder *builder, uint32_t i)
{
    const struct gp_access accesses[] = {
        part(batch, batch->a, i, GP_ACCESS_READ),
        whole(batch->w),
        part(batch, batch->c, i, GP_ACCESS_WRITE),
    };
    const gp_addr a = address(&accesses[0]), w = address(&accesses[1]), c = address(&accesses[2]);
    const void *const args[] = {&a, &w, &c, &batch->m, &batch->n, &batch->k};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_gemm,
        .grid = {batch->n / GEMM_TILE, batch->m / GEMM_TILE, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
        .access_count = 3,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

static struct gp_op *project(const struct batch *batch, struct gp_builder *builder, uint32_t i)
{
    const struct gp_access accesses[] = {
        part(batch, batch->c, i, GP_ACCESS_READ),
        whole(batch->v),
        part(batch, batch->z, i, GP_ACCESS_WRITE),
    };
    const gp_addr c = address(&accesses[0]), v = address(&accesses[1]), z = address(&accesses[2]);
    const void *const args[] = {&c, &v, &z, &batch->m, &batch->n};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_matvec,
        .grid = {batch->m / MATVEC_ROWS, 1, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
        .access_count = 3,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

static struct gp_op *rectify(const struct batch *batch, struct gp_builder *builder, uint32_t i)
{
    const struct gp_access accesses[] = {
        part(batch, batch->z, i, GP_ACCESS_READ),
        part(batch, batch->y, i, GP_ACCESS_WRITE),
    };
    const gp_addr z = address(&accesses[0]), y = address(&accesses[1]);
    const void *const args[] = {&z, &y, &batch->m};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_relu,
        .grid = {(batch->m + BLOCK - 1) / BLOCK, 1, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
        .access_count = 2,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct batch *batch = state;
    uint64_t a_bytes = floats((uint64_t)batch->m * batch->k), y_bytes = floats(batch->m);
    struct gp_op *chain = gp_op_copy(builder, "upload", batch->a, i * a_bytes, batch->input,
                                     i % INPUTS * a_bytes, a_bytes);
    struct gp_op *download =
        gp_op_copy(builder, "download", batch->output, i * y_bytes, batch->y, i * y_bytes, y_bytes);

    chain = gp_op_and_then(builder, chain, multiply(batch, builder, i));
    chain = gp_op_and_then(builder, chain, project(batch, builder, i));
    chain = gp_op_and_then(builder, chain, rectify(batch, builder, i));
    return gp_op_and_then(builder, chain, download);
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct batch *batch = gp_alloc(1, sizeof *batch);
    int code;

    if (batch == NULL) {
        return gp_fail(err, GP_ENOMEM, "batch: out of host memory");
    }
    workload->state = batch;
    batch->m = (uint32_t)workload->values[M];
    batch->k = (uint32_t)workload->values[K];
    batch->n = (uint32_t)workload->values[N];
    batch->batches = (uint32_t)workload->values[BATCHES];
    code = allocate_buffers(workload, err);
    if (code == 0) {
        code = allocate_host(batch, err);
    }
    if (code == 0) {
        code = draw_inputs(workload, err);
    }
    if (code == 0) {
        code = upload_weights(workload, err);
    }
    return code == 0 ? gp_chains_build(workload, batch->batches, build_chain, err) : code;
}

/* Also A: an upload that comes too late must not find the one of the run before. */
static int reset(struct gp_workload *workload, struct gp_error *err)
{
    struct batch *batch = workload->state;
    struct gp_buffer *const outputs[] = {batch->a, batch->c, batch->z, batch->y, batch->output};
    int code = 0;

    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0] && code == 0; i++) {
        code = gp_buffer_fill(outputs[i], workload->stream, GP_POISON, err);
    }
    return code;
}

static int verify(struct gp_workload *workload, struct gp_error *err)
{
    struct batch *batch = workload->state;
    const float *output = gp_buffer_host(batch->output);
    int code = 0;

    for (uint32_t i = 0; i < batch->batches; i++) {
        const float *got = output + (size_t)i * batch->m;
        const float *right = batch->right_y + i % INPUTS * (size_t)batch->m;
        size_t wrong = gp_values_differ(got, right, batch->m);

        if (wrong < batch->m) {
            return gp_values_fail(err, got[wrong], right[wrong], "batch: y[%zu] of batch %u", wrong,
                                  i);
        }
    }
    for (uint32_t i = 0; i < batch->batches && code == 0; i++) {
        code = gp_product_verify(&batch->product, workload, batch->c, i, "batch", err);
    }
    return code;
}

static void teardown(struct gp_workload *workload)
{
    struct batch *batch = workload->state;

    if (batch == NULL) {
        return;
    }
    gp_buffer_destroy(batch->input);
    gp_buffer_destroy(batch->output);
    gp_buffer_destroy(batch->a);
    gp_buffer_destroy(batch->c);
    gp_buffer_destroy(batch->z);
    gp_buffer_destroy(batch->y);
    gp_buffer_destroy(batch->w);
    gp_buffer_destroy(batch->v);
    gp_free(batch->weights);
    gp_free(batch->vector);
    gp_free(batch->right_y);
    gp_product_finish(&batch->product);
    gp_free(batch);
}

const struct gp_scenario_ops gp_scenario_batch = {
    .name = "batch",
    .summary = "batched inference: upload, gemm, matvec, relu, download",
    .expect = "A gemm of the default size fills half of a big GPU and takes about as long as two "
              "uploads, so streams help until uploads or the GPU are busy all the time, at about "
              "4; more add nothing.",
    .parameters = parameters,
    .claims = claims,
    .bytes = data_bytes,
    .setup = setup,
    .reset = reset,
    .verify = verify,
    .teardown = teardown,
};
