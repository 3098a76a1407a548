/* Scenarios from shared objects: see load.h. */
#include "scenarios/load.h"

#include <string.h>

#include "core/policy/policy.h"
#include "scenarios/workload.h"

enum { KNOWN_FLAGS = GP_SCENARIO_FAULTY | GP_SCENARIO_NEEDS_FILE };

static const char *find_fault_of_words(const struct gp_parameter *parameter)
{
    size_t count = 0;

    while (parameter->words != NULL && parameter->words[count] != NULL) {
        count++;
    }
    return count >= 1 && count <= GP_PARAMETER_WORDS_MAX
               ? NULL
               : "has a parameter of words with none or too many of them";
}

static const char *find_fault_of_parameter(const struct gp_scenario_ops *ops, int index)
{
    const struct gp_parameter *parameter = &ops->parameters[index];
    const char *fault = NULL;

    if (index == GP_PARAMETERS_MAX) {
        return "has too many parameters";
    }
    if (!gp_plugin_is_name(parameter->name)) {
        return "has a parameter whose name is not of the characters a-z, 0-9, - and _";
    }
    if (gp_scenario_parameter(ops, parameter->name) != index ||
        strcmp(parameter->name, "scale") == 0) {
        return "has two parameters of one name, or one named 'scale', which stands for all";
    }
    if (parameter->summary == NULL) {
        return "has a parameter without a summary";
    }
    if (parameter->adapts && ops->adapt == NULL) {
        return "has a parameter that adapts, but no function 'adapt'";
    }
    if ((unsigned)parameter->kind > GP_PARAMETER_TEXT) {
        return "has a parameter of an unknown kind";
    }
    if (parameter->kind == GP_PARAMETER_WORD) {
        fault = find_fault_of_words(parameter);
    }
    if (fault == NULL && !gp_parameter_allows(parameter, parameter->initial)) {
        fault = "has a parameter whose default is not allowed";
    }
    return fault;
}

static const char *find_fault_of_variants(const struct gp_scenario_ops *ops)
{
    if (ops->variants != NULL && ops->variants[0].presets[0].name == NULL) {
        return "has a list of variants without one";
    }
    for (const struct gp_variant *variant = ops->variants;
         variant != NULL && variant->presets[0].name != NULL; variant++) {
        for (int i = 0; i < GP_PRESETS_MAX && variant->presets[i].name != NULL; i++) {
            const struct gp_preset *preset = &variant->presets[i];
            int index = gp_scenario_parameter(ops, preset->name);

            if (index < 0 || !gp_parameter_allows(&ops->parameters[index], preset->value)) {
                return "has a variant of a parameter that is not there, or with a value that is "
                       "not allowed";
            }
        }
    }
    return NULL;
}

static const char *find_fault_of_cells(const struct gp_scenario_ops *ops)
{
    for (size_t i = 0; ops->policies != NULL && (i == 0 || ops->policies[i] != NULL); i++) {
        if (ops->policies[i] == NULL || gp_policy_find(ops->policies[i]) == NULL) {
            return "has a list of policies that is empty or has an unknown one";
        }
    }
    for (size_t i = 0; ops->streams != NULL && (i == 0 || ops->streams[i] > 0); i++) {
        if (ops->streams[i] < 1 || ops->streams[i] > GP_STREAMS_MAX) {
            return "has a list of pool sizes that is empty or has a size that is not possible";
        }
    }
    return NULL;
}

const char *gp_scenario_find_fault(const struct gp_scenario_ops *ops)
{
    const char *fault = NULL;

    if (!gp_plugin_is_name(ops->name)) {
        return "has a scenario whose name is not of the characters a-z, 0-9, - and _";
    }
    if (ops->summary == NULL || ops->expect == NULL) {
        return "has a scenario that does not say what it is (summary) or what to expect of it "
               "(expect)";
    }
    if (ops->setup == NULL || ops->teardown == NULL) {
        return "has a scenario without the function 'setup' or 'teardown'";
    }
    if ((ops->flags & ~(uint32_t)KNOWN_FLAGS) != 0) {
        return "has a scenario with unknown flags";
    }
    if (ops->parameters == NULL) {
        return "has a scenario without a list of parameters; an empty one will do";
    }
    for (int i = 0; ops->parameters[i].name != NULL && fault == NULL; i++) {
        fault = find_fault_of_parameter(ops, i);
    }
    fault = fault != NULL ? fault : find_fault_of_variants(ops);
    return fault != NULL ? fault : find_fault_of_cells(ops);
}

static const struct gp_scenario_ops *scenario_of(const struct gp_plugin_head *exported)
{
    return ((const struct gp_scenario_plugin *)exported)->scenario;
}

static const char *find_fault(const struct gp_plugin_head *exported)
{
    const struct gp_scenario_ops *ops = scenario_of(exported);
    const char *fault = ops != NULL ? gp_scenario_find_fault(ops) : "exports no scenario";

    if (fault == NULL && (strcmp(ops->name, "all") == 0 || gp_scenario_find(ops->name) != NULL)) {
        fault = "has a scenario with the name of a built-in one";
    }
    return fault;
}

int gp_scenario_load(const char *path, struct gp_plugin *plugin, const struct gp_scenario_ops **out,
                     struct gp_error *err)
{
    static const struct gp_plugin_kind kind = {
        .word = "scenario",
        .symbol = "gp_scenario_plugin",
        .macro = "GP_SCENARIO_PLUGIN",
        .head = {GP_SCENARIO_ABI, GP_SCENARIO_BYTES},
        .find_fault = find_fault,
    };
    int code = gp_plugin_load(&kind, path, plugin, err);

    *out = code == 0 ? scenario_of(plugin->exported) : NULL;
    return code;
}
