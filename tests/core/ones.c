/* Work of a known length: see ones.h. */
#include "test.h"

#include "kernels/kernels.h"
#include "ones.h"

struct gp_op *gp_test_ones(struct gp_builder *builder, const struct gp_buffer *buffer,
                           uint64_t offset, uint32_t iterations)
{
    const gp_addr address = buffer->address + offset;
    const struct gp_access access = {buffer, offset, GP_ONES_BYTES, GP_ACCESS_READ_WRITE};
    uint32_t count = 256;
    float multiplier = 1;
    const void *const args[] = {&address, &count, &iterations, &multiplier};
    const struct gp_launch launch = {.kernel = &gp_kernel_fma_1,
                                     .grid = {1, 1, 1},
                                     .block = {256, 1, 1},
                                     .args = args,
                                     .accesses = &access,
                                     .access_count = 1};

    return gp_op_kernel(builder, NULL, &launch);
}

struct gp_dag *gp_test_ones_dag(const struct gp_buffer *buffer, uint32_t chains,
                                uint32_t iterations)
{
    struct gp_error err = {0};
    struct gp_builder *builder;
    struct gp_op *arms[GP_STREAMS_MAX];
    struct gp_dag *dag;

    assert_true(chains <= GP_STREAMS_MAX);
    gp_assert_ok(gp_builder_create(&builder, &err), err);
    for (uint32_t i = 0; i < chains; i++) {
        uint64_t offset = (uint64_t)i * GP_ONES_BYTES;

        arms[i] = gp_op_and_then(builder, gp_test_ones(builder, buffer, offset, iterations),
                                 gp_test_ones(builder, buffer, offset, iterations));
    }
    gp_assert_ok(gp_dag_freeze(builder, gp_op_zip(builder, arms, chains), &dag, &err), err);
    gp_builder_destroy(builder);
    return dag;
}
