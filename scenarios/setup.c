/* Set-up that scenarios share: see setup.h. */
#include "scenarios/setup.h"

#include "core/memory.h"
#include "scenarios/values.h"

int gp_setup_fail_memory(const struct gp_workload *workload, struct gp_error *err)
{
    return gp_fail(err, GP_ENOMEM, "%s: out of host memory", workload->ops->name);
}

void *gp_setup_state(struct gp_workload *workload, size_t bytes, struct gp_error *err)
{
    workload->state = gp_alloc(1, bytes);
    if (workload->state == NULL) {
        (void)gp_setup_fail_memory(workload, err);
    }
    return workload->state;
}

int gp_setup_buffers(struct gp_workload *workload, const struct gp_setup_buffer *wanted,
                     uint32_t count, struct gp_error *err)
{
    int code = 0;

    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = gp_buffer_create(workload->device, wanted[i].space, wanted[i].bytes, i,
                                wanted[i].name, wanted[i].out, err);
    }
    return code;
}

int gp_setup_poison(struct gp_workload *workload, struct gp_buffer *const *buffers, uint32_t count,
                    struct gp_error *err)
{
    int code = 0;

    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = gp_buffer_fill(buffers[i], workload->stream, GP_POISON, err);
    }
    return code;
}
