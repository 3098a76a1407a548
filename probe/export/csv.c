/*
 * Comma-separated values by RFC 4180: one table, one header line, columns named as in schema.sql
 * with texts in place of string ids, times in ns, nothing for what is unknown. Ordered by cell, run
 * and id. What differs between equal runs of the model (wall clock, paths) is not in it.
 */
#include "probe/export/export.h"

#include <assert.h>
#include <string.h>

#include "probe/export/selection.h"
#include "probe/memory.h"
#include "probe/store/words.h"

enum { OPS_AT_ONCE = 4096 };

/* ---- lines --------------------------------------------------------------------------------- */

struct line {
    FILE *out;
    bool is_empty; /* nothing on the line yet */
};

static void start_field(struct line *line)
{
    if (!line->is_empty) {
        (void)putc(',', line->out);
    }
    line->is_empty = false;
}

static void put_int(struct line *line, int64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    start_field(line);
    if (value == GP_UNKNOWN) {
        return;
    }
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left != 0);
    if (value < 0) {
        *--at = '-';
    }
    (void)fwrite(at, 1, (size_t)(digits + sizeof digits - at), line->out);
}

/* -1 is unknown. */
static void put_small(struct line *line, int32_t value)
{
    put_int(line, value < 0 ? GP_UNKNOWN : value);
}

static void put_text(struct line *line, const char *text)
{
    start_field(line);
    if (text == NULL) {
        return;
    }
    if (strpbrk(text, "\",\r\n") == NULL) {
        (void)fputs(text, line->out);
        return;
    }
    (void)putc('"', line->out);
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            (void)putc('"', line->out);
        }
        (void)putc(*text, line->out);
    }
    (void)putc('"', line->out);
}

static void put_word(struct line *line, enum gp_words list, int value)
{
    put_text(line, value < gp_words_size(list) ? gp_word(list, value) : NULL);
}

/* Lines end as RFC 4180 has it. */
static void end_line(struct line *line)
{
    (void)fputs("\r\n", line->out);
    line->is_empty = true;
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Where a table's writer is: one run of one cell. */
struct place {
    struct gp_reader *reader;
    const struct gp_export_options *options;
    const struct gp_cell_row *cell;
    const struct gp_run_row *run;
};

static const char run_header[] =
    "id,cell_id,scenario,params,policy,streams,submit,issue_order,completion,pass,trace,"
    "trace_note,repeat,makespan_ns,submit_ns,verified,status,op_count";

static int write_run(const struct place *place, struct line *line, struct gp_error *err)
{
    const struct gp_cell_row *cell = place->cell;
    const struct gp_run_row *run = place->run;

    (void)err;
    put_int(line, run->id);
    put_int(line, cell->id);
    put_text(line, cell->scenario);
    put_text(line, cell->params);
    put_text(line, cell->policy);
    put_int(line, cell->streams);
    put_word(line, GP_WORDS_SUBMIT, (int)cell->submit);
    put_word(line, GP_WORDS_ORDER, (int)cell->order);
    put_text(line, cell->completion);
    put_word(line, GP_WORDS_PASS, (int)run->pass);
    put_word(line, GP_WORDS_TRACE, (int)run->trace);
    put_text(line, run->trace_note);
    put_int(line, run->repeat);
    put_int(line, run->makespan_ns);
    put_int(line, run->submit_ns);
    put_small(line, run->verified);
    put_word(line, GP_WORDS_STATUS, (int)run->status);
    put_int(line, run->op_count);
    end_line(line);
    return 0;
}

static const char op_header[] =
    "run_id,id,stream_id,kind,name,begin,end,begin_lo,begin_hi,end_lo,end_hi,source,ready,done,"
    "stamp_begin,stamp_end,ref_begin,ref_end,submit_begin,submit_end,chain,bytes,grid_x,grid_y,"
    "grid_z,block_x,block_y,block_z,smem,regs,engine,connection,rule,rule_detail,release";

static void put_shape(struct line *line, const uint32_t *shape)
{
    for (int i = 0; i < 3; i++) {
        put_int(line, shape[0] != 0 ? (int64_t)shape[i] : GP_UNKNOWN);
    }
}

static void put_op_times(struct line *line, const struct gp_op_row *op)
{
    put_int(line, op->begin);
    put_int(line, op->end);
    put_int(line, op->begin_lo);
    put_int(line, op->begin_hi);
    put_int(line, op->end_lo);
    put_int(line, op->end_hi);
    put_word(line, GP_WORDS_SOURCE, (int)op->source);
    put_int(line, op->ready);
    put_int(line, op->done);
    put_int(line, op->stamp_begin);
    put_int(line, op->stamp_end);
    put_int(line, op->ref_begin);
    put_int(line, op->ref_end);
    put_int(line, op->submit_begin);
    put_int(line, op->submit_end);
}

static void put_op(struct line *line, int64_t run, uint32_t stream_id, const struct gp_op_row *op)
{
    put_int(line, run);
    put_int(line, op->id);
    put_int(line, stream_id);
    put_word(line, GP_WORDS_OP_KIND, (int)op->kind);
    put_text(line, op->name);
    put_op_times(line, op);
    put_int(line, op->chain);
    put_int(line, op->bytes);
    put_shape(line, op->grid);
    put_shape(line, op->block);
    put_small(line, op->smem);
    put_small(line, op->regs);
    put_small(line, op->engine);
    put_small(line, op->connection);
    put_text(line, op->rule);
    put_int(line, op->rule_detail);
    put_int(line, op->release);
    end_line(line);
}

static int write_ops(const struct place *place, struct line *line, struct gp_error *err)
{
    const struct gp_run_row *run = place->run;
    struct gp_op_row *ops = gp_xalloc(OPS_AT_ONCE, sizeof *ops);
    struct gp_stream_row *streams;
    uint32_t stream_count;
    int code = gp_reader_streams(place->reader, run->id, &streams, &stream_count, err);

    for (uint32_t first = 0; first < run->op_count && code == 0; first += OPS_AT_ONCE) {
        uint32_t left = run->op_count - first;
        uint32_t count = left < OPS_AT_ONCE ? left : OPS_AT_ONCE;

        code = gp_reader_ops(place->reader, run->id, first, count, ops, err);
        for (uint32_t i = 0; i < count && code == 0; i++) {
            if (gp_selection_takes_row(place->options, &ops[i])) {
                put_op(line, run->id, streams[ops[i].stream].id, &ops[i]);
            }
        }
    }
    gp_free(streams);
    gp_free(ops);
    return code;
}

static const char edge_header[] = "run_id,dst_op,src_op,kind,how";

static int write_edges(const struct place *place, struct line *line, struct gp_error *err)
{
    struct gp_edge_row *edges;
    uint32_t count;
    int code = gp_reader_edges(place->reader, place->run->id, &edges, &count, err);

    for (uint32_t i = 0; i < count; i++) {
        put_int(line, place->run->id);
        put_int(line, edges[i].to);
        put_int(line, edges[i].from);
        put_word(line, GP_WORDS_EDGE_KIND, (int)edges[i].kind);
        put_word(line, GP_WORDS_EDGE_HOW, (int)edges[i].how);
        end_line(line);
    }
    gp_free(edges);
    return code;
}

static const char range_header[] = "run_id,id,thread,domain,category,color,text,level,begin,end";

static int write_ranges(const struct place *place, struct line *line, struct gp_error *err)
{
    struct gp_range_row *ranges;
    uint32_t count;
    int code = gp_reader_ranges(place->reader, place->run->id, &ranges, &count, err);

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_range_row *range = &ranges[i];

        if (!gp_selection_takes_time(place->options, range->begin, range->end)) {
            continue;
        }
        put_int(line, place->run->id);
        put_int(line, range->id);
        put_int(line, range->thread);
        put_text(line, range->domain);
        put_int(line, range->category);
        put_int(line, range->color);
        put_text(line, range->text);
        put_int(line, range->level);
        put_int(line, range->begin);
        put_int(line, range->end);
        end_line(line);
    }
    gp_free(ranges);
    return code;
}

