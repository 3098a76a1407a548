/*
 * What a timeline draws of one run, in the order in which lanes want it: operations by stream,
 * ranges and calls by thread. Writes nothing.
 */
#ifndef GP_PROBE_EXPORT_SLICES_H
#define GP_PROBE_EXPORT_SLICES_H

#include "probe/export/selection.h"

/* One of op, range and call is there, borrowed from the rows. */
struct gp_slice {
    int64_t begin, end; /* of their run; a range that was never closed ends with the run */
    const struct gp_op_row *op;
    const struct gp_range_row *range;
    const struct gp_selection_call *call;
    uint32_t track; /* index of the stream; thread */
};

/* The operations that are taken (each is asked about once), by stream, begin and descending end.
 * Returns how many; *out is the caller's. */
uint32_t gp_slices_of_streams(const struct gp_export_options *options,
                              const struct gp_selection_rows *rows, struct gp_slice **out);

/* The same of ranges and calls, by thread; a range comes before a call of the same time. */
uint32_t gp_slices_of_threads(const struct gp_export_options *options,
                              const struct gp_selection_rows *rows, struct gp_slice **out);

#endif
