/*
 * What the rules of causes.h look up: of each operation its stream's and its engine's order, and
 * what held it by each kind of order, computed once a run. Internal to the causes.
 */
#ifndef GP_PROBE_ANALYSIS_CAUSE_INDEX_H
#define GP_PROBE_ANALYSIS_CAUSE_INDEX_H

#include "probe/analysis/by_time.h"
#include "probe/analysis/causes.h"
#include "probe/analysis/stretches.h"

/* Until when something held an operation, and which operation it was; {INT64_MIN, GP_NO_OP}:
 * nothing did. */
struct gp_held {
    int64_t until;
    uint32_t on;
};

/* Arrays are one an operation; those from `null` on may be NULL: nothing of the kind was found. */
struct gp_cause_index {
    const struct gp_run_data *run;
    struct gp_moment
        *by_begin; /* all that has begin and end; of equal begins the smaller id first */
    uint32_t begun;
    uint32_t *edge_first;    /* edges[edge_first[i] .. edge_first[i + 1]) end at operation i */
    int64_t *wanted;         /* all it depends on has ended; 0: on nothing */
    uint8_t *records;        /* timed events beside it: 0, 1, 2 */
    struct gp_held *depends; /* device work it depends on, also through host functions */
    struct gp_held *host;    /* host functions it depends on, or behind which it is */
    struct gp_held *behind;  /* device work before it on its stream */
    struct gp_held *engine;  /* copies before it on its engine */
    struct gp_held *null;    /* work that the NULL stream excludes */
    struct gp_held *connection, *timed;
    struct gp_held *grids, *priority, *sms, *line, *carve_out;
    struct gp_stretches launch_queue, pageable, implicit_sync; /* of the host's time */
};

/* data is borrowed; release with destroy. NULL: given up as data->heed says. */
struct gp_cause_index *gp_cause_index_create(const struct gp_run_data *data);
void gp_cause_index_destroy(struct gp_cause_index *index);

/* From when on its stream was idle before it: 0 for a stream's first. */
int64_t gp_cause_index_idle_from(const struct gp_cause_index *index, uint32_t op);

/* When nothing of the DAG and of its stream held an operation any longer. */
int64_t gp_cause_index_free_from(const struct gp_cause_index *index, uint32_t op);

/* ---- for the files of the rules ------------------------------------------------------------ */

/* One an operation, nothing held. */
struct gp_held *gp_cause_index_array(uint32_t count);

/* Asked at each of many steps: whether to go on, which every few thousand of them find out. */
static inline bool gp_cause_index_goes_on(const struct gp_cause_index *index, uint32_t step)
{
    return step % 8192 != 0 || gp_goes_on(&index->run->heed);
}

/* Takes what ends later. */
void gp_held_raise(struct gp_held *held, int64_t until, uint32_t on);

/* The parts of the index that the rules' files fill: by_submit has all operations that have
 * submission times, in that order. */
void gp_cause_index_host(struct gp_cause_index *index, const struct gp_moment *by_submit,
                         uint32_t submitted);
void gp_cause_index_shared(struct gp_cause_index *index, const struct gp_moment *by_submit,
                           uint32_t submitted);
void gp_cause_index_device(struct gp_cause_index *index);

#endif
