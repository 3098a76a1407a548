/*
 * What a file of compiled kernels holds, read without a GPU: the names of its kernels, the bytes of
 * their parameters and what they take of an SM. A file is PTX text or a cubin. Private to
 * scenarios/.
 *
 * Sources: PTX ISA 9.0 (directives .target, .entry, .param); for cubins, which are ELF files, no
 * document describes the sections: read off what nvcc 13.0 writes for sm_90, and checked against
 * each other, so that what is not understood is refused and not guessed.
 */
#ifndef GP_SCENARIOS_IMAGE_H
#define GP_SCENARIOS_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/limits.h"

enum gp_image_kind { GP_IMAGE_PTX, GP_IMAGE_CUBIN };

enum {
    GP_IMAGE_FILE_BYTES_MAX = 64 << 20,
    GP_IMAGE_ENTRIES_MAX = 4096,
    GP_IMAGE_NAME_BYTES_MAX = 1024, /* of a kernel, with its NUL */
};

/* One kernel. */
struct gp_image_entry {
    char *name;
    uint32_t arg_count; /* more than GP_KERNEL_ARGS_MAX: only the first are in arg_bytes */
    uint32_t arg_bytes[GP_KERNEL_ARGS_MAX];
    uint32_t registers;    /* per thread; 0: not known */
    uint32_t shared_bytes; /* static, per block */
};

struct gp_image_file {
    enum gp_image_kind kind;
    uint32_t sm; /* 90 for sm_90: what it was compiled for */
    struct gp_image_entry *entries;
    uint32_t entry_count;
    char *bytes; /* the file, and a NUL after it */
    size_t byte_count;
};

/* Reads a file. Release *out in any case. GP_EIO, GP_EPARSE: the text says what is wrong with which
 * file; GP_ENOMEM. */
int gp_image_load(const char *path, struct gp_image_file *out, struct gp_error *err);

/* The same of `count` bytes, which are copied; `name` is for messages. */
int gp_image_read(const char *name, const void *bytes, size_t count, struct gp_image_file *out,
                  struct gp_error *err);

/* Frees what load or read made; a zeroed one has nothing. */
void gp_image_release(struct gp_image_file *file);

/* NULL when there is none of that name. */
const struct gp_image_entry *gp_image_find(const struct gp_image_file *file, const char *name);

#endif
