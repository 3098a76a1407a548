/* The CUDA device on the test driver: the common behaviours, and every failure that a healthy
 * driver does not show. */
#include "orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/cuda/cuda.h"
#include "kernels/kernels.h"

static void assert_open_fails(const char *spec, int code, const char *text)
{
    struct gp_device *device = NULL;
    struct gp_error err = {0};

    assert_int_equal(gp_device_open(spec, NULL, &device, &err), code);
    assert_null(device);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
    assert_int_equal(err.code, code);
}

static void test_specs(void **state)
{
    (void)state;
    assert_open_fails("cuda:x", GP_EINVAL, "cuda:0");
    assert_open_fails("cuda:64", GP_EINVAL, "0 to 63");
    assert_open_fails("cuda:99999999999", GP_EINVAL, "0 to 63");
    assert_open_fails("cuda:0,pxt", GP_EINVAL, "',pxt' is no option; there are ',ptx'");
    assert_open_fails("cuda,", GP_EINVAL, "',' is no option; there are ',ptx'");
    assert_open_fails("cuda,spin,ptx", GP_EINVAL, "',spin,ptx' is no option");
    assert_open_fails("cuda:1", GP_ENODEVICE, "the driver sees 1 GPU, from cuda:0");
    order("devices=2");
    assert_open_fails("cuda:2", GP_ENODEVICE, "the driver sees 2 GPUs");
}

static void test_driver_too_old(void **state)
{
    struct gp_cuda_report report;

    (void)state;
    order("driver=9020");
    assert_open_fails("cuda", GP_ENODEVICE,
                      "is for CUDA 9.2, 10.1 (driver 418) or newer is needed");
    gp_cuda_report(&report);
    assert_int_equal(report.why.code, GP_ENODEVICE);
    assert_int_equal(report.driver_version, 9020);
    assert_int_equal(report.driver_needed, 10010);
    assert_non_null(strstr(report.library, "fakecuda"));
}

static void test_no_device(void **state)
{
    struct gp_device_info info;
    struct gp_error err = {0};

    (void)state;
    order("devices=0");
    assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", "7", 1), 0);
    assert_open_fails("cuda", GP_ENODEVICE, "CUDA_VISIBLE_DEVICES is '7'");
    assert_int_equal(gp_device_describe(&gp_device_cuda, 0, NULL, &info, &err), GP_ENODEVICE);
    assert_int_equal(err.driver_code, 100);
    assert_string_equal(err.call, "cuInit");
}

/* With no GPU `auto` is the model, and says why. */
static void test_auto_falls_back(void **state)
{
    struct gp_device *device = NULL;
    struct gp_error err = {0};

    (void)state;
    order("devices=0");
    gp_assert_ok(gp_device_open("auto", NULL, &device, &err), err);
    assert_int_equal(device->info.kind, GP_DEVICE_MODEL);
    assert_non_null(strstr(err.text, "CUDA_ERROR_NO_DEVICE"));
    gp_device_close(device);
    order("");
    gp_assert_ok(gp_device_open("auto", NULL, &device, &err), err);
    assert_int_equal(device->info.kind, GP_DEVICE_CUDA);
    assert_string_equal(err.text, "");
    gp_device_close(device);
}

