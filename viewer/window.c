/* A window: see window.h. */
#include "viewer/window.h"

#include <string.h>

#include "viewer/cell_list.h"
#include "viewer/document.h"
#include "viewer/file_dialog.h"
#include "viewer/header.h"
#include "viewer/matrix_page.h"
#include "viewer/menu.h"
#include "viewer/notice.h"
#include "viewer/opening.h"
#include "viewer/problem.h"
#include "viewer/room.h"
#include "viewer/shortcuts.h"
#include "viewer/start_page.h"
#include "viewer/status_page.h"
#include "viewer/timeline_page.h"

struct _GpWindow {
    GtkApplicationWindow parent;
    GtkWidget *stage; /* start, waiting, problem, content */
    GtkWidget *start, *problem, *paned, *cells, *pages, *matrix, *timeline;
    struct gp_header header;
    GtkWidget *notice;
    struct gp_settings *settings;
    struct gp_document *document;
    struct gp_figures *figures;
    GFile *file;
    char *cell; /* to begin with; NULL: none */
    GFileMonitor *monitor;
    GCancellable *cancellable;   /* of the reading that goes on */
    gboolean wants_figures;      /* they are to be read as soon as nothing more urgent is */
    gboolean wants_advice;       /* and then what to do */
    gboolean is_narrow;          /* there is no room for the cells */
    gboolean are_cells_unwanted; /* somebody hid them */
    int pane;                    /* how wide they are where there is room */
    guint fit_source;            /* to see whether there is; 0: none */
};

G_DEFINE_TYPE(GpWindow, gp_window, GTK_TYPE_APPLICATION_WINDOW)

#define WIDTH_KEY "width"
#define HEIGHT_KEY "height"
#define PANE_KEY "pane"

enum {
    WIDTH_DEFAULT = 1280,
    HEIGHT_DEFAULT = 800,
    PANE_DEFAULT = 240,
    NARROW = 680,
    CELLS_MIN = 150,
    PAGES_ROOM = 480
};

static void show_stage(GpWindow *self, const char *name)
{
    gboolean has_content = g_str_equal(name, "content");

    gtk_stack_set_visible_child_name(GTK_STACK(self->stage), name);
    gp_header_show_content(&self->header, has_content);
}

/* ---- notices ------------------------------------------------------------------------------- */

/* What is shown was read when the file was opened, so it stays right whatever happens to it. */
static void file_changed(GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event,
                         GpWindow *self)
{
    g_autofree char *path = g_file_get_parse_name(file);
    g_autofree char *text = NULL;

    (void)monitor;
    (void)other;
    switch (event) {
    case G_FILE_MONITOR_EVENT_DELETED:
    case G_FILE_MONITOR_EVENT_RENAMED:
    case G_FILE_MONITOR_EVENT_MOVED_OUT:
        text = g_strdup_printf("%s was moved or deleted. What is shown stays; cells that were not "
                               "looked at yet cannot be read. Open it from where it is now.",
                               path);
        break;
    case G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT:
        text = g_strdup_printf("%s has changed since it was opened. Reload it (Ctrl+R) to see it "
                               "as it is now.",
                               path);
        break;
    default:
        return;
    }
    gp_notice_say(self->notice, text);
}

/* ---- a recording --------------------------------------------------------------------------- */

static void forget_document(GpWindow *self)
{
    if (self->cancellable != NULL) {
        g_cancellable_cancel(self->cancellable);
        g_clear_object(&self->cancellable);
    }
    if (self->monitor != NULL) {
        (void)g_file_monitor_cancel(self->monitor);
        g_clear_object(&self->monitor);
    }
    self->wants_figures = FALSE;
    if (self->cells != NULL) {
        gp_timeline_page_show(GP_TIMELINE_PAGE(self->timeline), NULL, NULL);
        gp_timeline_page_advise(GP_TIMELINE_PAGE(self->timeline), NULL, "");
        gp_matrix_page_show(GP_MATRIX_PAGE(self->matrix), NULL);
        gp_cell_list_set_document(GP_CELL_LIST(self->cells), NULL);
    }
    g_clear_pointer(&self->figures, gp_figures_destroy);
    g_clear_pointer(&self->document, gp_document_close);
}

