/* Transient buffers while a DAG is submitted: see transient.h. */
#include "core/transient.h"

#include <assert.h>
#include <string.h>

const struct gp_access *gp_access_find(const struct gp_access *accesses, uint32_t count,
                                       gp_addr stand_in)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_buffer *buffer = accesses[i].buffer;

        if (buffer->lifetime != GP_LIFETIME_LASTING && stand_in - buffer->address < buffer->bytes) {
            return &accesses[i];
        }
    }
    return NULL;
}

/* The address that a stand-in stands for; any other one as it is. */
static gp_addr place(const struct gp_dag_op *op, gp_addr address)
{
    const struct gp_access *access;

    if (!gp_buffer_is_stand_in(address)) {
        return address;
    }
    access = gp_access_find(op->accesses, op->access_count, address);
    assert(access != NULL); /* checked when the operation was made */
    return access->buffer->memory + (address - access->buffer->address);
}

static void place_args(const struct gp_dag_op *op, struct gp_placed_op *out)
{
    const struct gp_launch *launch = &op->launch;

    if (launch->kernel->arg_count > 0) {
        memcpy(out->args, launch->args, launch->kernel->arg_count * sizeof out->args[0]);
    }
    for (uint32_t i = 0; i < launch->kernel->arg_count; i++) {
        if (launch->kernel->args[i].kind == GP_ARG_ADDRESS) {
            out->addresses[i] = place(op, GP_ARG(launch, i, gp_addr));
            out->args[i] = &out->addresses[i];
        }
    }
    out->op.launch.args = out->args;
}

int gp_transient_place(const struct gp_dag_op *op, struct gp_placed_op *out, struct gp_error *err)
{
    for (uint32_t i = 0; i < op->access_count; i++) {
        if (gp_buffer_place(op->accesses[i].buffer) == 0) {
            return gp_fail(err, GP_ESTATE,
                           "buffer '%s' has no memory here; its alloc must come before, its free "
                           "after",
                           op->accesses[i].buffer->name);
        }
    }
    out->op = *op;
    out->op.to = place(op, op->to);
    out->op.from = place(op, op->from);
    if (op->kind == GP_OP_KERNEL) {
        place_args(op, out);
    }
    return 0;
}

bool gp_transient_is_held(const struct gp_dag *dag)
{
    for (uint32_t id = 0; id < dag->op_count; id++) {
        if (dag->ops[id].transient != NULL && dag->ops[id].transient->memory != 0) {
            return true;
        }
    }
    return false;
}

void gp_transient_release(const struct gp_dag *dag)
{
    for (uint32_t id = 0; id < dag->op_count; id++) {
        struct gp_buffer *buffer = dag->ops[id].transient;

        if (buffer != NULL && buffer->memory != 0) {
            (void)gp_device_mem_free(buffer->device, buffer->memory, NULL);
            buffer->memory = 0;
        }
    }
}

void gp_transient_forget(const struct gp_dag *dag)
{
    for (uint32_t id = 0; id < dag->op_count; id++) {
        if (dag->ops[id].transient != NULL) {
            dag->ops[id].transient->memory = 0;
        }
    }
}
