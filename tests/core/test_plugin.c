/* Policies from shared objects: a good one, and each way in which one can be wrong. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/policy/plugin.h"
#include "trees.h"

static const char *path_of(const char *name)
{
    static char path[4096];

    (void)snprintf(path, sizeof path, "%s/plugin_%s.so", GP_TEST_PLUGINS, name);
    return path;
}

static void test_wrong_ones_are_refused(void **state)
{
    static const struct {
        const char *name, *text;
    } expected[] = {
        {"absent", "cannot be loaded as a policy: "},
        {"no_symbol", "exports no symbol gp_policy_plugin"},
        {"other_abi", "is for version 3 of the policy interface"},
        {"other_size", "(8 bytes), this is version 2"},
        {"built_in_name", "has a policy with the name of a built-in one"},
        {"odd_name", "has a policy whose name is not of the characters"},
        {"no_choose", "has a policy without the function 'choose'"},
        {"no_rules", "has a policy without a rule"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct gp_policy_ops *policy = NULL;
        struct gp_plugin plugin;
        struct gp_error err = {0};

        assert_int_equal(gp_policy_load(path_of(expected[i].name), &plugin, &policy, &err),
                         GP_EINVAL);
        if (strstr(err.text, expected[i].text) == NULL) {
            fail_msg("'%s' does not say '%s'", err.text, expected[i].text);
        }
        assert_null(plugin.library);
        assert_null(plugin.exported);
        assert_null(policy);
        gp_plugin_unload(&plugin);
    }
}

static void test_names_without_a_slash(void **state)
{
    const struct gp_policy_ops *policy;
    struct gp_plugin plugin;
    struct gp_error err = {0};
    char long_name[1024];

    (void)state;
    /* In the system's folders there is one. */
    assert_int_equal(gp_policy_load("libc.so.6", &plugin, &policy, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "'libc.so.6' cannot be loaded"));
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(gp_policy_load(long_name, &plugin, &policy, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "is too long"));
}

static int schedule(const char *name, uint32_t *stream, struct gp_error *err)
{
    const struct gp_policy_ops *ops = NULL;
    struct gp_policy *policy = NULL;
    struct gp_schedule *schedule = NULL;
    struct gp_builder *builder;
    struct gp_plugin plugin;
    struct gp_dag *dag;
    int code;

    gp_assert_ok(gp_policy_load(path_of(name), &plugin, &ops, err), *err);
    gp_assert_ok(gp_builder_create(&builder, err), *err);
    gp_assert_ok(gp_dag_freeze(builder, gp_test_chain(builder, "ab"), &dag, err), *err);
    gp_builder_destroy(builder);
    code = gp_policy_create(ops, 3, &policy, err);
    if (code == 0) {
        code = gp_schedule_create(policy, dag, GP_ORDER_DEPTH, &schedule, err);
    }
    if (code == 0) {
        *stream = schedule->choices[1].stream;
    }
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    gp_dag_destroy(dag);
    gp_plugin_unload(&plugin);
    return code;
}

static void test_loaded_policies_choose(void **state)
{
    struct gp_error err = {0};
    uint32_t stream = 0;

    (void)state;
    gp_assert_ok(schedule("good", &stream, &err), err);
    assert_int_equal(stream, 2);
    assert_int_equal(schedule("foreign_stream", &stream, &err), GP_EINVAL);
    assert_string_equal(err.text,
                        "policy 'last' chose stream 3 of a pool of 3 for operation 0 'a'");
    assert_int_equal(schedule("failing_init", &stream, &err), GP_EINVAL);
    assert_string_equal(err.text, "policy 'last': it does not like this pool");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_ones_are_refused),
        cmocka_unit_test(test_names_without_a_slash),
        cmocka_unit_test(test_loaded_policies_choose),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
