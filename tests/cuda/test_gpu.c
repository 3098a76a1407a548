/* The CUDA device on a real GPU: the common behaviours, both kinds of image, clocks, stamps, and at
 * the end a real fault. Skipped, with the reason, where there is no GPU. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "core/device/cuda/cuda.h"
#include "kernels/kernels.h"

static int open_ptx(void **state)
{
    return fixture_open_spec(state, "cuda:0,ptx");
}

static void test_ptx_is_taken_when_asked_for(void **state)
{
    struct fixture *fixture = *state;

    assert_string_equal(fixture->device->info.image, "ptx");
    fixture_upload(fixture, fixture->a, 1.0F, 1.0F);
    fixture_upload(fixture, fixture->b, 0.0F, 2.0F);
    gp_assert_ok(fixture_submit_add(fixture, fixture->stream, 0), fixture->err);
    fixture_download(fixture, fixture->c);
    assert_true(fixture->host[100] == 301.0F);
}

/* Machine code where the build has it; says why not where the driver refused it. */
static void test_image_is_the_first_that_works(void **state)
{
    struct fixture *fixture = *state;
    const struct gp_device_info *info = &fixture->device->info;

    print_message("%s, driver %d, image %s (%s)\n", info->name, info->driver_version, info->image,
                  info->image_note);
    assert_true(strcmp(info->image, "fatbin") == 0 || info->image_note[0] != '\0');
}

static void test_clock_samples_are_tight(void **state)
{
    struct fixture *fixture = *state;
    struct gp_clock_sample before, sample;
    int64_t shortest_ns = INT64_MAX;

    gp_assert_ok(gp_device_clock_sample(fixture->device, &before, &fixture->err), fixture->err);
    for (int i = 0; i < 10; i++) {
        gp_assert_ok(gp_device_clock_sample(fixture->device, &sample, &fixture->err), fixture->err);
        assert_true(sample.device_ns > before.device_ns);
        assert_true(sample.host_before_ns > before.host_after_ns);
        if (sample.host_after_ns - sample.host_before_ns < shortest_ns) {
            shortest_ns = sample.host_after_ns - sample.host_before_ns;
        }
        before = sample;
    }
    print_message("shortest round trip %lld ns, tick %lld ns\n", (long long)shortest_ns,
                  (long long)fixture->device->info.timer_tick_ns);
    assert_true(shortest_ns > 0 && shortest_ns < 20000);
}

/* A kernel of some milliseconds, seen by its stamps, by events around it and by the host. */
static void test_events_agree_with_stamps(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error *err = &fixture->err;
    const struct gp_stamp unset = {.begin = UINT64_MAX, .end = 0};
    struct gp_event *begin = NULL, *end = NULL;
    gp_addr slot = 0;
    struct gp_stamp stamp;
    const uint32_t count = FIXTURE_COUNT, iterations = 2000000;
    const float multiplier = 0.0F;
    const void *const args[] = {&fixture->a, &count, &iterations, &multiplier};
    struct gp_launch launch = {
        .kernel = &gp_kernel_fma_1, .grid = {4, 1, 1}, .block = {256, 1, 1}, .args = args};
    int64_t elapsed_ns = 0, stamped_ns;

    gp_assert_ok(gp_device_mem_alloc(fixture->device, sizeof stamp, &slot, err), *err);
    gp_assert_ok(gp_event_create(fixture->device, GP_EVENT_TIMED, &begin, err), *err);
    gp_assert_ok(gp_event_create(fixture->device, GP_EVENT_TIMED, &end, err), *err);
    fixture_upload(fixture, fixture->a, 0.0F, 1.0F);
    memcpy(fixture->host, &unset, sizeof unset);
    gp_assert_ok(gp_stream_copy(fixture->stream, GP_COPY_H2D, slot, (uintptr_t)fixture->host,
                                sizeof unset, err),
                 *err);
    launch.stamp = slot;
    gp_assert_ok(gp_event_record(begin, fixture->stream, err), *err);
    gp_assert_ok(gp_stream_launch(fixture->stream, &launch, err), *err);
    gp_assert_ok(gp_event_record(end, fixture->stream, err), *err);
    gp_assert_ok(gp_stream_copy(fixture->stream, GP_COPY_D2H, (uintptr_t)fixture->host, slot,
                                sizeof stamp, err),
                 *err);
    gp_assert_ok(gp_stream_sync(fixture->stream, err), *err);
    memcpy(&stamp, fixture->host, sizeof stamp);
    gp_assert_ok(gp_event_elapsed(begin, end, &elapsed_ns, err), *err);
    stamped_ns = (int64_t)(stamp.end - stamp.begin);
    print_message("stamps %lld ns, events %lld ns\n", (long long)stamped_ns, (long long)elapsed_ns);
    assert_true(stamped_ns > 100000);
    assert_true(elapsed_ns >= stamped_ns - 3000);
    assert_true(elapsed_ns < stamped_ns + 1000000);
    gp_assert_ok(gp_event_destroy(begin, err), *err);
    gp_assert_ok(gp_event_destroy(end, err), *err);
    gp_assert_ok(gp_device_mem_free(fixture->device, slot, err), *err);
}

/* Last, because a GPU context does not survive it. */
static void test_real_fault_is_sticky(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error err = {0};
    const gp_addr kept = fixture->c;
    gp_addr address = 0;

    fixture->c = 16;
    gp_assert_ok(fixture_submit_add(fixture, fixture->stream, 0), fixture->err);
    assert_int_equal(gp_stream_sync(fixture->stream, &err), GP_EFAULT);
    print_message("%s\n", err.text);
    assert_int_equal(gp_device_check(fixture->device, &err), GP_EFAULT);
    assert_int_equal(gp_device_mem_alloc(fixture->device, 64, &address, &err), GP_EFAULT);
    assert_true(err.driver_code != 0);
    fixture->c = kept;
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DEVICE(test_image_is_the_first_that_works),
        cmocka_unit_test_setup_teardown(test_ptx_is_taken_when_asked_for, open_ptx, fixture_close),
        WITH_DEVICE(test_clock_samples_are_tight),
        WITH_DEVICE(test_events_agree_with_stamps),
        WITH_DEVICE(test_real_fault_is_sticky),
    };
    struct gp_cuda_report report;
    int failed;

    gp_cuda_report(&report);
    if (report.why.code != 0) {
        (void)printf("skipped: %s\n", report.why.text);
        return GP_TEST_SKIPPED;
    }
    failed = behaviours_run();
    failed += behaviours_work_run();
    failed += cmocka_run_group_tests_name("a GPU", tests, NULL, NULL);
    return failed == 0 ? 0 : 1;
}
