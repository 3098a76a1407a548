/* Lists as JSON: see list_json.h. */
#include "probe/cli/list_json.h"

#include "core/device/device.h"
#include "core/policy/policy.h"
#include "probe/cli/json.h"
#include "probe/export/export.h"
#include "probe/import/import.h"
#include "probe/verdict/claims.h"
#include "scenarios/workload.h"

static json_t *make_list(void)
{
    return gp_json_need(json_array());
}

static void append(json_t *list, json_t *value)
{
    (void)json_array_append_new(list, gp_json_need(value));
}

static void print_list(const char *name, json_t *list)
{
    gp_json_print(gp_json_need(json_pack("{s:o}", name, list)));
}

static json_t *parameter_of(const struct gp_parameter *parameter)
{
    bool is_word = parameter->kind == GP_PARAMETER_WORD;
    bool is_number = !is_word && parameter->kind != GP_PARAMETER_TEXT;
    json_t *words = is_word ? make_list() : json_null();

    for (size_t i = 0; is_word && parameter->words[i] != NULL; i++) {
        append(words, json_string(parameter->words[i]));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b}", "name", parameter->name, "summary",
                     parameter->summary, "default", gp_json_value(parameter, parameter->initial),
                     "min", is_number ? gp_json_value(parameter, parameter->min) : json_null(),
                     "max", is_number ? gp_json_value(parameter, parameter->max) : json_null(),
                     "multiple",
                     parameter->multiple > 0 ? json_integer(parameter->multiple) : json_null(),
                     "words", words, "auto", (int)parameter->adapts);
}

static json_t *variant_of(const struct gp_scenario_ops *scenario, const struct gp_variant *variant)
{
    json_t *values = gp_json_need(json_object());

    for (int i = 0; i < GP_PRESETS_MAX && variant->presets[i].name != NULL; i++) {
        const struct gp_preset *preset = &variant->presets[i];
        int index = gp_scenario_parameter(scenario, preset->name);

        (void)json_object_set_new(values, preset->name,
                                  gp_json_value(&scenario->parameters[index], preset->value));
    }
    return values;
}

/* Names and sizes of its own, else null. */
static void set_cells(json_t *out, const struct gp_scenario_ops *scenario)
{
    json_t *policies = scenario->policies != NULL ? make_list() : json_null();
    json_t *streams = scenario->streams != NULL ? make_list() : json_null();

    for (size_t i = 0; scenario->policies != NULL && scenario->policies[i] != NULL; i++) {
        append(policies, json_string(scenario->policies[i]));
    }
    for (size_t i = 0; scenario->streams != NULL && scenario->streams[i] > 0; i++) {
        append(streams, json_integer(scenario->streams[i]));
    }
    (void)json_object_set_new(out, "policies", policies);
    (void)json_object_set_new(out, "streams", streams);
}

static json_t *scenario_of(const struct gp_scenario_ops *scenario)
{
    json_t *parameters = make_list();
    json_t *variants = make_list();
    json_t *claims = make_list();
    json_t *out;

    for (const struct gp_parameter *p = scenario->parameters; p->name != NULL; p++) {
        append(parameters, parameter_of(p));
    }
    for (const struct gp_variant *v = scenario->variants; v != NULL && v->presets[0].name != NULL;
         v++) {
        append(variants, variant_of(scenario, v));
    }
    for (const struct gp_claim *c = scenario->claims; c != NULL && c->id != NULL; c++) {
        append(claims, json_pack("{s:s, s:s}", "id", c->id, "sentence", c->sentence));
    }
    out = gp_json_need(json_pack("{s:s, s:s, s:s, s:b, s:b, s:o, s:o, s:o}", "name", scenario->name,
                                 "summary", scenario->summary, "expect", scenario->expect, "in_all",
                                 (int)(scenario->flags == 0), "checked",
                                 (int)(scenario->verify != NULL), "parameters", parameters,
                                 "variants", variants, "claims", claims));
    set_cells(out, scenario);
    return out;
}

void gp_list_scenarios_json(const struct gp_scenario_ops *const *scenarios, size_t count)
{
    json_t *list = make_list();

    for (size_t i = 0; i < count; i++) {
        append(list, scenario_of(scenarios[i]));
    }
    print_list("scenarios", list);
}

void gp_list_built_in_scenarios_json(void)
{
    gp_list_scenarios_json(gp_scenario_table, gp_scenario_table_count);
}

void gp_list_policies_json(void)
{
    json_t *list = make_list();

    for (size_t i = 0; i < gp_policy_table_count; i++) {
        const struct gp_policy_ops *policy = gp_policy_table[i];

        append(list, json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", policy->name, "summary",
                               policy->summary, "source", policy->source, "unit",
                               gp_unit_name(policy->unit), "streams",
                               policy->fixed_streams > 0 ? json_integer(policy->fixed_streams)
                                                         : json_null()));
    }
    print_list("policies", list);
}

void gp_list_devices_json(void)
{
    json_t *list = make_list();

    for (size_t i = 0; i < gp_device_table_count; i++) {
        struct gp_device_info info;
        struct gp_error err = {0};

        for (int32_t index = 0;
             gp_device_describe(gp_device_table[i], index, NULL, &info, &err) == 0; index++) {
            append(list,
                   json_pack("{s:s, s:s, s:o, s:i, s:I}", "kind", gp_device_table[i]->name, "spec",
                             info.spec, "name", gp_json_text(info.name), "sm_count",
                             (int)info.sm_count, "memory_bytes", (json_int_t)info.memory_bytes));
        }
    }
    print_list("devices", list);
}

void gp_list_formats_json(void)
{
    json_t *list = make_list();

    for (size_t i = 0; i < gp_export_table_count; i++) {
        const struct gp_export_ops *format = gp_export_table[i];
        json_t *tables = make_list();

        for (size_t t = 0; format->tables != NULL && format->tables[t] != NULL; t++) {
            append(tables, json_string(format->tables[t]));
        }
        append(list, json_pack("{s:s, s:s, s:o}", "name", format->name, "summary", format->summary,
                               "tables", tables));
    }
    print_list("formats", list);
}

void gp_list_imports_json(void)
{
    json_t *list = make_list();

    for (size_t i = 0; i < gp_import_table_count; i++) {
        append(list, json_pack("{s:s, s:s}", "name", gp_import_table[i]->name, "summary",
                               gp_import_table[i]->summary));
    }
    print_list("imports", list);
}

void gp_list_claims_json(void)
{
    json_t *list = make_list();

    for (size_t i = 0; i < gp_claim_test_count; i++) {
        const struct gp_claim_test *test = &gp_claim_tests[i];

        append(list, json_pack("{s:s, s:s, s:s, s:s}", "id", test->claim, "sentence",
                               gp_claim_sentence(test), "scenario", test->scenario, "source",
                               test->source));
    }
    print_list("claims", list);
}
