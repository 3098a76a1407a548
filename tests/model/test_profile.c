/* The profile parser: what is read, and what every kind of mistake is told. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/device/model/profile.h"
#include "core/memory.h"

static struct gp_profile profile;

static void test_builtins(void **state)
{
    struct gp_error err = {0};

    (void)state;
    assert_string_equal(gp_profile_builtin_name(0), "h200");
    for (size_t i = 0; gp_profile_builtin_name(i) != NULL; i++) {
        const char *name = gp_profile_builtin_name(i);

        gp_assert_ok(gp_profile_parse(gp_profile_builtin(name), &profile, &err), err);
        assert_string_equal(profile.name, name);
        for (int key = 0; key < GP_PROFILE_KEY_COUNT; key++) {
            assert_true(profile.source[key][0] != '\0');
        }
    }
    assert_null(gp_profile_builtin("none"));
    gp_assert_ok(gp_profile_parse(gp_profile_builtin("h200"), &profile, &err), err);
    assert_int_equal(profile.sm_count, 132);
    assert_int_equal(profile.gap_kernel_kernel_ns, 1540);
    assert_int_equal(profile.provenance[GP_PROFILE_KEY_gap_kernel_kernel_ns],
                     GP_PROVENANCE_MEASURED);
    assert_int_equal(profile.memory_curve.count, 10);
    assert_int_equal(profile.sm_order[0], 124);
}

#define HEAD "gpuprobe-profile 1\nname mine\nmodels my GPU\nbase h200\n"

static void test_base_and_changes(void **state)
{
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_profile_parse(HEAD
                                  "# a comment\n\n"
                                  "\tsm_clock_mhz  1000\tMHz measured by hand, twice # note\r\n"
                                  "memory_curve 1:7 blocks:GB/s assumed x",
                                  &profile, &err),
                 err);
    assert_string_equal(profile.name, "mine");
    assert_string_equal(profile.models, "my GPU");
    assert_int_equal(profile.sm_clock_mhz, 1000);
    assert_string_equal(profile.source[GP_PROFILE_KEY_sm_clock_mhz], "by hand, twice");
    assert_int_equal(profile.memory_curve.count, 1);
    assert_int_equal(profile.grids_resident, 128);
}

static void expect(const char *text, const char *part)
{
    struct gp_error err = {0};

    assert_int_equal(gp_profile_parse(text, &profile, &err), GP_EPARSE);
    if (strstr(err.text, part) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, part);
    }
}

static void test_mistakes(void **state)
{
    static const char *const cases[][2] = {
        {"", "no line 'gpuprobe-profile 1'"},
        {"name x\n", "line 1: a profile begins with 'gpuprobe-profile 1'"},
        {"gpuprobe-profile 2\n", "line 1: a profile begins with"},
        {"gpuprobe-profile 1\nmodels x\nbase h200\n", "no line 'name"},
        {"gpuprobe-profile 1\nname x\nbase h200\n", "no line 'models"},
        {"gpuprobe-profile 1\nname x\nmodels y\n", "no line for compute_major (version)"},
        {"gpuprobe-profile 1\nname\n", "line 2: expected a text of 1 to 31"},
        {HEAD "base generic\n", "line 5: a second base 'generic'"},
        {"gpuprobe-profile 1\nbase none\n", "line 2: no built-in profile 'none'"},
        {"gpuprobe-profile 1\nsm_clock_mhz 1 MHz assumed x\nbase h200\n",
         "line 3: base must come before sm_clock_mhz"},
        {HEAD "sm_cuont 5 count assumed x\n", "line 5: unknown key 'sm_cuont'; did you mean "
                                              "'sm_count'?"},
        {HEAD "sm_clock_mhz 1 MHz assumed x\nsm_clock_mhz 2 MHz assumed x\n",
         "line 6: sm_clock_mhz is given twice"},
        {HEAD "sm_clock_mhz 1.5 MHz assumed x\n", "'1.5', not a whole number of MHz"},
        {HEAD "sm_clock_mhz -1 MHz assumed x\n", "'-1', not a whole number"},
        {HEAD "sm_clock_mhz\n", "'', not a whole number"},
        {HEAD "sm_clock_mhz 99999999999999999999 MHz assumed x\n", "not a whole number"},
        {HEAD "sm_clock_mhz 0 MHz assumed x\n", "is 0, not 1 to 10000 MHz"},
        {HEAD "sm_clock_mhz 5 GHz assumed x\n", "the unit of sm_clock_mhz is MHz, not 'GHz'"},
        {HEAD "sm_clock_mhz 5 MHz guessed x\n", "is 'guessed', not measured, published or assumed"},
        {HEAD "sm_clock_mhz 5 MHz assumed\n", "needs a source"},
        {HEAD "memory_curve 1-2 blocks:GB/s assumed x\n", "is not a list of points"},
        {HEAD "memory_curve 1:2,1:3 blocks:GB/s assumed x\n", "do not ascend at 1"},
        {HEAD "memory_curve 1:2;3:4 blocks:GB/s assumed x\n", "expected ',' or the end"},
        {HEAD "memory_curve 1:2, blocks:GB/s assumed x\n", "is not a list of points"},
        {HEAD "memory_curve 0:0,5:5 blocks:GB/s assumed x\n", "memory_curve must begin with"},
        {HEAD "sm_order 0-5 SMs assumed x\n", "sm_order lists 6 SMs, sm_count is 132"},
        {HEAD "sm_order 5-0 SMs assumed x\n", "sm_order is not a list of SMs"},
        {HEAD "sm_order 0-300 SMs assumed x\n", "sm_order is not a list of SMs"},
        {HEAD "sm_order 0-130,0 SMs assumed x\n", "it has 0 twice"},
        {HEAD "sm_order 0-130,132 SMs assumed x\n", "it has 132 too"},
        {HEAD "sm_count 2 count assumed x\n", "sm_order lists 132 SMs, sm_count is 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(cases[i][0], cases[i][1]);
    }
}

static void test_bounds(void **state)
{
    static char text[GP_PROFILE_BYTES_MAX + 16];
    size_t length;

    (void)state;
    length = (size_t)snprintf(text, sizeof text, HEAD "memory_curve 1:2");
    for (int i = 2; i < 40; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, ",%d:%d", i, i + 1);
    }
    (void)snprintf(text + length, sizeof text - length, " blocks:GB/s assumed x\n");
    expect(text, "memory_curve has more than 24 points");

    memset(text, 'x', 5000);
    text[5000] = '\0';
    expect(text, "line 1: longer than 4095 bytes");

    memset(text, '\n', sizeof text - 1);
    expect(text, "longer than 1048576 bytes");

    (void)snprintf(text, sizeof text, HEAD "sm_clock_mhz 5 MHz assumed %0300d\n", 1);
    expect(text, "needs a source of 1 to 239");
}

static void test_json(void **state)
{
    struct gp_error err = {0};
    char *json = NULL;

    (void)state;
    gp_assert_ok(
        gp_profile_parse(HEAD "sm_clock_mhz 1000 MHz measured \"by\\hand\"\n", &profile, &err),
        err);
    gp_assert_ok(gp_profile_json(&profile, &json, &err), err);
    assert_non_null(strstr(json, "{\"name\": \"mine\", \"models\": \"my GPU\", \"parameters\": {"));
    assert_non_null(strstr(json,
                           "\"sm_clock_mhz\": {\"value\": 1000, \"unit\": \"MHz\", "
                           "\"provenance\": \"measured\", \"source\": \"\\\"by\\\\hand\\\"\"}"));
    assert_non_null(strstr(json, "\"memory_curve\": {\"value\": [[1, 50], [2, 100], "));
    assert_non_null(strstr(json, "\"sm_order\": {\"value\": [124, 125, "));
    assert_string_equal(json + strlen(json) - 3, "}}}");
    gp_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtins), cmocka_unit_test(test_base_and_changes),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
