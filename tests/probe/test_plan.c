/* Which cells a sweep has: variants, settings that pin them, a scenario's own policies and sizes.
 */
#include "test.h"

#include <string.h>

#include "core/memory.h"
#include "probe/sweep/sweep.h"

enum { WIDTH, BLOCKS };

static const char *const own_policies[] = {"single", "per-unit", "round-robin", NULL};
static const uint32_t own_streams[] = {2, 3, 0};

static const struct gp_parameter parameters[] = {
    {.name = "width", .summary = "chains", .initial = 1, .min = 1, .max = 64},
    {.name = "blocks", .summary = "blocks", .initial = 8, .min = 1, .max = 512, .adapts = true},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"width", 1}}},
    {{{"width", 4}}},
    {{{"width", 4}, {"blocks", GP_AUTO}}},
    {{{NULL, 0}}},
};

/* Half of the device for each chain. */
static void adapt(const struct gp_device_info *info, int64_t *values)
{
    if (values[BLOCKS] == GP_AUTO) {
        values[BLOCKS] = info->sm_count * 4 / 2;
    }
}

static uint64_t bytes(const int64_t *values)
{
    return (uint64_t)values[WIDTH] << 27;
}

static const struct gp_scenario_ops scenario = {
    .name = "test",
    .summary = "never set up",
    .parameters = parameters,
    .variants = variants,
    .policies = own_policies,
    .streams = own_streams,
    .bytes = bytes,
    .adapt = adapt,
};

static const struct gp_device_info device = {.sm_count = 132};

struct planned {
    struct gp_cell_plan *cells;
    uint32_t count;
    struct gp_error err;
    int code;
};

static struct planned plan_with(const struct gp_setting *settings, uint32_t count)
{
    const struct gp_scenario_ops *scenarios[] = {&scenario};
    const struct gp_sweep_options options = {
        .scenarios = scenarios, .scenario_count = 1, .settings = settings, .setting_count = count};
    struct planned planned = {0};

    planned.code = gp_sweep_check_settings(&options, &planned.err);
    if (planned.code == 0) {
        planned.code =
            gp_sweep_plan(&options, &device, &planned.cells, &planned.count, &planned.err);
    }
    return planned;
}

/* single, per-unit, and round-robin on both sizes. */
enum { CELLS_A_VARIANT = 4 };

static void test_each_variant_has_cells_of_its_own(void **state)
{
    static const int64_t expected[3][2] = {{1, 8}, {4, 8}, {4, 264}};
    struct planned planned = plan_with(NULL, 0);

    (void)state;
    gp_assert_ok(planned.code, planned.err);
    assert_int_equal(planned.count, 3 * CELLS_A_VARIANT);
    for (uint32_t i = 0; i < planned.count; i++) {
        assert_int_equal(planned.cells[i].part, i / CELLS_A_VARIANT);
        assert_int_equal(planned.cells[i].values[WIDTH], expected[i / CELLS_A_VARIANT][WIDTH]);
        assert_int_equal(planned.cells[i].values[BLOCKS], expected[i / CELLS_A_VARIANT][BLOCKS]);
    }
    assert_string_equal(planned.cells[0].policy->name, "single");
    assert_string_equal(planned.cells[3].policy->name, "round-robin");
    assert_int_equal(planned.cells[2].streams, 2);
    assert_int_equal(planned.cells[3].streams, 3);
    gp_free(planned.cells);
}

static void test_a_setting_pins_its_key(void **state)
{
    static const struct gp_setting width[] = {{"width", "16"}};
    static const struct gp_setting both[] = {{"width", "16"}, {"blocks", "2"}};
    struct planned planned = plan_with(width, 1);

    (void)state;
    gp_assert_ok(planned.code, planned.err);
    assert_int_equal(planned.count, 2 * CELLS_A_VARIANT);
    assert_int_equal(planned.cells[0].values[BLOCKS], 8);
    assert_int_equal(planned.cells[CELLS_A_VARIANT].values[BLOCKS], 264);
    assert_int_equal(planned.cells[CELLS_A_VARIANT].values[WIDTH], 16);
    gp_free(planned.cells);
    planned = plan_with(both, 2);
    gp_assert_ok(planned.code, planned.err);
    assert_int_equal(planned.count, CELLS_A_VARIANT);
    assert_int_equal(planned.cells[0].values[BLOCKS], 2);
    gp_free(planned.cells);
}

static void test_scale_lets_parameters_adapt(void **state)
{
    static const struct gp_setting scale[] = {{"scale", "auto"}};
    static const struct gp_setting pinned[] = {{"scale", "auto"}, {"blocks", "2"}};
    struct planned planned = plan_with(scale, 1);

    (void)state;
    gp_assert_ok(planned.code, planned.err);
    assert_int_equal(planned.count, 2 * CELLS_A_VARIANT);
    assert_int_equal(planned.cells[0].values[BLOCKS], 264);
    gp_free(planned.cells);
    planned = plan_with(pinned, 2);
    assert_int_equal(planned.cells[0].values[BLOCKS], 2);
    gp_free(planned.cells);
}

static void expect_refused(const char *name, const char *text, const char *message)
{
    const struct gp_setting setting = {name, text};
    struct planned planned = plan_with(&setting, 1);

    assert_int_equal(planned.code, GP_EINVAL);
    assert_null(planned.cells);
    if (strstr(planned.err.text, message) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", planned.err.text, message);
    }
}

static void test_bad_settings_are_refused(void **state)
{
    (void)state;
    expect_refused("width", "0", "--set: test: width is 0, allowed is 1 to 64");
    expect_refused("width", "auto", "allowed is 1 to 64");
    expect_refused("width", "33", "test: these sizes take 4224 MiB");
    expect_refused("scale", "2", "test: scale is '2', allowed are auto");
    expect_refused("widht", "2", "unknown parameter 'widht'; did you mean 'width'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_variant_has_cells_of_its_own),
        cmocka_unit_test(test_a_setting_pins_its_key),
        cmocka_unit_test(test_scale_lets_parameters_adapt),
        cmocka_unit_test(test_bad_settings_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
