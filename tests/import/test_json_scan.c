/* Tokens of JSON, read a byte at a time and all at once. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/import/json_scan.h"

struct source {
    const char *text;
    size_t left, at_once;
};

static long read_text(void *user, char *buffer, size_t bytes, struct gp_error *err)
{
    struct source *source = user;
    size_t count = source->left < source->at_once ? source->left : source->at_once;

    if (source->text == NULL) {
        return gp_fail(err, GP_EIO, "no source");
    }
    count = count < bytes ? count : bytes;
    memcpy(buffer, source->text, count);
    source->text += count;
    source->left -= count;
    return (long)count;
}

/* The tokens as letters, with texts of scalars behind them; ends with E (error) or . (the end). */
static void scan_by(const char *text, size_t at_once, char *out, size_t bytes)
{
    struct source source = {text, strlen(text), at_once};
    struct gp_json_scan *scan = calloc(1, sizeof *scan);
    struct gp_error err = {0};
    size_t used = 0;
    int token;

    assert_non_null(scan);
    scan->read = read_text;
    scan->user = &source;
    do {
        token = gp_json_scan_next(scan, &err);
        used += (size_t)snprintf(out + used, bytes - used, "%c%s",
                                 token < 0 ? 'E' : ".{}[]:snw"[token], scan -> text);
        assert_true(used < bytes);
    } while (token > 0);
    assert_true(token == 0 || (token == GP_EFORMAT && err.text[0] != '\0'));
    free(scan);
}

static void expect(const char *text, const char *tokens)
{
    char once[1024], bytewise[1024];

    scan_by(text, SIZE_MAX, once, sizeof once);
    scan_by(text, 1, bytewise, sizeof bytewise);
    assert_string_equal(once, tokens);
    assert_string_equal(bytewise, tokens);
}

static void test_values(void **state)
{
    (void)state;
    expect("{}", "{}.");
    expect(" [ ] \n", "[].");
    expect("{\"a\": 1, \"b\": [true, null, -1.5e+3, \"x\"]}", "{:an1:b[wtruewnulln-1.5e+3sx]}.");
    expect("[NaN, Infinity, -Infinity]", "[wNaNwInfinityw-Infinity].");
    expect("7", "n7.");
}

static void test_strings(void **state)
{
    (void)state;
    expect("\"a\\n\\\"\\\\\\/\\t\"", "sa\n\"\\/\t.");
    expect("\"\\u00e9\\u20ac\\u0041\"", "s\xc3\xa9\xe2\x82\xac"
                                        "A.");
    expect("\"\\ud83d\\ude00\"", "s\xef\xbf\xbd\xef\xbf\xbd.");
    expect("\"a\\u0000b\"", "sab.");
    expect("\"\xff\"", "s\xff.");
}

static void test_what_breaks_off_ends(void **state)
{
    (void)state;
    expect("", ".");
    expect("[{\"ph\": \"X\"},", "[{:phsX}.");
    expect("[{\"ph\": \"X", "[{:ph.X");
    expect("[12", "[.12");
    expect("{\"a\\", "{.a");
}

static void test_what_is_no_json(void **state)
{
    static const char *const texts[] = {
        "[1,]",
        "{,}",
        "{\"a\"}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "[1 2]",
        "[}",
        "{]",
        "]",
        "[1]]",
        "{a:1}",
        "[01]",
        "[1.]",
        "[1e]",
        "[.5]",
        "[+1]",
        "[maybe]",
        "\"\\x\"",
        "[\"\\u12g4\"]",
        "[\x01]",
        "[1] []",
        "{\"a\":}",
        "{\"a\":1,}",
        "[,1]",
        "[--1]",
    };
    char out[256];

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        scan_by(texts[i], SIZE_MAX, out, sizeof out);
        if (strchr(out, 'E') == NULL) {
            fail_msg("'%s' was read as %s", texts[i], out);
        }
    }
}

/* Texts are cut and depth is limited, whatever the input. */
static void test_limits(void **state)
{
    enum { BYTES = 100000 };
    char *text = malloc(BYTES + 1);
    struct gp_json_scan *scan = calloc(1, sizeof *scan);
    struct gp_error err = {0};
    struct source source = {text, BYTES, SIZE_MAX};
    int token;

    (void)state;
    assert_non_null(text);
    assert_non_null(scan);
    memset(text, '[', BYTES);
    text[BYTES] = '\0';
    scan->read = read_text;
    scan->user = &source;
    do {
        token = gp_json_scan_next(scan, &err);
    } while (token > 0);
    assert_int_equal(token, GP_EFORMAT);
    assert_non_null(strstr(err.text, "nested deeper than 512"));
    memset(scan, 0, sizeof *scan);
    memset(text, 'x', BYTES);
    text[0] = text[BYTES - 1] = '"';
    source = (struct source){text, BYTES, 4099};
    scan->read = read_text;
    scan->user = &source;
    assert_int_equal(gp_json_scan_next(scan, &err), GP_JSON_STRING);
    assert_int_equal(scan->length, GP_JSON_TEXT_BYTES_MAX);
    assert_int_equal(gp_json_scan_next(scan, &err), GP_JSON_END);
    memset(scan, 0, sizeof *scan);
    source.text = NULL;
    scan->read = read_text;
    scan->user = &source;
    assert_int_equal(gp_json_scan_next(scan, &err), GP_EIO);
    free(scan);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_what_breaks_off_ends),
        cmocka_unit_test(test_what_is_no_json),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
