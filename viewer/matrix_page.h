/*
 * The page of figures: a heat map of policy × pool size, a curve per policy, and what they say in
 * one sentence. Emits "opened" with a cell's id when one is to be looked at.
 */
#ifndef GP_VIEWER_MATRIX_PAGE_H
#define GP_VIEWER_MATRIX_PAGE_H

#include <gtk/gtk.h>

#include "viewer/document.h"
#include "viewer/settings.h"

#define GP_TYPE_MATRIX_PAGE (gp_matrix_page_get_type())
G_DECLARE_FINAL_TYPE(GpMatrixPage, gp_matrix_page, GP, MATRIX_PAGE, GtkWidget)

/* A floating widget; settings must outlive it. */
GtkWidget *gp_matrix_page_new(struct gp_settings *settings);

/* Shows the figures, which must live until the next call; NULL: they are being read. */
void gp_matrix_page_show(GpMatrixPage *self, const struct gp_figures *figures);

/* Chooses the table that holds the cell, and puts the keyboard on it. */
void gp_matrix_page_reveal(GpMatrixPage *self, gint64 cell);

#endif
