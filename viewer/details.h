/*
 * The tabs below the timeline: the story of the selection, the statistics of what is measured, all
 * operations. Emits "chosen" with an operation's id when one is selected in the table.
 */
#ifndef GP_VIEWER_DETAILS_H
#define GP_VIEWER_DETAILS_H

#include <gtk/gtk.h>

#include "viewer/document.h"
#include "viewer/navigator.h"
#include "viewer/why.h"

#define GP_TYPE_DETAILS (gp_details_get_type())
G_DECLARE_FINAL_TYPE(GpDetails, gp_details, GP, DETAILS, GtkWidget)

/* Floating and empty. */
GtkWidget *gp_details_new(void);

/* Shows what belongs to the navigator, which must live until the next call, as must the reader
 * (used in this thread); both NULL: nothing. */
void gp_details_show(GpDetails *self, const struct gp_navigator *navigator,
                     struct gp_reader *reader);

/* Shows the causes of waiting, which must live until the next call; NULL: none are known, and why.
 */
void gp_details_explain(GpDetails *self, const struct gp_why *why, const char *reason);

/* Says why causes were not looked for, with a button that does it: action page.explain. */
void gp_details_offer_causes(GpDetails *self, const char *text);

/* The same of advice: action win.advise. */
void gp_details_offer_advice(GpDetails *self, const char *text);

/* Shows what to do, which is copied; NULL: nothing is known, and why. */
void gp_details_advise(GpDetails *self, const struct gp_advices *advices, const char *reason);

/* Something was measured, or picked: what belongs to it is shown, unless somebody looks at another
 * tab than the selection's and the range's. */
void gp_details_turn_to_range(GpDetails *self);
void gp_details_turn_to_selection(GpDetails *self);

/* The navigator has changed. */
void gp_details_refresh(GpDetails *self);

#endif
