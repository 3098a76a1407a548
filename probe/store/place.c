/* Who may write a recording: see place.h. */
#define _GNU_SOURCE /* locks of open files, which closing another descriptor does not give up */
#include "probe/store/place.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/memory.h"

/* One byte beyond those that SQLite locks, which are 512 from 2^30 on. */
static struct flock held_byte(void)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (1 << 30) + 1024, .l_len = 1};
}

static int fail_held(const char *path, struct gp_error *err)
{
    return gp_fail(err, GP_EEXISTS,
                   "%s is being written by another process; choose another file, or wait", path);
}

int gp_place_check(const char *path, struct gp_error *err)
{
    struct flock lock = held_byte();
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_held;

    if (file < 0) {
        return 0;
    }
    is_held = fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    (void)close(file);
    return is_held ? fail_held(path, err) : 0;
}

/* A file system without locks has none to offer, and is no error. */
static int hold_file(const char *path, int file, struct gp_error *err)
{
    struct flock lock = held_byte();

    return fcntl(file, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)
               ? fail_held(path, err)
               : 0;
}

static void remove_beside(const char *path, const char *suffix)
{
    char *name = gp_xalloc(strlen(path) + strlen(suffix) + 1, 1);

    (void)sprintf(name, "%s%s", path, suffix);
    (void)unlink(name);
    gp_free(name);
}

static int remove_old(const char *path, const struct stat *info, bool force, struct gp_error *err)
{
    int code;

    if (!force) {
        return gp_fail(err, GP_EEXISTS,
                       "%s exists already; choose another file or replace it with --force", path);
    }
    if (!S_ISREG(info->st_mode) && !S_ISLNK(info->st_mode)) {
        return gp_fail(err, GP_EIO, "%s is not a file and is not replaced", path);
    }
    code = gp_place_check(path, err);
    if (code == 0 && unlink(path) != 0) {
        code = gp_fail(err, GP_EIO, "%s cannot be replaced: %s", path, strerror(errno));
    }
    return code;
}

int gp_place_claim(const char *path, bool force, int *hold, struct gp_error *err)
{
    struct stat info;
    int file;
    int code = lstat(path, &info) == 0 ? remove_old(path, &info, force, err) : 0;

    assert(hold != NULL);
    if (code != 0) {
        return code;
    }
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        return gp_fail(err, errno == EEXIST ? GP_EEXISTS : GP_EIO, "%s cannot be written: %s", path,
                       strerror(errno));
    }
    code = hold_file(path, file, err);
    if (code != 0) {
        (void)close(file);
        return code;
    }
    /* What an older file of this name left behind must not be taken for this one's log. */
    remove_beside(path, "-wal");
    remove_beside(path, "-shm");
    remove_beside(path, "-journal");
    *hold = file;
    return 0;
}

int gp_place_hold(const char *path, int *hold, struct gp_error *err)
{
    int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    int code = file >= 0 ? hold_file(path, file, err) : 0;

    assert(hold != NULL);
    if (code != 0) {
        (void)close(file);
        file = -1;
    }
    *hold = file;
    return code;
}

void gp_place_leave(int hold)
{
    if (hold >= 0) {
        (void)close(hold);
    }
}
