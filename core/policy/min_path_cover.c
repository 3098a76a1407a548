/*
 * Policy min-path-cover: the fewest paths that cover all operations, found as a maximum matching of
 * the edges that no other path implies; a path is a stream. That gives the most concurrency with
 * the fewest waits. More paths than streams are folded by estimated load.
 */
#include <assert.h>
#include <inttypes.h>

#include "core/estimate.h"
#include "core/memory.h"
#include "core/policy/matching.h"
#include "core/policy/policies.h"

/* The reduction keeps a bit for every pair of operations: 32 MiB for that many. */
enum { OPS_MAX = 1 << 14, WORD_BITS = 64 };

enum { RULE_CONTINUES, RULE_BEGINS };

static int fail_memory(struct gp_error *err)
{
    return gp_fail(err, GP_ENOMEM, "out of host memory for the paths");
}

/* The edges without those that another path implies, by their earlier end. */
struct reduced {
    uint32_t *first; /* op_count + 1 */
    uint32_t *to;
};

/* Marks the edges that stay: one from u to v goes when another predecessor of v comes after u. */
static void mark_kept(const struct gp_dag *dag, uint64_t *before, bool *is_kept)
{
    size_t words = (dag->op_count + WORD_BITS - 1) / WORD_BITS;

    for (uint32_t id = 0; id < dag->op_count; id++) {
        const struct gp_edge *edges = &dag->edges[dag->ops[id].first_in];
        uint64_t *mine = &before[id * words];

        for (uint32_t i = 0; i < dag->ops[id].in_count; i++) {
            const uint64_t *theirs = &before[edges[i].from * words];

            for (size_t word = 0; word < words; word++) {
                mine[word] |= theirs[word];
            }
        }
        for (uint32_t i = 0; i < dag->ops[id].in_count; i++) {
            uint32_t from = edges[i].from;

            is_kept[dag->ops[id].first_in + i] =
                (mine[from / WORD_BITS] >> from % WORD_BITS & 1) == 0;
        }
        for (uint32_t i = 0; i < dag->ops[id].in_count; i++) {
            mine[edges[i].from / WORD_BITS] |= UINT64_C(1) << edges[i].from % WORD_BITS;
        }
    }
}

/* Turns the kept edges round: by their earlier end, so that ids ascend. */
static void index_kept(const struct gp_dag *dag, const bool *is_kept, struct reduced *reduced,
                       uint32_t *next)
{
    for (uint32_t e = 0; e < dag->edge_count; e++) {
        reduced->first[dag->edges[e].from + 1] += is_kept[e] ? 1 : 0;
    }
    for (uint32_t id = 0; id < dag->op_count; id++) {
        reduced->first[id + 1] += reduced->first[id];
        next[id] = reduced->first[id];
    }
    for (uint32_t e = 0; e < dag->edge_count; e++) {
        if (is_kept[e]) {
            reduced->to[next[dag->edges[e].from]++] = dag->edges[e].to;
        }
    }
}

static int reduce(const struct gp_dag *dag, struct reduced *reduced, struct gp_error *err)
{
    size_t words = (dag->op_count + WORD_BITS - 1) / WORD_BITS;
    uint64_t *before = gp_alloc(dag->op_count * words, sizeof *before);
    bool *is_kept = gp_alloc(dag->edge_count, sizeof *is_kept);
    uint32_t *next = gp_alloc(dag->op_count, sizeof *next);
    int code = 0;

    reduced->first = gp_alloc((size_t)dag->op_count + 1, sizeof *reduced->first);
    reduced->to = gp_alloc(dag->edge_count, sizeof *reduced->to);
    if (before == NULL || is_kept == NULL || next == NULL || reduced->first == NULL ||
        reduced->to == NULL) {
        code = fail_memory(err);
    } else {
        mark_kept(dag, before, is_kept);
        index_kept(dag, is_kept, reduced, next);
    }
    gp_free(before);
    gp_free(is_kept);
    gp_free(next);
    return code;
}

