/* All that is known of one operation: see op_story.h. */
#include "viewer/op_story.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "viewer/layout/ticks.h"

enum { WHAT, WHEN, WHERE, TIME_BYTES = 40, NEIGHBOURS_MAX = 6 };

static void add(struct gp_op_story *story, uint8_t column, const char *name, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

static void add(struct gp_op_story *story, uint8_t column, const char *name, const char *format,
                ...)
{
    struct gp_op_story_line *line = &story->lines[story->count++];
    va_list arguments;

    assert(story->count <= GP_OP_STORY_LINES_MAX);
    line->name = name;
    line->column = column;
    va_start(arguments, format);
    (void)vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
}

static const char *duration(int64_t ns, char text[TIME_BYTES])
{
    gp_view_format_time(ns, 0, text, TIME_BYTES);
    return text;
}

static const char *moment(int64_t ns, char text[TIME_BYTES])
{
    gp_view_format_time(ns, 1, text, TIME_BYTES);
    return text;
}

/* ---- what ---------------------------------------------------------------------------------- */

static void tell_kernel(struct gp_op_story *story, const struct gp_op_row *op)
{
    if (op->kind != GP_OP_KERNEL) {
        return;
    }
    add(story, WHAT, "grid", "%" PRIu32 " × %" PRIu32 " × %" PRIu32 " blocks", op->grid[0],
        op->grid[1], op->grid[2]);
    add(story, WHAT, "block", "%" PRIu32 " × %" PRIu32 " × %" PRIu32 " threads", op->block[0],
        op->block[1], op->block[2]);
    if (op->regs >= 0) {
        add(story, WHAT, "registers", "%" PRId32 " per thread", op->regs);
    }
    if (op->smem >= 0) {
        add(story, WHAT, "shared memory", "%.1f KiB per block", op->smem / 1024.0);
    }
}

static void tell_bytes(struct gp_op_story *story, const struct gp_op_row *op)
{
    if (op->bytes == GP_UNKNOWN) {
        return;
    }
    add(story, WHAT, "size", "%.6g MiB", (double)op->bytes / (1 << 20));
    if (op->begin != GP_UNKNOWN && op->end > op->begin) {
        add(story, WHAT, "rate", "%.4g GB/s", (double)op->bytes / (double)(op->end - op->begin));
    }
}

/* ---- when ---------------------------------------------------------------------------------- */

static void tell_end(struct gp_op_story *story, const char *name, int64_t drawn, int64_t lo,
                     int64_t hi)
{
    char at[TIME_BYTES], from[TIME_BYTES], to[TIME_BYTES];

    if (drawn == GP_UNKNOWN) {
        add(story, WHEN, name, "unknown");
    } else if (lo == GP_UNKNOWN || hi == GP_UNKNOWN || lo == hi) {
        add(story, WHEN, name, "%s", moment(drawn, at));
    } else {
        add(story, WHEN, name, "%s (between %s and %s)", moment(drawn, at), moment(lo, from),
            moment(hi, to));
    }
}

static void tell_times(struct gp_op_story *story, const struct gp_op_row *op)
{
    char a[TIME_BYTES], b[TIME_BYTES];

    if (op->submit_begin != GP_UNKNOWN && op->submit_end != GP_UNKNOWN) {
        add(story, WHEN, "submitted", "%s, in %s", moment(op->submit_begin, a),
            duration(op->submit_end - op->submit_begin, b));
    }
    if (op->ready != GP_UNKNOWN) {
        add(story, WHEN, "ready", "%s", moment(op->ready, a));
    }
    if (op->ready != GP_UNKNOWN && op->begin != GP_UNKNOWN && op->begin > op->ready) {
        add(story, WHEN, "waited", "%s", duration(op->begin - op->ready, a));
    }
    tell_end(story, "begin", op->begin, op->begin_lo, op->begin_hi);
    tell_end(story, "end", op->end, op->end_lo, op->end_hi);
    if (op->begin != GP_UNKNOWN && op->end != GP_UNKNOWN) {
        add(story, WHEN, "duration", "%s", duration(op->end - op->begin, a));
    }
    add(story, WHEN, "known by", "%s", gp_source_name(op->source));
    if (op->ref_begin != GP_UNKNOWN && op->ref_end != GP_UNKNOWN) {
        add(story, WHEN, "reference", "%s to %s", moment(op->ref_begin, a), moment(op->ref_end, b));
    }
}

/* ---- where and why ------------------------------------------------------------------------- */

static void tell_place(struct gp_op_story *story, const struct gp_view_timeline *timeline,
                       const struct gp_op_row *op)
{
    if (op->stream < timeline->stream_count) {
        const struct gp_view_stream *stream = &timeline->streams[op->stream];

        if (stream->name[0] != '\0') {
            add(story, WHERE, "stream", "%s%s%s", stream->name, stream->role[0] != '\0' ? ", " : "",
                stream->role);
        } else {
            add(story, WHERE, "stream", "%" PRIu32, stream->id);
        }
    }
    if (op->rule != NULL && op->rule_detail != GP_UNKNOWN) {
        add(story, WHERE, "chosen because", "%s (%" PRId64 ")", op->rule, op->rule_detail);
    } else if (op->rule != NULL) {
        add(story, WHERE, "chosen because", "%s", op->rule);
    }
    add(story, WHERE, "chain", "%" PRIu32, op->chain);
    if (op->engine >= 0) {
        add(story, WHERE, "copy engine", "%" PRId32, op->engine);
    }
    if (op->connection >= 0) {
        add(story, WHERE, "connection", "%" PRId32, op->connection);
    }
}

/* "h2d (12), gemm (13) and 4 more" */
static void tell_neighbours(struct gp_op_story *story, const struct gp_view_timeline *timeline,
                            const char *name, const uint32_t *ops, uint32_t count)
{
    const struct gp_view_spans *spans = &timeline->tables[GP_VIEW_OPS];
    char text[GP_OP_STORY_BYTES_MAX] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < count && i < NEIGHBOURS_MAX && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%" PRIu32 ")",
                                 i > 0 ? ", " : "", timeline->names[spans->name[ops[i]]], ops[i]);
    }
    if (count > NEIGHBOURS_MAX && used < sizeof text) {
        (void)snprintf(text + used, sizeof text - used, " and %" PRIu32 " more",
                       count - NEIGHBOURS_MAX);
    }
    if (count > 0) {
        add(story, WHERE, name, "%s", text);
    }
}

