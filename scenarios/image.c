/* Files of compiled kernels: see image.h. */
#include "scenarios/image.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "scenarios/image_parts.h"

struct gp_image_entry *gp_image_add(struct gp_image_file *file, const char *name, size_t length,
                                    struct gp_error *err)
{
    void *entries = file->entries;
    char *copy;

    if (file->entry_count == GP_IMAGE_ENTRIES_MAX || length >= GP_IMAGE_NAME_BYTES_MAX) {
        (void)gp_fail(err, GP_EPARSE,
                      "it has more than %d kernels, or one with a name of %zu bytes",
                      GP_IMAGE_ENTRIES_MAX, length);
        return NULL;
    }
    copy = gp_alloc(length + 1, 1);
    if (copy == NULL ||
        gp_realloc(&entries, file->entry_count, file->entry_count + 1, sizeof file->entries[0])) {
        gp_free(copy);
        (void)gp_fail(err, GP_ENOMEM, "out of host memory");
        return NULL;
    }
    memcpy(copy, name, length);
    file->entries = entries;
    file->entries[file->entry_count].name = copy;
    return &file->entries[file->entry_count++];
}

void gp_image_drop_last(struct gp_image_file *file)
{
    assert(file->entry_count > 0);
    file->entry_count--;
    gp_free(file->entries[file->entry_count].name);
    /* The next one is made in its place. */
    file->entries[file->entry_count] = (struct gp_image_entry){.name = NULL};
}

const struct gp_image_entry *gp_image_find(const struct gp_image_file *file, const char *name)
{
    for (uint32_t i = 0; i < file->entry_count; i++) {
        if (strcmp(file->entries[i].name, name) == 0) {
            return &file->entries[i];
        }
    }
    return NULL;
}

void gp_image_release(struct gp_image_file *file)
{
    for (uint32_t i = 0; i < file->entry_count; i++) {
        gp_free(file->entries[i].name);
    }
    gp_free(file->entries);
    gp_free(file->bytes);
    *file = (struct gp_image_file){.entry_count = 0};
}

static bool begins_with(const struct gp_image_file *file, const void *magic, size_t count)
{
    return file->byte_count >= count && memcmp(file->bytes, magic, count) == 0;
}

/* By the file's first bytes. */
static int read_kind(struct gp_image_file *file, struct gp_error *err)
{
    static const unsigned char magic_elf[] = {0x7f, 'E', 'L', 'F'};
    static const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};

    if (file->byte_count == 0) {
        return gp_fail(err, GP_EPARSE, "it is empty");
    }
    if (begins_with(file, fatbin, sizeof fatbin)) {
        return gp_fail(err, GP_EPARSE,
                       "it is a fatbin; give one of its parts, as written by nvcc -cubin or -ptx");
    }
    if (begins_with(file, magic_elf, sizeof magic_elf)) {
        file->kind = GP_IMAGE_CUBIN;
        return gp_image_read_cubin(file, err);
    }
    if (memchr(file->bytes, '\0', file->byte_count) != NULL) {
        return gp_fail(err, GP_EPARSE, "it is neither PTX text nor a cubin");
    }
    file->kind = GP_IMAGE_PTX;
    return gp_image_read_ptx(file, err);
}

/* What is in file->bytes. */
static int read_bytes(const char *name, struct gp_image_file *file, struct gp_error *err)
{
    struct gp_error own = {0};
    int code = read_kind(file, &own);

    if (code == 0 && file->entry_count == 0) {
        code = gp_fail(&own, GP_EPARSE, "it has no kernel");
    }
    if (code != 0) {
        return gp_fail(err, code, "'%.200s': %s", name, own.text);
    }
    return 0;
}

int gp_image_read(const char *name, const void *bytes, size_t count, struct gp_image_file *out,
                  struct gp_error *err)
{
    *out = (struct gp_image_file){.bytes = gp_alloc(count + 1, 1), .byte_count = count};
    if (out->bytes == NULL) {
        return gp_fail(err, GP_ENOMEM, "'%.200s': out of host memory", name);
    }
    if (count > 0) {
        memcpy(out->bytes, bytes, count);
    }
    return read_bytes(name, out, err);
}

/* 0 or an errno; at most what there was room for, so that a file that grows does no harm. */
static int read_all(int fd, char *out, size_t *count)
{
    size_t used = 0;

    while (used < *count) {
        ssize_t got = read(fd, out + used, *count - used);

        if (got < 0 && errno != EINTR) {
            return errno;
        }
        if (got == 0) {
            break;
        }
        used += got > 0 ? (size_t)got : 0;
    }
    *count = used;
    return 0;
}

static int load_from(int fd, const char *path, struct gp_image_file *out, struct gp_error *err)
{
    struct stat facts;
    int failure;

    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return gp_fail(err, GP_EIO, "'%.200s' is not a file", path);
    }
    if (facts.st_size > GP_IMAGE_FILE_BYTES_MAX) {
        return gp_fail(err, GP_EPARSE, "'%.200s' has %lld MiB, at most %d are read", path,
                       (long long)facts.st_size >> 20, GP_IMAGE_FILE_BYTES_MAX >> 20);
    }
    out->byte_count = (size_t)facts.st_size;
    out->bytes = gp_alloc(out->byte_count + 1, 1);
    if (out->bytes == NULL) {
        return gp_fail(err, GP_ENOMEM, "'%.200s': out of host memory", path);
    }
    failure = read_all(fd, out->bytes, &out->byte_count);
    if (failure != 0) {
        return gp_fail(err, GP_EIO, "'%.200s' cannot be read: %s", path, strerror(failure));
    }
    return read_bytes(path, out, err);
}

int gp_image_load(const char *path, struct gp_image_file *out, struct gp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int code;

    *out = (struct gp_image_file){.entry_count = 0};
    if (fd < 0) {
        return gp_fail(err, GP_EIO, "'%.200s' cannot be opened: %s", path, strerror(errno));
    }
    code = load_from(fd, path, out, err);
    (void)close(fd);
    return code;
}
