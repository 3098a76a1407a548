/*
 * Work of a known length for tests on the model: kernels that add 1 to 256 floats again and again.
 */
#ifndef GP_TESTS_CORE_ONES_H
#define GP_TESTS_CORE_ONES_H

#include "core/dag.h"

enum { GP_ONES_BYTES = 1024 };

/* Adds 1 `iterations` times, some 2.3 ns each, to the 256 floats at `offset`. */
struct gp_op *gp_test_ones(struct gp_builder *builder, const struct gp_buffer *buffer,
                           uint64_t offset, uint32_t iterations);

/* `chains` chains of two such kernels, chain i on the i-th 1024 bytes of the buffer. */
struct gp_dag *gp_test_ones_dag(const struct gp_buffer *buffer, uint32_t chains,
                                uint32_t iterations);

#endif
