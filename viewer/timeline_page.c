/* The page of one cell: see timeline_page.h. */
#include "viewer/timeline_page.h"

#include <string.h>

#include "viewer/details.h"
#include "viewer/edges_task.h"
#include "viewer/export.h"
#include "viewer/layout/cache.h"
#include "viewer/layout/load.h"
#include "viewer/matrix.h"
#include "viewer/problem.h"
#include "viewer/room.h"
#include "viewer/sample_bar.h"
#include "viewer/status_page.h"
#include "viewer/timeline.h"
#include "viewer/why_task.h"

enum { LOOK_MS = 30, SAMPLE_MS = 120 /* while there is something to see */, PANEL_DEFAULT = 190 };

#define PANEL_KEY "panel"

struct _GpTimelinePage {
    GtkWidget parent;
    GtkWidget *stack, *status, *progress, *paned, *timeline, *details, *search, *hits;
    GtkWidget *sample_bar;
    struct gp_settings *settings;
    const struct gp_document *document;
    const struct gp_entry *entry;
    struct gp_view_load *load;       /* while it goes on */
    struct gp_view_timeline *sample; /* shown until the columns are there; NULL: none */
    guint timer;
    struct gp_view_timeline *columns;
    struct gp_view_keep *keep; /* of the columns */
    struct gp_view_edges *edges;
    struct gp_why *why;
    struct gp_navigator navigator;
    GCancellable *cancellable; /* of the edges and causes */
};

G_DEFINE_TYPE(GpTimelinePage, gp_timeline_page, GTK_TYPE_WIDGET)

/* ---- reading ------------------------------------------------------------------------------- */

static void stop_loading(GpTimelinePage *self)
{
    struct gp_error err = {0};
    struct gp_view_timeline *unwanted = NULL;

    if (self->timer != 0) {
        g_source_remove(self->timer);
        self->timer = 0;
    }
    if (self->load != NULL) {
        gp_view_load_cancel(self->load);
        (void)gp_view_load_finish(self->load, &unwanted, &err);
        gp_view_timeline_destroy(unwanted);
        self->load = NULL;
    }
}

static void forget(GpTimelinePage *self)
{
    stop_loading(self);
    if (self->cancellable != NULL) {
        g_cancellable_cancel(self->cancellable);
        g_clear_object(&self->cancellable);
    }
    if (self->timeline != NULL) {
        gp_timeline_show(GP_TIMELINE(self->timeline), NULL, "");
        gp_details_explain(GP_DETAILS(self->details), NULL, "");
        gp_details_show(GP_DETAILS(self->details), NULL, NULL);
        gtk_widget_set_visible(self->sample_bar, FALSE);
    }
    gp_navigator_finish(&self->navigator);
    g_clear_pointer(&self->sample, gp_view_timeline_destroy);
    gp_view_keep_finish(g_steal_pointer(&self->keep), true);
    g_clear_pointer(&self->columns, gp_view_timeline_destroy);
    g_clear_pointer(&self->edges, gp_view_edges_destroy);
    g_clear_pointer(&self->why, gp_why_destroy);
}

static void say(GpTimelinePage *self, const char *icon, const char *title, const char *text,
                const char *advice)
{
    gp_status_page_say(GP_STATUS_PAGE(self->status), icon, title, text, advice);
    gtk_stack_set_visible_child_name(GTK_STACK(self->stack), "status");
}

static void edges_ready(GObject *source, GAsyncResult *result, gpointer data)
{
    GpTimelinePage *self = GP_TIMELINE_PAGE(source);
    struct gp_error err = {0};
    struct gp_view_edges *edges = gp_edges_task_take(result, &err);

    (void)data;
    /* Without them only dependencies are missing; a damaged table says so when it is looked at. */
    if (edges != NULL) {
        self->edges = edges;
        self->navigator.edges = edges;
        gp_navigator_select(&self->navigator, self->navigator.selected, false);
        gp_timeline_refresh(GP_TIMELINE(self->timeline));
    }
}

static void why_ready(GObject *source, GAsyncResult *result, gpointer data)
{
    GpTimelinePage *self = GP_TIMELINE_PAGE(source);
    struct gp_error err = {0};
    struct gp_why *why = gp_why_task_take(result, &err);

    (void)data;
    if (err.code != GP_EINTERRUPTED) {
        self->why = why;
        self->navigator.idle = why != NULL ? why->idle : NULL;
        self->navigator.idle_count = why != NULL ? why->idle_count : 0;
        gp_timeline_refresh(GP_TIMELINE(self->timeline));
        gp_details_explain(GP_DETAILS(self->details), why, err.text);
    }
}

