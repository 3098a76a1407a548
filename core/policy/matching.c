/* Maximum matching: see matching.h. */
#include "core/policy/matching.h"

#include <stdbool.h>

#include "core/memory.h"

static const uint32_t far = UINT32_MAX;

struct search {
    const struct gp_bipartite *graph;
    uint32_t *right_of, *left_of;
    uint32_t *distance; /* of lefts, in alternating steps from a free one */
    uint32_t *next;     /* of lefts: edge to try next in this phase */
    uint32_t *stack;    /* of lefts: queue of the breadth-first, path of the depth-first search */
};

/* Layers the lefts; true when some free right can be reached. */
static bool layer(struct search *s)
{
    uint32_t head = 0;
    uint32_t tail = 0;
    bool is_reached = false;

    for (uint32_t left = 0; left < s->graph->count; left++) {
        s->distance[left] = far;
        s->next[left] = s->graph->first[left];
        if (s->right_of[left] == gp_unmatched) {
            s->distance[left] = 0;
            s->stack[tail++] = left;
        }
    }
    while (head < tail) {
        uint32_t left = s->stack[head++];

        for (uint32_t e = s->graph->first[left]; e < s->graph->first[left + 1]; e++) {
            uint32_t partner = s->left_of[s->graph->to[e]];

            if (partner == gp_unmatched) {
                is_reached = true;
            } else if (s->distance[partner] == far) {
                s->distance[partner] = s->distance[left] + 1;
                s->stack[tail++] = partner;
            }
        }
    }
    return is_reached;
}

/* Matches along the path on the stack, whose last left's edge before `next` goes to a free right.
 */
static void flip(struct search *s, uint32_t depth)
{
    while (depth-- > 0) {
        uint32_t left = s->stack[depth];
        uint32_t right = s->graph->to[s->next[left] - 1];

        s->right_of[left] = right;
        s->left_of[right] = left;
    }
}

/* Looks for a shortest path from a free left to a free right; every edge is tried once a phase. */
static void augment(struct search *s, uint32_t root)
{
    uint32_t depth = 0;

    s->stack[depth++] = root;
    while (depth > 0) {
        uint32_t left = s->stack[depth - 1];
        uint32_t partner;

        if (s->next[left] == s->graph->first[left + 1]) {
            depth--;
            continue;
        }
        partner = s->left_of[s->graph->to[s->next[left]++]];
        if (partner == gp_unmatched) {
            flip(s, depth);
            return;
        }
        if (s->distance[partner] == s->distance[left] + 1) {
            s->stack[depth++] = partner;
        }
    }
}

static void match(struct search *s)
{
    for (uint32_t i = 0; i < s->graph->count; i++) {
        s->right_of[i] = gp_unmatched;
        s->left_of[i] = gp_unmatched;
    }
    while (layer(s)) {
        for (uint32_t left = 0; left < s->graph->count; left++) {
            if (s->right_of[left] == gp_unmatched) {
                augment(s, left);
            }
        }
    }
}

int gp_matching_find(const struct gp_bipartite *graph, uint32_t *right_of, uint32_t *left_of,
                     struct gp_error *err)
{
    struct search s = {.graph = graph, .right_of = right_of, .left_of = left_of};
    int code = 0;

    s.distance = gp_alloc(graph->count, sizeof *s.distance);
    s.next = gp_alloc(graph->count, sizeof *s.next);
    s.stack = gp_alloc(graph->count, sizeof *s.stack);
    if (s.distance == NULL || s.next == NULL || s.stack == NULL) {
        code = gp_fail(err, GP_ENOMEM, "out of host memory for a matching");
    } else {
        match(&s);
    }
    gp_free(s.distance);
    gp_free(s.next);
    gp_free(s.stack);
    return code;
}
