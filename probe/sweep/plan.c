/* Which cells a sweep has, in recorded order: see sweep.h. */
#include "probe/sweep/sweep.h"

#include <assert.h>

#include "probe/memory.h"

void gp_sweep_values(const struct gp_sweep_options *options, const struct gp_scenario_ops *scenario,
                     int64_t *values)
{
    gp_scenario_defaults(scenario, values);
    for (uint32_t i = 0; i < options->setting_count; i++) {
        int index = gp_scenario_parameter(scenario, options->settings[i].name);

        if (index >= 0) {
            values[index] = options->settings[i].value;
        }
    }
}

int gp_sweep_plan(const struct gp_sweep_options *options, struct gp_cell_plan **out,
                  uint32_t *count, struct gp_error *err)
{
    struct gp_cell_plan *cells;
    uint32_t n = 0;

    assert(out != NULL && count != NULL);
    if (options->scenario_count == 0 || options->policy_count == 0 || options->stream_count == 0) {
        return gp_fail(err, GP_EINVAL, "nothing to run: no scenario, policy or pool size");
    }
    cells =
        gp_alloc((size_t)options->scenario_count * options->policy_count * options->stream_count,
                 sizeof *cells);
    for (uint32_t s = 0; s < options->scenario_count; s++) {
        for (uint32_t p = 0; p < options->policy_count; p++) {
            const struct gp_policy_ops *policy = options->policies[p];
            uint32_t sizes = policy->fixed_streams > 0 ? 1 : options->stream_count;

            for (uint32_t i = 0; i < sizes; i++) {
                cells[n++] = (struct gp_cell_plan){
                    .scenario = options->scenarios[s],
                    .policy = policy,
                    .streams =
                        policy->fixed_streams > 0 ? policy->fixed_streams : options->streams[i],
                };
            }
        }
    }
    *out = cells;
    *count = n;
    return 0;
}
