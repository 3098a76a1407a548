/* Graph bodies and runs: see graph.h. */
#include "core/device/model/graph.h"

#include <assert.h>
#include <string.h>

#include "core/device/model/execute.h"
#include "core/device/model/memory.h"
#include "core/memory.h"

/* ---- sets -------------------------------------------------------------------------------------
 */

static int add_node(struct gp_node_set *set, uint32_t node)
{
    void *block = set->nodes;

    for (uint32_t i = 0; i < set->count; i++) {
        if (set->nodes[i] == node) {
            return 0;
        }
    }
    if (set->count == set->capacity) {
        uint32_t capacity = set->capacity * 2 + 4;

        if (gp_realloc(&block, set->capacity, capacity, sizeof *set->nodes) != 0) {
            return -1;
        }
        set->nodes = block;
        set->capacity = capacity;
    }
    set->nodes[set->count++] = node;
    return 0;
}

int gp_node_set_add(struct gp_node_set *to, const struct gp_node_set *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        if (add_node(to, from->nodes[i]) != 0) {
            return -1;
        }
    }
    return 0;
}

void gp_node_set_finish(struct gp_node_set *set)
{
    gp_free(set->nodes);
    memset(set, 0, sizeof *set);
}

/* ---- bodies ------------------------------------------------------------------------------------
 */

int gp_graph_body_create(struct gp_sim *sim, struct gp_graph_body **out, struct gp_error *err)
{
    struct gp_graph_body *body = gp_alloc(1, sizeof *body);

    if (body == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for a graph");
    }
    body->sim = sim;
    body->references = 1;
    *out = body;
    return 0;
}

void gp_graph_body_release(struct gp_graph_body *body)
{
    if (body == NULL || --body->references > 0) {
        return;
    }
    for (uint32_t i = 0; i < body->node_count; i++) {
        gp_sim_op_destroy(body->sim, body->nodes[i].model);
        gp_node_set_finish(&body->nodes[i].predecessors);
    }
    for (uint32_t i = 0; i < body->address_count; i++) {
        (void)gp_memory_remove(body->sim->memory, body->addresses[i], false, NULL);
    }
    gp_free(body->addresses);
    gp_free(body->nodes);
    gp_free(body->first);
    gp_free(body->next);
    gp_free(body);
}

int gp_graph_body_add(struct gp_graph_body *body, struct gp_sim_op *op, struct gp_node_set *after,
                      struct gp_error *err)
{
    void *block = body->nodes;
    struct gp_graph_node *node;

    if (body->node_count == body->node_capacity) {
        uint32_t capacity = body->node_capacity * 2 + 16;

        if (gp_realloc(&block, body->node_capacity, capacity, sizeof *body->nodes) != 0) {
            return gp_fail(err, GP_ENOMEM, "no memory for a graph of %u nodes", capacity);
        }
        body->nodes = block;
        body->node_capacity = capacity;
    }
    node = &body->nodes[body->node_count];
    memset(node, 0, sizeof *node);
    if (gp_node_set_add(&node->predecessors, after) != 0) {
        gp_node_set_finish(&node->predecessors);
        return gp_fail(err, GP_ENOMEM, "no memory for the edges of a graph");
    }
    after->count = 0;
    if (add_node(after, body->node_count) != 0) {
        gp_node_set_finish(&node->predecessors);
        return gp_fail(err, GP_ENOMEM, "no memory for the edges of a graph");
    }
    node->model = op;
    body->node_count++;
    return 0;
}

int gp_graph_body_allocate(struct gp_graph_body *body, uint64_t bytes, uint64_t *out,
                           struct gp_error *err)
{
    void *block = body->addresses;
    int code;

    if (body->address_count == body->address_capacity) {
        uint32_t capacity = body->address_capacity * 2 + 16;

        if (gp_realloc(&block, body->address_capacity, capacity, sizeof *body->addresses) != 0) {
            return gp_fail(err, GP_ENOMEM, "no memory for a graph of %u allocations", capacity);
        }
        body->addresses = block;
        body->address_capacity = capacity;
    }
    code = gp_memory_add(body->sim->memory, bytes, false, out, err);
    if (code == 0) {
        body->addresses[body->address_count++] = *out;
    }
    return code;
}

bool gp_graph_body_owns(const struct gp_graph_body *body, uint64_t address)
{
    for (uint32_t i = 0; i < body->address_count; i++) {
        if (body->addresses[i] == address) {
            return true;
        }
    }
    return false;
}

