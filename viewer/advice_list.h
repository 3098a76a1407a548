/*
 * What to do about the waiting: the recording's advice, a sentence each, with its gain and how sure
 * it is.
 */
#ifndef GP_VIEWER_ADVICE_LIST_H
#define GP_VIEWER_ADVICE_LIST_H

#include <gtk/gtk.h>

#include "probe/analysis/advice.h"

#define GP_TYPE_ADVICE_LIST (gp_advice_list_get_type())
G_DECLARE_FINAL_TYPE(GpAdviceList, gp_advice_list, GP, ADVICE_LIST, GtkWidget)

/* Floating and empty. */
GtkWidget *gp_advice_list_new(void);

/* Copies what it shows; advices NULL: nothing is known, and why. */
void gp_advice_list_show(GpAdviceList *self, const struct gp_advices *advices, const char *reason);

/* Says why it was not looked for, with a button that does it: action win.advise. */
void gp_advice_list_offer(GpAdviceList *self, const char *text);

#endif
