/* --scenario with shared objects: the example and one without a reference run, are recorded and
 * read back; wrong ones are named, and nothing runs. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

#define RUN " -d model -s 2 -r 1 -q --force -o a "
#define PLUGIN(name) GP_TEST_PLUGINS "/scenario_" name ".so"

static void test_the_example_runs_and_is_verified(void **state)
{
    (void)state;
    process_expect("--scenario " GP_TEST_EXAMPLE RUN "-p all --set chains=4,kib=16", 0, "verified",
                   NULL);
    process_expect("show a", 0, "triple (chains 4, kib 16)", NULL);
    process_expect("explain a", 0, "triple under round-robin", NULL);
    process_expect("check a", 0, "nothing is wrong", NULL);
    process_expect("compare a a", 0, "triple", NULL);
    process_expect("export a --format csv", 0, "triple", NULL);
}

/* A recording has the name only: the code is brought again. */
static void test_experiments_need_the_shared_object(void **state)
{
    (void)state;
    process_expect("--scenario " GP_TEST_EXAMPLE
                   " -d model -r 2 -s 2 -p single,round-robin," GP_TEST_POLICY " -q -o prove",
                   0, "verified", NULL);
    process_expect("explain prove --cell 1 --prove -r 2 -o proved", 2, NULL,
                   "scenario 'triple' is not one of this program; name the shared object that it "
                   "is from: --scenario ./FILE.so");
    process_expect("explain prove --cell 1 --prove -r 2 --scenario ./absent.so -o proved", 2, NULL,
                   "--scenario: './absent.so' cannot be loaded");
    process_expect("explain prove --cell 1 --scenario " GP_TEST_EXAMPLE, 2, NULL, "for --prove");
    assert_int_not_equal(access("proved", F_OK), 0);
    process_expect("explain prove --cell 1 --prove -r 2 -o proved --scenario " GP_TEST_EXAMPLE, 0,
                   "proved", NULL);
    process_expect("show proved", 0, "triple", NULL);
    process_expect("explain prove --cell 3 --prove -r 2 -o other --scenario " GP_TEST_EXAMPLE, 2,
                   NULL, "--policy ./FILE.so");
    process_expect("explain prove --cell 3 --prove -r 2 -o other --scenario " GP_TEST_EXAMPLE
                   " --policy " GP_TEST_POLICY,
                   0, "other", NULL);
}

static void test_it_stands_beside_built_in_ones(void **state)
{
    (void)state;
    process_expect("--scenario batch," GP_TEST_EXAMPLE " -d model -s 2 -p single --dry-run", 0,
                   "batch single 1\ntriple single 1\n", NULL);
    process_expect("--scenario " GP_TEST_EXAMPLE " --dry-run --set chains=0", 2, NULL,
                   "--set: triple: chains is 0, allowed is 1 to 1024");
    process_expect("list scenarios --scenario " GP_TEST_EXAMPLE, 0, "--set kib=1024", NULL);
    process_expect("list scenarios --json --scenario " GP_TEST_EXAMPLE, 0, "\"checked\": true",
                   NULL);
    process_expect("list policies --scenario " GP_TEST_EXAMPLE, 2, NULL, "for 'list scenarios'");
}

static void test_without_a_reference_nothing_is_claimed(void **state)
{
    (void)state;
    process_expect("--scenario " PLUGIN("no_reference") RUN, 0, "not checked", NULL);
    process_expect("show a", 0, "not checked", NULL);
    process_expect("show a --json", 0, "\"verified\": null", NULL);
    process_expect("check a", 0, "nothing is wrong", NULL);
    process_expect("list scenarios --scenario " PLUGIN("no_reference"), 0,
                   "its data are not checked", NULL);
    process_expect("list scenarios --json --scenario " PLUGIN("no_reference"), 0,
                   "\"checked\": false", NULL);
    /* With --trace off a plain run would be the one to be compared. */
    process_expect("--scenario " PLUGIN("no_reference") RUN "--trace off", 0, "not checked", NULL);
}

static void test_wrong_ones_are_usage_and_nothing_runs(void **state)
{
    static const struct {
        const char *words, *message;
    } wrong[] = {
        {"./absent.so", "--scenario: './absent.so' cannot be loaded as a scenario"},
        {"absent.so", "'absent.so' cannot be loaded"},
        {PLUGIN("other_abi"), "is for version 2 of the scenario interface"},
        {GP_TEST_POLICY, "exports no symbol gp_scenario_plugin"},
        {PLUGIN("good") "," PLUGIN("good"), "'fill' is listed twice"},
        {PLUGIN("good") ",batsch", "did you mean 'batch'?"},
        {PLUGIN("good") ",", "empty"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char words[4096];

        (void)snprintf(words, sizeof words, "--scenario %s -d model -o none", wrong[i].words);
        process_expect(words, 2, NULL, wrong[i].message);
    }
    assert_int_not_equal(access("none", F_OK), 0);
}

static void test_failing_ones_say_why(void **state)
{
    static const struct {
        const char *path, *message;
        int status;
    } failing[] = {
        {PLUGIN("failing_setup"), "scenario fill: it does not like this device", 2},
        {PLUGIN("silent_setup"), "fill: its setup failed with -6 and did not say why", 1},
        {PLUGIN("no_dag"), "fill: its setup made no operations", 1},
        {PLUGIN("no_image"), "the kernel of operation 'lost' has no name, no symbol or no image",
         1},
        {PLUGIN("failing_reset"), "it does not reset", 1},
        {PLUGIN("silent_verify"), "fill: its verify failed with 1 and did not say why", 1},
        {PLUGIN("wrong_data"), "h[0]: got 7, expected something else", 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++) {
        char words[4096];
        bool is_of_a_cell = i > 3; /* stands in the result */

        (void)snprintf(words, sizeof words, "--scenario %s" RUN, failing[i].path);
        process_expect(words, failing[i].status, is_of_a_cell ? failing[i].message : NULL,
                       is_of_a_cell ? NULL : failing[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_example_runs_and_is_verified),
        cmocka_unit_test(test_experiments_need_the_shared_object),
        cmocka_unit_test(test_it_stands_beside_built_in_ones),
        cmocka_unit_test(test_without_a_reference_nothing_is_claimed),
        cmocka_unit_test(test_wrong_ones_are_usage_and_nothing_runs),
        cmocka_unit_test(test_failing_ones_say_why),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
