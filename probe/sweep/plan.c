/* Which cells a sweep has, in recorded order: see sweep.h. */
#include <assert.h>
#include <string.h>

#include "probe/memory.h"
#include "probe/sweep/settings.h"
#include "scenarios/workload.h"

const char *const gp_sweep_policies[] = {"single", "round-robin", NULL};
const uint32_t gp_sweep_streams[] = {1, 2, 4, 8, 16, 32, 0};

/* The plan while it grows. */
struct plan {
    const struct gp_sweep_options *options;
    struct gp_cell_plan *cells;
    uint32_t count;
    size_t capacity;
};

static void add_cell(struct plan *plan, const struct gp_cell_plan *cell)
{
    plan->cells = gp_xgrow(plan->cells, &plan->capacity, plan->count + 1, sizeof plan->cells[0]);
    plan->cells[plan->count] = *cell;
    plan->cells[plan->count].index = plan->count;
    plan->count++;
}

/* The pool sizes of one policy. */
static void add_sizes(struct plan *plan, struct gp_cell_plan cell)
{
    const struct gp_sweep_options *options = plan->options;
    const uint32_t *own =
        cell.scenario->streams != NULL ? cell.scenario->streams : gp_sweep_streams;

    cell.streams = cell.policy->fixed_streams;
    if (cell.streams > 0) {
        add_cell(plan, &cell);
        return;
    }
    for (uint32_t i = 0; i < options->stream_count; i++) {
        cell.streams = options->streams[i];
        add_cell(plan, &cell);
    }
    for (uint32_t i = 0; options->stream_count == 0 && own[i] > 0; i++) {
        cell.streams = own[i];
        add_cell(plan, &cell);
    }
}

static void add_policies(struct plan *plan, struct gp_cell_plan cell)
{
    const struct gp_sweep_options *options = plan->options;
    const char *const *own =
        cell.scenario->policies != NULL ? cell.scenario->policies : gp_sweep_policies;

    for (uint32_t i = 0; i < options->policy_count; i++) {
        cell.policy = options->policies[i];
        add_sizes(plan, cell);
    }
    for (uint32_t i = 0; options->policy_count == 0 && own[i] != NULL; i++) {
        cell.policy = gp_policy_find(own[i]);
        assert(cell.policy != NULL);
        add_sizes(plan, cell);
    }
}

static void add_submits(struct plan *plan, struct gp_cell_plan cell)
{
    uint32_t submits = plan->options->submits;

    submits = submits != 0 ? submits : 1u << GP_SUBMIT_STREAMS;
    assert(submits < 1u << GP_SUBMIT_COUNT);
    for (unsigned submit = 0; submit < GP_SUBMIT_COUNT; submit++) {
        if ((submits & 1u << submit) != 0) {
            cell.submit = (enum gp_submit)submit;
            add_policies(plan, cell);
        }
    }
}

/* Settings can make variants alike; one of them is enough. `first` is the scenario's first cell. */
static bool is_planned(const struct plan *plan, uint32_t first, const int64_t *values)
{
    for (uint32_t i = first; i < plan->count; i++) {
        if (memcmp(plan->cells[i].values, values, sizeof plan->cells[i].values) == 0) {
            return true;
        }
    }
    return false;
}

static int add_scenario(struct plan *plan, const struct gp_scenario_ops *scenario,
                        const struct gp_device_info *info, uint32_t *part, struct gp_error *err)
{
    static const struct gp_variant plain = {{{NULL, 0}}};
    const struct gp_variant *variant = scenario->variants != NULL ? scenario->variants : &plain;
    uint32_t first = plan->count;

    do {
        struct gp_cell_plan cell = {
            .scenario = scenario,
            .order = plan->options->order,
            .completion = plan->options->completion,
            .trace = plan->options->trace,
            .part = *part,
        };
        int code = gp_settings_apply(plan->options, scenario, variant, cell.values, err);

        if (code == 0) {
            code = gp_scenario_settle(scenario, info, cell.values, err);
        }
        if (code != 0) {
            return code;
        }
        if (!is_planned(plan, first, cell.values)) {
            add_submits(plan, cell);
            (*part)++;
        }
        variant++;
    } while (scenario->variants != NULL && variant->presets[0].name != NULL);
    return 0;
}

int gp_sweep_plan(const struct gp_sweep_options *options, const struct gp_device_info *info,
                  struct gp_cell_plan **out, uint32_t *count, struct gp_error *err)
{
    struct plan plan = {.options = options};
    uint32_t part = 0;
    int code = 0;

    assert(info != NULL && out != NULL && count != NULL);
    if (options->scenario_count == 0) {
        return gp_fail(err, GP_EINVAL, "nothing to run: no scenario");
    }
    for (uint32_t i = 0; i < options->scenario_count && code == 0; i++) {
        code = add_scenario(&plan, options->scenarios[i], info, &part, err);
    }
    if (code != 0) {
        gp_free(plan.cells);
        return code;
    }
    *out = plan.cells;
    *count = plan.count;
    return 0;
}

int gp_sweep_plan_line(const struct gp_scenario_ops *scenario, const struct gp_setting *settings,
                       uint32_t setting_count, const struct gp_device_info *info,
                       struct gp_cell_plan *out, struct gp_error *err)
{
    const struct gp_sweep_options options = {
        .scenarios = &scenario,
        .scenario_count = 1,
        .settings = settings,
        .setting_count = setting_count,
    };
    int code = gp_sweep_check_settings(&options, err);

    *out = (struct gp_cell_plan){.scenario = scenario};
    if (code == 0) {
        code = gp_settings_apply(&options, scenario, NULL, out->values, err);
    }
    return code == 0 ? gp_scenario_settle(scenario, info, out->values, err) : code;
}
