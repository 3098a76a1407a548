/* Devices, threads, memory, streams and events: what holds on every CUDA driver. */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/device/cuda/cuda.h"

static void test_describe_is_what_open_says(void **state)
{
    struct fixture *fixture = *state;
    const struct gp_device_info *info = &fixture->device->info;
    struct gp_device_info described;

    gp_assert_ok(gp_device_describe(&gp_device_cuda, 0, NULL, &described, &fixture->err),
                 fixture->err);
    assert_int_equal(described.kind, GP_DEVICE_CUDA);
    assert_string_equal(described.name, info->name);
    assert_string_equal(described.uuid, info->uuid);
    assert_int_equal(strlen(info->uuid), strlen("GPU-00000000-0000-0000-0000-000000000000"));
    assert_true(info->sm_count > 0);
    assert_true(info->memory_bytes > 0);
    assert_true(info->driver_version >= 10010);
    assert_true(info->connections >= 1 && info->connections <= GP_CONNECTIONS_MAX);
    assert_true(info->priority_greatest <= info->priority_least);
    assert_string_not_equal(info->image, "");
    assert_int_equal(
        gp_device_describe(&gp_device_cuda, GP_DEVICES_MAX - 1, NULL, &described, &fixture->err),
        GP_ENOTFOUND);
}

static void test_report(void **state)
{
    struct gp_cuda_report report;

    (void)state;
    gp_cuda_report(&report);
    assert_int_equal(report.why.code, 0);
    assert_true(report.device_count >= 1);
    assert_true(report.driver_version >= report.driver_needed);
    assert_non_null(strstr(report.library, "libcuda.so"));
}

static void test_second_attach_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct gp_device *second = NULL;

    assert_int_equal(gp_device_attach(fixture->device, &fixture->err), GP_ESTATE);
    assert_non_null(strstr(fixture->err.text, "already"));
    assert_int_equal(gp_device_open("cuda", NULL, &second, &fixture->err), GP_ESTATE);
    gp_assert_ok(gp_device_check(fixture->device, &fixture->err), fixture->err);
}

static void *use_from_thread(void *user)
{
    struct fixture *fixture = user;
    struct gp_error err = {0};
    struct gp_stream *stream = NULL;

    if (gp_stream_query(fixture->stream, &err) != GP_ESTATE ||
        strstr(err.text, "not attached") == NULL) {
        return "an unattached thread was not refused";
    }
    if (gp_stream_destroy(fixture->stream, &err) != GP_ESTATE) {
        return "an unattached thread could destroy";
    }
    if (gp_device_attach(fixture->device, &err) != 0 ||
        gp_stream_create(fixture->device, GP_STREAM_NON_BLOCKING, 0, &stream, &err) != 0 ||
        gp_stream_sync(stream, &err) != 0 || gp_stream_destroy(stream, &err) != 0) {
        return "an attached thread was refused";
    }
    gp_device_detach(fixture->device);
    return gp_stream_query(fixture->stream, &err) == GP_ESTATE ? NULL : "detach had no effect";
}

static void test_threads_attach(void **state)
{
    pthread_t thread;
    void *complaint = NULL;

    assert_int_equal(pthread_create(&thread, NULL, use_from_thread, *state), 0);
    assert_int_equal(pthread_join(thread, &complaint), 0);
    if (complaint != NULL) {
        fail_msg("%s", (const char *)complaint);
    }
}

static void test_memory_moves(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t bytes = FIXTURE_COUNT * sizeof(float);

    fixture_upload(fixture, fixture->a, 5.0F, 2.0F);
    gp_assert_ok(
        gp_stream_copy(fixture->stream, GP_COPY_D2D, fixture->b, fixture->a, bytes, &fixture->err),
        fixture->err);
    fixture_download(fixture, fixture->b);
    for (int i = 0; i < FIXTURE_COUNT; i++) {
        assert_true(fixture->host[i] == 5.0F + 2.0F * (float)i);
    }
    gp_assert_ok(gp_stream_set(fixture->stream, fixture->b + 4, 0x40, 8, &fixture->err),
                 fixture->err);
    fixture_download(fixture, fixture->b);
    assert_true(fixture->host[0] == 5.0F);
    assert_memory_equal(&fixture->host[1], "\x40\x40\x40\x40\x40\x40\x40\x40", 8);
    assert_true(fixture->host[3] == 11.0F);
}

