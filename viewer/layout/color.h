/*
 * Colours: one for each name, the same in every cell and in every window; palettes for light, dark
 * and high contrast that people who confuse colours can tell apart; the heat map of the matrix.
 * Colours are 0xAARRGGBB, not premultiplied. Pure functions.
 */
#ifndef GP_VIEWER_LAYOUT_COLOR_H
#define GP_VIEWER_LAYOUT_COLOR_H

#include <stdint.h>

enum gp_view_theme {
    GP_VIEW_LIGHT,
    GP_VIEW_DARK,
    GP_VIEW_CONTRAST, /* black on white */
    GP_VIEW_CONTRAST_DARK,
    GP_VIEW_THEME_COUNT
};

/* Colours of a theme that do not depend on a name. */
struct gp_view_palette {
    uint32_t background, stripe; /* every other row */
    uint32_t header, text, muted, grid;
    uint32_t waiting;   /* the hatch of waiting */
    uint32_t selection; /* outline */
    uint32_t range;     /* translucent */
    uint32_t cursor, mark, focus;
    uint32_t edge;    /* dependencies */
    uint32_t match;   /* hits of a search */
    uint32_t running; /* the strip of how many operations run */
    uint32_t idle[4]; /* kinds of idle time in that strip */
};

/* Static. */
const struct gp_view_palette *gp_view_palette(enum gp_view_theme theme);

/* A colour for each name, by a stable hash of its text; names that would share one get the next
 * free one while there are free ones, in the order of the array. */
void gp_view_color_names(enum gp_view_theme theme, const char *const *names, uint32_t count,
                         uint32_t *colors);

/* Black or white, whichever can be read better on the colour. */
uint32_t gp_view_color_on(uint32_t background);

/* WCAG's contrast of two opaque colours, 1 … 21. */
double gp_view_contrast(uint32_t a, uint32_t b);

/* cividis at t of 0 … 1 (clamped); NAN is grey. */
uint32_t gp_view_heat(double t);

/* Premultiplied, as strips hold it; alpha of 0 … 1 on top of the colour's own. */
uint32_t gp_view_premultiply(uint32_t color, double alpha);

#endif
