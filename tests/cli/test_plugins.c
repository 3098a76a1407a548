/* -p with shared objects: good ones run and are recorded, wrong ones are named. */
#include "test.h"

#include <stdio.h>

#include "process.h"

#define RUN "--scenario batch -d model -s 2 -r 1 -q --force -o a "
#define PLUGIN(name) GP_TEST_PLUGINS "/plugin_" name ".so"

static void test_good_ones_run(void **state)
{
    (void)state;
    process_expect(RUN "-p single," PLUGIN("good"), 0, "last", NULL);
    process_expect(RUN "-p " GP_TEST_EXAMPLE ",round-robin", 0, "longest-apart", NULL);
    process_expect("show a", 0, "longest-apart", NULL);
    process_expect("--scenario batch -s 2,4 --dry-run -p " PLUGIN("good"), 0, "batch last 4", NULL);
}

static void test_wrong_ones_are_usage(void **state)
{
    (void)state;
    process_expect(RUN "-p ./absent.so", 2, NULL, "--policy: './absent.so' cannot be loaded");
    process_expect(RUN "-p absent.so", 2, NULL, "'absent.so' cannot be loaded");
    process_expect(RUN "-p " PLUGIN("other_abi"), 2, NULL, "is for version 3");
    process_expect(RUN "-p " PLUGIN("no_symbol"), 2, NULL, "exports no symbol gp_policy_plugin");
    process_expect(RUN "-p " PLUGIN("good") "," PLUGIN("good"), 2, NULL, "'last' is listed twice");
    process_expect(RUN "-p " PLUGIN("good") ",", 2, NULL, "empty");
    process_expect(RUN "-p " PLUGIN("good") ",singel", 2, NULL, "did you mean 'single'?");
}

static void test_failing_ones_fail_their_cells(void **state)
{
    (void)state;
    process_expect(RUN "-p single," PLUGIN("failing_init"), 1, "it does not like this pool", NULL);
    process_expect(RUN "-p single," PLUGIN("foreign_stream"), 1, "chose stream 2 of a pool of 2",
                   NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_ones_run),
        cmocka_unit_test(test_wrong_ones_are_usage),
        cmocka_unit_test(test_failing_ones_fail_their_cells),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
