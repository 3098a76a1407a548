/*
 * drag_source FILE…: a small window in the upper left corner from which the files can be dragged,
 * as from a file manager. Ends when they were dropped; 1 when nobody took them.
 */
#include <gtk/gtk.h>

struct source {
    GdkContentProvider *files;
    GMainLoop *loop;
    gboolean is_taken;
};

static GdkContentProvider *prepare(GtkDragSource *drag, double x, double y, struct source *source)
{
    (void)drag;
    (void)x;
    (void)y;
    return g_object_ref(source->files);
}

static gboolean drag_failed(GtkDragSource *drag, GdkDrag *gdk_drag, GdkDragCancelReason reason,
                            struct source *source)
{
    (void)drag;
    (void)gdk_drag;
    g_printerr("nobody took it: %d\n", (int)reason);
    g_main_loop_quit(source->loop);
    return TRUE;
}

static void drag_ended(GtkDragSource *drag, GdkDrag *gdk_drag, gboolean is_deleted,
                       struct source *source)
{
    (void)drag;
    (void)gdk_drag;
    (void)is_deleted;
    source->is_taken = TRUE;
    g_main_loop_quit(source->loop);
}

int main(int argc, char **argv)
{
    struct source source = {.is_taken = FALSE};
    GSList *files = NULL;
    GtkWidget *window;
    GtkDragSource *drag;

    gtk_init();
    for (int i = argc; i-- > 1;) {
        files = g_slist_prepend(files, g_file_new_for_path(argv[i]));
    }
    source.loop = g_main_loop_new(NULL, FALSE);
    source.files = gdk_content_provider_new_typed(GDK_TYPE_FILE_LIST, files);
    window = gtk_window_new();
    gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
    gtk_window_set_default_size(GTK_WINDOW(window), 100, 60);
    gtk_window_set_title(GTK_WINDOW(window), "drag source");
    drag = gtk_drag_source_new();
    g_signal_connect(drag, "prepare", G_CALLBACK(prepare), &source);
    g_signal_connect(drag, "drag-cancel", G_CALLBACK(drag_failed), &source);
    g_signal_connect(drag, "drag-end", G_CALLBACK(drag_ended), &source);
    gtk_widget_add_controller(window, GTK_EVENT_CONTROLLER(drag));
    gtk_window_present(GTK_WINDOW(window));
    g_main_loop_run(source.loop);
    g_object_unref(source.files);
    g_slist_free_full(files, g_object_unref);
    g_main_loop_unref(source.loop);
    return source.is_taken ? 0 : 1;
}
