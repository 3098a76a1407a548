/* What to do about the waiting: see advice_list.h. */
#include "viewer/advice_list.h"

#include <math.h>

struct _GpAdviceList {
    GtkWidget parent;
    GtkWidget *scrolled, *grid;
};

G_DEFINE_TYPE(GpAdviceList, gp_advice_list, GTK_TYPE_WIDGET)

static void dispose(GObject *object)
{
    GpAdviceList *self = GP_ADVICE_LIST(object);

    g_clear_pointer(&self->scrolled, gtk_widget_unparent);
    G_OBJECT_CLASS(gp_advice_list_parent_class)->dispose(object);
}

static void gp_advice_list_class_init(GpAdviceListClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = dispose;
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void gp_advice_list_init(GpAdviceList *self)
{
    self->scrolled = gtk_scrolled_window_new();
    self->grid = gtk_grid_new();
    gtk_grid_set_column_spacing(GTK_GRID(self->grid), 14);
    gtk_grid_set_row_spacing(GTK_GRID(self->grid), 6);
    gtk_widget_add_css_class(self->grid, "story");
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scrolled), self->grid);
    gtk_widget_set_parent(self->scrolled, GTK_WIDGET(self));
}

GtkWidget *gp_advice_list_new(void)
{
    return g_object_new(GP_TYPE_ADVICE_LIST, NULL);
}

static void add_label(GpAdviceList *self, int column, int row, const char *text,
                      const char *css_class)
{
    GtkWidget *label = gtk_label_new(text);

    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_yalign(GTK_LABEL(label), 0);
    gtk_label_set_wrap(GTK_LABEL(label), column == 2);
    gtk_label_set_selectable(GTK_LABEL(label), TRUE);
    gtk_widget_set_focusable(label, FALSE);
    gtk_widget_set_hexpand(label, column == 2);
    gtk_widget_add_css_class(label, css_class);
    gtk_grid_attach(GTK_GRID(self->grid), label, column, row, 1, 1);
}

void gp_advice_list_show(GpAdviceList *self, const struct gp_advices *advices, const char *reason)
{
    GtkWidget *child;

    while ((child = gtk_widget_get_first_child(self->grid)) != NULL) {
        gtk_grid_remove(GTK_GRID(self->grid), child);
    }
    if (advices == NULL || advices->count == 0) {
        add_label(
            self, 2, 0,
            advices == NULL
                ? reason
                : "There is nothing to advise: what would help was tried in this recording, or no "
                  "change is known that would.",
            "dim-label");
        return;
    }
    for (uint32_t i = 0; i < advices->count; i++) {
        const struct gp_advice *advice = &advices->all[i];
        char gain[32] = "–";

        if (isfinite(advice->gain)) {
            (void)g_snprintf(gain, sizeof gain, "−%.0f %%", 100 * advice->gain);
        }
        add_label(self, 0, (int)i, gain, "policy");
        add_label(self, 1, (int)i, gp_sureness_name(advice->sureness), "key");
        add_label(self, 2, (int)i, advice->text, "figure");
    }
}

void gp_advice_list_offer(GpAdviceList *self, const char *text)
{
    GtkWidget *button = gtk_button_new_with_mnemonic("_Look for advice");

    gp_advice_list_show(self, NULL, text);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "win.advise");
    gtk_widget_set_halign(button, GTK_ALIGN_START);
    gtk_grid_attach(GTK_GRID(self->grid), button, 2, 1, 1, 1);
}