static void show_problem(GpWindow *self, const struct gp_error *err)
{
    struct gp_problem problem;

    gp_problem_of_file(err, &problem);
    gp_status_page_say(GP_STATUS_PAGE(self->problem), "dialog-warning-symbolic", problem.title,
                       problem.text, problem.advice);
    gp_status_page_offer(GP_STATUS_PAGE(self->problem), "_Try again", "win.reload");
    gp_status_page_offer(GP_STATUS_PAGE(self->problem), "_Open another file…", "win.open");
    show_stage(self, "problem");
}

static void advice_ready(GObject *source, GAsyncResult *result, gpointer data)
{
    GpWindow *self = GP_WINDOW(source);
    struct gp_advices advices;
    struct gp_error err = {0};
    gboolean is_known = gp_opening_take_advice(result, &advices, &err);

    (void)data;
    if (err.code != GP_EINTERRUPTED) {
        gp_timeline_page_advise(GP_TIMELINE_PAGE(self->timeline), is_known ? &advices : NULL,
                                err.text);
    }
}

static void figures_ready(GObject *source, GAsyncResult *result, gpointer data)
{
    GpWindow *self = GP_WINDOW(source);
    struct gp_error err = {0};
    struct gp_figures *figures = gp_opening_take_figures(result, &err);

    (void)data;
    if (err.code == GP_EINTERRUPTED) {
        return;
    }
    if (figures == NULL) {
        gp_notice_say(self->notice, err.text);
        gp_timeline_page_advise(GP_TIMELINE_PAGE(self->timeline), NULL, err.text);
        return;
    }
    self->figures = figures;
    gp_matrix_page_show(GP_MATRIX_PAGE(self->matrix), figures);
    if (self->wants_advice) {
        gp_opening_read_advice(self, self->cancellable, figures, advice_ready);
    }
}

/* The figures are the first page, unless there is one cell only or one was asked for. */
static void choose_first(GpWindow *self)
{
    const struct gp_entry *entry = NULL;
    struct gp_error err = {0};
    gboolean is_asked = self->cell != NULL || self->document->entry_count == 1;

    if (gp_document_find(self->document, self->cell, &entry, &err) != 0) {
        gp_notice_say(self->notice, err.text);
        (void)gp_document_find(self->document, NULL, &entry, &err);
        is_asked = FALSE;
    }
    gtk_stack_set_visible_child_name(GTK_STACK(self->pages), is_asked ? "timeline" : "matrix");
    gp_cell_list_select(GP_CELL_LIST(self->cells), entry);
}

/* Of millions of operations they take long: a timeline that is being read comes before them. */
static void read_figures(GpWindow *self)
{
    if (self->wants_figures) {
        self->wants_figures = FALSE;
        gp_opening_read_figures(self, self->cancellable, self->document->path, figures_ready);
    }
}

/* A cell was read, or cannot be. */
static void timeline_rested(GpWindow *self)
{
    if (self->wants_advice) {
        read_figures(self);
    }
}

static void page_changed(GpWindow *self)
{
    if (g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->pages)), "matrix") == 0) {
        read_figures(self);
    }
}

/* Unless it takes so long that somebody has to ask for it. */
static void begin_advice(GpWindow *self)
{
    char text[GP_OFFER_BYTES];
    guint32 most = 0;

    for (guint32 i = 0; i < self->document->entry_count; i++) {
        most = MAX(most, self->document->entries[i].op_count);
    }
    self->wants_advice = most <= GP_ROOM_UNASKED;
    if (self->wants_advice) {
        gp_timeline_page_advise(GP_TIMELINE_PAGE(self->timeline), NULL, "Looking for advice");
    } else {
        gp_room_tell("Advice was", most, text, sizeof text);
        gp_timeline_page_offer_advice(GP_TIMELINE_PAGE(self->timeline), text);
    }
}

