/* Scenario `kernel` on the model, with the files of images/: what it makes of its values, and what
 * it refuses before there is a workload. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "scenarios/workload.h"

static const char cubin_file[] = GP_TEST_IMAGES "/scale.cubin";
static const char ptx_file[] = GP_TEST_IMAGES "/scale.ptx";
static const char source_file[] = GP_TEST_IMAGES "/scale.cu";

static struct gp_device *device;
static struct gp_stream *stream;
static const struct gp_scenario_ops *ops;

/* "KEY", "VALUE", …, NULL */
static int set(const char *const *settings, int64_t *values, struct gp_error *err)
{
    int code = 0;

    gp_scenario_defaults(ops, values);
    for (int i = 0; settings[i] != NULL && code == 0; i += 2) {
        int index = gp_scenario_parameter(ops, settings[i]);

        assert_true(index >= 0);
        code = gp_parameter_read("kernel", &ops->parameters[index], settings[i + 1], &values[index],
                                 err);
    }
    return code;
}

static struct gp_workload *make(const char *const *settings)
{
    struct gp_workload *workload = NULL;
    struct gp_error err = {0};
    int64_t values[GP_PARAMETERS_MAX];

    gp_assert_ok(set(settings, values, &err), err);
    gp_assert_ok(gp_workload_create(ops, device, stream, values, 1, &workload, &err), err);
    return workload;
}

static void test_launches_by_themselves(void **state)
{
    static const char *const settings[] = {
        "image", cubin_file, "name",  "scale", "grid", "8x2",
        "block", "16x8x2",   "count", "3",     "args", "in:1000,out:4K,u32:250,f32:1.5",
        "us",    "7",        NULL};
    struct gp_workload *workload = make(settings);
    const struct gp_dag *dag = workload->dag;
    const struct gp_launch *launch = &dag->ops[1].launch;
    struct gp_work work = {.spin_ns = 0};

    (void)state;
    assert_int_equal(dag->op_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(dag->ops[i].kind, GP_OP_KERNEL);
        assert_int_equal(dag->ops[i].access_count, 2);
    }
    assert_string_equal(launch->kernel->symbol, "scale");
    assert_int_equal(launch->grid[0] * 100 + launch->grid[1] * 10 + launch->grid[2], 821);
    assert_int_equal(gp_launch_threads(launch), 256);
    assert_int_equal(GP_ARG(launch, 2, uint32_t), 250);
    assert_true(GP_ARG(launch, 3, float) == 1.5f);
    /* Parts begin at multiples of 256 bytes. */
    assert_int_equal(GP_ARG(launch, 0, gp_addr) - GP_ARG(&dag->ops[0].launch, 0, gp_addr), 1024);
    assert_int_equal(GP_ARG(launch, 1, gp_addr) - GP_ARG(&dag->ops[0].launch, 1, gp_addr), 4096);
    launch->kernel->work(launch, &work);
    assert_int_equal(work.spin_ns, 7000);
    assert_int_equal(launch->kernel->shared_bytes, 256);
    assert_false(gp_workload_has_reference(workload));
    gp_workload_destroy(workload);
}

static void test_chains_with_copies(void **state)
{
    static const char *const settings[] = {"image", ptx_file, "name",   "pick", "grid",
                                           "1",     "block",  "32",     "args", "zero:20,inout:128",
                                           "count", "40",     "copies", "on",   NULL};
    struct gp_workload *workload = make(settings);
    uint32_t kinds[3] = {0};

    (void)state;
    assert_int_equal(workload->dag->op_count, 120);
    for (uint32_t i = 0; i < 120; i++) {
        kinds[0] += workload->dag->ops[i].kind == GP_OP_H2D;
        kinds[1] += workload->dag->ops[i].kind == GP_OP_KERNEL;
        kinds[2] += workload->dag->ops[i].kind == GP_OP_D2H;
    }
    assert_int_equal(kinds[0], 40);
    assert_int_equal(kinds[1], 40);
    assert_int_equal(kinds[2], 40);
    gp_workload_destroy(workload);
}

/* A device keeps what it loaded by the descriptor's address: it stays the same, and another one is
 * another. */
