/* Scenarios that are wrong in one way each, which the build names in FAULT. The good one fills a
 * buffer and copies it down. */
#include "core/memory.h"
#include "scenarios/plugin.h"

enum fault {
    good,
    bad_variant,
    built_in_name,
    empty_policies,
    failing_reset,
    failing_setup,
    no_dag,
    no_image,
    no_reference,
    no_scenario,
    no_setup,
    no_words,
    odd_default,
    odd_parameter,
    other_abi,
    other_size,
    silent_setup,
    silent_verify,
    unknown_policy,
    wrong_data,
    OURS = FAULT,
};

enum { BYTES = 4096, VALUE = 7 };

struct fill {
    struct gp_buffer *device, *host;
};

static struct gp_op *launch_nothing(struct gp_builder *builder)
{
    static const struct gp_kernel kernel = {.name = "lost", .summary = "has no image"};
    const struct gp_launch launch = {.kernel = &kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}};

    return gp_op_kernel(builder, NULL, &launch);
}

static int build(const struct fill *fill, struct gp_dag **out, struct gp_error *err)
{
    struct gp_builder *builder = NULL;
    struct gp_op *all;
    int code = gp_builder_create(&builder, err);

    if (code == 0) {
        all = OURS == no_image ? launch_nothing(builder)
                               : gp_op_memset(builder, "fill", fill->device, 0, VALUE, BYTES);
        all = gp_op_and_then(builder, all,
                             gp_op_copy(builder, "down", fill->host, 0, fill->device, 0, BYTES));
        code = gp_dag_freeze(builder, all, out, err);
    }
    gp_builder_destroy(builder);
    return code;
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct fill *fill = gp_alloc(1, sizeof *fill);
    int code;

    workload->state = fill;
    if (OURS == silent_setup) {
        return GP_EDRIVER;
    }
    if (OURS == failing_setup || fill == NULL) {
        return gp_fail(err, GP_EINVAL, "it does not like this device");
    }
    code = gp_buffer_create(workload->device, GP_SPACE_DEVICE, BYTES, 0, "d", &fill->device, err);
    if (code == 0) {
        code = gp_buffer_create(workload->device, GP_SPACE_PINNED, BYTES, 1, "h", &fill->host, err);
    }
    return code == 0 && OURS != no_dag ? build(fill, &workload->dag, err) : code;
}

static int reset(struct gp_workload *workload, struct gp_error *err)
{
    if (OURS == failing_reset) {
        return gp_fail(err, GP_EINVAL, "it does not reset");
    }
    return gp_buffer_fill(((struct fill *)workload->state)->host, workload->stream, 0, err);
}

static int verify(struct gp_workload *workload, struct gp_error *err)
{
    const struct fill *fill = workload->state;
    const unsigned char *got = gp_buffer_host(fill->host);
    bool is_right = got[0] == VALUE && got[BYTES - 1] == VALUE && OURS != wrong_data;

    if (OURS == silent_verify) {
        return is_right ? 1 : 0;
    }
    return is_right ? 0 : gp_fail(err, GP_EVERIFY, "h[0]: got %d, expected something else", got[0]);
}

static void teardown(struct gp_workload *workload)
{
    struct fill *fill = workload->state;

    if (fill != NULL) {
        gp_buffer_destroy(fill->device);
        gp_buffer_destroy(fill->host);
    }
    gp_free(fill);
}

static const struct gp_parameter parameters[] = {
    {.name = OURS == odd_parameter ? "k=b" : "kib",
     .summary = "a size",
     .kind = OURS == no_words ? GP_PARAMETER_WORD : GP_PARAMETER_WHOLE,
     .initial = OURS == odd_default ? 0 : 4,
     .min = 4,
     .max = 4},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"kib", OURS == bad_variant ? 5 : 4}}},
    {{{NULL, 0}}},
};

static const char *const policies[] = {
    OURS == unknown_policy   ? "singel"
    : OURS == empty_policies ? NULL
                             : "single",
    NULL,
};

static const struct gp_scenario_ops scenario = {
    .name = OURS == built_in_name ? "batch" : "fill",
    .summary = "fills a buffer",
    .expect = "Nothing.",
    .parameters = parameters,
    .variants = variants,
    .policies = policies,
    .setup = OURS == no_setup ? NULL : setup,
    .reset = reset,
    .verify = OURS == no_reference ? NULL : verify,
    .teardown = teardown,
};

/* What GP_SCENARIO_PLUGIN(scenario) defines, or nearly. */
extern const struct gp_scenario_plugin gp_scenario_plugin;
const struct gp_scenario_plugin gp_scenario_plugin = {
    {OURS == other_abi ? GP_SCENARIO_ABI + 1 : GP_SCENARIO_ABI,
     OURS == other_size ? 8 : GP_SCENARIO_BYTES},
    OURS == no_scenario ? NULL : &scenario,
};
