/* Colours: stable, apart from each other, readable in every theme. */
#include "test.h"

#include <math.h>
#include <stdbool.h>

#include "viewer/layout/color.h"

static const char *const names[] = {"gemm",   "reduce", "copy in", "copy out", "fill",
                                    "filter", "blend",  "sort",    "scan",     "spin"};

enum { COUNT = sizeof names / sizeof *names };

static void test_names_get_colors_of_their_own(void **state)
{
    (void)state;
    for (int theme = 0; theme < GP_VIEW_THEME_COUNT; theme++) {
        uint32_t colors[COUNT], again[COUNT];

        gp_view_color_names((enum gp_view_theme)theme, names, COUNT, colors);
        gp_view_color_names((enum gp_view_theme)theme, names, COUNT, again);
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(colors[i], again[i]);
            assert_int_equal(colors[i] >> 24, 0xff);
            for (int k = 0; k < i; k++) {
                assert_int_not_equal(colors[i], colors[k]);
            }
        }
    }
}

/* The first of a list keeps its colour whatever follows it. */
static void test_colors_do_not_depend_on_later_names(void **state)
{
    uint32_t all[COUNT], few[3];

    (void)state;
    gp_view_color_names(GP_VIEW_LIGHT, names, COUNT, all);
    gp_view_color_names(GP_VIEW_LIGHT, names, 3, few);
    assert_memory_equal(all, few, sizeof few);
}

static void test_more_names_than_colors(void **state)
{
    const char *many[200];
    uint32_t colors[200];

    (void)state;
    for (int i = 0; i < 200; i++) {
        many[i] = names[i % COUNT];
    }
    gp_view_color_names(GP_VIEW_DARK, many, 200, colors);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(colors[i] >> 24, 0xff);
    }
}

static void test_everything_can_be_read(void **state)
{
    (void)state;
    for (int theme = 0; theme < GP_VIEW_THEME_COUNT; theme++) {
        const struct gp_view_palette *palette = gp_view_palette((enum gp_view_theme)theme);
        bool is_high = theme == GP_VIEW_CONTRAST || theme == GP_VIEW_CONTRAST_DARK;
        double text_min = is_high ? 7 : 4.5;
        uint32_t colors[COUNT];

        assert_true(gp_view_contrast(palette->text, palette->background) >= text_min);
        assert_true(gp_view_contrast(palette->text, palette->header) >= text_min);
        assert_true(gp_view_contrast(palette->muted, palette->header) >= text_min);
        /* What is drawn, and not read. */
        assert_true(gp_view_contrast(palette->selection, palette->background) >= 3);
        assert_true(gp_view_contrast(palette->cursor, palette->background) >= 3);
        assert_true(gp_view_contrast(palette->focus, palette->background) >= 3);
        assert_true(gp_view_contrast(palette->edge, palette->background) >= 3);
        assert_true(gp_view_contrast(palette->mark, palette->background) >= 3);
        assert_true(gp_view_contrast(palette->match, palette->background) >= 3);
        assert_true(gp_view_contrast(palette->waiting, palette->background) >= 3);
        gp_view_color_names((enum gp_view_theme)theme, names, COUNT, colors);
        for (int i = 0; i < COUNT; i++) {
            assert_true(gp_view_contrast(gp_view_color_on(colors[i]), colors[i]) >= 4.5);
            assert_true(gp_view_contrast(colors[i], palette->background) >= 1.5);
        }
    }
}

static void test_contrast_is_wcags(void **state)
{
    (void)state;
    assert_true(fabs(gp_view_contrast(0xff000000, 0xffffffff) - 21) < 1e-9);
    assert_true(fabs(gp_view_contrast(0xff777777, 0xffffffff) - 4.478) < 0.001);
    assert_true(fabs(gp_view_contrast(0xffff0000, 0xff0000ff) -
                     gp_view_contrast(0xff0000ff, 0xffff0000)) < 1e-12);
}

/* Lightness alone orders the heat map, for those who see no colours. */
static void test_heat_grows_lighter(void **state)
{
    double before = 0;

    (void)state;
    for (int i = 0; i <= 100; i++) {
        double contrast = gp_view_contrast(gp_view_heat(i / 100.0), 0xff000000);

        assert_true(contrast > before);
        before = contrast;
    }
    assert_int_equal(gp_view_heat(-5), gp_view_heat(0));
    assert_int_equal(gp_view_heat(7), gp_view_heat(1));
    assert_int_equal(gp_view_heat(0), 0xff00224e);
    assert_int_equal(gp_view_heat(1), 0xfffee838);
    assert_int_equal(gp_view_heat(NAN), 0xff9aa0a6);
}

static void test_premultiplied(void **state)
{
    (void)state;
    assert_int_equal(gp_view_premultiply(0xff204080, 1), 0xff204080);
    assert_int_equal(gp_view_premultiply(0xff204080, 0.5), 0x80102040);
    assert_int_equal(gp_view_premultiply(0xff204080, -1), 0);
    assert_int_equal(gp_view_premultiply(0x80ffffff, 1), 0x80808080);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_get_colors_of_their_own),
        cmocka_unit_test(test_colors_do_not_depend_on_later_names),
        cmocka_unit_test(test_more_names_than_colors),
        cmocka_unit_test(test_everything_can_be_read),
        cmocka_unit_test(test_contrast_is_wcags),
        cmocka_unit_test(test_heat_grows_lighter),
        cmocka_unit_test(test_premultiplied),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