static void explain(GpTimelinePage *self)
{
    gp_details_explain(GP_DETAILS(self->details), NULL, "Looking for causes");
    gp_why_task_begin(self, self->cancellable, self->document->path,
                      gp_document_cell(self->document, self->entry)->id, self->columns->run,
                      why_ready);
}

/* The caller's. */
static char *cache_folder(void)
{
    return g_build_filename(g_get_user_cache_dir(), "gpuprobe", NULL);
}

static char *title_of(GpTimelinePage *self)
{
    const struct gp_cell_row *cell = gp_document_cell(self->document, self->entry);

    return g_strdup_printf("Timeline of %s, %s with %d stream%s, %u operations", cell->scenario,
                           cell->policy, (int)cell->streams, cell->streams == 1 ? "" : "s",
                           self->entry->op_count);
}

/* In the navigator, which stays where it is when it was shown a sample before. */
static void show_timeline(GpTimelinePage *self, const struct gp_view_timeline *timeline,
                          const char *title)
{
    if (self->sample != NULL) {
        gp_navigator_renew(&self->navigator, timeline);
    } else {
        gp_navigator_init(&self->navigator, timeline);
    }
    gp_timeline_show(GP_TIMELINE(self->timeline), &self->navigator, title);
    if (!g_str_equal(gtk_stack_get_visible_child_name(GTK_STACK(self->stack)), "content")) {
        gtk_stack_set_visible_child_name(GTK_STACK(self->stack), "content");
        (void)gtk_widget_grab_focus(self->timeline);
    }
}

static void show_sample(GpTimelinePage *self, struct gp_view_timeline *sample)
{
    g_autofree char *whole = title_of(self);
    g_autofree char *title = g_strconcat(whole, ", a sample, still loading", NULL);

    show_timeline(self, sample, title);
    g_clear_pointer(&self->sample, gp_view_timeline_destroy);
    self->sample = sample;
}

static void show_columns(GpTimelinePage *self, struct gp_view_timeline *columns)
{
    g_autofree char *title = title_of(self);
    g_autofree char *cache = cache_folder();

    self->columns = columns;
    show_timeline(self, columns, title);
    g_clear_pointer(&self->sample, gp_view_timeline_destroy);
    gtk_widget_set_visible(self->sample_bar, FALSE);
    gp_navigator_search(&self->navigator, gtk_editable_get_text(GTK_EDITABLE(self->search)));
    gp_details_show(GP_DETAILS(self->details), &self->navigator, self->document->reader);
    self->keep = gp_view_keep_begin(cache, self->document->path, columns);
    self->cancellable = g_cancellable_new();
    gp_edges_task_begin(self, self->cancellable, self->document->path, columns->run,
                        columns->tables[GP_VIEW_OPS].count, edges_ready);
    if (self->entry->op_count > GP_ROOM_UNASKED) {
        char text[GP_OFFER_BYTES];

        gp_room_tell("Causes were", self->entry->op_count, text, sizeof text);
        gp_details_offer_causes(GP_DETAILS(self->details), text);
    } else {
        explain(self);
    }
}

static gboolean look(gpointer data);

/* What can be seen while the load goes on. */
static void show_progress(GpTimelinePage *self, const struct gp_view_progress *progress)
{
    struct gp_view_timeline *sample = gp_view_load_sample(self->load);

    if (sample != NULL) {
        show_sample(self, sample);
    }
    if (self->sample != NULL) {
        gp_sample_bar_say(GP_SAMPLE_BAR(self->sample_bar), self->sample->tables[GP_VIEW_OPS].count,
                          progress->done, progress->total);
    } else if (progress->total > 0) {
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress),
                                      (double)progress->done / (double)progress->total);
    }
    self->timer = g_timeout_add(self->sample != NULL ? SAMPLE_MS : LOOK_MS, look, self);
}

static gboolean look(gpointer data)
{
    GpTimelinePage *self = data;
    struct gp_view_progress progress;
    struct gp_view_timeline *columns;
    struct gp_error err = {0};
    struct gp_problem problem;

    self->timer = 0;
    gp_view_load_look(self->load, &progress);
    if (!progress.is_over) {
        show_progress(self, &progress);
        return G_SOURCE_REMOVE;
    }
    g_signal_emit_by_name(self, "rested");
    if (gp_view_load_finish(g_steal_pointer(&self->load), &columns, &err) == 0) {
        show_columns(self, columns);
    } else {
        gp_problem_of_cell(&err, &problem);
        say(self, "dialog-warning-symbolic", problem.title, problem.text, problem.advice);
        gp_status_page_offer(GP_STATUS_PAGE(self->status), "_Read it again", "win.reload");
    }
    return G_SOURCE_REMOVE;
}

