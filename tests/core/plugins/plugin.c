/* Shared objects that are wrong in one way each, by the macro that the build defines. */
#include "core/policy/plugin.h"

#ifdef PLUGIN_NO_CHOOSE
#define CHOOSE NULL
#else
#define CHOOSE choose

/* The last stream of the pool, or one that is of no pool. */
static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    (void)plan;
    (void)dag;
    (void)op;
    (void)err;
#ifdef PLUGIN_FOREIGN_STREAM
    *out = (struct gp_choice){policy->stream_count, 0, 0};
#else
    *out = (struct gp_choice){policy->stream_count - 1, 0, 0};
#endif
    return 0;
}
#endif

static int init(struct gp_policy *policy, struct gp_error *err)
{
    (void)policy;
#ifdef PLUGIN_FAILING_INIT
    return gp_fail(err, GP_EINVAL, "it does not like this pool");
#else
    (void)err;
    return 0;
#endif
}

#ifdef PLUGIN_BUILT_IN_NAME
#define NAME "round-robin"
#elif defined PLUGIN_ODD_NAME
#define NAME "a name, with a comma"
#else
#define NAME "last"
#endif

#ifdef PLUGIN_NO_RULES
static const char *const rules[] = {NULL};
#else
static const char *const rules[] = {"the last stream", NULL};
#endif

const struct gp_policy_ops plugin_policy = {
    .name = NAME,
    .summary = "the last stream",
    .source = "a test",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .init = init,
    .choose = CHOOSE,
};

#ifdef PLUGIN_OTHER_ABI
extern const struct gp_policy_plugin gp_policy_plugin;
const struct gp_policy_plugin gp_policy_plugin = {{GP_POLICY_ABI + 1, sizeof plugin_policy},
                                                  &plugin_policy};
#elif defined PLUGIN_OTHER_SIZE
extern const struct gp_policy_plugin gp_policy_plugin;
const struct gp_policy_plugin gp_policy_plugin = {{GP_POLICY_ABI, 8}, &plugin_policy};
#elif !defined PLUGIN_NO_SYMBOL
GP_POLICY_PLUGIN(plugin_policy);
#endif
