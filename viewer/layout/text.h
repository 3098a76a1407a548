/*
 * Looking for a text in another.
 */
#ifndef GP_VIEWER_LAYOUT_TEXT_H
#define GP_VIEWER_LAYOUT_TEXT_H

#include <stdbool.h>

/* Regardless of ASCII case; every text contains "". */
bool gp_view_text_contains(const char *text, const char *part);

#endif
