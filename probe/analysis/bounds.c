/* How fast a workload could have been: see bounds.h. */
#include "probe/analysis/bounds.h"

#include <assert.h>
#include <math.h>

#include "probe/memory.h"

const char *gp_limit_name(enum gp_limit limit)
{
    static const char *const names[] = {
#define X(name, words) words,
        GP_LIMITS(X)
#undef X
    };

    assert((unsigned)limit < GP_LIMIT_COUNT);
    return names[limit];
}

static const double least_set_up = 0.9; /* of what was measured */
static const double traced_over_plain_max = 1.03;

static int64_t seen(int64_t least)
{
    return least == INT64_MAX ? 0 : least;
}

/* The longest way through the DAG. Edges that are not kept count: the work needs them. Ids are a
 * topological order; an edge that is not in it is passed over. */
static double longest_chain(const struct gp_floor *floor, bool with_gaps)
{
    int64_t *end = gp_xalloc(floor->op_count, sizeof *end);
    int64_t longest = 0;
    uint32_t next = 0;

    for (uint32_t op = 0; op < floor->op_count; op++) {
        const struct gp_need *need = &floor->needs[op];
        int64_t begin = need->release_ns;

        for (; next < floor->edge_count && floor->edges[next].to == op; next++) {
            uint32_t from = floor->edges[next].from;
            int64_t gap_ns =
                with_gaps ? seen(floor->gap_ns[floor->needs[from].kind][need->kind]) : 0;

            if (from < op && end[from] + gap_ns > begin) {
                begin = end[from] + gap_ns;
            }
        }
        end[op] = begin + need->shortest_ns;
        longest = end[op] > longest ? end[op] : longest;
    }
    gp_free(end);
    return (double)longest;
}

/* All operations' needs together. */
struct needed {
    double bytes[2]; /* by the engine of H2D and of D2H */
    uint32_t copies[2];
    double sms_ns[GP_SM_SHARES];
    double kernels_ns;
    double host_ns; /* of calls of their own */
};

static void add_needs(const struct gp_floor *floor, struct needed *needed)
{
    *needed = (struct needed){0};
    for (uint32_t i = 0; i < floor->op_count; i++) {
        const struct gp_need *need = &floor->needs[i];
        int direction = need->kind == GP_OP_H2D ? 0 : 1;

        if (need->engine_bytes != GP_UNKNOWN) {
            needed->bytes[direction] += (double)need->engine_bytes;
            needed->copies[direction]++;
        }
        for (int j = 0; j < GP_SM_SHARES; j++) {
            needed->sms_ns[j] += (double)need->shortest_ns * need->sm_shares[j];
        }
        needed->kernels_ns += need->kind == GP_OP_KERNEL ? (double)need->shortest_ns : 0;
        needed->host_ns += (double)seen(floor->call_ns[need->kind]);
    }
}

/* Of so many copies; measured alone, or seen in the runs: there the first and the last few may be
 * none of those that told of it. */
static double all_set_ups(const struct gp_floor *floor, int direction, uint32_t copies)
{
    double measured_ns = gp_facts_copy_set_up(&floor->facts, direction);
    double seen_ns = floor->set_up_ns[direction];

    if (!isnan(measured_ns)) {
        return copies * least_set_up * measured_ns;
    }
    return copies > 2 * GP_SET_UP_COPIES && !isinf(seen_ns)
               ? (copies - 2 * GP_SET_UP_COPIES) * seen_ns
               : 0;
}

/* Time of an engine that has all of its copies one after another; NAN: its rate is not known. */
static double engine_time(const struct gp_floor *floor, const struct needed *needed, int direction,
                          bool with_set_up)
{
    uint32_t copies = needed->copies[direction];

    if (copies == 0) {
        return 0;
    }
    return needed->bytes[direction] * 1e9 /
               gp_facts_copy_rate_max(&floor->facts, &floor->device, direction) +
           (with_set_up ? all_set_ups(floor, direction, copies) : 0);
}

/* Both directions share the bus. The shorter one's copies are beside the other's all the time, at
 * best. h2d_ns and d2h_ns: of the bytes alone. */
static void slow_down_both(const struct gp_facts *facts, double h2d_ns, double d2h_ns,
                           struct gp_bound *bound)
{
    double h2d_times = facts->h2d_rate / facts->h2d_duplex_rate;
    double d2h_times = facts->d2h_rate / facts->d2h_duplex_rate;
    double both_ns = fmin(h2d_ns * h2d_times, d2h_ns * d2h_times);

    if (h2d_times >= 1 && d2h_times >= 1 && !isnan(h2d_ns) && !isnan(d2h_ns)) {
        bound->parts[GP_LIMIT_H2D] += both_ns * (1 - 1 / h2d_times);
        bound->parts[GP_LIMIT_D2H] += both_ns * (1 - 1 / d2h_times);
    }
}

