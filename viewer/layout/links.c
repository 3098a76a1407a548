/* Dependencies: see links.h. Both directions are arrays of neighbours with one offset an operation.
 */
#include "viewer/layout/links.h"

#include <assert.h>

#include "probe/memory.h"

struct gp_view_edges {
    uint32_t op_count, edge_count;
    uint32_t *before_first,
        *before; /* op i: before[before_first[i]] … before[before_first[i + 1]] */
    uint32_t *after_first, *after;
    uint8_t *is_missing; /* of each entry of before, a bit */
};

static bool get_bit(const uint8_t *bits, uint32_t i)
{
    return (bits[i / 8] >> (i % 8) & 1) != 0;
}

/* Counts become offsets: first[i] of the counts in first[i + 1]. */
static void accumulate(uint32_t *first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        first[i + 1] += first[i];
    }
}

static struct gp_view_edges *make(const struct gp_edge_row *rows, uint32_t count, uint32_t op_count)
{
    struct gp_view_edges *edges = gp_xalloc(1, sizeof *edges);

    edges->op_count = op_count;
    edges->edge_count = count;
    edges->before_first = gp_xalloc((size_t)op_count + 2, sizeof *edges->before_first);
    edges->after_first = gp_xalloc((size_t)op_count + 2, sizeof *edges->after_first);
    edges->before = gp_xalloc(count, sizeof *edges->before);
    edges->after = gp_xalloc(count, sizeof *edges->after);
    edges->is_missing = gp_xalloc(count / 8 + 1, 1);
    for (uint32_t i = 0; i < count; i++) {
        edges->before_first[rows[i].to + 2]++;
        edges->after_first[rows[i].from + 2]++;
    }
    accumulate(&edges->before_first[1], op_count);
    accumulate(&edges->after_first[1], op_count);
    /* first[op + 1] is where op's next one goes; it ends as the first of op + 1. */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = edges->before_first[rows[i].to + 1]++;

        edges->before[at] = rows[i].from;
        edges->is_missing[at / 8] |=
            (uint8_t)((rows[i].how == GP_HOW_MISSING ? 1U : 0U) << (at % 8));
        edges->after[edges->after_first[rows[i].from + 1]++] = rows[i].to;
    }
    return edges;
}

int gp_view_edges_load(struct gp_reader *reader, int64_t run, uint32_t op_count,
                       struct gp_view_edges **out, struct gp_error *err)
{
    struct gp_edge_row *rows = NULL;
    uint32_t count;
    int code = gp_reader_edges(reader, run, &rows, &count, err);

    *out = NULL;
    for (uint32_t i = 0; code == 0 && i < count; i++) {
        if (rows[i].from >= op_count || rows[i].to >= op_count) {
            code = gp_fail(err, GP_EINVAL, "run %lld has more than %u operations", (long long)run,
                           (unsigned)op_count);
        }
    }
    if (code == 0) {
        *out = make(rows, count, op_count);
    }
    gp_free(rows);
    return code;
}

void gp_view_edges_destroy(struct gp_view_edges *edges)
{
    if (edges == NULL) {
        return;
    }
    gp_free(edges->before_first);
    gp_free(edges->before);
    gp_free(edges->after_first);
    gp_free(edges->after);
    gp_free(edges->is_missing);
    gp_free(edges);
}

const uint32_t *gp_view_edges_before(const struct gp_view_edges *edges, uint32_t op,
                                     uint32_t *count)
{
    assert(op < edges->op_count);
    *count = edges->before_first[op + 1] - edges->before_first[op];
    return &edges->before[edges->before_first[op]];
}

const uint32_t *gp_view_edges_after(const struct gp_view_edges *edges, uint32_t op, uint32_t *count)
{
    assert(op < edges->op_count);
    *count = edges->after_first[op + 1] - edges->after_first[op];
    return &edges->after[edges->after_first[op]];
}

static bool is_edge_missing(const struct gp_view_edges *edges, uint32_t from, uint32_t to)
{
    for (uint32_t i = edges->before_first[to]; i < edges->before_first[to + 1]; i++) {
        if (edges->before[i] == from && get_bit(edges->is_missing, i)) {
            return true;
        }
    }
    return false;
}

/* A walk away from the selection in one direction, breadth first over the links themselves. */
struct walk {
    const struct gp_view_edges *edges;
    bool is_after;
    struct gp_view_link *links;
    uint32_t count, count_max;
};

static bool has_link(const struct walk *walk, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < walk->count; i++) {
        if (walk->links[i].from == from && walk->links[i].to == to) {
            return true;
        }
    }
    return false;
}

static void add_links(struct walk *walk, uint32_t op, uint32_t distance)
{
    uint32_t count;
    const uint32_t *next = walk->is_after ? gp_view_edges_after(walk->edges, op, &count)
                                          : gp_view_edges_before(walk->edges, op, &count);

    for (uint32_t i = 0; i < count && walk->count < walk->count_max; i++) {
        uint32_t from = walk->is_after ? op : next[i], to = walk->is_after ? next[i] : op;

        if (!has_link(walk, from, to)) {
            walk->links[walk->count++] =
                (struct gp_view_link){from, to, distance, is_edge_missing(walk->edges, from, to)};
        }
    }
}

/* One step more: from the far ends of the links of the step before. Returns where it began. */
static void step(struct walk *walk, uint32_t op, uint32_t distance)
{
    uint32_t count = walk->count;

    if (distance == 1) {
        add_links(walk, op, distance);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (walk->links[i].distance == distance - 1) {
            add_links(walk, walk->is_after ? walk->links[i].to : walk->links[i].from, distance);
        }
    }
}

uint32_t gp_view_links_find(const struct gp_view_edges *edges, uint32_t op, uint32_t depth,
                            struct gp_view_link *out, uint32_t count_max)
{
    struct gp_view_link after[GP_VIEW_LINKS_MAX], before[GP_VIEW_LINKS_MAX];
    struct walk walks[] = {
        {.edges = edges, .is_after = false, .links = before, .count_max = GP_VIEW_LINKS_MAX},
        {.edges = edges, .is_after = true, .links = after, .count_max = GP_VIEW_LINKS_MAX},
    };
    uint32_t count = 0, taken[2] = {0, 0};

    assert(op < edges->op_count && count_max <= GP_VIEW_LINKS_MAX);
    for (uint32_t distance = 1; distance <= depth; distance++) {
        for (int k = 0; k < 2; k++) {
            step(&walks[k], op, distance);
            for (; taken[k] < walks[k].count && count < count_max; taken[k]++) {
                out[count++] = walks[k].links[taken[k]];
            }
        }
    }
    return count;
}
