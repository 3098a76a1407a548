/* The machine while it is measured: see machine.h. */
#include "probe/machine/machine.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/machine/nvml.h"
#include "probe/memory.h"

static const int64_t throttle_idle = 0x01;
/* Clocks are told in steps of 15 MHz, less than 1 % of those under load. */
static const double clock_tolerance = 0.02;

struct gp_machine {
    struct gp_nvml nvml;
    struct nvmlDevice_st *device;
};

/* ---- opening ------------------------------------------------------------------------------- */

/* Clocks and power are the whole GPU's: a MIG slice has a handle that knows none. */
static gp_nvml_result find_device(struct gp_machine *machine, const char *uuid)
{
    const struct gp_nvml *nvml = &machine->nvml;
    gp_nvml_result result = nvml->nvmlDeviceGetHandleByUUID(uuid, &machine->device);
    struct nvmlDevice_st *whole;

    if (result == 0 && strncmp(uuid, "MIG-", 4) == 0 &&
        nvml->nvmlDeviceGetDeviceHandleFromMigDeviceHandle != NULL &&
        nvml->nvmlDeviceGetDeviceHandleFromMigDeviceHandle(machine->device, &whole) == 0) {
        machine->device = whole;
    }
    return result;
}

int gp_machine_create(const struct gp_device_info *info, struct gp_machine **out,
                      struct gp_error *err)
{
    struct gp_machine *machine;
    gp_nvml_result result;
    int code;

    *out = NULL;
    if (info->uuid[0] == '\0') {
        return gp_fail(err, GP_EUNSUPPORTED, "%s has no UUID by which NVML would know it",
                       info->name);
    }
    machine = gp_xalloc(1, sizeof *machine);
    code = gp_nvml_load(&machine->nvml, err);
    if (code != 0) {
        gp_free(machine);
        return code;
    }
    result = find_device(machine, info->uuid);
    if (result != 0) {
        code = gp_fail(err, GP_EUNSUPPORTED, "NVML does not know %s: nvmlDeviceGetHandleByUUID: %s",
                       info->uuid, machine->nvml.nvmlErrorString(result));
        gp_machine_destroy(machine);
        return code;
    }
    *out = machine;
    return 0;
}

void gp_machine_destroy(struct gp_machine *machine)
{
    if (machine != NULL) {
        gp_nvml_unload(&machine->nvml);
        gp_free(machine);
    }
}

/* ---- sampling ------------------------------------------------------------------------------ */

static int64_t clock_mhz(const struct gp_machine *machine, unsigned int clock)
{
    const struct gp_nvml *nvml = &machine->nvml;
    unsigned int mhz = 0;

    if (nvml->nvmlDeviceGetClockInfo == NULL ||
        nvml->nvmlDeviceGetClockInfo(machine->device, clock, &mhz) != 0) {
        return GP_UNKNOWN;
    }
    return mhz;
}

static int64_t throttle(const struct gp_machine *machine)
{
    const struct gp_nvml *nvml = &machine->nvml;
    unsigned long long reasons = 0;

    if (nvml->nvmlDeviceGetCurrentClocksThrottleReasons == NULL ||
        nvml->nvmlDeviceGetCurrentClocksThrottleReasons(machine->device, &reasons) != 0) {
        return GP_UNKNOWN;
    }
    return (int64_t)(reasons & INT64_MAX);
}

static int64_t power_mw(const struct gp_machine *machine)
{
    const struct gp_nvml *nvml = &machine->nvml;
    unsigned int milliwatts = 0;

    if (nvml->nvmlDeviceGetPowerUsage == NULL ||
        nvml->nvmlDeviceGetPowerUsage(machine->device, &milliwatts) != 0) {
        return GP_UNKNOWN;
    }
    return milliwatts;
}

static int64_t temperature_c(const struct gp_machine *machine)
{
    const struct gp_nvml *nvml = &machine->nvml;
    unsigned int celsius = 0;

    if (nvml->nvmlDeviceGetTemperature == NULL ||
        nvml->nvmlDeviceGetTemperature(machine->device, GP_NVML_TEMPERATURE_GPU, &celsius) != 0) {
        return GP_UNKNOWN;
    }
    return celsius;
}

/* This process has a context, so it is one of them; which one cannot be told inside a container,
 * where every pid is 0. */
