/*
 * A private folder with room for one file, or a file without a name, under TMPDIR, and gone
 * afterwards.
 */
#ifndef GP_PROBE_IMPORT_SCRATCH_H
#define GP_PROBE_IMPORT_SCRATCH_H

#include "core/error.h"

/* Zeroed: none. */
struct gp_scratch {
    char *folder;
    char *file; /* in it; does not exist yet */
};

/* GP_EIO: there is no place for it. */
int gp_scratch_init(struct gp_scratch *scratch, const char *name, struct gp_error *err);

/* Opens a file there that has no name and is gone when it is closed. Its descriptor, or GP_EIO. */
int gp_scratch_file(struct gp_error *err);

/* Removes the file, if there is one, and the folder. Takes a zeroed struct. */
void gp_scratch_finish(struct gp_scratch *scratch);

#endif
