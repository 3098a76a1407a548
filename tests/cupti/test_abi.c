/* Our copy of CUPTI's binary interface against the toolkit's own headers. */
#include "test.h"

#include <stddef.h>

#include <cuda.h>
#include <cupti.h>

#include "probe/cupti/symbols.h"

#define X(name, value) _Static_assert((int)GP_##name == (int)name, #name);
GP_CUPTI_CONSTANTS(X)
#undef X

#define SAME(ours, our_field, theirs, their_field)                                                 \
    _Static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field) &&            \
                       sizeof(((struct ours *)0)->our_field) ==                                    \
                           sizeof(((theirs *)0)->their_field),                                     \
                   #their_field)

SAME(gp_cupti_record, kind, CUpti_Activity, kind);

SAME(gp_cupti_kernel, registers, CUpti_ActivityKernel10, registersPerThread);
SAME(gp_cupti_kernel, start_ns, CUpti_ActivityKernel10, start);
SAME(gp_cupti_kernel, end_ns, CUpti_ActivityKernel10, end);
SAME(gp_cupti_kernel, correlation_id, CUpti_ActivityKernel10, correlationId);
SAME(gp_cupti_kernel, name, CUpti_ActivityKernel10, name);
SAME(gp_cupti_kernel, shared_bytes_executed, CUpti_ActivityKernel10, sharedMemoryExecuted);
SAME(gp_cupti_kernel, graph_node_id, CUpti_ActivityKernel10, graphNodeId);

_Static_assert(offsetof(struct gp_cupti_transfer, detail) ==
                   offsetof(CUpti_ActivityMemcpy6, copyKind),
               "copyKind");
SAME(gp_cupti_transfer, bytes, CUpti_ActivityMemcpy6, bytes);
SAME(gp_cupti_transfer, start_ns, CUpti_ActivityMemcpy6, start);
SAME(gp_cupti_transfer, end_ns, CUpti_ActivityMemcpy6, end);
SAME(gp_cupti_transfer, correlation_id, CUpti_ActivityMemcpy6, correlationId);
SAME(gp_cupti_transfer, graph_node_id, CUpti_ActivityMemcpy6, graphNodeId);
SAME(gp_cupti_transfer, detail, CUpti_ActivityMemset4, value);
SAME(gp_cupti_transfer, start_ns, CUpti_ActivityMemset4, start);
SAME(gp_cupti_transfer, end_ns, CUpti_ActivityMemset4, end);
SAME(gp_cupti_transfer, correlation_id, CUpti_ActivityMemset4, correlationId);
SAME(gp_cupti_transfer, graph_node_id, CUpti_ActivityMemset4, graphNodeId);

/* The beginnings of the oldest records that we may meet (CUDA 11.6). */
SAME(gp_cupti_kernel, graph_node_id, CUpti_ActivityKernel7, graphNodeId);
SAME(gp_cupti_kernel, correlation_id, CUpti_ActivityKernel7, correlationId);
SAME(gp_cupti_transfer, graph_node_id, CUpti_ActivityMemcpy5, graphNodeId);

static void test_enums_are_words(void **state)
{
    (void)state;
    assert_int_equal(sizeof(gp_cupti_result), sizeof(CUptiResult));
    assert_int_equal(sizeof(uint32_t), sizeof(CUpti_ActivityKind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_enums_are_words)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
