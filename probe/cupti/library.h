/*
 * libcupti, loaded: the table of its functions, its version, and its errors in our words. Knows no
 * records.
 */
#ifndef GP_PROBE_CUPTI_LIBRARY_H
#define GP_PROBE_CUPTI_LIBRARY_H

#include "core/error.h"
#include "probe/cupti/symbols.h"

struct gp_cupti_library {
    void *handle;
    uint32_t version; /* 130001; before CUDA 13 a small number (26 is 12.9) */
    char path[256];   /* as it was found */
#define X(symbol, parameters) gp_cupti_result(*symbol) parameters;
    GP_CUPTI_SYMBOLS(X)
#undef X
};

/* Loads the newest libcupti that the loader or the toolkit's usual places have. GP_EUNSUPPORTED:
 * there is none, or one without a function that is needed; says which and what to do. */
int gp_cupti_library_load(struct gp_cupti_library *out, struct gp_error *err);

/* The library stays mapped: it keeps threads that run its code. */
void gp_cupti_library_unload(struct gp_cupti_library *library);

/* GP_EUNSUPPORTED with the call, CUPTI's word for a result that is not 0, and, where another tool
 * is in the way, what to do. */
int gp_cupti_library_fail(const struct gp_cupti_library *library, gp_cupti_result result,
                          const char *call, struct gp_error *err);

#endif
