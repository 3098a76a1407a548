/* The formats and what is common to them: see export.h. */
#include "probe/export/export.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "core/nearest.h"

const struct gp_export_ops *const gp_export_table[] = {
    &gp_export_csv, &gp_export_json, &gp_export_chrome, &gp_export_perfetto, &gp_export_nsys,
};
const size_t gp_export_table_count = sizeof gp_export_table / sizeof gp_export_table[0];

const struct gp_export_ops *gp_export_find(const char *name)
{
    assert(name != NULL);
    for (size_t i = 0; i < gp_export_table_count; i++) {
        if (strcmp(gp_export_table[i]->name, name) == 0) {
            return gp_export_table[i];
        }
    }
    return NULL;
}

/* Fills in the default. */
static int choose_table(const struct gp_export_ops *ops, struct gp_export_options *options,
                        struct gp_error *err)
{
    size_t count = 0;

    if (ops->tables == NULL) {
        return options->table == NULL
                   ? 0
                   : gp_fail(err, GP_EINVAL, "format %s has no tables to choose from", ops->name);
    }
    for (; ops->tables[count] != NULL; count++) {
        if (options->table != NULL && strcmp(ops->tables[count], options->table) == 0) {
            return 0;
        }
    }
    if (options->table != NULL) {
        return gp_fail(err, GP_EINVAL, "format %s has no table '%s'; did you mean '%s'?", ops->name,
                       options->table, gp_nearest(options->table, ops->tables, count));
    }
    options->table = ops->tables[0];
    return 0;
}

/* Checks, and gives counts a place when nobody asks for them. */
static int apply_defaults(const struct gp_export_ops *ops, const struct gp_export_options *options,
                          struct gp_export_options *out, struct gp_export_counts *counts,
                          struct gp_error *err)
{
    *out = options != NULL ? *options : (struct gp_export_options){0};
    if (out->counts == NULL) {
        out->counts = counts;
    }
    *out->counts = (struct gp_export_counts){0};
    return choose_table(ops, out, err);
}

static int fail_io(struct gp_error *err)
{
    return gp_fail(err, GP_EIO, "cannot be written: %s",
                   errno != 0 ? strerror(errno) : "unknown error");
}

int gp_export_write(const struct gp_export_ops *ops, struct gp_reader *reader,
                    const struct gp_export_options *options, FILE *out, struct gp_error *err)
{
    struct gp_export_options chosen;
    struct gp_export_counts counts;
    int code;

    assert(ops != NULL && ops->write != NULL && reader != NULL && out != NULL);
    code = apply_defaults(ops, options, &chosen, &counts, err);
    if (code == 0) {
        errno = 0;
        code = ops->write(reader, &chosen, out, err);
    }
    if (code == 0 && (fflush(out) != 0 || ferror(out) != 0)) {
        code = fail_io(err);
    }
    return code;
}

int gp_export_write_file(const struct gp_export_ops *ops, struct gp_reader *reader,
                         const struct gp_export_options *options, const char *path,
                         struct gp_error *err)
{
    struct gp_export_options chosen;
    struct gp_export_counts counts;
    FILE *file;
    int code;

    assert(ops != NULL && reader != NULL && path != NULL);
    if (ops->write_file != NULL) {
        code = apply_defaults(ops, options, &chosen, &counts, err);
        return code != 0 ? code : ops->write_file(reader, &chosen, path, err);
    }
    file = fopen(path, "w");
    if (file == NULL) {
        return fail_io(err);
    }
    code = gp_export_write(ops, reader, options, file, err);
    errno = 0;
    if (fclose(file) != 0 && code == 0) {
        code = fail_io(err);
    }
    return code;
}
