/* Keeps a traced run's host times: see observer.h. */
#include "probe/sweep/observer.h"

#include <assert.h>
#include <string.h>

#include "probe/memory.h"

/* Host calls of one step at most: its own, and a timed record on either side. */
enum { CALLS_PER_STEP = 3 };

static void note_op(struct gp_sink *sink, uint32_t op, int64_t begin_ns, int64_t end_ns)
{
    struct gp_observer *observer = (struct gp_observer *)sink;

    assert(op < observer->op_capacity);
    observer->op_begin[op] = begin_ns;
    observer->op_end[op] = end_ns;
}

static void note_call(struct gp_sink *sink, const char *name, uint32_t op, int64_t begin_ns,
                      int64_t end_ns)
{
    struct gp_observer *observer = (struct gp_observer *)sink;

    if (observer->call_count < observer->call_capacity) {
        observer->calls[observer->call_count++] = (struct gp_call_row){
            .name = name,
            .begin = begin_ns,
            .end = end_ns,
            .op = op == UINT32_MAX ? GP_UNKNOWN : (int64_t)op,
        };
    }
}

/* Each operation was submitted by that one call. */
static void note_launch(struct gp_sink *sink, int64_t begin_ns, int64_t end_ns)
{
    struct gp_observer *observer = (struct gp_observer *)sink;

    for (uint32_t op = 0; op < observer->op_count; op++) {
        note_op(sink, op, begin_ns, end_ns);
    }
    note_call(sink, "graph launch", UINT32_MAX, begin_ns, end_ns);
}

static const struct gp_sink_ops observer_ops = {
    .name = "observer",
    .op_end = note_op,
    .call = note_call,
    .launch = note_launch,
};

void gp_observer_init(struct gp_observer *observer)
{
    memset(observer, 0, sizeof *observer);
    observer->base.ops = &observer_ops;
}

void gp_observer_finish(struct gp_observer *observer)
{
    gp_free(observer->op_begin);
    gp_free(observer->op_end);
    gp_free(observer->calls);
    gp_observer_init(observer);
}

void gp_observer_reserve(struct gp_observer *observer, const struct gp_schedule *schedule)
{
    uint32_t ops = schedule->dag->op_count;
    uint32_t calls = CALLS_PER_STEP * schedule->step_count + GP_STREAMS_MAX;

    observer->call_count = 0;
    observer->op_count = ops;
    if (observer->op_capacity >= ops && observer->call_capacity >= calls) {
        return;
    }
    gp_observer_finish(observer);
    observer->op_begin = gp_xalloc(ops, sizeof observer->op_begin[0]);
    observer->op_end = gp_xalloc(ops, sizeof observer->op_end[0]);
    observer->calls = gp_xalloc(calls, sizeof observer->calls[0]);
    observer->op_count = ops;
    observer->op_capacity = ops;
    observer->call_capacity = calls;
}

void gp_observer_rebase(struct gp_observer *observer, uint32_t op_count, int64_t epoch_ns)
{
    assert(op_count <= observer->op_capacity);
    for (uint32_t i = 0; i < op_count; i++) {
        observer->op_begin[i] -= epoch_ns;
        observer->op_end[i] -= epoch_ns;
    }
    for (uint32_t i = 0; i < observer->call_count; i++) {
        observer->calls[i].begin -= epoch_ns;
        observer->calls[i].end -= epoch_ns;
    }
}
