/* Opening what a user gives: see opening.h. */
#include "probe/cli/opening.h"

#include <stdio.h>

#include "probe/import/import.h"

int gp_cli_open(const char *path, struct gp_reader **out, struct gp_error *err)
{
    char text[GP_IMPORT_TEXT_BYTES_MAX];
    int code = gp_import_open(path, out, err);

    if (code == 0 && gp_import_lacks(*out, text)) {
        (void)fprintf(stderr, "gpuprobe: %s: %s\n", path, text);
    }
    return code;
}
