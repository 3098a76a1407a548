/*
 * Events of a Chrome trace that have begun and not yet ended ("B" without its "E"). Those of one
 * thread end in the reverse order of their begins. Pure.
 */
#ifndef GP_PROBE_IMPORT_CHROME_PAIRS_H
#define GP_PROBE_IMPORT_CHROME_PAIRS_H

#include "probe/import/chrome_stage.h"

enum { GP_CHROME_OPEN_MAX = 4096 };

struct gp_chrome_open {
    struct gp_chrome_event event;
    uint64_t lane; /* of process and thread */
    char *name;
};

/* Zeroed: none are open. */
struct gp_chrome_pairs {
    struct gp_chrome_open *open; /* in the order of their begins */
    size_t count, capacity;
};

/* Keeps an event that begins; false: there are too many. */
bool gp_chrome_pairs_begin(struct gp_chrome_pairs *pairs, uint64_t lane,
                           const struct gp_chrome_event *event, const char *name);

/* Takes out what began last on that lane; its name is the caller's. False: nothing did. */
bool gp_chrome_pairs_end(struct gp_chrome_pairs *pairs, uint64_t lane, struct gp_chrome_open *out);

/* Takes a zeroed struct. */
void gp_chrome_pairs_finish(struct gp_chrome_pairs *pairs);

#endif
