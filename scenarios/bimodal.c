/*
 * bimodal: many small kernels and few large ones (gemm) that arrive one by one, in open loop and in
 * seeded order; what a small one waits for is the policy's and the streams' matter. Its latency
 * counts from its intended arrival. A large kernel is either half a wave of long blocks, beside
 * which small ones find room, or several waves of short ones, which hold all that comes behind
 * them until the last wave is on the SMs (head of line).
 *
 * Tests P24 (in turn, short work waits behind long) and what separate streams and priorities do
 * about it. Each large kernel has a result of its own; what they multiply is a few matrices that
 * stay in the second-level cache.
 */
#include <inttypes.h>

#include "core/memory.h"
#include "kernels/kernels.h"
#include "scenarios/arrivals.h"
#include "scenarios/chains.h"
#include "scenarios/field.h"
#include "scenarios/product.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"
#include "scenarios/values.h"

enum { SMALL, US, BLOCKS, SHAPE, LARGE, M, N, K, MEAN_US };

enum { INPUTS = 2, VALUE_MAX = 2, TILE = 64, GEMM_BLOCK = 256, SMALL_BLOCK = 128, URGENT = -1 };

/* A sum of `signs · c` is at most 4 · k · n. */
enum { EXACT_MAX = (1 << 24) / (VALUE_MAX * VALUE_MAX) };

/* What the sizes of a large kernel are made from, unless they are set. For a k of 1 024 a block of
 * the gemm takes 35 us of its SM's issue slots (measured on an H200), so that the first shape takes
 * about 70 us and the second 140. */
static const struct shape {
    int64_t count, n, k, blocks_per_sm;
} shapes[] = {
    {.count = 40, .n = 1024, .k = 1024, .blocks_per_sm = 2},
    {.count = 12, .n = 4096, .k = 256, .blocks_per_sm = 16},
};
static const char *const shape_words[] = {"one-wave", "head-of-line", NULL};
static const double us_per_k = 35.0 / 1024;

/* The part of the time in which the large kernels alone keep the SMs busy. */
static const double load = 0.7;

static const struct gp_parameter parameters[] = {
    {.name = "small", .summary = "number of small kernels", .initial = 160, .min = 1, .max = 10000},
    {.name = "us",
     .summary = "length of a small kernel in us on an H200",
     .initial = 10,
     .min = 1,
     .max = 1000},
    {.name = "blocks",
     .summary = "blocks of 128 threads of a small kernel",
     .initial = 4,
     .min = 1,
     .max = 256},
    {.name = "shape",
     .summary = "large kernels: half a wave of long blocks, or four waves of short ones",
     .kind = GP_PARAMETER_WORD,
     .words = shape_words},
    {.name = "large",
     .summary = "number of large kernels; auto: 40, or 12 of four waves",
     .initial = GP_AUTO,
     .min = 1,
     .max = 1000,
     .adapts = true},
    {.name = "m",
     .summary = "rows of a large kernel's result; auto: 2 blocks an SM, or 16",
     .initial = GP_AUTO,
     .min = TILE,
     .max = 16384,
     .multiple = TILE,
     .adapts = true},
    {.name = "n",
     .summary = "its columns; auto: 1024, or 4096",
     .initial = GP_AUTO,
     .min = TILE,
     .max = 16384,
     .multiple = TILE,
     .adapts = true},
    {.name = "k",
     .summary = "products that are summed in each element; auto: 1024, or 256",
     .initial = GP_AUTO,
     .min = TILE,
     .max = 4096,
     .multiple = TILE,
     .adapts = true},
    {.name = "mean_us",
     .summary = "mean time between arrivals (Poisson), in microseconds; auto: large kernels load "
                "an H200's SMs by 70 %",
     .initial = GP_AUTO,
     .min = 1,
     .max = 1000000,
     .adapts = true},
    {.name = NULL},
};

enum { ONE_WAVE, HEAD_OF_LINE };

static const struct gp_variant variants[] = {
    {{{"shape", ONE_WAVE}}},
    {{{"shape", HEAD_OF_LINE}}},
    {{{NULL, 0}}},
};

