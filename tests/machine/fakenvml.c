/*
 * A libnvidia-ml.so.1 for tests: one GPU whose state the environment tells.
 *
 *     GPUPROBE_FAKE_NVML=KEY=VALUE,...
 *     uuid=TEXT   the GPU's; default: any
 *     absent=1    nothing works
 *     sm, memory, throttle, processes: the figures from sample `from` to before sample `to`, with
 *     flip=1 only in every second of them
 *
 * A sample begins with the question for the SM clock; the first is 1. Otherwise the machine is
 * steady: 1980 and 3201 MHz, no reason to slow down, one process.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "probe/machine/nvml.h"

/* Prototypes as NVML has them. */
const char *nvmlErrorString(gp_nvml_result result);
#define X(symbol, parameters) gp_nvml_result symbol parameters;
GP_NVML_REQUIRED(X)
GP_NVML_OPTIONAL(X)
#undef X

enum { NOT_SUPPORTED = 3, NOT_FOUND = 6 };

static int sample_count;
static char device;

/* The text behind "KEY=" in the plan; NULL when the plan does not have it. */
static const char *find(const char *key)
{
    const char *plan = getenv("GPUPROBE_FAKE_NVML");
    size_t length = strlen(key);

    while (plan != NULL && *plan != '\0') {
        if (strncmp(plan, key, length) == 0 && plan[length] == '=') {
            return plan + length + 1;
        }
        plan = strchr(plan, ',');
        plan = plan != NULL ? plan + 1 : NULL;
    }
    return NULL;
}

static unsigned int number(const char *key, unsigned int otherwise)
{
    const char *text = find(key);

    return text != NULL ? (unsigned int)strtoul(text, NULL, 0) : otherwise;
}

static unsigned int figure(const char *key, unsigned int steady)
{
    unsigned int sample = (unsigned int)sample_count;

    bool inside = sample >= number("from", ~0U) && sample < number("to", ~0U);

    if (number("flip", 0) != 0 && sample % 2 == 0) {
        inside = false;
    }
    return inside ? number(key, steady) : steady;
}

const char *nvmlErrorString(gp_nvml_result result)
{
    return result == NOT_FOUND ? "Not Found" : "Not Supported";
}

gp_nvml_result nvmlInit_v2(void)
{
    sample_count = 0;
    return number("absent", 0) != 0 ? NOT_SUPPORTED : 0;
}

gp_nvml_result nvmlShutdown(void)
{
    return 0;
}

gp_nvml_result nvmlDeviceGetHandleByUUID(const char *uuid, struct nvmlDevice_st **out)
{
    const char *known = find("uuid");

    *out = (struct nvmlDevice_st *)&device;
    return known == NULL || strncmp(uuid, known, strlen(uuid)) == 0 ? 0 : NOT_FOUND;
}

gp_nvml_result nvmlDeviceGetDeviceHandleFromMigDeviceHandle(struct nvmlDevice_st *slice,
                                                            struct nvmlDevice_st **out)
{
    *out = slice;
    return 0;
}

gp_nvml_result nvmlDeviceGetClockInfo(struct nvmlDevice_st *gpu, unsigned int clock,
                                      unsigned int *mhz)
{
    (void)gpu;
    sample_count += clock == GP_NVML_CLOCK_SM;
    *mhz = clock == GP_NVML_CLOCK_SM ? figure("sm", 1980) : figure("memory", 3201);
    return 0;
}

gp_nvml_result nvmlDeviceGetCurrentClocksThrottleReasons(struct nvmlDevice_st *gpu,
                                                         unsigned long long *reasons)
{
    (void)gpu;
    *reasons = figure("throttle", 0);
    return 0;
}

gp_nvml_result nvmlDeviceGetPowerUsage(struct nvmlDevice_st *gpu, unsigned int *milliwatts)
{
    (void)gpu;
    *milliwatts = 131202;
    return 0;
}

gp_nvml_result nvmlDeviceGetTemperature(struct nvmlDevice_st *gpu, unsigned int sensor,
                                        unsigned int *celsius)
{
    (void)gpu;
    (void)sensor;
    (void)celsius;
    return NOT_SUPPORTED;
}

gp_nvml_result nvmlDeviceGetComputeRunningProcesses_v3(struct nvmlDevice_st *gpu,
                                                       unsigned int *count,
                                                       struct gp_nvml_process *processes)
{
    (void)gpu;
    (void)processes;
    *count = figure("processes", 1);
    return 0;
}