/* A cell without operations has nothing to draw, and there are three reasons for that. */
static void say_untraced(GpTimelinePage *self)
{
    const struct gp_cell_row *cell = gp_document_cell(self->document, self->entry);

    switch (cell->status) {
    case GP_STATUS_UNSUPPORTED:
        say(self, "dialog-information-symbolic", "This cell could not run on its device",
            cell->error, "Choose another cell on the left.");
        break;
    case GP_STATUS_FAILED:
        say(self, "dialog-warning-symbolic", "This cell failed", cell->error,
            "Run it again; gpuprobe's own output says what it was doing.");
        break;
    case GP_STATUS_INCOMPLETE:
        say(self, "dialog-information-symbolic", "This cell is incomplete",
            "It was cut off before its operations were recorded.",
            "Choose another cell on the left, or record it anew.");
        break;
    default:
        say(self, "dialog-information-symbolic", "This cell was not traced",
            "Only its makespans were recorded, so there are no operations to draw.",
            "Choose another cell on the left, or record it again without --trace off.");
        break;
    }
}

void gp_timeline_page_show(GpTimelinePage *self, const struct gp_document *document,
                           const struct gp_entry *entry)
{
    g_autofree char *cache = cache_folder();
    struct gp_view_load_options options = {.cache = cache};
    struct gp_problem problem;
    struct gp_error err = {0};

    forget(self);
    self->document = document;
    self->entry = entry;
    if (entry == NULL) {
        say(self, "view-list-symbolic", "No cell is chosen", "",
            "Choose one on the left, or a place of the matrix.");
        return;
    }
    if (entry->run == 0) {
        say_untraced(self);
        g_signal_emit_by_name(self, "rested");
        return;
    }
    options.path = document->path;
    options.run = entry->run;
    if (gp_view_load_begin(&options, &self->load, &err) != 0) {
        gp_problem_of_cell(&err, &problem);
        say(self, "dialog-warning-symbolic", problem.title, problem.text, problem.advice);
        g_signal_emit_by_name(self, "rested");
        return;
    }
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), 0);
    gtk_stack_set_visible_child_name(GTK_STACK(self->stack), "loading");
    self->timer = g_timeout_add(LOOK_MS, look, self);
}

/* ---- signals of the parts ------------------------------------------------------------------ */

static void say_hits(GpTimelinePage *self)
{
    g_autofree char *text = NULL;

    if (self->columns == NULL || self->navigator.matches == NULL) {
        gtk_label_set_text(GTK_LABEL(self->hits), "");
        return;
    }
    text = g_strdup_printf("%" G_GUINT64_FORMAT " hit%s", self->navigator.hit_count,
                           self->navigator.hit_count == 1 ? "" : "s");
    gtk_label_set_text(GTK_LABEL(self->hits), text);
}

static void timeline_changed(GpTimeline *timeline, GpTimelinePage *self)
{
    (void)timeline;
    gp_details_refresh(GP_DETAILS(self->details));
}

static void op_chosen(GpDetails *details, guint op, GpTimelinePage *self)
{
    (void)details;
    if (self->columns != NULL) {
        gp_navigator_select_op(&self->navigator, op);
        gp_timeline_refresh(GP_TIMELINE(self->timeline));
        gp_details_refresh(GP_DETAILS(self->details));
    }
}

static void search_changed(GtkSearchEntry *entry, GpTimelinePage *self)
{
    if (self->columns != NULL) {
        gp_navigator_search(&self->navigator, gtk_editable_get_text(GTK_EDITABLE(entry)));
        gp_timeline_refresh(GP_TIMELINE(self->timeline));
    }
    say_hits(self);
}

static void step_hit(GpTimelinePage *self, bool is_forward)
{
    if (self->columns != NULL) {
        gp_navigator_step_hit(&self->navigator, is_forward);
        gp_timeline_refresh(GP_TIMELINE(self->timeline));
        gp_details_refresh(GP_DETAILS(self->details));
    }
}

static void search_next(GtkSearchEntry *entry, GpTimelinePage *self)
{
    (void)entry;
    step_hit(self, true);
}

static void search_previous(GtkSearchEntry *entry, GpTimelinePage *self)
{
    (void)entry;
    step_hit(self, false);
}

/* The keys of the timeline work again. */
static void search_left(GtkSearchEntry *entry, GpTimelinePage *self)
{
    gtk_editable_set_text(GTK_EDITABLE(entry), "");
    (void)gtk_widget_grab_focus(self->timeline);
}