void gp_op_story_tell(const struct gp_view_timeline *timeline, const struct gp_view_edges *edges,
                      const struct gp_op_row *op, struct gp_op_story *out)
{
    out->count = 0;
    add(out, WHAT, "name", "%s", op->name);
    add(out, WHAT, "kind", "%s", gp_op_kind_name(op->kind));
    add(out, WHAT, "operation", "%" PRIu32, op->id);
    tell_kernel(out, op);
    tell_bytes(out, op);
    tell_times(out, op);
    tell_place(out, timeline, op);
    if (edges != NULL) {
        uint32_t count;
        const uint32_t *ops = gp_view_edges_before(edges, op->id, &count);

        tell_neighbours(out, timeline, "waits for", ops, count);
        ops = gp_view_edges_after(edges, op->id, &count);
        tell_neighbours(out, timeline, "needed by", ops, count);
    }
}

void gp_op_story_tell_cause(const struct gp_view_timeline *timeline, enum gp_cause cause,
                            uint32_t on, struct gp_op_story *out)
{
    const struct gp_view_spans *ops = &timeline->tables[GP_VIEW_OPS];

    if (cause >= GP_CAUSE_COUNT) {
        return;
    }
    if (on < ops->count) {
        add(out, WHERE, "held by", "%s: %s (%" PRIu32 ")", gp_cause_name(cause),
            timeline->names[ops->name[on]], on);
    } else {
        add(out, WHERE, "held by", "%s", gp_cause_name(cause));
    }
}

void gp_op_story_tell_span(const struct gp_view_timeline *timeline, enum gp_view_table table,
                           uint32_t span, struct gp_op_story *out)
{
    const struct gp_view_spans *spans = &timeline->tables[table];
    int64_t begin = gp_view_begin_ns(spans, span);
    char a[TIME_BYTES];

    out->count = 0;
    add(out, WHAT, "name", "%s", timeline->names[spans->name[span]]);
    add(out, WHAT, "kind", "%s", table == GP_VIEW_CALLS ? "host call" : "range");
    add(out, WHERE, "host thread", "%" PRIu32, timeline->threads[spans->thread[span]]);
    if (table == GP_VIEW_CALLS && spans->op[span] != GP_VIEW_NONE) {
        add(out, WHERE, "for operation", "%" PRIu32, spans->op[span]);
    }
    if (begin != GP_UNKNOWN) {
        add(out, WHEN, "begin", "%s", moment(begin, a));
        add(out, WHEN, "end", "%s", moment(gp_view_end_ns(spans, span), a));
        add(out, WHEN, "duration", "%s", duration(gp_view_end_ns(spans, span) - begin, a));
    }
}
