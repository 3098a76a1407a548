/*
 * Statistics of a part of time: exact, over the lanes of streams that are shown.
 */
#ifndef GP_VIEWER_LAYOUT_RANGE_H
#define GP_VIEWER_LAYOUT_RANGE_H

#include "viewer/layout/job.h"
#include "viewer/layout/rows.h"

/* Of the operations whose begin or end lies in the range or that run through it. */
struct gp_view_range {
    uint64_t count;
    int64_t busy_ns;        /* Σ durations inside the range */
    int64_t waiting_ns;     /* Σ waiting of these operations */
    int64_t running_ns;     /* time with at least one running */
    double concurrency;     /* busy ÷ running; NAN when nothing runs */
    int64_t longest_gap_ns; /* with nothing running, inside the range */
};

/* What is summed up: the rows may change afterwards, the timeline must stay. */
struct gp_view_range_query;

/* Of [begin, end), begin < end, over the lanes of streams that are shown now. The caller's. */
struct gp_view_range_query *gp_view_range_ask(const struct gp_view_timeline *timeline,
                                              const struct gp_view_rows *rows, int64_t begin_ns,
                                              int64_t end_ns);

/* NULL allowed. */
void gp_view_range_finish(struct gp_view_range_query *query);

/* Linear in the operations of the range, as what follows: for a worker thread when there are
 * millions. False: the job was given up; NULL: it is not. */
bool gp_view_range_sum(const struct gp_view_range_query *query, struct gp_view_job *job,
                       struct gp_view_range *out);

/* One name in the range; durations are whole ones, not cut at the range. */
struct gp_view_name_range {
    uint32_t name;
    uint64_t count;
    int64_t total_ns, min_ns, max_ns;
    int64_t p50_ns, p95_ns;
};

/* All names, the longest total first. *out is the caller's (gp_free); NULL when there are none, or
 * when the job was given up. */
uint32_t gp_view_range_names(const struct gp_view_range_query *query, struct gp_view_job *job,
                             struct gp_view_name_range **out);

#endif