static void document_ready(GObject *source, GAsyncResult *result, gpointer data)
{
    GpWindow *self = GP_WINDOW(source);
    struct gp_error err = {0};
    struct gp_document *document = gp_opening_take_document(result, &err);

    (void)data;
    if (err.code == GP_EINTERRUPTED) {
        return;
    }
    if (document == NULL) {
        show_problem(self, &err);
        return;
    }
    self->document = document;
    gp_menu_remember(self->file);
    self->monitor = g_file_monitor_file(self->file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
    if (self->monitor != NULL) {
        g_signal_connect(self->monitor, "changed", G_CALLBACK(file_changed), self);
    }
    gp_header_say_device(&self->header,
                         gp_document_device(self->document, &self->document->entries[0]));
    gp_cell_list_set_document(GP_CELL_LIST(self->cells), document);
    if (!gp_reader_is_complete(document->reader)) {
        gp_notice_say(self->notice,
                      "This recording is incomplete: its run was cut off or still goes on. "
                      "What is there is right.");
    }
    show_stage(self, "content");
    self->wants_figures = TRUE;
    begin_advice(self);
    choose_first(self);
    page_changed(self);
}

void gp_window_open(GpWindow *self, GFile *file, const char *cell)
{
    g_autofree char *name = g_file_get_basename(file);
    g_autofree char *shown = g_filename_display_name(name != NULL ? name : "?");
    g_autofree char *title = g_strdup_printf("%s – gpuprobe", shown);
    g_autofree char *path = g_file_get_path(file);

    forget_document(self);
    gp_notice_hide(self->notice);
    g_set_object(&self->file, file);
    g_free(self->cell);
    self->cell = g_strdup(cell);
    gtk_window_set_title(GTK_WINDOW(self), title);
    gp_header_say_file(&self->header, shown);
    if (path == NULL) {
        struct gp_error err = {0};

        (void)gp_fail(&err, GP_EIO, "%s is not a file of this machine", shown);
        show_problem(self, &err);
        return;
    }
    show_stage(self, "waiting");
    self->cancellable = g_cancellable_new();
    gp_opening_read_document(self, self->cancellable, path, document_ready);
}

gboolean gp_window_is_empty(GpWindow *self)
{
    return self->document == NULL && self->cancellable == NULL;
}

/* ---- actions ------------------------------------------------------------------------------- */

static void open_or_new(GpWindow *self, GFile *file)
{
    if (gp_window_is_empty(self)) {
        gp_window_open(self, file, NULL);
    } else {
        GFile *files[] = {file};

        g_application_open(G_APPLICATION(gtk_window_get_application(GTK_WINDOW(self))), files, 1,
                           "");
    }
}

static void chosen_to_open(GtkWindow *window, GFile *file)
{
    open_or_new(GP_WINDOW(window), file);
}

static void open_dialog(GtkWidget *widget, const char *action, GVariant *parameter)
{
    (void)action;
    (void)parameter;
    gp_file_dialog_open(GTK_WINDOW(widget), chosen_to_open);
}

static void open_uri(GtkWidget *widget, const char *action, GVariant *parameter)
{
    g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(parameter, NULL));

    (void)action;
    open_or_new(GP_WINDOW(widget), file);
}

static void reload(GtkWidget *widget, const char *action, GVariant *parameter)
{
    GpWindow *self = GP_WINDOW(widget);

    (void)action;
    (void)parameter;
    if (self->file != NULL) {
        g_autoptr(GFile) file = g_object_ref(self->file);

        gp_window_open(self, file, NULL);
    }
}

static void advise(GtkWidget *widget, const char *action, GVariant *parameter)
{
    GpWindow *self = GP_WINDOW(widget);

    (void)action;
    (void)parameter;
    if (self->document == NULL || self->wants_advice) {
        return;
    }
    self->wants_advice = TRUE;
    gp_timeline_page_advise(GP_TIMELINE_PAGE(self->timeline), NULL, "Looking for advice");
    if (self->figures != NULL) {
        gp_opening_read_advice(self, self->cancellable, self->figures, advice_ready);
    } else {
        read_figures(self);
    }
}

static void show_page(GtkWidget *widget, const char *action, GVariant *parameter)
{
    GpWindow *self = GP_WINDOW(widget);

    (void)action;
    gtk_stack_set_visible_child_name(GTK_STACK(self->pages), g_variant_get_string(parameter, NULL));
}

/* The pane of cells goes by itself where there is no room, and comes back. */
static void fit_width(GpWindow *self, int width)
{
    gboolean is_narrow = width < NARROW;

    if (is_narrow != self->is_narrow) {
        self->is_narrow = is_narrow;
        gtk_paned_set_position(GTK_PANED(self->paned), is_narrow ? CELLS_MIN : self->pane);
        gp_header_be_narrow(&self->header, is_narrow);
        gtk_widget_set_visible(self->cells, !is_narrow && !self->are_cells_unwanted);
    }
}

/* As somebody wants it, not as a small window makes it. */
static void pane_moved(GpWindow *self)
{
    int position = gtk_paned_get_position(GTK_PANED(self->paned));

    if (!self->is_narrow && gtk_widget_get_width(GTK_WIDGET(self)) - position > PAGES_ROOM) {
        self->pane = position;
    }
}

