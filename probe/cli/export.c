/* The verb export: see verbs.h. The formats are in probe/export. */
#include "probe/export/export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/cli/output.h"
#include "probe/cli/verbs.h"

/* NULL when there is none of that name. */
static const struct gp_export_ops *find_format(const char *name, struct gp_error *err)
{
    const char *known[GP_CHOICES_MAX];
    size_t found = 0;

    if (name == NULL) {
        (void)gp_fail(err, GP_EINVAL,
                      "which format? --format NAME ('gpuprobe list formats' has all)");
        return NULL;
    }
    for (size_t i = 0; i < gp_export_table_count; i++) {
        known[i] = gp_export_table[i]->name;
    }
    if (gp_value_word("format", name, known, gp_export_table_count, &found, err) != 0) {
        return NULL;
    }
    return gp_export_table[found];
}

/* Before any file is touched. */
static int check_table(const struct gp_export_ops *format, const char *table, struct gp_error *err)
{
    size_t count = 0;
    size_t found = 0;

    while (format->tables != NULL && format->tables[count] != NULL) {
        count++;
    }
    if (table == NULL) {
        return 0;
    }
    if (count == 0) {
        return gp_fail(err, GP_EINVAL, "--table: %s has no choice of tables", format->name);
    }
    return gp_value_word("table", table, format->tables, count, &found, err);
}

/* To stdout, or to a file that is removed again when it did not become whole. */
static int write_output(const struct gp_export_ops *format, struct gp_reader *reader,
                        const struct gp_options *options, struct gp_error *err)
{
    const struct gp_export_options chosen = {.table = options->table};
    FILE *file = stdout;
    int code;

    if (options->output != NULL) {
        code = gp_output_check(options->output, options->force, err);
        if (code != 0) {
            return code;
        }
        file = fopen(options->output, "w");
        if (file == NULL) {
            return gp_fail(err, GP_EIO, "%s cannot be written: %s", options->output,
                           strerror(errno));
        }
    }
    code = gp_export_write(format, reader, &chosen, file, err);
    if (file == stdout) {
        return code == GP_EIO ? 0
                              : code; /* the end of the program tells it, for every verb alike */
    }
    if (fclose(file) != 0 && code == 0) {
        code = gp_fail(err, GP_EIO, "%s", strerror(errno));
    }
    if (code != 0) {
        (void)unlink(options->output);
        return gp_fail_context(err, "%s", options->output);
    }
    return 0;
}

static int export_recording(const struct gp_options *options, struct gp_error *err)
{
    const struct gp_export_ops *format;
    struct gp_reader *reader = NULL;
    int code;

    if (options->operand_count == 0) {
        return gp_fail(err, GP_EINVAL, "which recording? gpuprobe export FILE --format NAME");
    }
    format = find_format(options->format, err);
    if (format == NULL || check_table(format, options->table, err) != 0) {
        return GP_EINVAL;
    }
    code = gp_reader_open(options->operands[0], &reader, err);
    if (code == 0) {
        code = write_output(format, reader, options, err);
    }
    gp_reader_close(reader);
    return code;
}

enum gp_exit gp_cli_export(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};

    (void)cli;
    return export_recording(options, &err) == 0 ? GP_EXIT_OK : gp_cli_fail(&err);
}
