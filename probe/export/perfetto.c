/*
 * Perfetto's protobuf trace: track events, one track a lane of a stream or a thread, flows from the
 * submitting call to the operation and from operation to operation. Written packet by packet.
 * https://perfetto.dev/docs/reference/synthetic-track-event; the field numbers are those of
 * protos/perfetto/trace.
 */
#include "probe/export/export.h"

#include "probe/export/packing.h"
#include "probe/export/proto.h"
#include "probe/export/slices.h"
#include "probe/export/utf8.h"
#include "probe/memory.h"

enum trace_field { TRACE_PACKET = 1 };

enum packet_field {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK = 60,
};

enum track_field { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5 };

enum process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };

enum event_field {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_FLOW = 47,
};

enum annotation_field { ANNOTATION_INT = 4, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 };

enum { SLICE_BEGIN = 1, SLICE_END = 2, SEQUENCE = 1, STATE_CLEARED = 1 };

#define LEAD_NS INT64_C(3600000000000)

enum { HOST_PID = 1000000, TRACK_LANES = 1 << 12, TRACK_TRACKS = 1 << 24 };

struct job {
    FILE *out;
    struct gp_proto packet, event, inner;
    const struct gp_export_options *options;
    const struct gp_selection_run *run;
    struct gp_selection_rows rows;
    bool has_first;        /* a packet was written */
    uint64_t base;         /* uuid of the lanes being written: base + lane */
    uint32_t *flows_first; /* by operation: its edges in rows.edges, by `from` */
    uint32_t *flows;       /* indices of rows.edges */
    uint32_t correlation;
    uint64_t edge_first; /* flow id of the run's edge 0 */
};

/* ---- packets ------------------------------------------------------------------------------- */

