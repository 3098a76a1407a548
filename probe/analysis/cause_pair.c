/* Why two operations did not run at the same time: see causes.h. */
#include "probe/analysis/causes.h"

#include <assert.h>
#include <string.h>

#include "probe/analysis/cause_story.h"
#include "probe/memory.h"

/* ---- paths --------------------------------------------------------------------------------- */

/* A search along the edges, from where they end to where they begin. */
struct search {
    const struct gp_cause_index *index;
    uint32_t *next; /* the operation that this one was found from; GP_NO_OP not found */
    uint32_t *open; /* found, in order */
    uint32_t count;
};

static void open_sources(struct search *search, uint32_t op)
{
    const struct gp_cause_index *index = search->index;

    for (uint32_t i = index->edge_first[op]; i < index->edge_first[op + 1]; i++) {
        const struct gp_edge_row *edge = &index->run->edges[i];

        if (edge->how != GP_HOW_MISSING && search->next[edge->from] == GP_NO_OP) {
            search->next[edge->from] = op;
            search->open[search->count++] = edge->from;
        }
    }
}

/* Copies the path that begins at `from` and ends at `to`; a long one loses its middle. */
static void take_path(const struct search *search, uint32_t from, uint32_t to, struct gp_pair *out)
{
    uint32_t length = 1;
    uint32_t place = 0;

    for (uint32_t op = from; op != to; op = search->next[op]) {
        length++;
    }
    for (uint32_t op = from; place < length; op = search->next[op]) {
        bool is_middle = length > GP_PATH_MAX && place >= GP_PATH_MAX / 2 &&
                         place < length - (GP_PATH_MAX - GP_PATH_MAX / 2);

        if (!is_middle) {
            out->path[out->path_count++] = op;
        }
        place++;
    }
}

/* Whether edges lead from one operation to another, and along which. */
static bool find_path(const struct gp_cause_index *index, uint32_t from, uint32_t to,
                      struct gp_pair *out)
{
    uint32_t count = index->run->op_count;
    struct search search = {
        .index = index,
        .next = gp_xalloc(count, sizeof *search.next),
        .open = gp_xalloc(count, sizeof *search.open),
        .count = 1,
    };
    bool found;

    memset(search.next, 0xff, count * sizeof *search.next);
    search.open[0] = to;
    search.next[to] = to;
    for (uint32_t i = 0; i < search.count && search.next[from] == GP_NO_OP; i++) {
        open_sources(&search, search.open[i]);
    }
    found = search.next[from] != GP_NO_OP;
    out->path_count = 0;
    if (found) {
        take_path(&search, from, to, out);
    }
    gp_free(search.next);
    gp_free(search.open);
    return found;
}

/* ---- pairs --------------------------------------------------------------------------------- */

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The longest piece of the second's story within [from, to). */
static struct gp_wait longest_piece(const struct gp_causes *causes, uint32_t op, int64_t from,
                                    int64_t to)
{
    struct gp_story story = {.index = causes->index, .op = op};
    struct gp_wait longest = {
        .from = from, .to = from, .figure = GP_UNKNOWN, .on = GP_NO_OP, .cause = GP_CAUSE_UNKNOWN};

    gp_story_tell(&story, from, causes->run->ops[op].begin);
    for (uint32_t i = 0; i < story.count; i++) {
        struct gp_wait piece = story.pieces[i];

        piece.to = earlier(piece.to, to);
        if (piece.to - piece.from > longest.to - longest.from) {
            longest = piece;
        }
    }
    longest.is_idle = longest.from >= gp_cause_index_idle_from(causes->index, op);
    return longest;
}

bool gp_cause_pair(const struct gp_causes *causes, uint32_t op_a, uint32_t op_b,
                   struct gp_pair *out)
{
    const struct gp_op_row *ops = causes->run->ops;
    bool swap;
    int64_t from, to, both_until;

    assert(op_a < causes->run->op_count && op_b < causes->run->op_count && op_a != op_b);
    *out = (struct gp_pair){0};
    if (!gp_op_runs(&ops[op_a]) || !gp_op_runs(&ops[op_b])) {
        return false;
    }
    swap = ops[op_b].begin < ops[op_a].begin || (ops[op_b].begin == ops[op_a].begin && op_b < op_a);
    out->first = swap ? op_b : op_a;
    out->second = swap ? op_a : op_b;
    from = ops[out->first].begin;
    to = earlier(ops[out->first].end, ops[out->second].begin);
    both_until = earlier(ops[out->first].end, ops[out->second].end);
    out->overlap_ns = both_until > ops[out->second].begin ? both_until - ops[out->second].begin : 0;
    out->wait = longest_piece(causes, out->second, from, to);
    if (find_path(causes->index, out->first, out->second, out)) {
        out->wait.from = from;
        out->wait.to = to;
        out->wait.cause = GP_CAUSE_DEPENDENCY;
        out->wait.on = out->first;
        out->wait.figure = GP_UNKNOWN;
    } else if (out->wait.cause == GP_CAUSE_DEPENDENCY && out->wait.on != GP_NO_OP) {
        (void)find_path(causes->index, out->wait.on, out->second, out);
    }
    return true;
}
