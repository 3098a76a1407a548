/*
 * The page of one cell: its timeline with what belongs to it, while it is read the progress, and
 * when it cannot be read why. Emits "rested" when a cell is read, or cannot be.
 */
#ifndef GP_VIEWER_TIMELINE_PAGE_H
#define GP_VIEWER_TIMELINE_PAGE_H

#include <gtk/gtk.h>

#include "viewer/document.h"
#include "viewer/settings.h"

#define GP_TYPE_TIMELINE_PAGE (gp_timeline_page_get_type())
G_DECLARE_FINAL_TYPE(GpTimelinePage, gp_timeline_page, GP, TIMELINE_PAGE, GtkWidget)

/* Floating and empty; settings must outlive it. */
GtkWidget *gp_timeline_page_new(struct gp_settings *settings);

/* Reads the operations of an entry in the background and shows them. The document must live until
 * the next call; entry NULL: no cell is chosen. */
void gp_timeline_page_show(GpTimelinePage *self, const struct gp_document *document,
                           const struct gp_entry *entry);

/* Shows what to do about the recording, which is copied; NULL: not looked for (yet). */
void gp_timeline_page_advise(GpTimelinePage *self, const struct gp_advices *advices,
                             const char *reason);

/* Says why advice was not looked for, with a button for action win.advise. */
void gp_timeline_page_offer_advice(GpTimelinePage *self, const char *text);

/* Writes what is seen into a file (export.h). GP_ESTATE: nothing is. */
int gp_timeline_page_export(GpTimelinePage *self, const char *path, struct gp_error *err);

/* Puts the keyboard into the search. */
void gp_timeline_page_search(GpTimelinePage *self);

#endif
