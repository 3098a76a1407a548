/* Order between streams: see stream.h. */
#include "core/stream.h"

#include <assert.h>

int gp_stream_join(struct gp_stream *into, struct gp_stream *from, struct gp_error *err)
{
    struct gp_event *event;
    int code;

    assert(into != NULL && from != NULL && into->device == from->device);
    code = gp_event_create(from->device, 0, &event, err);
    if (code != 0) {
        (void)gp_fail_context(err, "joining two streams");
        return code;
    }
    code = gp_event_record(event, from, err);
    if (code == 0) {
        code = gp_stream_wait(into, event, err);
    }
    /* The wait keeps what it needs of the event. */
    (void)gp_event_destroy(event, NULL);
    if (code != 0) {
        (void)gp_fail_context(err, "joining two streams");
    }
    return code;
}

int gp_stream_fork(struct gp_stream *parent, struct gp_stream **out, struct gp_error *err)
{
    int code;

    assert(parent != NULL && out != NULL);
    *out = NULL;
    code = gp_stream_create(parent->device, GP_STREAM_NON_BLOCKING, parent->priority, out, err);
    if (code == 0) {
        code = gp_stream_join(*out, parent, err);
    }
    if (code != 0) {
        (void)gp_stream_destroy(*out, NULL);
        *out = NULL;
        (void)gp_fail_context(err, "forking a stream");
    }
    return code;
}
