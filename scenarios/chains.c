/* Alike chains, all at once: see chains.h. */
#include "scenarios/chains.h"

#include <assert.h>

#include "core/memory.h"

int gp_chains_build(struct gp_workload *workload, uint32_t count, gp_chain_fn *chain,
                    struct gp_error *err)
{
    struct gp_builder *builder = NULL;
    struct gp_op **chains = gp_alloc(count, sizeof(struct gp_op *));
    int code;

    assert(count >= 1);
    if (chains == NULL) {
        return gp_fail(err, GP_ENOMEM, "%s: out of host memory", workload->ops->name);
    }
    code = gp_builder_create(&builder, err);
    if (code == 0) {
        for (uint32_t i = 0; i < count; i++) {
            chains[i] = chain(workload->state, builder, i);
        }
        code = gp_dag_freeze(builder, gp_op_zip(builder, chains, count), &workload->dag, err);
    }
    gp_builder_destroy(builder);
    gp_free((void *)chains);
    return code;
}
