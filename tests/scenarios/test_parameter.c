/* Values of parameters: read, checked, written, and what is said of those that are not allowed. */
#include "test.h"

#include <inttypes.h>
#include <string.h>

#include "scenarios/parameter.h"

static const char *const words[] = {"pinned", "pageable", NULL};

static const struct gp_parameter whole = {
    .name = "bytes", .initial = 0, .min = INT64_MIN + 1, .max = INT64_MAX};
static const struct gp_parameter few = {
    .name = "m", .initial = 64, .min = 64, .max = 1024, .multiple = 64, .adapts = true};
static const struct gp_parameter waves = {
    .name = "waves", .kind = GP_PARAMETER_TENTHS, .initial = 40, .min = 5, .max = 100};
static const struct gp_parameter memory = {
    .name = "memory", .kind = GP_PARAMETER_WORD, .words = words};

static void expect_read(const struct gp_parameter *parameter, const char *text, int64_t value)
{
    struct gp_error err = {0};
    int64_t got = -1;

    gp_assert_ok(gp_parameter_read("test", parameter, text, &got, &err), err);
    assert_int_equal(got, value);
}

static void expect_refused(const struct gp_parameter *parameter, const char *text,
                           const char *message)
{
    struct gp_error err = {0};
    int64_t got = -1;

    if (gp_parameter_read("test", parameter, text, &got, &err) == 0) {
        fail_msg("'%s' was taken as %" PRId64, text, got);
    }
    assert_int_equal(err.code, GP_EINVAL);
    if (strstr(err.text, message) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", err.text, message);
    }
}

static void test_whole_numbers_have_suffixes(void **state)
{
    static const char *const bad[] = {"",
                                      "K",
                                      "4KB",
                                      "4T",
                                      "4 K",
                                      "+1",
                                      "1.5M",
                                      "8589934592G",
                                      "0x1",
                                      "-",
                                      "auto",
                                      "9223372036854775808",
                                      "9007199254740992K"};

    (void)state;
    expect_read(&whole, "7", 7);
    expect_read(&whole, "4K", 4096);
    expect_read(&whole, "4k", 4096);
    expect_read(&whole, "3M", 3 << 20);
    expect_read(&whole, "1G", 1 << 30);
    expect_read(&whole, "-2K", -2048);
    expect_read(&whole, "9223372036854775807", INT64_MAX);
    expect_read(&whole, "8589934591G", INT64_C(8589934591) << 30);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        expect_refused(&whole, bad[i], "test: bytes: '");
    }
}

static void test_ranges_are_kept_and_named(void **state)
{
    (void)state;
    expect_read(&few, "64", 64);
    expect_read(&few, "1K", 1024);
    expect_read(&few, "auto", GP_AUTO);
    expect_refused(&few, "0", "m is 0, allowed is 64 to 1024, a multiple of 64, or auto");
    expect_refused(&few, "100", "m is 100, allowed is 64 to 1024, a multiple of 64");
    expect_refused(&few, "1088", "allowed is 64 to 1024");
    expect_refused(&few, "automatic", "'automatic' is not a whole number; allowed is 64 to 1024");
}

static void test_tenths(void **state)
{
    char text[GP_PARAMETER_BYTES_MAX];

    (void)state;
    expect_read(&waves, "2.5", 25);
    expect_read(&waves, "0.5", 5);
    expect_read(&waves, "10", 100);
    expect_refused(&waves, "0.4", "waves is 0.4, allowed is 0.5 to 10.0");
    expect_refused(&waves, "-0.5", "waves is -0.5, allowed is 0.5 to 10.0");
    expect_refused(&waves, "2.55", "at most one digit after the point");
    expect_refused(&waves, "2.", "at most one digit after the point");
    expect_refused(&waves, "9223372036854775807", "is too large");
    gp_parameter_write(&waves, 25, text);
    assert_string_equal(text, "2.5");
    gp_parameter_write(&waves, 100, text);
    assert_string_equal(text, "10.0");
}

static void test_words(void **state)
{
    char text[GP_PARAMETER_BYTES_MAX];

    (void)state;
    expect_read(&memory, "pinned", 0);
    expect_read(&memory, "pageable", 1);
    expect_refused(&memory, "pagable",
                   "memory is 'pagable', allowed are pinned, pageable; did you mean 'pageable'?");
    expect_refused(&memory, "", "allowed are pinned, pageable");
    gp_parameter_write(&memory, 1, text);
    assert_string_equal(text, "pageable");
    gp_parameter_write(&few, GP_AUTO, text);
    assert_string_equal(text, "auto");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers_have_suffixes),
        cmocka_unit_test(test_ranges_are_kept_and_named),
        cmocka_unit_test(test_tenths),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
