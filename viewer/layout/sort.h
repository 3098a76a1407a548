/*
 * Sorting millions of lines by a number of each.
 */
#ifndef GP_VIEWER_LAYOUT_SORT_H
#define GP_VIEWER_LAYOUT_SORT_H

#include <stdint.h>

#include "viewer/layout/job.h"

/* The order of lines 0 … count − 1 by their keys, the least first or the greatest; of equal ones
 * the first stays first. The caller's (gp_free); NULL when the job was given up (job NULL: it is
 * not). Takes 32 bytes a line besides. */
uint32_t *gp_view_sort(const int64_t *keys, uint32_t count, bool is_descending,
                       struct gp_view_job *job);

/* Numbers texts by their alphabet: equal ones alike. ranks has room for all of them. */
void gp_view_sort_texts(const char *const *texts, uint32_t count, int64_t *ranks);

#endif
