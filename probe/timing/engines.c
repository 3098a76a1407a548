/* Copy engines: see engines.h. */
#include "probe/timing/engines.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    LARGE_BYTES = 16 * 1024 * 1024,
    SMALL_BYTES = 1024 * 1024, /* from there on time grows with the bytes alone */
    LARGE_COUNT = 4,
    SMALL_COUNT = 64,
    LOAD_COUNT = 8,
    PROBE_ROUNDS = 5,
    PROBE_STREAMS = 2,
    LOAD_STREAM = PROBE_STREAMS, /* one more */
    PROBE_EVENTS = 4,
    PASSING_BYTES_MAX = 4 * 1024 * 1024, /* what passes is smaller */
};

static const int64_t sizes_from_bytes[] = {
#define X(name, word, from_bytes) from_bytes,
    GP_COPY_SIZES(X)
#undef X
};

enum gp_copy_size gp_copy_size_of(int64_t bytes)
{
    int size = GP_COPY_SIZE_COUNT - 1;

    while (size > 0 && bytes < sizes_from_bytes[size]) {
        size--;
    }
    return (enum gp_copy_size)size;
}

/* Everything a measurement holds, so that one function releases it. */
struct bench {
    struct gp_device *device;
    struct gp_stream *streams[PROBE_STREAMS + 1];
    struct gp_event *events[PROBE_EVENTS];
    gp_addr on_device[PROBE_STREAMS + 1];
    void *on_host[PROBE_STREAMS + 1];
};

static void close_bench(struct bench *bench)
{
    for (int i = 0; i < PROBE_EVENTS; i++) {
        (void)gp_event_destroy(bench->events[i], NULL);
    }
    for (int i = 0; i <= LOAD_STREAM; i++) {
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
    for (int i = 0; i <= LOAD_STREAM && code == 0; i++) {
        code = gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &bench->streams[i], err);
        if (code == 0) {
            code = gp_device_mem_alloc(device, LARGE_BYTES, &bench->on_device[i], err);
        }
        if (code == 0) {
            code = gp_device_host_alloc(device, LARGE_BYTES, &bench->on_host[i], err);
        }
    }
    for (int i = 0; i < PROBE_EVENTS && code == 0; i++) {
        code = gp_event_create(device, GP_EVENT_TIMED, &bench->events[i], err);
    }
    return code;
}

static int copy(struct bench *bench, int direction, int stream, uint64_t bytes,
                struct gp_error *err)
{
    uint64_t host = (uint64_t)(uintptr_t)bench->on_host[stream];
    bool to_device = direction == GP_DIRECTION_H2D;

    return gp_stream_copy(bench->streams[stream], to_device ? GP_COPY_H2D : GP_COPY_D2H,
                          to_device ? bench->on_device[stream] : host,
                          to_device ? host : bench->on_device[stream], bytes, err);
}

static int sync_all(struct bench *bench, struct gp_error *err)
{
    int code = 0;

    for (int i = 0; i <= LOAD_STREAM && code == 0; i++) {
        code = gp_stream_sync(bench->streams[i], err);
    }
    return code;
}

/* Copies one after the other: of one direction on two streams, so that only the engine makes them
 * wait. */
struct train {
    int direction;   /* of the first copy */
    bool alternates; /* every second one goes the other way, on the same stream */
    bool has_events; /* a timed event after each */
    bool is_loaded;  /* the other direction is busy meanwhile */
    uint32_t count;
    uint64_t bytes; /* each */
};

/* How long a train takes for each of its copies. A large copy in front keeps the engine busy while
 * it is submitted. */
static int time_train(struct bench *bench, const struct train *train, double *out_ns,
                      struct gp_error *err)
{
    int64_t last_ns = 0;
    int code = 0;

    for (int i = 0; train->is_loaded && i < LOAD_COUNT && code == 0; i++) {
        code = copy(bench, train->direction ^ 1, LOAD_STREAM, LARGE_BYTES, err);
    }
    code = code == 0 ? copy(bench, train->direction, 0, LARGE_BYTES, err) : code;

    code = code == 0 ? gp_event_record(bench->events[0], bench->streams[0], err) : code;
    for (uint32_t i = 0; i < train->count && code == 0; i++) {
        int turned = train->alternates ? (int)(i % 2) : 0;
        int stream = train->alternates ? 0 : (int)(i % PROBE_STREAMS);

        code = copy(bench, train->direction ^ turned, stream, train->bytes, err);
        if (code == 0 && train->has_events) {
            code = gp_event_record(bench->events[3], bench->streams[stream], err);
        }
    }
    for (int i = 0; i < PROBE_STREAMS && code == 0; i++) {
        code = gp_event_record(bench->events[1 + i], bench->streams[i], err);
    }
    code = code == 0 ? sync_all(bench, err) : code;
    for (int i = 0; i < PROBE_STREAMS && code == 0; i++) {
        int64_t ns = 0;

        code = gp_event_elapsed(bench->events[0], bench->events[1 + i], &ns, err);
        last_ns = ns > last_ns ? ns : last_ns;
    }
    *out_ns = (double)last_ns / train->count;
    return code;
}