int gp_graph_body_instantiate(struct gp_graph_body *body, struct gp_error *err)
{
    const uint32_t count = body->node_count;
    uint32_t edges = 0;
    uint32_t *first = gp_alloc((size_t)count + 2, sizeof *first);
    uint32_t *next;

    for (uint32_t i = 0; i < count; i++) {
        edges += body->nodes[i].predecessors.count;
    }
    next = gp_alloc(edges, sizeof *next);
    if (first == NULL || next == NULL) {
        gp_free(first);
        gp_free(next);
        return gp_fail(err, GP_ENOMEM, "no memory to instantiate a graph of %u nodes", count);
    }
    /* first[p + 2] counts p's successors, is then where they begin, and moves to where they end,
     * which is where the next one's begin: so it comes to stand in first[p + 1]. */
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t p = 0; p < body->nodes[i].predecessors.count; p++) {
            first[body->nodes[i].predecessors.nodes[p] + 2]++;
        }
    }
    for (uint32_t i = 2; i < count + 2; i++) {
        first[i] += first[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t p = 0; p < body->nodes[i].predecessors.count; p++) {
            next[first[body->nodes[i].predecessors.nodes[p] + 1]++] = i;
        }
    }
    body->first = first;
    body->next = next;
    return 0;
}

/* ---- runs --------------------------------------------------------------------------------------
 */

void gp_graph_run_destroy(struct gp_graph_run *run)
{
    if (run == NULL) {
        return;
    }
    for (uint32_t i = 0; run->ops != NULL && i < run->body->node_count; i++) {
        if (run->ops[i] != NULL) {
            gp_sim_op_destroy(run->body->sim, run->ops[i]);
        }
    }
    gp_free(run->ops);
    gp_free(run->waiting);
    gp_free(run->floor_ns);
    gp_graph_body_release(run->body);
    gp_free(run);
}

/* The run's own copy of a node's operation; NULL without memory. */
static struct gp_sim_op *copy_op(struct gp_graph_run *run, uint32_t index)
{
    const struct gp_sim_op *model = run->body->nodes[index].model;
    struct gp_sim_op *op = gp_sim_op_create(run->body->sim, model->kind);

    if (op != NULL) {
        *op = *model;
        op->node = (struct gp_heap_node){0, 0};
        op->run = run;
        op->run_node = index;
        op->has_waited = true;
        op->watched = 0;
        gp_sim_watch(run->body->sim, op);
        if (!run->body->sim->is_executing) {
            op->action = NULL;
        } else if (op->action != NULL) {
            op->action->references++;
        }
    }
    return op;
}

int gp_graph_run_create(struct gp_graph_body *body, struct gp_graph_run **out, struct gp_error *err)
{
    struct gp_graph_run *run = gp_alloc(1, sizeof *run);
    bool is_whole = run != NULL;

    if (is_whole) {
        run->body = body;
        body->references++;
        run->left = body->node_count;
        run->ops = gp_alloc(body->node_count, sizeof(struct gp_sim_op *));
        run->waiting = gp_alloc(body->node_count, sizeof *run->waiting);
        run->floor_ns = gp_alloc(body->node_count, sizeof *run->floor_ns);
        is_whole = run->ops != NULL && run->waiting != NULL && run->floor_ns != NULL;
    }
    for (uint32_t i = 0; is_whole && i < body->node_count; i++) {
        run->ops[i] = copy_op(run, i);
        run->waiting[i] = body->nodes[i].predecessors.count;
        is_whole = run->ops[i] != NULL;
    }
    if (!is_whole) {
        gp_graph_run_destroy(run);
        return gp_fail(err, GP_ENOMEM, "no memory to launch a graph of %u nodes", body->node_count);
    }
    *out = run;
    return 0;
}

void gp_graph_run_start(struct gp_sim *sim, struct gp_sim_op *launch)
{
    struct gp_graph_run *run = launch->run;

    run->launch = launch;
    launch->begin_ns = sim->now_ns;
    gp_sim_leave_connection(sim, launch);
    if (run->left == 0) {
        gp_sim_complete(sim, launch);
        return;
    }
    for (uint32_t i = 0; i < run->body->node_count; i++) {
        if (run->waiting[i] == 0) {
            gp_sim_start(sim, run->ops[i], run->floor_ns[i]);
        }
    }
}

void gp_graph_node_done(struct gp_sim *sim, struct gp_sim_op *op)
{
    struct gp_graph_run *run = op->run;
    const struct gp_graph_body *body = run->body;
    int64_t floor_ns[GP_SIM_TARGETS];

    /* What takes no time hands on what it had to wait for. */
    memcpy(floor_ns, run->floor_ns[op->run_node], sizeof floor_ns);
    run->ops[op->run_node] = NULL;
    gp_sim_floors_after(sim, op, floor_ns);
    for (uint32_t e = body->first[op->run_node]; e < body->first[op->run_node + 1]; e++) {
        uint32_t next = body->next[e];

        for (int i = 0; i < GP_SIM_TARGETS; i++) {
            if (run->floor_ns[next][i] < floor_ns[i]) {
                run->floor_ns[next][i] = floor_ns[i];
            }
        }
        if (--run->waiting[next] == 0) {
            gp_sim_start(sim, run->ops[next], run->floor_ns[next]);
        }
    }
    if (--run->left == 0) {
        gp_sim_complete(sim, run->launch);
    }
}