static void test_too_much_memory_is_refused(void **state)
{
    struct fixture *fixture = *state;
    gp_addr address = 0;
    char wanted[48];

    assert_int_equal(
        gp_device_mem_alloc(fixture->device, (uint64_t)1 << 50, &address, &fixture->err),
        GP_EDEVICEMEM);
    (void)snprintf(wanted, sizeof wanted, "%llu bytes wanted", 1ULL << 50);
    assert_non_null(strstr(fixture->err.text, wanted));
    assert_non_null(strstr(fixture->err.text, "are free"));
    assert_string_equal(fixture->err.call, "cuMemAlloc_v2");
    assert_int_equal(fixture->err.driver_code, 2);
    assert_int_equal(gp_device_mem_free(fixture->device, 0, &fixture->err), 0);
}

static void test_stream_ordered_memory(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t bytes = FIXTURE_COUNT * sizeof(float);
    gp_addr address = 0;
    int code = gp_stream_mem_alloc(fixture->stream, bytes, &address, &fixture->err);

    if (code == GP_EUNSUPPORTED) {
        print_message("%s\n", fixture->err.text);
        skip();
    }
    gp_assert_ok(code, fixture->err);
    gp_assert_ok(gp_stream_set(fixture->stream, address, 0, bytes, &fixture->err), fixture->err);
    fixture_download(fixture, address);
    assert_true(fixture->host[FIXTURE_COUNT - 1] == 0.0F);
    gp_assert_ok(gp_stream_mem_free(fixture->stream, address, &fixture->err), fixture->err);
    gp_assert_ok(gp_stream_sync(fixture->stream, &fixture->err), fixture->err);
}

/* Streams of two parts: their kernels and events go together like those of any two. */
static void test_streams_on_parts(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error *err = &fixture->err;
    struct gp_stream *streams[2] = {NULL, NULL};
    struct gp_stream *refused = NULL;
    struct gp_event *event = NULL;
    int code =
        gp_stream_create_on(fixture->device, (struct gp_sm_part){250, 0}, -1, &streams[0], err);

    if (code == GP_EUNSUPPORTED) {
        print_message("%s\n", err->text);
        skip();
    }
    gp_assert_ok(code, *err);
    gp_assert_ok(
        gp_stream_create_on(fixture->device, (struct gp_sm_part){250, 1}, 0, &streams[1], err),
        *err);
    assert_true(streams[0]->sm_count > 0 && streams[0]->sm_count < streams[1]->sm_count);
    assert_int_equal(streams[0]->sm_count + streams[1]->sm_count, fixture->device->info.sm_count);
    assert_int_equal(streams[0]->priority, -1);
    assert_int_equal(
        gp_stream_create_on(fixture->device, (struct gp_sm_part){999, 0}, 0, &refused, err),
        GP_EUNSUPPORTED);
    assert_non_null(strstr(err->text, "at 999 permille"));
    gp_assert_ok(gp_event_create(fixture->device, 0, &event, err), *err);
    fixture_upload(fixture, fixture->a, 0.0F, 1.0F);
    fixture_upload(fixture, fixture->b, 5.0F, 0.0F);
    gp_assert_ok(fixture_submit_fma(fixture, streams[0], 100, 1.0F), *err);
    gp_assert_ok(gp_event_record(event, streams[0], err), *err);
    gp_assert_ok(gp_stream_wait(streams[1], event, err), *err);
    gp_assert_ok(fixture_submit_add(fixture, streams[1], 0), *err);
    gp_assert_ok(gp_stream_sync(streams[1], err), *err);
    fixture_download(fixture, fixture->c);
    assert_true(fixture->host[3] == 3.0F + 100.0F + 5.0F);
    gp_assert_ok(gp_event_destroy(event, err), *err);
    gp_assert_ok(gp_stream_destroy(streams[0], err), *err);
    gp_assert_ok(gp_stream_destroy(streams[1], err), *err);
}

