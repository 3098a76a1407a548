/*
 * A schedule: every choice for one DAG made, nothing submitted. It is the policy's streams, the
 * issue order, and the flat list of steps (wait, operation, record) that dispatch walks without a
 * decision or an allocation. May be dispatched any number of times.
 */
#ifndef GP_CORE_SCHEDULE_H
#define GP_CORE_SCHEDULE_H

#include "core/policy/policy.h"

/* depth: chain after chain (ascending ids); breadth: level after level; critical: what has the
 * longest estimated path to the end first. */
#define GP_ISSUE_ORDERS(X) X(DEPTH, "depth") X(BREADTH, "breadth") X(CRITICAL, "critical")

enum gp_issue_order {
#define X(name, word) GP_ORDER_##name,
    GP_ISSUE_ORDERS(X)
#undef X
        GP_ISSUE_ORDER_COUNT
};

/* The list's word, static. */
const char *gp_issue_order_name(enum gp_issue_order order);

/* How an edge is kept: both ends on one stream; an event wait; implied by other waits, so none. Or
 * it is not: missing is said of hazards (hazard.h), never in a schedule. */
#define GP_EDGE_HOWS(X)                                                                            \
    X(STREAM, "stream") X(EVENT, "event") X(ELIDED, "elided") X(MISSING, "missing")

enum gp_edge_how {
#define X(name, word) GP_HOW_##name,
    GP_EDGE_HOWS(X)
#undef X
        GP_EDGE_HOW_COUNT
};

/* The list's word, static. */
const char *gp_edge_how_name(enum gp_edge_how how);

enum gp_step_kind { GP_STEP_OP, GP_STEP_RECORD, GP_STEP_WAIT };

struct gp_step {
    enum gp_step_kind kind;
    uint32_t op;     /* the operation; of a record the one just before, of a wait the one after */
    uint32_t stream; /* pool index */
    uint32_t event;  /* record, wait: index < event_count */
};

struct gp_schedule {
    const struct gp_dag *dag; /* borrowed */
    const struct gp_policy_ops *policy;
    uint32_t stream_count;          /* the pool's */
    struct gp_stream_spec *streams; /* how the policy wants each of them */
    bool needs_pool;                /* it must be of gp_pool_create_for */
    enum gp_issue_order order;
    struct gp_choice *choices; /* per operation */
    enum gp_edge_how *hows;    /* per edge of the DAG */
    struct gp_step *steps;
    uint32_t step_count;
    uint32_t event_count; /* untimed events it needs */
    uint32_t waits_elided;
    uint32_t *used; /* streams that got work, ascending */
    uint32_t used_count;
};

/* Asks the policy and derives the waits; a cross-stream edge becomes a record after its source and
 * a wait before its target unless the target's stream has already waited for something later on
 * that stream, directly or through others (vector clocks). A stream index ≥ the pool's size is
 * GP_EINVAL naming the policy. *out is the caller's. */
int gp_schedule_create(struct gp_policy *policy, const struct gp_dag *dag,
                       enum gp_issue_order order, struct gp_schedule **out, struct gp_error *err);
void gp_schedule_destroy(struct gp_schedule *schedule);

#endif
