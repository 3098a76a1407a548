/* Events that have not yet ended: see chrome_pairs.h. */
#include "probe/import/chrome_pairs.h"

#include <string.h>

#include "probe/memory.h"

bool gp_chrome_pairs_begin(struct gp_chrome_pairs *pairs, uint64_t lane,
                           const struct gp_chrome_event *event, const char *name)
{
    if (pairs->count == GP_CHROME_OPEN_MAX) {
        return false;
    }
    pairs->open = gp_xgrow(pairs->open, &pairs->capacity, pairs->count + 1, sizeof *pairs->open);
    pairs->open[pairs->count++] = (struct gp_chrome_open){*event, lane, gp_xcopy(name)};
    return true;
}

bool gp_chrome_pairs_end(struct gp_chrome_pairs *pairs, uint64_t lane, struct gp_chrome_open *out)
{
    for (size_t i = pairs->count; i-- > 0;) {
        if (pairs->open[i].lane == lane) {
            *out = pairs->open[i];
            pairs->count--;
            memmove(&pairs->open[i], &pairs->open[i + 1], (pairs->count - i) * sizeof *pairs->open);
            return true;
        }
    }
    return false;
}

void gp_chrome_pairs_finish(struct gp_chrome_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        gp_free(pairs->open[i].name);
    }
    gp_free(pairs->open);
    *pairs = (struct gp_chrome_pairs){0};
}
