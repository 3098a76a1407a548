/* Instrumentation of traced runs: see tracer.h. */
#include "probe/timing/tracer.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "probe/memory.h"

/* Slots: the clock's marks first, then one an operation, then those of blocks. */
struct gp_tracer {
    struct gp_device *device;
    struct gp_stream *stream;
    const struct gp_kernel *mark;
    struct gp_clock clock;
    gp_addr slots;
    struct gp_stamp *host_slots; /* pinned */
    uint64_t slot_bytes;
    uint32_t *first_blocks; /* per operation: its first among the blocks' slots, NO_BLOCKS */
    size_t first_capacity;
    uint32_t block_count; /* slots of the armed run */
    struct gp_block_row *rows;
    size_t row_capacity;
    uint32_t row_count;       /* of the collected run */
    struct gp_event **events; /* timed */
    uint32_t event_count;
    size_t event_capacity;
    struct gp_probe *probes;
    size_t probe_capacity;
    enum gp_trace trace; /* of the armed run */
    char note[256];
};

static const uint32_t NO_BLOCKS = UINT32_MAX;

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
    tracer->slot_bytes = 0;
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
    gp_free(tracer->first_blocks);
    gp_free(tracer->rows);
    gp_free(tracer);
}

/* Where the slots of blocks begin behind those of `count` operations; where all of them end. */
static uint64_t blocks_offset(uint32_t count)
{
    return (uint64_t)(GP_CLOCK_MARKS + count) * sizeof(struct gp_stamp);
}

static uint64_t slots_end(const struct gp_tracer *tracer, uint32_t count)
{
    return blocks_offset(count) + (uint64_t)tracer->block_count * sizeof(struct gp_block_stamp);
}

