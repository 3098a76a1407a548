/* Policy roles: a stream for copies to the device, one for copies back, the others for the rest. */
#include "core/memory.h"
#include "core/policy/policies.h"

enum { RULE_H2D, RULE_D2H, RULE_COMPUTE };

struct layout {
    uint32_t h2d, d2h;
    uint32_t compute_first, compute_count;
};

/* Smaller pools share: of two streams, one copies; one does everything. */
static struct layout layout_of(uint32_t stream_count)
{
    if (stream_count == 1) {
        return (struct layout){0, 0, 0, 1};
    }
    if (stream_count == 2) {
        return (struct layout){0, 0, 1, 1};
    }
    return (struct layout){0, 1, 2, stream_count - 2};
}

struct turns {
    uint32_t next;
    uint32_t of_chain[]; /* turn + 1; 0: none yet */
};

static int make_plan(struct gp_policy *policy, const struct gp_dag *dag, void **plan,
                     struct gp_error *err)
{
    struct turns *turns = gp_alloc(1, sizeof *turns + dag->chain_count * sizeof turns->of_chain[0]);

    (void)policy;
    *plan = turns;
    return turns != NULL ? 0 : gp_fail(err, GP_ENOMEM, "out of host memory for the roles");
}

static void free_plan(struct gp_policy *policy, void *plan)
{
    (void)policy;
    gp_free(plan);
}

static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    struct layout layout = layout_of(policy->stream_count);
    struct turns *turns = plan;
    uint32_t *turn = &turns->of_chain[dag->ops[op].chain];

    (void)err;
    if (dag->ops[op].kind == GP_OP_H2D) {
        *out = (struct gp_choice){layout.h2d, RULE_H2D, 0};
        return 0;
    }
    if (dag->ops[op].kind == GP_OP_D2H) {
        *out = (struct gp_choice){layout.d2h, RULE_D2H, 0};
        return 0;
    }
    if (*turn == 0) {
        *turn = ++turns->next;
    }
    out->stream = layout.compute_first + (*turn - 1) % layout.compute_count;
    out->rule = RULE_COMPUTE;
    out->rule_detail = *turn - 1;
    return 0;
}

static void describe_stream(const struct gp_policy *policy, uint32_t stream,
                            struct gp_stream_spec *out)
{
    struct layout layout = layout_of(policy->stream_count);

    if (stream >= layout.compute_first) {
        out->role = policy->stream_count == 1 ? "all" : "compute";
    } else if (layout.h2d == layout.d2h) {
        out->role = "copy";
    } else {
        out->role = stream == layout.h2d ? "h2d" : "d2h";
    }
}

static const char *const rules[] = {
    [RULE_H2D] = "copies to the device have a stream of their own",
    [RULE_D2H] = "copies to the host have a stream of their own",
    [RULE_COMPUTE] = "a compute stream, the next in turn for each chain",
    NULL,
};

const struct gp_policy_ops gp_policy_roles = {
    .name = "roles",
    .summary = "one stream for copies to the device, one for copies back, the others compute",
    .source = "simpleMultiCopy of the CUDA samples; TornadoVM",
    .unit = GP_UNIT_OP,
    .rules = rules,
    .plan = make_plan,
    .unplan = free_plan,
    .stream = describe_stream,
    .choose = choose,
};
