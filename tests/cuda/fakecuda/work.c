/* Modules, launches, copies, host functions and flags of the test driver. */
#include "fake.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "kernels/kernels.h"

/* What a host function of the model is told; in the list of handles, so it lives until the context
 * ends: a graph may run it again. */
struct note {
    struct fake_handle handle;
    void (*fn)(void *user); /* the caller's host function … */
    void *user;
    _Atomic uint32_t *flag; /* … or a word to write … */
    uint32_t value;
    uint32_t rounds; /* … or a ping-pong */
    _Atomic uint32_t *request;
    _Atomic uint32_t *ack;
    uint64_t *times;
};

static bool is_ptx(const void *image)
{
    const char *text = image;

    return strncmp(text, "//", 2) == 0 || strncmp(text, ".version", 8) == 0;
}

static void write_log(unsigned int count, const unsigned int *options, void **values)
{
    static const char log[] = "line 1; fatal: told to refuse\nmore";

    for (unsigned int i = 0; i < count; i++) {
        if (options[i] == GP_CU_JIT_ERROR_LOG_BUFFER) {
            memcpy(values[i], log, sizeof log);
        }
    }
}

static gp_cu_result run_load(struct fake_call *call)
{
    struct CUmod_st *module = fake_handle_add(FAKE_MODULE, sizeof *module);

    *call->out = module;
    return 0;
}

