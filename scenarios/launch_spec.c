/* Launches in words: see launch_spec.h. */
#include "scenarios/launch_spec.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "scenarios/parameter.h"

enum { ITEM_BYTES = 64 };

static const char *const kind_words[] = {
#define X(name, word) word,
    GP_SPEC_ARGS(X)
#undef X
};

/* ---- grid and block ------------------------------------------------------------------------ */

struct axes {
    const char *name;
    int64_t max[3];
};

/* The product is checked by the caller. */
static int read_axes(const char *owner, const struct axes *axes, const char *text, uint32_t out[3],
                     struct gp_error *err)
{
    char item[ITEM_BYTES];
    int count = 0;

    if (text[0] == '\0') {
        return gp_fail(err, GP_EINVAL,
                       "%s: %s is missing: --set %s=X, =XxY or =XxYxZ, up to %lldx%lldx%lld", owner,
                       axes->name, axes->name, (long long)axes->max[0], (long long)axes->max[1],
                       (long long)axes->max[2]);
    }
    for (const char *at = text; at != NULL; count++) {
        size_t length = strcspn(at, "x");
        char name[ITEM_BYTES];
        struct gp_parameter axis = {.name = name, .min = 1};
        int64_t value = 1;

        if (count == 3 || length >= sizeof item) {
            return gp_fail(err, GP_EINVAL,
                           "%s: %s is '%.60s', allowed are up to three numbers: "
                           "X, XxY or XxYxZ",
                           owner, axes->name, text);
        }
        memcpy(item, at, length);
        item[length] = '\0';
        (void)snprintf(name, sizeof name, "%s '%.30s'", axes->name, text);
        axis.max = axes->max[count];
        if (gp_parameter_read(owner, &axis, item, &value, err) != 0) {
            return err->code;
        }
        out[count] = (uint32_t)value;
        at = at[length] == 'x' ? at + length + 1 : NULL;
    }
    return 0;
}

static int read_shape(const char *owner, const char *grid, const char *block,
                      struct gp_launch_spec *out, struct gp_error *err)
{
    static const struct axes of_grid = {"grid", {INT32_MAX, 65535, 65535}};
    static const struct axes of_block = {"block", {1024, 1024, 64}};
    uint32_t threads;

    for (int i = 0; i < 3; i++) {
        out->grid[i] = 1;
        out->block[i] = 1;
    }
    if (read_axes(owner, &of_grid, grid, out->grid, err) != 0 ||
        read_axes(owner, &of_block, block, out->block, err) != 0) {
        return err->code;
    }
    threads = out->block[0] * out->block[1] * out->block[2];
    return threads <= 1024
               ? 0
               : gp_fail(err, GP_EINVAL, "%s: block '%.30s' has %u threads, allowed are 1 to 1024",
                         owner, block, threads);
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* An argument being read: "KIND:text". */
struct reading {
    const char *owner;
    const char *item, *text;
    struct gp_spec_arg *out;
    struct gp_error *err;
};

static int fail_value(const struct reading *reading, const char *allowed)
{
    return gp_fail(reading->err, GP_EINVAL, "%s: args: '%s': allowed is %s", reading->owner,
                   reading->item, allowed);
}

static int read_whole(const struct reading *reading, int64_t min, int64_t max, int64_t *out)
{
    char name[ITEM_BYTES + 8];
    const struct gp_parameter number = {.name = name, .min = min, .max = max};

    (void)snprintf(name, sizeof name, "args: '%s'", reading->item);
    return gp_parameter_read(reading->owner, &number, reading->text, out, reading->err);
}

static int read_number(const struct reading *reading, int64_t min, int64_t max, uint32_t bytes)
{
    int64_t value = 0;
    int code = read_whole(reading, min, max, &value);

    /* Little-endian, as GPUs and all hosts of CUDA are. */
    memcpy(reading->out->value, &value, sizeof value);
    reading->out->bytes = bytes;
    return code;
}

static int read_unsigned_64(const struct reading *reading)
{
    return read_number(reading, 0, INT64_MAX, sizeof(uint64_t));
}

static int read_real(const struct reading *reading, uint32_t bytes)
{
    char *end = NULL;
    double value;
    float single;

    errno = 0;
    value = strtod(reading->text, &end);
    if (end == reading->text || *end != '\0' || errno == ERANGE) {
        return fail_value(reading, "a number like 1.5 or 2e-3");
    }
    single = (float)value;
    if (bytes == sizeof single && isfinite(value) && !isfinite(single)) {
        return fail_value(reading, "a number that a float can be");
    }
    memcpy(reading->out->value, bytes == sizeof single ? (const void *)&single : &value, bytes);
    reading->out->bytes = bytes;
    return 0;
}

static int read_buffer(const struct reading *reading)
{
    int64_t bytes = 0;
    int code = read_whole(reading, 1, INT64_C(1) << 32, &bytes);

    reading->out->bytes = sizeof(uint64_t);
    reading->out->buffer_bytes = (uint64_t)bytes;
    return code;
}

static int read_zero(const struct reading *reading)
{
    int64_t bytes = 0;
    int code = read_whole(reading, 1, GP_ARG_BYTES_MAX, &bytes);

    reading->out->bytes = (uint32_t)bytes;
    return code;
}

static int read_value(const struct reading *reading)
{
    switch (reading->out->kind) {
    case GP_SPEC_IN:
    case GP_SPEC_OUT:
    case GP_SPEC_INOUT:
        return read_buffer(reading);
    case GP_SPEC_U32:
        return read_number(reading, 0, UINT32_MAX, sizeof(uint32_t));
    case GP_SPEC_I32:
        return read_number(reading, INT32_MIN, INT32_MAX, sizeof(int32_t));
    case GP_SPEC_U64:
        return read_unsigned_64(reading);
    case GP_SPEC_I64:
        return read_number(reading, -INT64_MAX, INT64_MAX, sizeof(int64_t));
    case GP_SPEC_F32:
        return read_real(reading, sizeof(float));
    case GP_SPEC_F64:
        return read_real(reading, sizeof(double));
    case GP_SPEC_ZERO:
        return read_zero(reading);
    case GP_SPEC_KIND_COUNT:
        break;
    }
    assert(!"not a kind");
    return GP_EINVAL;
}

static int read_arg(const char *owner, char item[ITEM_BYTES], struct gp_spec_arg *out,
                    struct gp_error *err)
{
    struct reading reading = {.owner = owner, .item = item, .out = out, .err = err};
    size_t length = strcspn(item, ":");
    char word[ITEM_BYTES];

