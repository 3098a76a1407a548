/* Where a run of ours is in another recorder's ranges: see alignment_find.h. */
#include "probe/analysis/alignment_find.h"

#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"
#include "probe/nvtx/ranges.h"

/* Both sides, and our own range of the run; NULL: there is none. */
struct search {
    const struct gp_alignment_side *ours, *theirs;
    const struct gp_range_row *our_run;
};

static bool is_of_level(const struct gp_range_row *range, enum gp_range_level level)
{
    return range->category == (int32_t)level + 1 && range->domain != NULL &&
           strcmp(range->domain, GP_RANGE_DOMAIN) == 0 && range->end != GP_UNKNOWN;
}

static int by_begin(const void *a, const void *b)
{
    const struct gp_range_row *x = *(const struct gp_range_row *const *)a;
    const struct gp_range_row *y = *(const struct gp_range_row *const *)b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The ranges of operations that lie inside [begin, end]. */
static void collect(const struct gp_alignment_side *side, int64_t begin, int64_t end,
                    struct gp_alignment_anchors *out)
{
    out->ranges = gp_xalloc(side->range_count, sizeof(struct gp_range_row *));
    out->count = 0;
    for (uint32_t i = 0; i < side->range_count; i++) {
        const struct gp_range_row *range = &side->ranges[i];

        if (is_of_level(range, GP_RANGE_OP) && range->begin >= begin && range->end <= end) {
            out->ranges[out->count++] = range;
        }
    }
    qsort(out->ranges, out->count, sizeof(struct gp_range_row *), by_begin);
}

static bool is_same_sequence(const struct gp_alignment_anchors *a,
                             const struct gp_alignment_anchors *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (strcmp(a->ranges[i]->text, b->ranges[i]->text) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- places -------------------------------------------------------------------------------- */

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

/* How far a run of theirs is from where ours should be; 0 when either does not know when it was. */
static int64_t distance_of(const struct search *search, const struct gp_range_row *run)
{
    int64_t here = search->ours->epoch_realtime_ns, there = search->theirs->epoch_realtime_ns;

    if (here == GP_UNKNOWN || here == 0 || there == GP_UNKNOWN || there == 0) {
        return 0;
    }
    return distance(there + run->begin, here);
}

/* The range of that level around [begin, end]; NULL none. */
static const struct gp_range_row *find_around(const struct gp_alignment_side *side,
                                              enum gp_range_level level, int64_t begin, int64_t end)
{
    for (uint32_t i = 0; i < side->range_count; i++) {
        const struct gp_range_row *range = &side->ranges[i];

        if (is_of_level(range, level) && range->begin <= begin && range->end >= end) {
            return range;
        }
    }
    return NULL;
}

static bool is_other_cell(const struct search *search, const struct gp_range_row *run)
{
    const struct gp_range_row *ours = find_around(search->ours, GP_RANGE_CELL, 0, 0);
    const struct gp_range_row *theirs =
        find_around(search->theirs, GP_RANGE_CELL, run->begin, run->end);

    return ours != NULL && theirs != NULL && strcmp(ours->text, theirs->text) != 0;
}

static struct gp_alignment_place place_of(const struct search *search,
                                          const struct gp_range_row *run, bool by_order)
{
    const struct gp_range_row *ours = search->our_run;

    return (struct gp_alignment_place){
        .by_order = by_order,
        .is_other_cell = is_other_cell(search, run),
        .distance_ns = distance_of(search, run),
        .longer_ns = ours != NULL ? distance(run->end - run->begin, ours->end - ours->begin) : 0,
    };
}

bool gp_alignment_is_better(const struct gp_alignment_place *a, const struct gp_alignment_place *b)
{
    if (a->by_order != b->by_order) {
        return b->by_order;
    }
    if (a->is_other_cell != b->is_other_cell) {
        return b->is_other_cell;
    }
    return a->distance_ns != b->distance_ns ? a->distance_ns < b->distance_ns
                                            : a->longer_ns < b->longer_ns;
}

/* ---- the best one -------------------------------------------------------------------------- */

/* The traced run of theirs that is ours: with the same operations in the same order, and the best
 * place of those. A graph's launch has no ranges of operations inside. */
static bool find_run(const struct search *search, bool by_order, struct gp_alignment_found *out)
{
    bool found = false;

    for (uint32_t i = 0; i < search->theirs->range_count; i++) {
        const struct gp_range_row *run = &search->theirs->ranges[i];
        struct gp_alignment_anchors inside;
        struct gp_alignment_place place;

        if (!is_of_level(run, GP_RANGE_RUN) || strcmp(run->text, "plain run") == 0) {
            continue;
        }
        place = place_of(search, run, by_order);
        if (found && !gp_alignment_is_better(&place, &out->place)) {
            continue;
        }
        collect(search->theirs, run->begin, run->end, &inside);
        if (by_order ? inside.count == 0 : is_same_sequence(&out->ours, &inside)) {
            gp_free(out->theirs.ranges);
            out->theirs = inside;
            out->begin = run->begin;
            out->end = run->end;
            out->place = place;
            found = true;
        } else {
            gp_free(inside.ranges);
        }
    }
    return found;
}

bool gp_alignment_search(const struct gp_alignment_side *ours,
                         const struct gp_alignment_side *theirs, struct gp_alignment_found *out)
{
    const struct search search = {ours, theirs, find_around(ours, GP_RANGE_RUN, 0, 0)};

    *out = (struct gp_alignment_found){0};
    collect(ours, INT64_MIN, INT64_MAX, &out->ours);
    if (find_run(&search, false, out)) {
        return true;
    }
    gp_free(out->ours.ranges);
    out->ours = (struct gp_alignment_anchors){0};
    return find_run(&search, true, out);
}

void gp_alignment_found_finish(struct gp_alignment_found *found)
{
    gp_free(found->ours.ranges);
    gp_free(found->theirs.ranges);
    *found = (struct gp_alignment_found){0};
}

bool gp_alignment_find(const struct gp_alignment_side *ours, const struct gp_alignment_side *theirs,
                       struct gp_alignment_place *out)
{
    struct gp_alignment_found found;
    bool is_there = gp_alignment_search(ours, theirs, &found);

    *out = found.place;
    gp_alignment_found_finish(&found);
    return is_there;
}
