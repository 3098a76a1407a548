/*
 * kernel: the user's own kernel, from a file of PTX or a cubin, many times over. Each launch has
 * buffers of its own, so that nothing but the GPU keeps them from running side by side; with
 * copies, each is a chain of uploads, kernel and downloads.
 *
 * What the kernel computes is not known, so that nothing is checked; a scenario of a shared object
 * (plugin.h) can have a reference.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "scenarios/image.h"
#include "scenarios/launch_spec.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"
#include "scenarios/user_kernel.h"
#include "scenarios/values.h"

enum { IMAGE, NAME, GRID, BLOCK, ARGS, SHARED, COUNT, COPIES, FILL, US };

enum { FILL_F32, FILL_U32, FILL_ZERO };

/* Each launch's part of a buffer begins at a multiple of this, as of memory by itself. */
enum { ALIGNMENT = 256 };

/* Of all launches together, on the model. */
enum { MODEL_BLOCKS_MAX = 1 << 26 };

static const char *const switch_words[] = {"off", "on", NULL};
static const char *const fill_words[] = {"f32", "u32", "zero", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "image", .summary = "the file: PTX text or a cubin", .kind = GP_PARAMETER_TEXT},
    {.name = "name",
     .summary = "the kernel's name in it; not needed when it has one only",
     .kind = GP_PARAMETER_TEXT},
    {.name = "grid", .summary = "blocks: X, XxY or XxYxZ", .kind = GP_PARAMETER_TEXT},
    {.name = "block", .summary = "threads of a block: X, XxY or XxYxZ", .kind = GP_PARAMETER_TEXT},
    {.name = "args",
     .summary = "one for each parameter: in:, out: or inout:BYTES, u32:N, f32:X, …",
     .kind = GP_PARAMETER_TEXT},
    {.name = "shared",
     .summary = "bytes of dynamic shared memory of a block",
     .initial = 0,
     .min = 0,
     .max = 49152},
    {.name = "count", .summary = "launches", .initial = 64, .min = 1, .max = 65536},
    {.name = "copies",
     .summary = "upload what each launch reads, and download what it writes",
     .kind = GP_PARAMETER_WORD,
     .words = switch_words},
    {.name = "fill",
     .summary = "what is in buffers that are read: whole numbers from 0 to 15, as floats or not",
     .kind = GP_PARAMETER_WORD,
     .words = fill_words},
    {.name = "us",
     .summary = "length of a block in us on the model, which does not run the code",
     .initial = 20,
     .min = 1,
     .max = 1000000},
    {.name = NULL},
};

static const uint32_t streams[] = {1, 2, 4, 8, 16, 32, 0};

/* An argument's buffers, each of `count` parts; NULL: not needed. */
struct argument {
    uint64_t part_bytes;
    struct gp_buffer *device;
    struct gp_buffer *from; /* what the device's has before a run */
    struct gp_buffer *to;
};

struct launches {
    struct gp_launch_spec spec;
    const struct gp_kernel *kernel;
    struct argument arguments[GP_KERNEL_ARGS_MAX];
};

/* ---- what was asked for -------------------------------------------------------------------- */

static const char *text_of(const int64_t *values, int index)
{
    return gp_parameter_text(values[index]);
}

static int read_spec(const int64_t *values, struct gp_launch_spec *out, struct gp_error *err)
{
    return gp_launch_spec_read("kernel", text_of(values, GRID), text_of(values, BLOCK),
                               text_of(values, ARGS), out, err);
}

/* "'scale', 'other'", as many as there is room for. */
static void list_names(const struct gp_image_file *file, char *out, size_t bytes)
{
    size_t used = 0;

    assert(file->entries != NULL);
    for (uint32_t i = 0; i < file->entry_count && used < bytes; i++) {
        used += (size_t)snprintf(out + used, bytes - used, "%s'%s'", i > 0 ? ", " : "",
                                 file->entries[i].name);
    }
}

