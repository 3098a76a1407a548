/* Choosing files: see file_dialog.h. */
#include "viewer/file_dialog.h"

#define CHOSEN_KEY "gp-chosen"

static void responded(GtkNativeDialog *dialog, int response, gpointer data)
{
    gp_file_chosen_fn **chosen = g_object_get_data(G_OBJECT(dialog), CHOSEN_KEY);

    (void)data;
    if (response == GTK_RESPONSE_ACCEPT) {
        g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));

        (*chosen)(gtk_native_dialog_get_transient_for(dialog), file);
    }
    g_object_unref(dialog);
}

static void show(GtkFileChooserNative *dialog, gp_file_chosen_fn *chosen)
{
    gp_file_chosen_fn **kept = g_new(gp_file_chosen_fn *, 1);

    *kept = chosen;
    g_object_set_data_full(G_OBJECT(dialog), CHOSEN_KEY, kept, g_free);
    g_signal_connect(dialog, "response", G_CALLBACK(responded), NULL);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void add_filter(GtkFileChooserNative *dialog, const char *name, const char *pattern)
{
    g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();

    gtk_file_filter_set_name(filter, name);
    gtk_file_filter_add_pattern(filter, pattern);
    gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
}

void gp_file_dialog_open(GtkWindow *window, gp_file_chosen_fn *chosen)
{
    GtkFileChooserNative *dialog = gtk_file_chooser_native_new(
        "Open a recording", window, GTK_FILE_CHOOSER_ACTION_OPEN, "_Open", "_Cancel");

    add_filter(dialog, "Recordings", "*.gpuprobe");
    add_filter(dialog, "All files", "*");
    show(dialog, chosen);
}

void gp_file_dialog_export(GtkWindow *window, gp_file_chosen_fn *chosen)
{
    GtkFileChooserNative *dialog =
        gtk_file_chooser_native_new("Export what is seen (.png, .svg or .pdf)", window,
                                    GTK_FILE_CHOOSER_ACTION_SAVE, "_Export", "_Cancel");

    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), "timeline.pdf");
    show(dialog, chosen);
}