void gp_timeline_page_advise(GpTimelinePage *self, const struct gp_advices *advices,
                             const char *reason)
{
    gp_details_advise(GP_DETAILS(self->details), advices, reason);
}

void gp_timeline_page_offer_advice(GpTimelinePage *self, const char *text)
{
    gp_details_offer_advice(GP_DETAILS(self->details), text);
}

void gp_timeline_page_search(GpTimelinePage *self)
{
    (void)gtk_widget_grab_focus(self->search);
}

int gp_timeline_page_export(GpTimelinePage *self, const char *path, struct gp_error *err)
{
    struct gp_export_options options = {.path = path,
                                        .width = gtk_widget_get_width(self->timeline)};

    if (self->columns == NULL) {
        return gp_fail(err, GP_ESTATE,
                       self->sample != NULL
                           ? "what is seen is a sample: export it when all operations are read"
                           : "there is no timeline to export: choose a traced cell");
    }
    return gp_export_timeline(self->document, self->entry, &self->navigator, &options, err);
}

static void explain_action(GtkWidget *widget, const char *action, GVariant *parameter)
{
    GpTimelinePage *self = GP_TIMELINE_PAGE(widget);

    (void)action;
    (void)parameter;
    if (self->columns != NULL && self->why == NULL) {
        explain(self);
    }
}

static void search_action(GtkWidget *widget, const char *action, GVariant *parameter)
{
    (void)action;
    (void)parameter;
    gp_timeline_page_search(GP_TIMELINE_PAGE(widget));
}

/* Buttons do what keys do in the timeline. */
static void timeline_action(GtkWidget *widget, const char *action, GVariant *parameter)
{
    GpTimelinePage *self = GP_TIMELINE_PAGE(widget);
    g_autofree char *name = g_strconcat("timeline.", action + strlen("page."), NULL);

    (void)parameter;
    (void)gtk_widget_activate_action(self->timeline, name, NULL);
}

/* ---- making it ----------------------------------------------------------------------------- */

static void dispose(GObject *object)
{
    GpTimelinePage *self = GP_TIMELINE_PAGE(object);

    if (self->paned != NULL) {
        int height = gtk_widget_get_height(self->details);

        if (height > 0) {
            gp_settings_set_int(self->settings, PANEL_KEY, height);
        }
    }
    forget(self);
    self->timeline = NULL;
    self->paned = NULL;
    g_clear_pointer(&self->stack, gtk_widget_unparent);
    G_OBJECT_CLASS(gp_timeline_page_parent_class)->dispose(object);
}

static void gp_timeline_page_class_init(GpTimelinePageClass *klass)
{
    static const char *const actions[] = {"page.zoom-in", "page.zoom-out", "page.fit", "page.all",
                                          "page.undo"};
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

    G_OBJECT_CLASS(klass)->dispose = dispose;
    gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
    (void)g_signal_new("rested", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 0);
    gtk_widget_class_install_action(widget_class, "page.search", NULL, search_action);
    gtk_widget_class_install_action(widget_class, "page.explain", NULL, explain_action);
    for (size_t i = 0; i < G_N_ELEMENTS(actions); i++) {
        gtk_widget_class_install_action(widget_class, actions[i], NULL, timeline_action);
    }
    gtk_widget_class_add_binding_action(widget_class, GDK_KEY_slash, 0, "page.search", NULL);
    gtk_widget_class_add_binding_action(widget_class, GDK_KEY_f, GDK_CONTROL_MASK, "page.search",
                                        NULL);
}

static void add_button(GtkWidget *bar, const char *icon, const char *action, const char *tooltip)
{
    GtkWidget *button = gtk_button_new_from_icon_name(icon);

    gtk_button_set_has_frame(GTK_BUTTON(button), FALSE);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
    gtk_widget_set_tooltip_text(button, tooltip);
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                   -1);
    gtk_box_append(GTK_BOX(bar), button);
}