static int choose_entry(const struct gp_image_file *file, const char *path, const char *name,
                        const struct gp_image_entry **out, struct gp_error *err)
{
    char names[200];

    *out =
        name[0] == '\0' && file->entry_count == 1 ? &file->entries[0] : gp_image_find(file, name);
    if (*out != NULL) {
        return 0;
    }
    list_names(file, names, sizeof names);
    return name[0] == '\0'
               ? gp_fail(err, GP_EINVAL,
                         "kernel: name is missing: '%.100s' has more than one kernel: %s", path,
                         names)
               : gp_fail(err, GP_EINVAL, "kernel: '%.100s' has no kernel '%.80s'; it has %s", path,
                         name, names);
}

static int fail_count(const struct gp_image_entry *entry, const struct gp_launch_spec *spec,
                      struct gp_error *err)
{
    char sizes[160] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < entry->arg_count && i < GP_KERNEL_ARGS_MAX && used < sizeof sizes;
         i++) {
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%u", i > 0 ? ", " : " of ",
                                 entry->arg_bytes[i]);
    }
    return gp_fail(err, GP_EINVAL, "kernel: args has %u, '%.100s' takes %u%s%s", spec->arg_count,
                   entry->name, entry->arg_count, sizes, entry->arg_count > 0 ? " bytes" : "");
}

static int check_args(const struct gp_image_entry *entry, const struct gp_launch_spec *spec,
                      const char *args, struct gp_error *err)
{
    assert(entry != NULL);
    if (entry->arg_count > GP_KERNEL_ARGS_MAX) {
        return gp_fail(err, GP_EINVAL,
                       "kernel: '%.100s' takes %u arguments, at most %d can be given", entry->name,
                       entry->arg_count, GP_KERNEL_ARGS_MAX);
    }
    if (entry->arg_count != spec->arg_count) {
        return fail_count(entry, spec, err);
    }
    for (uint32_t i = 0; i < spec->arg_count; i++) {
        if (spec->args[i].bytes != entry->arg_bytes[i]) {
            char word[64];

            gp_launch_spec_word(args, i, word);
            return gp_fail(err, GP_EINVAL,
                           "kernel: args: '%s' has %u bytes, argument %u of '%.100s' has %u", word,
                           spec->args[i].bytes, i + 1, entry->name, entry->arg_bytes[i]);
        }
    }
    return 0;
}

/* Machine code is for GPUs of its own major version that are no older, PTX for all that are no
 * older (CUDA Programming Guide, compatibility). The model runs neither. */
static int check_architecture(const struct gp_device_info *info, const struct gp_image_file *file,
                              const char *path, struct gp_error *err)
{
    uint32_t major = (uint32_t)info->compute_major;
    uint32_t sm = major * 10 + (uint32_t)info->compute_minor;

    if (info->kind != GP_DEVICE_CUDA ||
        (file->sm <= sm && (file->kind == GP_IMAGE_PTX || file->sm / 10 == major))) {
        return 0;
    }
    return gp_fail(err, GP_EINVAL, "kernel: '%.200s' was compiled for sm_%u, %.60s is sm_%u: %s",
                   path, file->sm, info->name, sm,
                   file->kind == GP_IMAGE_PTX ? "compile it for that or an older one"
                                              : "compile it for that (nvcc -cubin -arch=…)");
}

/* A file that the user named is an argument: whatever is wrong with it is GP_EINVAL. */
static int fail_image(int code, struct gp_error *err)
{
    (void)gp_fail_context(err, "kernel: image");
    if (code != GP_ENOMEM) {
        err->code = GP_EINVAL;
    }
    return err->code;
}

/* Reads the file and finds the kernel in it, which is as the values say. Release *file in any
 * case. */
