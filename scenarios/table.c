/* The built-in scenarios, in display order. */
#include "scenarios/scenarios.h"

const struct gp_scenario_ops *const gp_scenario_table[] = {
    &gp_scenario_batch,
    &gp_scenario_mixed,
};
const size_t gp_scenario_table_count = sizeof gp_scenario_table / sizeof gp_scenario_table[0];
