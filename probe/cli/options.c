/* The table of options: see options.h. The reading of single values is in values.c, of the command
 * line in options_parse.c. */
#include "probe/cli/options.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/cli/verbs.h"
#include "probe/verdict/claims.h"
#include "scenarios/workload.h"

/* --from and --to, ns */
#define GP_MOMENT_MAX (INT64_C(1) << 60)

enum { GATE_MAX = 10000 };

/* The names of a table; words[0] is "all", which leaves out some. */
struct names {
    const char *option, *kind;
    const char *words[GP_CHOICES_MAX + 1];
    size_t count;
    bool is_left_out[GP_CHOICES_MAX + 1];
    bool takes_plugins; /* also shared objects */
};

static int fail_twice(const char *option, const char *item, struct gp_error *err)
{
    return gp_fail(err, GP_EINVAL, "%s: '%s' is listed twice", option, item);
}

/* Appends to a list that holds no number twice. */
static int add_once(uint32_t *list, uint32_t *count, uint32_t number)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i] == number) {
            return -1;
        }
    }
    list[(*count)++] = number;
    return 0;
}

/* One name of a table, or all, as indices of that table. */
static int add_name(const struct names *names, const char *item, struct gp_choices *choices,
                    struct gp_error *err)
{
    size_t found = 0;
    size_t last;

    if (gp_value_word(names->kind, item, names->words, names->count, &found, err) != 0) {
        return GP_EINVAL;
    }
    last = found == 0 ? names->count - 1 : found;
    for (size_t i = found == 0 ? 1 : found; i <= last; i++) {
        if (found == 0 && names->is_left_out[i]) {
            continue;
        }
        if (add_once(choices->indices, &choices->count, (uint32_t)(i - 1)) != 0) {
            return fail_twice(names->option, names->words[i], err);
        }
    }
    return 0;
}

/* A path, or a file of the working directory. */
static bool is_shared_object(const struct gp_text *text)
{
    return memchr(text->start, '/', text->length) != NULL ||
           (text->length > 3 && memcmp(text->start + text->length - 3, ".so", 3) == 0);
}

static int add_plugin(const struct names *names, const struct gp_text *path,
                      struct gp_choices *choices, struct gp_error *err)
{
    if (choices->plugin_count == GP_PLUGINS_MAX) {
        return gp_fail(err, GP_EINVAL, "%s: more than %d shared objects", names->option,
                       GP_PLUGINS_MAX);
    }
    choices->indices[choices->count++] = (uint32_t)(names->count - 1) + choices->plugin_count;
    choices->plugins[choices->plugin_count++] = *path;
    return 0;
}

