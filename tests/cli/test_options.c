/* The table of options: what good lines mean, and that the man page tells of the same options. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/process.h"
#include "probe/cli/verbs.h"
#include "scenarios/workload.h"

enum { WORDS_MAX = 32 };

static void parse(enum gp_verb_id verb, const char *line, struct gp_options *out)
{
    static char copy[512];
    char *words[WORDS_MAX];
    char *rest = NULL;
    struct gp_error err = {0};
    int count = 0;

    (void)snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        assert_true(count < WORDS_MAX);
        words[count++] = word;
    }
    gp_assert_ok(gp_options_parse(verb, count, words, out, &err), err);
}

static void test_defaults(void **state)
{
    struct gp_options options;

    (void)state;
    parse(GP_VERB_RUN, "", &options);
    assert_string_equal(options.device, "auto");
    assert_int_equal(options.trace, GP_TRACE_STAMPS);
    assert_false(options.trace_chosen);
    assert_false(options.verify_off);
    assert_int_equal(options.scenarios.count + options.policies.count + options.stream_count, 0);
    assert_null(options.output);
}

static void test_all_spellings(void **state)
{
    struct gp_options options;

    (void)state;
    parse(GP_VERB_RUN, "--scenario=batch -psingle -s 4,1 -r7 --budget 2.5 -qv -o x --seed=9",
          &options);
    assert_string_equal(gp_scenario_table[options.scenarios.indices[0]]->name, "batch");
    assert_string_equal(gp_policy_table[options.policies.indices[0]]->name, "single");
    assert_int_equal(options.stream_count, 2);
    assert_int_equal(options.streams[0], 4);
    assert_int_equal(options.streams[1], 1);
    assert_int_equal(options.repeats, 7);
    assert_int_equal(options.budget_ns, INT64_C(2500000000));
    assert_int_equal(options.seed, 9);
    assert_true(options.quiet && options.verbose);
    assert_string_equal(options.output, "x");
}

static void test_all_means_every_one(void **state)
{
    struct gp_options options;
    uint32_t count = 0;

    (void)state;
    parse(GP_VERB_RUN, "--scenario all -p all", &options);
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        if (gp_scenario_table[i]->flags == 0) {
            assert_int_equal(options.scenarios.indices[count++], i);
        }
    }
    assert_int_equal(options.scenarios.count, count);
    assert_int_equal(options.policies.count, gp_policy_table_count);
}

static void test_lists_add_up_and_the_last_value_counts(void **state)
{
    struct gp_options options;

    (void)state;
    parse(GP_VERB_RUN,
          "-s 1 -s 2,3 --set m=64 --set k=1K,n=128 -d model -d cuda --trace off "
          "--trace events --order breadth --completion flag --verify off "
          "--submit graph,streams",
          &options);
    assert_int_equal(options.stream_count, 3);
    assert_int_equal(options.setting_count, 3);
    assert_string_equal(options.settings[1].name, "k");
    assert_string_equal(options.settings[1].text, "1K");
    assert_string_equal(options.device, "cuda");
    assert_int_equal(options.trace, GP_TRACE_EVENTS);
    assert_true(options.trace_chosen);
    assert_int_equal(options.order, GP_ORDER_BREADTH);
    assert_int_equal(options.completion, GP_COMPLETION_FLAG);
    assert_int_equal(options.submits, 1u << GP_SUBMIT_STREAMS | 1u << GP_SUBMIT_GRAPH);
    assert_true(options.verify_off);
}

static void test_values_of_settings_may_be_lists(void **state)
{
    static const char path[] =
        "/a/path/that/is/longer/than/sixty-three/bytes/and/not/cut/off/by/anything.cubin";
    struct gp_options options;
    char line[256];

    (void)state;
    parse(GP_VERB_RUN, "--set args=in:4K,out:4K,u32:1,count=2 --set grid=8,4", &options);
    assert_int_equal(options.setting_count, 3);
    assert_string_equal(options.settings[0].text, "in:4K,out:4K,u32:1");
    assert_string_equal(options.settings[1].text, "2");
    assert_string_equal(options.settings[2].text, "8,4");
    (void)snprintf(line, sizeof line, "--set image=%s,name=a=b", path);
    parse(GP_VERB_RUN, line, &options);
    assert_string_equal(options.settings[0].text, path);
    assert_string_equal(options.settings[1].text, "a=b");
}

static void test_two_dashes_end_options(void **state)
{
    struct gp_options options;

    (void)state;
    parse(GP_VERB_SHOW, "--json -- --odd-name", &options);
    assert_true(options.json);
    assert_string_equal(options.operands[0], "--odd-name");
    parse(GP_VERB_SHOW, "-", &options);
    assert_string_equal(options.operands[0], "-");
}

/* "\fB\-\-dry\-run\fR" → "--dry-run": drops font changes and the backslashes of dashes. */
static char *plain_man_page(void)
{
    char *text = process_read(GP_TEST_MAN_PAGE);
    char *to = text;

    for (const char *from = text; *from != '\0';) {
        if (from[0] == '\\' && from[1] == 'f' && from[2] != '\0') {
            from += 3;
        } else if (from[0] == '\\' && from[1] == '-') {
            from++;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return text;
}

/* Whether the page has a paragraph that begins with this option. */
static bool has_paragraph(const char *page, const struct gp_option *option)
{
    char heading[128];

    if (option->letter != 0) {
        (void)snprintf(heading, sizeof heading, ".TP\n-%c, --%s", option->letter, option->name);
    } else {
        (void)snprintf(heading, sizeof heading, ".TP\n--%s", option->name);
    }
    return strstr(page, heading) != NULL;
}

static void test_the_man_page_has_every_option(void **state)
{
    char *page = plain_man_page();

    (void)state;
    for (size_t i = 0; i < gp_option_table_count; i++) {
        if (!has_paragraph(page, &gp_option_table[i])) {
            fail_msg("gpuprobe.1 has no paragraph of --%s", gp_option_table[i].name);
        }
    }
    for (int i = 0; i < GP_VERB_COUNT; i++) {
        char heading[64];

        (void)snprintf(heading, sizeof heading, ".TP\n.B %s\n", gp_verb_table[i].name);
        assert_non_null(strstr(page, heading));
    }
    free(page);
}

static void test_the_man_page_has_no_other_option(void **state)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
    char *page = plain_man_page();

    (void)state;
    for (const char *at = strstr(page, "--"); at != NULL; at = strstr(at, "--")) {
        size_t length = strspn(at + 2, letters);
        bool known = false;

        for (size_t i = 0; i < gp_option_table_count; i++) {
            known |= strlen(gp_option_table[i].name) == length &&
                     strncmp(gp_option_table[i].name, at + 2, length) == 0;
        }
        if (!known) {
            fail_msg("gpuprobe.1 tells of an option that is not there: %.20s", at);
        }
        at += 2 + length;
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_all_spellings),
        cmocka_unit_test(test_all_means_every_one),
        cmocka_unit_test(test_lists_add_up_and_the_last_value_counts),
        cmocka_unit_test(test_values_of_settings_may_be_lists),
        cmocka_unit_test(test_two_dashes_end_options),
        cmocka_unit_test(test_the_man_page_has_every_option),
        cmocka_unit_test(test_the_man_page_has_no_other_option),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
