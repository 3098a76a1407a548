/* The clock map on a device whose events are as coarse as a driver's: a float of milliseconds. */
#include "test.h"

#include "core/device/device.h"
#include "kernels/kernels.h"
#include "probe/timing/clock.h"

enum { EVENTS = 1200, MINUTES = 10 };

static const struct gp_device_ops *fine;

static int elapsed_as_float(struct gp_event *first, struct gp_event *second, int64_t *out_ns,
                            struct gp_error *err)
{
    int code = fine->event_elapsed(first, second, out_ns, err);

    *out_ns = (int64_t)((double)((float)((double)*out_ns / 1e6)) * 1e6);
    return code;
}

/* Events about half a second apart for ten minutes: the first and the last second's are as fine. */
static void test_ten_minutes_are_as_fine_as_one_second(void **state)
{
    static struct gp_event *events[EVENTS];
    struct gp_device_ops coarse;
    struct gp_device *device = NULL;
    struct gp_stream *stream = NULL;
    struct gp_clock clock;
    struct gp_error err = {0};
    gp_addr slots = 0;
    void *host = NULL;
    const uint64_t bytes = GP_CLOCK_MARKS * sizeof(struct gp_stamp);
    int64_t begin_ns;

    (void)state;
    gp_assert_ok(gp_device_open("model", NULL, &device, &err), err);
    fine = device->ops;
    coarse = *fine;
    coarse.event_elapsed = elapsed_as_float;
    gp_assert_ok(gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &stream, &err), err);
    gp_assert_ok(gp_device_kernel_prepare(device, &gp_kernel_vector_add, &err), err);
    gp_assert_ok(gp_device_mem_alloc(device, bytes, &slots, &err), err);
    gp_assert_ok(gp_device_host_alloc(device, bytes, &host, &err), err);
    for (int i = 0; i < GP_CLOCK_MARKS; i++) {
        ((struct gp_stamp *)host)[i] = (struct gp_stamp){UINT64_MAX, 0};
    }
    gp_assert_ok(gp_stream_copy(stream, GP_COPY_H2D, slots, (uintptr_t)host, bytes, &err), err);
    gp_assert_ok(gp_clock_init(&clock, device, stream, &err), err);
    device->ops = &coarse;
    gp_assert_ok(gp_clock_anchor(&clock, &gp_kernel_vector_add, slots, host, &err), err);
    begin_ns = gp_device_clock_ns(device);
    for (int64_t i = 0; i < EVENTS; i++) {
        int64_t since_ns = i * (MINUTES * INT64_C(60000000000) / EVENTS) + i * i % 997 * 1013;

        gp_assert_ok(gp_event_create(device, GP_EVENT_TIMED, &events[i], &err), err);
        do {
            gp_device_pause(device, begin_ns + since_ns);
        } while (gp_device_clock_ns(device) < begin_ns + since_ns);
        gp_assert_ok(gp_event_record(events[i], stream, &err), err);
    }
    gp_assert_ok(gp_stream_sync(stream, &err), err);
    gp_assert_ok(gp_clock_close(&clock, &gp_kernel_vector_add, slots, host, &err), err);
    for (int i = 1; i < EVENTS; i++) {
        int64_t before_ns = 0, ns = 0, truth_ns = 0;

        gp_assert_ok(gp_clock_event_ns(&clock, events[i - 1], &before_ns, &err), err);
        gp_assert_ok(gp_clock_event_ns(&clock, events[i], &ns, &err), err);
        gp_assert_ok(fine->event_elapsed(events[i - 1], events[i], &truth_ns, &err), err);
        assert_in_range(ns - before_ns - truth_ns + 1000, 0, 2000);
    }
    device->ops = fine;
    for (int i = 0; i < EVENTS; i++) {
        (void)gp_event_destroy(events[i], NULL);
    }
    gp_clock_finish(&clock);
    gp_assert_ok(gp_device_mem_free(device, slots, &err), err);
    gp_assert_ok(gp_device_host_free(device, host, &err), err);
    gp_assert_ok(gp_stream_destroy(stream, &err), err);
    gp_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_minutes_are_as_fine_as_one_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
