/* The statistics of a range: see range_tab.h. */
#include "viewer/range_tab.h"

#include <math.h>

#include "probe/memory.h"
#include "viewer/layout/range.h"
#include "viewer/layout/ticks.h"
#include "viewer/op_table.h"

enum { SETTLE_MS = 120, LOOK_MS = 60, TIME_BYTES = 40 };

/* What the thread of a job works on. */
struct measuring {
    struct gp_view_range_query *query;
    struct gp_view_range range;
    struct gp_view_name_range *names;
    guint32 name_count;
};

struct _GpRangeTab {
    GtkWidget parent;
    GtkWidget *box, *sums, *progress, *names;
    const struct gp_navigator *navigator;
    gint64 begin_ns, end_ns; /* of what is shown or being measured; GP_UNKNOWN: nothing is */
    gboolean is_all;
    struct gp_view_job *job; /* NULL: nothing is being measured */
    struct measuring measuring;
    struct gp_name_lines lines;
    guint settle_source, look_source;
};

G_DEFINE_TYPE(GpRangeTab, gp_range_tab, GTK_TYPE_WIDGET)

/* ---- measuring ----------------------------------------------------------------------------- */

static void measure(struct gp_view_job *job, gpointer user)
{
    struct measuring *measuring = user;

    if (gp_view_range_sum(measuring->query, job, &measuring->range)) {
        measuring->name_count = gp_view_range_names(measuring->query, job, &measuring->names);
    }
}

static void forget_names(GpRangeTab *self)
{
    gp_table_fill(GP_TABLE(self->names), NULL, 0);
    gp_free(self->lines.names);
    self->lines = (struct gp_name_lines){0};
}

static void say_sums(GpRangeTab *self)
{
    const struct gp_view_range *range = &self->measuring.range;
    gint64 length_ns = self->end_ns - self->begin_ns;
    char length[TIME_BYTES], busy[TIME_BYTES], running[TIME_BYTES], waiting[TIME_BYTES];
    char gap[TIME_BYTES], concurrency[24] = "–";
    g_autofree char *text = NULL;

    gp_view_format_time(length_ns, 0, length, sizeof length);
    gp_view_format_time(range->busy_ns, 0, busy, sizeof busy);
    gp_view_format_time(range->running_ns, 0, running, sizeof running);
    gp_view_format_time(range->waiting_ns, 0, waiting, sizeof waiting);
    gp_view_format_time(range->longest_gap_ns, 0, gap, sizeof gap);
    if (isfinite(range->concurrency)) {
        (void)g_snprintf(concurrency, sizeof concurrency, "%.2f", range->concurrency);
    }
    text =
        g_strdup_printf("<b>%s</b> %s   operations <b>%" G_GUINT64_FORMAT
                        "</b>   concurrency <b>%s</b>   running <b>%s</b> (%.0f %%)   sum of "
                        "durations <b>%s</b>   waiting <b>%s</b>   longest gap <b>%s</b>",
                        length, self->is_all ? "(everything; drag to measure a part)" : "measured",
                        range->count, concurrency, running,
                        100.0 * (double)range->running_ns / (double)length_ns, busy, waiting, gap);
    gtk_label_set_markup(GTK_LABEL(self->sums), text);
}

static void show_measured(GpRangeTab *self)
{
    say_sums(self);
    self->lines = (struct gp_name_lines){self->navigator->timeline, self->measuring.names,
                                         self->measuring.name_count};
    self->measuring.names = NULL;
    gp_table_fill(GP_TABLE(self->names), &self->lines, self->lines.count);
}

/* Takes what the job has found, or gives it up. */
static void end_job(GpRangeTab *self, gboolean is_given_up)
{
    if (self->look_source != 0) {
        g_source_remove(self->look_source);
        self->look_source = 0;
    }
    if (self->job != NULL) {
        (void)gp_view_job_finish(g_steal_pointer(&self->job), is_given_up);
        if (!is_given_up) {
            show_measured(self);
        }
        gp_free(self->measuring.names);
        gp_view_range_finish(self->measuring.query);
        self->measuring = (struct measuring){0};
    }
    gtk_widget_set_visible(self->progress, FALSE);
}

