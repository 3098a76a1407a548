/* What a window shows before a recording: see start_page.h. */
#include "viewer/start_page.h"

#include "viewer/application.h"
#include "viewer/menu.h"
#include "viewer/status_page.h"

GtkWidget *gp_start_page_waiting_new(void)
{
    GtkWidget *spinner = gtk_spinner_new();

    gtk_spinner_start(GTK_SPINNER(spinner));
    gtk_widget_set_size_request(spinner, 32, 32);
    gtk_widget_set_halign(spinner, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(spinner, GTK_ALIGN_CENTER);
    gtk_accessible_update_property(GTK_ACCESSIBLE(spinner), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   "Reading the recording", -1);
    return spinner;
}

GtkWidget *gp_start_page_new(void)
{
    GtkWidget *start = gp_status_page_new();
    g_autofree char *folder = gp_menu_samples_folder();
    g_autoptr(GPtrArray) recent = gp_menu_recent(4);

    gp_status_page_say(GP_STATUS_PAGE(start), GP_APPLICATION_ID, "Which recording?", "",
                       "Drop a file here, or make one:  gpuprobe --scenario batch");
    gp_status_page_offer(GP_STATUS_PAGE(start), "_Open a recording…", "win.open");
    for (guint i = 0; i < recent->len; i++) {
        const char *uri = g_ptr_array_index(recent, i);
        g_autoptr(GFile) file = g_file_new_for_uri(uri);
        g_autofree char *name = g_file_get_basename(file);
        g_autoptr(GVariant) target = g_variant_ref_sink(g_variant_new_string(uri));
        g_autofree char *action = g_action_print_detailed_name("win.open-uri", target);

        gp_status_page_offer(GP_STATUS_PAGE(start), name, action);
    }
    if (folder != NULL) {
        g_autofree char *path = g_build_filename(folder, "h200-batch.gpuprobe", NULL);
        g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
        g_autoptr(GVariant) target = g_variant_ref_sink(g_variant_new_string(uri));
        g_autofree char *action = g_action_print_detailed_name("win.open-uri", target);

        gp_status_page_offer(GP_STATUS_PAGE(start), "Look at a _sample from an H200", action);
    }
    return start;
}
