/* The platform: see platform.h. */
#include "probe/machine/platform.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0';
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

size_t gp_platform_notes(const char *uuid, const char *notes[GP_PLATFORM_NOTES_MAX])
{
    size_t count = 0;

    if (is_there("/dev/dxg")) {
        notes[count++] = "WSL: the driver submits in batches, so times of submission say little";
    }
    if (is_set("CUDA_MPS_PIPE_DIRECTORY") || is_there("/tmp/nvidia-mps/control")) {
        notes[count++] = "MPS: connections come from a shared pool, and other clients may run "
                         "at the same time";
    }
    if (strncmp(uuid, "MIG-", 4) == 0) {
        notes[count++] = "MIG: SMs, copy engines and bandwidth are a slice of the GPU's";
    }
    if (is_set("CUDA_VISIBLE_DEVICES")) {
        notes[count++] = "CUDA_VISIBLE_DEVICES is set: other GPUs are hidden";
    }
    if (is_set("CUDA_LAUNCH_BLOCKING")) {
        notes[count++] = "CUDA_LAUNCH_BLOCKING is set: launches wait, nothing can overlap";
    }
    if (is_set("NVTX_INJECTION64_PATH") || is_set("NSYS_PROFILING_SESSION_ID")) {
        notes[count++] = "a profiler is attached and costs time of its own";
    }
    return count;
}
