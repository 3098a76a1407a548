/*
 * The looks and the icon as embedded bytes: a bundle of glib's resources.
 */
#ifndef GP_VIEWER_RESOURCES_H
#define GP_VIEWER_RESOURCES_H

extern const char gp_resources_begin[], gp_resources_end[];

#define GP_RESOURCES_PATH "/org/gpuprobe/Viewer"

#endif
