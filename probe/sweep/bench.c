/* Set-up and end of a sweep: see bench.h. */
#include "probe/sweep/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernels/kernels.h"
#include "probe/memory.h"
#include "probe/timing/connections.h"
#include "probe/version.h"

static uint32_t largest_pool(const struct gp_cell_plan *plan, uint32_t count)
{
    uint32_t largest = 1;

    for (uint32_t i = 0; i < count; i++) {
        largest = plan[i].streams > largest ? plan[i].streams : largest;
    }
    return largest;
}

/* What the recording is; a recording that is gone on with has it. */
static int set_keys(struct gp_bench *bench, struct gp_error *err)
{
    const struct gp_sweep_options *options = bench->options;
    char created[32];
    char seed[32];
    time_t now = time(NULL);
    struct tm utc;
    int code;

    (void)gmtime_r(&now, &utc);
    (void)strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
    code = gp_recorder_set_key(bench->recorder, "tool_version", GP_VERSION, err);
    if (code == 0) {
        code = gp_recorder_set_key(bench->recorder, "created", created, err);
    }
    if (code == 0) {
        code = gp_recorder_set_key(bench->recorder, "command_line",
                                   options->command_line != NULL ? options->command_line : "", err);
    }
    return code == 0 ? gp_recorder_set_key(bench->recorder, "seed", seed, err) : code;
}

/* What is seen is believed, not what the driver was asked for. */
static int find_connections(struct gp_bench *bench, struct gp_error *err)
{
    int32_t seen = 0;
    int code;

    gp_device_set_execute(bench->device, false);
    code = gp_connections_measure(bench->device, &seen, err);
    gp_device_set_execute(bench->device, true);
    if (code == 0 && seen > 0) {
        bench->device->info.connections = seen;
    }
    return code;
}

static int describe_recording(struct gp_bench *bench, struct gp_error *err)
{
    struct gp_device_row device;
    int code = bench->options->append ? 0 : set_keys(bench, err);

    gp_device_row_init(&device, &bench->device->info);
    return code == 0 ? gp_recorder_add_device(bench->recorder, &device, &bench->device_id, err)
                     : code;
}

/* The figures of one direction, without intervals: each is the best of several. */
static int record_engine(struct gp_bench *bench, const char *direction, const char *state,
                         const struct gp_engine *engine, struct gp_error *err)
{
    const struct {
        const char *name, *unit;
        double value;
    } figures[] = {
        {"rate", "B/s", engine->bytes_per_second},
        {"duplex_rate", "B/s", engine->duplex_bytes_per_second},
        {"exclusive", "", engine->exclusive ? 1 : 0},
        {"waits_from", "B", (double)engine->waits_from_bytes},
        {"setup", "ns", (double)engine->setup_ns[GP_COPY_LARGE]},
        {"setup_small", "ns", (double)engine->setup_ns[GP_COPY_SMALL]},
        {"event", "ns", (double)engine->event_ns},
        {"event_loaded", "ns", (double)engine->event_loaded_ns},
        {"start", "ns", (double)engine->start_ns},
    };
    enum { COUNT = sizeof figures / sizeof figures[0] };
    char names[COUNT][48];
    struct gp_calibration_row rows[COUNT];

    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(names[i], sizeof names[i], "%s_%s%s", direction, figures[i].name, state);
        rows[i] = (struct gp_calibration_row){
            .device = bench->device_id,
            .name = names[i],
            .unit = figures[i].unit,
            .value = figures[i].value,
            .lo = NAN,
            .hi = NAN,
            .source = bench->is_modelled ? "modelled" : "event",
        };
    }
    return gp_recorder_add_calibrations(bench->recorder, rows, COUNT, err);
}

int gp_bench_measure_engines(struct gp_bench *bench, const char *state, struct gp_error *err)
{
    const struct gp_engine *engines = bench->engines.directions;
    int code;

    gp_device_set_execute(bench->device, false);
    code = gp_engines_measure(bench->device, &bench->engines, err);
    gp_device_set_execute(bench->device, true);
    code = code == 0 ? record_engine(bench, "h2d", state, &engines[GP_DIRECTION_H2D], err) : code;
    return code == 0 ? record_engine(bench, "d2h", state, &engines[GP_DIRECTION_D2H], err) : code;
}

int gp_bench_init(struct gp_bench *bench, struct gp_device *device,
                  const struct gp_sweep_options *options, const struct gp_cell_plan *plan,
                  uint32_t count, struct gp_error *err)
{
    int code;

    memset(bench, 0, sizeof *bench);
    bench->device = device;
    bench->options = options;
    bench->is_modelled = device->info.kind == GP_DEVICE_MODEL;
    bench->outcomes = gp_xalloc(count, sizeof bench->outcomes[0]);
    gp_observer_init(&bench->observer);
    gp_watch_init(&bench->watch, device, options);
    code = gp_nvtx_create(&bench->nvtx, err);
    if (code != 0) {
        return code;
    }
    code = options->append
               ? gp_recorder_open(options->output, &bench->recorder, err)
               : gp_recorder_create(options->output, options->force, &bench->recorder, err);
    if (code == 0) {
        code = gp_pool_create(device, largest_pool(plan, count), &bench->pool, err);
    }
    if (code == 0) {
        code = gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &bench->helper, err);
    }
    if (code == 0) {
        code = gp_tracer_create(device, bench->helper, &gp_kernel_vector_add, &bench->tracer, err);
    }
    if (code == 0) {
        code = find_connections(bench, err);
    }
    if (code == 0) {
        code = describe_recording(bench, err);
    }
    return code == 0 ? gp_bench_measure_engines(bench, "", err) : code;
}

int gp_bench_finish(struct gp_bench *bench, int code, struct gp_error *err)
{
    struct gp_error also = {0};
    int closed;

    gp_watch_finish(&bench->watch);
    gp_nvtx_destroy(bench->nvtx);
    gp_tracer_destroy(bench->tracer);
    (void)gp_stream_destroy(bench->helper, NULL);
    gp_pool_destroy(bench->pool);
    gp_observer_finish(&bench->observer);
    gp_free(bench->outcomes);
    closed = gp_recorder_finish(bench->recorder, code == 0, &also);
    if (code == 0 && closed != 0) {
        *err = also;
        return closed;
    }
    return code;
}
