/*
 * The lists of the verb list as JSON on stdout: {"NAME OF THE LIST": [{"name": …}, …]}.
 */
#ifndef GP_PROBE_CLI_LIST_JSON_H
#define GP_PROBE_CLI_LIST_JSON_H

#include "scenarios/scenario.h"

/* Each scenario with its parameters, variants, own policies and pool sizes, and claims. */
void gp_list_scenarios_json(const struct gp_scenario_ops *const *scenarios, size_t count);

/* The same of the built-in ones. */
void gp_list_built_in_scenarios_json(void);

/* Each policy with its unit, and its pool size where it does not take the pool's. */
void gp_list_policies_json(void);

/* Each device there is, as `--device` takes it. */
void gp_list_devices_json(void);

/* Each export format with its tables. */
void gp_list_formats_json(void);

/* Each format of traces that is imported. */
void gp_list_imports_json(void);

/* Each claim that has a test: its id, sentence, scenario and source. */
void gp_list_claims_json(void);

#endif
