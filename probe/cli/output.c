/* Outputs: see output.h. */
#include "probe/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/store/place.h"

enum { NUMBER_MAX = 9999 };

int gp_output_choose(const char *stem, char out[GP_PATH_BYTES_MAX], struct gp_error *err)
{
    struct stat status;

    for (int number = 1; number <= NUMBER_MAX; number++) {
        (void)snprintf(out, GP_PATH_BYTES_MAX, "%s-%03d.gpuprobe", stem, number);
        if (lstat(out, &status) != 0) {
            return 0; /* the check that follows says when it is for another reason than absence */
        }
    }
    return gp_fail(err, GP_EEXISTS,
                   "%s-001.gpuprobe to %s-%d.gpuprobe are all there; name one: -o FILE", stem, stem,
                   NUMBER_MAX);
}

/* The directory that path is in, "." for a bare name. */
static void directory_of(const char *path, char out[GP_PATH_BYTES_MAX])
{
    const char *slash = strrchr(path, '/');
    int length = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);

    (void)snprintf(out, GP_PATH_BYTES_MAX, "%.*s", length, path);
    if (length == 0) {
        (void)snprintf(out, GP_PATH_BYTES_MAX, ".");
    }
}

/* There is something at path. */
static int check_replace(const char *path, const struct stat *status, bool force,
                         struct gp_error *err)
{
    char directory[GP_PATH_BYTES_MAX];

    if (S_ISDIR(status->st_mode)) {
        return gp_fail(err, GP_EEXISTS, "%s is a directory; name a file in it", path);
    }
    if (!S_ISREG(status->st_mode)) {
        return gp_fail(err, GP_EEXISTS, "%s is not a regular file", path);
    }
    if (!force) {
        return gp_fail(err, GP_EEXISTS, "%s is there already and is kept; --force replaces it",
                       path);
    }
    directory_of(path, directory);
    if (access(path, W_OK) != 0 || access(directory, W_OK | X_OK) != 0) {
        return gp_fail(err, GP_EIO, "%s cannot be replaced: %s", path, strerror(errno));
    }
    return gp_place_check(path, err);
}

int gp_output_check(const char *path, bool force, struct gp_error *err)
{
    char probe[GP_PATH_BYTES_MAX + 24];
    struct stat status;
    int file;

    if (strlen(path) >= GP_PATH_BYTES_MAX - sizeof "-journal") {
        return gp_fail(err, GP_EINVAL, "the output's path is longer than the system takes");
    }
    if (stat(path, &status) == 0) {
        return check_replace(path, &status, force, err);
    }
    /* Only making a file tells for sure (read-only mounts, quotas, names too long for the file
     * system). Its name is our own and about as long as the journal's: at `path` itself it would be
     * in the way of another instance that looks for a free name. */
    (void)snprintf(probe, sizeof probe, "%s.%ld", path, (long)getpid());
    file = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        return gp_fail(err, GP_EIO, "%s cannot be written: %s", path, strerror(errno));
    }
    (void)close(file);
    (void)unlink(probe);
    return 0;
}
