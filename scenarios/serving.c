/*
 * serving: requests of a small network that arrive in open loop at a given rate, y = relu(A · W) ·
 * V with one chain each: upload of A, gemm, relu, gemm, download of y. A request's memory is its
 * own; W and V are there from the start, and four distinct A in pinned memory are sources for all.
 *
 * Tests the book's line "latency-sensitive serving: one stream a request" (pool sizes, S1), P24
 * (round-robin makes requests wait behind others) and P6 beside a load that does not wait.
 */
#include "core/memory.h"
#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "scenarios/arrivals.h"
#include "scenarios/chains.h"
#include "scenarios/measure.h"
#include "scenarios/scenarios.h"
#include "scenarios/values.h"

enum { RATE, REQUESTS, LIMIT_US };

/* |a|, |w|, |v| ≤ 2: no sum exceeds 256 · (256 · 4) · 2 = 2^19, which floats hold exactly. */
enum { ROWS = 64, INNER = 256, HIDDEN = 256, OUTER = 64, VALUE_MAX = 2 };

enum { INPUTS = 4, GEMM_TILE = 64, BLOCK = 256 };

enum {
    A_FLOATS = ROWS * INNER,
    HIDDEN_FLOATS = ROWS * HIDDEN,
    Y_FLOATS = ROWS * OUTER,
    W_FLOATS = INNER * HIDDEN,
    V_FLOATS = HIDDEN * OUTER,
};

static const struct gp_parameter parameters[] = {
    {.name = "rate", .summary = "requests a second", .initial = 10000, .min = 1, .max = 10000000},
    {.name = "requests", .summary = "number of requests", .initial = 400, .min = 1, .max = 10000},
    {.name = "limit_us",
     .summary = "what the 99th percentile of latency may be, in microseconds",
     .initial = 500,
     .min = 1,
     .max = 10000000},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"rate", 5000}}},  {{{"rate", 10000}}}, {{{"rate", 20000}}},
    {{{"rate", 40000}}}, {{{"rate", 80000}}}, {{{NULL, 0}}},
};

static const char *const policies[] = {"single", "round-robin", NULL};
static const uint32_t streams[] = {4, 32, 0};

static const struct gp_claim claims[] = {
    {"stream-per-request-serves-best",
     "Latency-sensitive serving wants one stream for each request."},
    {NULL, NULL},
};

struct serving {
    uint32_t requests;
    int64_t *arrivals_ns;
    struct gp_buffer *input, *output;          /* pinned: [INPUTS][A], [requests][Y] */
    struct gp_buffer *a, *hidden, *active, *y; /* on the device, of each request */
    struct gp_buffer *w, *v;                   /* on the device, of all */
    float *weights;                            /* W, then V, as uploaded */
    float *right;                              /* [INPUTS][Y], what must come out */
};

static uint64_t data_bytes(const int64_t *values)
{
    return (uint64_t)values[REQUESTS] * sizeof(float) * (A_FLOATS + 2 * HIDDEN_FLOATS + Y_FLOATS);
}

static int allocate(struct gp_workload *workload, struct gp_error *err)
{
    struct serving *serving = workload->state;
    uint64_t requests = serving->requests;
    const struct {
        struct gp_buffer **out;
        const char *name;
        enum gp_space space;
        uint64_t count;
    } wanted[] = {
        {&serving->input, "input", GP_SPACE_PINNED, (uint64_t)INPUTS * A_FLOATS},
        {&serving->output, "output", GP_SPACE_PINNED, requests * Y_FLOATS},
        {&serving->a, "a", GP_SPACE_DEVICE, requests * A_FLOATS},
        {&serving->hidden, "hidden", GP_SPACE_DEVICE, requests * HIDDEN_FLOATS},
        {&serving->active, "active", GP_SPACE_DEVICE, requests * HIDDEN_FLOATS},
        {&serving->y, "y", GP_SPACE_DEVICE, requests * Y_FLOATS},
        {&serving->w, "w", GP_SPACE_DEVICE, W_FLOATS},
        {&serving->v, "v", GP_SPACE_DEVICE, V_FLOATS},
    };
    int code = 0;

    serving->arrivals_ns = gp_alloc(requests, sizeof serving->arrivals_ns[0]);
    serving->weights = gp_alloc(W_FLOATS + V_FLOATS, sizeof(float));
    serving->right = gp_alloc((size_t)INPUTS * Y_FLOATS, sizeof(float));
    if (serving->arrivals_ns == NULL || serving->weights == NULL || serving->right == NULL) {
        return gp_fail(err, GP_ENOMEM, "serving: out of host memory");
    }
    for (uint32_t i = 0; i < sizeof wanted / sizeof wanted[0] && code == 0; i++) {
        code = gp_buffer_create(workload->device, wanted[i].space, wanted[i].count * sizeof(float),
                                i, wanted[i].name, wanted[i].out, err);
    }
    return code;
}

