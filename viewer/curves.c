/* A curve per policy: see curves.h. */
#include "viewer/curves.h"

#include <math.h>

#include <pango/pangocairo.h>

/* The curve's part of the drawing and its scales. */
struct plot {
    cairo_t *cr;
    PangoLayout *layout;
    const struct gp_matrix *matrix;
    GdkRGBA text;
    double left, top, right, bottom;
    double min, max;         /* of the figures axis */
    double log_min, log_max; /* of the pool sizes */
    enum gp_matrix_metric metric;
};

struct _GpCurves {
    GtkWidget parent;
    const struct gp_matrix *matrix;
    enum gp_matrix_metric metric;
};

G_DEFINE_TYPE(GpCurves, gp_curves, GTK_TYPE_WIDGET)

enum { MARGIN_LEFT = 58, MARGIN_RIGHT = 150, MARGIN_TOP = 22, MARGIN_BOTTOM = 40, TICKS = 5 };

/* Okabe and Ito's colours, which can be told apart with every kind of colour vision; beyond them
 * the dashes tell. */
static const GdkRGBA colors[] = {
    {0.00f, 0.45f, 0.70f, 1}, {0.84f, 0.37f, 0.00f, 1}, {0.00f, 0.62f, 0.45f, 1},
    {0.80f, 0.47f, 0.65f, 1}, {0.90f, 0.62f, 0.00f, 1}, {0.34f, 0.71f, 0.91f, 1},
};

static double x_of(const struct plot *plot, int32_t streams)
{
    double share = (log2(streams) - plot->log_min) / (plot->log_max - plot->log_min);

    return plot->left + share * (plot->right - plot->left);
}

static double y_of(const struct plot *plot, double value)
{
    return plot->bottom -
           (value - plot->min) / (plot->max - plot->min) * (plot->bottom - plot->top);
}

static void use_color(const struct plot *plot, const GdkRGBA *color, double alpha)
{
    cairo_set_source_rgba(plot->cr, color->red, color->green, color->blue, color->alpha * alpha);
}

/* align: the share of the text's width that lies left of x. */
static void draw_text(const struct plot *plot, double x, double y, double align, const char *text)
{
    int width, height;

    pango_layout_set_text(plot->layout, text, -1);
    pango_layout_get_pixel_size(plot->layout, &width, &height);
    cairo_move_to(plot->cr, x - align * width, y - height / 2.0);
    pango_cairo_show_layout(plot->cr, plot->layout);
}

