/* The left pane: see cell_list.h. */
#include "viewer/cell_list.h"

#include "viewer/cell_item.h"
#include "viewer/list_scroll.h"

struct _GpCellList {
    GtkWidget parent;
    GtkWidget *box, *entry, *view;
    GListStore *items;
    GtkFilter *filter;
    GtkFilterListModel *filtered;
    GtkSingleSelection *selection;
    struct gp_list_scroll scroll;
    gboolean is_filling;
};

G_DEFINE_TYPE(GpCellList, gp_cell_list, GTK_TYPE_WIDGET)

/* ---- a line of the list -------------------------------------------------------------------- */

static GtkWidget *new_label(const char *name, float align, const char *css_class)
{
    GtkWidget *label = gtk_label_new(NULL);

    gtk_widget_set_name(label, name);
    gtk_label_set_xalign(GTK_LABEL(label), align);
    gtk_widget_add_css_class(label, css_class);
    return label;
}

static void set_up_line(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
    GtkWidget *grid = gtk_grid_new();
    GtkWidget *title = new_label("title", 0, "policy");
    GtkWidget *makespan = new_label("makespan", 1, "figure");
    GtkWidget *subtitle = new_label("subtitle", 0, "dim-label");
    GtkWidget *difference = new_label("difference", 0, "small");

    (void)factory;
    (void)data;
    gtk_widget_add_css_class(subtitle, "small");
    gtk_widget_set_tooltip_text(makespan, "makespan: median over the plain runs");
    gtk_label_set_ellipsize(GTK_LABEL(title), PANGO_ELLIPSIZE_END);
    gtk_label_set_ellipsize(GTK_LABEL(subtitle), PANGO_ELLIPSIZE_END);
    gtk_widget_set_hexpand(title, TRUE);
    gtk_grid_set_column_spacing(GTK_GRID(grid), 8);
    gtk_grid_attach(GTK_GRID(grid), title, 0, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), makespan, 1, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), subtitle, 0, 1, 2, 1);
    gtk_label_set_ellipsize(GTK_LABEL(difference), PANGO_ELLIPSIZE_END);
    gtk_grid_attach(GTK_GRID(grid), difference, 0, 2, 2, 1);
    gtk_list_item_set_child(item, grid);
}

static void bind_line(GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
    GtkGrid *grid = GTK_GRID(gtk_list_item_get_child(list_item));
    GpCellItem *item = GP_CELL_ITEM(gtk_list_item_get_item(list_item));
    GtkWidget *difference = gtk_grid_get_child_at(grid, 0, 2);

    (void)factory;
    (void)data;
    gtk_label_set_text(GTK_LABEL(difference), gp_cell_item_difference(item));
    gtk_widget_set_visible(difference, gp_cell_item_difference(item)[0] != '\0');
    gtk_widget_set_tooltip_text(GTK_WIDGET(grid), gp_cell_item_hint(item));
    gtk_label_set_text(GTK_LABEL(gtk_grid_get_child_at(grid, 0, 0)), gp_cell_item_title(item));
    gtk_label_set_text(GTK_LABEL(gtk_grid_get_child_at(grid, 1, 0)), gp_cell_item_makespan(item));
    gtk_label_set_text(GTK_LABEL(gtk_grid_get_child_at(grid, 0, 1)), gp_cell_item_subtitle(item));
}

/* ---- the pane ------------------------------------------------------------------------------ */

static gboolean does_match(gpointer object, gpointer data)
{
    GpCellList *self = data;

    return gp_cell_item_matches(GP_CELL_ITEM(object),
                                gtk_editable_get_text(GTK_EDITABLE(self->entry)));
}

