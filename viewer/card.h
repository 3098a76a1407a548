/*
 * What a span is in a few words: on a card beside the pointer, and for a screen reader. Knows no
 * display.
 */
#ifndef GP_VIEWER_CARD_H
#define GP_VIEWER_CARD_H

#include "viewer/navigator.h"

/* Lays the card of the hovered span out beside (at.x, at.y), inside at.width × at.height. */
void gp_card_layout(struct gp_view_frame *frame, const struct gp_navigator *navigator,
                    enum gp_view_theme theme, struct gp_view_rect at);

/* The same of how many operations run at the cursor, and what the device waits for while none does.
 */
void gp_card_layout_running(struct gp_view_frame *frame, const struct gp_navigator *navigator,
                            enum gp_view_theme theme, struct gp_view_rect at);

/* "gemm, kernel on stream 2, 12.3 µs from 1.2 ms, waited 3 µs", or "nothing selected"; the caller's
 * (g_free or free). */
char *gp_card_describe(const struct gp_navigator *navigator, struct gp_view_pick pick);

#endif
