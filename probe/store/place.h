/*
 * The place of a recording in the file system: who may write it. Whoever writes a recording holds
 * it, so that no other process replaces the file under its feet; what a killed process held is
 * free.
 */
#ifndef GP_PROBE_STORE_PLACE_H
#define GP_PROBE_STORE_PLACE_H

#include <stdbool.h>

#include "core/error.h"

/* GP_EEXISTS when another writer holds the file at path; 0 when none does, or there is no file. */
int gp_place_check(const char *path, struct gp_error *err);

/* Makes an empty file that is ours alone, and holds it. An existing one is GP_EEXISTS unless force,
 * which replaces a regular file that nobody holds; GP_EIO: it cannot be. *hold is for
 * gp_place_leave. */
int gp_place_claim(const char *path, bool force, int *hold, struct gp_error *err);

/* Holds an existing file. GP_EEXISTS: another writer does. Where it cannot be opened *hold is -1:
 * whoever opens it next says why. */
int gp_place_hold(const char *path, int *hold, struct gp_error *err);

/* Ends a hold; negative: there is none. */
void gp_place_leave(int hold);

#endif
