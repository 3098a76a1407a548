/* The verb doctor: what is here, what will be used and why. See verbs.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "core/device/cuda/cuda.h"
#include "kernels/kernels.h"
#include "probe/cli/device_choice.h"
#include "probe/cli/json.h"
#include "probe/cli/output.h"
#include "probe/cli/table.h"
#include "probe/cli/timing.h"
#include "probe/cli/verbs.h"
#include "probe/machine/machine.h"
#include "probe/machine/platform.h"
#include "probe/memory.h"
#include "probe/nvtx/nvtx.h"
#include "probe/version.h"

enum { TEXT_BYTES_MAX = 640 };

/* What was found; printed as text or as JSON. */
struct findings {
    struct gp_cuda_report cuda;
    struct gp_chosen_device chosen; /* by -d auto */
    struct gp_error no_gpu;         /* why auto did not take a GPU; code or text empty: it did */
    struct gp_error failure;        /* auto found nothing that works */
    const char *connections_set;    /* the environment's value; NULL not set */
    const char *notes[GP_PLATFORM_NOTES_MAX];
    size_t note_count;
    struct gp_error no_machine; /* why NVML tells nothing; code 0: it does */
    struct gp_state_row machine;
};

static const char connections_variable[] = "CUDA_DEVICE_MAX_CONNECTIONS";

/* The model has no clocks that could change. */
static void examine_machine(struct findings *out)
{
    struct gp_machine *machine;

    if (out->chosen.device == NULL || out->chosen.device->info.kind == GP_DEVICE_MODEL) {
        (void)gp_fail(&out->no_machine, GP_EUNSUPPORTED, "no GPU to watch");
    } else if (gp_machine_create(&out->chosen.device->info, &machine, &out->no_machine) == 0) {
        gp_machine_sample(machine, &out->machine);
        gp_machine_destroy(machine);
    }
}

static void examine(struct findings *out)
{
    memset(out, 0, sizeof *out);
    gp_cuda_report(&out->cuda);
    out->connections_set = getenv(connections_variable);
    if (gp_device_choose("auto", 0, true, &out->chosen, &out->no_gpu) != 0) {
        out->failure = out->no_gpu;
    } else {
        /* Which image the driver takes shows only when a kernel is loaded. */
        (void)gp_device_kernel_prepare(out->chosen.device, &gp_kernel_vector_add, &out->failure);
    }
    examine_machine(out);
    out->note_count = gp_platform_notes(
        out->chosen.device != NULL ? out->chosen.device->info.uuid : "", out->notes);
}

static void add(struct gp_table *table, const char *label, const char *text)
{
    gp_table_row(table, GP_ROW_PLAIN);
    gp_table_cell(table, "%s", label);
    gp_table_cell(table, "%s", text);
}

static void add_driver(struct gp_table *table, const struct gp_cuda_report *cuda)
{
    char text[TEXT_BYTES_MAX];

    if (cuda->why.code != 0) {
        (void)snprintf(text, sizeof text, "not usable: %s", cuda->why.text);
    } else {
        (void)snprintf(text, sizeof text, "for CUDA %d.%d, %d device%s (%s)",
                       (int)(cuda->driver_version / 1000), (int)(cuda->driver_version % 1000 / 10),
                       (int)cuda->device_count, cuda->device_count == 1 ? "" : "s", cuda->library);
    }
    add(table, "driver", text);
    for (uint32_t i = 0; i < cuda->missing_count; i++) {
        (void)snprintf(text, sizeof text, "has no %s (since %d.%d): no %s", cuda->missing[i].symbol,
                       (int)(cuda->missing[i].since / 1000),
                       (int)(cuda->missing[i].since % 1000 / 10), cuda->missing[i].purpose);
        add(table, "", text);
    }
}

static void add_connections(struct gp_table *table, const struct findings *found)
{
    char text[TEXT_BYTES_MAX];
    int32_t connections = found->chosen.device != NULL ? found->chosen.device->info.connections : 0;

    if (found->connections_set != NULL) {
        (void)snprintf(text, sizeof text, "%d (%s is '%.20s')", (int)connections,
                       connections_variable, found->connections_set);
    } else {
        (void)snprintf(text, sizeof text, "%d (the driver's default; %s is not set)",
                       (int)connections, connections_variable);
    }
    add(table, "connections", text);
}

