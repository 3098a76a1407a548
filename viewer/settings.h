/*
 * What the window remembers from one start to the next: a key file in the user's configuration
 * folder. What cannot be read or written is as if it were not there.
 */
#ifndef GP_VIEWER_SETTINGS_H
#define GP_VIEWER_SETTINGS_H

#include <glib.h>

/* One process has one, in its main thread. */
struct gp_settings;

/* Reads $XDG_CONFIG_HOME/gpuprobe/viewer.ini; the caller's. Never NULL. */
struct gp_settings *gp_settings_create(void);

/* Writes what was changed; NULL allowed. */
void gp_settings_destroy(struct gp_settings *settings);

/* A value, or the fallback when it was never set or lies outside [min, max]. */
int gp_settings_int(const struct gp_settings *settings, const char *key, int fallback, int min,
                    int max);

/* Kept until destroy writes it. */
void gp_settings_set_int(struct gp_settings *settings, const char *key, int value);

#endif
