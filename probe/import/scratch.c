/* A temporary folder: see scratch.h. */
#include "probe/import/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/memory.h"

/* A name under TMPDIR that mkdtemp and mkstemp complete: they want six letters X at the end. The
 * caller's. */
static char *make_pattern(void)
{
    const char *parent = getenv("TMPDIR");
    char *pattern;

    parent = parent != NULL && parent[0] != '\0' ? parent : "/tmp";
    pattern = gp_xalloc(strlen(parent) + 32, 1);
    (void)sprintf(pattern, "%s/gpuprobe-", parent);
    memset(pattern + strlen(pattern), 'X', 6);
    return pattern;
}

int gp_scratch_file(struct gp_error *err)
{
    char *name = make_pattern();
    int file = mkstemp(name);

    if (file < 0) {
        file = gp_fail(err, GP_EIO, "no temporary file %s: %s", name, strerror(errno));
    } else {
        (void)unlink(name);
        (void)fcntl(file, F_SETFD, FD_CLOEXEC);
    }
    gp_free(name);
    return file;
}

int gp_scratch_init(struct gp_scratch *scratch, const char *name, struct gp_error *err)
{
    *scratch = (struct gp_scratch){.folder = make_pattern()};
    if (mkdtemp(scratch->folder) == NULL) {
        int code =
            gp_fail(err, GP_EIO, "no temporary folder %s: %s", scratch->folder, strerror(errno));

        gp_free(scratch->folder);
        *scratch = (struct gp_scratch){0};
        return code;
    }
    scratch->file = gp_xalloc(strlen(scratch->folder) + strlen(name) + 2, 1);
    (void)sprintf(scratch->file, "%s/%s", scratch->folder, name);
    return 0;
}

void gp_scratch_finish(struct gp_scratch *scratch)
{
    if (scratch->folder != NULL) {
        (void)unlink(scratch->file);
        (void)rmdir(scratch->folder);
    }
    gp_free(scratch->folder);
    gp_free(scratch->file);
    *scratch = (struct gp_scratch){0};
}