static const char *const policies[] = {"single", "round-robin", "equal-tiers", "priority-tiers",
                                       NULL};
/* Four for the small kernels, which one stream alone could hardly keep up with. */
static const uint32_t streams[] = {8, 0};

static const struct gp_claim claims[] = {
    {"short-waits-behind-long",
     "Short kernels wait behind long ones unless they have streams of higher priority."},
    {"own-streams-free-the-short",
     "Streams of their own free short kernels from waiting behind long ones."},
    {"room-lets-the-short-in", "Beside a long kernel that leaves room, short ones do not wait."},
    {NULL, NULL},
};

struct arrival {
    int64_t at_ns;
    uint32_t index; /* among those of its kind */
    bool is_large;
};

struct bimodal {
    struct gp_field field; /* first; what the small kernels add to */
    struct gp_product product;
    struct gp_buffer *a, *b, *c; /* on the device: [INPUTS][m][k], [k][n], [large][m][n] */
    float *inputs, *weights;     /* a and b on the host */
    struct arrival *arrivals;
    uint32_t small_count, large_count;
    uint32_t iterations, blocks; /* of a small kernel */
};

static void settle(int64_t *value, int64_t settled)
{
    if (*value == GP_AUTO) {
        *value = settled;
    }
}

static int64_t blocks_of(const int64_t *values)
{
    return values[M] / TILE * (values[N] / TILE);
}

static void adapt(const struct gp_device_info *info, int64_t *values)
{
    const struct shape *shape = &shapes[values[SHAPE] == HEAD_OF_LINE ? 1 : 0];
    int64_t sms = info->sm_count > 1 ? info->sm_count : 1;
    int64_t columns, rows;
    double busy_us;

    settle(&values[LARGE], shape->count);
    settle(&values[N], shape->n);
    settle(&values[K], shape->k);
    columns = values[N] >= TILE ? values[N] / TILE : 1;
    rows = sms * shape->blocks_per_sm / columns;
    settle(&values[M], TILE * (rows > 1 ? rows : 1));
    busy_us =
        (double)(values[LARGE] * blocks_of(values)) / (double)sms * (double)values[K] * us_per_k;
    busy_us /= load * (double)(values[SMALL] + values[LARGE]);
    settle(&values[MEAN_US], busy_us > 1 ? (int64_t)(busy_us + 0.5) : 1);
}

static uint64_t floats(int64_t a, int64_t b, int64_t c)
{
    return (uint64_t)a * (uint64_t)b * (uint64_t)c * sizeof(float);
}

static uint64_t data_bytes(const int64_t *values)
{
    return floats(values[LARGE], values[M], values[N]) + floats(INPUTS, values[M], values[K]) +
           floats(1, values[K], values[N]) + floats(values[SMALL], values[BLOCKS], SMALL_BLOCK);
}

static int check(const struct gp_device_info *info, const int64_t *values, struct gp_error *err)
{
    (void)info;
    if (values[K] * values[N] > EXACT_MAX) {
        return gp_fail(err, GP_EINVAL,
                       "bimodal: with k of %" PRId64 " and n of %" PRId64
                       " sums need not be exact in a float; allowed is k times n up to %d",
                       values[K], values[N], EXACT_MAX);
    }
    return gp_field_check("bimodal", 1, values[US], err);
}

/* Draws when what arrives: the times, then which of them are the large ones'. */
static int draw_arrivals(struct gp_workload *workload, struct gp_random *random,
                         struct gp_error *err)
{
    struct bimodal *bimodal = workload->state;
    uint32_t count = bimodal->small_count + bimodal->large_count;
    int64_t *at_ns = gp_alloc(count, sizeof *at_ns);
    uint32_t seen[2] = {0, 0};

