/* What no parameter of any scenario takes is refused before anything runs, with what is allowed:
 * every scenario, every parameter, every kind of wrong value. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/sweep/sweep.h"
#include "scenarios/workload.h"

enum { TEXT_BYTES = 640 };

static const struct gp_device_info big = {.name = "a big device",
                                          .sm_count = 132,
                                          .memory_bytes = INT64_C(140) << 30,
                                          .l2_bytes = 50 << 20};

static int plan(const struct gp_scenario_ops *ops, const struct gp_setting *settings,
                uint32_t count, const struct gp_device_info *info, struct gp_error *err)
{
    struct gp_cell_plan line;

    *err = (struct gp_error){0};
    return gp_sweep_plan_line(ops, settings, count, info, &line, err);
}

static void expect_refused(const struct gp_scenario_ops *ops, const struct gp_parameter *parameter,
                           const char *text)
{
    const struct gp_setting setting = {parameter->name, text};
    char range[GP_PARAMETER_BYTES_MAX];
    struct gp_error err;

    if (plan(ops, &setting, 1, &big, &err) != GP_EINVAL) {
        fail_msg("%s takes %s=%s", ops->name, parameter->name, text);
    }
    gp_parameter_range(parameter, range);
    if (strstr(err.text, range) == NULL || strstr(err.text, parameter->name) == NULL ||
        strstr(err.text, ops->name) == NULL) {
        fail_msg("%s=%s of %s: '%s' does not say '%s'", parameter->name, text, ops->name, err.text,
                 range);
    }
}

/* One step beyond each end of the range, and between two multiples. */
static void expect_range_kept(const struct gp_scenario_ops *ops,
                              const struct gp_parameter *parameter)
{
    struct gp_parameter open = *parameter; /* writes what is not allowed */
    char text[GP_PARAMETER_BYTES_MAX];

    gp_parameter_write(&open, parameter->min - 1, text);
    expect_refused(ops, parameter, text);
    if (parameter->max < INT64_MAX / 16) {
        gp_parameter_write(&open, parameter->max + 1, text);
        expect_refused(ops, parameter, text);
    }
    if (parameter->multiple > 1) {
        gp_parameter_write(&open, parameter->min + 1, text);
        expect_refused(ops, parameter, text);
    }
    if (parameter->min > 0) {
        expect_refused(ops, parameter, "0");
    }
    if (parameter->min >= 0) {
        expect_refused(ops, parameter, "-1");
    }
}

static void expect_numbers_only(const struct gp_scenario_ops *ops,
                                const struct gp_parameter *parameter)
{
    static const char *const texts[] = {
        "",      "x",    "nan",
        "NaN",   "inf",  "-inf",
        "1e3",   "0x10", "+1",
        " 1",    "1 ",   "1.55",
        "1,000", "--1",  "1KK",
        "1T",    "½",    "99999999999999999999",
        "9e99",  "-nan", "9223372036854775807G",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_refused(ops, parameter, texts[i]);
    }
}

static void expect_words_only(const struct gp_scenario_ops *ops,
                              const struct gp_parameter *parameter)
{
    static const char *const texts[] = {"", "0", "-1", "nan", "ON", "on ", "auto"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_refused(ops, parameter, texts[i]);
    }
}

static void expect_plain_text_only(const struct gp_scenario_ops *ops,
                                   const struct gp_parameter *parameter)
{
    char text[TEXT_BYTES];

    memset(text, 'x', sizeof text);
    text[GP_PARAMETER_BYTES_MAX] = '\0';
    expect_refused(ops, parameter, text);
    expect_refused(ops, parameter, "a\nb");
    expect_refused(ops, parameter, "a\x7f");
    expect_refused(ops, parameter, "\xff");
}

static void test_every_parameter_of_every_scenario(void **state)
{
    uint32_t count = 0;

    (void)state;
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        const struct gp_scenario_ops *ops = gp_scenario_table[i];

        for (const struct gp_parameter *p = ops->parameters; p->name != NULL; p++) {
            switch (p->kind) {
            case GP_PARAMETER_WHOLE:
            case GP_PARAMETER_TENTHS:
                expect_range_kept(ops, p);
                expect_numbers_only(ops, p);
                break;
            case GP_PARAMETER_WORD:
                expect_words_only(ops, p);
                break;
            case GP_PARAMETER_TEXT:
                expect_plain_text_only(ops, p);
                break;
            }
            count++;
        }
    }
    assert_true(count > 60);
}

static void test_unknown_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        const struct gp_setting setting = {"no-such-parameter", "1"};
        struct gp_error err;

        assert_int_equal(plan(gp_scenario_table[i], &setting, 1, &big, &err), GP_EINVAL);
        assert_non_null(strstr(err.text, "unknown parameter 'no-such-parameter'"));
    }
}

/* The first "NAME=VALUE" of "; NAME=VALUE or NAME=VALUE would fit". */
static bool read_fitting(const char *text, char name[64], char value[64])
{
    const char *at = strstr(text, "; ");

    return strstr(text, " would fit") != NULL && at != NULL &&
           sscanf(at, "; %63[^=]=%63[0-9]", name, value) == 2;
}

/* On a device with half of what a scenario's defaults take: refused, and what is said to fit does,
 * while one step more does not. */
static void test_more_than_the_device_has(void **state)
{
    uint32_t count = 0;

    (void)state;
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        const struct gp_scenario_ops *ops = gp_scenario_table[i];
        struct gp_device_info small = big;
        char name[64], value[64];
        struct gp_setting setting = {name, value};
        struct gp_cell_plan line;
        struct gp_error err = {0};
        const struct gp_parameter *parameter;
        long long step;

        if (ops->bytes == NULL || gp_sweep_plan_line(ops, NULL, 0, &big, &line, &err) != 0) {
            continue;
        }
        small.memory_bytes = (int64_t)ops->bytes(line.values) / 2;
        assert_int_equal(plan(ops, NULL, 0, &small, &err), GP_EINVAL);
        assert_non_null(strstr(err.text, "MiB of device memory, allowed are "));
        assert_non_null(strstr(err.text, small.name));
        if (!read_fitting(err.text, name, value)) {
            continue; /* none alone is enough */
        }
        gp_assert_ok(plan(ops, &setting, 1, &small, &err), err);
        parameter = &ops->parameters[gp_scenario_parameter(ops, name)];
        step = parameter->multiple > 0 ? parameter->multiple : 1;
        (void)snprintf(value, sizeof value, "%lld", strtoll(value, NULL, 10) + step);
        assert_int_equal(plan(ops, &setting, 1, &small, &err), GP_EINVAL);
        count++;
    }
    assert_true(count > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_parameter_of_every_scenario),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_more_than_the_device_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
