/* What all scenarios share: see workload.h. */
#include "scenarios/workload.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

const char *const gp_drive_words[] = {
#define X(name, word) word,
    GP_DRIVES(X)
#undef X
        NULL,
};

const struct gp_scenario_ops *gp_scenario_find(const char *name)
{
    assert(name != NULL);
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        if (strcmp(gp_scenario_table[i]->name, name) == 0) {
            return gp_scenario_table[i];
        }
    }
    return NULL;
}

int gp_scenario_parameter(const struct gp_scenario_ops *ops, const char *name)
{
    assert(ops != NULL && name != NULL);
    for (int i = 0; ops->parameters[i].name != NULL; i++) {
        if (strcmp(ops->parameters[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

void gp_scenario_defaults(const struct gp_scenario_ops *ops, int64_t *values)
{
    assert(ops != NULL && values != NULL);
    memset(values, 0, GP_PARAMETERS_MAX * sizeof values[0]);
    for (int i = 0; ops->parameters[i].name != NULL; i++) {
        assert(i < GP_PARAMETERS_MAX);
        values[i] = ops->parameters[i].initial;
    }
}

/* Values as they were asked for, some of them GP_AUTO, and the device that they are for. */
struct asked {
    const struct gp_scenario_ops *ops;
    const struct gp_device_info *info;
    int64_t values[GP_PARAMETERS_MAX];
    uint64_t limit; /* bytes of device memory */
};

/* Whether they fit with one of them changed; what adapts does so again. */
static bool fits(const struct asked *asked, int index, int64_t value)
{
    int64_t values[GP_PARAMETERS_MAX];

    memcpy(values, asked->values, sizeof values);
    values[index] = value;
    if (asked->ops->adapt != NULL) {
        asked->ops->adapt(asked->info, values);
    }
    return asked->ops->bytes(values) <= asked->limit;
}

/* The largest value of a parameter below `high` with which all fit; below its range: none does. */
static int64_t find_fitting(const struct asked *asked, int index, int64_t high)
{
    const struct gp_parameter *parameter = &asked->ops->parameters[index];
    int64_t step = parameter->multiple > 0 ? parameter->multiple : 1;
    int64_t low = parameter->min - step;

    while (high - low > step) {
        int64_t middle = low + (high - low) / step / 2 * step;

        if (fits(asked, index, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* "; chunks=40 or chunk_kib=1024 would fit", of the parameters of which less is enough. */
static void write_fitting(const struct asked *asked, const int64_t *values, char *out, size_t bytes)
{
    const struct gp_parameter *parameters = asked->ops->parameters;
    size_t used = 0;

    out[0] = '\0';
    for (int i = 0; parameters[i].name != NULL && used < bytes; i++) {
        int64_t fitting = parameters[i].kind == GP_PARAMETER_WHOLE
                              ? find_fitting(asked, i, values[i])
                              : parameters[i].min - 1;

        if (fitting >= parameters[i].min) {
            used += (size_t)snprintf(out + used, bytes - used, "%s%s=%" PRId64,
                                     used == 0 ? "; " : " or ", parameters[i].name, fitting);
        }
    }
    if (used > 0 && used < bytes) {
        (void)snprintf(out + used, bytes - used, " would fit");
    }
}

/* `values` are what was asked for, settled. */
static int check_bytes(struct asked *asked, const int64_t *values, struct gp_error *err)
{
    const struct gp_scenario_ops *ops = asked->ops;
    int64_t own = asked->info->memory_bytes; /* 0: unknown */
    bool is_small = own > 0 && (uint64_t)own < GP_WORKLOAD_BYTES_MAX;
    uint64_t bytes = ops->bytes != NULL ? ops->bytes(values) : 0;
    char fitting[256];

    asked->limit = is_small ? (uint64_t)own : GP_WORKLOAD_BYTES_MAX;
    if (bytes <= asked->limit) {
        return 0;
    }
    write_fitting(asked, values, fitting, sizeof fitting);
    return gp_fail(
        err, GP_EINVAL,
        "%s: these sizes take %" PRIu64 " MiB of device memory, allowed are %" PRIu64 "%s%s%s",
        ops->name, bytes >> 20, asked->limit >> 20, is_small ? ", all that there is on " : "",
        is_small ? asked->info->name : "", fitting);
}

int gp_scenario_settle(const struct gp_scenario_ops *ops, const struct gp_device_info *info,
                       int64_t *values, struct gp_error *err)
{
    struct asked asked = {.ops = ops, .info = info};

    assert(ops != NULL && info != NULL && values != NULL);
    memcpy(asked.values, values, sizeof asked.values);
    if (ops->adapt != NULL) {
        ops->adapt(info, values);
    }
    for (int i = 0; ops->parameters[i].name != NULL; i++) {
        int code = gp_parameter_check(ops->name, &ops->parameters[i], values[i], err);

        if (code != 0) {
            return code;
        }
        assert(values[i] != GP_AUTO);
    }
    if (ops->check != NULL && ops->check(info, values, err) != 0) {
        return err->code;
    }
    return check_bytes(&asked, values, err);
}

/* Whether the scenario set up what can be run; a shared object's may have forgotten something. */
static int check_set_up(const struct gp_workload *workload, struct gp_error *err)
{
    const struct gp_dag *dag = workload->dag;

    if (dag == NULL || dag->op_count == 0) {
        return gp_fail(err, GP_ESTATE, "%s: its setup made no operations", workload->ops->name);
    }
    for (uint32_t i = 0; i < dag->op_count; i++) {
        const struct gp_kernel *kernel = dag->ops[i].launch.kernel;

        if (dag->ops[i].kind == GP_OP_KERNEL &&
            (kernel->symbol == NULL || kernel->image == NULL || kernel->name == NULL)) {
            return gp_fail(err, GP_ESTATE,
                           "%s: the kernel of operation '%s' has no name, no symbol or no image",
                           workload->ops->name, dag->ops[i].name);
        }
    }
    return 0;
}

/* Calls a function of the scenario; a failure always says something, also one of a shared object's.
 */
static int call(struct gp_workload *workload, const char *what,
                int (*function)(struct gp_workload *workload, struct gp_error *err),
                struct gp_error *err)
{
    struct gp_error own = {0};
    int code = function(workload, &own);

    if (code == 0) {
        return 0;
    }
    if (code > 0 || own.code != code) {
        return gp_fail(err, GP_ESTATE, "%s: its %s failed with %d and did not say why",
                       workload->ops->name, what, code);
    }
    *err = own;
    return code;
}

/* So that nothing is loaded within a run. */
static int prepare_kernels(struct gp_workload *workload, struct gp_error *err)
{
    const struct gp_dag *dag = workload->dag;

    for (uint32_t i = 0; i < dag->op_count; i++) {
        if (dag->ops[i].kind == GP_OP_KERNEL) {
            int code = gp_device_kernel_prepare(workload->device, dag->ops[i].launch.kernel, err);

            if (code != 0) {
                return code;
            }
        }
    }
    return 0;
}

/* Five facts, the result and the error are clearer than a struct of them. */
/* NOLINTNEXTLINE(readability-function-size) */
int gp_workload_create(const struct gp_scenario_ops *ops, struct gp_device *device,
                       struct gp_stream *stream, const int64_t *values, uint64_t seed,
                       struct gp_workload **out, struct gp_error *err)
{
    struct gp_workload *workload;
    int code;

    assert(ops != NULL && device != NULL && stream != NULL && values != NULL && out != NULL);
    *out = NULL;
    workload = gp_alloc(1, sizeof *workload);
    if (workload == NULL) {
        return gp_fail(err, GP_ENOMEM, "%s: out of host memory", ops->name);
    }
    workload->ops = ops;
    workload->device = device;
    workload->stream = stream;
    workload->seed = seed;
    memcpy(workload->values, values, sizeof workload->values);
    code = gp_scenario_settle(ops, &device->info, workload->values, err);
    if (code == 0) {
        code = call(workload, "setup", ops->setup, err);
    }
    if (code == 0) {
        code = check_set_up(workload, err);
    }
    if (code == 0) {
        code = prepare_kernels(workload, err);
    }
    if (code != 0) {
        gp_workload_destroy(workload);
        return code;
    }
    *out = workload;
    return 0;
}

void gp_workload_destroy(struct gp_workload *workload)
{
    if (workload == NULL) {
        return;
    }
    gp_dag_destroy(workload->dag);
    workload->ops->teardown(workload);
    gp_free(workload);
}

int gp_workload_reset(struct gp_workload *workload, struct gp_error *err)
{
    return workload->ops->reset != NULL ? call(workload, "reset", workload->ops->reset, err) : 0;
}

bool gp_workload_has_reference(const struct gp_workload *workload)
{
    return workload->ops->verify != NULL;
}

int gp_workload_verify(struct gp_workload *workload, struct gp_error *err)
{
    assert(gp_workload_has_reference(workload));
    return call(workload, "verify", workload->ops->verify, err);
}
