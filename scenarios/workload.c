/* What all scenarios share: see workload.h. */
#include "scenarios/workload.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"
#include "scenarios/values.h"

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

int gp_scenario_settle(const struct gp_scenario_ops *ops, const struct gp_device_info *info,
                       int64_t *values, struct gp_error *err)
{
    assert(ops != NULL && info != NULL && values != NULL);
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
    if (ops->check != NULL && ops->check(values, err) != 0) {
        return err->code;
    }
    return ops->bytes != NULL ? gp_values_check_bytes(ops->name, ops->bytes(values), err) : 0;
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