gp_cu_result cuModuleLoadDataEx(struct CUmod_st **module, const void *image,
                                unsigned int option_count, unsigned int *options, void **values)
{
    void *handle = NULL;
    struct fake_call call = {.name = "cuModuleLoadDataEx", .run = run_load, .out = &handle};
    gp_cu_result result;

    if (is_ptx(image) ? fake_plan.refuse_ptx : fake_plan.refuse_fatbin) {
        write_log(option_count, options, values);
        return is_ptx(image) ? GP_CUDA_ERROR_INVALID_PTX : GP_CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    result = fake_ask(&call);
    *module = handle;
    return result;
}

static gp_cu_result run_unload(struct fake_call *call)
{
    struct CUmod_st *module = fake_handle_get(call->handle, FAKE_MODULE);

    if (module == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    fake_handle_remove(module);
    return 0;
}

gp_cu_result cuModuleUnload(struct CUmod_st *module)
{
    struct fake_call call = {.name = "cuModuleUnload", .run = run_unload, .handle = module};

    return fake_ask(&call);
}

/* A function's handle is its descriptor. */
gp_cu_result cuModuleGetFunction(struct CUfunc_st **function, struct CUmod_st *module,
                                 const char *name)
{
    gp_cu_result result = fake_enter("cuModuleGetFunction");

    (void)module;
    for (size_t i = 0; i < gp_kernel_table_count && result == 0; i++) {
        if (strcmp(gp_kernel_table[i]->symbol, name) == 0) {
            const struct gp_kernel *kernel = gp_kernel_table[i];

            memcpy(function, &kernel, sizeof(void *));
            return 0;
        }
    }
    return result != 0 ? result : GP_CUDA_ERROR_NOT_FOUND;
}

gp_cu_result cuFuncGetAttribute(int *value, unsigned int attribute, struct CUfunc_st *function)
{
    (void)function;
    if (attribute != GP_CU_FUNC_ATTRIBUTE_NUM_REGS) {
        return GP_CUDA_ERROR_INVALID_VALUE;
    }
    *value = 32;
    return fake_enter("cuFuncGetAttribute");
}

gp_cu_result cuFuncLoad(struct CUfunc_st *function)
{
    (void)function;
    return fake_enter("cuFuncLoad");
}

static uint64_t device_clock_ns(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return ((uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec) / 32 * 32;
}

static void ping(const struct note *note)
{
    for (uint32_t round = 1; round <= note->rounds; round++) {
        while (atomic_load_explicit(note->request, memory_order_acquire) < round) {
        }
        note->times[round - 1] = device_clock_ns();
        atomic_store_explicit(note->ack, round, memory_order_release);
    }
}

/* On the model's thread for host functions. */
static void run_note(void *user)
{
    struct note *note = user;

    fake_thread.in_host_function = true;
    if (note->fn != NULL) {
        note->fn(note->user);
    } else if (note->flag != NULL) {
        atomic_store_explicit(note->flag, note->value, memory_order_release);
    } else {
        ping(note);
    }
    fake_thread.in_host_function = false;
}

static gp_cu_result submit_note(struct gp_stream *stream, const struct note *content)
{
    struct note *note;

    if (stream == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    note = fake_handle_add(FAKE_NOTE, sizeof *note);
    note->fn = content->fn;
    note->user = content->user;
    note->flag = content->flag;
    note->value = content->value;
    note->rounds = content->rounds;
    note->request = content->request;
    note->ack = content->ack;
    note->times = content->times;
    return fake_result(gp_stream_host_function(stream, run_note, note, NULL));
}

/* The model has no host to talk to, so the ping-pong is a host function here. */
static gp_cu_result launch_ping(struct gp_stream *stream, const struct gp_launch *launch)
{
    struct note content = {
        .request = gp_launch_pointer(launch, 0),
        .ack = gp_launch_pointer(launch, 1),
        .times = gp_launch_pointer(launch, 2),
        .rounds = GP_ARG(launch, 3, uint32_t),
    };

    return submit_note(stream, &content);
}

static gp_cu_result run_launch(struct fake_call *call)
{
    const struct gp_launch *launch = call->data;
    struct gp_stream *stream = fake_stream(call->handle);

    if (stream == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    if (fake_plan.launches_left == 0) {
        fake_set_fault(GP_CUDA_ERROR_ILLEGAL_ADDRESS);
        return 0;
    }
    if (fake_plan.launches_left > 0) {
        fake_plan.launches_left--;
    }
    if (launch->kernel == &gp_kernel_ping) {
        return launch_ping(stream, launch);
    }
    if (strcmp(launch->kernel->name, fake_plan.lost_kernel) == 0) {
        return 0;
    }
    if (gp_device_kernel_prepare(fake_model, launch->kernel, NULL) != 0) {
        return GP_CUDA_ERROR_INVALID_IMAGE;
    }
    return fake_result(gp_stream_launch(stream, launch, NULL));
}

/* NOLINTNEXTLINE(readability-function-size): the driver's signature */
gp_cu_result cuLaunchKernel(struct CUfunc_st *function, unsigned int grid_x, unsigned int grid_y,
                            unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                            unsigned int block_z, unsigned int shared_bytes,
                            struct CUstream_st *stream, void **args, void **extra)
{
    const struct gp_kernel *kernel = (const void *)function;
    struct gp_launch launch = {
        .kernel = kernel,
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .shared_bytes = shared_bytes,
        .args = (const void *const *)args,
    };
    struct fake_call call = {
        .name = "cuLaunchKernel", .run = run_launch, .handle = stream, .data = &launch};

    (void)extra;
    if (gp_launch_blocks(&launch) == 0 || gp_launch_threads(&launch) == 0 ||
        gp_launch_threads(&launch) > 1024) {
        return GP_CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(&launch.stamp, args[kernel->arg_count], sizeof launch.stamp);
    return fake_ask(&call);
}

static gp_cu_result run_copy(struct fake_call *call)
{
    struct gp_stream *stream = fake_stream(call->handle);

    return stream == NULL ? (gp_cu_result)GP_CUDA_ERROR_INVALID_HANDLE
                          : fake_result(gp_stream_copy(stream, (enum gp_copy_kind)call->value,
                                                       call->to, call->from, call->bytes, NULL));
}

static gp_cu_result copy(const char *name, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                         size_t bytes, struct CUstream_st *stream)
{
    struct fake_call call = {.name = name,
                             .run = run_copy,
                             .value = (int)kind,
                             .to = to,
                             .from = from,
                             .bytes = bytes,
                             .handle = stream};

    return fake_ask(&call);
}

gp_cu_result cuMemcpyHtoDAsync_v2(gp_cu_address to, const void *from, size_t bytes,
                                  struct CUstream_st *stream)
{
    return copy("cuMemcpyHtoDAsync_v2", GP_COPY_H2D, to, (uintptr_t)from, bytes, stream);
}

gp_cu_result cuMemcpyDtoHAsync_v2(void *to, gp_cu_address from, size_t bytes,
                                  struct CUstream_st *stream)
{
    return copy("cuMemcpyDtoHAsync_v2", GP_COPY_D2H, (uintptr_t)to, from, bytes, stream);
}

gp_cu_result cuMemcpyDtoDAsync_v2(gp_cu_address to, gp_cu_address from, size_t bytes,
                                  struct CUstream_st *stream)
{
    return copy("cuMemcpyDtoDAsync_v2", GP_COPY_D2D, to, from, bytes, stream);
}

static gp_cu_result run_set(struct fake_call *call)
{
    struct gp_stream *stream = fake_stream(call->handle);

    return stream == NULL ? (gp_cu_result)GP_CUDA_ERROR_INVALID_HANDLE
                          : fake_result(gp_stream_set(stream, call->to, (uint8_t)call->value,
                                                      call->bytes, NULL));
}

gp_cu_result cuMemsetD8Async(gp_cu_address to, unsigned char value, size_t count,
                             struct CUstream_st *stream)
{
    struct fake_call call = {.name = "cuMemsetD8Async",
                             .run = run_set,
                             .to = to,
                             .value = value,
                             .bytes = count,
                             .handle = stream};

    return fake_ask(&call);
}

static gp_cu_result run_submit_note(struct fake_call *call)
{
    return submit_note(fake_stream(call->handle), call->data);
}

gp_cu_result cuLaunchHostFunc(struct CUstream_st *stream, void (*fn)(void *), void *user)
{
    const struct note content = {.fn = fn, .user = user};
    struct fake_call call = {
        .name = "cuLaunchHostFunc", .run = run_submit_note, .handle = stream, .data = &content};

    return fake_ask(&call);
}

/* The model's own flag would be written where only its flag_read may look. */
gp_cu_result cuStreamWriteValue32_v2(struct CUstream_st *stream, gp_cu_address address,
                                     uint32_t value, unsigned int flags)
{
    const struct note content = {.flag = (_Atomic uint32_t *)(uintptr_t)address, .value = value};
    struct fake_call call = {.name = "cuStreamWriteValue32_v2",
                             .run = run_submit_note,
                             .handle = stream,
                             .data = &content};

    (void)flags;
    return fake_ask(&call);
}