/* What kernels take of the SMs, of that which they take most of; not more than what the SMs were
 * seen to do. */
static double sm_time(const struct gp_floor *floor, const struct needed *needed)
{
    double ns = 0;

    if (!floor->knows_sms) {
        return NAN;
    }
    for (int i = 0; i < GP_SM_SHARES; i++) {
        ns = fmax(ns, needed->sms_ns[i]);
    }
    return fmin(ns, (double)floor->kernels_ns);
}

/* Kernels one beside another, as many as the device holds, each as short as it was ever seen. NAN:
 * how many that are is not known. */
static double grids_time(const struct gp_floor *floor, const struct needed *needed)
{
    int64_t most = gp_facts_grids(&floor->facts, &floor->device);

    return most > 0 ? needed->kernels_ns / (double)most : NAN;
}

static double host_time(const struct gp_floor *floor, const struct needed *needed)
{
    return floor->is_graph ? (double)seen(floor->call_ns[floor->needs[0].kind]) : needed->host_ns;
}

static void take_longest(struct gp_bound *bound)
{
    bound->ns = NAN;
    bound->limit = GP_LIMIT_CHAIN;
    for (int i = 0; i < GP_LIMIT_COUNT; i++) {
        if (!isnan(bound->parts[i]) && !(bound->parts[i] <= bound->ns)) {
            bound->ns = bound->parts[i];
            bound->limit = (enum gp_limit)i;
        }
    }
}

/* The device's parts begin when the first operation does; the host submits from the beginning. */
static void add_ends(const struct gp_floor *floor, struct gp_bound *bound)
{
    double host_ns = bound->parts[GP_LIMIT_HOST];

    bound->parts[GP_LIMIT_HOST] = NAN;
    take_longest(bound);
    bound->ns += (double)seen(floor->start_ns);
    bound->parts[GP_LIMIT_HOST] = host_ns;
    if (host_ns > bound->ns) {
        bound->ns = host_ns;
        bound->limit = GP_LIMIT_HOST;
    }
    bound->ns += (double)seen(floor->finish_ns);
}

void gp_bounds_measure(const struct gp_floor *floor, struct gp_bounds *out)
{
    struct needed needed;
    double sms_ns, grids_ns, host_ns;

    assert(floor != NULL && floor->needs != NULL && out != NULL);
    add_needs(floor, &needed);
    sms_ns = sm_time(floor, &needed);
    grids_ns = grids_time(floor, &needed);
    host_ns = host_time(floor, &needed);
    out->ideal = (struct gp_bound){
        .parts = {[GP_LIMIT_CHAIN] = longest_chain(floor, false),
                  [GP_LIMIT_H2D] = engine_time(floor, &needed, 0, false),
                  [GP_LIMIT_D2H] = engine_time(floor, &needed, 1, false),
                  [GP_LIMIT_SMS] = sms_ns,
                  [GP_LIMIT_GRIDS] = grids_ns,
                  [GP_LIMIT_HOST] = host_ns},
    };
    take_longest(&out->ideal);
    out->device = (struct gp_bound){
        .parts = {[GP_LIMIT_CHAIN] = longest_chain(floor, true),
                  [GP_LIMIT_H2D] = engine_time(floor, &needed, 0, true),
                  [GP_LIMIT_D2H] = engine_time(floor, &needed, 1, true),
                  [GP_LIMIT_SMS] = sms_ns,
                  [GP_LIMIT_GRIDS] = grids_ns,
                  [GP_LIMIT_HOST] = host_ns},
    };
    out->lowered_ns = 0;
    slow_down_both(&floor->facts, out->ideal.parts[GP_LIMIT_H2D], out->ideal.parts[GP_LIMIT_D2H],
                   &out->device);
    add_ends(floor, &out->device);
}

static void lower_bound(struct gp_bound *bound, double ns)
{
    bound->ns = fmin(bound->ns, ns);
    for (int i = 0; i < GP_LIMIT_COUNT; i++) {
        bound->parts[i] = isnan(bound->parts[i]) ? NAN : fmin(bound->parts[i], ns);
    }
}

static void forget_bound(struct gp_bound *bound)
{
    bound->ns = NAN;
    for (int i = 0; i < GP_LIMIT_COUNT; i++) {
        bound->parts[i] = NAN;
    }
}

void gp_bounds_lower(struct gp_bounds *bounds, double measured_ns)
{
    assert(bounds != NULL && measured_ns > 0);
    if (!(bounds->device.ns > measured_ns)) {
        return;
    }
    bounds->lowered_ns = bounds->device.ns - measured_ns;
    if (bounds->device.ns > measured_ns * traced_over_plain_max) {
        forget_bound(&bounds->ideal);
        forget_bound(&bounds->device);
    } else {
        lower_bound(&bounds->ideal, measured_ns);
        lower_bound(&bounds->device, measured_ns);
    }
}
