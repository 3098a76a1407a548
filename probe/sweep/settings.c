/* Settings and variants: see settings.h. */
#include "probe/sweep/settings.h"

#include <assert.h>
#include <string.h>

#include "core/nearest.h"
#include "probe/memory.h"
#include "scenarios/workload.h"

/* What `scale` may be. It stands for other parameters and is none itself. */
static const struct gp_parameter *scale_parameter(void)
{
    static const char *const words[] = {"auto", NULL};
    static const struct gp_parameter parameter = {
        .name = GP_SETTING_SCALE, .kind = GP_PARAMETER_WORD, .words = words};

    return &parameter;
}

static bool is_scale(const struct gp_setting *setting)
{
    return strcmp(setting->name, GP_SETTING_SCALE) == 0;
}

static bool adapts(const struct gp_scenario_ops *scenario)
{
    bool any = false;

    assert(scenario->parameters != NULL);
    for (int i = 0; scenario->parameters[i].name != NULL; i++) {
        any |= scenario->parameters[i].adapts;
    }
    return any;
}

static void let_adapt(const struct gp_scenario_ops *scenario, int64_t *values)
{
    for (int i = 0; scenario->parameters[i].name != NULL; i++) {
        if (scenario->parameters[i].adapts) {
            values[i] = GP_AUTO;
        }
    }
}

static void apply_variant(const struct gp_scenario_ops *scenario, const struct gp_variant *variant,
                          int64_t *values)
{
    for (int i = 0; i < GP_PRESETS_MAX && variant->presets[i].name != NULL; i++) {
        int index = gp_scenario_parameter(scenario, variant->presets[i].name);

        assert(index >= 0);
        values[index] = variant->presets[i].value;
    }
}

int gp_settings_apply(const struct gp_sweep_options *options,
                      const struct gp_scenario_ops *scenario, const struct gp_variant *variant,
                      int64_t *values, struct gp_error *err)
{
    gp_scenario_defaults(scenario, values);
    for (uint32_t i = 0; i < options->setting_count; i++) {
        if (is_scale(&options->settings[i])) {
            let_adapt(scenario, values);
        }
    }
    if (variant != NULL) {
        apply_variant(scenario, variant, values);
    }
    for (uint32_t i = 0; i < options->setting_count; i++) {
        int index = gp_scenario_parameter(scenario, options->settings[i].name);
        int code = index < 0 ? 0
                             : gp_parameter_read(scenario->name, &scenario->parameters[index],
                                                 options->settings[i].text, &values[index], err);

        if (code != 0) {
            return code;
        }
    }
    return 0;
}

/* Whether the scenario has it; GP_EINVAL when it has and does not allow the value. */
static int check_setting(const struct gp_scenario_ops *scenario, const struct gp_setting *setting,
                         bool *known, struct gp_error *err)
{
    int index = gp_scenario_parameter(scenario, setting->name);
    const struct gp_parameter *parameter = index >= 0 ? &scenario->parameters[index] : NULL;
    int64_t value = 0;

    if (parameter == NULL && is_scale(setting) && adapts(scenario)) {
        parameter = scale_parameter();
    }
    if (parameter == NULL) {
        return 0;
    }
    *known = true;
    return gp_parameter_read(scenario->name, parameter, setting->text, &value, err);
}

static int fail_unknown(const struct gp_sweep_options *options, const char *name,
                        struct gp_error *err)
{
    size_t count_max = (size_t)options->scenario_count * (GP_PARAMETERS_MAX + 1);
    const char **known = gp_xalloc(count_max, sizeof *known);
    size_t count = 0;
    int code;

    for (uint32_t i = 0; i < options->scenario_count; i++) {
        const struct gp_scenario_ops *scenario = options->scenarios[i];

        for (const struct gp_parameter *p = scenario->parameters; p->name != NULL; p++) {
            known[count++] = p->name;
        }
        if (adapts(scenario)) {
            known[count++] = GP_SETTING_SCALE;
        }
    }
    code = count == 0 ? gp_fail(err, GP_EINVAL, "unknown parameter '%.40s': there are none", name)
                      : gp_fail(err, GP_EINVAL, "unknown parameter '%.40s'; did you mean '%s'?",
                                name, gp_nearest(name, known, count));
    gp_free((void *)known);
    return code;
}

int gp_sweep_check_settings(const struct gp_sweep_options *options, struct gp_error *err)
{
    for (uint32_t i = 0; i < options->setting_count; i++) {
        bool known = false;
        int code = 0;

        for (uint32_t s = 0; s < options->scenario_count && code == 0; s++) {
            code = check_setting(options->scenarios[s], &options->settings[i], &known, err);
        }
        if (code != 0) {
            return gp_fail_context(err, "--set");
        }
        if (!known) {
            return fail_unknown(options, options->settings[i].name, err);
        }
    }
    return 0;
}
