/*
 * Reading CUPTI's activity records: which operation of a run began and ended when. Knows the
 * library's way to walk a buffer and nothing of sessions.
 */
#ifndef GP_PROBE_CUPTI_RECORDS_H
#define GP_PROBE_CUPTI_RECORDS_H

#include "core/device/device.h"
#include "core/op.h"
#include "probe/cupti/library.h"

struct gp_cupti_buffer {
    uint8_t *start;
    size_t bytes, valid_bytes;
};

struct gp_cupti_run {
    const struct gp_cupti_buffer *buffers;
    uint32_t buffer_count;
    const enum gp_op_kind *kinds; /* per operation */
    const uint32_t *submitted;    /* the operations in the order in which they were submitted */
    uint32_t op_count;
};

/*
 * Fills times (one an operation). The buffers hold the records of one run that one thread submitted
 * and of nothing else: each call has a correlation id, and each node of a graph's launch a number,
 * that count up in that order, so that sorted by them the records stand for the operations.
 * (Records of external correlation were not seen in the one place where they were tried,
 * CUPTI 13.0.1 on an H200 with nothing but kernels, copies and memsets watched; so they are not
 * relied on.) Several records of one call, as of a copy in pieces, give its first begin and last
 * end.
 *
 * GP_EUNSUPPORTED: the records contradict the run (another kind, more or fewer of them), so that
 * none can be believed.
 */
int gp_cupti_read(const struct gp_cupti_library *library, const struct gp_cupti_run *run,
                  struct gp_work_times *times, struct gp_error *err);

#endif
