/* A table of any length: see table.h. */
#include "viewer/table.h"

#include "probe/memory.h"
#include "viewer/layout/sort.h"
#include "viewer/list_scroll.h"

enum {
    TEXT_BYTES = 200,
    LOOK_MS = 60,
    WAIT_FOR = 20000, /* lines: fewer are sorted before anybody notices */
};

/* What is sorted in a thread, and what comes out. */
struct sorting {
    const struct gp_table_source *source;
    gpointer user;
    guint column;
    guint32 count;
    gboolean is_descending;
    guint32 *order;
};

/* What a column's callbacks know. */
struct column {
    GpTable *table;
    guint index;
};

struct _GpTable {
    GtkWidget parent;
    GtkWidget *box, *scrolled, *view;
    GtkWidget *bar, *progress; /* while it sorts */
    const struct gp_table_source *source;
    gpointer user;
    struct column *columns;
    GpTableModel *model;
    GtkSingleSelection *selection;
    guint sort_column;
    struct gp_view_job *job; /* that sorts; NULL: none */
    struct sorting sorting;
    guint sort_source;
    struct gp_list_scroll scroll;
    gboolean is_selecting;
};

G_DEFINE_TYPE(GpTable, gp_table, GTK_TYPE_WIDGET)

/* ---- lines --------------------------------------------------------------------------------- */

static void set_up_text(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
    const struct column *column = data;
    GtkWidget *label = gtk_label_new(NULL);

    (void)factory;
    gtk_label_set_xalign(GTK_LABEL(label),
                         column->table->source->columns[column->index].is_number ? 1 : 0);
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_widget_add_css_class(label, "figure");
    gtk_list_item_set_child(item, label);
}

static void bind_text(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
    const struct column *column = data;
    GpTableLine *line = GP_TABLE_LINE(gtk_list_item_get_item(item));
    char text[TEXT_BYTES];

    (void)factory;
    column->table->source->text(column->table->user, gp_table_line_number(line), column->index,
                                text, sizeof text);
    gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)), text);
}

/* ---- order --------------------------------------------------------------------------------- */

/* GTK 4.8 does not tell by which column its view is sorted. Asked to compare two lines, its sorter
 * asks the column's, which notes who it is and answers "less"; a view that sorts downwards turns
 * the answer round. */
static int note_column(gconstpointer a, gconstpointer b, gpointer data)
{
    struct column *column = data;

    (void)a;
    (void)b;
    column->table->sort_column = column->index;
    return -1;
}

/* Sorting in the thread of a job. */
static void sort(struct gp_view_job *job, gpointer user)
{
    struct sorting *sorting = user;
    gint64 *keys = gp_xalloc(sorting->count, sizeof *keys);

    sorting->source->keys(sorting->user, sorting->column, keys, sorting->count);
    sorting->order = gp_view_sort(keys, sorting->count, sorting->is_descending, job);
    gp_free(keys);
}

/* The line that is selected is elsewhere now. */
static void reveal_selection(GpTable *self)
{
    guint position = gtk_single_selection_get_selected(self->selection);

    if (position != GTK_INVALID_LIST_POSITION) {
        gp_list_scroll_to(&self->scroll, position);
    }
}

static void end_sorting(GpTable *self, gboolean is_given_up)
{
    if (self->job != NULL) {
        (void)gp_view_job_finish(g_steal_pointer(&self->job), is_given_up);
        if (is_given_up) {
            gp_free(self->sorting.order);
        } else {
            self->is_selecting = TRUE;
            gp_table_model_arrange(self->model, self->sorting.order);
            self->is_selecting = FALSE;
            reveal_selection(self);
        }
        self->sorting.order = NULL;
    }
    if (self->sort_source != 0) {
        g_source_remove(self->sort_source);
        self->sort_source = 0;
    }
    gtk_widget_set_visible(self->bar, FALSE);
}