static gboolean fit_soon(gpointer data)
{
    GpWindow *self = data;

    self->fit_source = 0;
    fit_width(self, gtk_widget_get_width(GTK_WIDGET(self)));
    return G_SOURCE_REMOVE;
}

/* While it is being laid out, nothing may come or go. */
static void size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    GpWindow *self = GP_WINDOW(widget);

    GTK_WIDGET_CLASS(gp_window_parent_class)->size_allocate(widget, width, height, baseline);
    if (self->fit_source == 0 && (width < NARROW) != self->is_narrow) {
        self->fit_source = g_idle_add(fit_soon, self);
    }
}

static void toggle_cells(GtkWidget *widget, const char *action, GVariant *parameter)
{
    GpWindow *self = GP_WINDOW(widget);
    gboolean is_seen = gtk_widget_get_visible(self->cells);

    (void)action;
    (void)parameter;
    gtk_widget_set_visible(self->cells, !is_seen);
    if (!self->is_narrow) {
        self->are_cells_unwanted = is_seen;
    }
}

static void show_help(GtkWidget *widget, const char *action, GVariant *parameter)
{
    (void)action;
    (void)parameter;
    gp_shortcuts_present(GTK_WINDOW(widget));
}

static void chosen_for_export(GtkWindow *window, GFile *file)
{
    GpWindow *self = GP_WINDOW(window);
    g_autofree char *path = g_file_get_path(file);
    struct gp_error err = {0};

    if (gp_timeline_page_export(GP_TIMELINE_PAGE(self->timeline), path, &err) != 0) {
        gp_notice_say(self->notice, err.text);
    }
}

static void export_dialog(GtkWidget *widget, const char *action, GVariant *parameter)
{
    (void)action;
    (void)parameter;
    gp_file_dialog_export(GTK_WINDOW(widget), chosen_for_export);
}

/* ---- signals of the parts ------------------------------------------------------------------ */

static gboolean dropped(GtkDropTarget *target, const GValue *value, double x, double y,
                        GpWindow *self)
{
    GSList *files = g_value_get_boxed(value);

    (void)target;
    (void)x;
    (void)y;
    for (GSList *at = files; at != NULL; at = at->next) {
        open_or_new(self, G_FILE(at->data));
    }
    return files != NULL;
}

static void cell_opened(GpMatrixPage *page, gint64 cell, GpWindow *self)
{
    (void)page;
    for (uint32_t i = 0; self->document != NULL && i < self->document->entry_count; i++) {
        const struct gp_entry *entry = &self->document->entries[i];

        if (gp_document_cell(self->document, entry)->id == cell) {
            gp_cell_list_select(GP_CELL_LIST(self->cells), entry);
            gtk_stack_set_visible_child_name(GTK_STACK(self->pages), "timeline");
            return;
        }
    }
}

static void cell_chosen(GpCellList *list, GpWindow *self)
{
    const struct gp_entry *entry = gp_cell_list_selected(list);

    gp_matrix_page_reveal(GP_MATRIX_PAGE(self->matrix),
                          gp_document_cell(self->document, entry)->id);
    gp_timeline_page_show(GP_TIMELINE_PAGE(self->timeline), self->document, entry);
}

/* ---- making it ----------------------------------------------------------------------------- */

static void dispose(GObject *object)
{
    GpWindow *self = GP_WINDOW(object);

    if (self->fit_source != 0) {
        g_source_remove(self->fit_source);
        self->fit_source = 0;
    }
    forget_document(self);
    self->cells = NULL;
    g_clear_object(&self->file);
    g_clear_pointer(&self->cell, g_free);
    gp_header_finish(&self->header);
    G_OBJECT_CLASS(gp_window_parent_class)->dispose(object);
}

static gboolean close_request(GtkWindow *window)
{
    GpWindow *self = GP_WINDOW(window);
    int width, height;

    gtk_window_get_default_size(window, &width, &height);
    gp_settings_set_int(self->settings, WIDTH_KEY, width);
    gp_settings_set_int(self->settings, HEIGHT_KEY, height);
    gp_settings_set_int(self->settings, PANE_KEY, self->pane);
    return GTK_WINDOW_CLASS(gp_window_parent_class)->close_request(window);
}

