/*
 * Scenario `kernel` on a GPU: PTX and, on one that can run it, a cubin compute what they should;
 * what the driver refuses is said.
 *
 * usage: test_scenario_kernel_cuda DEVICE IMAGES; 77 when there is none such
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "on_device.h"
#include "scenarios/workload.h"

enum { FLOATS = 5000, LAUNCHES = 3 };

static struct gp_device *device;
static struct gp_stream *stream;
static const char *images;

static void set(int64_t *values, const char *name, const char *text)
{
    const struct gp_scenario_ops *ops = gp_scenario_find("kernel");
    int index = gp_scenario_parameter(ops, name);
    struct gp_error err = {0};

    gp_assert_ok(gp_parameter_read("kernel", &ops->parameters[index], text, &values[index], &err),
                 err);
}

static int make(const char *path, struct gp_workload **out, struct gp_error *err)
{
    int64_t values[GP_PARAMETERS_MAX];

    gp_scenario_defaults(gp_scenario_find("kernel"), values);
    set(values, "image", path);
    set(values, "name", "scale");
    set(values, "grid", "40");
    set(values, "block", "128");
    set(values, "args", "in:20000,out:20000,u32:5000,f32:1.5");
    set(values, "count", "3");
    return gp_workload_create(gp_scenario_find("kernel"), device, stream, values, 1, out, err);
}

static void check_launch(const struct gp_dag_op *op)
{
    static float x[FLOATS], y[FLOATS];
    const struct gp_access *in = &op->accesses[0], *out = &op->accesses[1];
    struct gp_error err = {0};
    float sum = 0;

    gp_assert_ok(gp_stream_launch(stream, &op->launch, &err), err);
    gp_assert_ok(gp_stream_sync(stream, &err), err);
    gp_assert_ok(gp_buffer_read(in->buffer, stream, in->offset, x, sizeof x, &err), err);
    gp_assert_ok(gp_buffer_read(out->buffer, stream, out->offset, y, sizeof y, &err), err);
    for (int i = 0; i < FLOATS; i++) {
        assert_true(y[i] == 1.5f * x[i]);
        sum += y[i];
    }
    assert_true(sum > 0);
}

static void check_image(const char *name)
{
    struct gp_workload *workload = NULL;
    struct gp_error err = {0};
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", images, name);
    gp_assert_ok(make(path, &workload, &err), err);
    assert_int_equal(workload->dag->op_count, LAUNCHES);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        check_launch(&workload->dag->ops[i]);
    }
    gp_workload_destroy(workload);
}

static void test_ptx(void **state)
{
    (void)state;
    check_image("scale.ptx");
}

static void test_cubin(void **state)
{
    (void)state;
    if (device->info.compute_major != 9) {
        skip();
    }
    check_image("scale.cubin");
}

/* What only its compiler can find. */
static void test_the_driver_refuses(void **state)
{
    static const char text[] =
        ".version 6.3\n.target sm_70\n.address_size 64\n"
        ".visible .entry scale(.param .u64 x, .param .u64 y, .param .u32 n, .param .f32 f)\n"
        "{ no such instruction; }\n";
    const char *path = "gpuprobe-test-broken.ptx";
    struct gp_workload *workload = NULL;
    struct gp_error err = {0};
    FILE *file = fopen(path, "w");
    int code;

    (void)state;
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    code = make(path, &workload, &err);
    (void)remove(path);
    print_message("    %s\n", err.text);
    assert_int_not_equal(code, 0);
    assert_non_null(strstr(err.text, "image 'PTX', kernel 'scale'"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_cubin),
        cmocka_unit_test(test_the_driver_refuses),
    };
    int code, failed;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: test_scenario_kernel_cuda DEVICE IMAGES\n");
        return 2;
    }
    images = argv[2];
    code = gp_test_open(argv[1], NULL, &device, &stream);
    if (code != 0) {
        return code;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    gp_test_close(device, stream);
    return failed;
}
