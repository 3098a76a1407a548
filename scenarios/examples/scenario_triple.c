/*
 * A scenario of one's own as a shared object: chains of an upload, a kernel of one's own that
 * triples numbers, and a download.
 *
 *   cc -std=c17 -fPIC -shared scenario_triple.c -o triple.so \
 *       $(pkg-config --static --cflags --libs gpuprobe-core)
 *   gpuprobe --scenario ./triple.so -p all -s 1,4
 *
 * The kernel's code is PTX here; a cubin is given as .fatbin, likewise in memory.
 */
#include "core/memory.h"
#include "scenarios/plugin.h"

/* ---- the kernel: what the GPU runs, and what the model needs to know of it ---- */

static const char ptx[] =
    ".version 6.3\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry triple(.param .u64 x, .param .u64 y, .param .u32 count)\n"
    "{\n"
    "    .reg .pred %p;\n"
    "    .reg .b32 %r<5>;\n"
    "    .reg .b64 %d<6>;\n"
    "    .reg .f32 %f;\n"
    "    ld.param.u64 %d1, [x];\n"
    "    ld.param.u64 %d2, [y];\n"
    "    ld.param.u32 %r1, [count];\n"
    "    mov.u32 %r2, %ctaid.x;\n"
    "    mov.u32 %r3, %ntid.x;\n"
    "    mov.u32 %r4, %tid.x;\n"
    "    mad.lo.u32 %r2, %r2, %r3, %r4;\n"
    "    setp.ge.u32 %p, %r2, %r1;\n"
    "    @%p bra done;\n"
    "    mul.wide.u32 %d3, %r2, 4;\n"
    "    add.u64 %d4, %d1, %d3;\n"
    "    add.u64 %d5, %d2, %d3;\n"
    "    ld.global.f32 %f, [%d4];\n"
    "    mul.f32 %f, %f, 0f40400000;\n"
    "    st.global.f32 [%d5], %f;\n"
    "done:\n"
    "    ret;\n"
    "}\n";

static const struct gp_image image = {.name = "triple", .ptx = ptx, .ptx_bytes = sizeof ptx};

enum { X, Y, COUNT };

static const struct gp_kernel_arg args[] = {
    {"x", GP_ARG_ADDRESS, sizeof(gp_addr)},
    {"y", GP_ARG_ADDRESS, sizeof(gp_addr)},
    {"count", GP_ARG_VALUE, sizeof(uint32_t)},
};

/* What a block costs on the model: it moves its threads' numbers in and out. */
static void work(const struct gp_launch *launch, struct gp_work *out)
{
    uint32_t threads = gp_launch_threads(launch);

    out->issue = (uint64_t)threads / 32 * 20;
    out->latency_cycles = 1200;
    out->read_bytes = (uint64_t)threads * sizeof(float);
    out->write_bytes = (uint64_t)threads * sizeof(float);
}

/* What it computes; the model runs this. */
static void reference(const struct gp_launch *launch)
{
    const float *x = gp_launch_pointer(launch, X);
    float *y = gp_launch_pointer(launch, Y);

    for (uint32_t i = 0; i < GP_ARG(launch, COUNT, uint32_t); i++) {
        y[i] = 3 * x[i];
    }
}

static const struct gp_kernel kernel = {
    .name = "triple",
    .summary = "y[i] = 3 · x[i]",
    .symbol = "triple",
    .image = &image,
    .args = args,
    .arg_count = 3,
    .registers = 16,
    .work = work,
    .reference = reference,
};

/* ---- the workload ---- */

enum { CHAINS, KIB };

static const struct gp_parameter parameters[] = {
    {.name = "chains", .summary = "number of chains", .initial = 16, .min = 1, .max = 1024},
    {.name = "kib", .summary = "KiB of each chain", .initial = 1024, .min = 1, .max = 65536},
    {.name = NULL},
};

enum { IN, SOURCE, RESULT, OUT, BUFFERS };

struct triple {
    struct gp_buffer *buffers[BUFFERS];
    uint64_t chain_bytes;
};

static uint64_t all_bytes(const int64_t *values)
{
    return (uint64_t)values[CHAINS] * (uint64_t)values[KIB] * 1024;
}

static uint64_t device_bytes(const int64_t *values)
{
    return 2 * all_bytes(values);
}

static int make_buffers(struct triple *triple, struct gp_device *device, uint64_t bytes,
                        struct gp_error *err)
{
    static const char *const names[BUFFERS] = {"in", "x", "y", "out"};
    int code = 0;

