/*
 * Sinks: who is told what dispatch does, while it does it. All calls come from the dispatching
 * thread and must be quick: no lock that others hold long, no allocation, no I/O. Slots may be
 * NULL.
 */
#ifndef GP_CORE_SINK_H
#define GP_CORE_SINK_H

#include "core/schedule.h"

struct gp_sink;

struct gp_sink_ops {
    const char *name;
    /* Before the first submitting call. */
    void (*run_begin)(struct gp_sink *sink, const struct gp_schedule *schedule);
    /* Around each operation's submitting calls (its own waits and records excluded). */
    void (*op_begin)(struct gp_sink *sink, uint32_t op, int64_t at_ns);
    void (*op_end)(struct gp_sink *sink, uint32_t op, int64_t begin_ns, int64_t end_ns);
    /* One host call that is not an operation: "record", "wait", "timed record". */
    void (*call)(struct gp_sink *sink, const char *name, uint32_t op, int64_t begin_ns,
                 int64_t end_ns);
    /* The one call that submits every operation of a run, instead of op_begin, op_end and call: the
     * launch of a graph. */
    void (*launch)(struct gp_sink *sink, int64_t begin_ns, int64_t end_ns);
    /* After the last stream is known complete; not when the run failed. */
    void (*run_end)(struct gp_sink *sink, int64_t begin_ns, int64_t submitted_ns, int64_t end_ns);
};

struct gp_sink {
    const struct gp_sink_ops *ops;
};

/* Tell one sink; a slot that is NULL is skipped. */
void gp_sink_run_begin(struct gp_sink *sink, const struct gp_schedule *schedule);
void gp_sink_op_begin(struct gp_sink *sink, uint32_t op, int64_t at_ns);
void gp_sink_op_end(struct gp_sink *sink, uint32_t op, int64_t begin_ns, int64_t end_ns);
void gp_sink_call(struct gp_sink *sink, const char *name, uint32_t op, int64_t begin_ns,
                  int64_t end_ns);
void gp_sink_launch(struct gp_sink *sink, int64_t begin_ns, int64_t end_ns);
void gp_sink_run_end(struct gp_sink *sink, int64_t begin_ns, int64_t submitted_ns, int64_t end_ns);

/* Passes everything on to each of its sinks, in order. Storage is the caller's. */
struct gp_sink_tee {
    struct gp_sink base;
    struct gp_sink *const *sinks;
    size_t count;
};

/* sinks and what they point to are borrowed for as long as the tee is used. */
void gp_sink_tee_init(struct gp_sink_tee *tee, struct gp_sink *const *sinks, size_t count);

#endif
