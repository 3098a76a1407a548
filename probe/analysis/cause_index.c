/* What held each operation, once a run: see cause_index.h. */
#include "probe/analysis/cause_index.h"

#include <assert.h>

#include "probe/memory.h"

static const struct gp_held nothing = {INT64_MIN, GP_NO_OP};

struct gp_held *gp_cause_index_array(uint32_t count)
{
    struct gp_held *held = gp_xalloc(count, sizeof *held);

    for (uint32_t i = 0; i < count; i++) {
        held[i] = nothing;
    }
    return held;
}

void gp_held_raise(struct gp_held *held, int64_t until, uint32_t on)
{
    if (until > held->until) {
        *held = (struct gp_held){until, on};
    }
}

static void raise(struct gp_held *held, const struct gp_held *other)
{
    gp_held_raise(held, other->until, other->on);
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

    if (edge->how == GP_HOW_MISSING) {
        return;
    }
    if (gp_op_runs(source)) {
        gp_held_raise(&index->depends[op], source->end, edge->from);
        return;
    }
    raise(&index->depends[op], &index->depends[edge->from]);
    raise(&index->host[op], &index->host[edge->from]);
    if (source->kind == GP_OP_HOST && source->end != GP_UNKNOWN) {
        gp_held_raise(&index->host[op], source->end, edge->from);
    }
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void index_dependencies(struct gp_cause_index *index)
{
    const struct gp_run_data *run = index->run;

    index->depends = gp_cause_index_array(run->op_count);
    index->host = gp_cause_index_array(run->op_count);
    index->wanted = gp_xalloc(run->op_count, sizeof *index->wanted);
    for (uint32_t op = 0; op < run->op_count; op++) {
        for (uint32_t i = index->edge_first[op]; i < index->edge_first[op + 1]; i++) {
            depend(index, op, &run->edges[i]);
        }
        index->wanted[op] = later(later(index->depends[op].until, index->host[op].until),
                                  later(run->ops[op].release, 0));
    }
}

/* ---- the order of streams ------------------------------------------------------------------ */

static void order_by_begin(struct gp_cause_index *index)
{
    const struct gp_run_data *run = index->run;

    index->by_begin = gp_xalloc(run->op_count, sizeof *index->by_begin);
    for (uint32_t op = 0; op < run->op_count; op++) {
        const struct gp_op_row *row = &run->ops[op];

        if (row->begin != GP_UNKNOWN && row->end != GP_UNKNOWN) {
            index->by_begin[index->begun++] = (struct gp_moment){row->begin, op, 0};
        }
    }
    gp_moments_sort(index->by_begin, index->begun);
}

static void index_streams(struct gp_cause_index *index)
{
    const struct gp_run_data *run = index->run;
    struct gp_held *device = gp_cause_index_array(run->stream_count);
    struct gp_held *host = gp_cause_index_array(run->stream_count);

    index->behind = gp_cause_index_array(run->op_count);
    for (uint32_t i = 0; i < index->begun; i++) {
        uint32_t op = index->by_begin[i].op;
        const struct gp_op_row *row = &run->ops[op];

        index->behind[op] = device[row->stream];
        raise(&index->host[op], &host[row->stream]);
        if (gp_op_runs(row)) {
            gp_held_raise(&device[row->stream], row->end, op);
        } else if (row->kind == GP_OP_HOST) {
            gp_held_raise(&host[row->stream], row->end, op);
        }
    }
    gp_free(device);
    gp_free(host);
}

/* Everything that was submitted at a known time, in that order. */
static struct gp_moment *order_by_submit(const struct gp_run_data *run, uint32_t *count)
{
    struct gp_moment *moments = gp_xalloc(run->op_count, sizeof *moments);

    *count = 0;
    for (uint32_t op = 0; op < run->op_count; op++) {
        const struct gp_op_row *row = &run->ops[op];

        if (row->submit_begin != GP_UNKNOWN && row->submit_end != GP_UNKNOWN) {
            moments[(*count)++] = (struct gp_moment){row->submit_begin, op, 0};
        }
    }
    gp_moments_sort(moments, *count);
    return moments;
}

enum { STEP_EDGES, STEP_BY_BEGIN, STEP_BY_SUBMIT, STEP_HOST, STEP_SHARED, STEP_DEVICE, STEP_COUNT };

struct gp_cause_index *gp_cause_index_create(const struct gp_run_data *data)
{
    struct gp_cause_index *index = gp_xalloc(1, sizeof *index);
    struct gp_moment *by_submit = NULL;
    uint32_t submitted = 0;
    bool goes_on = true;

    assert(data != NULL);
    index->run = data;
    /* Of ten million operations each step takes a second or two. */
    for (int step = 0; step < STEP_COUNT && goes_on; step++) {
        switch (step) {
        case STEP_EDGES:
            index_edges(index);
            index_dependencies(index);
            break;
        case STEP_BY_BEGIN:
            order_by_begin(index);
            break;
        case STEP_BY_SUBMIT:
            by_submit = order_by_submit(data, &submitted);
            break;
        case STEP_HOST:
            index_streams(index);
            gp_cause_index_host(index, by_submit, submitted);
            break;
        case STEP_SHARED:
            gp_cause_index_shared(index, by_submit, submitted);
            break;
        default:
            gp_cause_index_device(index);
            break;
        }
        goes_on = gp_goes_on(&data->heed);
    }
    gp_free(by_submit);
    if (!goes_on) {
        gp_cause_index_destroy(index);
        return NULL;
    }
    return index;
}

void gp_cause_index_destroy(struct gp_cause_index *index)
{
    if (index == NULL) {
        return;
    }
    gp_free(index->by_begin);
    gp_free(index->edge_first);
    gp_free(index->wanted);
    gp_free(index->records);
    gp_free(index->depends);
    gp_free(index->host);
    gp_free(index->behind);
    gp_free(index->engine);
    gp_free(index->null);
    gp_free(index->connection);
    gp_free(index->timed);
    gp_free(index->grids);
    gp_free(index->priority);
    gp_free(index->sms);
    gp_free(index->line);
    gp_free(index->carve_out);
    gp_stretches_finish(&index->launch_queue);
    gp_stretches_finish(&index->pageable);
    gp_stretches_finish(&index->implicit_sync);
    gp_free(index);
}

int64_t gp_cause_index_idle_from(const struct gp_cause_index *index, uint32_t op)
{
    return later(index->behind[op].until, 0);
}

int64_t gp_cause_index_free_from(const struct gp_cause_index *index, uint32_t op)
{
    return later(index->wanted[op], gp_cause_index_idle_from(index, op));
}
