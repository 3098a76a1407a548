/* What the program says to wrong usage, and help, lists and version. The program is run for real.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/process.h"
#include "probe/export/export.h"
#include "probe/store/writer.h"
#include "scenarios/workload.h"

enum { USAGE = 2 };

static const struct {
    const char *words;
    const char *message;
} wrong_usages[] = {
    {"", "gpuprobe --scenario batch"},
    {"run", "which scenario?"},
    {"-q", "which scenario?"},
    {"--scenario", "--scenario needs a value"},
    {"--scenario=", "--scenario: an empty item"},
    {"--scenario batsh", "unknown scenario 'batsh'; did you mean 'batch'?"},
    {"--scenario batch,", "--scenario: an empty item"},
    {"--scenario batch,batch", "--scenario: 'batch' is listed twice"},
    {"--scenario batch,all", "--scenario: 'batch' is listed twice"},
    {"--scenario batch --scenario batch", "'batch' is listed twice"},
    {"batch", "'batch' is a scenario: gpuprobe --scenario batch"},
    {"lits scenarios", "unknown verb 'lits'; did you mean 'list'?"},
    {"--scenario batch -p round_robin",
     "unknown policy 'round_robin'; did you mean 'round-robin'?"},
    {"--scenario batch -p single,single", "--policy: 'single' is listed twice"},
    {"--scenario batch -s 0", "--streams: '0' is not a whole number from 1 to 128"},
    {"--scenario batch -s -1", "--streams: '-1' is not a whole number from 1 to 128"},
    {"--scenario batch -s 129", "--streams: '129' is not a whole number from 1 to 128"},
    {"--scenario batch -s x", "--streams: 'x' is not a whole number from 1 to 128"},
    {"--scenario batch -s 4,4", "--streams: '4' is listed twice"},
    {"--scenario batch --submit graph,graph", "--submit: 'graph' is listed twice"},
    {"--scenario batch -s 4,,8", "--streams: an empty item"},
    {"--scenario batch -s 99999999999999999999", "from 1 to 128"},
    {"--scenario batch -s", "-s needs a value: N[,N...]"},
    {"--scenario batch --stream 4", "unknown option '--stream'; did you mean '--streams'?"},
    {"--scenario batch -x", "unknown option '-x'"},
    {"--scenario batch --json=yes", "--json takes no value"},
    {"--scenario batch -r 0", "--repeats: '0' is not a whole number from 1 to 10000"},
    {"--scenario batch --budget 0", "--budget: it must be more than 0 seconds"},
    {"--scenario batch --budget never", "--budget: 'never' is not a number of seconds"},
    {"--scenario batch --trace stamp", "unknown value of --trace 'stamp'; did you mean 'stamps'?"},
    {"--scenario batch --order deep", "unknown value of --order 'deep'; did you mean 'depth'?"},
    {"verdict --claim small-needs-steams", "did you mean 'small-needs-streams'?"},
    {"verdict --claim small-needs-streams,small-needs-streams", "is listed twice"},
    {"verdict h200-verdict-of-a-longer-name-than-it-was.gpuprobe",
     "what is 'h200-verdict-of-a-longer-name-than-it-was.gpuprobe' for? 'verdict' takes only "
     "options; 'gpuprobe show FILE' has the answers"},
    {"help lits", "unknown verb 'lits'; did you mean 'list'?"},
    {"help run list", "one verb at a time"},
    {"verdict -q -v", "--quiet and --verbose exclude each other"},
    {"--scenario batch --verify yes", "unknown value of --verify 'yes'"},
    {"--scenario batch --seed -1", "--seed: '-1' is not a whole number"},
    {"--scenario batch --set m", "--set: 'm' is not KEY=VALUE"},
    {"--scenario batch --set m=64,", "--set: an empty item in its list"},
    {"--scenario batch --set m=64,,k=64", "--set: an empty item in its list"},
    {"--scenario batch --set m=64,128", "'64,128' is not a whole number"},
    {"--scenario batch --set =1", "--set: '=1' is not KEY=VALUE"},
    {"--scenario batch --set m=64,m=128", "--set: 'm' is listed twice"},
    {"--scenario batch --set m=9999999999999G", "is too large"},
    {"--scenario batch --set m=1T", "only K, M or G"},
    {"--scenario batch --set m=0", "--set: batch: m is 0, allowed is 64 to 1024"},
    {"--scenario batch --set scale=auto", "unknown parameter 'scale'"},
    {"--scenario batch --set m=", "--set: batch: m: '' is not a whole number; allowed is 64"},
    {"--scenario mixed --set chunk_kib=65536,chunks=96 -o big.gpuprobe", "mixed: these sizes take"},
    {"--scenario mixed --set chunk_kib=65536,chunks=96 --dry-run", "mixed: these sizes take"},
    {"--scenario batch --set batchs=4", "unknown parameter 'batchs'; did you mean 'batches'?"},
    {"--scenario batch -o ", "-o needs a value"},
    {"--scenario batch -q -v", "exclude each other"},
    {"--scenario batch -d moddel", "unknown device 'moddel'; did you mean 'model'?"},
    {"--scenario batch -d auto:0", "'auto' stands alone"},
    {"--scenario batch -d model:./absent.profile", "./absent.profile"},
    {"--scenario batch mixed", "what is 'mixed' for?"},
    {"list", "list what?"},
    {"list polices", "'polices'; did you mean 'policies'?"},
    {"list policies now", "what is 'now' for?"},
    {"list policies --quiet", "'list' has no option '--quiet'; 'run' has"},
    {"show", "which recording?"},
    {"view", "which recording?"},
    {"import", "which trace?"},
    {"compare", "which two recordings?"},
    {"show a b", "what is 'b' for?"},
    {"show --policy single a", "'show' has no option '--policy'; 'run' has"},
    {"export", "which recording?"},
    {"export x.gpuprobe", "--format"},
    {"export x.gpuprobe --format cvs -o y", "unknown format 'cvs'; did you mean 'csv'?"},
    {"export x.gpuprobe --format csv --table opp -o y", "'opp'; did you mean 'op'?"},
    {"doctor all", "what is 'all' for?"},
};

static void test_wrong_usage_names_what_was_meant(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_usages / sizeof wrong_usages[0]; i++) {
        process_expect(wrong_usages[i].words, USAGE, NULL, wrong_usages[i].message);
    }
}

/* Nothing of the above may have left a file. */
static void test_wrong_usage_writes_nothing(void **state)
{
    (void)state;
    process_expect("--scenario batch -s 0 -o x.gpuprobe", USAGE, "", "--streams");
    assert_int_not_equal(access("x.gpuprobe", F_OK), 0);
    assert_int_not_equal(access("big.gpuprobe", F_OK), 0);
    assert_int_not_equal(access("batch-001.gpuprobe", F_OK), 0);
}

