/*
 * All of a recording as one JSON object, named as in schema.sql with texts in place of string ids;
 * times in ns from their run's epoch, null for what is unknown. Written row by row.
 */
#include "probe/export/export.h"

#include "probe/export/json_text.h"
#include "probe/export/selection.h"
#include "probe/memory.h"
#include "probe/store/words.h"

enum { OPS_AT_ONCE = 4096 };

struct job {
    struct gp_json_text json;
    struct gp_reader *reader;
    const struct gp_export_options *options;
    int64_t run;
};

static void put_word(struct gp_json_text *json, const char *name, enum gp_words list, int value)
{
    gp_json_text_string(json, name, value < gp_words_size(list) ? gp_word(list, value) : NULL);
}

/* ---- small tables -------------------------------------------------------------------------- */

static void put_keys(struct job *job)
{
    struct gp_json_text *json = &job->json;
    uint32_t count;
    const struct gp_key_row *keys = gp_reader_keys(job->reader, &count);

    gp_json_text_open(json, "recording", '{');
    for (uint32_t i = 0; i < count; i++) {
        gp_json_text_string(json, keys[i].key, keys[i].value);
    }
    gp_json_text_close(json, '}');
}

static void put_devices(struct job *job)
{
    struct gp_json_text *json = &job->json;
    uint32_t count;
    const struct gp_device_row *devices = gp_reader_devices(job->reader, &count);

    gp_json_text_open(json, "devices", '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_device_row *device = &devices[i];

        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "id", device->id);
        put_word(json, "kind", GP_WORDS_ORIGIN, (int)device->kind);
        gp_json_text_string(json, "name", device->name);
        gp_json_text_string(json, "uuid", device->uuid);
#define X(name) gp_json_text_int(json, #name, device->name);
        GP_DEVICE_NUMBERS(X)
#undef X
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
}

static int put_metrics(struct job *job, struct gp_error *err)
{
    struct gp_json_text *json = &job->json;
    struct gp_metric_row *metrics;
    uint32_t count;
    int code = gp_reader_metrics(job->reader, &metrics, &count, err);

    gp_json_text_open(json, "metrics", '[');
    for (uint32_t i = 0; i < count; i++) {
        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "cell", metrics[i].cell != 0 ? metrics[i].cell : GP_UNKNOWN);
        gp_json_text_int(json, "run", metrics[i].run != 0 ? metrics[i].run : GP_UNKNOWN);
        gp_json_text_string(json, "name", metrics[i].name);
        gp_json_text_double(json, "value", metrics[i].value);
        gp_json_text_double(json, "lo", metrics[i].lo);
        gp_json_text_double(json, "hi", metrics[i].hi);
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
    gp_free(metrics);
    return code;
}

/* ---- rows of a run ------------------------------------------------------------------------- */

static void put_shape(struct gp_json_text *json, const char *name, const uint32_t *shape)
{
    if (shape[0] == 0) {
        gp_json_text_string(json, name, NULL);
        return;
    }
    gp_json_text_open(json, name, '[');
    for (int i = 0; i < 3; i++) {
        gp_json_text_int(json, NULL, shape[i]);
    }
    gp_json_text_close(json, ']');
}

static void put_op_times(struct gp_json_text *json, const struct gp_op_row *op)
{
    gp_json_text_int(json, "begin", op->begin);
    gp_json_text_int(json, "end", op->end);
    gp_json_text_int(json, "begin_lo", op->begin_lo);
    gp_json_text_int(json, "begin_hi", op->begin_hi);
    gp_json_text_int(json, "end_lo", op->end_lo);
    gp_json_text_int(json, "end_hi", op->end_hi);
    put_word(json, "source", GP_WORDS_SOURCE, (int)op->source);
    gp_json_text_int(json, "ready", op->ready);
    gp_json_text_int(json, "done", op->done);
    gp_json_text_int(json, "stamp_begin", op->stamp_begin);
    gp_json_text_int(json, "stamp_end", op->stamp_end);
    gp_json_text_int(json, "ref_begin", op->ref_begin);
    gp_json_text_int(json, "ref_end", op->ref_end);
    gp_json_text_int(json, "submit_begin", op->submit_begin);
    gp_json_text_int(json, "submit_end", op->submit_end);
}

static void put_op(struct gp_json_text *json, uint32_t stream, const struct gp_op_row *op)
{
    gp_json_text_open(json, NULL, '{');
    gp_json_text_int(json, "id", op->id);
    gp_json_text_int(json, "stream", stream);
    put_word(json, "kind", GP_WORDS_OP_KIND, (int)op->kind);
    gp_json_text_string(json, "name", op->name);
    put_op_times(json, op);
    gp_json_text_int(json, "chain", op->chain);
    gp_json_text_int(json, "bytes", op->bytes);
    put_shape(json, "grid", op->grid);
    put_shape(json, "block", op->block);
    gp_json_text_small(json, "smem", op->smem);
    gp_json_text_small(json, "regs", op->regs);
    gp_json_text_small(json, "engine", op->engine);
    gp_json_text_small(json, "connection", op->connection);
    gp_json_text_string(json, "rule", op->rule);
    gp_json_text_int(json, "rule_detail", op->rule_detail);
    gp_json_text_close(json, '}');
}

