/* The verb export: see verbs.h. The formats are in probe/export. */
#include "probe/export/export.h"
#include "probe/cli/opening.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static int check_output(const struct gp_options *options, struct gp_error *err)
{
    if (is_same_file(options->output, options->operands[0])) {
        return gp_fail(err, GP_EINVAL, "%s is the recording itself; name another file",
                       options->output);
    }
    return gp_output_check(options->output, options->force, err);
}

/* An empty file beside path, readable by whom any new file is; its name goes into part. */
static int make_part(const char *path, char part[GP_PATH_BYTES_MAX], struct gp_error *err)
{
    mode_t mask = umask(0);
    int number;

    (void)umask(mask);
    /* mkstemp wants six letters X at the end. */
    (void)snprintf(part, GP_PATH_BYTES_MAX, "%s.??????", path);
    memset(part + strlen(part) - 6, 'X', 6);
    number = mkstemp(part);
    if (number < 0) {
        return gp_fail(err, GP_EIO, "%s cannot be written: %s", path, strerror(errno));
    }
    (void)fchmod(number, 0666 & ~mask);
    (void)close(number);
    return 0;
}

/* Becomes whole beside its place before it takes it: what --force replaces is kept until then. */
static int write_file(const struct gp_export_ops *format, struct gp_reader *reader,
                      const struct gp_export_options *chosen, const struct gp_options *options,
                      struct gp_error *err)
{
    char part[GP_PATH_BYTES_MAX];
    int code = check_output(options, err);

    if (code == 0) {
        code = make_part(options->output, part, err);
    }
    if (code != 0) {
        return code;
    }
    code = gp_export_write_file(format, reader, chosen, part, err);
    if (code == 0 && rename(part, options->output) != 0) {
        code = gp_fail(err, GP_EIO, "cannot be replaced: %s", strerror(errno));
    }
    if (code != 0) {
        (void)unlink(part);
        return code == GP_EIO ? gp_fail_context(err, "%s", options->output) : code;
    }
    return 0;
}

/* What is not in the output though it was chosen, on stderr. */
static void tell_losses(const struct gp_export_ops *format, const struct gp_export_counts *counts)
{
    if (counts->untimed + counts->unsuited > 0) {
        (void)fprintf(stderr,
                      "gpuprobe: %s has %" PRIu64 " of %" PRIu64 " operations: ", format->name,
                      counts->written, counts->chosen - counts->outside);
        (void)fprintf(
            stderr, "%" PRIu64 " have no times, %" PRIu64 " are of a kind that it does not know\n",
            counts->untimed, counts->unsuited);
    }
    if (counts->waits_lost > 0) {
        (void)fprintf(stderr,
                      "gpuprobe: %s has %" PRIu64 " of %" PRIu64
                      " waits of operations for one another: of the others no call is known that "
                      "waited\n",
                      format->name, counts->waits - counts->waits_lost, counts->waits);
    }
}

static int write_output(const struct gp_export_ops *format, struct gp_reader *reader,
                        const struct gp_options *options, struct gp_error *err)
{
    struct gp_export_counts counts = {0};
    const struct gp_export_options chosen = {
        .table = options->table,
        .cell = options->cell,
        .passes = options->passes,
        .has_from = options->has_from,
        .has_to = options->has_to,
        .from_ns = options->from_ns,
        .to_ns = options->to_ns,
        .counts = &counts,
    };
    int code;

    if (options->output != NULL) {
        code = write_file(format, reader, &chosen, options, err);
    } else {
        code = gp_export_write(format, reader, &chosen, stdout, err);
        /* The end of the program tells it, for every verb alike. */
        code = code == GP_EIO ? 0 : code;
    }
    if (code == 0) {
        tell_losses(format, &counts);
    }
    return code;
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
    if (format->write == NULL && options->output == NULL) {
        return gp_fail(err, GP_EINVAL, "%s is a database: say where with -o FILE", format->name);
    }
    code = gp_cli_open(options->operands[0], &reader, err);
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