static void test_every_step_of_open_can_fail(void **state)
{
    static const struct {
        const char *orders;
        int code;
        const char *text;
    } cases[] = {
        {"fail=cuDriverGetVersion:0:1", GP_ENODEVICE, "cuDriverGetVersion"},
        {"fail=cuInit:0:34", GP_ENODEVICE, "CUDA_ERROR_STUB_LIBRARY (34)"},
        {"fail=cuDeviceGetCount:0:3", GP_ENODEVICE, "cuDeviceGetCount"},
        {"fail=cuDeviceGet:0:101", GP_EDRIVER, "cuDeviceGet: CUDA_ERROR_INVALID_DEVICE"},
        {"fail=cuDeviceGetName:0:1", GP_EDRIVER, "cuDeviceGetName"},
        {"fail=cuDeviceTotalMem_v2:0:1", GP_EDRIVER, "cuDeviceTotalMem_v2"},
        {"fail=cuDevicePrimaryCtxSetFlags:0:1", GP_EDRIVER, "cuda:0 (Fake GPU) cannot be used"},
        {"fail=cuDevicePrimaryCtxRetain:0:2", GP_EDEVICEMEM, "cuDevicePrimaryCtxRetain"},
        {"fail=cuCtxGetFlags:0:1", GP_EDRIVER, "cuCtxGetFlags"},
        {"fail=cuCtxSetCurrent:1:1", GP_EDRIVER, "cuCtxSetCurrent"},
        {"fail=cuCtxGetStreamPriorityRange:0:1", GP_EDRIVER, "cuCtxGetStreamPriorityRange"},
        {"fail=cuInit:0:12345", GP_ENODEVICE, "CUDA error (12345): unknown to this driver"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        order(cases[i].orders);
        assert_open_fails("cuda", cases[i].code, cases[i].text);
    }
    order("fail=cuDeviceGetAttribute:0:1");
    assert_open_fails("cuda", GP_EUNSUPPORTED, "unified addressing");
}

/* Some library of the process had the context before us: its flags stay. */
static void test_shared_context_is_used(void **state)
{
    struct gp_device *device = NULL;
    struct gp_error err = {0};

    (void)state;
    order("fail=cuDevicePrimaryCtxSetFlags:0:708");
    gp_assert_ok(gp_device_open("cuda", NULL, &device, &err), err);
    assert_int_equal(device->info.scheduling, GP_SCHEDULING_AUTO);
    gp_device_close(device);
    assert_open_fails("cuda:0,yield", GP_EUNSUPPORTED,
                      "scheduling 'yield' is refused, because this process has a context with "
                      "'auto'");
}

/* How synchronising calls wait is the context's, by the spec or by the options. */
static void test_scheduling(void **state)
{
    struct gp_device_options options = {.scheduling = GP_SCHEDULING_SPIN};
    struct gp_device *device = NULL;
    struct gp_error err = {0};

    (void)state;
    order("");
    for (int i = 0; i < GP_SCHEDULING_COUNT; i++) {
        const char *word = gp_scheduling_name((enum gp_scheduling)i);
        char spec[48];

        (void)snprintf(spec, sizeof spec, "cuda:0,ptx,%s", word);
        gp_assert_ok(gp_device_open(spec, NULL, &device, &err), err);
        assert_int_equal(device->info.scheduling, i);
        (void)snprintf(spec, sizeof spec, "cuda:0%s%s", i > 0 ? "," : "", i > 0 ? word : "");
        assert_string_equal(device->info.spec, spec);
        gp_device_close(device);
    }
    gp_assert_ok(gp_device_open("cuda", &options, &device, &err), err);
    assert_int_equal(device->info.scheduling, GP_SCHEDULING_SPIN);
    gp_device_close(device);
    gp_assert_ok(gp_device_open("cuda,blocking", &options, &device, &err), err);
    assert_int_equal(device->info.scheduling, GP_SCHEDULING_BLOCKING);
    gp_device_close(device);
}

static void test_connections(void **state)
{
    static const struct {
        const char *text;
        int32_t connections;
    } cases[] = {{"1", 1}, {"17", 17}, {"32", 32}, {"33", 32}, {"0", 1}, {"-4", 1}, {"many", 8}};
    struct gp_device_info info;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_device_describe(&gp_device_cuda, 0, NULL, &info, &err), err);
    assert_int_equal(info.connections, 8);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(setenv("CUDA_DEVICE_MAX_CONNECTIONS", cases[i].text, 1), 0);
        gp_assert_ok(gp_device_describe(&gp_device_cuda, 0, NULL, &info, &err), err);
        assert_int_equal(info.connections, cases[i].connections);
    }
}

static void test_uuid(void **state)
{
    struct gp_device_info info;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_device_describe(&gp_device_cuda, 0, NULL, &info, &err), err);
    assert_string_equal(info.uuid, "GPU-cdcdcdcd-cdcd-cdcd-cdcd-cdcdcdcdcdcd");
    order("fail=cuDeviceGetUuid_v2:0:1");
    gp_assert_ok(gp_device_describe(&gp_device_cuda, 0, NULL, &info, &err), err);
    assert_string_equal(info.uuid, "GPU-abababab-abab-abab-abab-abababababab");
}

/* An image with machine code, whether the build has nvcc or not. */
static const struct gp_image both_images = {
    .name = "both",
    .fatbin = "a fatbin",
    .fatbin_bytes = 9,
    .ptx = "//\n.version 6.3",
    .ptx_bytes = 16,
};

static void prepare_with(const char *spec, const struct gp_image *image, int expected,
                         struct gp_device_info *info, struct gp_error *err)
{
    struct gp_kernel kernel = gp_kernel_relu;
    struct gp_device *device = NULL;