static void filter_changed(GtkSearchEntry *entry, GpCellList *self)
{
    (void)entry;
    gtk_filter_changed(self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void selection_changed(GtkSingleSelection *selection, GParamSpec *spec, GpCellList *self)
{
    (void)selection;
    (void)spec;
    if (!self->is_filling && gp_cell_list_selected(self) != NULL) {
        g_signal_emit_by_name(self, "chosen");
    }
}

static void dispose(GObject *object)
{
    GpCellList *self = GP_CELL_LIST(object);

    gp_list_scroll_finish(&self->scroll);
    g_clear_pointer(&self->box, gtk_widget_unparent);
    g_clear_object(&self->items);
    G_OBJECT_CLASS(gp_cell_list_parent_class)->dispose(object);
}

static void gp_cell_list_class_init(GpCellListClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = dispose;
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
    (void)g_signal_new("chosen", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 0);
}

static GtkWidget *new_view(GpCellList *self)
{
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    GtkWidget *view;

    g_signal_connect(factory, "setup", G_CALLBACK(set_up_line), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(bind_line), NULL);
    self->items = g_list_store_new(GP_TYPE_CELL_ITEM);
    self->filter = GTK_FILTER(gtk_custom_filter_new(does_match, self, NULL));
    self->filtered =
        gtk_filter_list_model_new(G_LIST_MODEL(g_object_ref(self->items)), self->filter);
    self->selection = gtk_single_selection_new(G_LIST_MODEL(self->filtered));
    gtk_single_selection_set_autoselect(self->selection, FALSE);
    gtk_single_selection_set_can_unselect(self->selection, TRUE);
    g_signal_connect(self->selection, "notify::selected-item", G_CALLBACK(selection_changed), self);
    view = gtk_list_view_new(GTK_SELECTION_MODEL(self->selection), factory);
    gtk_widget_add_css_class(view, "cells");
    gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_LABEL, "Cells",
                                   -1);
    return view;
}

static void gp_cell_list_init(GpCellList *self)
{
    GtkWidget *scrolled = gtk_scrolled_window_new();

    self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    self->entry = gtk_search_entry_new();
    g_object_set(self->entry, "placeholder-text", "Filter cells", NULL);
    gtk_widget_set_margin_start(self->entry, 6);
    gtk_widget_set_margin_end(self->entry, 6);
    gtk_widget_set_margin_top(self->entry, 6);
    gtk_widget_set_margin_bottom(self->entry, 6);
    self->view = new_view(self);
    gp_list_scroll_init(&self->scroll, self->view);
    g_signal_connect(self->entry, "search-changed", G_CALLBACK(filter_changed), self);
    gtk_widget_set_vexpand(scrolled, TRUE);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), self->view);
    gtk_box_append(GTK_BOX(self->box), self->entry);
    gtk_box_append(GTK_BOX(self->box), scrolled);
    gtk_widget_set_parent(self->box, GTK_WIDGET(self));
}

GtkWidget *gp_cell_list_new(void)
{
    return g_object_new(GP_TYPE_CELL_LIST, NULL);
}

void gp_cell_list_set_document(GpCellList *self, const struct gp_document *document)
{
    self->is_filling = TRUE;
    gtk_editable_set_text(GTK_EDITABLE(self->entry), "");
    g_list_store_remove_all(self->items);
    for (uint32_t i = 0; document != NULL && i < document->entry_count; i++) {
        g_autoptr(GpCellItem) item = gp_cell_item_new(document, &document->entries[i]);

        g_list_store_append(self->items, item);
    }
    gtk_single_selection_set_selected(self->selection, GTK_INVALID_LIST_POSITION);
    gp_list_scroll_to(&self->scroll, G_MAXUINT);
    self->is_filling = FALSE;
}

/* Where an entry stands among the lines that are shown. */
static guint find_line(GpCellList *self, const struct gp_entry *entry)
{
    guint count = g_list_model_get_n_items(G_LIST_MODEL(self->filtered));

    for (guint i = 0; i < count; i++) {
        g_autoptr(GpCellItem) item = g_list_model_get_item(G_LIST_MODEL(self->filtered), i);

        if (gp_cell_item_entry(item) == entry) {
            return i;
        }
    }
    return GTK_INVALID_LIST_POSITION;
}

void gp_cell_list_select(GpCellList *self, const struct gp_entry *entry)
{
    guint line = find_line(self, entry);

    if (line == GTK_INVALID_LIST_POSITION) {
        gtk_editable_set_text(GTK_EDITABLE(self->entry), "");
        gtk_filter_changed(self->filter, GTK_FILTER_CHANGE_LESS_STRICT);
        line = find_line(self, entry);
    }
    gtk_single_selection_set_selected(self->selection, line);
    if (line != GTK_INVALID_LIST_POSITION) {
        gp_list_scroll_to(&self->scroll, line);
    }
}

const struct gp_entry *gp_cell_list_selected(GpCellList *self)
{
    GpCellItem *item = gtk_single_selection_get_selected_item(self->selection);

    return item != NULL ? gp_cell_item_entry(item) : NULL;
}