/* The largest of 1, 2, 5 × 10^n that makes at most TICKS steps of the span. */
static double step_of(double span)
{
    double power = pow(10, floor(log10(span / TICKS)));
    double share = span / TICKS / power;

    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

static void draw_axes(const struct plot *plot)
{
    double step = step_of(plot->max - plot->min);
    double first = ceil(plot->min / step);
    g_autofree char *title = NULL;
    const char *unit = gp_matrix_metric_unit(plot->metric);

    cairo_set_line_width(plot->cr, 1);
    for (int i = 0; i <= 2 * TICKS && (first + i) * step <= plot->max; i++) {
        double value = (first + i) * step;
        char text[32];
        double y = floor(y_of(plot, value)) + 0.5;

        use_color(plot, &plot->text, 0.15);
        cairo_move_to(plot->cr, plot->left, y);
        cairo_line_to(plot->cr, plot->right, y);
        cairo_stroke(plot->cr);
        (void)g_snprintf(text, sizeof text, "%.4g", value);
        use_color(plot, &plot->text, 0.8);
        draw_text(plot, plot->left - 6, y, 1, text);
    }
    for (uint32_t i = 0; i < plot->matrix->stream_count; i++) {
        char text[16];

        (void)g_snprintf(text, sizeof text, "%d", (int)plot->matrix->streams[i]);
        draw_text(plot, x_of(plot, plot->matrix->streams[i]), plot->bottom + 10, 0.5, text);
    }
    draw_text(plot, (plot->left + plot->right) / 2, plot->bottom + 28, 0.5, "streams");
    title = g_strdup_printf("%s%s%s", gp_matrix_metric_name(plot->metric),
                            unit[0] != '\0' ? " " : "", unit);
    draw_text(plot, plot->left, plot->top - 8, 0, title);
}

/* A point with the interval of its figure. */
static void draw_point(const struct plot *plot, double x, const struct gp_figure *figure)
{
    if (isfinite(figure->lo) && isfinite(figure->hi)) {
        cairo_set_line_width(plot->cr, 1);
        cairo_move_to(plot->cr, x, y_of(plot, figure->lo));
        cairo_line_to(plot->cr, x, y_of(plot, figure->hi));
        cairo_stroke(plot->cr);
    }
    cairo_new_path(plot->cr);
    cairo_arc(plot->cr, x, y_of(plot, figure->median), 3, 0, 2 * G_PI);
    cairo_fill(plot->cr);
}

/* Returns the height at which the curve ends; NAN when it has no point. */
static double draw_curve(const struct plot *plot, uint32_t policy)
{
    const double dashes[] = {6, 3};
    double end = NAN;

    use_color(plot, &colors[policy % G_N_ELEMENTS(colors)], 1);
    cairo_new_path(plot->cr);
    cairo_set_line_width(plot->cr, 2);
    cairo_set_dash(plot->cr, dashes, policy < G_N_ELEMENTS(colors) ? 0 : 2, 0);
    for (uint32_t i = 0; i < plot->matrix->stream_count; i++) {
        const struct gp_result *result = gp_matrix_at(plot->matrix, policy, i);
        double value = result != NULL ? gp_matrix_figure(result, plot->metric).median : NAN;

        if (isfinite(value)) {
            cairo_line_to(plot->cr, x_of(plot, plot->matrix->streams[i]), y_of(plot, value));
            end = y_of(plot, value);
        }
    }
    cairo_stroke(plot->cr);
    cairo_set_dash(plot->cr, NULL, 0, 0);
    for (uint32_t i = 0; i < plot->matrix->stream_count; i++) {
        const struct gp_result *result = gp_matrix_at(plot->matrix, policy, i);

        if (result != NULL) {
            struct gp_figure figure = gp_matrix_figure(result, plot->metric);

            if (isfinite(figure.median)) {
                draw_point(plot, x_of(plot, plot->matrix->streams[i]), &figure);
            }
        }
    }
    return end;
}

/* Names at the curves' ends, moved down where they would cover one another. */
static void draw_names(const struct plot *plot, double *ends)
{
    double last = -INFINITY;

    for (uint32_t drawn = 0; drawn < plot->matrix->policy_count; drawn++) {
        uint32_t next = 0;

        for (uint32_t i = 0; i < plot->matrix->policy_count; i++) {
            next = isnan(ends[next]) || ends[i] < ends[next] ? i : next;
        }
        if (isnan(ends[next])) {
            return;
        }
        last = fmax(ends[next], last + 15);
        use_color(plot, &colors[next % G_N_ELEMENTS(colors)], 1);
        cairo_rectangle(plot->cr, plot->right + 10, last - 4, 8, 8);
        cairo_fill(plot->cr);
        use_color(plot, &plot->text, 1);
        draw_text(plot, plot->right + 24, last, 0, plot->matrix->policies[next]);
        ends[next] = NAN;
    }
}

static gboolean set_scales(struct plot *plot, int width, int height)
{
    const struct gp_matrix *matrix = plot->matrix;
    double span;

    if (!gp_matrix_extent(matrix, plot->metric, true, &plot->min, &plot->max)) {
        return FALSE;
    }
    span = plot->max - plot->min;
    /* From zero, so that lengths are in proportion. */
    plot->min = fmin(plot->min, 0);
    plot->max += span > 0 ? span * 0.05 : fabs(plot->max) * 0.05 + 1e-9;
    plot->left = MARGIN_LEFT;
    plot->right = fmax(width - MARGIN_RIGHT, MARGIN_LEFT + 10);
    plot->top = MARGIN_TOP + 8;
    plot->bottom = fmax(height - MARGIN_BOTTOM, plot->top + 10);
    plot->log_min = log2(matrix->streams[0]) - 0.15;
    plot->log_max = log2(matrix->streams[matrix->stream_count - 1]) + 0.15;
    return TRUE;
}

static void snapshot(GtkWidget *widget, GtkSnapshot *shot)
{
    GpCurves *self = GP_CURVES(widget);
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    struct plot plot = {.matrix = self->matrix, .metric = self->metric};
    double *ends;

    if (self->matrix == NULL || !set_scales(&plot, width, height)) {
        return;
    }
    plot.cr =
        gtk_snapshot_append_cairo(shot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    plot.layout = gtk_widget_create_pango_layout(widget, NULL);
    gtk_style_context_get_color(gtk_widget_get_style_context(widget), &plot.text);
    draw_axes(&plot);
    ends = g_new0(double, self->matrix->policy_count);
    for (uint32_t i = 0; i < self->matrix->policy_count; i++) {
        ends[i] = draw_curve(&plot, i);
    }
    draw_names(&plot, ends);
    g_free(ends);
    g_object_unref(plot.layout);
    cairo_destroy(plot.cr);
}

static void gp_curves_class_init(GpCurvesClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

    widget_class->snapshot = snapshot;
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void gp_curves_init(GpCurves *self)
{
    gtk_widget_set_size_request(GTK_WIDGET(self), 320, 160);
}

GtkWidget *gp_curves_new(void)
{
    return g_object_new(GP_TYPE_CURVES, NULL);
}

void gp_curves_show(GpCurves *self, const struct gp_matrix *matrix, enum gp_matrix_metric metric)
{
    g_autofree char *name = g_strdup_printf("%s over the number of streams, a curve per policy",
                                            gp_matrix_metric_name(metric));

    self->matrix = matrix;
    self->metric = metric;
    gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
    gtk_widget_queue_draw(GTK_WIDGET(self));
}
