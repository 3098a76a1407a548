/*
 * The few functions of NVML that we call, found in libnvidia-ml.so.1 at run time, so that nothing
 * has to be there to build or start. Our own small ABI of it; names, types and layouts are those of
 * NVIDIA's nvml.h (CUDA 13.0). Internal to probe/machine.
 */
#ifndef GP_PROBE_MACHINE_NVML_H
#define GP_PROBE_MACHINE_NVML_H

#include "core/error.h"

/* nvmlReturn_t. */
typedef unsigned int gp_nvml_result;
struct nvmlDevice_st;

enum {
    GP_NVML_CLOCK_SM = 1,
    GP_NVML_CLOCK_MEM = 2,
    GP_NVML_TEMPERATURE_GPU = 0,
    GP_NVML_INSUFFICIENT_SIZE = 7
};

/* nvmlProcessInfo_v2_t, which the third version of the call fills too. */
struct gp_nvml_process {
    unsigned int pid; /* 0 for a process outside this pid namespace */
    unsigned long long used_bytes;
    unsigned int gpu_instance, compute_instance;
};

/* X(symbol, parameters). Newer NVML has other names for some; these are exported by all since R510.
 */
#define GP_NVML_REQUIRED(X)                                                                        \
    X(nvmlInit_v2, (void))                                                                         \
    X(nvmlShutdown, (void))                                                                        \
    X(nvmlDeviceGetHandleByUUID, (const char *uuid, struct nvmlDevice_st **device))

/* A figure whose function is missing is not known. */
#define GP_NVML_OPTIONAL(X)                                                                        \
    X(nvmlDeviceGetDeviceHandleFromMigDeviceHandle,                                                \
      (struct nvmlDevice_st * slice, struct nvmlDevice_st * *device))                              \
    X(nvmlDeviceGetClockInfo,                                                                      \
      (struct nvmlDevice_st * device, unsigned int clock, unsigned int *mhz))                      \
    X(nvmlDeviceGetCurrentClocksThrottleReasons,                                                   \
      (struct nvmlDevice_st * device, unsigned long long *reasons))                                \
    X(nvmlDeviceGetPowerUsage, (struct nvmlDevice_st * device, unsigned int *milliwatts))          \
    X(nvmlDeviceGetTemperature,                                                                    \
      (struct nvmlDevice_st * device, unsigned int sensor, unsigned int *celsius))                 \
    X(nvmlDeviceGetComputeRunningProcesses_v3,                                                     \
      (struct nvmlDevice_st * device, unsigned int *count, struct gp_nvml_process *processes))

struct gp_nvml {
    void *library;
    const char *(*nvmlErrorString)(gp_nvml_result result);
#define X(symbol, parameters) gp_nvml_result(*symbol) parameters;
    GP_NVML_REQUIRED(X)
    GP_NVML_OPTIONAL(X)
#undef X
};

/* Loads and initialises the library. GP_EUNSUPPORTED says why it cannot be used; *out is then
 * zeroed. */
int gp_nvml_load(struct gp_nvml *out, struct gp_error *err);

/* Takes a zeroed struct. */
void gp_nvml_unload(struct gp_nvml *nvml);

#endif
