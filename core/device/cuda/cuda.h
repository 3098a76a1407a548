/*
 * The CUDA device, as seen from outside: its ops table and what `doctor` wants to know of the
 * driver. All else goes through device.h.
 */
#ifndef GP_CORE_DEVICE_CUDA_CUDA_H
#define GP_CORE_DEVICE_CUDA_CUDA_H

#include "core/device/device.h"

extern const struct gp_device_ops gp_device_cuda;

enum { GP_CUDA_MISSING_MAX = 16 };

/* Something the driver has not and what that takes away. Static strings. */
struct gp_cuda_missing {
    const char *symbol;  /* "cuMemAllocAsync" */
    const char *purpose; /* "stream-ordered allocation" */
    int32_t since;       /* the driver that has it: 11020 for 11.2 */
};

struct gp_cuda_report {
    int32_t driver_needed;  /* oldest that works: 10010 for 10.1 */
    int32_t driver_version; /* 0 when there is none */
    char library[256];      /* where libcuda.so.1 was found, "" when it was not */
    int32_t device_count;
    struct gp_error why; /* code 0: usable; else GP_ENODEVICE and the reason */
    struct gp_cuda_missing missing[GP_CUDA_MISSING_MAX];
    uint32_t missing_count; /* optional symbols that are absent; 0 when not usable */
};

/* Looks for the driver and asks it, making no context. Never fails: out->why tells. Any thread. */
void gp_cuda_report(struct gp_cuda_report *out);

#endif
