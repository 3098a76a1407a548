/* Making and destroying policies: see policy.h. */
#include "core/policy/policy.h"

#include <assert.h>
#include <inttypes.h>

#include "core/memory.h"

const char *gp_unit_name(enum gp_unit unit)
{
    return unit == GP_UNIT_CHAIN ? "chain" : "op";
}

int gp_policy_create(const struct gp_policy_ops *ops, uint32_t stream_count, struct gp_policy **out,
                     struct gp_error *err)
{
    struct gp_policy *policy;
    int code;

    assert(ops != NULL && ops->choose != NULL && out != NULL);
    *out = NULL;
    if (stream_count > GP_STREAMS_MAX) {
        return gp_fail(err, GP_EINVAL,
                       "a pool of %" PRIu32 " streams; it must have between 1 and %d", stream_count,
                       GP_STREAMS_MAX);
    }
    policy = gp_alloc(1, sizeof *policy);
    if (policy == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for policy '%s'", ops->name);
    }
    policy->ops = ops;
    policy->stream_count = ops->fixed_streams > 0 ? ops->fixed_streams
                           : stream_count > 0     ? stream_count
                                                  : GP_STREAMS_DEFAULT;
    code = ops->init != NULL ? ops->init(policy, err) : 0;
    if (code != 0) {
        gp_free(policy);
        (void)gp_fail_context(err, "policy '%s'", ops->name);
        return code;
    }
    *out = policy;
    return 0;
}

void gp_policy_destroy(struct gp_policy *policy)
{
    if (policy == NULL) {
        return;
    }
    if (policy->ops->finish != NULL) {
        policy->ops->finish(policy);
    }
    gp_free(policy);
}

struct gp_stream_spec gp_policy_stream(const struct gp_policy *policy, uint32_t stream)
{
    struct gp_stream_spec spec = {.role = ""};

    assert(policy != NULL && stream < policy->stream_count);
    if (policy->ops->stream != NULL) {
        policy->ops->stream(policy, stream, &spec);
    }
    return spec;
}

bool gp_policy_needs_pool(const struct gp_policy *policy)
{
    for (uint32_t i = 0; i < policy->stream_count; i++) {
        struct gp_stream_spec spec = gp_policy_stream(policy, i);

        if (spec.flag != GP_STREAM_NON_BLOCKING || spec.priority != 0 || spec.part.permille != 0) {
            return true;
        }
    }
    return false;
}