/* Draws everything and computes what must come out. */
static int draw_inputs(struct serving *serving, struct gp_random *random, struct gp_error *err)
{
    float *input = gp_buffer_host(serving->input);
    float *hidden = gp_alloc((size_t)INPUTS * HIDDEN_FLOATS, sizeof(float));

    if (hidden == NULL) {
        return gp_fail(err, GP_ENOMEM, "serving: out of host memory");
    }
    gp_values_draw(input, (size_t)INPUTS * A_FLOATS, random, -VALUE_MAX, VALUE_MAX);
    gp_values_draw(serving->weights, W_FLOATS + V_FLOATS, random, -VALUE_MAX, VALUE_MAX);
    gp_reference_gemm(input, serving->weights, hidden, INPUTS * ROWS, HIDDEN, INNER);
    for (size_t i = 0; i < (size_t)INPUTS * HIDDEN_FLOATS; i++) {
        hidden[i] = hidden[i] > 0.0f ? hidden[i] : 0.0f;
    }
    gp_reference_gemm(hidden, serving->weights + W_FLOATS, serving->right, INPUTS * ROWS, OUTER,
                      HIDDEN);
    gp_free(hidden);
    return 0;
}

static int upload_weights(struct gp_workload *workload, struct gp_error *err)
{
    struct serving *serving = workload->state;
    int code =
        gp_buffer_write(serving->w, workload->stream, 0, serving->weights, serving->w->bytes, err);

    return code == 0 ? gp_buffer_write(serving->v, workload->stream, 0, serving->weights + W_FLOATS,
                                       serving->v->bytes, err)
                     : code;
}

/* The range of a buffer that belongs to request i. */
static struct gp_access part(const struct serving *serving, const struct gp_buffer *buffer,
                             uint32_t i, enum gp_access_mode mode)
{
    uint64_t bytes = buffer->bytes / serving->requests;

    return (struct gp_access){buffer, i * bytes, bytes, mode};
}

static gp_addr address(const struct gp_access *access)
{
    return access->buffer->address + access->offset;
}

