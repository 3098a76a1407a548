/*
 * Chrome's trace-event JSON after the conventions of PyTorch's Kineto: process = device, thread =
 * stream, categories kernel, gpu_memcpy, gpu_memset, cuda_driver and user_annotation, flows "ac2g"
 * from the submitting call to the operation and "edge" from operation to operation. Times are
 * microseconds from baseTimeNanoseconds with exactly three decimals, made of integers.
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */
#include "probe/export/export.h"

#include "probe/export/json_text.h"
#include "probe/export/packing.h"
#include "probe/export/slices.h"
#include "probe/memory.h"

enum {
    HOST_PID = 1000000,  /* beyond any device */
    LANE_STEP = 1 << 20, /* between thread ids of the lanes of a stream or thread */
};
/* For a thread id: the operation is not written. */
static const uint32_t no_lane = UINT32_MAX;

/* One run on its way out. */
struct job {
    struct gp_json_text json;
    const struct gp_export_options *options;
    const struct gp_selection_run *run;
    struct gp_selection_rows rows;
    uint32_t *tids;       /* by operation; no_lane: not written */
    uint64_t next_edge;   /* id of a flow */
    uint32_t correlation; /* the next one */
};

/* ---- events -------------------------------------------------------------------------------- */

static void open_event(struct job *job, const char *phase, const char *category, const char *name)
{
    gp_json_text_open(&job->json, NULL, '{');
    gp_json_text_string(&job->json, "ph", phase);
    if (category != NULL) {
        gp_json_text_string(&job->json, "cat", category);
    }
    gp_json_text_string(&job->json, "name", name);
}

static void put_place(struct job *job, int64_t pid, int64_t tid)
{
    gp_json_text_int(&job->json, "pid", pid);
    gp_json_text_int(&job->json, "tid", tid);
}

static void close_event(struct job *job)
{
    gp_json_text_close(&job->json, '}');
}

/* Lanes are those of the run in hand, if there is one: runs share the numbers. */
static void put_name(struct job *job, const char *what, int64_t pid, int64_t tid, const char *name)
{
    open_event(job, "M", NULL, what);
    put_place(job, pid, tid);
    gp_json_text_open(&job->json, "args", '{');
    gp_json_text_string(&job->json, "name", name);
    if (job->run != NULL) {
        gp_json_text_int(&job->json, "run", job->run->run.id);
    }
    gp_json_text_close(&job->json, '}');
    close_event(job);
}

/* An arrow; ids are unique within a category. */
struct flow {
    const char *category;
    uint64_t id;
    const struct gp_edge_row *edge; /* that it stands for; NULL none */
};

/* So that an edge can be read back: flows only tell of places. */
static void put_edge_args(struct job *job, const struct gp_edge_row *edge)
{
    gp_json_text_open(&job->json, "args", '{');
    gp_json_text_int(&job->json, "run", job->run->run.id);
    gp_json_text_int(&job->json, "from", edge->from);
    gp_json_text_int(&job->json, "to", edge->to);
    gp_json_text_string(&job->json, "kind", gp_edge_kind_name(edge->kind));
    gp_json_text_string(&job->json, "how", gp_edge_how_name(edge->how));
    gp_json_text_close(&job->json, '}');
}

/* End of a flow at the slice that is open there at `at`. */
static void put_flow(struct job *job, const char *phase, const struct flow *flow, int64_t pid,
                     int64_t tid, int64_t at)
{
    open_event(job, phase, flow->category, flow->category);
    gp_json_text_int(&job->json, "id", (int64_t)flow->id);
    put_place(job, pid, tid);
    gp_json_text_micros(&job->json, "ts", job->run->shift + at);
    if (phase[0] == 'f') {
        gp_json_text_string(&job->json, "bp", "e");
        if (flow->edge != NULL) {
            put_edge_args(job, flow->edge);
        }
    }
    close_event(job);
}

static int64_t pid_of(const struct job *job)
{
    return job->run->device->id - 1;
}

/* ---- operations ---------------------------------------------------------------------------- */

static const char *category_of(enum gp_op_kind kind)
{
    switch (kind) {
    case GP_OP_KERNEL:
        return "kernel";
    case GP_OP_H2D:
    case GP_OP_D2H:
    case GP_OP_D2D:
        return "gpu_memcpy";
    case GP_OP_MEMSET:
        return "gpu_memset";
    case GP_OP_GRAPH:
        return "cuda_graph";
    case GP_OP_HOST:
        return "host_function";
    default:
        return gp_op_kind_name(kind);
    }
}

static void put_shape(struct job *job, const char *name, const uint32_t *shape)
{
    gp_json_text_open(&job->json, name, '[');
    for (int i = 0; i < 3; i++) {
        gp_json_text_int(&job->json, NULL, shape[i]);
    }
    gp_json_text_close(&job->json, ']');
}