static GtkWidget *new_bar(GpTimelinePage *self)
{
    GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
    GtkWidget *keys = gtk_button_new_with_label("Keys: ?");

    gtk_widget_add_css_class(bar, "bar");
    add_button(bar, "zoom-in-symbolic", "page.zoom-in", "Zoom in (W)");
    add_button(bar, "zoom-out-symbolic", "page.zoom-out", "Zoom out (S)");
    add_button(bar, "zoom-fit-best-symbolic", "page.all", "Everything (0)");
    add_button(bar, "view-fullscreen-symbolic", "page.fit", "Fit the measure or the selection (F)");
    add_button(bar, "edit-undo-symbolic", "page.undo", "Back to the window before (Backspace)");
    self->search = gtk_search_entry_new();
    g_object_set(self->search, "placeholder-text", "Search names (/)", NULL);
    g_object_set(self->search, "width-chars", 8, "max-width-chars", 26, NULL);
    gtk_widget_set_hexpand(self->search, TRUE);
    gtk_widget_set_margin_start(self->search, 12);
    g_signal_connect(self->search, "search-changed", G_CALLBACK(search_changed), self);
    g_signal_connect(self->search, "activate", G_CALLBACK(search_next), self);
    g_signal_connect(self->search, "next-match", G_CALLBACK(search_next), self);
    g_signal_connect(self->search, "previous-match", G_CALLBACK(search_previous), self);
    g_signal_connect(self->search, "stop-search", G_CALLBACK(search_left), self);
    gtk_box_append(GTK_BOX(bar), self->search);
    self->hits = gtk_label_new(NULL);
    gtk_widget_set_margin_start(self->hits, 8);
    gtk_label_set_xalign(GTK_LABEL(self->hits), 0);
    gtk_widget_add_css_class(self->hits, "dim-label");
    gtk_widget_set_hexpand(self->hits, TRUE);
    gtk_box_append(GTK_BOX(bar), self->hits);
    gtk_button_set_has_frame(GTK_BUTTON(keys), FALSE);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(keys), "win.help");
    gtk_box_append(GTK_BOX(bar), keys);
    return bar;
}

static GtkWidget *new_content(GpTimelinePage *self)
{
    GtkWidget *content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

    gtk_box_append(GTK_BOX(content), new_bar(self));
    self->sample_bar = gp_sample_bar_new();
    gtk_box_append(GTK_BOX(content), self->sample_bar);
    self->timeline = gp_timeline_new();
    self->details = gp_details_new();
    g_signal_connect(self->timeline, "changed", G_CALLBACK(timeline_changed), self);
    g_signal_connect_swapped(self->timeline, "measured", G_CALLBACK(gp_details_turn_to_range),
                             self->details);
    g_signal_connect_swapped(self->timeline, "picked", G_CALLBACK(gp_details_turn_to_selection),
                             self->details);
    gtk_box_append(GTK_BOX(box), self->timeline);
    gtk_box_append(GTK_BOX(box),
                   gtk_scrollbar_new(GTK_ORIENTATION_VERTICAL,
                                     gp_timeline_adjustment(GP_TIMELINE(self->timeline))));
    gtk_widget_set_size_request(box, -1, 174);
    g_signal_connect(self->details, "chosen", G_CALLBACK(op_chosen), self);
    self->paned = gtk_paned_new(GTK_ORIENTATION_VERTICAL);
    /* A narrow handle takes clicks on the upper half of the tabs, too. */
    gtk_paned_set_wide_handle(GTK_PANED(self->paned), TRUE);
    gtk_paned_set_start_child(GTK_PANED(self->paned), box);
    gtk_paned_set_end_child(GTK_PANED(self->paned), self->details);
    gtk_paned_set_resize_end_child(GTK_PANED(self->paned), FALSE);
    gtk_paned_set_shrink_start_child(GTK_PANED(self->paned), FALSE);
    gtk_widget_set_vexpand(self->paned, TRUE);
    gtk_box_append(GTK_BOX(content), self->paned);
    return content;
}

static GtkWidget *new_loading(GpTimelinePage *self)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);

    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(box), gtk_label_new("Reading the operations"));
    self->progress = gtk_progress_bar_new();
    gtk_widget_set_size_request(self->progress, 280, -1);
    gtk_box_append(GTK_BOX(box), self->progress);
    return box;
}

static void gp_timeline_page_init(GpTimelinePage *self)
{
    self->stack = gtk_stack_new();
    self->status = gp_status_page_new();
    (void)gtk_stack_add_named(GTK_STACK(self->stack), self->status, "status");
    (void)gtk_stack_add_named(GTK_STACK(self->stack), new_loading(self), "loading");
    (void)gtk_stack_add_named(GTK_STACK(self->stack), new_content(self), "content");
    gtk_widget_set_parent(self->stack, GTK_WIDGET(self));
}

GtkWidget *gp_timeline_page_new(struct gp_settings *settings)
{
    GpTimelinePage *self = g_object_new(GP_TYPE_TIMELINE_PAGE, NULL);

    self->settings = settings;
    gtk_widget_set_size_request(self->details, -1,
                                gp_settings_int(settings, PANEL_KEY, PANEL_DEFAULT, 60, 4000));
    gp_timeline_page_show(self, NULL, NULL);
    return GTK_WIDGET(self);
}