static void test_a_descriptor_stays(void **state)
{
    static const char *const of_one[] = {"image", cubin_file, "name", "nothing", "grid",
                                         "1",     "block",    "1",    NULL};
    static const char *const of_another[] = {"image", cubin_file, "name", "nothing", "grid", "1",
                                             "block", "1",        "us",   "3",       NULL};
    struct gp_workload *first = make(of_one);
    const struct gp_kernel *kernel = first->dag->ops[0].launch.kernel;
    struct gp_workload *second;

    (void)state;
    gp_workload_destroy(first);
    second = make(of_another);
    assert_ptr_not_equal(second->dag->ops[0].launch.kernel, kernel);
    assert_ptr_equal(second->dag->ops[0].launch.kernel->image, kernel->image);
    gp_workload_destroy(second);
    second = make(of_one);
    assert_ptr_equal(second->dag->ops[0].launch.kernel, kernel);
    gp_workload_destroy(second);
}

static void refuse(const struct gp_device_info *info, const char *const *settings, const char *text)
{
    struct gp_error err = {0};
    int64_t values[GP_PARAMETERS_MAX];
    int code = set(settings, values, &err);

    code = code == 0 ? gp_scenario_settle(ops, info, values, &err) : code;
    assert_int_equal(code, GP_EINVAL);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
}

#define FOUR_ARGS "u32:1,u32:1,u32:1,u32:1,"
#define MANY_ARGS FOUR_ARGS FOUR_ARGS FOUR_ARGS FOUR_ARGS "u32:1"

/* image, name, grid, block and args, and what must be said. */
static const char *const wrong[][6] = {
    {"", "", "", "", "", "image is missing: --set image=FILE"},
    {"/nowhere", "", "1", "1", "", "'/nowhere' cannot be opened"},
    {source_file, "", "1", "1", "", "neither PTX text, which begins with .version, nor a cubin"},
    {cubin_file, "", "1", "1", "", "name is missing: "},
    {cubin_file, "scael", "1", "1", "", "has no kernel 'scael'; it has 'nothing', 'pick', 'scale'"},
    {cubin_file, "nothing", "", "1", "", "grid is missing"},
    {cubin_file, "nothing", "1", "", "", "block is missing"},
    {cubin_file, "nothing", "0", "1", "", "grid '0' is 0, allowed is 1 to 2147483647"},
    {cubin_file, "nothing", "1x70000", "1", "", "is 70000, allowed is 1 to 65535"},
    {cubin_file, "nothing", "1x2x3x4", "1", "", "up to three numbers"},
    {cubin_file, "nothing", "a", "1", "", "'a' is not a whole number"},
    {cubin_file, "nothing", "1x", "1", "", "'' is not a whole number"},
    {cubin_file, "nothing", "1", "2048", "", "is 2048, allowed is 1 to 1024"},
    {cubin_file, "nothing", "1", "1x1x65", "", "is 65, allowed is 1 to 64"},
    {cubin_file, "nothing", "1", "64x32", "", "has 2048 threads, allowed are 1 to 1024"},
    {cubin_file, "nothing", "1", "1", "u32:1", "args has 1, 'nothing' takes 0"},
    {cubin_file, "scale", "1", "1", "in:4,out:4,u32:1",
     "args has 3, 'scale' takes 4 of 8, 8, 4, 4"},
    {cubin_file, "scale", "1", "1", "in:4,out:4,u64:1,f32:1",
     "'u64:1' has 8 bytes, argument 3 of 'scale' has 4"},
    {cubin_file, "scale", "1", "1", "in:4,out:4,u32,f32:1", "'u32' is not KIND:VALUE"},
    {cubin_file, "scale", "1", "1", "in:4,,u32:1,f32:1", "'' is not KIND:VALUE"},
    {cubin_file, "scale", "1", "1", "in:4,uot:4,u32:1,f32:1", "did you mean 'out'?"},
    {cubin_file, "scale", "1", "1", "in:0,out:4,u32:1,f32:1", "is 0, allowed is 1 to 4294967296"},
    {cubin_file, "scale", "1", "1", "in:-4,out:4,u32:1,f32:1", "is -4, allowed is 1 to 4294967296"},
    {cubin_file, "scale", "1", "1", "in:4,out:4,u32:5000000000,f32:1",
     "allowed is 0 to 4294967295"},
    {cubin_file, "scale", "1", "1", "in:4,out:4,u32:1,f32:1.5x", "allowed is a number like 1.5"},
    {cubin_file, "scale", "1", "1", "in:4,out:4,u32:1,f32:1e99", "a number that a float can be"},
    {cubin_file, "pick", "1", "1", "zero:65,out:4", "is 65, allowed is 1 to 64"},
    {cubin_file, "scale", "1", "1", "in:4G,out:4,u32:1,f32:1", "of device memory, allowed are"},
    {cubin_file, "scale", "1", "1", MANY_ARGS, "more than 16 arguments"},
};