static gboolean look_at_sorting(gpointer data)
{
    GpTable *self = data;
    double share;

    if (gp_view_job_is_over(self->job, &share)) {
        self->sort_source = 0;
        end_sorting(self, FALSE);
        return G_SOURCE_REMOVE;
    }
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), share);
    gtk_widget_set_visible(self->bar, TRUE);
    return G_SOURCE_CONTINUE;
}

static void begin_sorting(GpTable *self, guint column, gboolean is_descending)
{
    guint32 count = g_list_model_get_n_items(G_LIST_MODEL(self->model));

    self->sorting = (struct sorting){self->source, self->user, column, count, is_descending, NULL};
    self->job = gp_view_job_begin(sort, &self->sorting);
    if (count < WAIT_FOR) {
        end_sorting(self, FALSE);
    } else {
        self->sort_source = g_timeout_add(LOOK_MS, look_at_sorting, self);
    }
}

static void order_changed(GtkSorter *sorter, GtkSorterChange change, GpTable *self)
{
    g_autoptr(GpTableLine) one = gp_table_line_new(0);
    g_autoptr(GpTableLine) two = gp_table_line_new(1);
    GtkOrdering ordering;

    (void)change;
    end_sorting(self, TRUE);
    self->sort_column = G_MAXUINT;
    ordering = gtk_sorter_compare(sorter, one, two);
    if (self->sort_column == G_MAXUINT) {
        self->is_selecting = TRUE;
        gp_table_model_fill(self->model, g_list_model_get_n_items(G_LIST_MODEL(self->model)));
        self->is_selecting = FALSE;
    } else {
        begin_sorting(self, self->sort_column, ordering == GTK_ORDERING_LARGER);
    }
}

/* Back to the order in which nothing is sorted. */
static void stop(GtkButton *button, GpTable *self)
{
    (void)button;
    gtk_column_view_sort_by_column(GTK_COLUMN_VIEW(self->view), NULL, GTK_SORT_ASCENDING);
}

/* ---- selection ----------------------------------------------------------------------------- */

static void selection_changed(GtkSingleSelection *selection, GParamSpec *spec, GpTable *self)
{
    GpTableLine *line = gtk_single_selection_get_selected_item(selection);

    (void)spec;
    if (!self->is_selecting && line != NULL) {
        g_signal_emit_by_name(self, "chosen", gp_table_line_number(line));
    }
}

void gp_table_select(GpTable *self, guint32 line)
{
    guint position = line == G_MAXUINT32 ? G_MAXUINT : gp_table_model_find(self->model, line);

    self->is_selecting = TRUE;
    gtk_single_selection_set_selected(self->selection,
                                      position == G_MAXUINT ? GTK_INVALID_LIST_POSITION : position);
    self->is_selecting = FALSE;
    gp_list_scroll_to(&self->scroll, position);
}

void gp_table_fill(GpTable *self, gpointer user, guint32 count)
{
    end_sorting(self, TRUE);
    self->is_selecting = TRUE;
    self->user = user;
    gp_table_model_fill(self->model, count);
    gtk_single_selection_set_selected(self->selection, GTK_INVALID_LIST_POSITION);
    self->is_selecting = FALSE;
    gp_list_scroll_to(&self->scroll, G_MAXUINT);
    if (count > 0) {
        order_changed(gtk_column_view_get_sorter(GTK_COLUMN_VIEW(self->view)),
                      GTK_SORTER_CHANGE_DIFFERENT, self);
    }
}

/* ---- making it ----------------------------------------------------------------------------- */

static void dispose(GObject *object)
{
    GpTable *self = GP_TABLE(object);

    gp_list_scroll_finish(&self->scroll);
    if (self->box != NULL) {
        end_sorting(self, TRUE);
    }
    g_clear_pointer(&self->box, gtk_widget_unparent);
    g_clear_object(&self->model);
    G_OBJECT_CLASS(gp_table_parent_class)->dispose(object);
}