static void test_pinned_memory_is_zero(void **state)
{
    struct fixture *fixture = *state;
    void *block = NULL;

    gp_assert_ok(gp_device_host_alloc(fixture->device, 4096, &block, &fixture->err), fixture->err);
    for (int i = 0; i < 4096; i++) {
        assert_int_equal(((unsigned char *)block)[i], 0);
    }
    gp_assert_ok(gp_device_host_free(fixture->device, block, &fixture->err), fixture->err);
    gp_assert_ok(gp_device_host_free(fixture->device, NULL, &fixture->err), fixture->err);
}

static void test_priorities_are_clamped(void **state)
{
    struct fixture *fixture = *state;
    const struct gp_device_info *info = &fixture->device->info;
    struct gp_stream *stream = NULL;

    gp_assert_ok(
        gp_stream_create(fixture->device, GP_STREAM_BLOCKING, -1000, &stream, &fixture->err),
        fixture->err);
    assert_int_equal(stream->priority, info->priority_greatest);
    gp_assert_ok(gp_stream_destroy(stream, &fixture->err), fixture->err);
    gp_assert_ok(
        gp_stream_create(fixture->device, GP_STREAM_NON_BLOCKING, 1000, &stream, &fixture->err),
        fixture->err);
    assert_int_equal(stream->priority, info->priority_least);
    gp_assert_ok(gp_stream_destroy(stream, &fixture->err), fixture->err);
}

static void test_every_kind_of_stream_works(void **state)
{
    static const enum gp_stream_flag flags[] = {GP_STREAM_NON_BLOCKING, GP_STREAM_BLOCKING,
                                                GP_STREAM_NULL, GP_STREAM_PER_THREAD};
    struct fixture *fixture = *state;

    fixture_upload(fixture, fixture->b, 1.0F, 0.0F);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        struct gp_stream *stream = NULL;

        fixture_upload(fixture, fixture->a, (float)i, 1.0F);
        gp_assert_ok(gp_stream_create(fixture->device, flags[i], 0, &stream, &fixture->err),
                     fixture->err);
        assert_int_equal(stream->flag, flags[i]);
        gp_assert_ok(fixture_submit_add(fixture, stream, 0), fixture->err);
        gp_assert_ok(gp_stream_sync(stream, &fixture->err), fixture->err);
        assert_int_equal(gp_stream_query(stream, &fixture->err), 0);
        gp_assert_ok(gp_stream_destroy(stream, &fixture->err), fixture->err);
        fixture_download(fixture, fixture->c);
        assert_true(fixture->host[7] == (float)i + 8.0F);
    }
}

static int query_stream(void *user)
{
    struct gp_error untouched = {.text = "untouched"};
    int code = gp_stream_query(user, &untouched);

    assert_string_equal(untouched.text, "untouched");
    return code;
}

static void test_query_says_not_ready(void **state)
{
    struct fixture *fixture = *state;

    fixture_make_busy(fixture, fixture->stream, query_stream, fixture->stream);
    gp_assert_ok(gp_device_check(fixture->device, &fixture->err), fixture->err);
    gp_assert_ok(gp_stream_sync(fixture->stream, &fixture->err), fixture->err);
    assert_int_equal(gp_stream_query(fixture->stream, &fixture->err), 0);
}

/* b := a after a long kernel on another stream changed a: right only when the wait is kept. */
static void test_streams_wait_for_events(void **state)
{
    struct fixture *fixture = *state;
    struct gp_stream *other = NULL;
    struct gp_event *event = NULL;

    gp_assert_ok(
        gp_stream_create(fixture->device, GP_STREAM_NON_BLOCKING, 0, &other, &fixture->err),
        fixture->err);
    gp_assert_ok(gp_event_create(fixture->device, 0, &event, &fixture->err), fixture->err);
    gp_assert_ok(gp_stream_wait(fixture->stream, event, &fixture->err), fixture->err);
    fixture_upload(fixture, fixture->a, 0.0F, 1.0F);
    fixture_upload(fixture, fixture->b, 0.0F, 0.0F);
    gp_assert_ok(fixture_submit_fma(fixture, other, 1000000, 1.0F), fixture->err);
    gp_assert_ok(gp_event_record(event, other, &fixture->err), fixture->err);
    gp_assert_ok(gp_stream_wait(fixture->stream, event, &fixture->err), fixture->err);
    gp_assert_ok(fixture_submit_add(fixture, fixture->stream, 0), fixture->err);
    fixture_download(fixture, fixture->c);
    assert_true(fixture->host[10] == 1000010.0F);
    gp_assert_ok(gp_event_destroy(event, &fixture->err), fixture->err);
    gp_assert_ok(gp_stream_destroy(other, &fixture->err), fixture->err);
}