/* The best of several. */
static int time_best(struct bench *bench, const struct train *train, double *best_ns,
                     struct gp_error *err)
{
    *best_ns = INFINITY;
    for (int round = 0; round < PROBE_ROUNDS; round++) {
        double ns = 0;
        int code = time_train(bench, train, &ns, err);

        if (code != 0) {
            return code;
        }
        *best_ns = fmin(*best_ns, ns);
    }
    return 0;
}

/* One copy on each stream at once: the time between their ends is a whole copy when they exclude
 * each other, and little when they share. A copy in front keeps the engine busy while both are
 * submitted. */
static int time_two(struct bench *bench, int direction, int64_t *out_ns, struct gp_error *err)
{
    int code = copy(bench, direction, 0, LARGE_BYTES, err);

    for (int i = 0; i < PROBE_STREAMS && code == 0; i++) {
        code = copy(bench, direction, i, LARGE_BYTES, err);
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

static int is_exclusive(struct bench *bench, int direction, double one_ns, bool *out,
                        struct gp_error *err)
{
    int64_t best_ns = INT64_MAX;

    for (int round = 0; round < PROBE_ROUNDS; round++) {
        int64_t ns = 0;
        int code = time_two(bench, direction, &ns, err);

        if (code != 0) {
            return code;
        }
        best_ns = ns < best_ns ? ns : best_ns;
    }
    *out = (double)best_ns > 0.7 * one_ns;
    return 0;
}

/* Whether a copy of so many bytes was done before a large one that the engine had begun. */
static int try_passing(struct bench *bench, int direction, uint64_t bytes, bool *passed,
                       struct gp_error *err)
{
    int64_t ns = 0;
    int code = copy(bench, direction, 0, LARGE_BYTES, err);

    code = code == 0 ? gp_event_record(bench->events[0], bench->streams[0], err) : code;
    code = code == 0 ? copy(bench, direction, 1, bytes, err) : code;
    code = code == 0 ? gp_event_record(bench->events[1], bench->streams[1], err) : code;
    code = code == 0 ? sync_all(bench, err) : code;
    code = code == 0 ? gp_event_elapsed(bench->events[1], bench->events[0], &ns, err) : code;
    *passed = ns > 0;
    return code;
}

/* The least size of which none passed. */
static int find_waiting(struct bench *bench, int direction, int64_t *out, struct gp_error *err)
{
    bool passes = true;
    int code = 0;

    for (*out = 64; passes && *out < PASSING_BYTES_MAX && code == 0;) {
        passes = false;
        for (int round = 0; round < PROBE_ROUNDS && !passes && code == 0; round++) {
            code = try_passing(bench, direction, (uint64_t)*out, &passes, err);
        }
        *out *= passes ? 2 : 1;
    }
    return code;
}

static int64_t at_least_zero(double ns)
{
    return ns > 0 ? (int64_t)ns : 0;
}

/* What an event after each of many copies makes them take longer; the last one delays none. */
static int measure_event(struct bench *bench, int direction, bool is_loaded, int64_t *event_ns,
                         struct gp_error *err)
{
    struct train train = {
        .direction = direction, .is_loaded = is_loaded, .count = SMALL_COUNT, .bytes = SMALL_BYTES};
    double without_ns = 0;
    double with_ns = 0;
    int code = time_best(bench, &train, &without_ns, err);

    train.has_events = true;
    code = code == 0 ? time_best(bench, &train, &with_ns, err) : code;
    *event_ns = at_least_zero((with_ns - without_ns) * SMALL_COUNT / (SMALL_COUNT - 1));
    return code;
}

/* What copies of each class take beside their bytes, of which the rate is known. */
static int measure_set_ups(struct bench *bench, int direction, struct gp_engine *out,
                           struct gp_error *err)
{
    struct train train = {.direction = direction, .count = SMALL_COUNT};
    int code = 0;

    for (int size = 0; size < GP_COPY_SIZE_COUNT && code == 0; size++) {
        double ns = 0;

        train.bytes = (uint64_t)sizes_from_bytes[size];
        code = time_best(bench, &train, &ns, err);
        out->setup_ns[size] = at_least_zero(ns - (double)train.bytes * 1e9 / out->bytes_per_second);
        out->setup_least_ns[size] = out->setup_ns[size];
    }
    return code;
}

/* Both directions share the bus. The set-ups are known. */
static int measure_duplex(struct bench *bench, int direction, struct gp_engine *out,
                          struct gp_error *err)
{
    const struct train train = {
        .direction = direction, .is_loaded = true, .count = LARGE_COUNT, .bytes = LARGE_BYTES};
    double ns = 0;
    int code = time_best(bench, &train, &ns, err);

    ns -= (double)out->setup_ns[GP_COPY_LARGE];
    out->duplex_bytes_per_second = ns > 0 ? LARGE_BYTES * 1e9 / ns : out->bytes_per_second;
    return code;
}

/* small_ns: of a small copy, for gp_engines_measure. */
static int measure(struct bench *bench, int direction, struct gp_engine *out, double *small_ns,
                   struct gp_error *err)
{
    struct train train = {.direction = direction, .count = LARGE_COUNT, .bytes = LARGE_BYTES};
    double large_ns = 0;
    int code = time_best(bench, &train, &large_ns, err);

    train.count = SMALL_COUNT;
    train.bytes = SMALL_BYTES;
    code = code == 0 ? time_best(bench, &train, small_ns, err) : code;
    if (code == 0 && large_ns <= 0) {
        return gp_fail(err, GP_EUNSUPPORTED, "%s: a copy of 16 MiB took no measurable time",
                       direction == GP_DIRECTION_H2D ? "h2d" : "d2h");
    }
    if (code == 0) {
        /* Times that make no slope, as of a machine that is busy otherwise, leave the plain rate.
         */
        out->bytes_per_second = large_ns > *small_ns
                                    ? (LARGE_BYTES - SMALL_BYTES) * 1e9 / (large_ns - *small_ns)
                                    : LARGE_BYTES * 1e9 / large_ns;
    }
    code = code == 0 ? measure_set_ups(bench, direction, out, err) : code;
    code = code == 0 ? measure_duplex(bench, direction, out, err) : code;
    code = code == 0 ? measure_event(bench, direction, false, &out->event_ns, err) : code;
    code = code == 0 ? measure_event(bench, direction, true, &out->event_loaded_ns, err) : code;
    code = code == 0 ? is_exclusive(bench, direction, large_ns, &out->exclusive, err) : code;
    return code == 0 ? find_waiting(bench, direction, &out->waits_from_bytes, err) : code;
}

/* Half of what going back and forth takes beside the copies themselves. */
static int measure_start(struct bench *bench, const double small_ns[GP_DIRECTION_COUNT],
                         struct gp_engines *out, struct gp_error *err)
{
    const struct train train = {.alternates = true, .count = SMALL_COUNT, .bytes = SMALL_BYTES};
    double ns = 0;
    int code = time_best(bench, &train, &ns, err);

    for (int i = 0; i < GP_DIRECTION_COUNT; i++) {
        out->directions[i].start_ns =
            at_least_zero(ns - (small_ns[GP_DIRECTION_H2D] + small_ns[GP_DIRECTION_D2H]) / 2);
    }
    return code;
}

int gp_engines_measure(struct gp_device *device, struct gp_engines *out, struct gp_error *err)
{
    double small_ns[GP_DIRECTION_COUNT] = {0};
    struct bench bench;
    int code = open_bench(&bench, device, err);

    assert(out != NULL);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < GP_DIRECTION_COUNT && code == 0; i++) {
        code = measure(&bench, i, &out->directions[i], &small_ns[i], err);
    }
    code = code == 0 ? measure_start(&bench, small_ns, out, err) : code;
    close_bench(&bench);
    return code;
}

/* A recorder's marks take longer beside the other direction than where they were measured. */
static const double marks_over_measured = 1.5;

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void gp_engines_watched(const struct gp_engines *plain, const struct gp_engines *watched,
                        struct gp_engines *out)
{
    *out = *watched;
    for (int i = 0; i < GP_DIRECTION_COUNT; i++) {
        const struct gp_engine *without = &plain->directions[i];
        struct gp_engine *engine = &out->directions[i];

        int64_t more_ns = engine->setup_ns[GP_COPY_LARGE] - without->setup_ns[GP_COPY_LARGE];

        engine->marks_ns = (int64_t)(marks_over_measured * (double)most(more_ns, 0));
        for (int size = 0; size < GP_COPY_SIZE_COUNT; size++) {
            engine->setup_least_ns[size] = least(without->setup_ns[size], engine->setup_ns[size]);
        }
        engine->start_ns = most(without->start_ns, engine->start_ns);
        engine->event_ns = most(without->event_ns, engine->event_ns);
        engine->event_loaded_ns = most(without->event_loaded_ns, engine->event_loaded_ns);
    }
}
