/* Instrumentation of traced runs: see tracer.h. */
#include "probe/timing/tracer.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "probe/memory.h"

/* Slots: the clock's marks first, then one an operation. */
struct gp_tracer {
    struct gp_device *device;
    struct gp_stream *stream;
    const struct gp_kernel *mark;
    struct gp_clock clock;
    gp_addr slots;
    struct gp_stamp *host_slots; /* pinned */
    uint32_t slot_count;
    struct gp_event **events; /* timed */
    uint32_t event_count;
    size_t event_capacity;
    struct gp_probe *probes;
    size_t probe_capacity;
    char note[160];
};

int gp_tracer_create(struct gp_device *device, struct gp_stream *stream,
                     const struct gp_kernel *mark, struct gp_tracer **out, struct gp_error *err)
{
    struct gp_tracer *tracer = gp_xalloc(1, sizeof *tracer);
    int code;

    assert(device != NULL && stream != NULL && mark != NULL && out != NULL);
    tracer->device = device;
    tracer->stream = stream;
    tracer->mark = mark;
    code = gp_device_kernel_prepare(device, mark, err);
    if (code == 0) {
        code = gp_clock_init(&tracer->clock, device, stream, err);
    }
    if (code != 0) {
        gp_tracer_destroy(tracer);
        return code;
    }
    *out = tracer;
    return 0;
}

static void release_slots(struct gp_tracer *tracer)
{
    (void)gp_device_mem_free(tracer->device, tracer->slots, NULL);
    if (tracer->host_slots != NULL) {
        (void)gp_device_host_free(tracer->device, tracer->host_slots, NULL);
    }
    tracer->slots = 0;
    tracer->host_slots = NULL;
    tracer->slot_count = 0;
}

void gp_tracer_destroy(struct gp_tracer *tracer)
{
    if (tracer == NULL) {
        return;
    }
    gp_clock_finish(&tracer->clock);
    release_slots(tracer);
    for (uint32_t i = 0; i < tracer->event_count; i++) {
        (void)gp_event_destroy(tracer->events[i], NULL);
    }
    gp_free(tracer->events);
    gp_free(tracer->probes);
    gp_free(tracer);
}

static int grow_slots(struct gp_tracer *tracer, uint32_t count, struct gp_error *err)
{
    uint64_t bytes = (uint64_t)count * sizeof(struct gp_stamp);
    void *host = NULL;
    int code;

    if (tracer->slot_count >= count) {
        return 0;
    }
    release_slots(tracer);
    code = gp_device_mem_alloc(tracer->device, bytes, &tracer->slots, err);
    if (code == 0) {
        code = gp_device_host_alloc(tracer->device, bytes, &host, err);
        tracer->host_slots = host;
    }
    if (code == 0) {
        tracer->slot_count = count;
    }
    return code;
}

static int grow_events(struct gp_tracer *tracer, uint32_t count, struct gp_error *err)
{
    tracer->events =
        gp_xgrow(tracer->events, &tracer->event_capacity, count, sizeof tracer->events[0]);
    while (tracer->event_count < count) {
        int code = gp_event_create(tracer->device, GP_EVENT_TIMED,
                                   &tracer->events[tracer->event_count], err);

        if (code != 0) {
            return code;
        }
        tracer->event_count++;
    }
    return 0;
}

static bool is_stamped(const struct gp_dag_op *op)
{
    return op->kind == GP_OP_KERNEL && op->launch.kernel->stamped;
}

/* What waits for the stream's previous kernel holds its connection while it waits; so does an event
 * after such work. PCIe copies and events after them do not (measured). */
static bool holds_connection(const struct gp_dag_op *op)
{
    return op->kind != GP_OP_H2D && op->kind != GP_OP_D2H;
}

/* Whether the operation after this one on the same stream is a stamped kernel that depends on it:
 * its begin then bounds this one's end closely. */
static bool is_bounded(const struct gp_schedule *schedule, uint32_t op, const uint32_t *next)
{
    const struct gp_dag *dag = schedule->dag;
    const struct gp_dag_op *after;

    if (next[op] == UINT32_MAX) {
        return false;
    }
    after = &dag->ops[next[op]];
    if (!is_stamped(after)) {
        return false;
    }
    for (uint32_t i = 0; i < after->in_count; i++) {
        if (dag->edges[after->first_in + i].from == op) {
            return true;
        }
    }
    return false;
}

static void find_next(const struct gp_schedule *schedule, uint32_t *next)
{
    uint32_t last[GP_STREAMS_MAX];

    memset(last, 0xff, sizeof last);
    memset(next, 0xff, schedule->dag->op_count * sizeof next[0]);
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];

        if (step->kind == GP_STEP_OP) {
            if (last[step->stream] != UINT32_MAX) {
                next[last[step->stream]] = step->op;
            }
            last[step->stream] = step->op;
        }
    }
}

static int decide_events(struct gp_tracer *tracer, const struct gp_schedule *schedule,
                         struct gp_error *err)
{
    uint32_t count = schedule->dag->op_count;
    int code = grow_events(tracer, 2 * count, err);

    for (uint32_t i = 0; i < count && code == 0; i++) {
        tracer->probes[i] = (struct gp_probe){.before = tracer->events[(size_t)2 * i],
                                              .after = tracer->events[(size_t)2 * i + 1]};
    }
    if ((int32_t)schedule->used_count > tracer->device->info.connections) {
        (void)snprintf(
            tracer->note, sizeof tracer->note,
            "timed events hold connections: %u streams on %d connections are serialised by "
            "the recorder itself",
            schedule->used_count, tracer->device->info.connections);
    }
    return code;
}