/* A list of names of a table, and of shared objects where they may be. */
static int parse_names(const struct names *names, const char *value, struct gp_choices *choices,
                       struct gp_error *err)
{
    while (value != NULL) {
        const struct gp_text first = {value, strcspn(value, ",")};
        char item[GP_VALUE_ITEM_BYTES_MAX];
        int code = 0;

        if (names->takes_plugins && is_shared_object(&first)) {
            code = add_plugin(names, &first, choices, err);
            value = value[first.length] == ',' ? value + first.length + 1 : NULL;
        } else if (gp_value_next(names->option, &value, item, err) < 0) {
            return GP_EINVAL;
        } else {
            code = add_name(names, item, choices, err);
        }
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

static int parse_scenario(struct gp_options *options, const char *value, struct gp_error *err)
{
    struct names names = {.option = "--scenario",
                          .kind = "scenario",
                          .words = {"all"},
                          .count = 1,
                          .takes_plugins = true};

    assert(gp_scenario_table_count + GP_PLUGINS_MAX <= GP_CHOICES_MAX);
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        names.is_left_out[names.count] = gp_scenario_table[i]->flags != 0;
        names.words[names.count++] = gp_scenario_table[i]->name;
    }
    return parse_names(&names, value, &options->scenarios, err);
}

static int parse_claim(struct gp_options *options, const char *value, struct gp_error *err)
{
    struct names names = {.option = "--claim", .kind = "claim", .words = {"all"}, .count = 1};

    assert(gp_claim_test_count <= GP_CHOICES_MAX);
    for (size_t i = 0; i < gp_claim_test_count; i++) {
        names.words[names.count++] = gp_claim_tests[i].claim;
    }
    return parse_names(&names, value, &options->claims, err);
}

static int parse_policy(struct gp_options *options, const char *value, struct gp_error *err)
{
    struct names names = {.option = "--policy",
                          .kind = "policy",
                          .words = {"all"},
                          .count = 1,
                          .takes_plugins = true};

    assert(gp_policy_table_count + GP_PLUGINS_MAX <= GP_CHOICES_MAX);
    for (size_t i = 0; i < gp_policy_table_count; i++) {
        names.words[names.count++] = gp_policy_table[i]->name;
    }
    return parse_names(&names, value, &options->policies, err);
}

/* A list of whole numbers from 1 to max, with room for each of them. */
struct numbers {
    const char *option;
    int64_t max;
    uint32_t *list, *count;
};

static int parse_numbers(const struct numbers *numbers, const char *value, struct gp_error *err)
{
    char item[GP_VALUE_ITEM_BYTES_MAX];
    int64_t number = 0;
    int code;

    while ((code = gp_value_next(numbers->option, &value, item, err)) > 0) {
        if (gp_value_integer(numbers->option, item, 1, numbers->max, &number, err) != 0) {
            return GP_EINVAL;
        }
        if (add_once(numbers->list, numbers->count, (uint32_t)number) != 0) {
            return fail_twice(numbers->option, item, err);
        }
    }
    return code;
}

static int parse_streams(struct gp_options *options, const char *value, struct gp_error *err)
{
    struct numbers numbers = {"--streams", GP_STREAMS_MAX, options->streams,
                              &options->stream_count};

    return parse_numbers(&numbers, value, err);
}

static int parse_connections(struct gp_options *options, const char *value, struct gp_error *err)
{
    struct numbers numbers = {"--connections", GP_CONNECTIONS_MAX, options->connections,
                              &options->connection_count};

    return parse_numbers(&numbers, value, err);
}

static int add_setting(struct gp_options *options, const struct gp_text *item, struct gp_error *err)
{
    const char *equals = memchr(item->start, '=', item->length);
    char *name = options->setting_words + options->setting_bytes;

    if (equals == NULL || equals == item->start) {
        return gp_fail(err, GP_EINVAL, "--set: '%.*s' is not KEY=VALUE", (int)item->length,
                       item->start);
    }
    if (options->setting_count == GP_SETTINGS_MAX ||
        item->length >= GP_SETTING_BYTES_MAX - options->setting_bytes) {
        return gp_fail(err, GP_EINVAL, "--set: more than %d settings, or %d bytes of them",
                       GP_SETTINGS_MAX, GP_SETTING_BYTES_MAX);
    }
    memcpy(name, item->start, item->length);
    name[item->length] = '\0';
    name[equals - item->start] = '\0';
    for (uint32_t i = 0; i < options->setting_count; i++) {
        if (strcmp(options->settings[i].name, name) == 0) {
            return fail_twice("--set", name, err);
        }
    }
    options->settings[options->setting_count++] =
        (struct gp_setting){name, name + (equals - item->start) + 1};
    options->setting_bytes += (uint32_t)item->length + 1;
    return 0;
}

/* Where an item of --set ends: before a comma that another KEY= follows. What has no = belongs to
 * the value before it, which may be a list. */
static size_t setting_length(const char *text)
{
    size_t length = strcspn(text, ",");

    while (text[length] == ',' && text[length + 1] != '\0' && text[length + 1] != ',' &&
           strcspn(text + length + 1, ",") <= strcspn(text + length + 1, "=")) {
        length += 1 + strcspn(text + length + 1, ",");
    }
    return length;
}

static int parse_set(struct gp_options *options, const char *value, struct gp_error *err)
{
    while (value != NULL) {
        const struct gp_text item = {value, setting_length(value)};
        int code = item.length == 0 ? gp_fail(err, GP_EINVAL, "--set: an empty item in its list")
                                    : add_setting(options, &item, err);

        if (code != 0) {
            return code;
        }
        value = value[item.length] == ',' ? value + item.length + 1 : NULL;
    }
    return 0;
}

static int parse_submit(struct gp_options *options, const char *value, struct gp_error *err)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_SUBMITS(X)
#undef X
    };
    char item[GP_VALUE_ITEM_BYTES_MAX];
    int code;

    while ((code = gp_value_next("--submit", &value, item, err)) > 0) {
        size_t index = 0;

        if (gp_value_word("value of --submit", item, words, GP_SUBMIT_COUNT, &index, err) != 0) {
            return GP_EINVAL;
        }
        if ((options->submits & 1u << index) != 0) {
            return fail_twice("--submit", item, err);
        }
        options->submits |= 1u << index;
    }
    return code;
}

