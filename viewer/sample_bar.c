/* What is seen is a sample: see sample_bar.h. */
#include "viewer/sample_bar.h"

struct _GpSampleBar {
    GtkWidget parent;
    GtkWidget *box, *text, *progress;
};

G_DEFINE_TYPE(GpSampleBar, gp_sample_bar, GTK_TYPE_WIDGET)

static void dispose(GObject *object)
{
    g_clear_pointer(&GP_SAMPLE_BAR(object)->box, gtk_widget_unparent);
    G_OBJECT_CLASS(gp_sample_bar_parent_class)->dispose(object);
}

static void gp_sample_bar_class_init(GpSampleBarClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = dispose;
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void gp_sample_bar_init(GpSampleBar *self)
{
    self->box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
    self->text = gtk_label_new(NULL);
    self->progress = gtk_progress_bar_new();
    gtk_label_set_xalign(GTK_LABEL(self->text), 0);
    gtk_label_set_ellipsize(GTK_LABEL(self->text), PANGO_ELLIPSIZE_END);
    gtk_widget_add_css_class(self->text, "figure");
    gtk_widget_set_hexpand(self->progress, TRUE);
    gtk_widget_set_valign(self->progress, GTK_ALIGN_CENTER);
    gtk_widget_add_css_class(self->box, "story");
    gtk_box_append(GTK_BOX(self->box), self->text);
    gtk_box_append(GTK_BOX(self->box), self->progress);
    gtk_widget_set_parent(self->box, GTK_WIDGET(self));
    gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

GtkWidget *gp_sample_bar_new(void)
{
    return g_object_new(GP_TYPE_SAMPLE_BAR, NULL);
}

void gp_sample_bar_say(GpSampleBar *self, guint64 shown, guint64 done, guint64 total)
{
    double share = total > 0 ? (double)done / (double)total : 0;
    g_autofree char *rest = done < total ? g_strdup_printf("%.0f %% are read", 100 * share)
                                         : g_strdup("all are read and being put in order");
    g_autofree char *text = g_strdup_printf("A sample, still loading: %" G_GUINT64_FORMAT
                                            " operations stand for %" G_GUINT64_FORMAT "; %s",
                                            shown, total, rest);

    gtk_label_set_text(GTK_LABEL(self->text), text);
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), share);
    gtk_widget_set_visible(GTK_WIDGET(self), TRUE);
}
