/*
 * Graphs of the model: capture, instantiation, and execution of a captured DAG as one operation of
 * a stream. Nodes go to the front end and the engines like streams' operations do, with shorter
 * latencies and without connections.
 */
#ifndef GP_CORE_DEVICE_MODEL_GRAPH_H
#define GP_CORE_DEVICE_MODEL_GRAPH_H

#include "core/device/model/sim.h"

/* A growing set of node numbers. */
struct gp_node_set {
    uint32_t *nodes;
    uint32_t count, capacity;
};

struct gp_graph_node {
    struct gp_sim_op *model; /* what each run's operation is a copy of; owned */
    struct gp_node_set predecessors;
};

/* The DAG, shared by the handle and its runs. */
struct gp_graph_body {
    struct gp_sim *sim;
    uint32_t references;
    struct gp_graph_node *nodes;
    uint32_t node_count, node_capacity;
    uint64_t *addresses; /* of what its nodes allocate; its own until it is gone */
    uint32_t address_count, address_capacity;
    /* After instantiation: node i is followed by next[first[i] … first[i + 1]). */
    uint32_t *first;
    uint32_t *next;
};

/* ---- execution; called by the simulation ------------------------------------------------------
 */

struct gp_graph_run {
    struct gp_graph_body *body;
    struct gp_sim_op *launch;
    struct gp_sim_op **ops; /* NULL when done */
    uint32_t *waiting;      /* predecessors that are not done */
    int64_t (*floor_ns)[GP_SIM_TARGETS];
    uint32_t left;
};

/* The launch has its turn: the nodes that wait for none begin. */
void gp_graph_run_start(struct gp_sim *sim, struct gp_sim_op *launch);
/* A node is complete: those that waited for it begin, after the last one the launch is complete. */
void gp_graph_node_done(struct gp_sim *sim, struct gp_sim_op *op);
/* With what is still in flight of it; NULL allowed. */
void gp_graph_run_destroy(struct gp_graph_run *run);

/* A run of an instantiated body; GP_ENOMEM. */
int gp_graph_run_create(struct gp_graph_body *body, struct gp_graph_run **out,
                        struct gp_error *err);

/* ---- building ---------------------------------------------------------------------------------
 */

/* An empty one; one reference is the caller's. */
int gp_graph_body_create(struct gp_sim *sim, struct gp_graph_body **out, struct gp_error *err);
/* Drops a reference; NULL allowed. */
void gp_graph_body_release(struct gp_graph_body *body);

/* Adds an operation behind `after`, which becomes just the new node; takes op over on success. */
int gp_graph_body_add(struct gp_graph_body *body, struct gp_sim_op *op, struct gp_node_set *after,
                      struct gp_error *err);

/* Gives it memory for an alloc node, at a fixed address. GP_EDEVICEMEM, GP_ENOMEM. */
int gp_graph_body_allocate(struct gp_graph_body *body, uint64_t bytes, uint64_t *out,
                           struct gp_error *err);
/* Whether an address is the beginning of such memory. */
bool gp_graph_body_owns(const struct gp_graph_body *body, uint64_t address);

/* Makes it ready to run. */
int gp_graph_body_instantiate(struct gp_graph_body *body, struct gp_error *err);

/* to ∪= from; 0, or -1 without memory. */
int gp_node_set_add(struct gp_node_set *to, const struct gp_node_set *from);
/* Empties it and frees what it holds. */
void gp_node_set_finish(struct gp_node_set *set);

#endif
