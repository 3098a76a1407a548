/* Drivers that lack symbols. The argument says which of the maimed test drivers is on the path:
 * "optional" (none of the optional symbols), "required" (no cuGraphLaunch), "stranger" (no CUDA
 * driver at all), "none" (no library; skipped where the system has one). */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/device/cuda/cuda.h"
#include "kernels/kernels.h"

static void assert_unusable(const char *text)
{
    struct gp_device *device = NULL;
    struct gp_device_info info;
    struct gp_cuda_report report;
    struct gp_error err = {0};

    assert_int_equal(gp_device_open("cuda", NULL, &device, &err), GP_ENODEVICE);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
    assert_int_equal(gp_device_describe(&gp_device_cuda, 0, NULL, &info, &err), GP_ENODEVICE);
    gp_cuda_report(&report);
    assert_int_equal(report.why.code, GP_ENODEVICE);
    assert_int_equal(report.missing_count, 0);
}

static void test_required(void **state)
{
    (void)state;
    assert_unusable("has no symbol cuGraphLaunch, which is needed");
}

static void test_stranger(void **state)
{
    (void)state;
    assert_unusable("is not a CUDA driver");
}

static void test_none(void **state)
{
    struct gp_cuda_report report;

    (void)state;
    gp_cuda_report(&report);
    if (report.library[0] != '\0') {
        print_message("skipped: this system has %s\n", report.library);
        skip();
    }
    assert_unusable("libcuda.so.1 could not be loaded");
}

static void test_optional(void **state)
{
    static const struct gp_device_options options = {.clock_kernel = &gp_kernel_ping};
    struct gp_device *device = NULL;
    struct gp_stream *stream = NULL;
    struct gp_cuda_report report;
    struct gp_error err = {0};
    gp_addr address = 0;
    uint32_t flag = 0;

    (void)state;
    gp_cuda_report(&report);
    assert_int_equal(report.why.code, 0);
    assert_int_equal(report.missing_count, 13);
    assert_string_equal(report.missing[0].symbol, "cuMemAllocAsync");
    assert_string_equal(report.missing[0].purpose, "stream-ordered allocation");
    assert_int_equal(report.missing[0].since, 11020);
    gp_assert_ok(gp_device_open("cuda", &options, &device, &err), err);
    assert_string_equal(device->info.uuid, "GPU-abababab-abab-abab-abab-abababababab");
    gp_assert_ok(gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &stream, &err), err);
    assert_int_equal(gp_stream_mem_alloc(stream, 64, &address, &err), GP_EUNSUPPORTED);
    assert_string_equal(err.text, "stream-ordered allocation needs cuMemAllocAsync, which drivers "
                                  "have since CUDA 11.2; this one is for 13.0");
    assert_int_equal(gp_stream_mem_free(stream, 64, &err), GP_EUNSUPPORTED);
    {
        const struct gp_sm_part part = {250, 0};
        struct gp_stream *other = NULL;

        assert_int_equal(gp_stream_create_on(device, part, 0, &other, &err), GP_EUNSUPPORTED);
        assert_non_null(strstr(err.text, "(policy partition) needs cuDeviceGetDevResource, which "
                                         "drivers have since CUDA 12.4"));
    }
    assert_int_equal(gp_stream_flag_write(stream, &flag, 1, &err), GP_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "cuStreamWriteValue32_v2"));
    gp_assert_ok(gp_device_kernel_prepare(device, &gp_kernel_relu, &err), err);
    gp_assert_ok(gp_stream_destroy(stream, &err), err);
    gp_device_close(device);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        {"optional", test_optional, NULL, NULL, NULL},
        {"required", test_required, NULL, NULL, NULL},
        {"stranger", test_stranger, NULL, NULL, NULL},
        {"none", test_none, NULL, NULL, NULL},
    };

    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (argc == 2 && strcmp(argv[1], tests[i].name) == 0) {
            const struct CMUnitTest one[] = {tests[i]};

            return cmocka_run_group_tests_name("a maimed driver", one, NULL, NULL);
        }
    }
    (void)fprintf(stderr, "usage: %s optional|required|stranger|none\n", argv[0]);
    return 2;
}