static void put_op_args(struct job *job, const struct gp_op_row *op)
{
    struct gp_json_text *json = &job->json;
    const struct gp_stream_row *stream = &job->rows.streams[op->stream];
    int64_t ordinal = job->run->device->ordinal;

    gp_json_text_open(json, "args", '{');
    gp_json_text_int(json, "device", ordinal != GP_UNKNOWN ? ordinal : 0);
    gp_json_text_int(json, "context", 1);
    gp_json_text_int(json, "stream", stream->id);
    gp_json_text_int(json, "correlation", job->rows.correlations[op->id]);
    gp_json_text_string(json, "kind", gp_op_kind_name(op->kind));
    gp_json_text_int(json, "op", op->id);
    gp_json_text_int(json, "cell", job->run->cell->id);
    gp_json_text_int(json, "run", job->run->run.id);
    gp_json_text_string(json, "source", gp_source_name(op->source));
    if (op->grid[0] != 0) {
        put_shape(job, "grid", op->grid);
        put_shape(job, "block", op->block);
        gp_json_text_small(json, "registers per thread", op->regs);
        gp_json_text_small(json, "shared memory", op->smem);
    }
    if (op->bytes != GP_UNKNOWN) {
        gp_json_text_int(json, "bytes", op->bytes);
        /* Bytes a nanosecond are GB a second; of no time there is no rate. */
        if (op->end > op->begin) {
            gp_json_text_double(json, "memory bandwidth (GB/s)",
                                (double)op->bytes / (double)(op->end - op->begin));
        }
    }
    gp_json_text_close(json, '}');
}

static void put_op(struct job *job, const struct gp_op_row *op)
{
    open_event(job, "X", category_of(op->kind), op->name);
    put_place(job, pid_of(job), job->tids[op->id]);
    gp_json_text_micros(&job->json, "ts", job->run->shift + op->begin);
    gp_json_text_micros(&job->json, "dur", op->end - op->begin);
    put_op_args(job, op);
    close_event(job);
}

static void name_lanes(struct job *job, const struct gp_stream_row *stream, size_t lanes)
{
    char name[GP_NAME_BYTES_MAX + 32];

    for (size_t lane = 0; lane < lanes; lane++) {
        int64_t tid = (int64_t)stream->id + (int64_t)lane * LANE_STEP;

        (void)snprintf(name, sizeof name, lane == 0 ? "%s" : "%s, overlapping %zu", stream->name,
                       lane);
        put_name(job, "thread_name", pid_of(job), tid, name);
    }
}

static void put_ops(struct job *job)
{
    struct gp_slice *slices;
    uint32_t count = gp_slices_of_streams(job->options, &job->rows, &slices);
    struct gp_packing lanes = {0};

    for (uint32_t i = 0; i < job->rows.op_count; i++) {
        job->tids[i] = no_lane;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_slice *slice = &slices[i];
        const struct gp_stream_row *stream = &job->rows.streams[slice->track];
        uint32_t lane = gp_packing_place(&lanes, slice->begin, slice->end, NULL, NULL);

        job->tids[slice->op->id] = stream->id + lane * LANE_STEP;
        put_op(job, slice->op);
        if (i + 1 == count || slices[i + 1].track != slice->track) {
            name_lanes(job, stream, lanes.count);
            gp_packing_finish(&lanes, NULL, NULL);
        }
    }
    gp_free(slices);
}

static void put_edges(struct job *job)
{
    const struct gp_selection_rows *rows = &job->rows;

    for (uint32_t i = 0; i < rows->edge_count; i++) {
        const struct gp_edge_row *edge = &rows->edges[i];
        const struct flow flow = {"edge", job->next_edge++, edge};

        if (job->tids[edge->from] != no_lane && job->tids[edge->to] != no_lane) {
            put_flow(job, "s", &flow, pid_of(job), job->tids[edge->from],
                     rows->ops[edge->from].begin);
            put_flow(job, "f", &flow, pid_of(job), job->tids[edge->to], rows->ops[edge->to].begin);
        }
    }
}

/* ---- the host ------------------------------------------------------------------------------ */

static void put_slice(struct job *job, const struct gp_slice *slice, int64_t tid)
{
    struct gp_json_text *json = &job->json;

    open_event(job, "X", slice->range != NULL ? "user_annotation" : "cuda_driver",
               slice->range != NULL ? slice->range->text : slice->call->name);
    put_place(job, HOST_PID, tid);
    gp_json_text_micros(json, "ts", job->run->shift + slice->begin);
    gp_json_text_micros(json, "dur", slice->end - slice->begin);
    gp_json_text_open(json, "args", '{');
    gp_json_text_int(json, "run", job->run->run.id);
    if (slice->range == NULL) {
        gp_json_text_int(json, "correlation", slice->call->correlation);
    } else {
        gp_json_text_string(json, "domain", slice->range->domain);
        gp_json_text_int(json, "category", slice->range->category);
        if (slice->range->end == GP_UNKNOWN) {
            gp_json_text_string(json, "end", "never closed");
        }
    }
    gp_json_text_close(json, '}');
    close_event(job);
}