static void write_packet(struct job *job)
{
    gp_proto_put_varint(&job->packet, PACKET_SEQUENCE, SEQUENCE);
    if (!job->has_first) {
        gp_proto_put_varint(&job->packet, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
        job->has_first = true;
    }
    gp_proto_write(job->out, TRACE_PACKET, &job->packet);
    gp_proto_reset(&job->packet);
}

static void put_text(struct gp_proto *message, uint32_t field, const char *text)
{
    char *clean = gp_utf8_copy(text);

    gp_proto_put_text(message, field, clean);
    gp_free(clean);
}

/* Process tracks: one a device, one for the host. */
static uint64_t process_uuid(int64_t pid)
{
    return ((uint64_t)pid + 1) << 40;
}

static void put_process(struct job *job, int64_t pid, const char *name)
{
    gp_proto_put_varint(&job->inner, PROCESS_PID, (uint64_t)pid + 1);
    put_text(&job->inner, PROCESS_NAME, name);
    gp_proto_put_varint(&job->event, TRACK_UUID, process_uuid(pid));
    gp_proto_put_message(&job->event, TRACK_PROCESS, &job->inner);
    gp_proto_put_message(&job->packet, PACKET_TRACK, &job->event);
    gp_proto_reset(&job->inner);
    gp_proto_reset(&job->event);
    write_packet(job);
}

/* Lanes of the same name and parent are drawn as one. */
static void put_track(struct job *job, uint64_t uuid, int64_t pid, const char *name)
{
    gp_proto_put_varint(&job->event, TRACK_UUID, uuid);
    put_text(&job->event, TRACK_NAME, name);
    gp_proto_put_varint(&job->event, TRACK_PARENT, process_uuid(pid));
    gp_proto_put_message(&job->packet, PACKET_TRACK, &job->event);
    gp_proto_reset(&job->event);
    write_packet(job);
}

static void put_int(struct job *job, const char *name, int64_t value)
{
    if (value != GP_UNKNOWN) {
        gp_proto_put_text(&job->inner, ANNOTATION_NAME, name);
        gp_proto_put_varint(&job->inner, ANNOTATION_INT, (uint64_t)value);
        gp_proto_put_message(&job->event, EVENT_ANNOTATION, &job->inner);
        gp_proto_reset(&job->inner);
    }
}

static void put_word(struct job *job, const char *name, const char *value)
{
    if (value != NULL) {
        gp_proto_put_text(&job->inner, ANNOTATION_NAME, name);
        put_text(&job->inner, ANNOTATION_TEXT, value);
        gp_proto_put_message(&job->event, EVENT_ANNOTATION, &job->inner);
        gp_proto_reset(&job->inner);
    }
}

/* ---- slices -------------------------------------------------------------------------------- */

/* Perfetto's times are not negative, and the outer ranges begin before their run: what is drawn
 * begins an hour after 0, which no viewer shows. */
static uint64_t time_of(const struct job *job, int64_t at)
{
    int64_t time = at + job->run->shift + LEAD_NS;

    return time > 0 ? (uint64_t)time : 0;
}

static void write_event(struct job *job, int64_t at)
{
    gp_proto_put_varint(&job->packet, PACKET_TIMESTAMP, time_of(job, at));
    gp_proto_put_message(&job->packet, PACKET_TRACK_EVENT, &job->event);
    gp_proto_reset(&job->event);
    write_packet(job);
}

static void end_slice(void *user, uint32_t lane, int64_t end)
{
    struct job *job = user;

    gp_proto_put_varint(&job->event, EVENT_TYPE, SLICE_END);
    gp_proto_put_varint(&job->event, EVENT_TRACK, job->base + lane);
    write_event(job, end);
}

/* Flow ids: submissions are even, edges odd. */
static void put_flow(struct job *job, uint64_t id, unsigned odd)
{
    gp_proto_put_fixed64(&job->event, EVENT_FLOW, id << 1 | odd);
}

static void put_op(struct job *job, const struct gp_op_row *op)
{
    put_word(job, "kind", gp_op_kind_name(op->kind));
    put_int(job, "op", op->id);
    put_int(job, "cell", job->run->cell->id);
    put_word(job, "source", gp_source_name(op->source));
    put_int(job, "begin_lo", op->begin_lo);
    put_int(job, "begin_hi", op->begin_hi);
    put_int(job, "end_lo", op->end_lo);
    put_int(job, "end_hi", op->end_hi);
    put_int(job, "bytes", op->bytes);
    if (op->grid[0] != 0) {
        put_int(job, "grid", (int64_t)op->grid[0] * op->grid[1] * op->grid[2]);
        put_int(job, "block", (int64_t)op->block[0] * op->block[1] * op->block[2]);
    }
    put_word(job, "rule", op->rule);
    put_flow(job, job->rows.correlations[op->id], 0);
    for (uint32_t i = job->flows_first[op->id]; i < job->flows_first[op->id + 1]; i++) {
        put_flow(job, job->edge_first + job->flows[i], 1);
    }
}

static const char *category_of(const struct gp_slice *slice)
{
    if (slice->op != NULL) {
        return gp_op_kind_name(slice->op->kind);
    }
    return slice->range != NULL ? "range" : "call";
}

static const char *name_of(const struct gp_slice *slice)
{
    if (slice->op != NULL) {
        return slice->op->name;
    }
    return slice->range != NULL ? slice->range->text : slice->call->name;
}

static void begin_slice(struct job *job, const struct gp_slice *slice, uint32_t lane)
{
    gp_proto_put_varint(&job->event, EVENT_TYPE, SLICE_BEGIN);
    gp_proto_put_varint(&job->event, EVENT_TRACK, job->base + lane);
    put_text(&job->event, EVENT_CATEGORY, category_of(slice));
    put_text(&job->event, EVENT_NAME, name_of(slice));
    if (slice->op != NULL) {
        put_op(job, slice->op);
    } else if (slice->range != NULL) {
        put_word(job, "domain", slice->range->domain);
        put_word(job, "end", slice->range->end == GP_UNKNOWN ? "never closed" : NULL);
    } else {
        put_flow(job, slice->call->correlation, 0);
    }
    write_event(job, slice->begin);
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* Which edges touch which operation: two entries an edge, grouped by operation. */
static void group_flows(struct job *job)
{
    const struct gp_selection_rows *rows = &job->rows;
    uint32_t *next;

    job->flows_first = gp_xalloc((size_t)rows->op_count + 1, sizeof *job->flows_first);
    job->flows = gp_xalloc((size_t)rows->edge_count * 2, sizeof *job->flows);
    next = gp_xalloc((size_t)rows->op_count + 1, sizeof *next);
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        job->flows_first[rows->edges[i].from + 1]++;
        job->flows_first[rows->edges[i].to + 1]++;
    }
    for (uint32_t i = 0; i < rows->op_count; i++) {
        job->flows_first[i + 1] += job->flows_first[i];
        next[i] = job->flows_first[i];
    }
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        job->flows[next[rows->edges[i].from]++] = i;
        job->flows[next[rows->edges[i].to]++] = i;
    }
    gp_free(next);
}

