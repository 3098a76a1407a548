/* Policy inherit: an operation goes on where a predecessor ran, and each predecessor's stream is
 * inherited once; further successors get a stream in turn. */
#include "core/memory.h"
#include "core/policy/policies.h"

enum { RULE_INHERITED, RULE_IN_TURN };

struct heirs {
    uint32_t next; /* turn */
    struct {
        uint32_t stream;
        bool is_inherited;
    } ops[]; /* per operation of the DAG */
};

static int make_plan(struct gp_policy *policy, const struct gp_dag *dag, void **plan,
                     struct gp_error *err)
{
    struct heirs *heirs = gp_alloc(1, sizeof *heirs + dag->op_count * sizeof heirs->ops[0]);

    (void)policy;
    *plan = heirs;
    return heirs != NULL ? 0 : gp_fail(err, GP_ENOMEM, "out of host memory for the inheritance");
}

static void free_plan(struct gp_policy *policy, void *plan)
{
    (void)policy;
    gp_free(plan);
}

static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    struct heirs *heirs = plan;
    uint32_t first = dag->ops[op].first_in;

    (void)err;
    for (uint32_t e = first; e < first + dag->ops[op].in_count; e++) {
        uint32_t from = dag->edges[e].from;

        if (!heirs->ops[from].is_inherited) {
            heirs->ops[from].is_inherited = true;
            heirs->ops[op].stream = heirs->ops[from].stream;
            *out = (struct gp_choice){heirs->ops[op].stream, RULE_INHERITED, from};
            return 0;
        }
    }
    heirs->ops[op].stream = heirs->next % policy->stream_count;
    *out = (struct gp_choice){heirs->ops[op].stream, RULE_IN_TURN, heirs->next};
    heirs->next++;
    return 0;
}

static const char *const rules[] = {
    [RULE_INHERITED] = "inherits the stream of its first predecessor that nobody inherited yet, "
                       "by id",
    [RULE_IN_TURN] = "no predecessor is left to inherit from: the next stream in turn",
    NULL,
};

const struct gp_policy_ops gp_policy_inherit = {
    .name = "inherit",
    .summary = "an operation inherits the stream of a predecessor, each stream once",
    .source = "GrCUDA, parent stream policy `disjoint` (IPDPS 2021)",
    .unit = GP_UNIT_OP,
    .rules = rules,
    .plan = make_plan,
    .unplan = free_plan,
    .choose = choose,
};