static void test_wrong_values_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *const settings[] = {"image", wrong[i][0], "name",  wrong[i][1],
                                        "grid",  wrong[i][2], "block", wrong[i][3],
                                        "args",  wrong[i][4], NULL};

        refuse(&device->info, settings, wrong[i][5]);
    }
}

/* The model would be busy for hours, where a GPU is not. */
static void test_the_model_has_a_limit(void **state)
{
    static const char *const many[] = {"image", ptx_file, "name",  "nothing", "grid", "1048577",
                                       "block", "1",      "count", "64",      NULL};
    static const char *const most[] = {"image", ptx_file, "name",  "nothing", "grid", "1024x1024",
                                       "block", "1",      "count", "64",      NULL};
    struct gp_device_info info = device->info;
    struct gp_error err = {0};
    int64_t values[GP_PARAMETERS_MAX];

    (void)state;
    refuse(&info, many, "grid has 1048577 blocks, allowed on the model are 1 to 1048576 with");
    gp_assert_ok(set(most, values, &err), err);
    gp_assert_ok(gp_scenario_settle(ops, &info, values, &err), err);
    info.kind = GP_DEVICE_CUDA;
    info.compute_major = 9;
    gp_assert_ok(set(many, values, &err), err);
    gp_assert_ok(gp_scenario_settle(ops, &info, values, &err), err);
}

/* Only a GPU minds; the model runs no code. */
static void test_the_architecture_is_checked(void **state)
{
    static const char *const cubin[] = {"image", cubin_file, "name", "nothing", "grid",
                                        "1",     "block",    "1",    NULL};
    static const char *const ptx[] = {"image", ptx_file, "name", "nothing", "grid",
                                      "1",     "block",  "1",    NULL};
    struct gp_device_info info = device->info;
    struct gp_error err = {0};
    int64_t values[GP_PARAMETERS_MAX];

    (void)state;
    info.kind = GP_DEVICE_CUDA;
    info.compute_major = 8;
    info.compute_minor = 6;
    refuse(&info, cubin, "was compiled for sm_90, ");
    info.compute_major = 10;
    info.compute_minor = 0;
    refuse(&info, cubin, "is sm_100: compile it for that (nvcc -cubin");
    gp_assert_ok(set(ptx, values, &err), err);
    gp_assert_ok(gp_scenario_settle(ops, &info, values, &err), err);
    info.compute_major = 7;
    refuse(&info, ptx, "was compiled for sm_75, ");
    info.compute_major = 9;
    gp_assert_ok(set(cubin, values, &err), err);
    gp_assert_ok(gp_scenario_settle(ops, &info, values, &err), err);
}

static int begin(void **state)
{
    struct gp_error err = {0};

    (void)state;
    ops = gp_scenario_find("kernel");
    gp_assert_ok(gp_device_open("model", NULL, &device, &err), err);
    gp_assert_ok(gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &stream, &err), err);
    return 0;
}

static int end(void **state)
{
    (void)state;
    (void)gp_stream_destroy(stream, NULL);
    gp_device_close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches_by_themselves),
        cmocka_unit_test(test_chains_with_copies),
        cmocka_unit_test(test_a_descriptor_stays),
        cmocka_unit_test(test_wrong_values_are_refused),
        cmocka_unit_test(test_the_model_has_a_limit),
        cmocka_unit_test(test_the_architecture_is_checked),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
