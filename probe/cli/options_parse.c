/* Reading a verb's words by the table of options: see options.h. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "probe/cli/options.h"
#include "probe/cli/verbs.h"

enum { OPTIONS_MAX = 64, OPTION_BYTES_MAX = 32 };

static const struct gp_option *find_long(const char *name, size_t length)
{
    for (size_t i = 0; i < gp_option_table_count; i++) {
        if (strlen(gp_option_table[i].name) == length &&
            memcmp(gp_option_table[i].name, name, length) == 0) {
            return &gp_option_table[i];
        }
    }
    return NULL;
}

static const struct gp_option *find_letter(char letter)
{
    for (size_t i = 0; i < gp_option_table_count; i++) {
        if (gp_option_table[i].letter == letter) {
            return &gp_option_table[i];
        }
    }
    return NULL;
}

static int fail_unknown(enum gp_verb_id verb, const char *word, struct gp_error *err)
{
    char names[OPTIONS_MAX][OPTION_BYTES_MAX];
    const char *known[OPTIONS_MAX];
    size_t count = 0;

    assert(gp_option_table_count <= OPTIONS_MAX);
    for (size_t i = 0; i < gp_option_table_count; i++) {
        if ((gp_option_table[i].verbs & 1u << verb) != 0) {
            (void)snprintf(names[count], sizeof names[count], "--%s", gp_option_table[i].name);
            known[count] = names[count];
            count++;
        }
    }
    return gp_value_unknown("option", word, known, count, err);
}

/* option is the one that `word` (as typed, for messages) named, NULL when there is none. */
static int check_option(enum gp_verb_id verb, const struct gp_option *option, const char *word,
                        struct gp_error *err)
{
    if (option == NULL) {
        return fail_unknown(verb, word, err);
    }
    if ((option->verbs & 1u << verb) == 0) {
        for (unsigned i = 0; i < GP_VERB_COUNT; i++) {
            if ((option->verbs & 1u << i) != 0) {
                return gp_fail(err, GP_EINVAL, "'%s' has no option '--%s'; '%s' has",
                               gp_verb_table[verb].name, option->name, gp_verb_table[i].name);
            }
        }
    }
    return 0;
}

static int apply(struct gp_options *options, const struct gp_option *option, const char *value,
                 struct gp_error *err)
{
    char *field = (char *)options + option->field;

    if (option->parse != NULL) {
        return option->parse(options, value, err);
    }
    if (option->argument == NULL) {
        *(bool *)field = true;
        return 0;
    }
    if (value[0] == '\0') {
        return gp_fail(err, GP_EINVAL, "--%s: its value is empty", option->name);
    }
    memcpy(field, &value, sizeof value);
    return 0;
}

/* --name, --name=value or --name value; *i is the word's index, moved over a value. */
static int parse_long(enum gp_verb_id verb, int argc, char *const *argv, int *i,
                      struct gp_options *options, struct gp_error *err)
{
    const char *name = argv[*i] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct gp_option *option = find_long(name, length);
    char word[OPTION_BYTES_MAX + 16];
    const char *value = equals != NULL ? equals + 1 : NULL;

    (void)snprintf(word, sizeof word, "--%.*s", (int)length, name);
    if (check_option(verb, option, word, err) != 0) {
        return GP_EINVAL;
    }
    if (option->argument == NULL && value != NULL) {
        return gp_fail(err, GP_EINVAL, "--%s takes no value", option->name);
    }
    if (option->argument != NULL && value == NULL) {
        if (*i + 1 >= argc) {
            return gp_fail(err, GP_EINVAL, "--%s needs a value: %s", option->name,
                           option->argument);
        }
        value = argv[++*i];
    }
    return apply(options, option, value, err);
}

/* -x, -xy (flags), -xVALUE or -x VALUE. */
static int parse_letters(enum gp_verb_id verb, int argc, char *const *argv, int *i,
                         struct gp_options *options, struct gp_error *err)
{
    for (const char *at = argv[*i] + 1; *at != '\0'; at++) {
        const struct gp_option *option = find_letter(*at);
        const char word[] = {'-', *at, '\0'};
        const char *value = at[1] != '\0' ? at + 1 : NULL;

        if (check_option(verb, option, word, err) != 0) {
            return GP_EINVAL;
        }
        if (option->argument == NULL) {
            (void)apply(options, option, NULL, err);
            continue;
        }
        if (value == NULL && *i + 1 >= argc) {
            return gp_fail(err, GP_EINVAL, "-%c needs a value: %s", *at, option->argument);
        }
        return apply(options, option, value != NULL ? value : argv[++*i], err);
    }
    return 0;
}

static int add_operand(enum gp_verb_id verb, const char *word, struct gp_options *options,
                       struct gp_error *err)
{
    uint32_t max = gp_verb_table[verb].operand_count;

    assert(max <= GP_OPERANDS_MAX);
    if (options->operand_count == max) {
        return gp_fail(
            err, GP_EINVAL, "what is '%.160s' for? '%s' takes %s%s%s", word,
            gp_verb_table[verb].name, max == 0 ? "only options" : "one ",
            max == 0 ? "" : gp_verb_table[verb].operand,
            verb == GP_VERB_VERDICT ? "; 'gpuprobe show FILE' has the answers of a recording" : "");
    }
    options->operands[options->operand_count++] = word;
    return 0;
}

int gp_options_parse(enum gp_verb_id verb, int argc, char *const *argv, struct gp_options *out,
                     struct gp_error *err)
{
    bool only_operands = false;
    int code = 0;

    assert(argc >= 0 && verb < GP_VERB_COUNT);
    memset(out, 0, sizeof *out);
    out->device = "auto";
    out->trace = GP_TRACE_STAMPS;
    for (int i = 0; i < argc && code == 0 && !out->help && !out->version; i++) {
        const char *word = argv[i];

        if (only_operands || word[0] != '-' || word[1] == '\0') {
            code = add_operand(verb, word, out, err);
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (word[1] == '-') {
            code = parse_long(verb, argc, argv, &i, out, err);
        } else {
            code = parse_letters(verb, argc, argv, &i, out, err);
        }
    }
    return code;
}
