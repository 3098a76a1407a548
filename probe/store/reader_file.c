/* Opens the file of a recording without ever changing it or its folder, but for what SQLite itself
 * keeps beside a log that is in use. See reader_internal.h. */
#include "probe/store/reader_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/memory.h"

enum {
    HEADER_BYTES = 100, /* https://sqlite.org/fileformat2.html, section 1.3 */
    COPY_BYTES = 1 << 16,
};

/* The bytes are big-endian. */
static uint32_t read_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static char *join(const char *path, const char *suffix)
{
    char *name = gp_xalloc(strlen(path) + strlen(suffix) + 1, 1);

    (void)sprintf(name, "%s%s", path, suffix);
    return name;
}

static bool exists(const char *path, const char *suffix)
{
    char *name = join(path, suffix);
    bool is_there = access(name, F_OK) == 0;

    gp_free(name);
    return is_there;
}

/* Says what the file is when it cannot be a database, before SQLite says it less clearly. With a
 * log beside it the header may be old, so that its page count says nothing. */
static int check_header(const char *path, bool has_log, struct gp_error *err)
{
    static const char magic[16] = "SQLite format 3";
    unsigned char header[HEADER_BYTES];
    long long page_bytes, pages;
    int64_t file_bytes;
    size_t got;
    int code = gp_db_file_head(path, header, sizeof header, &got, &file_bytes, err);

    if (code != 0) {
        return code;
    }
    if (got < sizeof magic || memcmp(header, magic, sizeof magic) != 0) {
        return gp_fail(err, GP_EFORMAT, "%s is not a recording: not a SQLite database", path);
    }
    if (got < HEADER_BYTES) {
        return gp_fail(err, GP_EFORMAT, "%s is truncated: it ends within its header", path);
    }
    page_bytes = (long long)header[16] << 8 | header[17];
    page_bytes = page_bytes == 1 ? 65536 : page_bytes;
    pages = read_u32(header + 28);
    if (!has_log && file_bytes < page_bytes * pages) {
        return gp_fail(err, GP_EFORMAT, "%s is truncated: %lld of %lld bytes are there", path,
                       (long long)file_bytes, page_bytes * pages);
    }
    return 0;
}

/* ---- a temporary copy ---------------------------------------------------------------------- */

static int copy_bytes(int from, int to)
{
    char *block = gp_xalloc(COPY_BYTES, 1);
    ssize_t got;

    while ((got = read(from, block, COPY_BYTES)) > 0) {
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(to, block + done, (size_t)(got - done));

            if (put < 0) {
                got = -1;
                break;
            }
            done += put;
        }
        if (got < 0) {
            break;
        }
    }
    gp_free(block);
    return got < 0 ? -1 : 0;
}

/* Copies path + suffix to copy + suffix; nothing to copy is fine. */
static int copy_file(const char *path, const char *copy, const char *suffix, struct gp_error *err)
{
    char *source = join(path, suffix);
    char *target = join(copy, suffix);
    int from = open(source, O_RDONLY | O_CLOEXEC);
    int to = -1;
    int code = 0;

    if (from < 0 && errno != ENOENT) {
        code = gp_fail(err, GP_EIO, "%s cannot be read: %s", source, strerror(errno));
    } else if (from >= 0) {
        to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (to < 0 || copy_bytes(from, to) != 0) {
            code = gp_fail(err, GP_EIO, "%s cannot be copied to %s: %s", source, target,
                           strerror(errno));
        }
        (void)close(from);
    }
    if (to >= 0) {
        (void)close(to);
    }
    gp_free(target);
    gp_free(source);
    return code;
}

static void remove_copy(const char *directory, const char *copy)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *name = join(copy, suffixes[i]);

        (void)unlink(name);
        gp_free(name);
    }
    (void)rmdir(directory);
}

/* A fresh private directory; the caller's text. */
static char *make_directory(struct gp_error *err)
{
    const char *parent = getenv("TMPDIR");
    char *directory =
        join(parent != NULL && parent[0] != '\0' ? parent : "/tmp", "/gpuprobe-??????");

    /* mkdtemp wants six letters X at the end. */
    memset(directory + strlen(directory) - 6, 'X', 6);
    if (mkdtemp(directory) == NULL) {
        (void)gp_fail(err, GP_EIO, "no temporary directory %s: %s", directory, strerror(errno));
        gp_free(directory);
        return NULL;
    }
    return directory;
}

/* Folds a copy's log into it and opens it; once open, nothing of it stays in the folder. */
static int open_copy(const char *path, struct gp_db *db, struct gp_error *err)
{
    char *directory = make_directory(err);
    char *copy;
    int code;

    if (directory == NULL) {
        return GP_EIO;
    }
    copy = join(directory, "/copy");
    code = copy_file(path, copy, "", err);
    if (code == 0) {
        code = copy_file(path, copy, "-wal", err);
    }
    if (code == 0) {
        code = copy_file(path, copy, "-journal", err);
    }
    if (code == 0) {
        code = gp_db_open(db, copy, path, GP_DB_WRITE, err);
    }
    if (code == 0) {
        code = gp_db_exec(db, "SELECT * FROM sqlite_schema; PRAGMA wal_checkpoint(TRUNCATE)", err);
        gp_db_close(db);
    }
    if (code == 0) {
        code = gp_db_open(db, copy, path, GP_DB_READ_IMMUTABLE, err);
    }
    if (code == 0) {
        code = gp_db_exec(db, "SELECT * FROM sqlite_schema", err);
    }
    remove_copy(directory, copy);
    gp_free(copy);
    gp_free(directory);
    return code;
}

/* ---- opening ------------------------------------------------------------------------------- */

int gp_reader_open_file(const char *path, struct gp_db *db, struct gp_error *err)
{
    bool has_log = exists(path, "-wal") || exists(path, "-journal");
    int code = check_header(path, has_log, err);

    if (code != 0) {
        return code;
    }
    code = gp_db_open(db, path, path, has_log ? GP_DB_READ : GP_DB_READ_IMMUTABLE, err);
    /* One snapshot for everything that is read; it is here that the file is touched first. */
    if (code == 0) {
        code = gp_db_exec(db, "BEGIN; SELECT * FROM sqlite_schema", err);
        if (code != 0) {
            gp_db_close(db);
        }
    }
    if (code == GP_EIO && has_log) {
        code = open_copy(path, db, err);
        if (code != 0) {
            gp_db_close(db);
        }
    }
    return code;
}
