/* Alike chains, all at once or in sequence: see chains.h. */
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

int gp_chains_build_in_sequence(struct gp_workload *workload, uint32_t count, gp_chain_fn *chain,
                                struct gp_error *err)
{
    struct gp_builder *builder = NULL;
    struct gp_op *all;
    int code = gp_builder_create(&builder, err);

    assert(count >= 1);
    if (code != 0) {
        return code;
    }
    all = chain(workload->state, builder, 0);
    for (uint32_t i = 1; i < count; i++) {
        all = gp_op_and_then(builder, all, chain(workload->state, builder, i));
    }
    code = gp_dag_freeze(builder, all, &workload->dag, err);
    gp_builder_destroy(builder);
    return code;
}
