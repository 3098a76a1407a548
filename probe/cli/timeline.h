/*
 * A run as lines of text: one a stream, each letter what was most of its part of the time.
 *
 *     stream 0  ##====....####....      # a kernel, = a copy, + other work on the device,
 *     stream 1  ..==..####........      . waiting: work for it was still to come; blank: done
 *     together  11221122232211....      how many operations ran at once, rounded
 *
 * Knows nothing of who prints it.
 */
#ifndef GP_PROBE_CLI_TIMELINE_H
#define GP_PROBE_CLI_TIMELINE_H

#include "probe/analysis/causes.h"

enum { GP_TIMELINE_COLUMNS_MAX = 200 };

/* What a letter says. */
enum gp_tick { GP_TICK_DONE, GP_TICK_WAITING, GP_TICK_KERNEL, GP_TICK_COPY, GP_TICK_OTHER };

struct gp_timeline {
    uint32_t columns, streams;
    int64_t end_ns;      /* of the time shown, which begins at 0 */
    uint8_t *ticks;      /* enum gp_tick; of stream s ticks[s * columns .. ) */
    double *together;    /* per column: operations that ran at once, on average */
    double *busy;        /* per stream: part of the time in which something ran */
    uint32_t *op_counts; /* per stream: operations that ran */
};

/* columns: 1 … GP_TIMELINE_COLUMNS_MAX. Shows until the last end. *out is the caller's to finish.
 */
void gp_timeline_make(const struct gp_run_data *run, uint32_t columns, struct gp_timeline *out);
/* Takes a zeroed struct. */
void gp_timeline_finish(struct gp_timeline *timeline);

#endif
