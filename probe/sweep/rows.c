/* Rows of one traced run: see rows.h. */
#include "probe/sweep/rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "probe/memory.h"
#include "probe/nvtx/ranges.h"
#include "probe/sweep/check.h"

static void allocate(struct gp_traced_rows *rows, const struct gp_schedule *schedule,
                     uint32_t hazard_count)
{
    const struct gp_dag *dag = schedule->dag;

    rows->op_count = dag->op_count;
    rows->edge_count = dag->edge_count;
    rows->stream_count = schedule->used_count;
    rows->range_count = 2 + dag->chain_count + dag->op_count;
    for (uint32_t i = 0; i < dag->op_count; i++) {
        rows->access_count += dag->ops[i].access_count;
    }
    rows->ops = gp_xalloc(rows->op_count, sizeof rows->ops[0]);
    rows->edges = gp_xalloc((size_t)rows->edge_count + hazard_count, sizeof rows->edges[0]);
    rows->accesses = gp_xalloc(rows->access_count, sizeof rows->accesses[0]);
    rows->ranges = gp_xalloc(rows->range_count, sizeof rows->ranges[0]);
    rows->streams = gp_xalloc(rows->stream_count, sizeof rows->streams[0]);
    rows->chain_names = gp_xalloc(dag->chain_count, sizeof rows->chain_names[0]);
    rows->stream_names = gp_xalloc(rows->stream_count, sizeof rows->stream_names[0]);
}

/* The index of a pool stream among those that got work. */
static uint32_t used_index(const struct gp_schedule *schedule, uint32_t stream)
{
    uint32_t first = 0;
    uint32_t end = schedule->used_count;

    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;

        if (schedule->used[middle] <= stream) {
            first = middle;
        } else {
            end = middle;
        }
    }
    assert(schedule->used[first] == stream);
    return first;
}

static void fill_op(struct gp_op_row *row, const struct gp_schedule *schedule, uint32_t id)
{
    const struct gp_dag_op *op = &schedule->dag->ops[id];
    const struct gp_choice *choice = &schedule->choices[id];

    *row = (struct gp_op_row){
        .id = id,
        .stream = used_index(schedule, choice->stream),
        .chain = op->chain,
        .kind = op->kind,
        .name = op->name,
        .rule = schedule->policy->rules[choice->rule],
        .rule_detail = choice->rule_detail,
        .release = op->attributes.release_ns > 0 ? op->attributes.release_ns : GP_UNKNOWN,
        .bytes = op->kind == GP_OP_KERNEL ? GP_UNKNOWN : (int64_t)op->bytes,
        .smem = -1,
        .regs = -1,
        .engine = -1,
        .connection = -1,
        .ready = GP_UNKNOWN,
        .done = GP_UNKNOWN,
        .stamp_begin = GP_UNKNOWN,
        .stamp_end = GP_UNKNOWN,
        .ref_begin = GP_UNKNOWN,
        .ref_end = GP_UNKNOWN,
        .submit_begin = GP_UNKNOWN,
        .submit_end = GP_UNKNOWN,
    };
    if (op->kind == GP_OP_KERNEL) {
        memcpy(row->grid, op->launch.grid, sizeof row->grid);
        memcpy(row->block, op->launch.block, sizeof row->block);
        row->smem = (int32_t)(op->launch.kernel->shared_bytes + op->launch.shared_bytes);
        row->regs = (int32_t)op->launch.kernel->registers;
    }
}

static void fill_streams(struct gp_traced_rows *rows, const struct gp_schedule *schedule,
                         const struct gp_pool *pool)
{
    for (uint32_t i = 0; i < schedule->used_count; i++) {
        uint32_t id = schedule->used[i];

        (void)snprintf(rows->stream_names[i], sizeof rows->stream_names[i], "stream %u", id);
        rows->streams[i] = (struct gp_stream_row){
            .id = id,
            .priority = pool->streams[id]->priority,
            .flag = pool->streams[id]->flag,
            .role = schedule->streams[id].role,
            .name = rows->stream_names[i],
        };
    }
}