    bimodal->arrivals = gp_alloc(count, sizeof bimodal->arrivals[0]);
    if (at_ns == NULL || bimodal->arrivals == NULL) {
        gp_free(at_ns);
        return gp_setup_fail_memory(workload, err);
    }
    gp_arrivals_draw(at_ns, count, (double)workload->values[MEAN_US] * 1000, random);
    for (uint32_t i = 0; i < count; i++) {
        struct arrival *arrival = &bimodal->arrivals[i];
        uint32_t large_left = bimodal->large_count - seen[1];

        arrival->at_ns = at_ns[i];
        arrival->is_large = gp_random_below(random, count - i) < large_left;
        arrival->index = seen[arrival->is_large ? 1 : 0]++;
    }
    gp_free(at_ns);
    return 0;
}

static int make_matrices(struct gp_workload *workload, struct gp_random *random,
                         struct gp_error *err)
{
    struct bimodal *bimodal = workload->state;
    size_t m = bimodal->product.m, n = bimodal->product.n, k = bimodal->product.k;
    const struct {
        struct gp_buffer **out;
        const char *name;
        uint64_t count;
    } wanted[] = {
        {&bimodal->a, "a", INPUTS * m * k},
        {&bimodal->b, "b", k * n},
        {&bimodal->c, "c", bimodal->large_count * m * n},
    };
    int code = 0;

    bimodal->inputs = gp_alloc(INPUTS * m * k, sizeof(float));
    bimodal->weights = gp_alloc(k * n, sizeof(float));
    if (bimodal->inputs == NULL || bimodal->weights == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    gp_values_draw(bimodal->inputs, INPUTS * m * k, random, -VALUE_MAX, VALUE_MAX);
    gp_values_draw(bimodal->weights, k * n, random, -VALUE_MAX, VALUE_MAX);
    bimodal->product.a = bimodal->inputs;
    bimodal->product.b = bimodal->weights;
    /* Number 0 is the field's. */
    for (uint32_t i = 0; i < sizeof wanted / sizeof wanted[0] && code == 0; i++) {
        code = gp_buffer_create(workload->device, GP_SPACE_DEVICE, wanted[i].count * sizeof(float),
                                1 + i, wanted[i].name, wanted[i].out, err);
    }
    return code;
}

static int upload(struct gp_workload *workload, struct gp_error *err)
{
    struct bimodal *bimodal = workload->state;
    int code =
        gp_buffer_write(bimodal->a, workload->stream, 0, bimodal->inputs, bimodal->a->bytes, err);

    return code == 0 ? gp_buffer_write(bimodal->b, workload->stream, 0, bimodal->weights,
                                       bimodal->b->bytes, err)
                     : code;
}

static struct gp_op *multiply(const struct bimodal *bimodal, struct gp_builder *builder, uint32_t i)
{
    const struct gp_product *product = &bimodal->product;
    uint64_t a_bytes = bimodal->a->bytes / INPUTS;
    uint64_t c_bytes = bimodal->c->bytes / bimodal->large_count;
    const struct gp_access accesses[] = {
        {bimodal->a, i % INPUTS * a_bytes, a_bytes, GP_ACCESS_READ},
        {bimodal->b, 0, bimodal->b->bytes, GP_ACCESS_READ},
        {bimodal->c, i * c_bytes, c_bytes, GP_ACCESS_WRITE},
    };
    const gp_addr a = bimodal->a->address + accesses[0].offset, b = bimodal->b->address,
                  c = bimodal->c->address + accesses[2].offset;
    const void *const args[] = {&a, &b, &c, &product->m, &product->n, &product->k};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_gemm,
        .grid = {product->n / TILE, product->m / TILE, 1},
        .block = {GEMM_BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
        .access_count = 3,
    };

    return gp_op_kernel(builder, "large", &launch);
}

static struct gp_op *build_chain(const void *state, struct gp_builder *builder, uint32_t i)
{
    const struct bimodal *bimodal = state;
    const struct arrival *arrival = &bimodal->arrivals[i];
    uint32_t count = bimodal->blocks * SMALL_BLOCK;
    const struct gp_attributes attributes = {.release_ns = arrival->at_ns,
                                             .priority = arrival->is_large ? 0 : URGENT};
    struct gp_op *op =
        arrival->is_large
            ? multiply(bimodal, builder, arrival->index)
            : gp_field_add(&bimodal->field, builder, "small",
                           &(struct gp_field_work){.at = arrival->index * count,
                                                   .count = count,
                                                   .blocks = bimodal->blocks,
                                                   .threads = SMALL_BLOCK,
                                                   .iterations = bimodal->iterations});

