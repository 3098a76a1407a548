/* Help, made from the tables of verbs and options. ASCII and uncoloured: it is also a file. */
#include <stdio.h>
#include <string.h>

#include "probe/cli/table.h"
#include "probe/cli/verbs.h"

enum { OPTION_COLUMNS = 34 };

static const char exit_codes[] = "Exit: 0 fine, 1 failed, 2 wrong usage, 3 what was checked is "
                                 "wrong, 4 no such device, 5 not a\n"
                                 "recording or damaged, 130 interrupted (Ctrl-C finishes the run "
                                 "in hand and closes the recording).\n";

static void print_option(const struct gp_option *option)
{
    char left[128];
    int length = snprintf(
        left, sizeof left, "  %c%c%s --%s%s%s", option->letter != 0 ? '-' : ' ',
        option->letter != 0 ? option->letter : ' ', option->letter != 0 ? "," : " ", option->name,
        option->argument != NULL ? " " : "", option->argument != NULL ? option->argument : "");

    printf("%-*s", OPTION_COLUMNS, left);
    if (length >= OPTION_COLUMNS) {
        printf("\n%*s", OPTION_COLUMNS, "");
    }
    gp_table_print_wrapped(option->help, OPTION_COLUMNS);
}

static void print_options(enum gp_verb_id verb)
{
    for (size_t i = 0; i < gp_option_table_count; i++) {
        if ((gp_option_table[i].verbs & 1u << verb) != 0) {
            print_option(&gp_option_table[i]);
        }
    }
}

void gp_cli_help(void)
{
    printf("gpuprobe: which CUDA stream policy and pool size is best for a workload, and why\n\n");
    for (unsigned i = 0; i < GP_VERB_COUNT; i++) {
        printf("%s gpuprobe %s\n", i == 0 ? "Usage:" : "      ", gp_verb_table[i].usage);
    }
    printf("\nVerbs ('gpuprobe VERB --help' has the options of each):\n");
    for (unsigned i = 0; i < GP_VERB_COUNT; i++) {
        printf("  %-8s %s%s\n", gp_verb_table[i].name, gp_verb_table[i].summary,
               i == GP_VERB_RUN ? " (the default)" : "");
    }
    printf("\nOptions of run:\n");
    print_options(GP_VERB_RUN);
    printf("\n%s", exit_codes);
}

void gp_cli_help_verb(enum gp_verb_id verb)
{
    printf("gpuprobe %s: %s\n\nUsage: gpuprobe %s\n\nOptions:\n", gp_verb_table[verb].name,
           gp_verb_table[verb].summary, gp_verb_table[verb].usage);
    print_options(verb);
    printf("\n%s", exit_codes);
}