    for (uint32_t i = 0; i < BUFFERS && code == 0; i++) {
        enum gp_space space = i == IN || i == OUT ? GP_SPACE_PINNED : GP_SPACE_DEVICE;

        code = gp_buffer_create(device, space, bytes, i, names[i], &triple->buffers[i], err);
    }
    return code;
}

/* Upload, kernel and download of one chain. */
static struct gp_op *make_chain(const struct triple *triple, struct gp_builder *builder, uint32_t i)
{
    struct gp_buffer *const *buffers = triple->buffers;
    const uint64_t bytes = triple->chain_bytes;
    const uint64_t at = i * bytes;
    const gp_addr x = buffers[SOURCE]->address + at;
    const gp_addr y = buffers[RESULT]->address + at;
    const uint32_t count = (uint32_t)(bytes / sizeof(float));
    const void *values[] = {&x, &y, &count};
    const struct gp_access accesses[] = {{buffers[SOURCE], at, bytes, GP_ACCESS_READ},
                                         {buffers[RESULT], at, bytes, GP_ACCESS_WRITE}};
    const struct gp_launch launch = {
        .kernel = &kernel,
        .grid = {(count + 255) / 256, 1, 1},
        .block = {256, 1, 1},
        .args = values,
        .accesses = accesses,
        .access_count = 2,
    };
    struct gp_op *up = gp_op_copy(builder, "up", buffers[SOURCE], at, buffers[IN], at, bytes);
    struct gp_op *down = gp_op_copy(builder, "down", buffers[OUT], at, buffers[RESULT], at, bytes);

    return gp_op_and_then(builder,
                          gp_op_and_then(builder, up, gp_op_kernel(builder, NULL, &launch)), down);
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    const uint32_t chains = (uint32_t)workload->values[CHAINS];
    const uint64_t bytes = all_bytes(workload->values);
    struct triple *triple = gp_alloc(1, sizeof *triple);
    struct gp_op **all = gp_alloc(chains, sizeof(struct gp_op *));
    struct gp_builder *builder = NULL;
    int code;

    workload->state = triple;
    if (triple == NULL || all == NULL) {
        gp_free((void *)all);
        return gp_fail(err, GP_ENOMEM, "out of host memory");
    }
    triple->chain_bytes = bytes / chains;
    code = make_buffers(triple, workload->device, bytes, err);
    if (code == 0) {
        code = gp_builder_create(&builder, err);
    }
    if (code == 0) {
        float *in = gp_buffer_host(triple->buffers[IN]);

        for (uint64_t i = 0; i < bytes / sizeof(float); i++) {
            in[i] = (float)((i + workload->seed) % 1000);
        }
        for (uint32_t i = 0; i < chains; i++) {
            all[i] = make_chain(triple, builder, i);
        }
        code = gp_dag_freeze(builder, gp_op_zip(builder, all, chains), &workload->dag, err);
    }
    gp_builder_destroy(builder);
    gp_free((void *)all);
    return code;
}

/* So that a result that was never written is not mistaken for a right one. */
static int reset(struct gp_workload *workload, struct gp_error *err)
{
    struct triple *triple = workload->state;

    return gp_buffer_fill(triple->buffers[OUT], workload->stream, 0xff, err);
}

/* Optional: without it results say "not checked". */
static int verify(struct gp_workload *workload, struct gp_error *err)
{
    const struct triple *triple = workload->state;
    const float *in = gp_buffer_host(triple->buffers[IN]);
    const float *out = gp_buffer_host(triple->buffers[OUT]);

    for (uint64_t i = 0; i < all_bytes(workload->values) / sizeof(float); i++) {
        if (out[i] != 3 * in[i]) {
            return gp_fail(err, GP_EVERIFY, "y[%llu]: got %g, expected %g", (unsigned long long)i,
                           (double)out[i], (double)(3 * in[i]));
        }
    }
    return 0;
}

static void teardown(struct gp_workload *workload)
{
    struct triple *triple = workload->state;

    for (int i = 0; triple != NULL && i < BUFFERS; i++) {
        gp_buffer_destroy(triple->buffers[i]);
    }
    gp_free(triple);
}

static const struct gp_scenario_ops triple_scenario = {
    .name = "triple",
    .summary = "numbers go up, are tripled by a kernel of its own, and come back",
    .expect = "Copies take longer than the kernel, so streams help until both copy engines are "
              "busy all the time, which two or three do.",
    .parameters = parameters,
    .bytes = device_bytes,
    .setup = setup,
    .reset = reset,
    .verify = verify,
    .teardown = teardown,
};

GP_SCENARIO_PLUGIN(triple_scenario);
