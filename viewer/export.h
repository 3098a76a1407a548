/*
 * A timeline as a picture in a file, with all that a reader must know of it: time axis, legend,
 * device (modelled or measured), cell, date. Needs no display.
 */
#ifndef GP_VIEWER_EXPORT_H
#define GP_VIEWER_EXPORT_H

#include "viewer/document.h"
#include "viewer/navigator.h"

struct gp_export_options {
    const char *path;  /* its end says what it becomes: .png, .svg or .pdf */
    int width, height; /* in points, or in pixels for .png before its scale; 0: what suits */
    double scale;      /* of .png: pixels to a point; 0: 2 */
};

/* Draws what the navigator shows. GP_EINVAL: another end of the name; GP_EIO: it cannot be
 * written. */
int gp_export_timeline(const struct gp_document *document, const struct gp_entry *entry,
                       const struct gp_navigator *navigator,
                       const struct gp_export_options *options, struct gp_error *err);

/* Reads the cell (gp_document_find's text; NULL: the first one with operations) of a recording and
 * draws all of it. */
int gp_export_file(const char *recording, const char *cell, const struct gp_export_options *options,
                   struct gp_error *err);

#endif
