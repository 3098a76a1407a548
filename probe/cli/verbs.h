/*
 * The program's verbs: one table, from which help is made and the program is driven. Each verb is
 * one function in a file of its own.
 */
#ifndef GP_PROBE_CLI_VERBS_H
#define GP_PROBE_CLI_VERBS_H

#include "probe/cli/options.h"
#include "probe/cli/terminal.h"

/* The program's exit codes; part of its contract (see the man page). */
enum gp_exit {
    GP_EXIT_OK = 0,
    GP_EXIT_FAILED = 1,
    GP_EXIT_USAGE = 2,
    GP_EXIT_CHECK = 3,  /* what was to be checked failed: wrong data, a hazard */
    GP_EXIT_DEVICE = 4, /* no such device */
    GP_EXIT_FORMAT = 5, /* not a recording, or a damaged one */
    GP_EXIT_INTERRUPTED = 130,
};

/* What every verb gets beside its options. */
struct gp_cli {
    struct gp_terminal terminal;
    const char *command_line; /* as typed, quoted where a shell needs it */
};

struct gp_verb {
    const char *name;
    const char *summary;
    const char *usage;   /* what follows "gpuprobe " */
    const char *operand; /* what its operand is called; NULL none */
    uint32_t operand_count;
    /* Prints its result on stdout and messages on stderr; returns 0 or what gp_cli_fail returned,
     * that is an exit code. */
    enum gp_exit (*run)(const struct gp_cli *cli, const struct gp_options *options);
};

extern const struct gp_verb gp_verb_table[GP_VERB_COUNT]; /* by gp_verb_id */

/* The verbs' work, as in struct gp_verb. gp_cli_run: the sweep, its recording, its results. */
enum gp_exit gp_cli_run(const struct gp_cli *cli, const struct gp_options *options);
/* The names that other verbs take. */
enum gp_exit gp_cli_list(const struct gp_cli *cli, const struct gp_options *options);
/* The results of a recording, printed as after the run. */
enum gp_exit gp_cli_show(const struct gp_cli *cli, const struct gp_options *options);
/* Why cells took as long as they did: timeline, causes, critical path, advice. */
enum gp_exit gp_cli_explain(const struct gp_cli *cli, const struct gp_options *options);
/* Whether what must hold in every run holds in a recording. */
enum gp_exit gp_cli_check(const struct gp_cli *cli, const struct gp_options *options);
/* Runs what decides claims, and answers them. */
enum gp_exit gp_cli_verdict(const struct gp_cli *cli, const struct gp_options *options);
/* Two recordings against each other, or one beside another tool's trace of the same runs. */
enum gp_exit gp_cli_compare(const struct gp_cli *cli, const struct gp_options *options);
/* Rows of a recording in another format. */
enum gp_exit gp_cli_export(const struct gp_cli *cli, const struct gp_options *options);
/* Becomes the viewer, which lies beside this program or on the search path. */
enum gp_exit gp_cli_view(const struct gp_cli *cli, const struct gp_options *options);
/* A recording made of the trace of another tool. */
enum gp_exit gp_cli_import(const struct gp_cli *cli, const struct gp_options *options);
/* What is here and what will be used. */
enum gp_exit gp_cli_doctor(const struct gp_cli *cli, const struct gp_options *options);

/* Prints the error and says which exit code it means. */
enum gp_exit gp_cli_fail(const struct gp_error *err);

/* Prints help on stdout, made from the tables: of everything. */
void gp_cli_help(void);
/* Of one verb. */
void gp_cli_help_verb(enum gp_verb_id verb);

/* The whole program; main's arguments and result. */
int gp_cli_main(int argc, char **argv);

#endif
