/* The twin of nvtx.c for builds without the NVTX headers: see nvtx.h. */
#include "probe/nvtx/nvtx.h"

#include <assert.h>
#include <stddef.h>

bool gp_nvtx_is_built_in(void)
{
    return false;
}

int gp_nvtx_create(struct gp_nvtx **out, struct gp_error *err)
{
    assert(out != NULL);
    (void)err;
    *out = NULL;
    return 0;
}

void gp_nvtx_destroy(struct gp_nvtx *nvtx)
{
    (void)nvtx;
}

bool gp_nvtx_is_heard(const struct gp_nvtx *nvtx)
{
    (void)nvtx;
    return false;
}

int gp_nvtx_prepare(struct gp_nvtx *nvtx, const struct gp_dag *dag, struct gp_error *err)
{
    (void)nvtx;
    (void)dag;
    (void)err;
    return 0;
}

struct gp_sink *gp_nvtx_sink(struct gp_nvtx *nvtx)
{
    (void)nvtx;
    return NULL;
}

void gp_nvtx_cell_begin(struct gp_nvtx *nvtx, const char *text)
{
    (void)nvtx;
    (void)text;
}

void gp_nvtx_cell_end(struct gp_nvtx *nvtx)
{
    (void)nvtx;
}

void gp_nvtx_run_begin(struct gp_nvtx *nvtx, const char *text)
{
    (void)nvtx;
    (void)text;
}

void gp_nvtx_run_end(struct gp_nvtx *nvtx)
{
    (void)nvtx;
}
