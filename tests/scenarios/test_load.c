/* Scenarios from shared objects: a good one, and each way in which one can be wrong before it is
 * set up. What goes wrong later is in tests/cli/test_scenario_plugins.c. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "scenarios/load.h"
#include "scenarios/workload.h"

static const char *path_of(const char *name)
{
    static char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s.so", GP_TEST_PLUGINS, name);
    return path;
}

static void test_wrong_ones_are_refused(void **state)
{
    static const struct {
        const char *name, *text;
    } expected[] = {
        {"scenario_absent", "cannot be loaded as a scenario: "},
        {"plugin_good", "exports no symbol gp_scenario_plugin; define it with GP_SCENARIO_PLUGIN"},
        {"scenario_other_abi", "is for version 2 of the scenario interface"},
        {"scenario_other_size", "(8 bytes), this is version 1"},
        {"scenario_no_scenario", "exports no scenario"},
        {"scenario_built_in_name", "has a scenario with the name of a built-in one"},
        {"scenario_no_setup", "has a scenario without the function 'setup' or 'teardown'"},
        {"scenario_odd_parameter", "has a parameter whose name is not of the characters"},
        {"scenario_odd_default", "has a parameter whose default is not allowed"},
        {"scenario_no_words", "has a parameter of words with none"},
        {"scenario_bad_variant",
         "has a variant of a parameter that is not there, or with a value that is"},
        {"scenario_unknown_policy", "has a list of policies that is empty or has an unknown one"},
        {"scenario_empty_policies", "has a list of policies that is empty or has an unknown one"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct gp_scenario_ops *scenario = NULL;
        struct gp_plugin plugin;
        struct gp_error err = {0};

        assert_int_equal(gp_scenario_load(path_of(expected[i].name), &plugin, &scenario, &err),
                         GP_EINVAL);
        if (strstr(err.text, expected[i].text) == NULL) {
            fail_msg("'%s' does not say '%s'", err.text, expected[i].text);
        }
        assert_null(scenario);
        assert_null(plugin.library);
    }
}

static void test_a_good_one_runs_as_a_built_in_one(void **state)
{
    int64_t values[GP_PARAMETERS_MAX];
    const struct gp_scenario_ops *scenario = NULL;
    struct gp_workload *workload = NULL;
    struct gp_device *device = NULL;
    struct gp_stream *stream = NULL;
    struct gp_plugin plugin;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_scenario_load(path_of("scenario_good"), &plugin, &scenario, &err), err);
    gp_assert_ok(gp_device_open("model:generic", NULL, &device, &err), err);
    gp_assert_ok(gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &stream, &err), err);
    gp_scenario_defaults(scenario, values);
    gp_assert_ok(gp_workload_create(scenario, device, stream, values, 0, &workload, &err), err);
    assert_int_equal(workload->dag->op_count, 2);
    gp_assert_ok(gp_workload_reset(workload, &err), err);
    assert_int_equal(gp_workload_verify(workload, &err), GP_EVERIFY); /* nothing has run */
    gp_workload_destroy(workload);
    gp_device_close(device);
    gp_plugin_unload(&plugin);
}

/* What a shared object is held to, the built-in ones keep. */
static void test_built_in_ones_have_no_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        const char *fault = gp_scenario_find_fault(gp_scenario_table[i]);

        if (fault != NULL) {
            fail_msg("%s %s", gp_scenario_table[i]->name, fault);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_ones_are_refused),
        cmocka_unit_test(test_a_good_one_runs_as_a_built_in_one),
        cmocka_unit_test(test_built_in_ones_have_no_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
