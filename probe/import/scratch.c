/* A temporary folder: see scratch.h. */
#include "probe/import/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/memory.h"

int gp_scratch_init(struct gp_scratch *scratch, const char *name, struct gp_error *err)
{
    const char *parent = getenv("TMPDIR");
    size_t bytes;

    parent = parent != NULL && parent[0] != '\0' ? parent : "/tmp";
    bytes = strlen(parent) + strlen(name) + 32;
    *scratch = (struct gp_scratch){.folder = gp_xalloc(bytes, 1), .file = gp_xalloc(bytes, 1)};
    (void)snprintf(scratch->folder, bytes, "%s/gpuprobe-??????", parent);
    /* mkdtemp wants six letters X at the end. */
    memset(scratch->folder + strlen(scratch->folder) - 6, 'X', 6);
    if (mkdtemp(scratch->folder) == NULL) {
        int code =
            gp_fail(err, GP_EIO, "no temporary folder %s: %s", scratch->folder, strerror(errno));

        gp_free(scratch->folder);
        gp_free(scratch->file);
        *scratch = (struct gp_scratch){0};
        return code;
    }
    (void)snprintf(scratch->file, bytes, "%s/%s", scratch->folder, name);
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
