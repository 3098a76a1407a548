/* Every scenario, for the table. Private to scenarios/. */
#ifndef GP_SCENARIOS_SCENARIOS_H
#define GP_SCENARIOS_SCENARIOS_H

#include "scenarios/scenario.h"

extern const struct gp_scenario_ops gp_scenario_batch;
extern const struct gp_scenario_ops gp_scenario_mixed;
extern const struct gp_scenario_ops gp_scenario_small;
extern const struct gp_scenario_ops gp_scenario_chain;
extern const struct gp_scenario_ops gp_scenario_saturate;
extern const struct gp_scenario_ops gp_scenario_fork_join;
extern const struct gp_scenario_ops gp_scenario_events;
extern const struct gp_scenario_ops gp_scenario_pipeline;
extern const struct gp_scenario_ops gp_scenario_uneven;
extern const struct gp_scenario_ops gp_scenario_transfer;
extern const struct gp_scenario_ops gp_scenario_alloc;
extern const struct gp_scenario_ops gp_scenario_host_callback;
extern const struct gp_scenario_ops gp_scenario_null_stream;
extern const struct gp_scenario_ops gp_scenario_many_streams;
extern const struct gp_scenario_ops gp_scenario_priority;
extern const struct gp_scenario_ops gp_scenario_serving;
extern const struct gp_scenario_ops gp_scenario_bimodal;
extern const struct gp_scenario_ops gp_scenario_inflight;
extern const struct gp_scenario_ops gp_scenario_kernel;
extern const struct gp_scenario_ops gp_scenario_hazard;

#endif
