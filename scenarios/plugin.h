/*
 * Scenarios from a shared object, which exports one symbol, gp_scenario_plugin;
 * GP_SCENARIO_PLUGIN defines it. What the object calls of core/ it links itself; of scenarios/ it
 * has only what scenario.h and parameter.h define.
 */
#ifndef GP_SCENARIOS_PLUGIN_H
#define GP_SCENARIOS_PLUGIN_H

#include "core/plugin.h"
#include "scenarios/scenario.h"

/* Raised whenever a struct that a scenario sees changes. */
#define GP_SCENARIO_ABI 1u

/* Of the structs that a scenario shares with who runs it: one that grew is noticed even when the
 * version was not raised. */
#define GP_SCENARIO_BYTES                                                                          \
    (sizeof(struct gp_scenario_ops) + sizeof(struct gp_workload) + sizeof(struct gp_parameter) +   \
     sizeof(struct gp_measure) + sizeof(struct gp_device) + sizeof(struct gp_device_ops) +         \
     sizeof(struct gp_buffer) + sizeof(struct gp_dag) + sizeof(struct gp_dag_op) +                 \
     sizeof(struct gp_kernel) + sizeof(struct gp_image) + sizeof(struct gp_work))

struct gp_scenario_plugin {
    struct gp_plugin_head head;
    const struct gp_scenario_ops *scenario;
};

/* In a file of the shared object, once: GP_SCENARIO_PLUGIN(my_scenario). */
#define GP_SCENARIO_PLUGIN(ops)                                                                    \
    extern const struct gp_scenario_plugin gp_scenario_plugin;                                     \
    const struct gp_scenario_plugin gp_scenario_plugin = {{GP_SCENARIO_ABI, GP_SCENARIO_BYTES},    \
                                                          &(ops)}

#endif