struct recording {
    struct gp_event *event;
    struct gp_stream *stream;
};

static int query_event(void *user)
{
    const struct recording *both = user;
    struct gp_error err = {0};

    gp_assert_ok(gp_event_record(both->event, both->stream, &err), err);
    return gp_event_query(both->event, NULL);
}

static void test_elapsed_errors_differ(void **state)
{
    struct fixture *fixture = *state;
    struct gp_event *timed = NULL, *late = NULL, *untimed = NULL;
    struct recording both;
    int64_t ns = -1;

    gp_assert_ok(gp_event_create(fixture->device, GP_EVENT_TIMED, &timed, &fixture->err),
                 fixture->err);
    gp_assert_ok(gp_event_create(fixture->device, GP_EVENT_TIMED | GP_EVENT_BLOCKING_SYNC, &late,
                                 &fixture->err),
                 fixture->err);
    gp_assert_ok(gp_event_create(fixture->device, 0, &untimed, &fixture->err), fixture->err);
    assert_int_equal(gp_event_query(timed, &fixture->err), 0);
    assert_int_equal(gp_event_elapsed(timed, late, &ns, &fixture->err), GP_ESTATE);
    gp_assert_ok(gp_event_record(timed, fixture->stream, &fixture->err), fixture->err);
    gp_assert_ok(gp_event_record(untimed, fixture->stream, &fixture->err), fixture->err);
    assert_int_equal(gp_event_elapsed(timed, late, &ns, &fixture->err), GP_ESTATE);
    assert_non_null(strstr(fixture->err.text, "end event"));
    assert_int_equal(gp_event_elapsed(untimed, timed, &ns, &fixture->err), GP_EUNSUPPORTED);
    assert_non_null(strstr(fixture->err.text, "begin event"));
    both.event = late;
    both.stream = fixture->stream;
    fixture_make_busy(fixture, fixture->stream, query_event, &both);
    assert_int_equal(gp_event_elapsed(timed, late, &ns, &fixture->err), GP_ENOTREADY);
    gp_assert_ok(gp_event_sync(late, &fixture->err), fixture->err);
    assert_int_equal(gp_event_query(late, &fixture->err), 0);
    gp_assert_ok(gp_event_elapsed(timed, late, &ns, &fixture->err), fixture->err);
    assert_true(ns > 1000000);
    gp_assert_ok(gp_event_elapsed(late, timed, &ns, &fixture->err), fixture->err);
    assert_true(ns < -1000000);
    gp_assert_ok(gp_event_destroy(timed, &fixture->err), fixture->err);
    gp_assert_ok(gp_event_destroy(late, &fixture->err), fixture->err);
    gp_assert_ok(gp_event_destroy(untimed, &fixture->err), fixture->err);
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)

int behaviours_run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report),
        WITH_DEVICE(test_describe_is_what_open_says),
        WITH_DEVICE(test_second_attach_is_refused),
        WITH_DEVICE(test_threads_attach),
        WITH_DEVICE(test_memory_moves),
        WITH_DEVICE(test_too_much_memory_is_refused),
        WITH_DEVICE(test_stream_ordered_memory),
        WITH_DEVICE(test_streams_on_parts),
        WITH_DEVICE(test_pinned_memory_is_zero),
        WITH_DEVICE(test_priorities_are_clamped),
        WITH_DEVICE(test_every_kind_of_stream_works),
        WITH_DEVICE(test_query_says_not_ready),
        WITH_DEVICE(test_streams_wait_for_events),
        WITH_DEVICE(test_elapsed_errors_differ),
    };

    return cmocka_run_group_tests_name("devices, memory, streams, events", tests, NULL, NULL);
}
