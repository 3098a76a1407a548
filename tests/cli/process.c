/* Running the program: see process.h. */
#include "test.h"

#include "cli/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const fixed_environment[] = {"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin",
                                                "TERM=xterm"};

enum { WORDS_BYTES_MAX = 1024 };
enum { FIXED_COUNT = sizeof fixed_environment / sizeof fixed_environment[0] };

static char directory[4096];

int process_enter(void **state)
{
    (void)state;
    (void)snprintf(directory, sizeof directory, "%s/cli-%ld", GP_TEST_DIRECTORY, (long)getpid());
    return mkdir(directory, 0700) != 0 || chdir(directory) != 0 ? -1 : 0;
}

/* The tests make files, and directories that are empty when they end. */
int process_leave(void **state)
{
    DIR *entries = opendir(directory);
    struct dirent *entry;

    (void)state;
    if (entries == NULL) {
        return -1;
    }
    while ((entry = readdir(entries)) != NULL) {
        (void)remove(entry->d_name);
    }
    (void)closedir(entries);
    return chdir("/") != 0 || rmdir(directory) != 0 ? -1 : 0;
}

/* In the child: its files. */
static void redirect(const struct process *process, int out, int err)
{
    switch (process->output) {
    case PROCESS_CLOSED:
        (void)close(STDOUT_FILENO);
        break;
    case PROCESS_FULL:
        (void)dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
        break;
    default:
        (void)dup2(out, STDOUT_FILENO);
    }
    (void)dup2(err, STDERR_FILENO);
}

static void execute(const struct process *process)
{
    char *arguments[PROCESS_ARGUMENTS_MAX + 2] = {(char *)GP_TEST_PROGRAM};
    char *environment[FIXED_COUNT + 16] = {0};
    size_t count = 0;

    for (size_t i = 0; i < PROCESS_ARGUMENTS_MAX && process->arguments[i] != NULL; i++) {
        arguments[i + 1] = (char *)process->arguments[i];
    }
    /* The first of two values of a name is the one that counts. */
    for (size_t i = 0; i < 8 && process->environment[i] != NULL; i++) {
        environment[count++] = (char *)process->environment[i];
    }
    for (size_t i = 0; i < FIXED_COUNT; i++) {
        environment[count++] = (char *)fixed_environment[i];
    }
    (void)execve(GP_TEST_PROGRAM, arguments, environment);
    _exit(126);
}

struct pipe_text {
    int file; /* -1 at its end */
    char *text;
    size_t length;
};

static void take(struct pipe_text *from)
{
    ssize_t count =
        read(from->file, from->text + from->length, PROCESS_TEXT_BYTES_MAX - 1 - from->length);

    if (count <= 0) {
        (void)close(from->file);
        from->file = -1;
        return;
    }
    from->length += (size_t)count;
    assert_true(from->length < PROCESS_TEXT_BYTES_MAX - 1);
}

/* Reads both pipes to their ends. The signal goes out when its text has been seen. */
static void listen_to(struct process *process, pid_t child, struct pipe_text *texts)
{
    while (texts[0].file >= 0 || texts[1].file >= 0) {
        struct pollfd files[2] = {{.fd = texts[0].file, .events = POLLIN},
                                  {.fd = texts[1].file, .events = POLLIN}};

        assert_true(poll(files, 2, -1) > 0);
        for (int i = 0; i < 2; i++) {
            if (texts[i].file >= 0 && files[i].revents != 0) {
                take(&texts[i]);
            }
        }
        if (process->signal != 0 && strstr(texts[1].text, process->signal_after) != NULL) {
            (void)kill(child, process->signal);
            process->signal = 0;
        }
    }
}

void process_run(struct process *process)
{
    int out[2];
    int err[2];
    int status = 0;
    pid_t child;
    struct pipe_text texts[2];

    process->out = calloc(PROCESS_TEXT_BYTES_MAX, 1);
    process->err = calloc(PROCESS_TEXT_BYTES_MAX, 1);
    assert_non_null(process->out);
    assert_non_null(process->err);
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(err), 0);
    if (process->output == PROCESS_CLOSED_PIPE) {
        (void)close(out[0]); /* before there is a child, which may be faster than we are */
        out[0] = -1;
    }
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)close(out[0]);
        (void)close(err[0]);
        redirect(process, out[1], err[1]);
        (void)close(out[1]);
        (void)close(err[1]);
        execute(process);
    }
    (void)close(out[1]);
    (void)close(err[1]);
    texts[0] = (struct pipe_text){.file = out[0], .text = process->out};
    texts[1] = (struct pipe_text){.file = err[0], .text = process->err};
    listen_to(process, child, texts);
    assert_int_equal(waitpid(child, &status, 0), child);
    process->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void process_finish(struct process *process)
{
    free(process->out);
    free(process->err);
}

static void split(const char *words, char *copy, size_t bytes, struct process *process)
{
    size_t count = 0;
    char *rest = NULL;

    assert_true(strlen(words) < bytes);
    (void)snprintf(copy, bytes, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        assert_true(count < PROCESS_ARGUMENTS_MAX - 1);
        process->arguments[count++] = word;
    }
}

void process_expect(const char *words, int status, const char *in_out, const char *in_err)
{
    struct process process = {0};
    char copy[WORDS_BYTES_MAX];

    split(words, copy, sizeof copy, &process);
    process_run(&process);
    if (process.status != status || (in_out != NULL && strstr(process.out, in_out) == NULL) ||
        (in_err != NULL && strstr(process.err, in_err) == NULL)) {
        fail_msg(
            "gpuprobe %s\nexit %d, expected %d with '%s' and '%s'\n--- stdout\n%s--- stderr\n%s",
            words, process.status, status, in_out != NULL ? in_out : "",
            in_err != NULL ? in_err : "", process.out, process.err);
    }
    process_finish(&process);
}

char *process_output(const char *words)
{
    struct process process = {0};
    char copy[WORDS_BYTES_MAX];

    split(words, copy, sizeof copy, &process);
    process_run(&process);
    if (process.status != 0) {
        fail_msg("gpuprobe %s\nexit %d\n%s", words, process.status, process.err);
    }
    free(process.err);
    return process.out;
}

char *process_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(PROCESS_TEXT_BYTES_MAX, 1);

    assert_non_null(text);
    if (file == NULL) {
        fail_msg("%s: %s", path, strerror(errno));
    }
    (void)fread(text, 1, PROCESS_TEXT_BYTES_MAX - 1, file);
    (void)fclose(file);
    return text;
}
