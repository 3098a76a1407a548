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

/* The pool sizes of one policy. Returns how many there are. */
static uint32_t plan_policy(const struct gp_sweep_options *options, struct gp_cell_plan cell,
                            struct gp_cell_plan *out)
{
    uint32_t fixed = cell.policy->fixed_streams;
    uint32_t sizes = fixed > 0 ? 1 : options->stream_count;

    for (uint32_t i = 0; i < sizes; i++) {
        cell.streams = fixed > 0 ? fixed : options->streams[i];
        out[i] = cell;
    }
    return sizes;
}

int gp_sweep_plan(const struct gp_sweep_options *options, struct gp_cell_plan **out,
                  uint32_t *count, struct gp_error *err)
{
    uint32_t submits = options->submits != 0 ? options->submits : 1u << GP_SUBMIT_STREAMS;
    struct gp_cell_plan *cells;
    uint32_t n = 0;

    assert(out != NULL && count != NULL && submits < 1u << GP_SUBMIT_COUNT);
    if (options->scenario_count == 0 || options->policy_count == 0 || options->stream_count == 0) {
        return gp_fail(err, GP_EINVAL, "nothing to run: no scenario, policy or pool size");
    }
    cells = gp_xalloc((size_t)options->scenario_count * options->policy_count *
                          options->stream_count * GP_SUBMIT_COUNT,
                      sizeof *cells);
    for (uint32_t s = 0; s < options->scenario_count; s++) {
        for (unsigned submit = 0; submit < GP_SUBMIT_COUNT; submit++) {
            for (uint32_t p = 0; (submits & 1u << submit) != 0 && p < options->policy_count; p++) {
                const struct gp_cell_plan cell = {
                    .scenario = options->scenarios[s],
                    .policy = options->policies[p],
                    .submit = (enum gp_submit)submit,
                };

                n += plan_policy(options, cell, cells + n);
            }
        }
    }
    *out = cells;
    *count = n;
    return 0;
}
