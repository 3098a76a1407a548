/* The page of figures: see matrix_page.h. */
#include "viewer/matrix_page.h"

#include <math.h>

#include "viewer/curves.h"
#include "viewer/heat_cell.h"
#include "viewer/layout/color.h"
#include "viewer/matrix.h"

struct _GpMatrixPage {
    GtkWidget parent;
    GtkWidget *stack, *tables, *metrics, *summary, *headline, *grid, *curves;
    struct gp_matrix *matrices;
    uint32_t matrix_count;
    struct gp_settings *settings;
    gboolean is_filling;
};

G_DEFINE_TYPE(GpMatrixPage, gp_matrix_page, GTK_TYPE_WIDGET)

#define METRIC_KEY "matrix-metric"

static const struct gp_matrix *chosen_matrix(GpMatrixPage *self)
{
    guint index = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->tables));

    return index < self->matrix_count ? &self->matrices[index] : NULL;
}

static enum gp_matrix_metric chosen_metric(GpMatrixPage *self)
{
    guint index = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->metrics));

    return index < GP_MATRIX_METRIC_COUNT ? (enum gp_matrix_metric)index : GP_MATRIX_MAKESPAN;
}

/* ---- the heat map -------------------------------------------------------------------------- */

static void open_cell(GtkButton *button, GpMatrixPage *self)
{
    gint64 *id = g_object_get_data(G_OBJECT(button), "cell");

    g_signal_emit_by_name(self, "opened", *id);
}

/* "round-robin, 8 streams: makespan 3.282 ms, recommended" */
static char *describe(const struct gp_result *result, enum gp_matrix_metric metric,
                      const char *figure)
{
    const char *unit = gp_matrix_metric_unit(metric);
    struct gp_figure value = gp_matrix_figure(result, metric);
    g_autofree char *interval = NULL;
    char lo[32], hi[32];

    if (isfinite(value.lo) && isfinite(value.hi)) {
        gp_matrix_format(value.lo, lo, sizeof lo);
        gp_matrix_format(value.hi, hi, sizeof hi);
        interval = g_strdup_printf(" (95 %% interval %s – %s)", lo, hi);
    }
    return g_strdup_printf("%s, %d stream%s: %s %s%s%s%s%s%s%s", result->cell->policy,
                           (int)result->cell->streams, result->cell->streams == 1 ? "" : "s",
                           gp_matrix_metric_name(metric), figure, unit[0] != '\0' ? " " : "", unit,
                           interval != NULL ? interval : "",
                           result->summary.is_recommended ? ", recommended" : "",
                           result->summary.is_tied ? ", not distinguishable from the best" : "",
                           result->cell->status != GP_STATUS_COMPLETE ? ", not complete" : "");
}

static GtkWidget *new_place(GpMatrixPage *self, const struct gp_result *result, double goodness,
                            enum gp_matrix_metric metric)
{
    char figure[32];
    g_autofree char *name = NULL;
    gint64 *id = g_new(gint64, 1);
    enum gp_heat_mark mark = result->summary.is_recommended ? GP_HEAT_BEST
                             : result->summary.is_tied      ? GP_HEAT_TIED
                                                            : GP_HEAT_PLAIN;
    GtkWidget *button;

    gp_matrix_format(gp_matrix_figure(result, metric).median, figure, sizeof figure);
    name = describe(result, metric, figure);
    if (result->cell->status != GP_STATUS_COMPLETE) {
        (void)g_strlcpy(figure, gp_status_name(result->cell->status), sizeof figure);
    }
    button = gp_heat_cell_new(gp_view_heat(goodness), figure, mark, name);
    *id = result->cell->id;
    g_object_set_data_full(G_OBJECT(button), "cell", id, g_free);
    g_signal_connect(button, "clicked", G_CALLBACK(open_cell), self);
    return button;
}

