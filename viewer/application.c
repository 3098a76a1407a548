/* The program: see application.h. */
#include "viewer/application.h"

#include "probe/version.h"
#include "viewer/export.h"
#include "viewer/resources.h"
#include "viewer/shortcuts.h"
#include "viewer/window.h"

struct _GpApplication {
    GtkApplication parent;
    struct gp_settings *settings;
    GtkCssProvider *looks;
};

G_DEFINE_TYPE(GpApplication, gp_application, GTK_TYPE_APPLICATION)

enum gp_scheme { SCHEME_SYSTEM, SCHEME_LIGHT, SCHEME_DARK, SCHEME_COUNT };

static const char *const scheme_names[] = {"system", "light", "dark"};

#define SCHEME_KEY "scheme"

/* ---- actions ------------------------------------------------------------------------------- */

static GpWindow *active_window(GpApplication *self)
{
    GtkWindow *window = gtk_application_get_active_window(GTK_APPLICATION(self));

    return GP_IS_WINDOW(window) ? GP_WINDOW(window) : NULL;
}

static void quit(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    GList *windows = g_list_copy(gtk_application_get_windows(GTK_APPLICATION(data)));

    (void)action;
    (void)parameter;
    for (GList *at = windows; at != NULL; at = at->next) {
        gtk_window_close(GTK_WINDOW(at->data));
    }
    g_list_free(windows);
}

static void about(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action;
    (void)parameter;
    gtk_show_about_dialog(
        GTK_WINDOW(active_window(GP_APPLICATION(data))), "program-name", "gpuprobe viewer",
        "version", GP_VERSION, "logo-icon-name", GP_APPLICATION_ID, "comments",
        "What CUDA streams did: where work overlapped, where it did not, and why.", NULL);
}

static void apply_scheme(enum gp_scheme scheme)
{
    GtkSettings *settings = gtk_settings_get_default();

    if (scheme == SCHEME_SYSTEM) {
        gtk_settings_reset_property(settings, "gtk-application-prefer-dark-theme");
    } else {
        g_object_set(settings, "gtk-application-prefer-dark-theme", scheme == SCHEME_DARK, NULL);
    }
}

static void change_scheme(GSimpleAction *action, GVariant *value, gpointer data)
{
    GpApplication *self = data;

    for (int i = 0; i < SCHEME_COUNT; i++) {
        if (g_str_equal(scheme_names[i], g_variant_get_string(value, NULL))) {
            apply_scheme((enum gp_scheme)i);
            gp_settings_set_int(self->settings, SCHEME_KEY, i);
            g_simple_action_set_state(action, value);
        }
    }
}

static void add_actions(GpApplication *self)
{
    static const GActionEntry entries[] = {
        {"quit", quit, NULL, NULL, NULL, {0}},
        {"about", about, NULL, NULL, NULL, {0}},
        {"scheme", NULL, "s", "'system'", change_scheme, {0}},
    };
    int scheme = gp_settings_int(self->settings, SCHEME_KEY, 0, 0, SCHEME_COUNT - 1);

    g_action_map_add_action_entries(G_ACTION_MAP(self), entries, G_N_ELEMENTS(entries), self);
    g_action_group_change_action_state(G_ACTION_GROUP(self), "scheme",
                                       g_variant_new_string(scheme_names[scheme]));
}

/* ---- start --------------------------------------------------------------------------------- */

