/* The window's menu: see menu.h. */
#include "viewer/menu.h"

enum { RECENT_MAX = 8 };

char *gp_menu_samples_folder(void)
{
    static const char *const places[] = {"../share/gpuprobe/samples", "../../../data/samples"};
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = program != NULL ? g_path_get_dirname(program) : NULL;

    for (size_t i = 0; folder != NULL && i < G_N_ELEMENTS(places); i++) {
        g_autofree char *joined = g_build_filename(folder, places[i], NULL);
        char *place = g_canonicalize_filename(joined, NULL);

        if (g_file_test(place, G_FILE_TEST_IS_DIR)) {
            return place;
        }
        g_free(place);
    }
    return NULL;
}

static void append_file(GMenu *menu, const char *uri)
{
    g_autoptr(GFile) file = g_file_new_for_uri(uri);
    g_autofree char *name = g_file_get_basename(file);
    g_autofree char *shown = g_filename_display_name(name);
    g_autoptr(GMenuItem) item = g_menu_item_new(shown, NULL);

    g_menu_item_set_action_and_target(item, "win.open-uri", "s", uri);
    g_menu_append_item(menu, item);
}

static int compare_names(gconstpointer left, gconstpointer right)
{
    return g_strcmp0(*(const char *const *)left, *(const char *const *)right);
}

static GMenuModel *new_samples(void)
{
    GMenu *menu = g_menu_new();
    g_autofree char *folder = gp_menu_samples_folder();
    g_autoptr(GDir) dir = folder != NULL ? g_dir_open(folder, 0, NULL) : NULL;
    g_autoptr(GPtrArray) uris = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(name, ".gpuprobe")) {
            g_autofree char *path = g_build_filename(folder, name, NULL);

            g_ptr_array_add(uris, g_filename_to_uri(path, NULL, NULL));
        }
    }
    g_ptr_array_sort(uris, compare_names);
    for (guint i = 0; i < uris->len; i++) {
        append_file(menu, g_ptr_array_index(uris, i));
    }
    return G_MENU_MODEL(menu);
}

static int compare_visits(gconstpointer left, gconstpointer right)
{
    GDateTime *a = gtk_recent_info_get_modified((GtkRecentInfo *)left);
    GDateTime *b = gtk_recent_info_get_modified((GtkRecentInfo *)right);

    return g_date_time_compare(b, a);
}

GPtrArray *gp_menu_recent(guint count_max)
{
    GPtrArray *uris = g_ptr_array_new_with_free_func(g_free);
    GList *infos =
        g_list_sort(gtk_recent_manager_get_items(gtk_recent_manager_get_default()), compare_visits);

    for (GList *at = infos; at != NULL; at = at->next) {
        GtkRecentInfo *info = at->data;

        if (uris->len < count_max &&
            g_str_equal(gtk_recent_info_get_mime_type(info), GP_MIME_TYPE) &&
            gtk_recent_info_exists(info)) {
            g_ptr_array_add(uris, g_strdup(gtk_recent_info_get_uri(info)));
        }
    }
    g_list_free_full(infos, (GDestroyNotify)gtk_recent_info_unref);
    return uris;
}

static GMenuModel *new_recent(void)
{
    GMenu *menu = g_menu_new();
    g_autoptr(GPtrArray) uris = gp_menu_recent(RECENT_MAX);

    for (guint i = 0; i < uris->len; i++) {
        append_file(menu, g_ptr_array_index(uris, i));
    }
    return G_MENU_MODEL(menu);
}

void gp_menu_remember(GFile *file)
{
    static char application[] = "gpuprobe-viewer", command[] = "gpuprobe-viewer %u";
    static char mime_type[] = GP_MIME_TYPE;
    g_autofree char *uri = g_file_get_uri(file);
    const GtkRecentData data = {
        .mime_type = mime_type, .app_name = application, .app_exec = command};

    (void)gtk_recent_manager_add_full(gtk_recent_manager_get_default(), uri, &data);
}

static void append_section(GMenu *menu, GMenu *section)
{
    g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
    g_object_unref(section);
}

static void append_submenu(GMenu *menu, const char *label, GMenuModel *submenu)
{
    if (g_menu_model_get_n_items(submenu) > 0) {
        g_menu_append_submenu(menu, label, submenu);
    }
    g_object_unref(submenu);
}

static GMenuModel *new_schemes(void)
{
    GMenu *menu = g_menu_new();

    g_menu_append(menu, "As the _system", "app.scheme::system");
    g_menu_append(menu, "_Light", "app.scheme::light");
    g_menu_append(menu, "_Dark", "app.scheme::dark");
    return G_MENU_MODEL(menu);
}

GMenuModel *gp_menu_new(void)
{
    GMenu *menu = g_menu_new(), *files = g_menu_new(), *looks = g_menu_new(), *help = g_menu_new();

    g_menu_append(files, "_Open…", "win.open");
    append_submenu(files, "_Recent", new_recent());
    append_submenu(files, "_Samples", new_samples());
    g_menu_append(files, "Re_load", "win.reload");
    g_menu_append(files, "_Export the timeline…", "win.export");
    append_section(menu, files);
    append_submenu(looks, "_Appearance", new_schemes());
    append_section(menu, looks);
    g_menu_append(help, "_Keys", "win.help");
    g_menu_append(help, "_About", "app.about");
    g_menu_append(help, "_Quit", "app.quit");
    append_section(menu, help);
    return G_MENU_MODEL(menu);
}