static int decide_stamps(struct gp_tracer *tracer, const struct gp_schedule *schedule,
                         struct gp_error *err)
{
    uint32_t count = schedule->dag->op_count;
    bool crowded = (int32_t)schedule->used_count > tracer->device->info.connections;
    uint32_t *next = gp_xalloc(count, sizeof next[0]);
    uint32_t events = 0;
    uint32_t refused = 0;
    int code = 0;

    find_next(schedule, next);
    memset(tracer->probes, 0, count * sizeof tracer->probes[0]);
    for (uint32_t i = 0; i < count && code == 0; i++) {
        const struct gp_dag_op *op = &schedule->dag->ops[i];

        if (is_stamped(op)) {
            tracer->probes[i].stamp =
                tracer->slots + (uint64_t)(GP_CLOCK_MARKS + i) * sizeof(struct gp_stamp);
        } else if (crowded && holds_connection(op)) {
            refused++;
        } else if (!is_bounded(schedule, i, next)) {
            code = grow_events(tracer, events + 1, err);
            if (code == 0) {
                tracer->probes[i].after = tracer->events[events++];
            }
        }
    }
    gp_free(next);
    if (refused > 0) {
        (void)snprintf(
            tracer->note, sizeof tracer->note,
            "no timed event after %u operations, which would hold a connection: %u streams "
            "on %d connections",
            refused, schedule->used_count, tracer->device->info.connections);
    }
    return code;
}

static int clear_slots(struct gp_tracer *tracer, uint32_t count, struct gp_error *err)
{
    int code;

    for (uint32_t i = 0; i < count; i++) {
        tracer->host_slots[i] = (struct gp_stamp){.begin = UINT64_MAX, .end = 0};
    }
    code = gp_stream_copy(tracer->stream, GP_COPY_H2D, tracer->slots,
                          (uint64_t)(uintptr_t)tracer->host_slots,
                          (uint64_t)count * sizeof(struct gp_stamp), err);
    return code == 0 ? gp_stream_sync(tracer->stream, err) : code;
}

int gp_tracer_arm(struct gp_tracer *tracer, const struct gp_schedule *schedule, enum gp_trace trace,
                  const struct gp_probe **probes, struct gp_error *err)
{
    uint32_t count = schedule->dag->op_count;
    int code;

    assert(trace == GP_TRACE_STAMPS || trace == GP_TRACE_EVENTS);
    tracer->note[0] = '\0';
    tracer->probes =
        gp_xgrow(tracer->probes, &tracer->probe_capacity, count, sizeof tracer->probes[0]);
    code = grow_slots(tracer, GP_CLOCK_MARKS + count, err);
    if (code == 0) {
        code = trace == GP_TRACE_EVENTS ? decide_events(tracer, schedule, err)
                                        : decide_stamps(tracer, schedule, err);
    }
    if (code == 0) {
        code = clear_slots(tracer, GP_CLOCK_MARKS + count, err);
    }
    if (code == 0) {
        code =
            gp_clock_anchor(&tracer->clock, tracer->mark, tracer->slots, tracer->host_slots, err);
    }
    *probes = tracer->probes;
    return code;
}

const char *gp_tracer_note(const struct gp_tracer *tracer)
{
    return tracer->note;
}

static int event_time(const struct gp_tracer *tracer, struct gp_event *event, int64_t epoch_ns,
                      int64_t *out_ns, struct gp_error *err)
{
    int64_t host_ns = 0;
    int code;

    *out_ns = GP_UNKNOWN;
    if (event == NULL) {
        return 0;
    }
    code = gp_clock_event_ns(&tracer->clock, event, &host_ns, err);
    if (code == 0) {
        *out_ns = host_ns - epoch_ns;
    }
    return code;
}

static void stamp_times(const struct gp_tracer *tracer, uint32_t op, int64_t epoch_ns,
                        struct gp_op_row *row)
{
    const struct gp_stamp *stamp = &tracer->host_slots[GP_CLOCK_MARKS + op];

    row->stamp_begin = GP_UNKNOWN;
    row->stamp_end = GP_UNKNOWN;
    if (tracer->probes[op].stamp != 0 && stamp->begin <= stamp->end) {
        row->stamp_begin = gp_clock_host_ns(&tracer->clock, (int64_t)stamp->begin) - epoch_ns;
        row->stamp_end = gp_clock_host_ns(&tracer->clock, (int64_t)stamp->end) - epoch_ns;
    }
}

int gp_tracer_collect(struct gp_tracer *tracer, const struct gp_schedule *schedule,
                      int64_t epoch_ns, struct gp_op_row *rows, struct gp_error *err)
{
    uint32_t count = schedule->dag->op_count;
    int code = gp_clock_close(&tracer->clock, err);

    if (code == 0) {
        code = gp_stream_copy(tracer->stream, GP_COPY_D2H, (uint64_t)(uintptr_t)tracer->host_slots,
                              tracer->slots,
                              (uint64_t)(GP_CLOCK_MARKS + count) * sizeof(struct gp_stamp), err);
    }
    if (code == 0) {
        code = gp_stream_sync(tracer->stream, err);
    }
    for (uint32_t i = 0; i < count && code == 0; i++) {
        stamp_times(tracer, i, epoch_ns, &rows[i]);
        code = event_time(tracer, tracer->probes[i].before, epoch_ns, &rows[i].ready, err);
        if (code == 0) {
            code = event_time(tracer, tracer->probes[i].after, epoch_ns, &rows[i].done, err);
        }
    }
    return code;
}

const struct gp_clock *gp_tracer_clock(const struct gp_tracer *tracer)
{
    return &tracer->clock;
}