struct place {
    uint32_t stream;
    uint32_t previous; /* on its path; gp_unmatched: it begins one */
    int64_t load_ns;   /* of the stream when the path came to it */
};

/* Paths in the order of their first operations, each on the stream with the least load. */
static void fold(const struct gp_dag *dag, uint32_t stream_count, const uint32_t *next,
                 struct place *places)
{
    int64_t load_ns[GP_STREAMS_MAX] = {0};

    assert(next != NULL && places != NULL);
    for (uint32_t id = 0; id < dag->op_count; id++) {
        uint32_t least = 0;

        if (places[id].previous != gp_unmatched) {
            continue;
        }
        for (uint32_t stream = 1; stream < stream_count; stream++) {
            least = load_ns[stream] < load_ns[least] ? stream : least;
        }
        places[id].load_ns = load_ns[least];
        for (uint32_t op = id; op != gp_unmatched; op = next[op]) {
            places[op].stream = least;
            load_ns[least] += gp_estimate_op_ns(&dag->ops[op]);
        }
    }
}

/* Fills places; next and previous are work space, one each an operation. */
static int cover(const struct gp_dag *dag, uint32_t stream_count, uint32_t *next,
                 uint32_t *previous, struct place *places, struct gp_error *err)
{
    struct reduced reduced = {0};
    int code = reduce(dag, &reduced, err);

    if (code == 0) {
        const struct gp_bipartite graph = {dag->op_count, reduced.first, reduced.to};

        code = gp_matching_find(&graph, next, previous, err);
    }
    if (code == 0) {
        for (uint32_t id = 0; id < dag->op_count; id++) {
            places[id].previous = previous[id];
        }
        fold(dag, stream_count, next, places);
    }
    gp_free(reduced.first);
    gp_free(reduced.to);
    return code;
}

static int make_plan(struct gp_policy *policy, const struct gp_dag *dag, void **plan,
                     struct gp_error *err)
{
    struct place *places;
    uint32_t *next;
    uint32_t *previous;
    int code;

    if (dag->op_count > OPS_MAX) {
        return gp_fail(err, GP_EUNSUPPORTED, "%" PRIu32 " operations; it can cover at most %d",
                       dag->op_count, OPS_MAX);
    }
    places = gp_alloc(dag->op_count, sizeof *places);
    next = gp_alloc(dag->op_count, sizeof *next);
    previous = gp_alloc(dag->op_count, sizeof *previous);
    if (places == NULL || next == NULL || previous == NULL) {
        code = fail_memory(err);
    } else {
        code = cover(dag, policy->stream_count, next, previous, places, err);
    }
    gp_free(next);
    gp_free(previous);
    if (code != 0) {
        gp_free(places);
        return code;
    }
    *plan = places;
    return 0;
}

static void free_plan(struct gp_policy *policy, void *plan)
{
    (void)policy;
    gp_free(plan);
}

static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    const struct place *place = &((const struct place *)plan)[op];

    (void)policy;
    (void)dag;
    (void)err;
    if (place->previous != gp_unmatched) {
        *out = (struct gp_choice){place->stream, RULE_CONTINUES, place->previous};
    } else {
        *out = (struct gp_choice){place->stream, RULE_BEGINS, place->load_ns};
    }
    return 0;
}

static const char *const rules[] = {
    [RULE_CONTINUES] = "goes on with its path, after that operation",
    [RULE_BEGINS] = "begins a path: the stream with the least estimated work, in ns",
    NULL,
};

const struct gp_policy_ops gp_policy_min_path_cover = {
    .name = "min-path-cover",
    .summary = "the fewest paths that cover all operations, each path on one stream",
    .source = "Nimble (NeurIPS 2020): minimum path cover by Hopcroft and Karp",
    .unit = GP_UNIT_OP,
    .rules = rules,
    .plan = make_plan,
    .unplan = free_plan,
    .choose = choose,
};
