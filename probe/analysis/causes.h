/*
 * Why operations waited, and why two did not run at the same time. Pure functions over one run's
 * rows; no I/O.
 *
 *     host        [submit a][submit b]              [submit c]
 *     stream 0            |-------a------|                  |-----c-----|
 *     stream 1                                |-----b-----|
 *                 0------------------------------------------------------> time
 *     idle of 0   <------>                <---------------->              before a, before c
 *     idle of 1   <--------------------------->                           before b
 *     b, which needs a:
 *       waits     <--------------------------->
 *       pieces    <------dependency------><-->    until a's end, and what the device took from
 * there
 *
 * - A stream is *idle* before each of its operations: from the end of the one before it on the
 *   stream, or from the run's begin (0), to its begin. After its last operation it is done, not
 *   idle. Only operations that run on the device (gp_op_runs) make a stream busy.
 * - An operation is *wanted* when all that it depends on has ended and it has arrived; 0 when it
 *   depends on nothing. Its arrival is a dependency, on no operation.
 *   It *waits* from then, or from when its stream became idle if that is earlier, to its begin.
 * - A wait is cut into pieces with one cause each, by the rules in the order of gp_cause_table:
 *   a rule says until when it held the operation, and gets what the rules before it left. So what
 *   the DAG orders is never put down to the stream. What passes between the last thing that held
 *   the operation and its begin is put down to that thing while it is no longer than what a device
 *   needs to get going, or than the uncertainty of the begin, and else to `unknown`.
 * - The pieces that lie in a stream's idle time add up to it exactly.
 */
#ifndef GP_PROBE_ANALYSIS_CAUSES_H
#define GP_PROBE_ANALYSIS_CAUSES_H

#include "probe/analysis/run_data.h"

#define GP_NO_OP UINT32_MAX

/* One piece of an operation's wait. */
struct gp_wait {
    int64_t from, to; /* ns of the run, from < to */
    int64_t figure;   /* what the rule's `figure` says; GP_UNKNOWN none */
    uint32_t on;      /* the operation that held it; GP_NO_OP: none is known */
    enum gp_cause cause;
    bool is_idle; /* its stream was idle; else busy with something before it */
};

/* Whether it is the wait for its arrival, which is a dependency on no operation. */
static inline bool gp_wait_is_arrival(const struct gp_wait *wait)
{
    return wait->cause == GP_CAUSE_DEPENDENCY && wait->on == GP_NO_OP;
}

/* What would show that a cause is the right one, as changes of the cell; zero: leave as it is. Of a
 * limit it is what does not help. */
struct gp_experiment {
    const char *policy;
    enum gp_submit submit;
    enum gp_issue_order order;
    int32_t streams_times; /* this many times as many streams */
    int32_t connections;
    /* A parameter of the scenario and its word; scenarios without it have no such experiment. */
    const char *parameter, *word;
};

/* Whether it changes anything. */
static inline bool gp_experiment_is_some(const struct gp_experiment *experiment)
{
    return experiment->policy != NULL || experiment->submit != GP_SUBMIT_STREAMS ||
           experiment->order != GP_ORDER_DEPTH || experiment->streams_times > 1 ||
           experiment->connections > 0 || experiment->parameter != NULL;
}

struct gp_cause_index;

struct gp_cause_total {
    int64_t idle_ns;   /* of streams */
    double waited_ns;  /* of operations, idle or not */
    uint32_t ops;      /* that waited for it */
    uint32_t worst_op; /* with the longest piece; GP_NO_OP none */
};

struct gp_causes {
    const struct gp_run_data *run; /* borrowed */
    struct gp_wait *waits;         /* of operation i: waits[first[i] .. first[i + 1]), in time */
    uint32_t *first;               /* op_count + 1 */
    struct gp_cause_total totals[GP_CAUSE_COUNT];
    int64_t idle_ns;              /* all streams; the sum of totals[].idle_ns */
    struct gp_cause_index *index; /* of this module */
};

/* What a rule found: it held the operation until then. */
struct gp_hold {
    int64_t until;
    int64_t figure; /* GP_UNKNOWN none */
    uint32_t on;    /* GP_NO_OP none */
};

struct gp_cause_rule {
    const char *summary; /* what held it, half a sentence */
    const char *remedy;  /* what would remove it, half a sentence */
    bool is_extra;       /* comes on top of another; what is left is not put down to it */
    bool is_limit;       /* the work's or the device's own: no other schedule removes it */
    bool is_derived;     /* not seen in the recording, but how devices work */
    const char *figure;  /* what gp_wait.figure counts; NULL nothing */
    struct gp_experiment experiment;
    /* Whether it held `op` at `from` and until when; looks at nothing after `to`. NULL: never
     * by itself. */
    bool (*holds)(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                  struct gp_hold *out);
};

/* By cause, in the order in which they are asked. */
extern const struct gp_cause_rule gp_cause_table[GP_CAUSE_COUNT];

/* All waits of a run, in n log n. data is borrowed as long; *out is the caller's to finish. False:
 * given up as data->heed says, and nothing in *out can be used. */
bool gp_causes_measure(const struct gp_run_data *data, struct gp_causes *out);
/* Takes a zeroed struct. */
void gp_causes_finish(struct gp_causes *causes);

/* What would remove a cause that held somebody, half a sentence; of what is unknown, what would
 * tell more of the operation that waited longest. Static. */
const char *gp_cause_remedy(const struct gp_causes *causes, enum gp_cause cause);

/* The longest piece of an operation's wait; NULL when it did not wait. Borrowed. */
const struct gp_wait *gp_causes_main(const struct gp_causes *causes, uint32_t op);

enum { GP_PATH_MAX = 64 };

struct gp_pair {
    uint32_t first, second; /* by begin; of equal begins the smaller id first */
    int64_t overlap_ns;     /* both ran; the other figures are then of the time they did not */
    /* What kept `second` while `first` ran, the longest piece; from == to when nothing did. When
     * the DAG orders them the cause is dependency, on `first`. */
    struct gp_wait wait;
    /* From wait.on along the edges to `second`, both included, when the cause is dependency; a path
     * longer than GP_PATH_MAX loses its middle. */
    uint32_t path[GP_PATH_MAX];
    uint32_t path_count;
};

/* Why two operations (two different ids) did not run at the same time. False: when one of them ran
 * is not known, or it is not on the device. */
bool gp_cause_pair(const struct gp_causes *causes, uint32_t op_a, uint32_t op_b,
                   struct gp_pair *out);

#endif