static void expect_golden(const char *words, const char *name)
{
    char path[4096];
    char *expected;
    char *out = process_output(words);

    (void)snprintf(path, sizeof path, "%s/%s", GP_TEST_GOLDEN, name);
    expected = process_read(path);
    assert_string_equal(out, expected);
    free(expected);
    free(out);
}

static void test_help_is_as_kept(void **state)
{
    (void)state;
    expect_golden("--help", "help.txt");
    expect_golden("-h", "help.txt");
    expect_golden("run --help", "help-run.txt");
    expect_golden("list --help", "help-list.txt");
    expect_golden("show --help", "help-show.txt");
    expect_golden("explain --help", "help-explain.txt");
    expect_golden("view --help", "help-view.txt");
    expect_golden("check --help", "help-check.txt");
    expect_golden("verdict --help", "help-verdict.txt");
    expect_golden("compare --help", "help-compare.txt");
    expect_golden("export --help", "help-export.txt");
    expect_golden("import --help", "help-import.txt");
    expect_golden("doctor --help", "help-doctor.txt");
}

/* Name and summary on one line. */
static void expect_listed(const char *out, const char *name, const char *summary)
{
    for (const char *at = out; (at = strstr(at, name)) != NULL; at++) {
        const char *end = strchr(at, '\n');
        const char *found = strstr(at, summary);

        if (found != NULL && end != NULL && found < end) {
            return;
        }
    }
    fail_msg("'%s: %s' is not listed in\n%s", name, summary, out);
}

/* From the tables and not from kept files: who adds a policy has no list to mend. */
static void test_lists_have_every_entry(void **state)
{
    char *policies = process_output("list policies");
    char *scenarios = process_output("list scenarios");
    char *formats = process_output("list formats");

    (void)state;
    for (size_t i = 0; i < gp_policy_table_count; i++) {
        expect_listed(policies, gp_policy_table[i]->name, gp_policy_table[i]->summary);
    }
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        const struct gp_parameter *parameter = gp_scenario_table[i]->parameters;

        expect_listed(scenarios, gp_scenario_table[i]->name, gp_scenario_table[i]->summary);
        for (; parameter->name != NULL; parameter++) {
            expect_listed(scenarios, parameter->name, parameter->summary);
        }
    }
    for (size_t i = 0; i < gp_export_table_count; i++) {
        expect_listed(formats, gp_export_table[i]->name, gp_export_table[i]->summary);
    }
    free(policies);
    free(scenarios);
    free(formats);
}

static void test_help_is_a_verb_too(void **state)
{
    char *help = process_output("--help");
    char *of_run = process_output("run --help");

    (void)state;
    process_expect("help", 0, help, "");
    process_expect("help run", 0, of_run, "");
    free(help);
    free(of_run);
}

static void test_version_is_one_line(void **state)
{
    (void)state;
    process_expect("--version", 0, "gpuprobe " GP_TEST_VERSION "\n", NULL);
    process_expect("-V", 0, "gpuprobe " GP_TEST_VERSION "\n", NULL);
}

static void test_devices_say_what_there_is(void **state)
{
    (void)state;
    process_expect("list devices", 0, "cuda", NULL);
    process_expect("list devices", 0, "model", NULL);
}

/* Before anything is measured, and by whatever verb. */
static void test_what_is_being_written_is_kept(void **state)
{
    struct gp_writer *writer = NULL;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_writer_create("busy.gpuprobe", false, &writer, &err), err);
    process_expect("--scenario chain -d model -r 1 -o busy.gpuprobe --force", 1, "",
                   "busy.gpuprobe is being written by another process");
    process_expect("verdict -d model -o busy.gpuprobe --force", 1, "", "is being written");
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    process_expect("--scenario chain -d model -r 1 -s 1 -o busy.gpuprobe --force", 0, "chain", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_usage_names_what_was_meant),
        cmocka_unit_test(test_wrong_usage_writes_nothing),
        cmocka_unit_test(test_help_is_as_kept),
        cmocka_unit_test(test_lists_have_every_entry),
        cmocka_unit_test(test_help_is_a_verb_too),
        cmocka_unit_test(test_version_is_one_line),
        cmocka_unit_test(test_devices_say_what_there_is),
        cmocka_unit_test(test_what_is_being_written_is_kept),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