    kernel.image = image;
    gp_assert_ok(gp_device_open(spec, NULL, &device, err), *err);
    assert_string_equal(device->info.image, "");
    assert_int_equal(gp_device_kernel_prepare(device, &kernel, err), expected);
    *info = device->info;
    gp_device_close(device);
}

static void test_image_choice(void **state)
{
    const struct gp_image ptx_only = {.name = "text", .ptx = "//\n", .ptx_bytes = 4};
    const struct gp_image fatbin_only = {.name = "code", .fatbin = "x", .fatbin_bytes = 2};
    struct gp_device_info info;
    struct gp_error err = {0};

    (void)state;
    prepare_with("cuda", &both_images, 0, &info, &err);
    assert_string_equal(info.image, "fatbin");
    assert_string_equal(info.image_note, "");
    prepare_with("cuda:0,ptx", &both_images, 0, &info, &err);
    assert_string_equal(info.image, "ptx");
    assert_string_equal(info.image_note, "the PTX was asked for");
    prepare_with("cuda", &ptx_only, 0, &info, &err);
    assert_string_equal(info.image, "ptx");
    assert_non_null(strstr(info.image_note, "no nvcc"));
    prepare_with("cuda,ptx", &fatbin_only, GP_EUNSUPPORTED, &info, &err);
    assert_non_null(strstr(err.text, "image 'code' has no PTX"));
    order("refuse-fatbin");
    prepare_with("cuda", &both_images, 0, &info, &err);
    assert_string_equal(info.image, "ptx");
    assert_non_null(strstr(info.image_note, "CUDA_ERROR_NO_BINARY_FOR_GPU (209)"));
    prepare_with("cuda", &fatbin_only, GP_EDRIVER, &info, &err);
    assert_non_null(strstr(err.text, "image 'code', kernel 'relu'"));
    order("refuse-fatbin,refuse-ptx");
    prepare_with("cuda", &both_images, GP_EDRIVER, &info, &err);
    assert_non_null(strstr(err.text, "fatal: told to refuse"));
    assert_null(strstr(err.text, "\n"));
    assert_string_equal(info.image, "");
    order("fail=cuFuncLoad:1:2");
    prepare_with("cuda", &both_images, GP_EDEVICEMEM, &info, &err);
    assert_non_null(strstr(err.text, "entry 'gp_relu'"));
}

