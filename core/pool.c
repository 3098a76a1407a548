/* Stream pools: see dispatch.h. */
#include <assert.h>
#include <inttypes.h>

#include "core/dispatch.h"
#include "core/memory.h"

static void finish_marks(struct gp_pool *pool)
{
    for (uint32_t i = 0; i < pool->mark_count; i++) {
        gp_mark_finish(&pool->done[i]);
    }
    pool->mark_count = 0;
}

/* All or none. */
static int make_marks(struct gp_pool *pool, enum gp_completion completion, struct gp_error *err)
{
    int code = 0;

    if (completion == GP_COMPLETION_FLAG && pool->flags == NULL) {
        code = gp_device_host_alloc(pool->device, sizeof(uint32_t) * pool->stream_count,
                                    &pool->flags, err);
        if (code != 0) {
            pool->flags = NULL;
        }
    }
    while (code == 0 && pool->mark_count < pool->stream_count) {
        uint32_t *flag =
            completion == GP_COMPLETION_FLAG ? (uint32_t *)pool->flags + pool->mark_count : NULL;

        code = gp_mark_init(&pool->done[pool->mark_count], pool->device, completion, flag,
                            &pool->signal, err);
        if (code != 0) {
            (void)gp_fail_context(err, "completion event of stream %" PRIu32, pool->mark_count);
        } else {
            pool->mark_count++;
        }
    }
    if (code != 0) {
        finish_marks(pool);
    }
    pool->completion = completion;
    return code;
}

/* Streams and marks of an empty pool. policy NULL: streams of the usual kind. */
static int fill(struct gp_pool *pool, const struct gp_policy *policy, uint32_t stream_count,
                struct gp_error *err)
{
    for (uint32_t i = 0; i < stream_count; i++) {
        struct gp_stream_spec spec = {.role = ""};
        int code;

        if (policy != NULL) {
            spec = gp_policy_stream(policy, i);
        }
        code = spec.part.permille != 0 ? gp_stream_create_on(pool->device, spec.part, spec.priority,
                                                             &pool->streams[i], err)
                                       : gp_stream_create(pool->device, spec.flag, spec.priority,
                                                          &pool->streams[i], err);
        if (code != 0) {
            (void)gp_fail_context(err, "stream %" PRIu32 " of a pool of %" PRIu32, i, stream_count);
            return code;
        }
        pool->stream_count++;
    }
    return make_marks(pool, GP_COMPLETION_EVENT_POLL, err);
}

static int create(struct gp_device *device, const struct gp_policy *policy, uint32_t stream_count,
                  struct gp_pool **out, struct gp_error *err)
{
    struct gp_pool *pool;
    int code;

    assert(device != NULL && out != NULL);
    *out = NULL;
    if (stream_count == 0 || stream_count > GP_STREAMS_MAX) {
        return gp_fail(err, GP_EINVAL,
                       "a pool of %" PRIu32 " streams; it must have between 1 and %d", stream_count,
                       GP_STREAMS_MAX);
    }
    pool = gp_alloc(1, sizeof *pool);
    if (pool == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for a stream pool");
    }
    pool->device = device;
    gp_signal_init(&pool->signal, device);
    pool->made_for = policy != NULL ? policy->ops : NULL;
    code = fill(pool, policy, stream_count, err);
    if (code != 0) {
        gp_pool_destroy(pool);
        return code;
    }
    *out = pool;
    return 0;
}

int gp_pool_create(struct gp_device *device, uint32_t stream_count, struct gp_pool **out,
                   struct gp_error *err)
{
    return create(device, NULL, stream_count, out, err);
}

int gp_pool_create_for(struct gp_device *device, const struct gp_policy *policy,
                       struct gp_pool **out, struct gp_error *err)
{
    int code;

    assert(policy != NULL);
    code = create(device, policy, policy->stream_count, out, err);
    if (code != 0) {
        (void)gp_fail_context(err, "policy '%s'", policy->ops->name);
    }
    return code;
}

void gp_pool_destroy(struct gp_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    for (uint32_t i = 0; i < pool->event_count; i++) {
        (void)gp_event_destroy(pool->events[i], NULL);
    }
    finish_marks(pool);
    if (pool->flags != NULL) {
        (void)gp_device_host_free(pool->device, pool->flags, NULL);
    }
    gp_signal_finish(&pool->signal);
    for (uint32_t i = 0; i < pool->stream_count; i++) {
        (void)gp_stream_destroy(pool->streams[i], NULL);
    }
    gp_free(pool->events);
    gp_free(pool);
}

int gp_pool_reserve(struct gp_pool *pool, uint32_t event_count, struct gp_error *err)
{
    void *events = pool->events;

    if (event_count <= pool->event_count) {
        return 0;
    }
    if (gp_realloc(&events, pool->event_count, event_count, sizeof *pool->events) != 0) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for %" PRIu32 " events", event_count);
    }
    pool->events = events;
    while (pool->event_count < event_count) {
        int code = gp_event_create(pool->device, 0, &pool->events[pool->event_count], err);

        if (code != 0) {
            (void)gp_fail_context(err, "event %" PRIu32 " of %" PRIu32 " for a schedule",
                                  pool->event_count, event_count);
            return code;
        }
        pool->event_count++;
    }
    return 0;
}

int gp_pool_prepare(struct gp_pool *pool, enum gp_completion completion, struct gp_error *err)
{
    struct gp_mark *first = &pool->done[0];
    uint32_t at = 0;
    int code;

    assert((unsigned)completion < GP_COMPLETION_COUNT);
    if (pool->completion == completion && pool->mark_count == pool->stream_count) {
        return 0;
    }
    finish_marks(pool);
    code = make_marks(pool, completion, err);
    if (code == 0) {
        code = gp_mark_set(first, pool->streams[0], err);
    }
    if (code == 0) {
        code = gp_marks_wait(&first, 1, &at, err);
    }
    if (code != 0) {
        finish_marks(pool);
        (void)gp_fail_context(err, "completion '%s'", gp_completion_name(completion));
    }
    return code;
}