    return gp_op_set_attributes(builder, op, &attributes);
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct bimodal *bimodal = gp_setup_state(workload, sizeof *bimodal, err);
    const int64_t *values = workload->values;
    struct gp_random random = {workload->seed};
    int code;

    if (bimodal == NULL) {
        return err->code;
    }
    bimodal->small_count = (uint32_t)values[SMALL];
    bimodal->large_count = (uint32_t)values[LARGE];
    bimodal->blocks = (uint32_t)values[BLOCKS];
    bimodal->iterations = gp_field_iterations(values[US]);
    bimodal->product = (struct gp_product){.m = (uint32_t)values[M],
                                           .n = (uint32_t)values[N],
                                           .k = (uint32_t)values[K],
                                           .inputs = INPUTS};
    code = gp_field_init(&bimodal->field, workload,
                         (uint64_t)bimodal->small_count * bimodal->blocks * SMALL_BLOCK, err);
    if (code == 0) {
        code = draw_arrivals(workload, &random, err);
    }
    if (code == 0) {
        code = make_matrices(workload, &random, err);
    }
    if (code == 0) {
        code = upload(workload, err);
    }
    if (code == 0) {
        code = gp_product_init(&bimodal->product, workload, &random, err);
    }
    return code == 0 ? gp_chains_build(workload, bimodal->small_count + bimodal->large_count,
                                       build_chain, err)
                     : code;
}

static int reset(struct gp_workload *workload, struct gp_error *err)
{
    const struct bimodal *bimodal = workload->state;
    int code = gp_field_reset(workload, err);

    return code == 0 ? gp_setup_poison(workload, &bimodal->c, 1, err) : code;
}

static int verify(struct gp_workload *workload, struct gp_error *err)
{
    const struct bimodal *bimodal = workload->state;
    int code = gp_field_verify(workload, err);

    for (uint32_t i = 0; i < bimodal->large_count && code == 0; i++) {
        code = gp_product_verify(&bimodal->product, workload, bimodal->c, i, "large kernel", err);
    }
    return code;
}

/* Of the small ones the latencies; of the large ones what they pay for it. */
static uint32_t measure(const struct gp_workload *workload, const struct gp_op_times *times,
                        struct gp_measure *out)
{
    uint32_t count = gp_arrivals_measure(workload, times, "latency", URGENT, out);

    return count + gp_arrivals_measure(workload, times, "large", 0, out + count);
}

static void teardown(struct gp_workload *workload)
{
    struct bimodal *bimodal = workload->state;

    if (bimodal == NULL) {
        return;
    }
    gp_product_finish(&bimodal->product);
    gp_buffer_destroy(bimodal->a);
    gp_buffer_destroy(bimodal->b);
    gp_buffer_destroy(bimodal->c);
    gp_free(bimodal->inputs);
    gp_free(bimodal->weights);
    gp_free(bimodal->arrivals);
    gp_field_teardown(workload);
}

const struct gp_scenario_ops gp_scenario_bimodal = {
    .name = "bimodal",
    .summary = "small and large kernels that arrive one by one in mixed order",
    .expect =
        "In one stream a small kernel waits for all before it. Beside half a wave of long blocks "
        "most find room on any of 8 streams, and those that come when two large kernels fill the "
        "GPU wait for a block of one. Behind four waves they wait, on streams of their own as "
        "well, until all of them are on the SMs; only a higher priority lets them in after about "
        "one block.",
    .parameters = parameters,
    .variants = variants,
    .claims = claims,
    .policies = policies,
    .streams = streams,
    .adapt = adapt,
    .bytes = data_bytes,
    .check = check,
    .setup = setup,
    .reset = reset,
    .verify = verify,
    .teardown = teardown,
    .measure = measure,
};
