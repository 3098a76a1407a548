/* Values as the recording has them: sorted, typed, and texts that stay JSON. */
#include "test.h"

#include <jansson.h>
#include <string.h>

#include "core/memory.h"
#include "probe/sweep/params.h"

static const char *const words[] = {"on", "off", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "zeta", .kind = GP_PARAMETER_WHOLE, .max = 100},
    {.name = "alpha", .kind = GP_PARAMETER_TENTHS, .max = 100},
    {.name = "mode", .kind = GP_PARAMETER_WORD, .words = words},
    {.name = "image", .kind = GP_PARAMETER_TEXT},
    {.name = NULL},
};

static char *write_with(const char *text)
{
    const int64_t values[] = {7, 25, 1, (int64_t)(intptr_t)text};

    return gp_params_write(parameters, values);
}

static void test_keys_are_sorted_and_values_typed(void **state)
{
    char *out = write_with("a.cubin");

    (void)state;
    assert_string_equal(out, "{\"alpha\":2.5,\"image\":\"a.cubin\",\"mode\":\"off\",\"zeta\":7}");
    gp_free(out);
}

static void test_no_parameters(void **state)
{
    static const struct gp_parameter none[] = {{.name = NULL}};
    char *out = gp_params_write(none, NULL);

    (void)state;
    assert_string_equal(out, "{}");
    gp_free(out);
}

static void test_texts_come_back_as_they_were(void **state)
{
    char longest[GP_PARAMETER_BYTES_MAX];
    const char *const texts[] = {"",     "a \"quoted\" one", "C:\\x\\", "\"",
                                 "\\\"", "größe µ",          longest};

    (void)state;
    memset(longest, '"', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *out = write_with(texts[i]);
        json_t *object = json_loads(out, JSON_REJECT_DUPLICATES, NULL);

        assert_non_null(object);
        assert_string_equal(json_string_value(json_object_get(object, "image")), texts[i]);
        json_decref(object);
        gp_free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_are_sorted_and_values_typed),
        cmocka_unit_test(test_no_parameters),
        cmocka_unit_test(test_texts_come_back_as_they_were),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
