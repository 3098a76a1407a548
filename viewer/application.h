/*
 * The program: its options, the files it is given, and the actions that belong to no window.
 */
#ifndef GP_VIEWER_APPLICATION_H
#define GP_VIEWER_APPLICATION_H

#include <gtk/gtk.h>

#include "viewer/settings.h"

#define GP_APPLICATION_ID "org.gpuprobe.Viewer"

#define GP_TYPE_APPLICATION (gp_application_get_type())
G_DECLARE_FINAL_TYPE(GpApplication, gp_application, GP, APPLICATION, GtkApplication)

/* The caller's. */
GpApplication *gp_application_new(void);

/* Borrowed; never NULL. */
struct gp_settings *gp_application_settings(GpApplication *self);

#endif
