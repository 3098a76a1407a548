/* What held each operation, once a run: see cause_index.h. */
#include "probe/analysis/cause_index.h"

#include <assert.h>

#include "probe/analysis/by_time.h"
#include "probe/memory.h"

static const struct gp_held nothing = {INT64_MIN, GP_NO_OP};

static struct gp_held later_of(struct gp_held a, struct gp_held b)
{
    return b.until > a.until ? b : a;
}

static struct gp_held *make_held(uint32_t count)
{
    struct gp_held *held = gp_xalloc(count, sizeof *held);

    for (uint32_t i = 0; i < count; i++) {
        held[i] = nothing;
    }
    return held;
}

/* ---- what the DAG orders ------------------------------------------------------------------- */

static void index_edges(struct gp_cause_index *index)
{
    const struct gp_run_data *run = index->run;
    uint32_t next = 0;

    index->edge_first = gp_xalloc((size_t)run->op_count + 1, sizeof *index->edge_first);
    for (uint32_t op = 0; op < run->op_count; op++) {
        index->edge_first[op] = next;
        while (next < run->edge_count && run->edges[next].to == op) {
            next++;
        }
    }
    index->edge_first[run->op_count] = next;
}

/* What an operation takes over from one that it depends on. An edge that is not kept holds nobody;
 * work that is not on the device hands on what it waited for itself. */
static void depend(struct gp_cause_index *index, uint32_t op, const struct gp_edge_row *edge)
{
    const struct gp_op_row *source = &index->run->ops[edge->from];
    struct gp_held itself = {source->end, edge->from};

    if (edge->how == GP_HOW_MISSING) {
        return;
    }
    if (gp_op_runs(source)) {
        index->depends[op] = later_of(index->depends[op], itself);
        return;
    }
    index->depends[op] = later_of(index->depends[op], index->depends[edge->from]);
    index->host[op] = later_of(index->host[op], index->host[edge->from]);
    if (source->kind == GP_OP_HOST && source->end != GP_UNKNOWN) {
        index->host[op] = later_of(index->host[op], itself);
    }
}

static void index_dependencies(struct gp_cause_index *index)
{
    const struct gp_run_data *run = index->run;

    index->depends = make_held(run->op_count);
    index->host = make_held(run->op_count);
    index->wanted = gp_xalloc(run->op_count, sizeof *index->wanted);
    for (uint32_t op = 0; op < run->op_count; op++) {
        struct gp_held last;

        for (uint32_t i = index->edge_first[op]; i < index->edge_first[op + 1]; i++) {
            depend(index, op, &run->edges[i]);
        }
        last = later_of(index->depends[op], index->host[op]);
        index->wanted[op] = last.until > 0 ? last.until : 0;
    }
}

/* ---- the order of streams ------------------------------------------------------------------ */

/* Everything that has a begin and an end, by begin; of equal ones the smaller id first. */
static struct gp_moment *order_by_begin(const struct gp_run_data *run, uint32_t *count)
{
    struct gp_moment *moments = gp_xalloc(run->op_count, sizeof *moments);

    *count = 0;
    for (uint32_t op = 0; op < run->op_count; op++) {
        const struct gp_op_row *row = &run->ops[op];

        if (row->begin != GP_UNKNOWN && row->end != GP_UNKNOWN) {
            moments[(*count)++] = (struct gp_moment){row->begin, op, 0};
        }
    }
    gp_moments_sort(moments, *count);
    return moments;
}

static void index_streams(struct gp_cause_index *index, const struct gp_moment *moments,
                          uint32_t count)
{
    const struct gp_run_data *run = index->run;
    struct gp_held *device = make_held(run->stream_count);
    struct gp_held *host = make_held(run->stream_count);

    index->behind = make_held(run->op_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = moments[i].op;
        const struct gp_op_row *row = &run->ops[op];
        struct gp_held itself = {row->end, op};

        index->behind[op] = device[row->stream];
        index->host[op] = later_of(index->host[op], host[row->stream]);
        if (gp_op_runs(row)) {
            device[row->stream] = later_of(device[row->stream], itself);
        } else if (row->kind == GP_OP_HOST) {
            host[row->stream] = later_of(host[row->stream], itself);
        }
    }
    gp_free(device);
    gp_free(host);
}

struct gp_cause_index *gp_cause_index_create(const struct gp_run_data *data)
{
    struct gp_cause_index *index = gp_xalloc(1, sizeof *index);
    struct gp_moment *moments;
    uint32_t count;

    assert(data != NULL);
    index->run = data;
    index_edges(index);
    index_dependencies(index);
    moments = order_by_begin(data, &count);
    index_streams(index, moments, count);
    gp_free(moments);
    return index;
}

void gp_cause_index_destroy(struct gp_cause_index *index)
{
    if (index == NULL) {
        return;
    }
    gp_free(index->edge_first);
    gp_free(index->depends);
    gp_free(index->host);
    gp_free(index->wanted);
    gp_free(index->behind);
    gp_free(index);
}

int64_t gp_cause_index_idle_from(const struct gp_cause_index *index, uint32_t op)
{
    int64_t until = index->behind[op].until;

    return until > 0 ? until : 0;
}
