/* The built-in scenarios, in display order. */
#include "scenarios/scenarios.h"
#include "scenarios/workload.h"

const struct gp_scenario_ops *const gp_scenario_table[] = {
    &gp_scenario_batch,       &gp_scenario_mixed,        &gp_scenario_small,
    &gp_scenario_chain,       &gp_scenario_saturate,     &gp_scenario_fork_join,
    &gp_scenario_events,      &gp_scenario_pipeline,     &gp_scenario_uneven,
    &gp_scenario_transfer,    &gp_scenario_alloc,        &gp_scenario_host_callback,
    &gp_scenario_null_stream, &gp_scenario_many_streams, &gp_scenario_priority,
    &gp_scenario_serving,     &gp_scenario_bimodal,      &gp_scenario_inflight,
    &gp_scenario_kernel,      &gp_scenario_hazard,
};
const size_t gp_scenario_table_count = sizeof gp_scenario_table / sizeof gp_scenario_table[0];