/* The name that all lanes of a slice's track have, into out. */
static void name_track(const struct job *job, const struct gp_slice *slice, char *out, size_t bytes)
{
    if (slice->op != NULL) {
        (void)snprintf(out, bytes, "%s", job->rows.streams[slice->track].name);
    } else {
        (void)snprintf(out, bytes, "thread %u", slice->track);
    }
}

/* All slices of one process. Uuids are the same for a stream in every run. */
static void put_slices(struct job *job, int64_t pid, const struct gp_slice *slices, uint32_t count)
{
    struct gp_packing lanes = {0};
    char name[GP_NAME_BYTES_MAX];
    size_t known = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_slice *slice = &slices[i];
        uint32_t track = slice->op != NULL ? job->rows.streams[slice->track].id : slice->track;
        uint32_t lane;

        job->base = process_uuid(pid) + 1 + (uint64_t)(track % TRACK_TRACKS) * TRACK_LANES;
        lane = gp_packing_place(&lanes, slice->begin, slice->end, end_slice, job);
        if (lanes.count > known) {
            known = lanes.count;
            name_track(job, slice, name, sizeof name);
            put_track(job, job->base + lane, pid, name);
        }
        begin_slice(job, slice, lane);
        if (i + 1 == count || slices[i + 1].track != slice->track) {
            gp_packing_finish(&lanes, end_slice, job);
            known = 0;
        }
    }
}

static int write_run(struct job *job, struct gp_reader *reader, struct gp_error *err)
{
    int code = gp_selection_rows_init(&job->rows, reader, job->run, job->correlation, err);
    struct gp_slice *slices;
    uint32_t count;

    if (code == 0) {
        group_flows(job);
        count = gp_slices_of_streams(job->options, &job->rows, &slices);
        put_slices(job, job->run->device->id - 1, slices, count);
        gp_free(slices);
        count = gp_slices_of_threads(job->options, &job->rows, &slices);
        put_slices(job, HOST_PID, slices, count);
        gp_free(slices);
        job->correlation = job->rows.correlation_next;
        job->edge_first += job->rows.edge_count;
        gp_free(job->flows_first);
        gp_free(job->flows);
    }
    gp_selection_rows_finish(&job->rows);
    return code;
}

static void put_processes(struct job *job, struct gp_reader *reader)
{
    uint32_t count;
    const struct gp_device_row *devices = gp_reader_devices(reader, &count);

    for (uint32_t i = 0; i < count; i++) {
        put_process(job, devices[i].id - 1, devices[i].name);
    }
    put_process(job, HOST_PID, "host");
}

static int write_perfetto(struct gp_reader *reader, const struct gp_export_options *options,
                          FILE *out, struct gp_error *err)
{
    struct job job = {.out = out, .options = options, .correlation = 1, .edge_first = 1};
    struct gp_selection_list list;
    int code = gp_selection_list_init(&list, reader, options, err);

    if (code == 0) {
        put_processes(&job, reader);
    }
    for (uint32_t i = 0; i < list.count && code == 0 && ferror(out) == 0; i++) {
        job.run = &list.runs[i];
        code = write_run(&job, reader, err);
    }
    gp_proto_finish(&job.packet);
    gp_proto_finish(&job.event);
    gp_proto_finish(&job.inner);
    gp_selection_list_finish(&list);
    return code;
}

const struct gp_export_ops gp_export_perfetto = {
    .name = "perfetto",
    .summary = "Perfetto's protobuf trace, for ui.perfetto.dev and trace_processor",
    .write = write_perfetto,
};
