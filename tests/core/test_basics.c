/* error, memory, nearest. */
#include "test.h"

#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/nearest.h"

static void test_error_has_code_and_text(void **state)
{
    struct gp_error err = {0};

    (void)state;
    assert_int_equal(gp_fail(&err, GP_ENOTFOUND, "no %s", "thing"), GP_ENOTFOUND);
    assert_int_equal(gp_fail_context(&err, "file %d", 3), GP_ENOTFOUND);
    assert_string_equal(err.text, "file 3: no thing");
    assert_string_equal(gp_error_name(GP_EINTERRUPTED), "GP_EINTERRUPTED");
    assert_string_equal(gp_error_text(-1000), "unknown error");
}

static void test_long_context_is_cut(void **state)
{
    struct gp_error err = {0};
    char text[600];

    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    (void)gp_fail(&err, GP_EIO, "%s", text);
    (void)gp_fail_context(&err, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void test_memory_overflow_is_refused(void **state)
{
    void *block = NULL;

    (void)state;
    assert_null(gp_alloc(SIZE_MAX / 2, 4));
    assert_int_equal(gp_realloc(&block, 0, 8, 4), 0);
    ((int *)block)[7] = 7;
    assert_int_equal(gp_realloc(&block, 8, 16, 4), 0);
    assert_int_equal(((int *)block)[7], 7);
    assert_int_equal(((int *)block)[15], 0);
    assert_int_equal(gp_realloc(&block, 16, SIZE_MAX / 2, 4), -1);
    assert_int_equal(((int *)block)[7], 7);
    gp_free(block);
}

static void test_nearest(void **state)
{
    static const char *const known[] = {"single", "round-robin", "level"};

    (void)state;
    assert_string_equal(gp_nearest("sinlge", known, 3), "single");
    assert_string_equal(gp_nearest("round_robin", known, 3), "round-robin");
    assert_string_equal(gp_nearest("levle", known, 3), "level");
    assert_string_equal(gp_nearest("round", known, 3), "round-robin");
    assert_string_equal(gp_nearest("", known, 3), "level");
    assert_string_equal(gp_nearest("x", known, 0), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_has_code_and_text),
        cmocka_unit_test(test_long_context_is_cut),
        cmocka_unit_test(test_memory_overflow_is_refused),
        cmocka_unit_test(test_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
