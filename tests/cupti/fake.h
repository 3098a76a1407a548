/*
 * How tests steer their libcupti.so.13: it is loaded as the real one would be, and this struct is
 * found in it by name.
 */
#ifndef GP_TESTS_CUPTI_FAKE_H
#define GP_TESTS_CUPTI_FAKE_H

#include "core/op.h"
#include "probe/cupti/symbols.h"

#define FAKE_CUPTI_NAME "libcupti.so.13"
#define FAKE_CUPTI_CONTROL "fake_cupti"

struct fake_cupti {
    /* Refusals: the result of the call of that name; 0 none. */
    gp_cupti_result subscribe, enable;
    size_t dropped; /* records said to be lost at the next flush */
    /* Records what a call, or a graph's node, did, while anything is enabled; times are those of
     * the registered clock. */
    void (*call)(enum gp_op_kind kind);
    void (*node)(enum gp_op_kind kind);
    /* One more record, of any kind. */
    void (*add)(const void *record, size_t bytes);
    /* What was seen. */
    uint32_t subscribers, enabled; /* kinds that are enabled now */
    uint64_t clock_ns;             /* the registered clock, read when a kind was enabled */
};

enum { FAKE_CUPTI_KERNEL_BYTES = 224, FAKE_CUPTI_TRANSFER_BYTES = 104 }; /* of its records */

#endif