static int64_t other_processes(const struct gp_machine *machine)
{
    struct gp_nvml_process processes[64];
    unsigned int count = sizeof processes / sizeof processes[0];
    gp_nvml_result result;

    if (machine->nvml.nvmlDeviceGetComputeRunningProcesses_v3 == NULL) {
        return GP_UNKNOWN;
    }
    result =
        machine->nvml.nvmlDeviceGetComputeRunningProcesses_v3(machine->device, &count, processes);
    if (result != 0 && result != GP_NVML_INSUFFICIENT_SIZE) {
        return GP_UNKNOWN;
    }
    return count > 0 ? (int64_t)count - 1 : 0;
}

void gp_machine_sample(struct gp_machine *machine, struct gp_state_row *out)
{
    assert(machine != NULL);
    *out = (struct gp_state_row){
        .sm_clock_mhz = clock_mhz(machine, GP_NVML_CLOCK_SM),
        .memory_clock_mhz = clock_mhz(machine, GP_NVML_CLOCK_MEM),
        .throttle = throttle(machine),
        .power_mw = power_mw(machine),
        .temperature_c = temperature_c(machine),
        .processes = other_processes(machine),
        .note = "",
    };
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* Cut where the text is full. */
static void add(char text[GP_MACHINE_TEXT_BYTES], const char *part)
{
    size_t used = strlen(text);

    (void)snprintf(text + used, GP_MACHINE_TEXT_BYTES - used, "%s%s", used > 0 ? ", " : "", part);
}

void gp_machine_throttle_text(int64_t mask, char text[GP_MACHINE_TEXT_BYTES])
{
    static const struct {
        int64_t bit;
        const char *words;
    } reasons[] = {
#define X(bit, words) {bit, words},
        GP_THROTTLES(X)
#undef X
    };

    text[0] = '\0';
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (mask != GP_UNKNOWN && (mask & reasons[i].bit) != 0) {
            add(text, reasons[i].words);
        }
    }
}

static bool is_idle(const struct gp_state_row *state)
{
    return state->throttle != GP_UNKNOWN && (state->throttle & throttle_idle) != 0;
}

static void compare_clocks(const char *name, int64_t before, int64_t after,
                           char text[GP_MACHINE_TEXT_BYTES])
{
    char part[GP_MACHINE_TEXT_BYTES];

    if (before == GP_UNKNOWN || after == GP_UNKNOWN ||
        fabs((double)(after - before)) <= clock_tolerance * (double)before) {
        return;
    }
    (void)snprintf(part, sizeof part, "the %s clock went from %lld to %lld MHz", name,
                   (long long)before, (long long)after);
    add(text, part);
}

static void compare_throttles(int64_t before, int64_t after, char text[GP_MACHINE_TEXT_BYTES])
{
    char old[GP_MACHINE_TEXT_BYTES], new[GP_MACHINE_TEXT_BYTES];
    char part[GP_MACHINE_TEXT_BYTES];

    gp_machine_throttle_text(before, old);
    gp_machine_throttle_text(after, new);
    if (before == GP_UNKNOWN || after == GP_UNKNOWN || strcmp(old, new) == 0) {
        return;
    }
    (void)snprintf(part, sizeof part, "reasons to slow down went from %s to %s",
                   old[0] != '\0' ? old : "none", new[0] != '\0' ? new : "none");
    add(text, part);
}

static void compare_processes(int64_t before, int64_t after, char text[GP_MACHINE_TEXT_BYTES])
{
    char part[GP_MACHINE_TEXT_BYTES];

    if (before == GP_UNKNOWN || after == GP_UNKNOWN || before == after) {
        return;
    }
    (void)snprintf(part, sizeof part, "other processes on the GPU went from %lld to %lld",
                   (long long)before, (long long)after);
    add(text, part);
}

bool gp_machine_changed(const struct gp_state_row *before, const struct gp_state_row *after,
                        char text[GP_MACHINE_TEXT_BYTES])
{
    text[0] = '\0';
    if (!is_idle(before) && !is_idle(after)) {
        compare_clocks("SM", before->sm_clock_mhz, after->sm_clock_mhz, text);
        compare_clocks("memory", before->memory_clock_mhz, after->memory_clock_mhz, text);
    }
    compare_throttles(before->throttle, after->throttle, text);
    compare_processes(before->processes, after->processes, text);
    return text[0] != '\0';
}