static const char block_header[] = "run_id,op_id,block,sm,begin,end";

static int write_blocks(const struct place *place, struct line *line, struct gp_error *err)
{
    struct gp_block_row *blocks;
    uint32_t count;
    int code = gp_reader_blocks(place->reader, place->run->id, &blocks, &count, err);

    for (uint32_t i = 0; i < count; i++) {
        if (!gp_selection_takes_time(place->options, blocks[i].begin, blocks[i].end)) {
            continue;
        }
        put_int(line, place->run->id);
        put_int(line, blocks[i].op);
        put_int(line, blocks[i].block);
        put_int(line, blocks[i].sm);
        put_int(line, blocks[i].begin);
        put_int(line, blocks[i].end);
        end_line(line);
    }
    gp_free(blocks);
    return code;
}

static const char *const names[] = {"op", "edge", "range", "run", "block", NULL};

/* By index of names. */
static const struct table {
    const char *header;
    int (*write)(const struct place *place, struct line *line, struct gp_error *err);
} tables[] = {
    {op_header, write_ops},  {edge_header, write_edges},   {range_header, write_ranges},
    {run_header, write_run}, {block_header, write_blocks},
};

/* ---- the format ---------------------------------------------------------------------------- */

static int write_csv(struct gp_reader *reader, const struct gp_export_options *options, FILE *out,
                     struct gp_error *err)
{
    struct place place = {.reader = reader, .options = options};
    struct line line = {.out = out, .is_empty = true};
    const struct table *table = NULL;
    struct gp_selection_list list;
    int code = gp_selection_list_init(&list, reader, options, err);

    for (size_t i = 0; names[i] != NULL; i++) {
        table = strcmp(options->table, names[i]) == 0 ? &tables[i] : table;
    }
    assert(table != NULL);
    (void)fputs(table->header, out);
    end_line(&line);
    for (uint32_t i = 0; i < list.count && code == 0 && ferror(out) == 0; i++) {
        place.cell = list.runs[i].cell;
        place.run = &list.runs[i].run;
        code = table->write(&place, &line, err);
    }
    gp_selection_list_finish(&list);
    return code;
}

const struct gp_export_ops gp_export_csv = {
    .name = "csv",
    .summary = "comma-separated values, one table of the recording",
    .tables = names,
    .write = write_csv,
};
