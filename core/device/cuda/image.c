/* Kernel images of the CUDA device: machine code first, PTX when the driver refuses it, and the
 * functions in them, loaded before the first launch. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/device/cuda/internal.h"
#include "core/device/cuda/lookup.h"

/* The first line of what the driver's compiler said, in place. */
static void cut_log(char *log)
{
    log[strcspn(log, "\r\n")] = '\0';
}

/* Loads `data` and finds the kernel in it. Both, because a lazily loading driver may object to an
 * image only when a function of it is wanted. */
static int load_module(struct gp_cuda *cuda, const void *data, const struct gp_kernel *kernel,
                       struct CUmod_st **out, struct gp_error *err)
{
    char log[256] = "";
    unsigned int options[] = {GP_CU_JIT_ERROR_LOG_BUFFER, GP_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    struct CUmod_st *module = NULL;
    struct CUfunc_st *function = NULL;
    gp_cu_result result = cuda->driver.cuModuleLoadDataEx(&module, data, 2, options, values);
    int code;

    if (result != 0) {
        code = gp_cuda_fail(cuda, result, "cuModuleLoadDataEx", err);
        cut_log(log);
        return log[0] != '\0' ? gp_cuda_fail_append(err, code, "%s", log) : code;
    }
    result = cuda->driver.cuModuleGetFunction(&function, module, kernel->symbol);
    if (result != 0) {
        code = gp_cuda_fail(cuda, result, "cuModuleGetFunction", err);
        (void)cuda->driver.cuModuleUnload(module);
        return code;
    }
    *out = module;
    return 0;
}

/* A refusal of the image itself, after which the other kind may do. */
static bool may_try_other(int code)
{
    return code == GP_EDRIVER || code == GP_EUNSUPPORTED;
}

static int fail_no_image(const struct gp_cuda *cuda, const struct gp_kernel *kernel,
                         struct gp_error *err)
{
    return gp_fail(err, GP_EUNSUPPORTED, "image '%s' has no %s, so kernel '%s' cannot be loaded",
                   kernel->image->name,
                   cuda->ptx_only ? "PTX (',ptx' was asked for)" : "code for a GPU", kernel->name);
}

/* Loads a kernel's image: the first of its kinds that the driver takes. Caller holds load_lock. */
static int load_image(struct gp_cuda *cuda, const struct gp_kernel *kernel, struct CUmod_st **out,
                      struct gp_error *err)
{
    const struct gp_image *image = kernel->image;
    struct gp_device_info *info = &cuda->base.info;
    struct gp_error refusal = {0};
    int code = GP_EUNSUPPORTED;

