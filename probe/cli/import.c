/* The verb import: see verbs.h. The formats are in probe/import. */
#include "probe/import/import.h"

#include <stdio.h>

#include "probe/cli/output.h"
#include "probe/cli/verbs.h"

enum gp_exit gp_cli_import(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};
    struct gp_import_counts counts;
    char chosen[GP_PATH_BYTES_MAX];
    char text[GP_IMPORT_TEXT_BYTES_MAX];
    const char *out = options->output;
    int code = 0;

    (void)cli;
    if (options->operand_count == 0) {
        (void)gp_fail(&err, GP_EINVAL, "which trace? gpuprobe import FILE -o OUT");
        return gp_cli_fail(&err);
    }
    if (out == NULL) {
        code = gp_output_choose("imported", chosen, &err);
        out = chosen;
    } else {
        code = gp_output_check(out, options->force, &err);
    }
    if (code == 0) {
        code = gp_import_file(options->operands[0], out, options->force, &counts, &err);
    }
    if (code != 0) {
        return gp_cli_fail(&err);
    }
    gp_import_describe(&counts, text);
    (void)fprintf(stderr, "gpuprobe: %s\n", text);
    (void)puts(out);
    return GP_EXIT_OK;
}
