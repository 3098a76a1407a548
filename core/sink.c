/* The tee: see sink.h. */
#include "core/sink.h"

#include <assert.h>

static struct gp_sink_tee *tee_of(struct gp_sink *sink);

static void run_begin(struct gp_sink *sink, const struct gp_schedule *schedule)
{
    struct gp_sink_tee *tee = tee_of(sink);

    for (size_t i = 0; i < tee->count; i++) {
        gp_sink_run_begin(tee->sinks[i], schedule);
    }
}

static void op_begin(struct gp_sink *sink, uint32_t op, int64_t at_ns)
{
    struct gp_sink_tee *tee = tee_of(sink);

    for (size_t i = 0; i < tee->count; i++) {
        gp_sink_op_begin(tee->sinks[i], op, at_ns);
    }
}

static void op_end(struct gp_sink *sink, uint32_t op, int64_t begin_ns, int64_t end_ns)
{
    struct gp_sink_tee *tee = tee_of(sink);

    for (size_t i = 0; i < tee->count; i++) {
        gp_sink_op_end(tee->sinks[i], op, begin_ns, end_ns);
    }
}

static void call(struct gp_sink *sink, const char *name, uint32_t op, int64_t begin_ns,
                 int64_t end_ns)
{
    struct gp_sink_tee *tee = tee_of(sink);

    for (size_t i = 0; i < tee->count; i++) {
        gp_sink_call(tee->sinks[i], name, op, begin_ns, end_ns);
    }
}

static void launch(struct gp_sink *sink, int64_t begin_ns, int64_t end_ns)
{
    struct gp_sink_tee *tee = tee_of(sink);

    for (size_t i = 0; i < tee->count; i++) {
        gp_sink_launch(tee->sinks[i], begin_ns, end_ns);
    }
}

static void run_end(struct gp_sink *sink, int64_t begin_ns, int64_t submitted_ns, int64_t end_ns)
{
    struct gp_sink_tee *tee = tee_of(sink);

    for (size_t i = 0; i < tee->count; i++) {
        gp_sink_run_end(tee->sinks[i], begin_ns, submitted_ns, end_ns);
    }
}

static const struct gp_sink_ops tee_ops = {
    .name = "tee",
    .run_begin = run_begin,
    .op_begin = op_begin,
    .op_end = op_end,
    .call = call,
    .launch = launch,
    .run_end = run_end,
};

static struct gp_sink_tee *tee_of(struct gp_sink *sink)
{
    assert(sink->ops == &tee_ops);
    return (struct gp_sink_tee *)sink;
}

void gp_sink_tee_init(struct gp_sink_tee *tee, struct gp_sink *const *sinks, size_t count)
{
    assert(tee != NULL && (sinks != NULL || count == 0));
    tee->base.ops = &tee_ops;
    tee->sinks = sinks;
    tee->count = count;
}

void gp_sink_run_begin(struct gp_sink *sink, const struct gp_schedule *schedule)
{
    if (sink->ops->run_begin != NULL) {
        sink->ops->run_begin(sink, schedule);
    }
}

void gp_sink_op_begin(struct gp_sink *sink, uint32_t op, int64_t at_ns)
{
    if (sink->ops->op_begin != NULL) {
        sink->ops->op_begin(sink, op, at_ns);
    }
}

void gp_sink_op_end(struct gp_sink *sink, uint32_t op, int64_t begin_ns, int64_t end_ns)
{
    if (sink->ops->op_end != NULL) {
        sink->ops->op_end(sink, op, begin_ns, end_ns);
    }
}

void gp_sink_call(struct gp_sink *sink, const char *name, uint32_t op, int64_t begin_ns,
                  int64_t end_ns)
{
    if (sink->ops->call != NULL) {
        sink->ops->call(sink, name, op, begin_ns, end_ns);
    }
}

void gp_sink_launch(struct gp_sink *sink, int64_t begin_ns, int64_t end_ns)
{
    if (sink->ops->launch != NULL) {
        sink->ops->launch(sink, begin_ns, end_ns);
    }
}

void gp_sink_run_end(struct gp_sink *sink, int64_t begin_ns, int64_t submitted_ns, int64_t end_ns)
{
    if (sink->ops->run_end != NULL) {
        sink->ops->run_end(sink, begin_ns, submitted_ns, end_ns);
    }
}