static int find_kernel(const struct gp_device_info *info, const int64_t *values,
                       const struct gp_launch_spec *spec, struct gp_image_file *file,
                       const struct gp_image_entry **entry, struct gp_error *err)
{
    const char *path = text_of(values, IMAGE);
    int code;

    *file = (struct gp_image_file){.entry_count = 0};
    if (path[0] == '\0') {
        return gp_fail(err, GP_EINVAL,
                       "kernel: image is missing: --set image=FILE, PTX or a cubin");
    }
    code = gp_image_load(path, file, err);
    if (code != 0) {
        return fail_image(code, err);
    }
    code = choose_entry(file, path, text_of(values, NAME), entry, err);
    code = code == 0 ? check_args(*entry, spec, text_of(values, ARGS), err) : code;
    return code == 0 ? check_architecture(info, file, path, err) : code;
}

/* The model plays every block, of which a GPU does millions in the time of one. */
static int check_blocks(const struct gp_device_info *info, const struct gp_launch_spec *spec,
                        int64_t count, struct gp_error *err)
{
    uint64_t blocks = (uint64_t)spec->grid[0] * spec->grid[1] * spec->grid[2];
    uint64_t most = MODEL_BLOCKS_MAX / (uint64_t)count;

    if (info->kind != GP_DEVICE_MODEL || blocks <= most) {
        return 0;
    }
    return gp_fail(err, GP_EINVAL,
                   "kernel: grid has %llu blocks, allowed on the model are 1 to %llu with count=%d",
                   (unsigned long long)blocks, (unsigned long long)most, (int)count);
}

static int check(const struct gp_device_info *info, const int64_t *values, struct gp_error *err)
{
    const struct gp_image_entry *entry = NULL;
    struct gp_launch_spec spec = {.arg_count = 0};
    struct gp_image_file file = {.entry_count = 0};
    int code = text_of(values, IMAGE)[0] != '\0' ? read_spec(values, &spec, err) : 0;

    code = code == 0 ? check_blocks(info, &spec, values[COUNT], err) : code;
    code = code == 0 ? find_kernel(info, values, &spec, &file, &entry, err) : code;
    gp_image_release(&file);
    return code;
}