static int put_ops(struct job *job, uint32_t op_count, const struct gp_stream_row *streams,
                   struct gp_error *err)
{
    struct gp_op_row *ops = gp_xalloc(OPS_AT_ONCE, sizeof *ops);
    int code = 0;

    gp_json_text_open(&job->json, "ops", '[');
    for (uint32_t first = 0; first < op_count && code == 0; first += OPS_AT_ONCE) {
        uint32_t left = op_count - first;
        uint32_t count = left < OPS_AT_ONCE ? left : OPS_AT_ONCE;

        code = gp_reader_ops(job->reader, job->run, first, count, ops, err);
        for (uint32_t i = 0; i < count && code == 0; i++) {
            if (gp_selection_takes_row(job->options, &ops[i])) {
                put_op(&job->json, streams[ops[i].stream].id, &ops[i]);
            }
        }
    }
    gp_json_text_close(&job->json, ']');
    gp_free(ops);
    return code;
}

static int put_streams_and_ops(struct job *job, uint32_t op_count, struct gp_error *err)
{
    struct gp_json_text *json = &job->json;
    struct gp_stream_row *streams;
    uint32_t count;
    int code = gp_reader_streams(job->reader, job->run, &streams, &count, err);

    gp_json_text_open(json, "streams", '[');
    for (uint32_t i = 0; i < count; i++) {
        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "id", streams[i].id);
        gp_json_text_int(json, "device", streams[i].device);
        gp_json_text_int(json, "priority", streams[i].priority);
        put_word(json, "flags", GP_WORDS_STREAM_FLAG, (int)streams[i].flag);
        gp_json_text_string(json, "role", streams[i].role);
        gp_json_text_string(json, "name", streams[i].name);
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
    if (code == 0) {
        code = put_ops(job, op_count, streams, err);
    }
    gp_free(streams);
    return code;
}

static int put_edges(struct job *job, struct gp_error *err)
{
    struct gp_json_text *json = &job->json;
    struct gp_edge_row *edges;
    uint32_t count;
    int code = gp_reader_edges(job->reader, job->run, &edges, &count, err);

    gp_json_text_open(json, "edges", '[');
    for (uint32_t i = 0; i < count; i++) {
        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "src", edges[i].from);
        gp_json_text_int(json, "dst", edges[i].to);
        put_word(json, "kind", GP_WORDS_EDGE_KIND, (int)edges[i].kind);
        put_word(json, "how", GP_WORDS_EDGE_HOW, (int)edges[i].how);
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
    gp_free(edges);
    return code;
}

static int put_blocks(struct job *job, struct gp_error *err)
{
    struct gp_json_text *json = &job->json;
    struct gp_block_row *blocks;
    uint32_t count;
    int code = gp_reader_blocks(job->reader, job->run, &blocks, &count, err);

    gp_json_text_open(json, "blocks", '[');
    for (uint32_t i = 0; i < count; i++) {
        if (!gp_selection_takes_time(job->options, blocks[i].begin, blocks[i].end)) {
            continue;
        }
        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "op", blocks[i].op);
        gp_json_text_int(json, "block", blocks[i].block);
        gp_json_text_int(json, "sm", blocks[i].sm);
        gp_json_text_int(json, "begin", blocks[i].begin);
        gp_json_text_int(json, "end", blocks[i].end);
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
    gp_free(blocks);
    return code;
}

static int put_accesses(struct job *job, struct gp_error *err)
{
    struct gp_json_text *json = &job->json;
    struct gp_access_row *accesses;
    uint32_t count;
    int code = gp_reader_accesses(job->reader, job->run, &accesses, &count, err);

    gp_json_text_open(json, "accesses", '[');
    for (uint32_t i = 0; i < count; i++) {
        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "op", accesses[i].op);
        gp_json_text_string(json, "buffer", accesses[i].buffer);
        put_word(json, "mode", GP_WORDS_ACCESS, (int)accesses[i].mode);
        gp_json_text_int(json, "offset", accesses[i].offset);
        gp_json_text_int(json, "bytes", accesses[i].bytes);
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
    gp_free(accesses);
    return code;
}

static int put_ranges(struct job *job, struct gp_error *err)
{
    struct gp_json_text *json = &job->json;
    struct gp_range_row *ranges;
    uint32_t count;
    int code = gp_reader_ranges(job->reader, job->run, &ranges, &count, err);

    gp_json_text_open(json, "ranges", '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_range_row *range = &ranges[i];

        if (!gp_selection_takes_time(job->options, range->begin, range->end)) {
            continue;
        }
        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "id", range->id);
        gp_json_text_int(json, "thread", range->thread);
        gp_json_text_string(json, "domain", range->domain);
        gp_json_text_int(json, "category", range->category);
        gp_json_text_int(json, "color", range->color);
        gp_json_text_string(json, "text", range->text);
        gp_json_text_int(json, "level", range->level);
        gp_json_text_int(json, "begin", range->begin);
        gp_json_text_int(json, "end", range->end);
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
    gp_free(ranges);
    return code;
}