static void add_scheduling(struct gp_table *table, const struct findings *found)
{
    static const char *const meanings[GP_SCHEDULING_COUNT] = {
        [GP_SCHEDULING_AUTO] = "the driver's choice",
        [GP_SCHEDULING_SPIN] = "a waiting thread polls",
        [GP_SCHEDULING_YIELD] = "a waiting thread polls and yields",
        [GP_SCHEDULING_BLOCKING] = "a waiting thread sleeps",
    };
    char text[TEXT_BYTES_MAX];

    if (found->chosen.device != NULL) {
        enum gp_scheduling scheduling = found->chosen.device->info.scheduling;

        (void)snprintf(text, sizeof text, "%s: %s (-d %s,spin or ,yield or ,blocking changes it)",
                       gp_scheduling_name(scheduling), meanings[scheduling],
                       found->chosen.device->info.spec);
        add(table, "scheduling", text);
    }
}

static void add_kernels(struct gp_table *table, const struct findings *found)
{
    char text[TEXT_BYTES_MAX];

    if (GP_TOOLKIT_VERSION[0] != '\0') {
        add(table, "toolkit",
            "built with CUDA " GP_TOOLKIT_VERSION ": the kernels' machine code is in this program");
    } else {
        add(table, "toolkit",
            "built without: the driver compiles the kernels' PTX when it loads it");
    }
    if (found->chosen.device != NULL && found->chosen.device->info.image[0] != '\0') {
        const struct gp_device_info *info = &found->chosen.device->info;

        (void)snprintf(text, sizeof text, "%s%s%s", info->image,
                       info->image_note[0] != '\0' ? ": " : "", info->image_note);
        add(table, "kernels", text);
    }
}

static void add_choice(struct gp_table *table, const struct findings *found)
{
    char text[TEXT_BYTES_MAX];
    const struct gp_device *device = found->chosen.device;

    if (device == NULL) {
        (void)snprintf(text, sizeof text, "nothing: %s", found->failure.text);
    } else if (device->info.kind == GP_DEVICE_MODEL) {
        (void)snprintf(text, sizeof text, "%s (%s), because there is no GPU to use",
                       device->info.spec, device->info.name);
    } else {
        (void)snprintf(text, sizeof text, "%s (%s)", device->info.spec, device->info.name);
    }
    add(table, "-d auto uses", text);
    if (device != NULL && found->failure.code != 0) {
        add(table, "", found->failure.text);
    }
}

/* "what 1980 unit", behind what is there already. */
static void add_number(char *text, size_t bytes, const char *what, int64_t value, const char *unit)
{
    size_t used = strlen(text);

    if (value != GP_UNKNOWN) {
        (void)snprintf(text + used, bytes - used, "%s%s %lld%s", used > 0 ? ", " : "", what,
                       (long long)value, unit);
    }
}

static void add_machine(struct gp_table *table, const struct findings *found)
{
    const struct gp_state_row *state = &found->machine;
    char reasons[GP_MACHINE_TEXT_BYTES];
    char text[TEXT_BYTES_MAX] = "";

    if (found->no_machine.code != 0) {
        add(table, "machine", found->no_machine.text);
        return;
    }
    add_number(text, sizeof text, "SM clock", state->sm_clock_mhz, " MHz");
    add_number(text, sizeof text, "memory clock", state->memory_clock_mhz, " MHz");
    add_number(text, sizeof text, "temperature", state->temperature_c, " °C");
    add_number(text, sizeof text, "power", state->power_mw, " mW");
    add_number(text, sizeof text, "other processes", state->processes, "");
    add(table, "machine", text);
    gp_machine_throttle_text(state->throttle, reasons);
    if (reasons[0] != '\0') {
        (void)snprintf(text, sizeof text, "it is slowed down: %s", reasons);
        add(table, "", text);
    }
}

static void print_text(const struct findings *found, const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {{"", false}, {"", false}};
    struct gp_table table = {.columns = columns, .column_count = 2};

    add(&table, "gpuprobe", GP_VERSION);
    add_driver(&table, &found->cuda);
    add_choice(&table, found);
    add_connections(&table, found);
    add_scheduling(&table, found);
    add_kernels(&table, found);
    add_machine(&table, found);
    add(&table, "NVTX",
        gp_nvtx_is_built_in() ? "built in: Nsight sees the ranges"
                              : "left out (no headers at build time): ranges are only recorded");
    add(&table, "SQLite", sqlite3_libversion());
    for (size_t i = 0; i < found->note_count; i++) {
        add(&table, "note", found->notes[i]);
    }
    gp_table_print(&table, terminal, 0);
    gp_table_finish(&table);
}

static json_t *driver_json(const struct gp_cuda_report *cuda)
{
    json_t *missing = gp_json_need(json_array());

    for (uint32_t i = 0; i < cuda->missing_count; i++) {
        (void)json_array_append_new(missing, json_string(cuda->missing[i].symbol));
    }
    return gp_json_need(json_pack(
        "{s:b, s:o, s:o, s:i, s:o, s:o}", "usable", cuda->why.code == 0, "version",
        cuda->driver_version > 0 ? json_integer(cuda->driver_version) : json_null(), "library",
        gp_json_text_or_null(cuda->library), "devices", (int)cuda->device_count, "reason",
        gp_json_text_or_null(cuda->why.text), "missing", missing));
}

