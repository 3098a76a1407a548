/*
 * Maximum matching of a bipartite graph by Hopcroft and Karp, O(edges × √vertices).
 */
#ifndef GP_CORE_POLICY_MATCHING_H
#define GP_CORE_POLICY_MATCHING_H

#include <stdint.h>

#include "core/error.h"

/* Left and right each have `count` vertices; left i has the neighbours
 * to[first[i] .. first[i + 1]). */
struct gp_bipartite {
    uint32_t count;
    const uint32_t *first;
    const uint32_t *to;
};

static const uint32_t gp_unmatched = UINT32_MAX;

/* Fills right_of[left] and left_of[right] with partners or gp_unmatched. */
int gp_matching_find(const struct gp_bipartite *graph, uint32_t *right_of, uint32_t *left_of,
                     struct gp_error *err);

#endif
