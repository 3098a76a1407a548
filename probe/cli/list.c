/* The verb list: what the tables of the program hold. See verbs.h. */
#include <stdio.h>
#include <string.h>

#include "core/device/device.h"
#include "probe/cli/choices.h"
#include "probe/cli/list_json.h"
#include "probe/cli/table.h"
#include "probe/cli/verbs.h"
#include "probe/export/export.h"
#include "probe/import/import.h"
#include "probe/memory.h"
#include "probe/verdict/claims.h"
#include "scenarios/workload.h"

static void list_parameters(const struct gp_scenario_ops *scenario,
                            const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {{"", false}, {"", false}, {"", false}};
    struct gp_table table = {.columns = columns, .column_count = 3};
    char text[GP_PARAMETER_BYTES_MAX];

    for (const struct gp_parameter *p = scenario->parameters; p->name != NULL; p++) {
        gp_table_row(&table, GP_ROW_PLAIN);
        gp_parameter_write(p, p->initial, text);
        gp_table_cell(&table, "--set %s=%s", p->name, text);
        gp_table_cell(&table, "%s", p->summary);
        gp_parameter_range(p, text);
        gp_table_cell(&table, "%s", text);
    }
    gp_table_print(&table, terminal, 4);
    gp_table_finish(&table);
}

/* "    runs width=1; width=4; width=16" */
static void list_variants(const struct gp_scenario_ops *scenario)
{
    const struct gp_variant *variant = scenario->variants;
    char text[GP_PARAMETER_BYTES_MAX];

    for (; variant != NULL && variant->presets[0].name != NULL; variant++) {
        fputs(variant == scenario->variants ? "    runs " : "; ", stdout);
        for (int i = 0; i < GP_PRESETS_MAX && variant->presets[i].name != NULL; i++) {
            const struct gp_preset *preset = &variant->presets[i];
            int index = gp_scenario_parameter(scenario, preset->name);

            gp_parameter_write(&scenario->parameters[index], preset->value, text);
            printf("%s%s=%s", i > 0 ? "," : "", preset->name, text);
        }
    }
    if (scenario->variants != NULL) {
        putchar('\n');
    }
}

/* The policies and pool sizes that it has of its own. */
static void list_cells(const struct gp_scenario_ops *scenario)
{
    const char *const *policies = scenario->policies;
    const uint32_t *streams = scenario->streams;

    for (size_t i = 0; policies != NULL && policies[i] != NULL; i++) {
        printf("%s%s", i == 0 ? "    under " : ", ", policies[i]);
    }
    for (size_t i = 0; streams != NULL && streams[i] > 0; i++) {
        printf("%s%u", i > 0 ? ", " : policies != NULL ? "; streams " : "    streams ", streams[i]);
    }
    if (policies != NULL || streams != NULL) {
        putchar('\n');
    }
}

static void list_claims(const struct gp_scenario_ops *scenario)
{
    for (const struct gp_claim *c = scenario->claims; c != NULL && c->id != NULL; c++) {
        printf("    claim %s: %s\n", c->id, c->sentence);
    }
}

static void list_scenarios(const struct gp_scenario_ops *const *scenarios, size_t count,
                           const struct gp_terminal *terminal)
{
    for (size_t i = 0; i < count; i++) {
        const struct gp_scenario_ops *scenario = scenarios[i];

        printf("%s%s%s%s: %s%s\n    ", i > 0 ? "\n" : "", gp_terminal_bold(terminal),
               scenario->name, gp_terminal_plain(terminal), scenario->summary,
               scenario->flags != 0 ? " (not in 'all')" : "");
        gp_table_print_wrapped(scenario->expect, 4);
        if (scenario->verify == NULL) {
            puts("    its data are not checked");
        }
        list_parameters(scenario, terminal);
        list_variants(scenario);
        list_cells(scenario);
        list_claims(scenario);
    }
}

static void list_built_in_scenarios(const struct gp_terminal *terminal)
{
    list_scenarios(gp_scenario_table, gp_scenario_table_count, terminal);
}

static void list_policies(const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {
        {"policy", false}, {"chooses per", false}, {"streams", false}, {"what it does", false}};
    struct gp_table table = {.columns = columns, .column_count = 4};

    for (size_t i = 0; i < gp_policy_table_count; i++) {
        const struct gp_policy_ops *policy = gp_policy_table[i];

        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", policy->name);
        gp_table_cell(&table, "%s", gp_unit_name(policy->unit));
        if (policy->fixed_streams > 0) {
            gp_table_cell(&table, "always %u", policy->fixed_streams);
        } else {
            gp_table_cell(&table, "the pool's");
        }
        gp_table_cell(&table, "%s", policy->summary);
    }
    gp_table_print(&table, terminal, 0);
    gp_table_finish(&table);
}

