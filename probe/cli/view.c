/* The verb view: see verbs.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/cli/verbs.h"

#define VIEWER "gpuprobe-viewer"

enum { PATH_BYTES_MAX = 4096 };

/* The viewer beside this program; false when that cannot be said. */
static bool find_beside(char path[PATH_BYTES_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES_MAX - sizeof VIEWER);
    char *slash;

    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    slash = strrchr(path, '/');
    if (slash == NULL) {
        return false;
    }
    (void)memcpy(slash + 1, VIEWER, sizeof VIEWER);
    return access(path, X_OK) == 0;
}

enum gp_exit gp_cli_view(const struct gp_cli *cli, const struct gp_options *options)
{
    char path[PATH_BYTES_MAX];
    char name[] = VIEWER, end[] = "--";
    char *const arguments[] = {name, end, (char *)options->operands[0], NULL};
    struct gp_error err = {0};

    (void)cli;
    if (options->operand_count == 0) {
        (void)gp_fail(&err, GP_EINVAL, "which recording? gpuprobe view FILE");
        return gp_cli_fail(&err);
    }
    (void)fflush(NULL);
    if (find_beside(path)) {
        (void)execv(path, arguments);
    } else {
        (void)execvp(VIEWER, arguments);
    }
    (void)gp_fail(&err, GP_ENOTFOUND,
                  VIEWER " cannot be started: %s; it is built where GTK 4.8 is (./bootstrap build)",
                  strerror(errno));
    return gp_cli_fail(&err);
}
