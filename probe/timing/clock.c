/* The clock map: see clock.h. */
#include "probe/timing/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An event this far from all anchors becomes one. */
static const int64_t anchor_old_ns = INT64_C(500000000);

static int64_t middle_ns(const struct gp_clock_sample *sample)
{
    return sample->host_before_ns + (sample->host_after_ns - sample->host_before_ns) / 2;
}

int gp_clock_init(struct gp_clock *clock, struct gp_device *device, struct gp_stream *stream,
                  struct gp_error *err)
{
    assert(device != NULL && stream != NULL);
    memset(clock, 0, sizeof *clock);
    clock->device = device;
    clock->stream = stream;
    for (int i = 0; i < GP_CLOCK_MARKS; i++) {
        int code = gp_event_create(device, GP_EVENT_TIMED, &clock->marks[i], err);

        code = code == 0 ? gp_event_create(device, GP_EVENT_TIMED, &clock->closing[i], err) : code;
        if (code != 0) {
            gp_clock_finish(clock);
            return code;
        }
    }
    return 0;
}

void gp_clock_finish(struct gp_clock *clock)
{
    for (int i = 0; i < GP_CLOCK_MARKS; i++) {
        (void)gp_event_destroy(clock->marks[i], NULL);
        (void)gp_event_destroy(clock->closing[i], NULL);
        clock->marks[i] = NULL;
        clock->closing[i] = NULL;
    }
}

/* Launches the marks, each stamped and followed by its event, and reads their stamps. */
static int run_marks(struct gp_clock *clock, struct gp_event *const *marks,
                     const struct gp_kernel *mark, gp_addr slots, struct gp_stamp *host,
                     struct gp_error *err)
{
    static const uint8_t zeros[GP_ARG_BYTES_MAX];
    const void *args[GP_KERNEL_ARGS_MAX];
    struct gp_launch launch = {
        .kernel = mark, .grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args};
    const uint64_t bytes = GP_CLOCK_MARKS * sizeof(struct gp_stamp);
    int code;

    for (uint32_t i = 0; i < mark->arg_count; i++) {
        args[i] = zeros;
    }
    for (int i = 0; i < GP_CLOCK_MARKS; i++) {
        launch.stamp = slots + (uint64_t)i * sizeof(struct gp_stamp);
        code = gp_stream_launch(clock->stream, &launch, err);
        if (code == 0) {
            code = gp_event_record(marks[i], clock->stream, err);
        }
        if (code != 0) {
            return code;
        }
    }
    code = gp_stream_copy(clock->stream, GP_COPY_D2H, (uint64_t)(uintptr_t)host, slots, bytes, err);
    return code == 0 ? gp_stream_sync(clock->stream, err) : code;
}

/* The device time of marks[0], by the end stamp of the kernel whose event followed soonest: how
 * soon varies by µs, and the least of it is what repeats. And how much later the last to follow
 * was. */
static int date_marks(struct gp_event *const *marks, const struct gp_stamp *host,
                      int64_t *device_ns, int64_t *residual_ns, struct gp_error *err)
{
    int64_t least_ns = INT64_MAX;

    *device_ns = INT64_MIN;
    for (int i = 0; i < GP_CLOCK_MARKS; i++) {
        int64_t since_ns = 0;
        int64_t date_ns;
        int code = gp_event_elapsed(marks[0], marks[i], &since_ns, err);

        if (code != 0) {
            return code;
        }
        date_ns = (int64_t)host[i].end - since_ns;
        *device_ns = date_ns > *device_ns ? date_ns : *device_ns;
        least_ns = date_ns < least_ns ? date_ns : least_ns;
    }
    *residual_ns = *device_ns - least_ns;
    return 0;
}

int gp_clock_anchor(struct gp_clock *clock, const struct gp_kernel *mark, gp_addr slots,
                    struct gp_stamp *host, struct gp_error *err)
{
    int code = gp_device_clock_sample(clock->device, &clock->before, err);

    code = code == 0 ? run_marks(clock, clock->marks, mark, slots, host, err) : code;
    code = code == 0 ? date_marks(clock->marks, host, &clock->anchor_device_ns,
                                  &clock->anchor_residual_ns, err)
                     : code;
    memset(clock->anchors, 0, sizeof clock->anchors);
    clock->anchors[GP_CLOCK_OPENING] =
        (struct gp_clock_anchor){clock->marks[0], clock->anchor_device_ns};
    clock->after = clock->before;
    return code;
}

int gp_clock_close(struct gp_clock *clock, const struct gp_kernel *mark, gp_addr slots,
                   struct gp_stamp *host, struct gp_error *err)
{
    struct gp_clock_anchor *anchor = &clock->anchors[GP_CLOCK_CLOSING];
    int64_t residual_ns = 0;
    int code = run_marks(clock, clock->closing, mark, slots, host, err);

    code =
        code == 0 ? date_marks(clock->closing, host, &anchor->device_ns, &residual_ns, err) : code;
    anchor->event = code == 0 ? clock->closing[0] : NULL;
    return code == 0 ? gp_device_clock_sample(clock->device, &clock->after, err) : code;
}

int64_t gp_clock_host_ns(const struct gp_clock *clock, int64_t device_ns)
{
    int64_t span_ns = clock->after.device_ns - clock->before.device_ns;
    int64_t first_offset_ns = middle_ns(&clock->before) - clock->before.device_ns;
    int64_t last_offset_ns = middle_ns(&clock->after) - clock->after.device_ns;
    double part;

    if (span_ns <= 0) {
        return device_ns + first_offset_ns;
    }
    part = (double)(device_ns - clock->before.device_ns) / (double)span_ns;
    return device_ns + first_offset_ns +
           (int64_t)(part * (double)(last_offset_ns - first_offset_ns));
}

int64_t gp_clock_residual_ns(const struct gp_clock *clock)
{
    int64_t first_ns = (clock->before.host_after_ns - clock->before.host_before_ns + 1) / 2;
    int64_t last_ns = (clock->after.host_after_ns - clock->after.host_before_ns + 1) / 2;

    return first_ns > last_ns ? first_ns : last_ns;
}

int gp_clock_event_ns(struct gp_clock *clock, struct gp_event *event, int64_t *out_ns,
                      struct gp_error *err)
{
    int64_t nearest_ns = INT64_MAX;
    int64_t device_ns = 0;

    for (int i = 0; i < GP_CLOCK_ANCHORS_MAX; i++) {
        const struct gp_clock_anchor *anchor = &clock->anchors[i];
        int64_t since_ns = 0;
        int code =
            anchor->event != NULL ? gp_event_elapsed(anchor->event, event, &since_ns, err) : 0;

        if (code != 0) {
            return code;
        }
        if (anchor->event != NULL && llabs(since_ns) < nearest_ns) {
            nearest_ns = llabs(since_ns);
            device_ns = anchor->device_ns + since_ns;
        }
    }
    if (nearest_ns > anchor_old_ns) {
        clock->anchors[GP_CLOCK_LAST] = (struct gp_clock_anchor){event, device_ns};
    }
    *out_ns = gp_clock_host_ns(clock, device_ns);
    return 0;
}
