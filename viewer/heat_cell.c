/* One place of the heat map: see heat_cell.h. */
#include "viewer/heat_cell.h"

#include "viewer/layout/color.h"

struct _GpHeatCell {
    GtkButton parent;
    guint32 color;
    enum gp_heat_mark mark;
};

G_DEFINE_TYPE(GpHeatCell, gp_heat_cell, GTK_TYPE_BUTTON)

enum { OUTLINE = 3 };

static GdkRGBA rgba_of(guint32 color)
{
    return (GdkRGBA){(float)(color >> 16 & 255) / 255, (float)(color >> 8 & 255) / 255,
                     (float)(color & 255) / 255, 1};
}

static void snapshot(GtkWidget *widget, GtkSnapshot *shot)
{
    GpHeatCell *self = GP_HEAT_CELL(widget);
    GdkRGBA color = rgba_of(self->color);
    GskRoundedRect shape;
    /* The parent draws the child at its place within the padding; the colour fills all of it. */
    graphene_rect_t bounds;

    if (!gtk_widget_compute_bounds(widget, widget, &bounds)) {
        return;
    }
    gsk_rounded_rect_init_from_rect(&shape, &bounds, 3);
    gtk_snapshot_push_rounded_clip(shot, &shape);
    gtk_snapshot_append_color(shot, &color, &bounds);
    gtk_snapshot_pop(shot);
    if (self->mark == GP_HEAT_BEST) {
        GdkRGBA line = rgba_of(gp_view_color_on(self->color));
        GdkRGBA lines[4] = {line, line, line, line};
        const float widths[4] = {OUTLINE, OUTLINE, OUTLINE, OUTLINE};

        gtk_snapshot_append_border(shot, &shape, widths, lines);
    }
    GTK_WIDGET_CLASS(gp_heat_cell_parent_class)->snapshot(widget, shot);
}

static void gp_heat_cell_class_init(GpHeatCellClass *klass)
{
    GTK_WIDGET_CLASS(klass)->snapshot = snapshot;
}

static void gp_heat_cell_init(GpHeatCell *self)
{
    gtk_widget_add_css_class(GTK_WIDGET(self), "heat");
}

GtkWidget *gp_heat_cell_new(guint32 color, const char *text, enum gp_heat_mark mark,
                            const char *name)
{
    static const char *const marks[] = {
        [GP_HEAT_PLAIN] = "", [GP_HEAT_TIED] = " ≈", [GP_HEAT_BEST] = " ★"};
    GpHeatCell *self = g_object_new(GP_TYPE_HEAT_CELL, NULL);
    guint32 ink = gp_view_color_on(color);
    g_autofree char *markup = g_markup_printf_escaped(
        "<span foreground=\"#%06x\" weight=\"%s\">%s%s</span>", ink & 0xffffff,
        mark == GP_HEAT_BEST ? "bold" : "normal", text, marks[mark]);
    GtkWidget *label = gtk_label_new(NULL);

    self->color = color;
    self->mark = mark;
    gtk_label_set_markup(GTK_LABEL(label), markup);
    gtk_widget_add_css_class(label, "figure");
    gtk_button_set_child(GTK_BUTTON(self), label);
    gtk_widget_set_tooltip_text(GTK_WIDGET(self), name);
    gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
    return GTK_WIDGET(self);
}
