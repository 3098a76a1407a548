/*
 * libcuda.so.1, loaded: the table of its functions, its version, and its errors in our words. Knows
 * no device, stream or kernel.
 */
#ifndef GP_CORE_DEVICE_CUDA_DRIVER_H
#define GP_CORE_DEVICE_CUDA_DRIVER_H

#include "core/device/cuda/symbols.h"
#include "core/error.h"

struct gp_cuda_driver {
    void *library;
    int version; /* 13000 for 13.0 */
    char path[256];
    int device_count;
#define X(symbol, since, base, parameters) gp_cu_result(*symbol) parameters;
    GP_CUDA_REQUIRED(X)
#undef X
/* NULL when this driver has it not. */
#define X(symbol, since, base, purpose, parameters) gp_cu_result(*symbol) parameters;
    GP_CUDA_OPTIONAL(X)
#undef X
};

/* Loads libcuda.so.1, checks its version, initialises it and counts the GPUs. Every failure is
 * GP_ENODEVICE and says what was looked for, found and needed; then *out holds what was learned so
 * far (path, version) but must not be called, and needs no unload. */
int gp_cuda_driver_load(struct gp_cuda_driver *out, struct gp_error *err);

/* The library stays mapped: the driver keeps threads that run its code. */
void gp_cuda_driver_unload(struct gp_cuda_driver *driver);

/* Fills *err from a CUresult that is not 0: "cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable
 * device is detected". Returns the GP_E* that says the same. */
int gp_cuda_driver_fail(const struct gp_cuda_driver *driver, gp_cu_result result, const char *call,
                        struct gp_error *err);

/* Puts "; " and more at the end of err's text (NULL allowed). Returns err->code, or `code` without
 * an err. */
int gp_cuda_fail_append(struct gp_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* GP_EUNSUPPORTED for an optional symbol that is NULL. */
int gp_cuda_driver_lacks(const struct gp_cuda_driver *driver, const char *symbol,
                         struct gp_error *err);

/* The index-th optional symbol that this driver has not: its name, or NULL past the last; *purpose
 * and *since say what for and from which driver on. */
const char *gp_cuda_driver_missing(const struct gp_cuda_driver *driver, unsigned int index,
                                   const char **purpose, int *since);

#endif