/* A fault is the device's end: the first text stays, whatever is called; releasing still works. */
static void test_fault_is_sticky(void **state)
{
    struct fixture *fixture;
    struct gp_error first, err = {0};
    struct gp_graph *graph = NULL;
    gp_addr address = 0;

    order("fault-after=1");
    gp_assert_ok(fixture_open(state), err);
    fixture = *state;
    gp_assert_ok(fixture_submit_add(fixture, fixture->stream, 0), fixture->err);
    gp_assert_ok(gp_stream_sync(fixture->stream, &err), err);
    gp_assert_ok(fixture_submit_add(fixture, fixture->stream, 0), fixture->err);
    assert_int_equal(gp_stream_sync(fixture->stream, &first), GP_EFAULT);
    assert_int_equal(first.driver_code, 700);
    assert_string_equal(first.call, "cuStreamSynchronize");
    assert_non_null(strstr(first.text, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
    assert_non_null(strstr(first.text, "cuda:0 is lost"));
    assert_int_equal(gp_device_check(fixture->device, &err), GP_EFAULT);
    assert_string_equal(err.text, first.text);
    assert_int_equal(gp_device_mem_alloc(fixture->device, 64, &address, &err), GP_EFAULT);
    assert_string_equal(err.text, first.text);
    assert_string_equal(err.call, first.call);
    assert_int_equal(gp_stream_query(fixture->stream, &err), GP_EFAULT);
    assert_int_equal(fixture_submit_add(fixture, fixture->stream, 0), GP_EFAULT);
    assert_int_equal(gp_stream_capture_begin(fixture->stream, &err), GP_EFAULT);
    assert_int_equal(gp_stream_capture_end(fixture->stream, &graph, &err), GP_EFAULT);
    assert_int_equal(fixture_close(state), 0);
    order("");
    gp_assert_ok(fixture_open(state), err);
    assert_int_equal(fixture_close(state), 0);
}

/* check() alone finds a fault that no other call has seen. */
static void test_check_finds_a_fault(void **state)
{
    struct fixture *fixture;
    struct gp_error err = {0};

    order("fault-after=0");
    gp_assert_ok(fixture_open(state), err);
    fixture = *state;
    gp_assert_ok(gp_device_check(fixture->device, &err), err);
    gp_assert_ok(fixture_submit_add(fixture, fixture->stream, 0), fixture->err);
    assert_int_equal(gp_device_check(fixture->device, &err), GP_EFAULT);
    assert_int_equal(fixture_close(state), 0);
}

static void test_every_fault_is_one(void **state)
{
    static const int codes[] = {214, 220, 226, 700, 702, 709, 710, 714,
                                715, 716, 717, 718, 719, 721, 810};
    struct gp_error err = {0};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct fixture *fixture;
        char orders[64];

        (void)snprintf(orders, sizeof orders, "fail=cuEventCreate:1:%d", codes[i]);
        order(orders);
        gp_assert_ok(fixture_open(state), err);
        fixture = *state;
        {
            struct gp_event *event = NULL;

            assert_int_equal(gp_event_create(fixture->device, 0, &event, &err), GP_EFAULT);
            assert_int_equal(err.driver_code, codes[i]);
            assert_int_equal(gp_event_create(fixture->device, 0, &event, &err), GP_EFAULT);
        }
        assert_int_equal(fixture_close(state), 0);
    }
}

static void test_out_of_memory(void **state)
{
    struct fixture *fixture;
    struct gp_error err = {0};
    gp_addr address = 0;
    void *block = NULL;

    order("fail=cuMemAlloc_v2:4:2,fail=cuMemHostAlloc:2:2,fail=cuMemAllocAsync:1:2");
    gp_assert_ok(fixture_open(state), err);
    fixture = *state;
    assert_int_equal(gp_device_mem_alloc(fixture->device, 12345, &address, &err), GP_EDEVICEMEM);
    assert_non_null(strstr(err.text, "12345 bytes wanted on cuda:0"));
    assert_non_null(strstr(err.text, "are free"));
    assert_int_equal(gp_device_host_alloc(fixture->device, 6789, &block, &err), GP_ENOMEM);
    assert_non_null(strstr(err.text, "6789 bytes of pinned host memory"));
    assert_int_equal(err.code, GP_ENOMEM);
    assert_int_equal(gp_stream_mem_alloc(fixture->stream, 777, &address, &err), GP_EDEVICEMEM);
    assert_string_equal(err.call, "cuMemAllocAsync");
    assert_int_equal(gp_device_mem_alloc(fixture->device, 1 << 20, &address, NULL), 0);
    assert_int_equal(gp_device_mem_free(fixture->device, address, NULL), 0);
    assert_int_equal(fixture_close(state), 0);
}

static void test_no_memory_pools(void **state)
{
    struct fixture *fixture;
    struct gp_error err = {0};
    gp_addr address = 0;

    order("no-pools");
    gp_assert_ok(fixture_open(state), err);
    fixture = *state;
    assert_int_equal(gp_stream_mem_alloc(fixture->stream, 64, &address, &err), GP_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "Fake GPU"));
    assert_int_equal(fixture_close(state), 0);
}

static void test_no_clock_kernel(void **state)
{
    struct gp_device *device = NULL;
    struct gp_clock_sample sample;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_device_open("cuda", NULL, &device, &err), err);
    assert_int_equal(gp_device_clock_sample(device, &sample, &err), GP_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "clock kernel"));
    gp_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_specs, forget_orders),
        cmocka_unit_test_teardown(test_driver_too_old, forget_orders),
        cmocka_unit_test_teardown(test_no_device, forget_orders),
        cmocka_unit_test_teardown(test_auto_falls_back, forget_orders),
        cmocka_unit_test_teardown(test_every_step_of_open_can_fail, forget_orders),
        cmocka_unit_test_teardown(test_shared_context_is_used, forget_orders),
        cmocka_unit_test_teardown(test_scheduling, forget_orders),
        cmocka_unit_test_teardown(test_connections, forget_orders),
        cmocka_unit_test_teardown(test_uuid, forget_orders),
        cmocka_unit_test_teardown(test_image_choice, forget_orders),
        cmocka_unit_test_teardown(test_fault_is_sticky, forget_orders),
        cmocka_unit_test_teardown(test_check_finds_a_fault, forget_orders),
        cmocka_unit_test_teardown(test_every_fault_is_one, forget_orders),
        cmocka_unit_test_teardown(test_out_of_memory, forget_orders),
        cmocka_unit_test_teardown(test_no_memory_pools, forget_orders),
        cmocka_unit_test_teardown(test_no_clock_kernel, forget_orders),
    };
    int failed = behaviours_run();

    failed += behaviours_work_run();
    failed += refusals_run();
    failed += cmocka_run_group_tests_name("failures", tests, NULL, NULL);
    return failed == 0 ? 0 : 1;
}