static int put_calls(struct job *job, struct gp_error *err)
{
    struct gp_json_text *json = &job->json;
    struct gp_call_row *calls;
    uint32_t count;
    int code = gp_reader_calls(job->reader, job->run, &calls, &count, err);

    gp_json_text_open(json, "calls", '[');
    for (uint32_t i = 0; i < count; i++) {
        if (!gp_selection_takes_time(job->options, calls[i].begin, calls[i].end)) {
            continue;
        }
        gp_json_text_open(json, NULL, '{');
        gp_json_text_int(json, "thread", calls[i].thread);
        gp_json_text_string(json, "name", calls[i].name);
        gp_json_text_int(json, "op", calls[i].op);
        gp_json_text_int(json, "begin", calls[i].begin);
        gp_json_text_int(json, "end", calls[i].end);
        gp_json_text_close(json, '}');
    }
    gp_json_text_close(json, ']');
    gp_free(calls);
    return code;
}

/* ---- cells and runs ------------------------------------------------------------------------ */

static int put_run(struct job *job, const struct gp_run_row *run, struct gp_error *err)
{
    struct gp_json_text *json = &job->json;
    int code = 0;

    job->run = run->id;
    gp_json_text_open(json, NULL, '{');
    gp_json_text_int(json, "id", run->id);
    put_word(json, "pass", GP_WORDS_PASS, (int)run->pass);
    put_word(json, "trace", GP_WORDS_TRACE, (int)run->trace);
    gp_json_text_string(json, "trace_note", run->trace_note);
    gp_json_text_int(json, "repeat", run->repeat);
    gp_json_text_int(json, "makespan_ns", run->makespan_ns);
    gp_json_text_int(json, "submit_ns", run->submit_ns);
    gp_json_text_int(json, "epoch_realtime_ns", run->epoch_realtime_ns);
    gp_json_text_small(json, "verified", run->verified);
    put_word(json, "status", GP_WORDS_STATUS, (int)run->status);
    if (run->op_count > 0) {
        code = put_streams_and_ops(job, run->op_count, err);
        if (code == 0) {
            code = put_edges(job, err);
        }
        if (code == 0) {
            code = put_accesses(job, err);
        }
        if (code == 0) {
            code = put_ranges(job, err);
        }
        if (code == 0) {
            code = put_calls(job, err);
        }
        if (code == 0) {
            code = put_blocks(job, err);
        }
    }
    gp_json_text_close(json, '}');
    return code;
}

static void open_cell(struct gp_json_text *json, const struct gp_cell_row *cell)
{
    gp_json_text_open(json, NULL, '{');
    gp_json_text_int(json, "id", cell->id);
    gp_json_text_int(json, "device", cell->device);
    gp_json_text_string(json, "scenario", cell->scenario);
    gp_json_text_raw(json, "params", cell->params);
    gp_json_text_string(json, "policy", cell->policy);
    gp_json_text_int(json, "streams", cell->streams);
    put_word(json, "submit", GP_WORDS_SUBMIT, (int)cell->submit);
    put_word(json, "issue_order", GP_WORDS_ORDER, (int)cell->order);
    gp_json_text_string(json, "completion", cell->completion[0] != '\0' ? cell->completion : NULL);
    put_word(json, "status", GP_WORDS_STATUS, (int)cell->status);
    gp_json_text_string(json, "error", cell->error);
    gp_json_text_open(json, "runs", '[');
}

/* Runs come cell by cell. */
static int put_cells(struct job *job, const struct gp_selection_list *list, struct gp_error *err)
{
    int code = 0;

    gp_json_text_open(&job->json, "cells", '[');
    for (uint32_t i = 0; i < list->count && code == 0 && ferror(job->json.out) == 0; i++) {
        const struct gp_cell_row *cell = list->runs[i].cell;

        if (i == 0 || list->runs[i - 1].cell != cell) {
            open_cell(&job->json, cell);
        }
        code = put_run(job, &list->runs[i].run, err);
        if (i + 1 == list->count || list->runs[i + 1].cell != cell) {
            gp_json_text_close(&job->json, ']');
            gp_json_text_close(&job->json, '}');
        }
    }
    gp_json_text_close(&job->json, ']');
    return code;
}

static int write_json(struct gp_reader *reader, const struct gp_export_options *options, FILE *out,
                      struct gp_error *err)
{
    struct job job = {.json = {.out = out}, .reader = reader, .options = options};
    struct gp_selection_list list;
    int code = gp_selection_list_init(&list, reader, options, err);

    if (code == 0) {
        gp_json_text_open(&job.json, NULL, '{');
        put_keys(&job);
        put_devices(&job);
        code = put_cells(&job, &list, err);
        if (code == 0) {
            code = put_metrics(&job, err);
        }
        gp_json_text_close(&job.json, '}');
    }
    gp_selection_list_finish(&list);
    return code;
}

const struct gp_export_ops gp_export_json = {
    .name = "json",
    .summary = "the recording's own rows as one JSON object",
    .write = write_json,
};
