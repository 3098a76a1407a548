/* What the window remembers: see settings.h. */
#include "viewer/settings.h"

#include "probe/memory.h"

#define GROUP "window"

struct gp_settings {
    GKeyFile *file;
    char *path;
    gboolean is_changed;
};

struct gp_settings *gp_settings_create(void)
{
    struct gp_settings *settings = gp_xalloc(1, sizeof *settings);

    settings->path = g_build_filename(g_get_user_config_dir(), "gpuprobe", "viewer.ini", NULL);
    settings->file = g_key_file_new();
    (void)g_key_file_load_from_file(settings->file, settings->path, G_KEY_FILE_KEEP_COMMENTS, NULL);
    return settings;
}

void gp_settings_destroy(struct gp_settings *settings)
{
    if (settings == NULL) {
        return;
    }
    if (settings->is_changed) {
        g_autofree char *folder = g_path_get_dirname(settings->path);

        (void)g_mkdir_with_parents(folder, 0700);
        (void)g_key_file_save_to_file(settings->file, settings->path, NULL);
    }
    g_key_file_unref(settings->file);
    g_free(settings->path);
    gp_free(settings);
}

int gp_settings_int(const struct gp_settings *settings, const char *key, int fallback, int min,
                    int max)
{
    GError *error = NULL;
    int value = g_key_file_get_integer(settings->file, GROUP, key, &error);

    if (error != NULL) {
        g_error_free(error);
        return fallback;
    }
    return value < min || value > max ? fallback : value;
}

void gp_settings_set_int(struct gp_settings *settings, const char *key, int value)
{
    if (!g_key_file_has_key(settings->file, GROUP, key, NULL) ||
        gp_settings_int(settings, key, value - 1, G_MININT, G_MAXINT) != value) {
        g_key_file_set_integer(settings->file, GROUP, key, value);
        settings->is_changed = TRUE;
    }
}
