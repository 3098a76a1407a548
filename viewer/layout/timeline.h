/*
 * One run of a recording as columns: all that the timeline draws, in at most 64 bytes an operation.
 * Filled by load.h, then never changed, so that any number of threads may read it. It knows no
 * pixels, no display and no file; an operation's other columns are read by its id through
 * probe/store/reader.h when somebody asks.
 *
 * What is drawn is a *span*: an operation, a host-side range or a host call. Each of these tables
 * has its spans in the recording's order: the index of an operation is op.id. A *lane* is a
 * sequence of spans of one table that do not overlap: what overlaps within a stream, an engine or
 * a thread goes to further lanes of it.
 */
#ifndef GP_VIEWER_LAYOUT_TIMELINE_H
#define GP_VIEWER_LAYOUT_TIMELINE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "probe/record.h"
#include "viewer/layout/narrow.h"
#include "viewer/layout/pyramid.h"

enum gp_view_table { GP_VIEW_OPS, GP_VIEW_RANGES, GP_VIEW_CALLS, GP_VIEW_TABLE_COUNT };

/* Columns; those that a table does not have are empty (count 0 or NULL). A span without a begin or
 * an end has begin GP_UNKNOWN and lies on no lane. */
struct gp_view_spans {
    uint32_t count;
    int64_t *begin_ns;
    struct gp_view_narrow duration_ns;
    uint32_t *name;                       /* index of the timeline's names */
    struct gp_view_narrow waiting_ns;     /* operations: ready → begin; 0 unknown */
    struct gp_view_narrow begin_early_ns; /* operations: begin − begin_lo; 0 exact or unknown */
    struct gp_view_narrow begin_late_ns;  /* begin_hi − begin */
    struct gp_view_narrow end_early_ns;   /* end − end_lo */
    struct gp_view_narrow end_late_ns;    /* end_hi − end */
    uint8_t *stream;                      /* operations: index of the timeline's streams */
    uint8_t *kind;                        /* operations: enum gp_op_kind */
    uint8_t *source;                      /* operations: enum gp_source */
    int8_t *engine;                       /* operations: −1 none or unknown */
    uint16_t *thread;                     /* ranges, calls: index of the timeline's threads */
    uint32_t *op;                         /* calls: op.id or GP_VIEW_NONE */
    /* Operations of a sample (sample.h), which are not at the index op.id: for how many of the run
     * each stands. */
    float *weight;
};

/* What a lane belongs to. */
enum gp_view_owner { GP_VIEW_STREAM, GP_VIEW_ENGINE, GP_VIEW_RANGE_THREAD, GP_VIEW_CALL_THREAD };

struct gp_view_lane {
    enum gp_view_table table;
    enum gp_view_owner owner;
    uint32_t owner_index; /* of the streams or threads, or the engine's number */
    uint32_t depth;       /* among the lanes of its owner, which follow one another */
    uint32_t count;
    uint32_t *order;   /* spans by begin; ends ascend too */
    int64_t *busy_ns;  /* Σ durations of the first 0, 64, 128, … spans */
    int64_t *waits_ns; /* the same of waiting; NULL: its table has none */
    struct gp_view_pyramid pyramid;
};

enum {
    GP_VIEW_BLOCK = 64,       /* spans between two prefix sums */
    GP_VIEW_DEPTH_MAX = 256,  /* lanes of one owner */
    GP_VIEW_THREADS_MAX = 256 /* host threads with rows of their own; the rest share the last */
};

struct gp_view_stream {
    uint32_t id;    /* pool index */
    int64_t device; /* id in the file */
    int32_t priority;
    char *name, *role;
};

struct gp_view_timeline {
    int64_t run;
    int64_t begin_ns, end_ns; /* of all that is drawn, waiting included; begin < end */
    int64_t makespan_ns;      /* of the run; GP_UNKNOWN */
    bool is_modelled;
    char *device; /* its name */
    struct gp_view_spans tables[GP_VIEW_TABLE_COUNT];
    struct gp_view_lane *lanes; /* streams, engines, ranges, calls; by owner, then depth */
    uint32_t lane_count;
    char **names; /* texts of the recording */
    uint32_t name_count;
    struct gp_view_stream *streams;
    uint32_t stream_count;
    uint32_t *threads; /* numbers of host threads, ascending */
    uint32_t thread_count;
    void *mapping; /* a file that all arrays and texts lie in; NULL: each is allocated */
    size_t mapping_bytes;
    uint32_t undrawn; /* spans on no lane: times unknown, or deeper than GP_VIEW_DEPTH_MAX */
};

/* Releases all and the struct; NULL allowed. */
void gp_view_timeline_destroy(struct gp_view_timeline *timeline);

/* Bytes of memory that it holds. */
size_t gp_view_timeline_bytes(const struct gp_view_timeline *timeline);

/* Whether it holds only some of the run's operations: then nothing in it can be pointed at, and its
 * lanes are drawn by bins that are estimated, however close one looks. */
static inline bool gp_view_is_sample(const struct gp_view_timeline *timeline)
{
    return timeline->tables[GP_VIEW_OPS].weight != NULL;
}

/* The spans of a lane. */
static inline const struct gp_view_spans *
gp_view_lane_spans(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane)
{
    return &timeline->tables[lane->table];
}

/* The rest are here, since a frame asks a million times. */

/* Of a span; where its begin is unknown, GP_UNKNOWN. */
static inline int64_t gp_view_begin_ns(const struct gp_view_spans *spans, uint32_t span)
{
    assert(span < spans->count);
    return spans->begin_ns[span];
}

/* Likewise its end. */
static inline int64_t gp_view_end_ns(const struct gp_view_spans *spans, uint32_t span)
{
    int64_t begin_ns = gp_view_begin_ns(spans, span);

    return begin_ns == GP_UNKNOWN ? GP_UNKNOWN
                                  : begin_ns + gp_view_narrow_get(&spans->duration_ns, span);
}

/* How long it waited from ready to begin; 0 when it did not or that is not known. */
static inline int64_t gp_view_waiting_ns(const struct gp_view_spans *spans, uint32_t span)
{
    return spans->waiting_ns.count > 0 ? gp_view_narrow_get(&spans->waiting_ns, span) : 0;
}

/* When the span at a position of a lane began to wait there: not before the span before it has
 * ended, nor after its own begin. */
static inline int64_t gp_view_lane_ready_ns(const struct gp_view_timeline *timeline,
                                            const struct gp_view_lane *lane, uint32_t position)
{
    const struct gp_view_spans *spans = gp_view_lane_spans(timeline, lane);
    uint32_t span = lane->order[position];
    int64_t begin_ns = spans->begin_ns[span];
    int64_t waiting_ns = gp_view_waiting_ns(spans, span);
    int64_t free_ns;

    if (waiting_ns == 0 || position == 0) {
        return begin_ns - waiting_ns;
    }
    free_ns = gp_view_end_ns(spans, lane->order[position - 1]);
    return begin_ns - waiting_ns > free_ns ? begin_ns - waiting_ns : free_ns;
}

#endif
