/* Every scenario, for the table. Private to scenarios/. */
#ifndef GP_SCENARIOS_SCENARIOS_H
#define GP_SCENARIOS_SCENARIOS_H

#include "scenarios/scenario.h"

extern const struct gp_scenario_ops gp_scenario_batch;
extern const struct gp_scenario_ops gp_scenario_mixed;

#endif
