/* Colours: see color.h. */
#include "viewer/layout/color.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "probe/memory.h"

static const struct gp_view_palette palettes[GP_VIEW_THEME_COUNT] = {
    [GP_VIEW_LIGHT] =
        {
            .background = 0xffffffff,
            .stripe = 0xfff6f7f9,
            .header = 0xffeef0f3,
            .text = 0xff1c1f24,
            .muted = 0xff5c6470,
            .grid = 0xffe1e4e9,
            .waiting = 0xff8a929e,
            .selection = 0xff0b57d0,
            .range = 0x300b57d0,
            .cursor = 0xffc5221f,
            .mark = 0xff9a5b00,
            .focus = 0xff0b57d0,
            .edge = 0xff5b3fa8,
            .match = 0xffd01884,
            .running = 0xff3f7fbf,
            .idle = {0xff9aa0a6, 0xffe69f00, 0xffcc79a7, 0xffd55e00},
        },
    [GP_VIEW_DARK] =
        {
            .background = 0xff1e2024,
            .stripe = 0xff23262b,
            .header = 0xff2a2d33,
            .text = 0xffe8eaed,
            .muted = 0xffa6adb8,
            .grid = 0xff383c44,
            .waiting = 0xff8f98a6,
            .selection = 0xff8ab4f8,
            .range = 0x408ab4f8,
            .cursor = 0xfff28b82,
            .mark = 0xfffdd663,
            .focus = 0xff8ab4f8,
            .edge = 0xffc3a6ff,
            .match = 0xffff8bcb,
            .running = 0xff6fa8dc,
            .idle = {0xff80868b, 0xffe69f00, 0xffcc79a7, 0xffd55e00},
        },
    [GP_VIEW_CONTRAST] =
        {
            .background = 0xffffffff,
            .stripe = 0xffffffff,
            .header = 0xffffffff,
            .text = 0xff000000,
            .muted = 0xff000000,
            .grid = 0xff808080,
            .waiting = 0xff000000,
            .selection = 0xff0000c0,
            .range = 0x400000c0,
            .cursor = 0xffc00000,
            .mark = 0xff804000,
            .focus = 0xff000000,
            .edge = 0xff600080,
            .match = 0xffc00080,
            .running = 0xff004080,
            .idle = {0xff606060, 0xff804000, 0xff800060, 0xffa03000},
        },
    [GP_VIEW_CONTRAST_DARK] =
        {
            .background = 0xff000000,
            .stripe = 0xff000000,
            .header = 0xff000000,
            .text = 0xffffffff,
            .muted = 0xffffffff,
            .grid = 0xff808080,
            .waiting = 0xffffffff,
            .selection = 0xffffff00,
            .range = 0x60ffff00,
            .cursor = 0xffff8080,
            .mark = 0xffffc040,
            .focus = 0xffffffff,
            .edge = 0xffd0a0ff,
            .match = 0xffff80ff,
            .running = 0xff80c0ff,
            .idle = {0xffa0a0a0, 0xffffc040, 0xffff80ff, 0xffff8040},
        },
};

/* Hues that people with any common colour deficiency can tell apart (Okabe and Ito 2008; Tol 2021,
 * "bright" and "muted"), neighbours differing in lightness as well. Names take one by their hash.
 */
static const uint32_t hues[] = {
    0xff0072b2, 0xffe69f00, 0xff009e73, 0xffcc79a7, 0xff56b4e9, 0xffd55e00, 0xff332288, 0xffddcc77,
    0xff44aa99, 0xff882255, 0xff88ccee, 0xff999933, 0xff117733, 0xffcc6677, 0xff6699cc, 0xffaa4499,
};

enum { HUE_COUNT = sizeof hues / sizeof *hues };

/* Evenly spaced along cividis (Nuñez, Anderton and Renslow 2018). */
static const uint32_t cividis[] = {0xff00224e, 0xff123570, 0xff3b496c, 0xff575d6d, 0xff707173,
                                   0xff8a8678, 0xffa59c74, 0xffc3b369, 0xffe1cc55, 0xfffee838};

const struct gp_view_palette *gp_view_palette(enum gp_view_theme theme)
{
    assert((int)theme >= 0 && theme < GP_VIEW_THEME_COUNT);
    return &palettes[theme];
}

static uint32_t mix(uint32_t a, uint32_t b, double t)
{
    uint32_t mixed = 0xff000000;

    for (unsigned shift = 0; shift < 24; shift += 8) {
        double from = (double)(a >> shift & 0xff), to = (double)(b >> shift & 0xff);

        mixed |= (uint32_t)lround(from + (to - from) * t) << shift;
    }
    return mixed;
}

/* FNV-1a. */
static uint32_t hash(const char *text)
{
    uint32_t value = 2166136261U;

    for (; *text != '\0'; text++) {
        value = (value ^ (uint8_t)*text) * 16777619U;
    }
    return value ^ value >> 15;
}

/* A hue as the theme can show it: at least 1.6 : 1 against the background. */
static uint32_t suit(enum gp_view_theme theme, uint32_t color)
{
    uint32_t background = palettes[theme].background;
    uint32_t away = gp_view_color_on(background);

    for (int i = 0; i < 10 && gp_view_contrast(color, background) < 1.6; i++) {
        color = mix(color, away, 0.15);
    }
    return color;
}

void gp_view_color_names(enum gp_view_theme theme, const char *const *names, uint32_t count,
                         uint32_t *colors)
{
    bool is_taken[HUE_COUNT] = {false};
    uint32_t taken = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t hue = hash(names[i]) % HUE_COUNT;

        while (taken < HUE_COUNT && is_taken[hue]) {
            hue = (hue + 1) % HUE_COUNT;
        }
        taken += !is_taken[hue];
        is_taken[hue] = true;
        colors[i] = suit(theme, hues[hue]);
    }
}

/* Relative luminance as WCAG 2 defines it. */
static double luminance(uint32_t color)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;

    for (unsigned i = 0; i < 3; i++) {
        double part = (double)(color >> (8 * i) & 0xff) / 255;

        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double gp_view_contrast(uint32_t a, uint32_t b)
{
    double first = luminance(a), second = luminance(b);

    return first > second ? (first + 0.05) / (second + 0.05) : (second + 0.05) / (first + 0.05);
}

uint32_t gp_view_color_on(uint32_t background)
{
    const uint32_t black = 0xff000000, white = 0xffffffff;

    return gp_view_contrast(background, black) >= gp_view_contrast(background, white) ? black
                                                                                      : white;
}

uint32_t gp_view_heat(double t)
{
    const int last = (int)(sizeof cividis / sizeof *cividis) - 1;
    double at;

    if (isnan(t)) {
        return 0xff9aa0a6;
    }
    at = fmin(fmax(t, 0), 1) * last;
    if (at >= last) {
        return cividis[last];
    }
    return mix(cividis[(int)at], cividis[(int)at + 1], at - floor(at));
}

uint32_t gp_view_premultiply(uint32_t color, double alpha)
{
    double clamped = alpha < 0 ? 0 : alpha > 1 ? 1 : alpha;
    uint32_t part = (uint32_t)((double)(color >> 24) * clamped + 0.5);
    uint32_t pixel = part << 24;

    for (unsigned shift = 0; shift < 24; shift += 8) {
        pixel |= ((color >> shift & 0xff) * part + 127) / 255 << shift;
    }
    return pixel;
}
