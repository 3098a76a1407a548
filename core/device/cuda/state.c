/* What every call of the CUDA device goes through: the check at its head, the error at its end, and
 * the device's own stream. */
#include <assert.h>

#include "core/device/cuda/internal.h"

_Thread_local struct gp_cuda_thread gp_cuda_thread;

int gp_cuda_refuse(struct gp_cuda *cuda, struct gp_error *err)
{
    const int ordinal = cuda->base.info.ordinal;

    if (gp_cuda_thread.in_host_function) {
        return gp_fail(err, GP_ESTATE, "a host function must not call the device (cuda:%d)",
                       ordinal);
    }
    if (gp_cuda_thread.attached != &cuda->base) {
        return gp_fail(err, GP_ESTATE,
                       "this thread is not attached to cuda:%d: call gp_device_attach first",
                       ordinal);
    }
    assert(atomic_load_explicit(&cuda->lost, memory_order_relaxed));
    /* `fault` was complete before `lost` was set. */
    (void)atomic_load_explicit(&cuda->lost, memory_order_acquire);
    if (err != NULL) {
        *err = cuda->fault;
    }
    return GP_EFAULT;
}

/* The first fault is kept: later ones are its echo, and only the first names the call that saw it.
 */
static void remember_fault(struct gp_cuda *cuda, const struct gp_error *fault)
{
    (void)pthread_mutex_lock(&cuda->lock);
    if (!atomic_load_explicit(&cuda->lost, memory_order_relaxed)) {
        cuda->fault = *fault;
        atomic_store_explicit(&cuda->lost, true, memory_order_release);
    }
    (void)pthread_mutex_unlock(&cuda->lock);
}

static bool breaks_capture(gp_cu_result result)
{
    return result >= GP_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
           result <= GP_CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

int gp_cuda_fail(struct gp_cuda *cuda, gp_cu_result result, const char *call, struct gp_error *err)
{
    struct gp_error failure = {0};
    int code = gp_cuda_driver_fail(&cuda->driver, result, call, &failure);

    if (code == GP_EFAULT) {
        (void)gp_cuda_fail_append(&failure, code,
                                  "work submitted before did it, and cuda:%d is lost to this "
                                  "process (compute-sanitizer finds the kernel)",
                                  cuda->base.info.ordinal);
        remember_fault(cuda, &failure);
    } else if (breaks_capture(result) && gp_cuda_thread.capturing != NULL) {
        gp_cuda_capture_abandon(cuda);
        (void)gp_cuda_fail_append(&failure, code, "it cannot be captured, and the capture is over");
        failure.code = GP_EUNSUPPORTED;
    }
    if (err != NULL) {
        *err = failure;
    }
    return failure.code;
}

int gp_cuda_released(struct gp_cuda *cuda, gp_cu_result result, const char *call,
                     struct gp_error *err)
{
    if (result == 0 || atomic_load_explicit(&cuda->lost, memory_order_relaxed)) {
        return 0;
    }
    return gp_cuda_fail(cuda, result, call, err);
}

/* Lazily: streams made before the pool's would take part in the order of connections. */
int gp_cuda_control_stream(struct gp_cuda *cuda, struct gp_stream **out, struct gp_error *err)
{
    int code = 0;

    (void)pthread_mutex_lock(&cuda->control_lock);
    if (cuda->control == NULL) {
        code = gp_cuda_stream_create(&cuda->base, GP_STREAM_NON_BLOCKING,
                                     cuda->base.info.priority_greatest, &cuda->control, err);
    }
    *out = cuda->control;
    (void)pthread_mutex_unlock(&cuda->control_lock);
    return code;
}
