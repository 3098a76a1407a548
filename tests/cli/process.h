/*
 * Runs the real program as a user would, in a directory of its own, and keeps what it said.
 */
#ifndef GP_TESTS_CLI_PROCESS_H
#define GP_TESTS_CLI_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

enum process_stdout {
    PROCESS_CAPTURE,     /* into result.out */
    PROCESS_CLOSED,      /* no file 1 at all */
    PROCESS_FULL,        /* /dev/full */
    PROCESS_CLOSED_PIPE, /* a pipe whose reader has gone */
};

enum { PROCESS_ARGUMENTS_MAX = 24, PROCESS_TEXT_BYTES_MAX = 1 << 20 };

struct process {
    const char *arguments[PROCESS_ARGUMENTS_MAX]; /* after the program's name; NULL ends them */
    const char *environment[8];                   /* NAME=VALUE, beside a small fixed one */
    enum process_stdout output;
    /* Sent when this text has appeared on stderr; 0 none. */
    int signal;
    const char *signal_after;
    /* Filled: exit code, or 128 + signal. Texts are released by process_finish. */
    int status;
    char *out, *err;
};

/* Makes an empty working directory and enters it; removed by process_leave. For group set-up. */
int process_enter(void **state);
int process_leave(void **state);

void process_run(struct process *process);
void process_finish(struct process *process);

/* One call: runs the words (separated by single blanks), checks the exit code, and that each text
 * that is not NULL occurs in what was printed. A wrong one fails the test with all that was said.
 */
void process_expect(const char *words, int status, const char *in_out, const char *in_err);

/* Runs the words, which must end with exit code 0, and returns all of stdout; the caller's to free.
 */
char *process_output(const char *words);

/* Reads a file to memory (NUL-terminated); fails the test when it cannot. */
char *process_read(const char *path);

#endif