static void startup(GApplication *application)
{
    GpApplication *self = GP_APPLICATION(application);
    g_autoptr(GBytes) bytes =
        g_bytes_new_static(gp_resources_begin, (gsize)(gp_resources_end - gp_resources_begin));
    g_autoptr(GResource) resources = g_resource_new_from_data(bytes, NULL);

    G_APPLICATION_CLASS(gp_application_parent_class)->startup(application);
    g_resources_register(resources);
    self->looks = gtk_css_provider_new();
    gtk_css_provider_load_from_resource(self->looks, GP_RESOURCES_PATH "/viewer.css");
    gtk_style_context_add_provider_for_display(gdk_display_get_default(),
                                               GTK_STYLE_PROVIDER(self->looks),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    gtk_icon_theme_add_resource_path(gtk_icon_theme_get_for_display(gdk_display_get_default()),
                                     GP_RESOURCES_PATH "/icons");
    gtk_window_set_default_icon_name(GP_APPLICATION_ID);
    add_actions(self);
    gp_shortcuts_add(GTK_APPLICATION(self));
}

static void shutdown_all(GApplication *application)
{
    GpApplication *self = GP_APPLICATION(application);

    g_clear_object(&self->looks);
    G_APPLICATION_CLASS(gp_application_parent_class)->shutdown(application);
}

static void activate(GApplication *application)
{
    GpWindow *window = active_window(GP_APPLICATION(application));

    if (window == NULL) {
        window = gp_window_new(GP_APPLICATION(application));
    }
    gtk_window_present(GTK_WINDOW(window));
}

/* A window for each file; an empty one that is there is used first. */
static void open_file(GpApplication *self, GFile *file, const char *cell)
{
    GpWindow *window = active_window(self);

    if (window == NULL || !gp_window_is_empty(window)) {
        window = gp_window_new(self);
    }
    gp_window_open(window, file, cell);
    gtk_window_present(GTK_WINDOW(window));
}

static void open_files(GApplication *application, GFile **files, int count, const char *hint)
{
    for (int i = 0; i < count; i++) {
        open_file(GP_APPLICATION(application), files[i], hint[0] != '\0' ? hint : NULL);
    }
}

/* ---- the command line ---------------------------------------------------------------------- */

static const GOptionEntry options[] = {
    {"export", 'e', 0, G_OPTION_ARG_FILENAME, NULL,
     "Draw a cell into OUT (.png, .svg or .pdf) and end; needs no display", "OUT"},
    {"cell", 'c', 0, G_OPTION_ARG_STRING, NULL,
     "Which cell: its number, POLICY, POLICY/STREAMS or SCENARIO/POLICY/STREAMS", "CELL"},
    {"width", 0, 0, G_OPTION_ARG_INT, NULL, "Width of the picture in points (default 1400)", "N"},
    {"height", 0, 0, G_OPTION_ARG_INT, NULL, "Its height (default: as high as its rows)", "N"},
    {"scale", 0, 0, G_OPTION_ARG_DOUBLE, NULL, "Pixels to a point of a .png (default 2)", "X"},
    {"version", 'V', 0, G_OPTION_ARG_NONE, NULL, "Print the version and end", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, "[FILE…]"},
    {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
};

/* Exit codes are those of gpuprobe. */
enum { EXIT_USAGE = 2, EXIT_FORMAT = 5 };

static int fail(const struct gp_error *err)
{
    g_printerr("gpuprobe-viewer: %s\n", err->text);
    return err->code == GP_EINVAL ? EXIT_USAGE : err->code == GP_EFORMAT ? EXIT_FORMAT : 1;
}

static int export(GVariantDict *dict, const char *out, char **files)
{
    struct gp_export_options what = {.path = out};
    struct gp_error err = {0};
    const char *cell = NULL;

    (void)g_variant_dict_lookup(dict, "cell", "&s", &cell);
    (void)g_variant_dict_lookup(dict, "width", "i", &what.width);
    (void)g_variant_dict_lookup(dict, "height", "i", &what.height);
    (void)g_variant_dict_lookup(dict, "scale", "d", &what.scale);
    if (files == NULL || files[0] == NULL || files[1] != NULL) {
        (void)gp_fail(&err, GP_EINVAL,
                      "--export draws one recording: gpuprobe-viewer --export %s "
                      "FILE",
                      out);
        return fail(&err);
    }
    return gp_export_file(files[0], cell, &what, &err) == 0 ? 0 : fail(&err);
}

/* What needs no display is done before GTK looks for one. */
static int handle_local_options(GApplication *application, GVariantDict *dict)
{
    g_autofree char *out = NULL;
    g_autofree char **files = NULL;

    (void)application;
    if (g_variant_dict_contains(dict, "version")) {
        g_print("gpuprobe-viewer %s\n", GP_VERSION);
        return 0;
    }
    if (!g_variant_dict_lookup(dict, "export", "^ay", &out)) {
        return -1;
    }
    (void)g_variant_dict_lookup(dict, G_OPTION_REMAINING, "^a&ay", &files);
    return export(dict, out, files);
}

static int command_line(GApplication *application, GApplicationCommandLine *line)
{
    GVariantDict *dict = g_application_command_line_get_options_dict(line);
    g_autofree char **files = NULL;
    const char *cell = NULL;

    (void)g_variant_dict_lookup(dict, "cell", "&s", &cell);
    (void)g_variant_dict_lookup(dict, G_OPTION_REMAINING, "^a&ay", &files);
    for (size_t i = 0; files != NULL && files[i] != NULL; i++) {
        g_autoptr(GFile) file = g_application_command_line_create_file_for_arg(line, files[i]);

        open_file(GP_APPLICATION(application), file, cell);
    }
    if (files == NULL) {
        g_application_activate(application);
    }
    return 0;
}

static void finalize(GObject *object)
{
    GpApplication *self = GP_APPLICATION(object);

    gp_settings_destroy(self->settings);
    G_OBJECT_CLASS(gp_application_parent_class)->finalize(object);
}

static void gp_application_class_init(GpApplicationClass *klass)
{
    GApplicationClass *application_class = G_APPLICATION_CLASS(klass);

    G_OBJECT_CLASS(klass)->finalize = finalize;
    application_class->startup = startup;
    application_class->shutdown = shutdown_all;
    application_class->activate = activate;
    application_class->open = open_files;
    application_class->handle_local_options = handle_local_options;
    application_class->command_line = command_line;
}

static void gp_application_init(GpApplication *self)
{
    self->settings = gp_settings_create();
    g_application_add_main_option_entries(G_APPLICATION(self), options);
    g_application_set_option_context_parameter_string(G_APPLICATION(self), "");
    g_application_set_option_context_summary(
        G_APPLICATION(self),
        "Shows what gpuprobe recorded: which policy and pool size is best, and "
        "what the streams did.");
}

GpApplication *gp_application_new(void)
{
    return g_object_new(GP_TYPE_APPLICATION, "application-id", GP_APPLICATION_ID, "flags",
                        G_APPLICATION_HANDLES_OPEN | G_APPLICATION_HANDLES_COMMAND_LINE, NULL);
}

struct gp_settings *gp_application_settings(GpApplication *self)
{
    return self->settings;
}