static void add_heading(GpMatrixPage *self, int column, int row, const char *text, float align)
{
    GtkWidget *label = gtk_label_new(text);

    gtk_label_set_xalign(GTK_LABEL(label), align);
    gtk_widget_add_css_class(label, row == 0 ? "dim-label" : "figure");
    gtk_widget_set_margin_end(label, column == 0 ? 10 : 0);
    gtk_grid_attach(GTK_GRID(self->grid), label, column, row, 1, 1);
}

static void fill_grid(GpMatrixPage *self, const struct gp_matrix *matrix,
                      enum gp_matrix_metric metric)
{
    double min, max;
    bool has_any = gp_matrix_extent(matrix, metric, false, &min, &max);
    GtkWidget *child;

    while ((child = gtk_widget_get_first_child(self->grid)) != NULL) {
        gtk_grid_remove(GTK_GRID(self->grid), child);
    }
    add_heading(self, 0, 0, "policy  ╲  streams", 0);
    for (uint32_t column = 0; column < matrix->stream_count; column++) {
        char text[16];

        (void)g_snprintf(text, sizeof text, "%d", (int)matrix->streams[column]);
        add_heading(self, (int)column + 1, 0, text, 0.5f);
    }
    for (uint32_t row = 0; row < matrix->policy_count; row++) {
        add_heading(self, 0, (int)row + 1, matrix->policies[row], 0);
        for (uint32_t column = 0; column < matrix->stream_count; column++) {
            const struct gp_result *result = gp_matrix_at(matrix, row, column);

            if (result != NULL) {
                double value = gp_matrix_figure(result, metric).median;
                double goodness = has_any ? gp_matrix_goodness(value, min, max, metric) : NAN;

                gtk_grid_attach(GTK_GRID(self->grid), new_place(self, result, goodness, metric),
                                (int)column + 1, (int)row + 1, 1, 1);
            }
        }
    }
}

/* ---- in one sentence ----------------------------------------------------------------------- */

static const struct gp_result *find_recommended(const struct gp_matrix *matrix)
{
    for (size_t i = 0; i < (size_t)matrix->policy_count * matrix->stream_count; i++) {
        if (matrix->places[i] != NULL && matrix->places[i]->summary.is_recommended) {
            return matrix->places[i];
        }
    }
    return NULL;
}

static void say_headline(GpMatrixPage *self, const struct gp_matrix *matrix)
{
    const struct gp_result *best = find_recommended(matrix);
    g_autofree char *text = NULL;
    char makespan[32], speedup[32];
    unsigned tied = 0;

    if (best == NULL) {
        gtk_label_set_text(GTK_LABEL(self->headline),
                           "No cell of this table ran to its end: none can be recommended.");
        return;
    }
    for (size_t i = 0; i < (size_t)matrix->policy_count * matrix->stream_count; i++) {
        const struct gp_result *result = matrix->places[i];

        tied += result != NULL && result->summary.is_tied && result != best;
    }
    gp_matrix_format(best->summary.makespan_ns.median / 1e6, makespan, sizeof makespan);
    gp_matrix_format(best->summary.speedup, speedup, sizeof speedup);
    text = g_strdup_printf("<b>★ %s with %d stream%s</b>: %s ms, %s × single; the smallest pool "
                           "within 2 %% of the best.%s",
                           best->cell->policy, (int)best->cell->streams,
                           best->cell->streams == 1 ? "" : "s", makespan, speedup,
                           tied > 0 ? " ≈ cannot be told apart from the best." : "");
    gtk_label_set_markup(GTK_LABEL(self->headline), text);
}

static void refresh(GpMatrixPage *self)
{
    const struct gp_matrix *matrix = chosen_matrix(self);
    enum gp_matrix_metric metric = chosen_metric(self);

    if (self->is_filling || matrix == NULL) {
        return;
    }
    gtk_label_set_text(GTK_LABEL(self->summary), gp_matrix_metric_summary(metric));
    fill_grid(self, matrix, metric);
    say_headline(self, matrix);
    gp_curves_show(GP_CURVES(self->curves), matrix, metric);
}