static int parse_repeats(struct gp_options *options, const char *value, struct gp_error *err)
{
    int64_t repeats = 0;
    int code = gp_value_integer("--repeats", value, 1, GP_REPEATS_MAX, &repeats, err);

    options->repeats = (uint32_t)repeats;
    return code;
}

static int parse_budget(struct gp_options *options, const char *value, struct gp_error *err)
{
    return gp_value_seconds("--budget", value, &options->budget_ns, err);
}

static int parse_seed(struct gp_options *options, const char *value, struct gp_error *err)
{
    return gp_value_unsigned("--seed", value, &options->seed, err);
}

static int parse_order(struct gp_options *options, const char *value, struct gp_error *err)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_ISSUE_ORDERS(X)
#undef X
    };
    size_t index = 0;
    int code = gp_value_word("value of --order", value, words, GP_ISSUE_ORDER_COUNT, &index, err);

    options->order = (enum gp_issue_order)index;
    return code;
}

static int parse_completion(struct gp_options *options, const char *value, struct gp_error *err)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_COMPLETIONS(X)
#undef X
    };
    size_t index = 0;
    int code =
        gp_value_word("value of --completion", value, words, GP_COMPLETION_COUNT, &index, err);

    options->completion = (enum gp_completion)index;
    return code;
}

static int parse_trace(struct gp_options *options, const char *value, struct gp_error *err)
{
    static const char *const words[] = {"auto", "stamps", "events", "blocks", "off"};
    static const enum gp_trace traces[] = {GP_TRACE_STAMPS, GP_TRACE_STAMPS, GP_TRACE_EVENTS,
                                           GP_TRACE_BLOCKS, GP_TRACE_OFF};
    size_t index = 0;
    int code = gp_value_word("value of --trace", value, words, sizeof words / sizeof words[0],
                             &index, err);

    options->trace = traces[index];
    options->trace_chosen = index != 0;
    return code;
}

static int parse_reference(struct gp_options *options, const char *value, struct gp_error *err)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_REFERENCES(X)
#undef X
    };
    size_t index = 0;
    int code = gp_value_word("value of --reference", value, words, GP_REFERENCE_COUNT, &index, err);

    options->reference = (enum gp_reference)index;
    return code;
}

static int parse_verify(struct gp_options *options, const char *value, struct gp_error *err)
{
    static const char *const words[] = {"on", "off"};
    size_t index = 0;
    int code = gp_value_word("value of --verify", value, words, 2, &index, err);

    options->verify_off = index == 1;
    return code;
}

