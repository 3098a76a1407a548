/* What the tests of claims have in common, and the cells that they need: see claims.h. */
#include "probe/verdict/claims.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"
#include "scenarios/workload.h"

const struct gp_claim_test *gp_claim_test_find(const char *claim)
{
    for (size_t i = 0; i < gp_claim_test_count; i++) {
        if (strcmp(gp_claim_tests[i].claim, claim) == 0) {
            return &gp_claim_tests[i];
        }
    }
    return NULL;
}

const char *gp_claim_sentence(const struct gp_claim_test *test)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find(test->scenario);
    const struct gp_claim *claim = scenario->claims;

    while (strcmp(claim->id, test->claim) != 0) {
        claim++;
        assert(claim->id != NULL && "a test of no claim");
    }
    return claim->sentence;
}

const char *gp_claim_policy(const struct gp_claim_side *side)
{
    return side->policy != NULL ? side->policy : "round-robin";
}

uint32_t gp_claim_size_count(const struct gp_claim_side *side)
{
    uint32_t count = 0;

    while (count < GP_CLAIM_SIZES_MAX && side->streams[count] > 0) {
        count++;
    }
    return count > 0 ? count : 1;
}

enum gp_trace gp_claim_trace(const struct gp_claim_test *test, const struct gp_claim_side *side)
{
    switch (test->quantity) {
    case GP_QUANTITY_PERTURBATION:
        return side->trace;
    case GP_QUANTITY_MEASURE:
        return GP_TRACE_STAMPS;
    case GP_QUANTITY_MAKESPAN:
    case GP_QUANTITY_HAZARDS:
        break;
    }
    return GP_TRACE_OFF;
}

/* ---- connections --------------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static void add_number(uint32_t *list, uint32_t *count, uint32_t number)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i] == number) {
            return;
        }
    }
    assert(*count <= GP_CONNECTIONS_MAX);
    list[(*count)++] = number;
}

uint32_t gp_claim_connections(const struct gp_claim_test *const *tests, uint32_t count,
                              uint32_t *out)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++) {
        add_number(out, &found, tests[i]->over.connections);
        if (!tests[i]->is_absolute) {
            add_number(out, &found, tests[i]->under.connections);
        }
    }
    qsort(out, found, sizeof *out, compare_numbers);
    return found;
}

/* ---- the plan ------------------------------------------------------------------------------ */

struct cells {
    struct gp_cell_plan *lines;
    uint32_t count;
    size_t capacity;
};

static bool has_same_values(const struct gp_cell_plan *a, const struct gp_cell_plan *b)
{
    return a->scenario == b->scenario && memcmp(a->values, b->values, sizeof a->values) == 0;
}

/* But for traces that exclude each other. */
static bool is_same_cell(const struct gp_cell_plan *a, const struct gp_cell_plan *b)
{
    return has_same_values(a, b) && a->policy == b->policy && a->streams == b->streams &&
           a->submit == b->submit && a->order == b->order && a->completion == b->completion &&
           (a->trace == b->trace || a->trace == GP_TRACE_OFF || b->trace == GP_TRACE_OFF);
}

static void add_cell(struct cells *cells, const struct gp_cell_plan *cell)
{
    for (uint32_t i = 0; i < cells->count; i++) {
        struct gp_cell_plan *known = &cells->lines[i];

        if (is_same_cell(known, cell)) {
            known->trace = cell->trace != GP_TRACE_OFF ? cell->trace : known->trace;
            return;
        }
    }
    cells->lines =
        gp_xgrow(cells->lines, &cells->capacity, cells->count + 1, sizeof cells->lines[0]);
    cells->lines[cells->count++] = *cell;
}

static uint32_t gather_settings(const struct gp_claim_test *test, const struct gp_claim_side *side,
                                struct gp_setting *out)
{
    uint32_t count = 0;

    for (int i = 0; i < GP_CLAIM_SETTINGS_MAX && test->settings[i].name != NULL; i++) {
        out[count++] = test->settings[i];
    }
    for (int i = 0; i < GP_CLAIM_SETTINGS_MAX && side->settings[i].name != NULL; i++) {
        out[count++] = side->settings[i];
    }
    return count;
}

static int add_side(struct cells *cells, const struct gp_claim_test *test,
                    const struct gp_claim_side *side, const struct gp_device_info *info,
                    struct gp_error *err)
{
    struct gp_setting settings[2 * GP_CLAIM_SETTINGS_MAX];
    uint32_t setting_count = gather_settings(test, side, settings);
    struct gp_cell_plan cell;
    int code = gp_sweep_plan_line(gp_scenario_find(test->scenario), settings, setting_count, info,
                                  &cell, err);

    if (code != 0) {
        return gp_fail_context(err, "claim %s", test->claim);
    }
    cell.policy = gp_policy_find(gp_claim_policy(side));
    assert(cell.policy != NULL);
    cell.submit = side->submit;
    cell.order = side->order;
    cell.completion = side->completion;
    cell.trace = gp_claim_trace(test, side);
    for (uint32_t i = 0; i < gp_claim_size_count(side); i++) {
        uint32_t fixed = cell.policy->fixed_streams;

        assert(fixed > 0 || side->streams[i] > 0);
        cell.streams = fixed > 0 ? fixed : side->streams[i];
        add_cell(cells, &cell);
    }
    return 0;
}

/* Brings lines with the same values together, in the order in which the first of them came. */
static struct gp_cell_plan *order_by_part(const struct cells *cells)
{
    struct gp_cell_plan *out = gp_xalloc(cells->count, sizeof *out);
    bool *taken = gp_xalloc(cells->count, sizeof *taken);
    uint32_t count = 0;
    uint32_t part = 0;

    for (uint32_t first = 0; first < cells->count; first++) {
        if (taken[first]) {
            continue;
        }
        for (uint32_t i = first; i < cells->count; i++) {
            if (!taken[i] && has_same_values(&cells->lines[i], &cells->lines[first])) {
                taken[i] = true;
                out[count] = cells->lines[i];
                out[count].index = count;
                out[count++].part = part;
            }
        }
        part++;
    }
    gp_free(taken);
    return out;
}

int gp_claim_plan(const struct gp_claim_choice *choice, const struct gp_device_info *info,
                  struct gp_cell_plan **out, uint32_t *count, struct gp_error *err)
{
    struct cells cells = {0};
    int code = 0;

    for (uint32_t i = 0; i < choice->test_count && code == 0; i++) {
        const struct gp_claim_test *test = choice->tests[i];

        if (test->over.connections == choice->connections) {
            code = add_side(&cells, test, &test->over, info, err);
        }
        if (code == 0 && !test->is_absolute && test->under.connections == choice->connections) {
            code = add_side(&cells, test, &test->under, info, err);
        }
    }
    *out = code == 0 ? order_by_part(&cells) : NULL;
    *count = code == 0 ? cells.count : 0;
    gp_free(cells.lines);
    return code;
}
