/*
 * Policy critical-priority: heft on two classes of streams. The first half of the pool has the
 * highest priority and takes what is on the longest path (or within 5 % of it); the rest of the
 * pool takes the rest. Where everything is critical, nothing is.
 */
#include "core/memory.h"
#include "core/policy/earliest.h"
#include "core/policy/policies.h"

enum { RULE_CRITICAL, RULE_OTHER, RULE_ALL_ALIKE };

static bool is_critical(const struct gp_estimate *estimate, uint32_t op)
{
    int64_t slack_ns = estimate->critical_ns - estimate->up[op] - estimate->down[op];

    return slack_ns <= estimate->critical_ns / 20;
}

static bool is_all_critical(const struct gp_estimate *estimate, const struct gp_dag *dag)
{
    for (uint32_t op = 0; op < dag->op_count; op++) {
        if (!is_critical(estimate, op)) {
            return false;
        }
    }
    return true;
}

static uint32_t urgent_streams(const struct gp_policy *policy)
{
    return policy->stream_count / 2;
}

static uint16_t rule_of(const struct gp_policy *policy, const struct gp_earliest *earliest,
                        bool is_all, uint32_t op)
{
    if (is_all || urgent_streams(policy) == 0) {
        return RULE_ALL_ALIKE;
    }
    return is_critical(earliest->estimate, op) ? RULE_CRITICAL : RULE_OTHER;
}

struct plan {
    struct gp_earliest *earliest;
    bool is_all_critical;
};

static void free_plan(struct gp_policy *policy, void *opaque)
{
    struct plan *plan = opaque;

    (void)policy;
    gp_earliest_destroy(plan->earliest);
    gp_free(plan);
}

static int make_plan(struct gp_policy *policy, const struct gp_dag *dag, void **out,
                     struct gp_error *err)
{
    uint32_t urgent = urgent_streams(policy);
    struct plan *plan = gp_alloc(1, sizeof *plan);
    int code;

    if (plan == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for a plan");
    }
    code = gp_earliest_create(dag, &plan->earliest, err);
    if (code != 0) {
        free_plan(policy, plan);
        return code;
    }
    plan->is_all_critical = is_all_critical(plan->earliest->estimate, dag);
    for (uint32_t i = 0; i < dag->op_count; i++) {
        uint32_t op = plan->earliest->order[i];

        switch (rule_of(policy, plan->earliest, plan->is_all_critical, op)) {
        case RULE_CRITICAL:
            gp_earliest_place(plan->earliest, op, 0, urgent);
            break;
        case RULE_OTHER:
            gp_earliest_place(plan->earliest, op, urgent, policy->stream_count - urgent);
            break;
        default:
            gp_earliest_place(plan->earliest, op, 0, policy->stream_count);
            break;
        }
    }
    *out = plan;
    return 0;
}

static int choose(struct gp_policy *policy, void *opaque, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    const struct plan *plan = opaque;
    const struct gp_estimate *estimate = plan->earliest->estimate;

    (void)dag;
    (void)err;
    out->stream = plan->earliest->places[op].stream;
    out->rule = rule_of(policy, plan->earliest, plan->is_all_critical, op);
    out->rule_detail = estimate->up[op] + estimate->down[op];
    return 0;
}

static void describe_stream(const struct gp_policy *policy, uint32_t stream,
                            struct gp_stream_spec *out)
{
    if (stream < urgent_streams(policy)) {
        out->priority = INT32_MIN;
        out->role = "critical";
    }
}

static const char *const rules[] = {
    [RULE_CRITICAL] = "on the longest path, its length in ns: a stream of the highest priority",
    [RULE_OTHER] = "off the longest path, length of its own in ns: a stream of priority 0",
    [RULE_ALL_ALIKE] = "one stream, or everything is on a longest path: no stream is preferred",
    NULL,
};

const struct gp_policy_ops gp_policy_critical_priority = {
    .name = "critical-priority",
    .summary = "the longest path on streams of the highest priority, the rest on others",
    .source = "HEFT with cuStreamCreateWithPriority; StreamPriorities of NVIDIA's samples",
    .unit = GP_UNIT_OP,
    .rules = rules,
    .plan = make_plan,
    .unplan = free_plan,
    .stream = describe_stream,
    .choose = choose,
};