/* From a submitting call to what it submitted, which may be many (a graph). */
static void put_submit_flow(struct job *job, const struct gp_selection_call *call, int64_t tid)
{
    uint32_t op = call->op != GP_UNKNOWN ? (uint32_t)call->op : 0;

    if (call->op != GP_UNKNOWN && job->tids[op] != no_lane &&
        job->rows.correlations[op] == call->correlation) {
        const struct flow flow = {"ac2g", call->correlation, NULL};

        put_flow(job, "s", &flow, HOST_PID, tid, call->begin);
        put_flow(job, "f", &flow, pid_of(job), job->tids[op], job->rows.ops[op].begin);
    }
}

static void put_host(struct job *job)
{
    struct gp_slice *slices;
    uint32_t count = gp_slices_of_threads(job->options, &job->rows, &slices);
    struct gp_packing lanes = {0};
    char name[64];

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_slice *slice = &slices[i];
        uint32_t lane = gp_packing_place(&lanes, slice->begin, slice->end, NULL, NULL);
        int64_t tid = (int64_t)slice->track + (int64_t)lane * LANE_STEP;

        put_slice(job, slice, tid);
        if (slice->call != NULL) {
            put_submit_flow(job, slice->call, tid);
        }
        if (i + 1 == count || slices[i + 1].track != slice->track) {
            for (size_t k = 0; k < lanes.count; k++) {
                (void)snprintf(name, sizeof name, k == 0 ? "thread %u" : "thread %u, crossing %zu",
                               slice->track, k);
                put_name(job, "thread_name", HOST_PID,
                         (int64_t)slice->track + (int64_t)k * LANE_STEP, name);
            }
            gp_packing_finish(&lanes, NULL, NULL);
        }
    }
    gp_free(slices);
}

/* ---- the file ------------------------------------------------------------------------------ */

/* Which cell each run is of. */
static void put_runs(struct gp_json_text *json, const struct gp_selection_list *list)
{
    char name[GP_SELECTION_NAME_BYTES_MAX];

    gp_json_text_open(json, "gpuprobeRuns", '[');
    for (uint32_t i = 0; i < list->count; i++) {
        gp_selection_run_name(&list->runs[i], name);
        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "run", list->runs[i].run.id);
        gp_json_text_string(json, "name", name);
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
}

static void put_head(struct job *job, struct gp_reader *reader,
                     const struct gp_selection_list *list)
{
    struct gp_json_text *json = &job->json;
    uint32_t count;
    const struct gp_device_row *devices = gp_reader_devices(reader, &count);

    gp_json_text_open(json, NULL, '{');
    gp_json_text_int(json, "schemaVersion", 1);
    gp_json_text_string(json, "displayTimeUnit", "ns");
    gp_json_text_int(json, "baseTimeNanoseconds", list->realtime_ns);
    gp_json_text_open(json, "deviceProperties", '[');
    for (uint32_t i = 0; i < count; i++) {
        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "id", devices[i].id - 1);
        gp_json_text_string(json, "name", devices[i].name);
        gp_json_text_int(json, "totalGlobalMem", devices[i].memory_bytes);
        gp_json_text_int(json, "computeMajor", devices[i].compute_major);
        gp_json_text_int(json, "computeMinor", devices[i].compute_minor);
        gp_json_text_int(json, "numSms", devices[i].sm_count);
        gp_json_text_string(json, "kind", gp_origin_name(devices[i].kind));
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
    put_runs(json, list);
    gp_json_text_open(json, "traceEvents", '[');
    for (uint32_t i = 0; i < count; i++) {
        put_name(job, "process_name", devices[i].id - 1, 0, devices[i].name);
    }
    put_name(job, "process_name", HOST_PID, 0, "host");
}

static int write_run(struct job *job, struct gp_reader *reader, struct gp_error *err)
{
    int code = gp_selection_rows_init(&job->rows, reader, job->run, job->correlation, err);

    if (code == 0) {
        job->correlation = job->rows.correlation_next;
        job->tids = gp_xalloc(job->rows.op_count, sizeof *job->tids);
        put_ops(job);
        put_edges(job);
        put_host(job);
        gp_free(job->tids);
    }
    gp_selection_rows_finish(&job->rows);
    return code;
}

static int write_chrome(struct gp_reader *reader, const struct gp_export_options *options,
                        FILE *out, struct gp_error *err)
{
    struct gp_selection_list list;
    struct job job = {.json = {.out = out}, .options = options, .correlation = 1, .next_edge = 1};
    int code = gp_selection_list_init(&list, reader, options, err);

    if (code == 0) {
        put_head(&job, reader, &list);
        for (uint32_t i = 0; i < list.count && code == 0 && ferror(out) == 0; i++) {
            job.run = &list.runs[i];
            code = write_run(&job, reader, err);
        }
        gp_json_text_close(&job.json, ']');
        gp_json_text_close(&job.json, '}');
    }
    gp_selection_list_finish(&list);
    return code;
}

const struct gp_export_ops gp_export_chrome = {
    .name = "chrome",
    .summary = "trace-event JSON as Kineto writes it, for ui.perfetto.dev and chrome://tracing",
    .write = write_chrome,
};
