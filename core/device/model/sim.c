/* The event loop: see sim.h. */
#include "core/device/model/sim.h"

#include <assert.h>
#include <string.h>

#include "core/device/model/graph.h"
#include "core/memory.h"

#define GP_OWNER(at, type) ((struct type *)(void *)((char *)(at)-offsetof(struct type, node)))

int gp_sim_init(struct gp_sim *sim, const struct gp_profile *profile, struct gp_memory *memory,
                uint32_t connections, struct gp_error *err)
{
    struct gp_sm_limits limits;
    const uint32_t grids = (uint32_t)profile->grids_resident;
    uint32_t cohorts;

    assert(connections >= 1 && connections <= GP_CONNECTIONS_MAX);
    memset(sim, 0, sizeof *sim);
    sim->profile = profile;
    sim->memory = memory;
    sim->connection_count = connections;
    sim->is_executing = true;
    sim->memory_cap_q16 = INT64_MAX;
    gp_slab_init(&sim->ops, sizeof(struct gp_sim_op));
    gp_slab_init(&sim->markers, sizeof(struct gp_sim_marker));
    gp_slab_init(&sim->streams, sizeof(struct gp_sim_stream));
    gp_slab_init(&sim->cohorts, sizeof(struct gp_sim_cohort));
    gp_occupancy_limits((int32_t)profile->compute_major, (int32_t)profile->compute_minor, &limits);
    gp_sms_init(&sim->sms, &limits, (uint32_t)profile->sm_count);
    sim->parts[0] = (struct gp_sm_range){0, (uint32_t)profile->sm_count};
    sim->part_count = 1;
    cohorts = sim->sms.count * limits.blocks;
    sim->flows = gp_alloc(grids, sizeof(struct gp_sim_op *));
    sim->flow_shares = gp_alloc(grids, sizeof *sim->flow_shares);
    /* Places for the front end, both engines and as many cohorts as can ever be. */
    if (sim->flows == NULL || sim->flow_shares == NULL ||
        gp_heap_reserve(&sim->heap, cohorts + 3) != 0 ||
        gp_slab_reserve(&sim->cohorts, cohorts) != 0) {
        return gp_fail(err, GP_ENOMEM, "no memory for a model of %u SMs", sim->sms.count);
    }
    return gp_sim_stream_create(sim, (uint32_t)profile->priority_levels - 1, false,
                                &sim->null_stream, err);
}

/* What is still in flight goes without an effect. */
static void drop_ops(struct gp_sim *sim, struct gp_sim_stream *stream)
{
    struct gp_sim_op *op = stream->head;

    while (op != NULL) {
        struct gp_sim_op *next = op->next;

        gp_graph_run_destroy(op->run);
        op->run = NULL;
        gp_sim_op_destroy(sim, op);
        op = next;
    }
}

void gp_sim_finish(struct gp_sim *sim)
{
    for (struct gp_sim_stream *stream = sim->first_stream; stream != NULL; stream = stream->next) {
        drop_ops(sim, stream);
    }
    gp_free(sim->flows);
    gp_free(sim->flow_shares);
    gp_slab_finish(&sim->ops);
    gp_slab_finish(&sim->markers);
    gp_slab_finish(&sim->streams);
    gp_slab_finish(&sim->cohorts);
    gp_heap_finish(&sim->heap);
}

int64_t gp_sim_next_ns(const struct gp_sim *sim)
{
    const struct gp_heap_entry *first = gp_heap_first(&sim->heap);

    return first != NULL ? first->at_ns : INT64_MAX;
}

void gp_sim_push(struct gp_sim_queue *queue, struct gp_sim_op *op)
{
    op->queue_next = NULL;
    if (queue->tail != NULL) {
        queue->tail->queue_next = op;
    } else {
        queue->head = op;
    }
    queue->tail = op;
}

struct gp_sim_op *gp_sim_pop(struct gp_sim_queue *queue)
{
    struct gp_sim_op *op = queue->head;

    if (op != NULL) {
        queue->head = op->queue_next;
        if (queue->head == NULL) {
            queue->tail = NULL;
        }
    }
    return op;
}

void gp_sim_schedule(struct gp_sim *sim, struct gp_heap_node *node, enum gp_sim_event event,
                     int64_t at_ns)
{
    assert(at_ns >= sim->now_ns);
    node->kind = event;
    gp_heap_set(&sim->heap, node, at_ns);
}

void gp_sim_fail(struct gp_sim *sim, const struct gp_error *err)
{
    if (sim->fault.code == 0) {
        sim->fault = *err;
        sim->observations++;
    }
}

/* The latency before an operation that has its turn is over. */
static void start_ready(struct gp_sim *sim, struct gp_sim_op *op)
{
    switch (op->kind) {
    case GP_SIM_H2D:
    case GP_SIM_D2H:
        gp_sim_engine_request(sim, op);
        break;
    case GP_SIM_GRAPH:
        gp_graph_run_start(sim, op);
        break;
    default:
        gp_sim_front_request(sim, op);
        break;
    }
}

static void handle(struct gp_sim *sim, struct gp_heap_node *node)
{
    struct gp_sim_op *op;

    switch ((enum gp_sim_event)node->kind) {
    case GP_SIM_ARRIVE:
        op = GP_OWNER(node, gp_sim_op);
        op->has_arrived = true;
        gp_sim_consider(sim, op);
        break;
    case GP_SIM_READY:
        start_ready(sim, GP_OWNER(node, gp_sim_op));
        break;
    case GP_SIM_FINISH:
        gp_sim_complete(sim, GP_OWNER(node, gp_sim_op));
        break;
    case GP_SIM_FUNCTION_RUN:
        gp_sim_function_run(sim, GP_OWNER(node, gp_sim_op));
        break;
    case GP_SIM_FUNCTION_END:
        gp_sim_function_end(sim, GP_OWNER(node, gp_sim_op));
        break;
    case GP_SIM_FRONT_FREE:
        gp_sim_front_free(sim);
        break;
    case GP_SIM_ENGINE_FREE:
        gp_sim_engine_free(sim, GP_OWNER(node, gp_sim_engine));
        break;
    case GP_SIM_COHORT_END:
        gp_sim_cohort_end(sim, GP_OWNER(node, gp_sim_cohort));
        break;
    case GP_SIM_MARKER_VISIBLE:
        GP_OWNER(node, gp_sim_marker)->is_visible = true;
        sim->observations++;
        gp_sim_marker_release(sim, GP_OWNER(node, gp_sim_marker));
        break;
    case GP_SIM_STREAM_VISIBLE:
        sim->observations++;
        break;
    }
}

void gp_sim_step(struct gp_sim *sim)
{
    const struct gp_heap_entry *first = gp_heap_first(&sim->heap);

    assert(first != NULL && first->at_ns >= sim->now_ns && sim->due_function == NULL);
    sim->now_ns = first->at_ns;
    do {
        while (first != NULL && first->at_ns == sim->now_ns && sim->due_function == NULL) {
            struct gp_heap_node *node = first->node;

            gp_heap_remove(&sim->heap, node);
            handle(sim, node);
            first = gp_heap_first(&sim->heap);
        }
        gp_sim_settle(sim);
        if (sim->must_place) {
            gp_sim_place(sim);
            gp_sim_settle(sim);
        }
        gp_sim_set_speeds(sim);
        first = gp_heap_first(&sim->heap);
    } while (first != NULL && first->at_ns == sim->now_ns && sim->due_function == NULL);
}
