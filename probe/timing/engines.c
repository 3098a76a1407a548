/* Copy engines: see engines.h. */
#include "probe/timing/engines.h"

#include <assert.h>
#include <string.h>

enum {
    PROBE_BYTES = 16 * 1024 * 1024,
    PROBE_ROUNDS = 3,
    PROBE_STREAMS = 2,
    PROBE_EVENTS = 3,
};

/* Everything a measurement holds, so that one function releases it. */
struct bench {
    struct gp_device *device;
    struct gp_stream *streams[PROBE_STREAMS];
    struct gp_event *events[PROBE_EVENTS];
    gp_addr on_device[PROBE_STREAMS];
    void *on_host[PROBE_STREAMS];
};

static void close_bench(struct bench *bench)
{
    for (int i = 0; i < PROBE_EVENTS; i++) {
        (void)gp_event_destroy(bench->events[i], NULL);
    }
    for (int i = 0; i < PROBE_STREAMS; i++) {
        (void)gp_stream_destroy(bench->streams[i], NULL);
        (void)gp_device_mem_free(bench->device, bench->on_device[i], NULL);
        if (bench->on_host[i] != NULL) {
            (void)gp_device_host_free(bench->device, bench->on_host[i], NULL);
        }
    }
}

static int open_bench(struct bench *bench, struct gp_device *device, struct gp_error *err)
{
    int code = 0;

    memset(bench, 0, sizeof *bench);
    bench->device = device;
    for (int i = 0; i < PROBE_STREAMS && code == 0; i++) {
        code = gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &bench->streams[i], err);
        if (code == 0) {
            code = gp_device_mem_alloc(device, PROBE_BYTES, &bench->on_device[i], err);
        }
        if (code == 0) {
            code = gp_device_host_alloc(device, PROBE_BYTES, &bench->on_host[i], err);
        }
    }
    for (int i = 0; i < PROBE_EVENTS && code == 0; i++) {
        code = gp_event_create(device, GP_EVENT_TIMED, &bench->events[i], err);
    }
    return code;
}

static int copy(struct bench *bench, int direction, int stream, struct gp_error *err)
{
    uint64_t host = (uint64_t)(uintptr_t)bench->on_host[stream];
    bool to_device = direction == GP_DIRECTION_H2D;

    return gp_stream_copy(bench->streams[stream], to_device ? GP_COPY_H2D : GP_COPY_D2H,
                          to_device ? bench->on_device[stream] : host,
                          to_device ? host : bench->on_device[stream], PROBE_BYTES, err);
}

static int sync_all(struct bench *bench, struct gp_error *err)
{
    int code = 0;

    for (int i = 0; i < PROBE_STREAMS && code == 0; i++) {
        code = gp_stream_sync(bench->streams[i], err);
    }
    return code;
}

/* Two copies back to back on stream 0: the second one's time has no start-up latency in it. */
static int time_one(struct bench *bench, int direction, int64_t *out_ns, struct gp_error *err)
{
    int code = copy(bench, direction, 0, err);

    if (code == 0) {
        code = gp_event_record(bench->events[0], bench->streams[0], err);
    }
    if (code == 0) {
        code = copy(bench, direction, 0, err);
    }
    if (code == 0) {
        code = gp_event_record(bench->events[1], bench->streams[0], err);
    }
    if (code == 0) {
        code = sync_all(bench, err);
    }
    return code == 0 ? gp_event_elapsed(bench->events[0], bench->events[1], out_ns, err) : code;
}

/* One copy on each stream at once: the time between their ends is a whole copy when they exclude
 * each other, and little when they share. A copy in front keeps the engine busy while both are
 * submitted. */
static int time_two(struct bench *bench, int direction, int64_t *out_ns, struct gp_error *err)
{
    int code = copy(bench, direction, 0, err);

    for (int i = 0; i < PROBE_STREAMS && code == 0; i++) {
        code = copy(bench, direction, i, err);
        if (code == 0) {
            code = gp_event_record(bench->events[1 + i], bench->streams[i], err);
        }
    }
    if (code == 0) {
        code = sync_all(bench, err);
    }
    if (code == 0) {
        code = gp_event_elapsed(bench->events[1], bench->events[2], out_ns, err);
    }
    if (code == 0 && *out_ns < 0) {
        *out_ns = -*out_ns;
    }
    return code;
}

static int measure(struct bench *bench, int direction, struct gp_engine *out, struct gp_error *err)
{
    int64_t one_ns = INT64_MAX;
    int64_t apart_ns = INT64_MAX;

    for (int round = 0; round < PROBE_ROUNDS; round++) {
        int64_t ns = 0;
        int code = time_one(bench, direction, &ns, err);

        if (code != 0) {
            return code;
        }
        one_ns = ns < one_ns ? ns : one_ns;
        code = time_two(bench, direction, &ns, err);
        if (code != 0) {
            return code;
        }
        apart_ns = ns < apart_ns ? ns : apart_ns;
    }
    if (one_ns <= 0) {
        return gp_fail(err, GP_EUNSUPPORTED, "%s: a copy of 16 MiB took no measurable time",
                       direction == GP_DIRECTION_H2D ? "h2d" : "d2h");
    }
    out->bytes_per_second = (double)PROBE_BYTES * 1e9 / (double)one_ns;
    out->exclusive = (double)apart_ns > 0.7 * (double)one_ns;
    return 0;
}

int gp_engines_measure(struct gp_device *device, struct gp_engines *out, struct gp_error *err)
{
    struct bench bench;
    int code = open_bench(&bench, device, err);

    assert(out != NULL);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < GP_DIRECTION_COUNT && code == 0; i++) {
        code = measure(&bench, i, &out->directions[i], err);
    }
    close_bench(&bench);
    return code;
}