static int parse_gate(struct gp_options *options, const char *value, struct gp_error *err)
{
    char *end = NULL;

    options->gate = strtod(value, &end);
    options->has_gate = true;
    if (end == value || *end != '\0' || !(options->gate >= 0 && options->gate <= GATE_MAX)) {
        return gp_fail(err, GP_EINVAL, "--gate: '%s' is not a percentage from 0 to %d", value,
                       GATE_MAX);
    }
    return 0;
}

static int parse_cell(struct gp_options *options, const char *value, struct gp_error *err)
{
    return gp_value_integer("--cell", value, 1, INT64_MAX, &options->cell, err);
}

static int parse_pass(struct gp_options *options, const char *value, struct gp_error *err)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_PASSES(X)
#undef X
    };
    size_t index = 0;
    int code = gp_value_word("value of --pass", value, words, GP_PASS_COUNT, &index, err);

    options->passes = 1u << index;
    return code;
}

static int parse_from(struct gp_options *options, const char *value, struct gp_error *err)
{
    options->has_from = true;
    return gp_value_integer("--from", value, -GP_MOMENT_MAX, GP_MOMENT_MAX, &options->from_ns, err);
}

static int parse_to(struct gp_options *options, const char *value, struct gp_error *err)
{
    options->has_to = true;
    return gp_value_integer("--to", value, -GP_MOMENT_MAX, GP_MOMENT_MAX, &options->to_ns, err);
}

#define FOR(verb) (1u << GP_VERB_##verb)
#define FOR_ALL ((1u << GP_VERB_COUNT) - 1)
#define KEPT(field) NULL, offsetof(struct gp_options, field)
/* The words of a list with a bar before each. */
#define X(name, word) "|" word