static gboolean look(gpointer data)
{
    GpRangeTab *self = data;
    double share;

    if (gp_view_job_is_over(self->job, &share)) {
        self->look_source = 0;
        end_job(self, FALSE);
        return G_SOURCE_REMOVE;
    }
    gtk_label_set_text(GTK_LABEL(self->sums), "Measuring");
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), share);
    gtk_widget_set_visible(self->progress, TRUE);
    return G_SOURCE_CONTINUE;
}

static void begin_job(GpRangeTab *self)
{
    const struct gp_navigator *navigator = self->navigator;
    gint64 begin_ns = MIN(navigator->range_begin_ns, navigator->range_end_ns);
    gint64 end_ns = MAX(navigator->range_begin_ns, navigator->range_end_ns);
    gboolean is_all = navigator->range_begin_ns == GP_UNKNOWN || begin_ns == end_ns;

    if (is_all) {
        begin_ns = navigator->timeline->begin_ns;
        end_ns = navigator->timeline->end_ns;
    }
    if (begin_ns == self->begin_ns && end_ns == self->end_ns) {
        return;
    }
    end_job(self, TRUE);
    forget_names(self);
    self->begin_ns = begin_ns;
    self->end_ns = end_ns;
    self->is_all = is_all;
    self->measuring.query =
        gp_view_range_ask(navigator->timeline, navigator->rows, begin_ns, end_ns);
    self->job = gp_view_job_begin(measure, &self->measuring);
    self->look_source = g_timeout_add(LOOK_MS, look, self);
}

/* ---- changes ------------------------------------------------------------------------------- */

static gboolean settle(gpointer data)
{
    GpRangeTab *self = data;

    self->settle_source = 0;
    if (self->navigator != NULL && gtk_widget_get_mapped(self->names)) {
        begin_job(self);
    }
    return G_SOURCE_REMOVE;
}

/* A range that is being dragged is measured when it rests, and only while somebody looks. */
void gp_range_tab_refresh(GpRangeTab *self)
{
    if (self->settle_source == 0) {
        self->settle_source = g_timeout_add(SETTLE_MS, settle, self);
    }
}

void gp_range_tab_show(GpRangeTab *self, const struct gp_navigator *navigator)
{
    end_job(self, TRUE);
    forget_names(self);
    gtk_label_set_text(GTK_LABEL(self->sums), "");
    self->navigator = navigator;
    self->begin_ns = self->end_ns = GP_UNKNOWN;
    gp_range_tab_refresh(self);
}

/* ---- making it ----------------------------------------------------------------------------- */

static void dispose(GObject *object)
{
    GpRangeTab *self = GP_RANGE_TAB(object);

    if (self->box != NULL) {
        gp_range_tab_show(self, NULL);
    }
    if (self->settle_source != 0) {
        g_source_remove(self->settle_source);
        self->settle_source = 0;
    }
    g_clear_pointer(&self->box, gtk_widget_unparent);
    G_OBJECT_CLASS(gp_range_tab_parent_class)->dispose(object);
}

static void gp_range_tab_class_init(GpRangeTabClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = dispose;
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void gp_range_tab_init(GpRangeTab *self)
{
    self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    self->sums = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(self->sums), 0);
    gtk_label_set_wrap(GTK_LABEL(self->sums), TRUE);
    gtk_widget_add_css_class(self->sums, "story");
    gtk_widget_add_css_class(self->sums, "figure");
    gtk_box_append(GTK_BOX(self->box), self->sums);
    self->progress = gtk_progress_bar_new();
    gtk_widget_set_visible(self->progress, FALSE);
    gtk_box_append(GTK_BOX(self->box), self->progress);
    self->names = gp_table_new(&gp_name_table);
    gtk_widget_set_vexpand(self->names, TRUE);
    g_signal_connect_swapped(self->names, "map", G_CALLBACK(gp_range_tab_refresh), self);
    gtk_box_append(GTK_BOX(self->box), self->names);
    gtk_widget_set_parent(self->box, GTK_WIDGET(self));
    self->begin_ns = self->end_ns = GP_UNKNOWN;
}

GtkWidget *gp_range_tab_new(void)
{
    return g_object_new(GP_TYPE_RANGE_TAB, NULL);
}