/* The devices of one kind, or why there are none. */
static void list_kind(const struct gp_device_ops *ops, const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {{"", false}, {"", false}, {"", false}};
    struct gp_table table = {.columns = columns, .column_count = 3};
    struct gp_device_info info;
    struct gp_error err = {0};
    int32_t index = 0;

    while (gp_device_describe(ops, index, NULL, &info, &err) == 0) {
        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", info.spec);
        gp_table_cell(&table, "%s", info.name);
        gp_table_cell(&table, "%d SMs, %.1f GiB", (int)info.sm_count,
                      (double)info.memory_bytes / (1 << 30));
        index++;
    }
    printf("%s%s%s: %s, as %s%s\n", gp_terminal_bold(terminal), ops->name,
           gp_terminal_plain(terminal), ops->summary, ops->name, ops->options);
    if (index == 0) {
        printf("    none: %s\n", err.text);
    }
    gp_table_print(&table, terminal, 4);
    gp_table_finish(&table);
}

static void list_devices(const struct gp_terminal *terminal)
{
    for (size_t i = 0; i < gp_device_table_count; i++) {
        list_kind(gp_device_table[i], terminal);
    }
}

static void list_formats(const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {{"", false}, {"", false}};
    struct gp_table table = {.columns = columns, .column_count = 2};

    for (size_t i = 0; i < gp_export_table_count; i++) {
        const struct gp_export_ops *format = gp_export_table[i];

        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", format->name);
        gp_table_cell(&table, "%s", format->summary);
        for (size_t t = 0; format->tables != NULL && format->tables[t] != NULL; t++) {
            gp_table_row(&table, GP_ROW_PLAIN);
            gp_table_cell(&table, " ");
            gp_table_cell(&table, "--table %s%s", format->tables[t], t == 0 ? " (default)" : "");
        }
    }
    gp_table_print(&table, terminal, 0);
    gp_table_finish(&table);
}

static void list_imports(const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {{"", false}, {"", false}};
    struct gp_table table = {.columns = columns, .column_count = 2};

    for (size_t i = 0; i < gp_import_table_count; i++) {
        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", gp_import_table[i]->name);
        gp_table_cell(&table, "%s", gp_import_table[i]->summary);
    }
    gp_table_print(&table, terminal, 0);
    gp_table_finish(&table);
}

static void list_claims_of_all(const struct gp_terminal *terminal)
{
    for (size_t i = 0; i < gp_claim_test_count; i++) {
        const struct gp_claim_test *test = &gp_claim_tests[i];

        printf("%s%s%s (%s)\n    ", gp_terminal_bold(terminal), test->claim,
               gp_terminal_plain(terminal), test->scenario);
        gp_table_print_wrapped(gp_claim_sentence(test), 4);
        printf("    Source: ");
        gp_table_print_wrapped(test->source, 12);
    }
}

static const struct {
    const char *name;
    void (*list)(const struct gp_terminal *terminal);
    void (*list_json)(void);
} lists[] = {
    {"scenarios", list_built_in_scenarios, gp_list_built_in_scenarios_json},
    {"policies", list_policies, gp_list_policies_json},
    {"devices", list_devices, gp_list_devices_json},
    {"formats", list_formats, gp_list_formats_json},
    {"imports", list_imports, gp_list_imports_json},
    {"claims", list_claims_of_all, gp_list_claims_json},
};

enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

/* Those that --scenario names, of shared objects too. */
static enum gp_exit list_chosen(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_chosen *chosen = gp_xalloc(1, sizeof *chosen);
    struct gp_error err = {0};
    enum gp_exit result = GP_EXIT_OK;

    if (gp_chosen_init(chosen, options, &err) != 0) {
        result = gp_cli_fail(&err);
    } else if (options->json) {
        gp_list_scenarios_json(chosen->scenarios, options->scenarios.count);
    } else {
        list_scenarios(chosen->scenarios, options->scenarios.count, &cli->terminal);
    }
    gp_chosen_finish(chosen);
    gp_free(chosen);
    return result;
}

enum gp_exit gp_cli_list(const struct gp_cli *cli, const struct gp_options *options)
{
    const char *names[LIST_COUNT];
    struct gp_error err = {0};
    size_t found = 0;

    for (size_t i = 0; i < LIST_COUNT; i++) {
        names[i] = lists[i].name;
    }
    if (options->operand_count == 0) {
        (void)gp_fail(&err, GP_EINVAL, "list what? One of %s", gp_verb_table[GP_VERB_LIST].operand);
        return gp_cli_fail(&err);
    }
    if (gp_value_word("list", options->operands[0], names, LIST_COUNT, &found, &err) != 0) {
        return gp_cli_fail(&err);
    }
    if (options->scenarios.count > 0 && lists[found].list != list_built_in_scenarios) {
        (void)gp_fail(&err, GP_EINVAL, "--scenario is for 'list scenarios'");
        return gp_cli_fail(&err);
    }
    if (options->scenarios.count > 0) {
        return list_chosen(cli, options);
    }
    if (options->json) {
        lists[found].list_json();
    } else {
        lists[found].list(&cli->terminal);
    }
    return GP_EXIT_OK;
}