static void gp_window_class_init(GpWindowClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

    G_OBJECT_CLASS(klass)->dispose = dispose;
    GTK_WINDOW_CLASS(klass)->close_request = close_request;
    widget_class->size_allocate = size_allocate;
    gtk_widget_class_install_action(widget_class, "win.open", NULL, open_dialog);
    gtk_widget_class_install_action(widget_class, "win.open-uri", "s", open_uri);
    gtk_widget_class_install_action(widget_class, "win.reload", NULL, reload);
    gtk_widget_class_install_action(widget_class, "win.page", "s", show_page);
    gtk_widget_class_install_action(widget_class, "win.cells", NULL, toggle_cells);
    gtk_widget_class_install_action(widget_class, "win.export", NULL, export_dialog);
    gtk_widget_class_install_action(widget_class, "win.advise", NULL, advise);
    gtk_widget_class_install_action(widget_class, "win.help", NULL, show_help);
}

static GtkWidget *new_content(GpWindow *self)
{
    self->cells = gp_cell_list_new();
    gtk_widget_set_size_request(self->cells, CELLS_MIN, -1);
    g_signal_connect(self->cells, "chosen", G_CALLBACK(cell_chosen), self);
    self->pages = gtk_stack_new();
    g_signal_connect_swapped(self->pages, "notify::visible-child", G_CALLBACK(page_changed), self);
    self->matrix = gp_matrix_page_new(self->settings);
    g_signal_connect(self->matrix, "opened", G_CALLBACK(cell_opened), self);
    (void)gtk_stack_add_titled(GTK_STACK(self->pages), self->matrix, "matrix", "Matrix");
    self->timeline = gp_timeline_page_new(self->settings);
    g_signal_connect_swapped(self->timeline, "rested", G_CALLBACK(timeline_rested), self);
    (void)gtk_stack_add_titled(GTK_STACK(self->pages), self->timeline, "timeline", "Timeline");
    gp_header_set_pages(&self->header, GTK_STACK(self->pages));
    self->paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
    /* A narrow handle takes clicks on the triangles of rows, too. */
    gtk_paned_set_wide_handle(GTK_PANED(self->paned), TRUE);
    gtk_paned_set_start_child(GTK_PANED(self->paned), self->cells);
    gtk_paned_set_resize_start_child(GTK_PANED(self->paned), FALSE);
    gtk_paned_set_shrink_start_child(GTK_PANED(self->paned), FALSE);
    gtk_paned_set_end_child(GTK_PANED(self->paned), self->pages);
    gtk_paned_set_shrink_end_child(GTK_PANED(self->paned), FALSE);
    self->pane = gp_settings_int(self->settings, PANE_KEY, PANE_DEFAULT, 80, 2000);
    gtk_paned_set_position(GTK_PANED(self->paned), self->pane);
    g_signal_connect_swapped(self->paned, "notify::position", G_CALLBACK(pane_moved), self);
    return self->paned;
}

static void gp_window_init(GpWindow *self)
{
    GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

    g_signal_connect(target, "drop", G_CALLBACK(dropped), self);
    gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(target));
    gtk_window_set_titlebar(GTK_WINDOW(self), gp_header_init(&self->header));
    gtk_window_set_title(GTK_WINDOW(self), "gpuprobe");
}

GpWindow *gp_window_new(GpApplication *application)
{
    GpWindow *self = g_object_new(GP_TYPE_WINDOW, "application", application, NULL);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    int width, height;

    self->settings = gp_application_settings(application);
    self->stage = gtk_stack_new();
    self->start = gp_start_page_new();
    self->problem = gp_status_page_new();
    (void)gtk_stack_add_named(GTK_STACK(self->stage), self->start, "start");
    (void)gtk_stack_add_named(GTK_STACK(self->stage), gp_start_page_waiting_new(), "waiting");
    (void)gtk_stack_add_named(GTK_STACK(self->stage), self->problem, "problem");
    (void)gtk_stack_add_named(GTK_STACK(self->stage), new_content(self), "content");
    self->notice = gp_notice_new();
    gtk_box_append(GTK_BOX(box), self->notice);
    gtk_widget_set_vexpand(self->stage, TRUE);
    gtk_box_append(GTK_BOX(box), self->stage);
    gtk_window_set_child(GTK_WINDOW(self), box);
    width = gp_settings_int(self->settings, WIDTH_KEY, WIDTH_DEFAULT, 200, 16384);
    height = gp_settings_int(self->settings, HEIGHT_KEY, HEIGHT_DEFAULT, 150, 16384);
    gtk_window_set_default_size(GTK_WINDOW(self), width, height);
    fit_width(self, width);
    show_stage(self, "start");
    return self;
}
