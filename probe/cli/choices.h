/*
 * The scenarios and policies that the options choose: the tables' entries, and those of shared
 * objects, which are loaded here.
 */
#ifndef GP_PROBE_CLI_CHOICES_H
#define GP_PROBE_CLI_CHOICES_H

#include "core/plugin.h"
#include "probe/cli/options.h"

/* Zeroed: none. */
struct gp_chosen {
    const struct gp_scenario_ops *scenarios[GP_CHOICES_MAX]; /* options->scenarios.count */
    const struct gp_policy_ops *policies[GP_CHOICES_MAX];    /* options->policies.count */
    struct gp_plugin plugins[2 * GP_PLUGINS_MAX];
    uint32_t plugin_count;
};

/* Loads what is to be loaded. GP_EINVAL, with the option and the file, for one that cannot be used
 * or whose name was taken by another; finish is due in any case. */
int gp_chosen_init(struct gp_chosen *chosen, const struct gp_options *options,
                   struct gp_error *err);

/* Nothing that was made of a choice may exist any more. */
void gp_chosen_finish(struct gp_chosen *chosen);

#endif