static uint64_t part_bytes(const struct gp_spec_arg *arg)
{
    return (arg->buffer_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Values that are not allowed take nothing: check has refused them. */
static uint64_t device_bytes(const int64_t *values)
{
    struct gp_launch_spec spec = {.arg_count = 0};
    struct gp_error err = {0};
    uint64_t bytes = 0;

    if (read_spec(values, &spec, &err) != 0) {
        return 0;
    }
    for (uint32_t i = 0; i < spec.arg_count; i++) {
        bytes += (uint64_t)values[COUNT] * part_bytes(&spec.args[i]);
    }
    return bytes;
}

/* ---- buffers ------------------------------------------------------------------------------- */

static int create_buffers(struct gp_workload *workload, uint32_t index, struct gp_error *err)
{
    struct launches *launches = workload->state;
    const struct gp_spec_arg *spec = &launches->spec.args[index];
    struct argument *argument = &launches->arguments[index];
    bool copies = workload->values[COPIES] != 0;
    uint64_t bytes = (uint64_t)workload->values[COUNT] * part_bytes(spec);
    enum gp_space host = copies ? GP_SPACE_PINNED : GP_SPACE_PAGEABLE;
    const struct {
        struct gp_buffer **out;
        bool is_needed;
        const char *kind;
        enum gp_space space;
    } wanted[] = {
        {&argument->device, true, "arg", GP_SPACE_DEVICE},
        {&argument->from, gp_spec_reads(spec) != 0, "from", host},
        {&argument->to, copies && gp_spec_writes(spec) != 0, "to", host},
    };
    enum { COUNT_WANTED = sizeof wanted / sizeof wanted[0] };
    int code = 0;

    argument->part_bytes = part_bytes(spec);
    for (uint32_t i = 0; i < COUNT_WANTED && code == 0; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "%s %u", wanted[i].kind, index + 1);
        if (wanted[i].is_needed) {
            code = gp_buffer_create(workload->device, wanted[i].space, bytes,
                                    index * COUNT_WANTED + i, name, wanted[i].out, err);
        }
    }
    return code;
}

static void fill(const struct gp_buffer *buffer, int64_t how, struct gp_random *random)
{
    enum { LIMIT = 16 };
    size_t count = buffer->bytes / sizeof(uint32_t);
    void *host = gp_buffer_host(buffer);
    uint32_t *words = host;

    if (how == FILL_F32) {
        gp_values_draw(host, count, random, 0, LIMIT - 1);
    } else {
        for (size_t i = 0; i < count; i++) {
            words[i] = how == FILL_U32 ? (uint32_t)gp_random_below(random, LIMIT) : 0;
        }
    }
}

/* As they are before a run: what is read as it was drawn, what is only written zeroed. */
static int set_up_data(struct gp_workload *workload, const struct argument *argument,
                       struct gp_error *err)
{
    int code = argument->from != NULL
                   ? gp_buffer_write(argument->device, workload->stream, 0,
                                     gp_buffer_host(argument->from), argument->from->bytes, err)
                   : gp_buffer_fill(argument->device, workload->stream, 0, err);

    return code == 0 && argument->to != NULL
               ? gp_buffer_fill(argument->to, workload->stream, 0, err)
               : code;
}

/* ---- operations ---------------------------------------------------------------------------- */

struct making {
    const struct launches *launches;
    struct gp_builder *builder;
    uint32_t index; /* of the launch */
};

static struct gp_op *make_kernel(const struct making *making, uint32_t shared_bytes)
{
    const struct launches *launches = making->launches;
    const struct gp_launch_spec *spec = &launches->spec;
    const void *values[GP_KERNEL_ARGS_MAX];
    gp_addr addresses[GP_KERNEL_ARGS_MAX];
    struct gp_access accesses[GP_KERNEL_ARGS_MAX];
    struct gp_launch launch = {.kernel = launches->kernel,
                               .shared_bytes = shared_bytes,
                               .args = values,
                               .accesses = accesses};

    memcpy(launch.grid, spec->grid, sizeof launch.grid);
    memcpy(launch.block, spec->block, sizeof launch.block);
    for (uint32_t i = 0; i < spec->arg_count; i++) {
        const struct gp_spec_arg *arg = &spec->args[i];
        const struct argument *argument = &launches->arguments[i];
        uint64_t at = making->index * argument->part_bytes;
        enum gp_access_mode mode = arg->kind == GP_SPEC_IN    ? GP_ACCESS_READ
                                   : arg->kind == GP_SPEC_OUT ? GP_ACCESS_WRITE
                                                              : GP_ACCESS_READ_WRITE;

        values[i] = arg->value;
        if (arg->buffer_bytes > 0) {
            addresses[i] = argument->device->address + at;
            values[i] = &addresses[i];
            accesses[launch.access_count++] =
                (struct gp_access){argument->device, at, arg->buffer_bytes, mode};
        }
    }
    return gp_op_kernel(making->builder, NULL, &launch);
}

/* The copies of all arguments in one direction; NULL: none. */
static struct gp_op *make_copies(const struct making *making, bool up)
{
    const struct launches *launches = making->launches;
    struct gp_op *arms[GP_KERNEL_ARGS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < launches->spec.arg_count; i++) {
        const struct argument *argument = &launches->arguments[i];
        uint64_t bytes = launches->spec.args[i].buffer_bytes;
        uint64_t at = making->index * argument->part_bytes;

        if (up && argument->from != NULL) {
            arms[count++] =
                gp_op_copy(making->builder, "up", argument->device, at, argument->from, at, bytes);
        } else if (!up && argument->to != NULL) {
            arms[count++] =
                gp_op_copy(making->builder, "down", argument->to, at, argument->device, at, bytes);
        }
    }
    return count > 0 ? gp_op_zip(making->builder, arms, count) : NULL;
}

static struct gp_op *make_chain(const struct making *making, const struct gp_workload *workload)
{
    struct gp_op *all = make_kernel(making, (uint32_t)workload->values[SHARED]);

    if (workload->values[COPIES] != 0) {
        struct gp_op *up = make_copies(making, true);
        struct gp_op *down = make_copies(making, false);

        all = up != NULL ? gp_op_and_then(making->builder, up, all) : all;
        all = down != NULL ? gp_op_and_then(making->builder, all, down) : all;
    }
    return all;
}

static int build(struct gp_workload *workload, struct gp_error *err)
{
    struct making making = {.launches = workload->state};
    uint32_t count = (uint32_t)workload->values[COUNT];
    struct gp_op **chains = gp_alloc(count, sizeof(struct gp_op *));
    int code;

    if (chains == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    code = gp_builder_create(&making.builder, err);
    if (code == 0) {
        for (; making.index < count; making.index++) {
            chains[making.index] = make_chain(&making, workload);
        }
        code = gp_dag_freeze(making.builder, gp_op_zip(making.builder, chains, count),
                             &workload->dag, err);
    }
    gp_builder_destroy(making.builder);
    gp_free((void *)chains);
    return code;
}

/* ---- the scenario -------------------------------------------------------------------------- */

static int make_descriptor(struct gp_workload *workload, struct gp_error *err)
{
    struct launches *launches = workload->state;
    const struct gp_image_entry *entry = NULL;
    struct gp_image_file file;
    int code =
        find_kernel(&workload->device->info, workload->values, &launches->spec, &file, &entry, err);

    if (code == 0) {
        launches->kernel =
            gp_user_kernel(&file, entry, &launches->spec, (uint32_t)workload->values[US]);
        code = launches->kernel != NULL ? 0 : gp_setup_fail_memory(workload, err);
    }
    gp_image_release(&file);
    return code;
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct launches *launches = gp_setup_state(workload, sizeof *launches, err);
    struct gp_random random = {workload->seed};
    int code;

    if (launches == NULL) {
        return err->code;
    }
    code = read_spec(workload->values, &launches->spec, err);
    code = code == 0 ? make_descriptor(workload, err) : code;
    for (uint32_t i = 0; code == 0 && i < launches->spec.arg_count; i++) {
        if (launches->spec.args[i].buffer_bytes > 0) {
            code = create_buffers(workload, i, err);
        }
        if (code == 0 && launches->arguments[i].from != NULL) {
            fill(launches->arguments[i].from, workload->values[FILL], &random);
        }
        if (code == 0 && launches->arguments[i].device != NULL) {
            code = set_up_data(workload, &launches->arguments[i], err);
        }
    }
    return code == 0 ? build(workload, err) : code;
}

static int reset(struct gp_workload *workload, struct gp_error *err)
{
    const struct launches *launches = workload->state;
    int code = 0;

    for (uint32_t i = 0; code == 0 && i < launches->spec.arg_count; i++) {
        if (gp_spec_writes(&launches->spec.args[i])) {
            code = set_up_data(workload, &launches->arguments[i], err);
        }
    }
    return code;
}

static void teardown(struct gp_workload *workload)
{
    struct launches *launches = workload->state;

    for (uint32_t i = 0; launches != NULL && i < GP_KERNEL_ARGS_MAX; i++) {
        gp_buffer_destroy(launches->arguments[i].device);
        gp_buffer_destroy(launches->arguments[i].from);
        gp_buffer_destroy(launches->arguments[i].to);
    }
    gp_free(launches);
}

const struct gp_scenario_ops gp_scenario_kernel = {
    .name = "kernel",
    .summary = "a kernel of your own, from PTX or a cubin, many times over",
    .expect = "Streams help while a launch leaves SMs free: as long as the blocks of all that run "
              "fit on the GPU, and no longer than the host takes to launch them. With copies, also "
              "while either copy engine has time left.",
    .parameters = parameters,
    .streams = streams,
    .flags = GP_SCENARIO_NEEDS_FILE,
    .bytes = device_bytes,
    .check = check,
    .setup = setup,
    .reset = reset,
    .teardown = teardown,
};
