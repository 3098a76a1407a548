/*
 * Nsight Systems' own report files (.nsys-rep, and .qdrep of old): only Nsight reads them, so its
 * `nsys export` makes a database of a copy elsewhere, which is imported. See import.h.
 */
#include "probe/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/import/scratch.h"
#include "probe/memory.h"

extern char **environ;

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);

    return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static bool is_mine(const char *path, const unsigned char *head, size_t count)
{
    (void)head;
    (void)count;
    /* Asked last: what is called so and is a database or JSON is that. */
    return ends_with(path, ".nsys-rep") || ends_with(path, ".qdrep");
}

/* Runs nsys with nothing to read and nowhere to write but `log`. Its wait status, or GP_E…. */
static int run(char *const *arguments, const char *log, int *status, struct gp_error *err)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int code;

    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)posix_spawn_file_actions_adddup2(&actions, 1, 2);
    code = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (code != 0) {
        return gp_fail(err, code == ENOENT ? GP_ENOTFOUND : GP_EIO, "%s", strerror(code));
    }
    while (waitpid(pid, status, 0) < 0) {
        if (errno != EINTR) {
            return gp_fail(err, GP_EIO, "nsys was lost: %s", strerror(errno));
        }
    }
    return 0;
}

/* The last line that says something; "" none. */
static void read_last_line(const char *path, char *out, int bytes)
{
    FILE *file = fopen(path, "r");
    char line[200];

    out[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[strspn(line, " \t")] != '\0') {
            (void)snprintf(out, (size_t)bytes, "%s", line);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

/* A name that no program takes for an option; the caller's. */
static char *make_plain(const char *path)
{
    char *plain = gp_xalloc(strlen(path) + 3, 1);

    (void)sprintf(plain, "%s%s", path[0] == '-' ? "./" : "", path);
    return plain;
}

static int export_to(const char *path, const char *database, const char *log, struct gp_error *err)
{
    char *source = make_plain(path);
    char *target = gp_xcopy(database);
    char program[] = "nsys", verb[] = "export", type[] = "--type", sqlite[] = "sqlite";
    char force[] = "--force-overwrite", yes[] = "true", output[] = "--output";
    char *const arguments[] = {program, verb,   type,   sqlite, force,
                               yes,     output, target, source, NULL};
    char line[200];
    int status = 0;
    int code = run(arguments, log, &status, err);

    if (code == GP_ENOTFOUND) {
        code = gp_fail(err, GP_EUNSUPPORTED,
                       "%s is read by Nsight Systems alone, and there is no nsys on the search "
                       "path: where it is, make a database of it with 'nsys export --type sqlite "
                       "%s' and give that",
                       path, path);
    } else if (code == 0 && (status != 0 || access(database, R_OK) != 0)) {
        read_last_line(log, line, sizeof line);
        code = gp_fail(err, GP_EFORMAT, "nsys export made no database of %s: %s", path,
                       line[0] != '\0' ? line : "it does not say why");
    }
    gp_free(source);
    gp_free(target);
    return code;
}

static int read_report(const char *path, struct gp_writer *writer, struct gp_import_counts *counts,
                       struct gp_error *err)
{
    struct gp_scratch database = {0}, log = {0};
    int code = gp_scratch_init(&database, "exported.sqlite", err);

    if (code == 0) {
        code = gp_scratch_init(&log, "log", err);
    }
    if (code == 0) {
        code = export_to(path, database.file, log.file, err);
    }
    if (code == 0) {
        code = gp_import_nsight.read(database.file, writer, counts, err);
    }
    gp_scratch_finish(&log);
    gp_scratch_finish(&database);
    return code;
}

const struct gp_import_ops gp_import_nsys_rep = {
    .name = "nsys-rep",
    .summary = "a report of Nsight Systems, through the nsys on the search path",
    .is_mine = is_mine,
    .read = read_report,
};
