/*
 * The program's frame: which verb, help and version, and that what was printed has arrived. It
 * knows no verb's work.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/cli/verbs.h"
#include "probe/memory.h"
#include "probe/version.h"
#include "scenarios/workload.h"

enum gp_exit gp_cli_fail(const struct gp_error *err)
{
    (void)fprintf(stderr, "gpuprobe: %s\n", err->text);
    switch (err->code) {
    case GP_EINVAL:
        return GP_EXIT_USAGE;
    case GP_EVERIFY:
        return GP_EXIT_CHECK;
    case GP_ENODEVICE:
        return GP_EXIT_DEVICE;
    case GP_EFORMAT:
        return GP_EXIT_FORMAT;
    case GP_EINTERRUPTED:
        return GP_EXIT_INTERRUPTED;
    default:
        return GP_EXIT_FAILED;
    }
}

/* A missing standard file would give its number to the first file that is opened, and messages
 * would be written into a recording. Stand-ins are opened so that using them fails. */
static void open_standard_files(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) == -1 && errno == EBADF) {
            (void)open("/dev/null", modes[number]);
        }
    }
}

/* Whether a shell takes the word as it is. */
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+:,./@%^";

    return word[0] != '\0' && strspn(word, plain) == strlen(word);
}

static size_t append_quoted(char *line, const char *word)
{
    char *at = line;

    *at++ = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            *at++ = '\'';
            *at++ = '\\';
            *at++ = '\'';
        }
        *at++ = *word;
    }
    *at++ = '\'';
    return (size_t)(at - line);
}

/* The words as a shell would take them; the program by its name alone, so that recordings do not
 * tell where it lay. */
static char *join_command_line(int argc, char **argv)
{
    static const char name[] = "gpuprobe";
    size_t bytes = sizeof name;
    char *line;
    char *at;

    for (int i = 1; i < argc; i++) {
        bytes += 4 * strlen(argv[i]) + 3;
    }
    line = gp_xalloc(bytes, 1);
    (void)memcpy(line, name, sizeof name);
    at = line + sizeof name - 1;
    for (int i = 1; i < argc; i++) {
        *at++ = ' ';
        if (is_plain(argv[i])) {
            (void)memcpy(at, argv[i], strlen(argv[i]));
            at += strlen(argv[i]);
        } else {
            at += append_quoted(at, argv[i]);
        }
    }
    *at = '\0';
    return line;
}

static int find_verb(const char *word, enum gp_verb_id *out, struct gp_error *err)
{
    const char *known[GP_VERB_COUNT];
    size_t found = 0;

    for (unsigned i = 0; i < GP_VERB_COUNT; i++) {
        known[i] = gp_verb_table[i].name;
    }
    if (gp_scenario_find(word) != NULL) {
        return gp_fail(err, GP_EINVAL, "'%s' is a scenario: gpuprobe --scenario %s", word, word);
    }
    if (gp_value_word("verb", word, known, GP_VERB_COUNT, &found, err) != 0) {
        return GP_EINVAL;
    }
    *out = (enum gp_verb_id)found;
    return 0;
}

/* 'gpuprobe help' and 'gpuprobe help VERB'. */
static enum gp_exit help_on(int argc, char **argv)
{
    struct gp_error err = {0};
    enum gp_verb_id verb = GP_VERB_RUN;

    if (argc > 3) {
        (void)gp_fail(&err, GP_EINVAL, "help on one verb at a time: gpuprobe help VERB");
        return gp_cli_fail(&err);
    }
    if (argc == 3 && find_verb(argv[2], &verb, &err) != 0) {
        return gp_cli_fail(&err);
    }
    if (argc == 3) {
        gp_cli_help_verb(verb);
    } else {
        gp_cli_help();
    }
    return GP_EXIT_OK;
}

static enum gp_exit run_verb(struct gp_cli *cli, int argc, char **argv)
{
    struct gp_error err = {0};
    struct gp_options options;
    enum gp_verb_id verb = GP_VERB_RUN;
    bool named = argc > 1 && argv[1][0] != '-';
    int skip = named ? 2 : 1;

    if (argc < 2) {
        (void)fputs("gpuprobe: what shall it do? For example: gpuprobe --scenario batch\n"
                    "'gpuprobe --help' says what it can.\n",
                    stderr);
        return GP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "help") == 0) {
        return help_on(argc, argv);
    }
    if ((named && find_verb(argv[1], &verb, &err) != 0) ||
        gp_options_parse(verb, argc - skip, argv + skip, &options, &err) != 0) {
        return gp_cli_fail(&err);
    }
    if (options.help) {
        if (named) {
            gp_cli_help_verb(verb);
        } else {
            gp_cli_help();
        }
        return GP_EXIT_OK;
    }
    if (options.version) {
        puts("gpuprobe " GP_VERSION);
        return GP_EXIT_OK;
    }
    return gp_verb_table[verb].run(cli, &options);
}

/* Whether stdout is a pipe that nobody reads any more. */
static bool is_reader_gone(void)
{
    struct pollfd file = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&file, 1, 0) == 1 && (file.revents & POLLERR) != 0;
}

/* A result that did not reach its reader is a failure. A reader that went away (a pipe to head)
 * wants no message. */
static enum gp_exit close_output(enum gp_exit result)
{
    bool failed = ferror(stdout) != 0;
    bool gone = is_reader_gone();

    errno = 0;
    failed |= fclose(stdout) != 0;
    if (failed && !gone) {
        (void)fprintf(stderr, "gpuprobe: cannot write to standard output%s%s\n",
                      errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    }
    return failed && result == GP_EXIT_OK ? GP_EXIT_FAILED : result;
}

int gp_cli_main(int argc, char **argv)
{
    char *command_line;
    struct gp_cli cli;
    enum gp_exit result;

    open_standard_files();
    /* A write that fails is told like any other error. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    gp_terminal_init(&cli.terminal);
    command_line = join_command_line(argc, argv);
    cli.command_line = command_line;
    result = run_verb(&cli, argc, argv);
    gp_free(command_line);
    return (int)close_output(result);
}