static json_t *auto_json(const struct findings *found)
{
    const struct gp_device *device = found->chosen.device;

    if (device == NULL) {
        return json_null();
    }
    return gp_json_need(json_pack(
        "{s:s, s:o, s:o, s:i, s:s, s:o, s:o}", "kind", gp_device_kind_name(device->info.kind),
        "name", gp_json_text(device->info.name), "spec", gp_json_text(device->info.spec),
        "connections", (int)device->info.connections, "scheduling",
        gp_scheduling_name(device->info.scheduling), "image",
        gp_json_text_or_null(device->info.image), "image_note",
        gp_json_text_or_null(device->info.image_note)));
}

static json_t *number_json(int64_t value)
{
    return value != GP_UNKNOWN ? json_integer(value) : json_null();
}

static json_t *machine_json(const struct findings *found)
{
    const struct gp_state_row *state = &found->machine;

    if (found->no_machine.code != 0) {
        return gp_json_need(json_pack("{s:o}", "reason", gp_json_text(found->no_machine.text)));
    }
    return gp_json_need(json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "sm_clock_mhz", number_json(state->sm_clock_mhz),
        "memory_clock_mhz", number_json(state->memory_clock_mhz), "throttle",
        number_json(state->throttle), "power_mw", number_json(state->power_mw), "temperature_c",
        number_json(state->temperature_c), "processes", number_json(state->processes)));
}

static void print_json(const struct findings *found)
{
    json_t *notes = gp_json_need(json_array());

    for (size_t i = 0; i < found->note_count; i++) {
        (void)json_array_append_new(notes, json_string(found->notes[i]));
    }
    gp_json_print(gp_json_need(
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:s, s:o, s:o}", "version", GP_VERSION,
                  "driver", driver_json(&found->cuda), "auto", auto_json(found), "failure",
                  gp_json_text_or_null(found->failure.text), "connections_variable",
                  gp_json_text_or_null(found->connections_set), "toolkit",
                  gp_json_text_or_null(GP_TOOLKIT_VERSION), "nvtx", (int)gp_nvtx_is_built_in(),
                  "sqlite", sqlite3_libversion(), "machine", machine_json(found), "notes", notes)));
}

/* In a folder of its own, which is removed again. */
static int measure_aside(struct gp_device *device, struct gp_timing *timing, struct gp_error *err)
{
    const char *root = getenv("TMPDIR");
    char folder[GP_PATH_BYTES_MAX - 32];
    char path[GP_PATH_BYTES_MAX];
    int code;

    (void)snprintf(folder, sizeof folder, "%s/gpuprobe-timing-%ld",
                   root != NULL && root[0] != '\0' ? root : "/tmp", (long)getpid());
    if (mkdir(folder, S_IRWXU) != 0) {
        return gp_fail(err, GP_EIO, "%s cannot be made; name a file with -o", folder);
    }
    (void)snprintf(path, sizeof path, "%s/timing.gpuprobe", folder);
    code = gp_timing_measure(device, path, timing, err);
    (void)unlink(path);
    (void)rmdir(folder);
    return code;
}

/* The recording is kept where the user asked for one. */
static int measure_timing(struct gp_device *device, const struct gp_options *options,
                          struct gp_timing *timing, struct gp_error *err)
{
    int code;

    if (options->output == NULL) {
        return measure_aside(device, timing, err);
    }
    code = gp_output_check(options->output, options->force, err);
    return code == 0 ? gp_timing_measure(device, options->output, timing, err) : code;
}

static enum gp_exit doctor_timing(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_timing *timing = gp_xalloc(1, sizeof *timing);
    struct gp_chosen_device chosen = {0};
    struct gp_error err = {0};
    enum gp_exit result = GP_EXIT_OK;
    int code = gp_device_choose("auto", 0, options->json, &chosen, &err);

    code = code == 0 ? measure_timing(chosen.device, options, timing, &err) : code;
    if (code != 0) {
        result = gp_cli_fail(&err);
    } else if (options->json) {
        gp_timing_print_json(timing);
    } else {
        gp_timing_print(timing, &cli->terminal);
    }
    gp_device_unchoose(&chosen);
    gp_free(timing);
    return result;
}

enum gp_exit gp_cli_doctor(const struct gp_cli *cli, const struct gp_options *options)
{
    struct findings found;

    if (options->timing) {
        return doctor_timing(cli, options);
    }
    examine(&found);
    if (options->json) {
        print_json(&found);
    } else {
        print_text(&found, &cli->terminal);
    }
    gp_device_unchoose(&found.chosen);
    return GP_EXIT_OK;
}