    if (cuda->image_count == GP_CUDA_IMAGES_MAX) {
        return gp_fail(err, GP_EINVAL, "image '%s': one device loads at most %d images",
                       image->name, GP_CUDA_IMAGES_MAX);
    }
    if (image->fatbin != NULL && !cuda->ptx_only) {
        code = load_module(cuda, image->fatbin, kernel, out, &refusal);
        if (code == 0) {
            (void)snprintf(info->image, sizeof info->image, "fatbin");
            info->image_note[0] = '\0';
        }
    } else {
        (void)gp_fail(&refusal, code, "%s",
                      image->fatbin == NULL ? "this build has no machine code (no nvcc)"
                                            : "the PTX was asked for");
    }
    if (code != 0 && may_try_other(code) && image->ptx != NULL) {
        struct gp_error first = refusal;

        code = load_module(cuda, image->ptx, kernel, out, &refusal);
        if (code == 0) {
            (void)snprintf(info->image, sizeof info->image, "ptx");
            (void)snprintf(info->image_note, sizeof info->image_note, "%.159s", first.text);
        }
    } else if (code != 0 && image->ptx == NULL && (image->fatbin == NULL || cuda->ptx_only)) {
        return fail_no_image(cuda, kernel, err);
    }
    if (code != 0) {
        if (err != NULL) {
            *err = refusal;
            (void)gp_fail_context(err, "image '%s', kernel '%s'", image->name, kernel->name);
        }
        return code;
    }
    cuda->images[cuda->image_count].image = image;
    cuda->images[cuda->image_count].module = *out;
    cuda->image_count++;
    return 0;
}

static int find_image(struct gp_cuda *cuda, const struct gp_kernel *kernel, struct CUmod_st **out,
                      struct gp_error *err)
{
    for (uint32_t i = 0; i < cuda->image_count; i++) {
        if (cuda->images[i].image == kernel->image) {
            *out = cuda->images[i].module;
            return 0;
        }
    }
    return load_image(cuda, kernel, out, err);
}

/* Makes the driver load the function's code now: left to the first launch it would serialise the
 * device there. Reading an attribute needs the code too, for drivers without cuFuncLoad. */
static int load_function(struct gp_cuda *cuda, struct CUfunc_st *function, struct gp_error *err)
{
    int registers = 0;

    if (cuda->driver.cuFuncLoad != NULL) {
        return gp_cuda_done(cuda, cuda->driver.cuFuncLoad(function), "cuFuncLoad", err);
    }
    return gp_cuda_done(
        cuda, cuda->driver.cuFuncGetAttribute(&registers, GP_CU_FUNC_ATTRIBUTE_NUM_REGS, function),
        "cuFuncGetAttribute", err);
}

static void insert(struct gp_cuda *cuda, const struct gp_kernel *kernel, struct CUfunc_st *function)
{
    uint32_t slot = gp_cuda_lookup_slot(kernel);

    while (atomic_load_explicit(&cuda->functions[slot].kernel, memory_order_relaxed) != NULL) {
        slot = (slot + 1) & (GP_CUDA_KERNEL_SLOTS - 1);
    }
    cuda->functions[slot].function = function;
    atomic_store_explicit(&cuda->functions[slot].kernel, kernel, memory_order_release);
    cuda->function_count++;
}

/* Caller holds load_lock. */
static int prepare(struct gp_cuda *cuda, const struct gp_kernel *kernel, struct gp_error *err)
{
    struct CUmod_st *module = NULL;
    struct CUfunc_st *function = NULL;
    int code;

    if (gp_cuda_lookup(cuda->functions, kernel) != NULL) {
        return 0;
    }
    if (cuda->function_count == GP_CUDA_KERNELS_MAX) {
        return gp_fail(err, GP_EINVAL, "kernel '%s': one device prepares at most %d kernels",
                       kernel->name, GP_CUDA_KERNELS_MAX);
    }
    code = find_image(cuda, kernel, &module, err);
    if (code != 0) {
        return code;
    }
    code = gp_cuda_done(cuda, cuda->driver.cuModuleGetFunction(&function, module, kernel->symbol),
                        "cuModuleGetFunction", err);
    if (code == 0) {
        code = load_function(cuda, function, err);
    }
    if (code != 0) {
        return err != NULL ? gp_fail_context(err, "kernel '%s', entry '%s' of image '%s'",
                                             kernel->name, kernel->symbol, kernel->image->name)
                           : code;
    }
    insert(cuda, kernel, function);
    return 0;
}

int gp_cuda_kernel_prepare(struct gp_device *device, const struct gp_kernel *kernel,
                           struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    int code = gp_cuda_enter(cuda, err);

    assert(kernel != NULL && kernel->symbol != NULL && kernel->image != NULL);
    assert(kernel->arg_count <= GP_KERNEL_ARGS_MAX);
    if (code != 0) {
        return code;
    }
    (void)pthread_mutex_lock(&cuda->load_lock);
    code = prepare(cuda, kernel, err);
    (void)pthread_mutex_unlock(&cuda->load_lock);
    return code;
}

void gp_cuda_images_release(struct gp_cuda *cuda)
{
    for (uint32_t i = 0; i < cuda->image_count; i++) {
        (void)cuda->driver.cuModuleUnload(cuda->images[i].module);
    }
    cuda->image_count = 0;
}
