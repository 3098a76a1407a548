/*
 * Work that may be given up: who does it asks now and then whether to go on.
 */
#ifndef GP_PROBE_HEED_H
#define GP_PROBE_HEED_H

#include <stdbool.h>
#include <stddef.h>

struct gp_heed {
    /* NULL: nobody gives it up. Once false, always false; called from whichever thread works. */
    bool (*go_on)(void *user);
    void *user;
};

/* heed: the caller's, read only; zeroed: always true. Any thread. */
static inline bool gp_goes_on(const struct gp_heed *heed)
{
    return heed->go_on == NULL || heed->go_on(heed->user);
}

#endif