static void choice_changed(GtkDropDown *drop_down, GParamSpec *spec, GpMatrixPage *self)
{
    (void)spec;
    if (GTK_WIDGET(drop_down) == self->metrics && !self->is_filling) {
        gp_settings_set_int(self->settings, METRIC_KEY, (int)chosen_metric(self));
    }
    refresh(self);
}

/* ---- the page ------------------------------------------------------------------------------ */

static void dispose(GObject *object)
{
    GpMatrixPage *self = GP_MATRIX_PAGE(object);

    g_clear_pointer(&self->stack, gtk_widget_unparent);
    gp_matrices_destroy(self->matrices, self->matrix_count);
    self->matrices = NULL;
    self->matrix_count = 0;
    G_OBJECT_CLASS(gp_matrix_page_parent_class)->dispose(object);
}

static void gp_matrix_page_class_init(GpMatrixPageClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = dispose;
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
    (void)g_signal_new("opened", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 1, G_TYPE_INT64);
}

static GtkWidget *new_choice(GpMatrixPage *self, const char *name, GtkWidget *bar)
{
    GtkWidget *drop_down = gtk_drop_down_new_from_strings((const char *const[]){NULL});

    gtk_accessible_update_property(GTK_ACCESSIBLE(drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                   -1);
    g_signal_connect(drop_down, "notify::selected", G_CALLBACK(choice_changed), self);
    gtk_box_append(GTK_BOX(bar), drop_down);
    return drop_down;
}

static void set_up_name(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
    GtkWidget *label = gtk_label_new(NULL);

    (void)factory;
    (void)data;
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_label_set_width_chars(GTK_LABEL(label), 16);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 60);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_list_item_set_child(item, label);
}

static void bind_name(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
    const char *name = gtk_string_object_get_string(gtk_list_item_get_item(item));
    GtkWidget *label = gtk_list_item_get_child(item);

    (void)factory;
    (void)data;
    gtk_label_set_text(GTK_LABEL(label), name);
    gtk_widget_set_tooltip_text(label, name);
}

/* Names of tables are long: in a narrow window they are cut. */
static void shorten(GtkWidget *drop_down)
{
    g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new();

    g_signal_connect(factory, "setup", G_CALLBACK(set_up_name), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(bind_name), NULL);
    gtk_drop_down_set_factory(GTK_DROP_DOWN(drop_down), factory);
}

static GtkWidget *new_bar(GpMatrixPage *self)
{
    GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkStringList *names = gtk_string_list_new(NULL);

    for (int i = 0; i < GP_MATRIX_METRIC_COUNT; i++) {
        gtk_string_list_append(names, gp_matrix_metric_name((enum gp_matrix_metric)i));
    }
    self->tables = new_choice(self, "Scenario", bar);
    shorten(self->tables);
    self->metrics = new_choice(self, "Figure", bar);
    gtk_drop_down_set_model(GTK_DROP_DOWN(self->metrics), G_LIST_MODEL(names));
    g_object_unref(names);
    self->summary = gtk_label_new(NULL);
    gtk_label_set_ellipsize(GTK_LABEL(self->summary), PANGO_ELLIPSIZE_END);
    gtk_label_set_xalign(GTK_LABEL(self->summary), 0);
    gtk_widget_set_hexpand(self->summary, TRUE);
    gtk_widget_add_css_class(self->summary, "dim-label");
    gtk_box_append(GTK_BOX(bar), self->summary);
    return bar;
}