/* accesses: the request's input, the weights of all, the output of `columns` columns. */
static struct gp_op *multiply(struct gp_builder *builder, const struct gp_access *accesses,
                              uint32_t columns, uint32_t inner)
{
    const gp_addr a = address(&accesses[0]), b = address(&accesses[1]), c = address(&accesses[2]);
    const uint32_t rows = ROWS;
    const void *const args[] = {&a, &b, &c, &rows, &columns, &inner};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_gemm,
        .grid = {columns / GEMM_TILE, ROWS / GEMM_TILE, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
        .access_count = 3,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

static struct gp_op *rectify(const struct serving *serving, struct gp_builder *builder, uint32_t i)
{
    const struct gp_access accesses[] = {part(serving, serving->hidden, i, GP_ACCESS_READ),
                                         part(serving, serving->active, i, GP_ACCESS_WRITE)};
    const gp_addr x = address(&accesses[0]), y = address(&accesses[1]);
    const uint32_t count = HIDDEN_FLOATS;
    const void *const args[] = {&x, &y, &count};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_relu,
        .grid = {HIDDEN_FLOATS / BLOCK, 1, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
        .access_count = 2,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct serving *serving = state;
    const struct gp_access first[] = {part(serving, serving->a, i, GP_ACCESS_READ),
                                      {serving->w, 0, serving->w->bytes, GP_ACCESS_READ},
                                      part(serving, serving->hidden, i, GP_ACCESS_WRITE)};
    const struct gp_access second[] = {part(serving, serving->active, i, GP_ACCESS_READ),
                                       {serving->v, 0, serving->v->bytes, GP_ACCESS_READ},
                                       part(serving, serving->y, i, GP_ACCESS_WRITE)};
    const struct gp_attributes arrival = {.release_ns = serving->arrivals_ns[i]};
    const uint64_t a_bytes = A_FLOATS * sizeof(float), y_bytes = Y_FLOATS * sizeof(float);
    struct gp_op *chain = gp_op_copy(builder, "upload", serving->a, i * a_bytes, serving->input,
                                     i % INPUTS * a_bytes, a_bytes);

    chain = gp_op_set_attributes(builder, chain, &arrival);
    chain = gp_op_and_then(builder, chain, multiply(builder, first, HIDDEN, INNER));
    chain = gp_op_and_then(builder, chain, rectify(serving, builder, i));
    chain = gp_op_and_then(builder, chain, multiply(builder, second, OUTER, HIDDEN));
    return gp_op_and_then(builder, chain,
                          gp_op_copy(builder, "download", serving->output, i * y_bytes, serving->y,
                                     i * y_bytes, y_bytes));
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct serving *serving = gp_alloc(1, sizeof *serving);
    struct gp_random random = {workload->seed};
    int code;

    if (serving == NULL) {
        return gp_fail(err, GP_ENOMEM, "serving: out of host memory");
    }
    workload->state = serving;
    serving->requests = (uint32_t)workload->values[REQUESTS];
    code = allocate(workload, err);
    if (code == 0) {
        gp_arrivals_draw(serving->arrivals_ns, serving->requests,
                         1e9 / (double)workload->values[RATE], &random);
        code = draw_inputs(serving, &random, err);
    }
    if (code == 0) {
        code = upload_weights(workload, err);
    }
    return code == 0 ? gp_chains_build(workload, serving->requests, build_chain, err) : code;
}

static int reset(struct gp_workload *workload, struct gp_error *err)
{
    struct serving *serving = workload->state;
    struct gp_buffer *const outputs[] = {serving->a, serving->hidden, serving->active, serving->y,
                                         serving->output};
    int code = 0;

    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0] && code == 0; i++) {
        code = gp_buffer_fill(outputs[i], workload->stream, GP_POISON, err);
    }
    return code;
}

static int verify(struct gp_workload *workload, struct gp_error *err)
{
    struct serving *serving = workload->state;
    const float *output = gp_buffer_host(serving->output);

    for (uint32_t i = 0; i < serving->requests; i++) {
        const float *got = output + (size_t)i * Y_FLOATS;
        const float *right = serving->right + i % INPUTS * (size_t)Y_FLOATS;
        size_t wrong = gp_values_differ(got, right, Y_FLOATS);

        if (wrong < Y_FLOATS) {
            return gp_values_fail(err, got[wrong], right[wrong], "serving: y[%zu] of request %u",
                                  wrong, i);
        }
    }
    return 0;
}

/* Besides the latencies the offered rate, when the limit is kept: the largest of a policy's is what
 * it sustains. */
static uint32_t measure(const struct gp_workload *workload, const struct gp_op_times *times,
                        struct gp_measure *out)
{
    uint32_t count = gp_arrivals_measure(workload, times, "latency", 0, out);
    double limit_ns = (double)workload->values[LIMIT_US] * 1000;
    int64_t rate = workload->values[RATE];

    out[count] = gp_measure_rate("sustained_per_s", (double)rate, 1000000000);
    if (!(out[count - 1].value <= limit_ns)) {
        out[count].value = 0;
    }
    return count + 1;
}

static void teardown(struct gp_workload *workload)
{
    struct serving *serving = workload->state;

    if (serving == NULL) {
        return;
    }
    gp_buffer_destroy(serving->input);
    gp_buffer_destroy(serving->output);
    gp_buffer_destroy(serving->a);
    gp_buffer_destroy(serving->hidden);
    gp_buffer_destroy(serving->active);
    gp_buffer_destroy(serving->y);
    gp_buffer_destroy(serving->w);
    gp_buffer_destroy(serving->v);
    gp_free(serving->arrivals_ns);
    gp_free(serving->weights);
    gp_free(serving->right);
    gp_free(serving);
}

const struct gp_scenario_ops gp_scenario_serving = {
    .name = "serving",
    .summary = "requests of a small network that arrive in open loop, at several rates",
    .expect = "Latency stays near that of one request until arrivals come faster than the streams "
              "serve them, and then grows without bound; more streams move that rate up to what "
              "the submitting thread can issue.",
    .parameters = parameters,
    .variants = variants,
    .claims = claims,
    .policies = policies,
    .streams = streams,
    .bytes = data_bytes,
    .setup = setup,
    .reset = reset,
    .verify = verify,
    .teardown = teardown,
    .measure = measure,
};
