/* Numbers, sizes, words and lists as options take them. */
#include "test.h"

#include <inttypes.h>
#include <string.h>

#include "probe/cli/values.h"

static void test_integers_have_a_range(void **state)
{
    static const char *const bad[] = {"",    "x",   "0",  "129", "-1",
                                      "1.5", "1e2", " 1", "+1",  "1 ",
                                      "0x1", "1K",  "-",  "1,2", "99999999999999999999999"};
    struct gp_error err = {0};
    int64_t value = 0;

    (void)state;
    gp_assert_ok(gp_value_integer("--streams", "128", 1, 128, &value, &err), err);
    assert_int_equal(value, 128);
    gp_assert_ok(gp_value_integer("--streams", "-3", -3, 3, &value, &err), err);
    assert_int_equal(value, -3);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(gp_value_integer("--streams", bad[i], 1, 128, &value, &err), GP_EINVAL);
        assert_non_null(strstr(err.text, "--streams"));
        assert_non_null(strstr(err.text, "from 1 to 128"));
    }
}

static void test_seconds(void **state)
{
    static const char *const bad[] = {"",    "0",     "0.0", "-1", "1e3",         "nan",
                                      "inf", "86401", ".",   "1s", "0.0000000001"};
    struct gp_error err = {0};
    int64_t ns = 0;

    (void)state;
    gp_assert_ok(gp_value_seconds("--budget", "1.5", &ns, &err), err);
    assert_int_equal(ns, INT64_C(1500000000));
    gp_assert_ok(gp_value_seconds("--budget", "86400", &ns, &err), err);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (gp_value_seconds("--budget", bad[i], &ns, &err) == 0) {
            fail_msg("'%s' was taken", bad[i]);
        }
    }
}

static void test_unsigned(void **state)
{
    struct gp_error err = {0};
    uint64_t value = 0;

    (void)state;
    gp_assert_ok(gp_value_unsigned("--seed", "18446744073709551615", &value, &err), err);
    assert_true(value == UINT64_MAX);
    assert_int_equal(gp_value_unsigned("--seed", "18446744073709551616", &value, &err), GP_EINVAL);
    assert_int_equal(gp_value_unsigned("--seed", "-1", &value, &err), GP_EINVAL);
    assert_int_equal(gp_value_unsigned("--seed", "", &value, &err), GP_EINVAL);
}

static void test_lists(void **state)
{
    static const char *const bad[] = {"", ",", "a,", ",a", "a,,b"};
    char item[GP_VALUE_ITEM_BYTES_MAX];
    char letters[GP_VALUE_ITEM_BYTES_MAX + 1];
    struct gp_error err = {0};
    const char *cursor = "a,bc";

    (void)state;
    assert_int_equal(gp_value_next("-s", &cursor, item, &err), 1);
    assert_string_equal(item, "a");
    assert_int_equal(gp_value_next("-s", &cursor, item, &err), 1);
    assert_string_equal(item, "bc");
    assert_int_equal(gp_value_next("-s", &cursor, item, &err), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int code = 1;

        for (cursor = bad[i]; code > 0;) {
            code = gp_value_next("-s", &cursor, item, &err);
        }
        assert_int_equal(code, GP_EINVAL);
    }
    memset(letters, 'a', sizeof letters);
    letters[GP_VALUE_ITEM_BYTES_MAX] = '\0';
    cursor = letters;
    assert_int_equal(gp_value_next("-s", &cursor, item, &err), GP_EINVAL);
    cursor = letters + 1;
    assert_int_equal(gp_value_next("-s", &cursor, item, &err), 1);
}

static void test_unknown_words_get_the_nearest(void **state)
{
    static const char *const words[] = {"single", "round-robin"};
    struct gp_error err = {0};
    size_t index = 9;

    (void)state;
    gp_assert_ok(gp_value_word("policy", "round-robin", words, 2, &index, &err), err);
    assert_int_equal(index, 1);
    assert_int_equal(gp_value_word("policy", "round", words, 2, &index, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "unknown policy 'round'; did you mean 'round-robin'?"));
    assert_int_equal(gp_value_word("policy", "", words, 2, &index, &err), GP_EINVAL);
    assert_int_equal(gp_value_word("policy", "x", words, 0, &index, &err), GP_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_have_a_range),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_unsigned),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_unknown_words_get_the_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