static GtkWidget *new_content(GpMatrixPage *self)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10);
    GtkWidget *scrolled = gtk_scrolled_window_new(), *page = gtk_scrolled_window_new();

    gtk_widget_add_css_class(box, "page");
    gtk_box_append(GTK_BOX(box), new_bar(self));
    self->headline = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(self->headline), 0);
    gtk_label_set_wrap(GTK_LABEL(self->headline), TRUE);
    gtk_widget_add_css_class(self->headline, "headline");
    gtk_box_append(GTK_BOX(box), self->headline);
    self->grid = gtk_grid_new();
    gtk_widget_set_halign(self->grid, GTK_ALIGN_START);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), self->grid);
    gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(scrolled), TRUE);
    gtk_box_append(GTK_BOX(box), scrolled);
    self->curves = gp_curves_new();
    gtk_widget_set_vexpand(self->curves, TRUE);
    gtk_box_append(GTK_BOX(box), self->curves);
    /* In a low window. */
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(page), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(page), box);
    return page;
}

static void gp_matrix_page_init(GpMatrixPage *self)
{
    GtkWidget *waiting = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    GtkWidget *spinner = gtk_spinner_new();

    self->is_filling = TRUE;
    self->stack = gtk_stack_new();
    gtk_spinner_start(GTK_SPINNER(spinner));
    gtk_widget_set_valign(waiting, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(waiting), spinner);
    gtk_box_append(GTK_BOX(waiting), gtk_label_new("Reading the figures of all cells"));
    (void)gtk_stack_add_named(GTK_STACK(self->stack), waiting, "waiting");
    (void)gtk_stack_add_named(GTK_STACK(self->stack), new_content(self), "content");
    gtk_widget_set_parent(self->stack, GTK_WIDGET(self));
}

GtkWidget *gp_matrix_page_new(struct gp_settings *settings)
{
    GpMatrixPage *self = g_object_new(GP_TYPE_MATRIX_PAGE, NULL);

    self->settings = settings;
    gtk_drop_down_set_selected(
        GTK_DROP_DOWN(self->metrics),
        (guint)gp_settings_int(settings, METRIC_KEY, 0, 0, GP_MATRIX_METRIC_COUNT - 1));
    return GTK_WIDGET(self);
}

void gp_matrix_page_show(GpMatrixPage *self, const struct gp_figures *figures)
{
    g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);

    self->is_filling = TRUE;
    gp_curves_show(GP_CURVES(self->curves), NULL, chosen_metric(self));
    gp_matrices_destroy(self->matrices, self->matrix_count);
    self->matrices = NULL;
    self->matrix_count = 0;
    if (figures != NULL) {
        self->matrix_count = gp_matrices_create(&figures->results, &self->matrices);
    }
    for (uint32_t i = 0; i < self->matrix_count; i++) {
        gtk_string_list_append(names, self->matrices[i].title);
    }
    gtk_drop_down_set_model(GTK_DROP_DOWN(self->tables), G_LIST_MODEL(names));
    gtk_stack_set_visible_child_name(GTK_STACK(self->stack),
                                     figures != NULL ? "content" : "waiting");
    self->is_filling = FALSE;
    refresh(self);
}

/* The button of a cell in the grid as it is; NULL: it is in another table. */
static GtkWidget *find_place(GpMatrixPage *self, gint64 cell)
{
    for (GtkWidget *child = gtk_widget_get_first_child(self->grid); child != NULL;
         child = gtk_widget_get_next_sibling(child)) {
        gint64 *id = g_object_get_data(G_OBJECT(child), "cell");

        if (id != NULL && *id == cell) {
            return child;
        }
    }
    return NULL;
}

void gp_matrix_page_reveal(GpMatrixPage *self, gint64 cell)
{
    GtkWidget *place;

    for (uint32_t i = 0; i < self->matrix_count; i++) {
        const struct gp_matrix *matrix = &self->matrices[i];

        for (size_t p = 0; p < (size_t)matrix->policy_count * matrix->stream_count; p++) {
            if (matrix->places[p] != NULL && matrix->places[p]->cell->id == cell) {
                gtk_drop_down_set_selected(GTK_DROP_DOWN(self->tables), i);
            }
        }
    }
    place = find_place(self, cell);
    if (place != NULL) {
        (void)gtk_widget_grab_focus(place);
    }
}