void gp_traced_rows_init(struct gp_traced_rows *rows, const struct gp_schedule *schedule,
                         const struct gp_hazard_report *hazards, const struct gp_pool *pool,
                         const char *cell_name)
{
    const struct gp_dag *dag = schedule->dag;
    uint32_t n = 0;

    memset(rows, 0, sizeof *rows);
    allocate(rows, schedule, hazards->hazard_count);
    (void)snprintf(rows->cell_name, sizeof rows->cell_name, "%s", cell_name);
    for (uint32_t i = 0; i < dag->op_count; i++) {
        const struct gp_dag_op *op = &dag->ops[i];

        fill_op(&rows->ops[i], schedule, i);
        for (uint32_t k = 0; k < op->access_count; k++) {
            const struct gp_access *access = &op->accesses[k];

            rows->accesses[n++] = (struct gp_access_row){
                .op = i,
                .mode = access->mode,
                .buffer = access->buffer->name,
                .offset = (int64_t)access->offset,
                .bytes = (int64_t)access->bytes,
            };
        }
    }
    for (uint32_t i = 0; i < dag->edge_count; i++) {
        const struct gp_edge *edge = &dag->edges[i];

        rows->edges[i] = (struct gp_edge_row){edge->from, edge->to, edge->kind, schedule->hows[i]};
    }
    rows->edge_count += gp_check_edges(hazards, rows->edges + rows->edge_count);
    for (uint32_t i = 0; i < dag->chain_count; i++) {
        (void)snprintf(rows->chain_names[i], sizeof rows->chain_names[i], "chain %u", i);
    }
    fill_streams(rows, schedule, pool);
}

void gp_traced_rows_finish(struct gp_traced_rows *rows)
{
    gp_free(rows->ops);
    gp_free(rows->edges);
    gp_free(rows->accesses);
    gp_free(rows->ranges);
    gp_free(rows->streams);
    gp_free(rows->chain_names);
    gp_free(rows->stream_names);
    memset(rows, 0, sizeof *rows);
}

static void add_range(struct gp_range_row *range, uint32_t id, enum gp_range_level level,
                      const char *text, int64_t begin, int64_t end)
{
    *range = (struct gp_range_row){
        .text = text,
        .begin = begin,
        .end = end,
        .domain = GP_RANGE_DOMAIN,
        .id = id,
        .level = level,
        .category = (int32_t)level + 1,
        .color = level == GP_RANGE_OP ? GP_UNKNOWN : gp_range_level_color(level),
    };
}

static void widen(struct gp_range_row *range, int64_t begin, int64_t end)
{
    range->begin = begin < range->begin ? begin : range->begin;
    range->end = end > range->end ? end : range->end;
}

void gp_traced_rows_observe(struct gp_traced_rows *rows, const struct gp_observer *observer,
                            int64_t makespan_ns, int64_t cell_begin, int64_t cell_end)
{
    uint32_t chain_count = rows->range_count - 2 - rows->op_count;
    struct gp_range_row *chains = rows->ranges + 2;
    struct gp_range_row *ops = chains + chain_count;

    add_range(&rows->ranges[0], 0, GP_RANGE_CELL, rows->cell_name, cell_begin, cell_end);
    add_range(&rows->ranges[1], 1, GP_RANGE_RUN, "run", 0, makespan_ns);
    for (uint32_t i = 0; i < chain_count; i++) {
        add_range(&chains[i], 2 + i, GP_RANGE_CHAIN, rows->chain_names[i], INT64_MAX, INT64_MIN);
    }
    for (uint32_t i = 0; i < rows->op_count; i++) {
        struct gp_op_row *row = &rows->ops[i];

        row->submit_begin = observer->op_begin[i];
        row->submit_end = observer->op_end[i];
        widen(&chains[row->chain], row->submit_begin, row->submit_end);
        add_range(&ops[i], 2 + chain_count + i, GP_RANGE_OP, row->name, row->submit_begin,
                  row->submit_end);
        ops[i].color = gp_range_op_color(row->kind);
    }
}