static void finalize(GObject *object)
{
    g_free(GP_TABLE(object)->columns);
    G_OBJECT_CLASS(gp_table_parent_class)->finalize(object);
}

static void gp_table_class_init(GpTableClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = dispose;
    G_OBJECT_CLASS(klass)->finalize = finalize;
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
    (void)g_signal_new("chosen", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 1, G_TYPE_UINT);
}

static GtkWidget *new_bar(GpTable *self)
{
    GtkWidget *button = gtk_button_new_with_label("Stop sorting");

    self->bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
    self->progress = gtk_progress_bar_new();
    gtk_progress_bar_set_text(GTK_PROGRESS_BAR(self->progress), "Sorting");
    gtk_progress_bar_set_show_text(GTK_PROGRESS_BAR(self->progress), TRUE);
    gtk_widget_set_hexpand(self->progress, TRUE);
    gtk_widget_add_css_class(self->bar, "story");
    g_signal_connect(button, "clicked", G_CALLBACK(stop), self);
    gtk_box_append(GTK_BOX(self->bar), self->progress);
    gtk_box_append(GTK_BOX(self->bar), button);
    gtk_widget_set_visible(self->bar, FALSE);
    return self->bar;
}

static void gp_table_init(GpTable *self)
{
    self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(self->box), new_bar(self));
    self->scrolled = gtk_scrolled_window_new();
    gtk_widget_set_vexpand(self->scrolled, TRUE);
    gtk_box_append(GTK_BOX(self->box), self->scrolled);
    gtk_widget_set_parent(self->box, GTK_WIDGET(self));
    self->model = gp_table_model_new();
    self->selection = gtk_single_selection_new(G_LIST_MODEL(g_object_ref(self->model)));
    gtk_single_selection_set_autoselect(self->selection, FALSE);
    gtk_single_selection_set_can_unselect(self->selection, TRUE);
    g_signal_connect(self->selection, "notify::selected-item", G_CALLBACK(selection_changed), self);
    self->view = gtk_column_view_new(GTK_SELECTION_MODEL(self->selection));
    gtk_widget_add_css_class(self->view, "data-table");
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scrolled), self->view);
    gp_list_scroll_init(&self->scroll, self->view);
}

static void add_column(GpTable *self, guint index)
{
    const struct gp_table_column *description = &self->source->columns[index];
    struct column *column = &self->columns[index];
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_autoptr(GtkColumnViewColumn) view_column =
        gtk_column_view_column_new(description->title, factory);
    g_autoptr(GtkSorter) sorter = GTK_SORTER(gtk_custom_sorter_new(note_column, column, NULL));

    *column = (struct column){self, index};
    g_signal_connect(factory, "setup", G_CALLBACK(set_up_text), column);
    g_signal_connect(factory, "bind", G_CALLBACK(bind_text), column);
    gtk_column_view_column_set_resizable(view_column, TRUE);
    gtk_column_view_column_set_sorter(view_column, sorter);
    if (description->width > 0) {
        gtk_column_view_column_set_fixed_width(view_column, description->width);
    } else {
        gtk_column_view_column_set_expand(view_column, TRUE);
    }
    gtk_column_view_append_column(GTK_COLUMN_VIEW(self->view), view_column);
}

GtkWidget *gp_table_new(const struct gp_table_source *source)
{
    GpTable *self = g_object_new(GP_TYPE_TABLE, NULL);

    self->source = source;
    self->columns = g_new0(struct column, source->column_count);
    for (guint i = 0; i < source->column_count; i++) {
        add_column(self, i);
    }
    g_signal_connect(gtk_column_view_get_sorter(GTK_COLUMN_VIEW(self->view)), "changed",
                     G_CALLBACK(order_changed), self);
    gtk_accessible_update_property(GTK_ACCESSIBLE(self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   source->name, -1);
    return GTK_WIDGET(self);
}
