/*
 * Loading a scenario from a shared object (plugin.h).
 */
#ifndef GP_SCENARIOS_LOAD_H
#define GP_SCENARIOS_LOAD_H

#include "scenarios/plugin.h"

/* Loads it and gives its scenario, which is valid until gp_plugin_unload: by then no workload of it
 * may exist any more. Errors are gp_plugin_load's; a scenario that lacks something, whose values
 * are not allowed or that has a built-in's name is one. */
int gp_scenario_load(const char *path, struct gp_plugin *plugin, const struct gp_scenario_ops **out,
                     struct gp_error *err);

/* What is wrong with a scenario, to follow its file in a message; NULL: nothing. */
const char *gp_scenario_find_fault(const struct gp_scenario_ops *ops);

#endif
