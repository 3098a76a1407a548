/*
 * A policy of one's own as a shared object: the chain with the most operations has the first stream
 * to itself, all others take turns on the rest.
 *
 *   cc -std=c17 -fPIC -shared policy_longest_apart.c -o longest-apart.so \
 *       $(pkg-config --static --cflags --libs gpuprobe-core)
 *   gpuprobe --scenario batch -p round-robin,./longest-apart.so
 */
#include "core/memory.h"
#include "core/policy/plugin.h"

/* What is decided once per DAG. */
struct plan {
    uint32_t longest; /* a chain */
};

static uint32_t length(const struct gp_dag *dag, uint32_t chain)
{
    return dag->chain_first[chain + 1] - dag->chain_first[chain];
}

static int plan(struct gp_policy *policy, const struct gp_dag *dag, void **out,
                struct gp_error *err)
{
    struct plan *made = gp_alloc(1, sizeof *made);

    (void)policy;
    if (made == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for a plan");
    }
    for (uint32_t chain = 1; chain < dag->chain_count; chain++) {
        if (length(dag, chain) > length(dag, made->longest)) {
            made->longest = chain;
        }
    }
    *out = made;
    return 0;
}

static void unplan(struct gp_policy *policy, void *made)
{
    (void)policy;
    gp_free(made);
}

enum { RULE_APART, RULE_TURN };

static const char *const rules[] = {
    "the longest chain has the first stream to itself",
    "the other streams in turn, by the chain's number",
    NULL,
};

/* Called for the first operation of each chain; the choice holds for all of it. */
static int choose(struct gp_policy *policy, void *made, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    const struct plan *decided = made;
    uint32_t chain = dag->ops[op].chain;

    (void)err;
    if (chain == decided->longest || policy->stream_count == 1) {
        *out = (struct gp_choice){0, RULE_APART, chain};
    } else {
        *out = (struct gp_choice){1 + chain % (policy->stream_count - 1), RULE_TURN, chain};
    }
    return 0;
}

static const struct gp_policy_ops longest_apart = {
    .name = "longest-apart",
    .summary = "the longest chain alone on the first stream, the rest in turn on the others",
    .source = "an example",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .plan = plan,
    .unplan = unplan,
    .choose = choose,
};

GP_POLICY_PLUGIN(longest_apart);