static int grow_slots(struct gp_tracer *tracer, uint64_t bytes, struct gp_error *err)
{
    void *host = NULL;
    int code;

    if (tracer->slot_bytes >= bytes) {
        return 0;
    }
    release_slots(tracer);
    code = gp_device_mem_alloc(tracer->device, bytes, &tracer->slots, err);
    if (code == 0) {
        code = gp_device_host_alloc(tracer->device, bytes, &host, err);
        tracer->host_slots = host;
    }
    if (code == 0) {
        tracer->slot_bytes = bytes;
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

/* Gives blocks their slots, in the order of their operations, as far as there are some. */
static void decide_blocks(struct gp_tracer *tracer, const struct gp_dag *dag)
{
    uint32_t kernels = 0, refused = 0;

    tracer->first_blocks = gp_xgrow(tracer->first_blocks, &tracer->first_capacity, dag->op_count,
                                    sizeof tracer->first_blocks[0]);
    tracer->block_count = 0;
    tracer->row_count = 0;
    for (uint32_t i = 0; i < dag->op_count; i++) {
        uint64_t blocks;

        tracer->first_blocks[i] = NO_BLOCKS;
        if (tracer->trace != GP_TRACE_BLOCKS || !is_stamped(&dag->ops[i])) {
            continue;
        }
        kernels++;
        blocks = gp_launch_blocks(&dag->ops[i].launch);
        if (blocks > GP_TRACED_BLOCKS_MAX - tracer->block_count) {
            refused++;
            continue;
        }
        tracer->first_blocks[i] = tracer->block_count;
        tracer->block_count += (uint32_t)blocks;
    }
    if (refused > 0) {
        (void)snprintf(tracer->note, sizeof tracer->note,
                       "%u of %u kernels are stamped as a whole: a run has room for %d blocks",
                       refused, kernels, GP_TRACED_BLOCKS_MAX);
    }
}

/* The slot of a kernel. */
static gp_addr slot_of(const struct gp_tracer *tracer, const struct gp_dag *dag, uint32_t op)
{
    uint32_t first = tracer->first_blocks[op];

    if (first == NO_BLOCKS) {
        return tracer->slots + (uint64_t)(GP_CLOCK_MARKS + op) * sizeof(struct gp_stamp);
    }
    return tracer->slots + blocks_offset(dag->op_count) +
           (uint64_t)first * sizeof(struct gp_block_stamp) + GP_STAMP_BLOCKS;
}

/* What waits for the stream's previous kernel holds its connection while it waits; so does an event
 * after such work. PCIe copies and events after them do not (measured). */
static bool holds_connection(const struct gp_dag_op *op)
{
    return op->kind != GP_OP_H2D && op->kind != GP_OP_D2H;
}

/* What comes after each operation on its stream, UINT32_MAX nothing. */
struct neighbours {
    uint32_t *after;
};

static bool depends(const struct gp_dag *dag, uint32_t op, uint32_t on)
{
    for (uint32_t i = 0; i < dag->ops[op].in_count; i++) {
        if (dag->edges[dag->ops[op].first_in + i].from == on) {
            return true;
        }
    }
    return false;
}

/* Whether what comes next on the stream is a stamped kernel that depends on this: its begin then
 * bounds this one's end closely. */
static bool is_bounded_above(const struct gp_dag *dag, const struct neighbours *n, uint32_t op)
{
    uint32_t after = n->after[op];

    return after != UINT32_MAX && is_stamped(&dag->ops[after]) && depends(dag, after, op);
}

static void find_neighbours(const struct gp_schedule *schedule, struct neighbours *n)
{
    uint32_t last[GP_STREAMS_MAX];
    uint32_t count = schedule->dag->op_count;

    n->after = gp_xalloc(count, sizeof n->after[0]);
    memset(last, 0xff, sizeof last);
    memset(n->after, 0xff, count * sizeof n->after[0]);
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];

        if (step->kind == GP_STEP_OP) {
            if (last[step->stream] != UINT32_MAX) {
                n->after[last[step->stream]] = step->op;
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

/* Of a copy's time, and of a run's, that events may cost. */
static const double copy_share_max = 0.04;
static const double run_share_max = 0.01;

/* Stamps and events of a run, as they are decided. */
struct decision {
    const struct gp_trace_plan *plan;
    struct neighbours neighbours;
    bool is_crowded; /* more streams than connections */
    uint32_t events, refused;
    uint32_t seen, wanted; /* of those that share what a run may cost: so far; in all */
    uint32_t allowed;
};

enum event_wish { EVENT_NONE, EVENT_REFUSED, EVENT_SHARED, EVENT_ALWAYS };

static const struct gp_engine *engine_of(const struct gp_trace_plan *plan,
                                         const struct gp_dag_op *op)
{
    return &plan->engines->directions[op->kind == GP_OP_H2D ? GP_DIRECTION_H2D : GP_DIRECTION_D2H];
}

static bool is_large_copy(const struct gp_trace_plan *plan, const struct gp_dag_op *op)
{
    const struct gp_engine *engine = engine_of(plan, op);

    return !holds_connection(op) && (double)engine->event_ns <= copy_share_max * (double)op->bytes *
                                                                    1e9 / engine->bytes_per_second;
}

static enum event_wish wish(const struct gp_dag *dag, const struct decision *decision, uint32_t op)
{
    enum gp_op_kind kind = dag->ops[op].kind;

    if (is_stamped(&dag->ops[op]) || kind == GP_OP_ALLOC || kind == GP_OP_FREE ||
        decision->plan->is_graph) {
        return EVENT_NONE; /* of alloc and free nothing runs; what surrounds them bounds them */
    }
    if (is_large_copy(decision->plan, &dag->ops[op])) {
        return EVENT_ALWAYS;
    }
    if (is_bounded_above(dag, &decision->neighbours, op)) {
        return EVENT_NONE;
    }
    return decision->is_crowded && holds_connection(&dag->ops[op]) ? EVENT_REFUSED : EVENT_SHARED;
}

/* Whether this one of those that share is among the allowed, which are evenly spread. */
static bool is_allowed(struct decision *decision)
{
    uint64_t before, after;

    assert(decision->wanted > 0);
    before = (uint64_t)decision->seen * decision->allowed / decision->wanted;
    after = (uint64_t)++decision->seen * decision->allowed / decision->wanted;
    return after > before;
}

static int decide_event(struct gp_tracer *tracer, const struct gp_dag *dag,
                        struct decision *decision, uint32_t op, struct gp_error *err)
{
    enum event_wish wished = wish(dag, decision, op);
    int code;

    if (is_stamped(&dag->ops[op])) {
        tracer->probes[op].stamp = slot_of(tracer, dag, op);
    }
    decision->refused += wished == EVENT_REFUSED ? 1 : 0;
    if (wished != EVENT_ALWAYS && (wished != EVENT_SHARED || !is_allowed(decision))) {
        return 0;
    }
    code = grow_events(tracer, decision->events + 1, err);
    if (code == 0) {
        tracer->probes[op].after = tracer->events[decision->events++];
    }
    return code;
}

/* How many share, and how many of them the run can afford. */
static void count_shared(struct decision *decision, const struct gp_dag *dag)
{
    const struct gp_trace_plan *plan = decision->plan;
    const struct gp_engine *engines = plan->engines->directions;
    int64_t event_ns = engines[GP_DIRECTION_H2D].event_ns;

    event_ns = engines[GP_DIRECTION_D2H].event_ns > event_ns ? engines[GP_DIRECTION_D2H].event_ns
                                                             : event_ns;
    for (uint32_t op = 0; op < dag->op_count; op++) {
        decision->wanted += wish(dag, decision, op) == EVENT_SHARED ? 1 : 0;
    }
    decision->allowed = decision->wanted;
    if (plan->plain_ns > 0 && event_ns > 0) {
        double affordable = run_share_max * (double)plan->plain_ns / (double)event_ns;

        /* The last one in any case: it says when the run was over. */
        affordable = affordable < 1 ? 1 : affordable;
        decision->allowed =
            affordable < (double)decision->wanted ? (uint32_t)affordable : decision->wanted;
    }
}

static int decide_stamps(struct gp_tracer *tracer, const struct gp_schedule *schedule,
                         const struct gp_trace_plan *plan, struct gp_error *err)
{
    struct decision decision = {
        .plan = plan,
        .is_crowded = (int32_t)schedule->used_count > tracer->device->info.connections,
    };
    int code = 0;

    find_neighbours(schedule, &decision.neighbours);
    count_shared(&decision, schedule->dag);
    memset(tracer->probes, 0, schedule->dag->op_count * sizeof tracer->probes[0]);
    for (uint32_t i = 0; i < schedule->step_count && code == 0; i++) {
        if (schedule->steps[i].kind == GP_STEP_OP) {
            code = decide_event(tracer, schedule->dag, &decision, schedule->steps[i].op, err);
        }
    }
    gp_free(decision.neighbours.after);
    if (decision.refused > 0) {
        size_t used = strlen(tracer->note);

        (void)snprintf(tracer->note + used, sizeof tracer->note - used,
                       "%sno timed event after %u operations, which would hold a connection: %u "
                       "streams on %d connections",
                       used > 0 ? "; " : "", decision.refused, schedule->used_count,
                       tracer->device->info.connections);
    }
    return code;
}

static int clear_slots(struct gp_tracer *tracer, uint32_t op_count, struct gp_error *err)
{
    const uint32_t count = GP_CLOCK_MARKS + op_count;
    int code;

    for (uint32_t i = 0; i < count; i++) {
        tracer->host_slots[i] = (struct gp_stamp){.begin = UINT64_MAX, .end = 0};
    }
    code = gp_stream_copy(tracer->stream, GP_COPY_H2D, tracer->slots,
                          (uint64_t)(uintptr_t)tracer->host_slots,
                          (uint64_t)count * sizeof(struct gp_stamp), err);
    if (code == 0 && tracer->block_count > 0) {
        code = gp_stream_set(tracer->stream, tracer->slots + blocks_offset(op_count), 0xff,
                             (uint64_t)tracer->block_count * sizeof(struct gp_block_stamp), err);
    }
    return code == 0 ? gp_stream_sync(tracer->stream, err) : code;
}

int gp_tracer_arm(struct gp_tracer *tracer, const struct gp_schedule *schedule,
                  const struct gp_trace_plan *plan, const struct gp_probe **probes,
                  struct gp_error *err)
{
    uint32_t count = schedule->dag->op_count;
    int code;

    assert(plan->trace != GP_TRACE_OFF && plan->trace < GP_TRACE_COUNT);
    tracer->trace =
        plan->is_graph && plan->trace == GP_TRACE_EVENTS ? GP_TRACE_STAMPS : plan->trace;
    tracer->note[0] = '\0';
    if (plan->trace != tracer->trace) {
        (void)snprintf(tracer->note, sizeof tracer->note,
                       "there are no timed events inside a graph: stamps instead");
    }
    tracer->probes =
        gp_xgrow(tracer->probes, &tracer->probe_capacity, count, sizeof tracer->probes[0]);
    decide_blocks(tracer, schedule->dag);
    code = grow_slots(tracer, slots_end(tracer, count), err);
    if (code == 0) {
        code = tracer->trace == GP_TRACE_EVENTS ? decide_events(tracer, schedule, err)
                                                : decide_stamps(tracer, schedule, plan, err);
    }
    if (code == 0) {
        code = clear_slots(tracer, count, err);
    }
    if (code == 0) {
        code =
            gp_clock_anchor(&tracer->clock, tracer->mark, tracer->slots, tracer->host_slots, err);
    }
    *probes = tracer->probes;
    return code;
}

enum gp_trace gp_tracer_trace(const struct gp_tracer *tracer)
{
    return tracer->trace;
}

gp_addr gp_tracer_slots(const struct gp_tracer *tracer)
{
    return tracer->slots;
}

const char *gp_tracer_note(const struct gp_tracer *tracer)
{
    return tracer->note;
}

static int event_time(struct gp_tracer *tracer, struct gp_event *event, int64_t epoch_ns,
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

static int64_t run_ns(const struct gp_tracer *tracer, uint64_t device_ns, int64_t epoch_ns)
{
    return gp_clock_host_ns(&tracer->clock, (int64_t)device_ns) - epoch_ns;
}

/* Makes rows of a kernel's blocks and returns its first begin and last end. When one of them has
 * said nothing, none is believed. */
static struct gp_stamp take_blocks(struct gp_tracer *tracer, const struct gp_dag *dag, uint32_t op,
                                   int64_t epoch_ns)
{
    const uint64_t count = gp_launch_blocks(&dag->ops[op].launch);
    const struct gp_block_stamp *stamps =
        (const struct gp_block_stamp *)(const void *)((const char *)tracer->host_slots +
                                                      blocks_offset(dag->op_count)) +
        tracer->first_blocks[op];
    struct gp_stamp whole = {.begin = UINT64_MAX, .end = 0};
    struct gp_block_row *rows = tracer->rows + tracer->row_count;

    for (uint64_t i = 0; i < count; i++) {
        const struct gp_block_stamp *stamp = &stamps[i];

        if (stamp->end < stamp->begin || stamp->end == UINT64_MAX) {
            return (struct gp_stamp){.begin = UINT64_MAX, .end = 0};
        }
        whole.begin = stamp->begin < whole.begin ? stamp->begin : whole.begin;
        whole.end = stamp->end > whole.end ? stamp->end : whole.end;
        rows[i] = (struct gp_block_row){
            .begin = run_ns(tracer, stamp->begin, epoch_ns),
            .end = run_ns(tracer, stamp->end, epoch_ns),
            .op = op,
            .block = (uint32_t)i,
            .sm = stamp->sm,
        };
    }
    tracer->row_count += (uint32_t)count;
    return whole;
}

static void stamp_times(struct gp_tracer *tracer, const struct gp_dag *dag, uint32_t op,
                        int64_t epoch_ns, struct gp_op_row *row)
{
    struct gp_stamp stamp = tracer->host_slots[GP_CLOCK_MARKS + op];

    if (tracer->first_blocks[op] != NO_BLOCKS) {
        stamp = take_blocks(tracer, dag, op, epoch_ns);
    }
    row->stamp_begin = GP_UNKNOWN;
    row->stamp_end = GP_UNKNOWN;
    if (tracer->probes[op].stamp != 0 && stamp.begin <= stamp.end) {
        row->stamp_begin = run_ns(tracer, stamp.begin, epoch_ns);
        row->stamp_end = run_ns(tracer, stamp.end, epoch_ns);
    }
}

int gp_tracer_collect(struct gp_tracer *tracer, const struct gp_schedule *schedule,
                      int64_t epoch_ns, struct gp_op_row *rows, struct gp_error *err)
{
    const struct gp_dag *dag = schedule->dag;
    uint32_t count = dag->op_count;
    int code = gp_clock_close(&tracer->clock, tracer->mark, tracer->slots, tracer->host_slots, err);

    if (code == 0) {
        code = gp_stream_copy(tracer->stream, GP_COPY_D2H, (uint64_t)(uintptr_t)tracer->host_slots,
                              tracer->slots, slots_end(tracer, count), err);
    }
    if (code == 0) {
        code = gp_stream_sync(tracer->stream, err);
    }
    tracer->rows =
        gp_xgrow(tracer->rows, &tracer->row_capacity, tracer->block_count, sizeof tracer->rows[0]);
    tracer->row_count = 0;
    for (uint32_t i = 0; i < count && code == 0; i++) {
        stamp_times(tracer, dag, i, epoch_ns, &rows[i]);
        code = event_time(tracer, tracer->probes[i].before, epoch_ns, &rows[i].ready, err);
        if (code == 0) {
            code = event_time(tracer, tracer->probes[i].after, epoch_ns, &rows[i].done, err);
        }
    }
    return code;
}

const struct gp_block_row *gp_tracer_blocks(const struct gp_tracer *tracer, uint32_t *count)
{
    *count = tracer->row_count;
    return tracer->rows;
}

const struct gp_clock *gp_tracer_clock(const struct gp_tracer *tracer)
{
    return &tracer->clock;
}
