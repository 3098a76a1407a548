/* Kernels from files: see user_kernel.h. */
#include "scenarios/user_kernel.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "core/memory.h"

/* Of kernels whose file does not say. */
enum { REGISTERS_USUAL = 32 };

struct known_image {
    struct known_image *next;
    struct gp_image image;
    size_t count;
    char bytes[]; /* the file, and a NUL */
};

struct known_kernel {
    struct gp_kernel kernel; /* first: what a launch has is this one's */
    struct known_kernel *next;
    struct gp_kernel_arg args[GP_KERNEL_ARGS_MAX];
    uint32_t us;
    char symbol[]; /* also its name */
};

/* Reachable until the process ends: nothing tells when the last device that loaded one is closed.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known_image *images;
static struct known_kernel *kernels;

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    const struct known_kernel *known = (const struct known_kernel *)launch->kernel;

    out->spin_ns = UINT64_C(1000) * known->us;
}

/* A cubin or PTX, as the descriptor has them. */
static void describe(struct known_image *known, enum gp_image_kind kind)
{
    known->image.name = kind == GP_IMAGE_PTX ? "PTX" : "cubin";
    if (kind == GP_IMAGE_PTX) {
        known->image.ptx = known->bytes;
        known->image.ptx_bytes = known->count + 1;
    } else {
        known->image.fatbin = known->bytes;
        known->image.fatbin_bytes = known->count;
    }
}

static const struct gp_image *find_image(const struct gp_image_file *file)
{
    struct known_image *known = images;

    while (known != NULL && (known->count != file->byte_count ||
                             memcmp(known->bytes, file->bytes, known->count) != 0)) {
        known = known->next;
    }
    if (known == NULL) {
        known = gp_alloc(1, sizeof *known + file->byte_count + 1);
        if (known == NULL) {
            return NULL;
        }
        known->count = file->byte_count;
        memcpy(known->bytes, file->bytes, known->count);
        describe(known, file->kind);
        known->next = images;
        images = known;
    }
    return &known->image;
}

static enum gp_arg_kind kind_of(const struct gp_spec_arg *arg)
{
    return arg->buffer_bytes > 0 ? GP_ARG_ADDRESS : GP_ARG_VALUE;
}

static bool has_args(const struct known_kernel *known, const struct gp_launch_spec *spec)
{
    bool has = known->kernel.arg_count == spec->arg_count;

    for (uint32_t i = 0; has && i < spec->arg_count; i++) {
        has = known->args[i].kind == kind_of(&spec->args[i]) &&
              known->args[i].bytes == spec->args[i].bytes;
    }
    return has;
}

static struct known_kernel *create(const struct gp_image *image, const struct gp_image_entry *entry,
                                   const struct gp_launch_spec *spec, uint32_t us)
{
    struct known_kernel *known = gp_alloc(1, sizeof *known + strlen(entry->name) + 1);

    if (known == NULL) {
        return NULL;
    }
    memcpy(known->symbol, entry->name, strlen(entry->name) + 1);
    known->us = us;
    for (uint32_t i = 0; i < spec->arg_count; i++) {
        known->args[i] = (struct gp_kernel_arg){"", kind_of(&spec->args[i]), spec->args[i].bytes};
    }
    known->kernel = (struct gp_kernel){
        .name = known->symbol,
        .summary = "from a file",
        .symbol = known->symbol,
        .image = image,
        .args = known->args,
        .arg_count = spec->arg_count,
        .registers = entry->registers > 0 ? entry->registers : REGISTERS_USUAL,
        .shared_bytes = entry->shared_bytes,
        .work = work,
    };
    return known;
}

static const struct gp_kernel *find(const struct gp_image *image,
                                    const struct gp_image_entry *entry,
                                    const struct gp_launch_spec *spec, uint32_t us)
{
    struct known_kernel *known = kernels;

    while (known != NULL && (known->kernel.image != image || known->us != us ||
                             strcmp(known->symbol, entry->name) != 0 || !has_args(known, spec))) {
        known = known->next;
    }
    if (known == NULL) {
        known = create(image, entry, spec, us);
        if (known == NULL) {
            return NULL;
        }
        known->next = kernels;
        kernels = known;
    }
    return &known->kernel;
}

const struct gp_kernel *gp_user_kernel(const struct gp_image_file *file,
                                       const struct gp_image_entry *entry,
                                       const struct gp_launch_spec *spec, uint32_t us)
{
    const struct gp_kernel *kernel = NULL;
    const struct gp_image *image;

    (void)pthread_mutex_lock(&lock);
    image = find_image(file);
    if (image != NULL) {
        kernel = find(image, entry, spec, us);
    }
    (void)pthread_mutex_unlock(&lock);
    return kernel;
}
