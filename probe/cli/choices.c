/* What the options choose: see choices.h. */
#include "probe/cli/choices.h"

#include <assert.h>
#include <string.h>

#include "core/policy/plugin.h"
#include "probe/cli/output.h"
#include "scenarios/load.h"
#include "scenarios/workload.h"

static int copy_path(const struct gp_text *text, char out[GP_PATH_BYTES_MAX], struct gp_error *err)
{
    if (text->length >= GP_PATH_BYTES_MAX) {
        return gp_fail(err, GP_EINVAL, "a path longer than %d bytes", GP_PATH_BYTES_MAX - 1);
    }
    memcpy(out, text->start, text->length);
    out[text->length] = '\0';
    return 0;
}

static int fail_twice(const char *name, const char *path, struct gp_error *err)
{
    return gp_fail(err, GP_EINVAL, "'%s' is listed twice (from '%s')", name, path);
}

/* The scenario of one shared object, under a name of its own among those chosen before. */
static int load_scenario(struct gp_chosen *chosen, uint32_t count, const struct gp_text *text,
                         struct gp_error *err)
{
    const struct gp_scenario_ops **out = &chosen->scenarios[count];
    char path[GP_PATH_BYTES_MAX];
    int code = copy_path(text, path, err);

    if (code == 0) {
        code = gp_scenario_load(path, &chosen->plugins[chosen->plugin_count], out, err);
    }
    if (code != 0) {
        return code;
    }
    chosen->plugin_count++;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(chosen->scenarios[i]->name, (*out)->name) == 0) {
            return fail_twice((*out)->name, path, err);
        }
    }
    return 0;
}

static int load_policy(struct gp_chosen *chosen, uint32_t count, const struct gp_text *text,
                       struct gp_error *err)
{
    const struct gp_policy_ops **out = &chosen->policies[count];
    char path[GP_PATH_BYTES_MAX];
    int code = copy_path(text, path, err);

    if (code == 0) {
        code = gp_policy_load(path, &chosen->plugins[chosen->plugin_count], out, err);
    }
    if (code != 0) {
        return code;
    }
    chosen->plugin_count++;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(chosen->policies[i]->name, (*out)->name) == 0) {
            return fail_twice((*out)->name, path, err);
        }
    }
    return 0;
}

int gp_chosen_init(struct gp_chosen *chosen, const struct gp_options *options, struct gp_error *err)
{
    const struct gp_choices *scenarios = &options->scenarios;
    const struct gp_choices *policies = &options->policies;

    memset(chosen, 0, sizeof *chosen);
    for (uint32_t i = 0; i < scenarios->count; i++) {
        size_t index = scenarios->indices[i];

        if (index < gp_scenario_table_count) {
            chosen->scenarios[i] = gp_scenario_table[index];
        } else if (load_scenario(chosen, i, &scenarios->plugins[index - gp_scenario_table_count],
                                 err) != 0) {
            return gp_fail_context(err, "--scenario");
        }
    }
    for (uint32_t i = 0; i < policies->count; i++) {
        size_t index = policies->indices[i];

        if (index < gp_policy_table_count) {
            chosen->policies[i] = gp_policy_table[index];
        } else if (load_policy(chosen, i, &policies->plugins[index - gp_policy_table_count], err) !=
                   0) {
            return gp_fail_context(err, "--policy");
        }
    }
    return 0;
}

void gp_chosen_finish(struct gp_chosen *chosen)
{
    for (uint32_t i = 0; i < chosen->plugin_count; i++) {
        gp_plugin_unload(&chosen->plugins[i]);
    }
    memset(chosen, 0, sizeof *chosen);
}