    if (item[length] != ':') {
        return gp_fail(err, GP_EINVAL,
                       "%s: args: '%s' is not KIND:VALUE, such as in:4K, out:4K, u32:1024, f32:1.5",
                       owner, item);
    }
    memcpy(word, item, length);
    word[length] = '\0';
    reading.text = item + length + 1;
    for (int i = 0; i < GP_SPEC_KIND_COUNT; i++) {
        if (strcmp(kind_words[i], word) == 0) {
            out->kind = (enum gp_spec_kind)i;
            return read_value(&reading);
        }
    }
    return gp_fail(
        err, GP_EINVAL,
        "%s: args: '%s' is of no known kind; did you mean '%s'? Kinds are in, out, inout, "
        "u32, i32, u64, i64, f32, f64, zero",
        owner, item, gp_nearest(word, kind_words, GP_SPEC_KIND_COUNT));
}

static const char *find_item(const char *args, uint32_t index)
{
    while (index > 0 && *args != '\0') {
        args += strcspn(args, ",");
        args += *args == ',';
        index--;
    }
    return args;
}

void gp_launch_spec_word(const char *args, uint32_t index, char out[64])
{
    const char *item = find_item(args, index);

    (void)snprintf(out, 64, "%.*s", (int)strcspn(item, ","), item);
}

static int read_args(const char *owner, const char *args, struct gp_launch_spec *out,
                     struct gp_error *err)
{
    const char *at = args[0] != '\0' ? args : NULL;

    while (at != NULL) {
        size_t length = strcspn(at, ",");
        char item[ITEM_BYTES];

        if (out->arg_count == GP_KERNEL_ARGS_MAX || length >= sizeof item) {
            return gp_fail(err, GP_EINVAL,
                           "%s: args: more than %d arguments, or one of more than %d characters",
                           owner, GP_KERNEL_ARGS_MAX, ITEM_BYTES - 1);
        }
        memcpy(item, at, length);
        item[length] = '\0';
        if (read_arg(owner, item, &out->args[out->arg_count++], err) != 0) {
            return err->code;
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return 0;
}

int gp_launch_spec_read(const char *owner, const char *grid, const char *block, const char *args,
                        struct gp_launch_spec *out, struct gp_error *err)
{
    *out = (struct gp_launch_spec){.arg_count = 0};
    return read_shape(owner, grid, block, out, err) != 0 || read_args(owner, args, out, err) != 0
               ? err->code
               : 0;
}
