/*
 * Scheduling policies: which stream gets which work. A policy sees the frozen DAG and the size of
 * the pool, never a device, a clock or the past runs' times, so that its choices repeat.
 *
 * A policy writes only `choose`, and `plan` when it looks ahead. The library calls `choose` once
 * per unit in issue order. One instance may serve several threads; per-DAG state lives in the plan.
 */
#ifndef GP_CORE_POLICY_POLICY_H
#define GP_CORE_POLICY_POLICY_H

#include "core/dag.h"

/* What `choose` is asked about: a whole chain (named by its first operation) or each operation. */
enum gp_unit { GP_UNIT_CHAIN, GP_UNIT_OP };

/* "chain", "op"; static. */
const char *gp_unit_name(enum gp_unit unit);

struct gp_choice {
    uint32_t stream;     /* index into the pool, < pool size */
    uint16_t rule;       /* index into the policy's rules: why */
    int64_t rule_detail; /* a number that the rule explains (the counter's value, a load in ns) */
};

/* How a stream of the pool is to be made. All zero (role ""): as any other, so that policies can
 * share one pool. */
struct gp_stream_spec {
    enum gp_stream_flag flag;
    int32_t priority;       /* smaller is more urgent; clamped to what the device has */
    struct gp_sm_part part; /* SMs for its kernels; the flag is then NON_BLOCKING */
    const char *role;       /* "h2d", "critical"; static; "" none */
};

struct gp_policy {
    const struct gp_policy_ops *ops;
    uint32_t stream_count;
    void *state;
};

struct gp_policy_ops {
    const char *name;
    const char *summary;
    const char *source; /* paper, product or page the rule is from */
    enum gp_unit unit;
    /* Sentences, one a rule, NULL-terminated: what rule i means, as shown by explain. */
    const char *const *rules;
    /* The pool size that it uses whatever it is offered; 0: the offered one. How many of the
     * streams got work is schedule->used_count. */
    uint32_t fixed_streams;
    /* Optional; policy->stream_count is set, policy->state is the policy's own. */
    int (*init)(struct gp_policy *policy, struct gp_error *err);
    void (*finish)(struct gp_policy *policy);
    /* Optional: looks at the whole DAG once; *plan is handed to choose and to unplan. */
    int (*plan)(struct gp_policy *policy, const struct gp_dag *dag, void **plan,
                struct gp_error *err);
    void (*unplan)(struct gp_policy *policy, void *plan);
    /* Optional: how the pool's stream of that index, < policy->stream_count, is to be made; *out
     * is zero with role "" before. */
    void (*stream)(const struct gp_policy *policy, uint32_t stream, struct gp_stream_spec *out);
    /* op: the unit's first operation. Any thread. */
    int (*choose)(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err);
};

extern const struct gp_policy_ops *const gp_policy_table[];
extern const size_t gp_policy_table_count;

/* The table's entry of that name, NULL when there is none. */
const struct gp_policy_ops *gp_policy_find(const char *name);

/* stream_count 0: GP_STREAMS_DEFAULT; beyond GP_STREAMS_MAX: GP_EINVAL. *out is the caller's. */
int gp_policy_create(const struct gp_policy_ops *ops, uint32_t stream_count, struct gp_policy **out,
                     struct gp_error *err);
void gp_policy_destroy(struct gp_policy *policy);

/* How a stream of its pool is to be made; stream < policy->stream_count. */
struct gp_stream_spec gp_policy_stream(const struct gp_policy *policy, uint32_t stream);

/* True when some stream has a flag, a priority or a part of the SMs of its own, so that no shared
 * pool serves. */
bool gp_policy_needs_pool(const struct gp_policy *policy);

#endif
