/*
 * Policy partition: the SMs are split, a quarter for short kernels and the rest for long ones, so
 * that a long kernel's blocks never keep a short one waiting. The first half of the pool, rounded
 * up, has the larger part; within a part each chain has the next stream in turn. Whether a kernel
 * is long is decided by its estimate against the mean.
 */
#include "core/estimate.h"
#include "core/memory.h"
#include "core/policy/policies.h"

enum { RULE_LONG, RULE_SHORT, RULE_ALIKE, RULE_WHOLE };

/* Kernels that differ by less than this part of the longest are alike. */
enum { ALIKE_PART = 8, SHORT_PERMILLE = 250 };

/* By chain: turn + 1 among the streams of each part; 0: none yet. */
struct turns {
    uint32_t of_long, of_short;
};

struct plan {
    struct gp_estimate *estimate;
    int64_t mean_ns; /* of the kernels; 0: they are all alike */
    uint32_t next_long, next_short;
    struct turns of_chain[];
};

static void free_plan(struct gp_policy *policy, void *opaque)
{
    struct plan *plan = opaque;

    (void)policy;
    gp_estimate_destroy(plan->estimate);
    gp_free(plan);
}

static int64_t find_mean(const struct gp_estimate *estimate, const struct gp_dag *dag)
{
    int64_t sum_ns = 0;
    int64_t count = 0;
    int64_t least_ns = INT64_MAX;
    int64_t most_ns = 0;

    for (uint32_t op = 0; op < dag->op_count; op++) {
        int64_t ns = estimate->ns[op];

        if (dag->ops[op].kind == GP_OP_KERNEL) {
            sum_ns += ns;
            count++;
            least_ns = ns < least_ns ? ns : least_ns;
            most_ns = ns > most_ns ? ns : most_ns;
        }
    }
    return count > 0 && most_ns - least_ns > most_ns / ALIKE_PART ? sum_ns / count : 0;
}

static int make_plan(struct gp_policy *policy, const struct gp_dag *dag, void **out,
                     struct gp_error *err)
{
    struct plan *plan = gp_alloc(1, sizeof *plan + dag->chain_count * sizeof plan->of_chain[0]);
    int code;

    (void)policy;
    if (plan == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for a plan");
    }
    code = gp_estimate_create(dag, &plan->estimate, err);
    if (code != 0) {
        gp_free(plan);
        return code;
    }
    plan->mean_ns = find_mean(plan->estimate, dag);
    *out = plan;
    return 0;
}

static uint32_t take_turn(uint32_t *turn, uint32_t *next)
{
    if (*turn == 0) {
        *turn = ++*next;
    }
    return *turn - 1;
}

static uint32_t long_streams(const struct gp_policy *policy)
{
    return (policy->stream_count + 1) / 2;
}

static int choose(struct gp_policy *policy, void *opaque, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    struct plan *plan = opaque;
    struct turns *turns = &plan->of_chain[dag->ops[op].chain];
    uint32_t longs = long_streams(policy);
    uint32_t shorts = policy->stream_count - longs;
    int64_t ns = plan->estimate->ns[op];

    (void)err;
    if (shorts == 0) {
        *out = (struct gp_choice){0, RULE_WHOLE, 0};
    } else if (plan->mean_ns == 0) {
        uint32_t turn = take_turn(&turns->of_long, &plan->next_long);

        *out = (struct gp_choice){turn % policy->stream_count, RULE_ALIKE, turn};
    } else if (dag->ops[op].kind == GP_OP_KERNEL && ns > plan->mean_ns) {
        *out =
            (struct gp_choice){take_turn(&turns->of_long, &plan->next_long) % longs, RULE_LONG, ns};
    } else {
        *out = (struct gp_choice){longs + take_turn(&turns->of_short, &plan->next_short) % shorts,
                                  RULE_SHORT, ns};
    }
    return 0;
}

static void describe_stream(const struct gp_policy *policy, uint32_t stream,
                            struct gp_stream_spec *out)
{
    bool is_short = stream >= long_streams(policy);

    if (policy->stream_count > 1) {
        out->part = (struct gp_sm_part){SHORT_PERMILLE, is_short ? 0 : 1};
        out->role = is_short ? "short" : "long";
    }
}

static const char *const rules[] = {
    [RULE_LONG] = "a kernel estimated longer than the mean: a stream on the larger part of the SMs",
    [RULE_SHORT] = "a shorter kernel, or no kernel: a stream on the smaller part of the SMs",
    [RULE_ALIKE] = "all kernels are estimated alike: the streams of both parts in turn",
    [RULE_WHOLE] = "one stream: the SMs are not split",
    NULL,
};

const struct gp_policy_ops gp_policy_partition = {
    .name = "partition",
    .summary = "SMs split: a quarter for short kernels, the rest for long ones (green contexts)",
    .source =
        "CUDA green contexts (CUDA C++ Programming Guide); spatial partitioning as in libsmctrl",
    .unit = GP_UNIT_OP,
    .rules = rules,
    .plan = make_plan,
    .unplan = free_plan,
    .stream = describe_stream,
    .choose = choose,
};