const struct gp_option gp_option_table[] = {
    {"scenario", "NAME[,NAME...]|all|./MINE.so",
     "what to run; 'gpuprobe list scenarios' names them; a shared object brings its own, also for "
     "explain --prove",
     parse_scenario, 0, FOR(RUN) | FOR(LIST) | FOR(EXPLAIN), 0},
    {"claim", "NAME[,NAME...]|all", "which claims (default all); 'gpuprobe list claims' has them",
     parse_claim, 0, FOR(VERDICT), 0},
    {"policy", "NAME[,NAME...]|all|./MINE.so",
     "who chooses the streams (default single,round-robin, or the scenario's own); a shared object "
     "brings its own, also for explain --prove",
     parse_policy, 0, FOR(RUN) | FOR(EXPLAIN), 'p'},
    {"streams", "N[,N...]", "pool sizes, 1 to 128 (default 1,2,4,8,16,32, or the scenario's own)",
     parse_streams, 0, FOR(RUN), 's'},
    {"repeats", "N",
     "rounds of runs (default: until the figures are steady, at least 5; verdict: 9, 2 of the "
     "model)",
     parse_repeats, 0, FOR(RUN) | FOR(EXPLAIN) | FOR(VERDICT), 'r'},
    {"budget", "SECONDS", "stop measuring after that long (default 60)", parse_budget, 0,
     FOR(RUN) | FOR(EXPLAIN), 0},
    {"dry-run", NULL, "print what would run, and run nothing", KEPT(dry_run), FOR(RUN), 0},
    {"device", "DEVICE", "auto, cuda[:N] or model[:PROFILE] (default auto: a GPU, else the model)",
     KEPT(device), FOR(RUN) | FOR(EXPLAIN) | FOR(VERDICT), 'd'},
    {"connections", "N[,N...]",
     "hardware connections, 1 to 32, each in a process of its own (default: the environment's, 8)",
     parse_connections, 0, FOR(RUN), 0},
    {"submit", "streams|graph[,...]",
     "call by call (the default), or captured once into a graph and launched as one", parse_submit,
     0, FOR(RUN), 0},
    {"order", &(GP_ISSUE_ORDERS(X))[1],
     "of issue: chain by chain (the default), level by level, longest path first", parse_order, 0,
     FOR(RUN), 0},
    {"completion", &(GP_COMPLETIONS(X))[1],
     "how the host learns that a run is complete (default event-poll)", parse_completion, 0,
     FOR(RUN), 0},
    {"trace", "auto|stamps|events|blocks|off",
     "how operations are timed in the traced runs; blocks: stamps of every block of the kernels "
     "(default auto: stamps)",
     parse_trace, 0, FOR(RUN), 0},
    {"reference", "none|cupti|model",
     "run every cell again at the end while another watches, to compare (default none)",
     parse_reference, 0, FOR(RUN), 0},
    {"verify", "on|off", "compare the results with the reference (default on)", parse_verify, 0,
     FOR(RUN), 0},
    {"set", "KEY=VALUE[,...]",
     "parameters of the scenarios; K, M and G mean 1024, 1024^2, 1024^3; scale=auto lets sizes "
     "suit the device",
     parse_set, 0, FOR(RUN), 0},
    {"seed", "N", "of inputs and of the order of runs (default 0: always the same)", parse_seed, 0,
     FOR(RUN) | FOR(VERDICT), 0},
    {"gate", "PERCENT", "exit 3 when a cell became slower by more than this, beyond doubt",
     parse_gate, 0, FOR(COMPARE), 0},
    {"format", "NAME", "what to write; 'gpuprobe list formats' names them", KEPT(format),
     FOR(EXPORT), 0},
    {"timing", NULL, "measure how far times can be trusted, which takes some seconds", KEPT(timing),
     FOR(DOCTOR), 0},
    {"table", "NAME", "which table of the recording, for csv (default op)", KEPT(table),
     FOR(EXPORT), 0},
    {"cell", "ID", "only this cell (default all; explain: the recommended ones)", parse_cell, 0,
     FOR(EXPORT) | FOR(SHOW) | FOR(EXPLAIN), 0},
    {"op", "ID|NAME",
     "the story of one operation; of several of the name the one that waited longest", KEPT(op),
     FOR(EXPLAIN) | FOR(SHOW), 0},
    {"prove", NULL, "run what is to be tried, and print the new figures beside the old",
     KEPT(prove), FOR(EXPLAIN), 0},
    {"pass", &(GP_PASSES(X))[1], "only runs of this pass (default all)", parse_pass, 0, FOR(EXPORT),
     0},
    {"from", "NS", "only what has not ended by then, from its run's epoch", parse_from, 0,
     FOR(EXPORT), 0},
    {"to", "NS", "only what has begun before then", parse_to, 0, FOR(EXPORT), 0},
    {"output", "FILE",
     "where to write (run, verdict, import: a free name; export: standard output)", KEPT(output),
     FOR(RUN) | FOR(EXPLAIN) | FOR(VERDICT) | FOR(EXPORT) | FOR(IMPORT) | FOR(DOCTOR), 'o'},
    {"force", NULL, "replace what is there already", KEPT(force),
     FOR(RUN) | FOR(EXPLAIN) | FOR(VERDICT) | FOR(EXPORT) | FOR(IMPORT) | FOR(DOCTOR), 0},
    {"json", NULL, "print the result as JSON", KEPT(json),
     FOR(RUN) | FOR(VERDICT) | FOR(LIST) | FOR(SHOW) | FOR(EXPLAIN) | FOR(CHECK) | FOR(COMPARE) |
         FOR(DOCTOR),
     0},
    {"quiet", NULL, "no progress and no warnings", KEPT(quiet), FOR(RUN) | FOR(VERDICT), 'q'},
    {"verbose", NULL, "say what is done, run by run", KEPT(verbose), FOR(RUN) | FOR(VERDICT), 'v'},
    {"help", NULL, "print this", KEPT(help), FOR_ALL, 'h'},
    {"version", NULL, "print the version", KEPT(version), FOR_ALL, 'V'},
};
#undef X
#undef KEPT
#undef FOR_ALL
#undef FOR
const size_t gp_option_table_count = sizeof gp_option_table / sizeof gp_option_table[0];
