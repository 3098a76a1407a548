/* Stretches of time: see stretches.h. */
#include "probe/analysis/stretches.h"

#include <assert.h>

#include "probe/memory.h"

void gp_stretches_add(struct gp_stretches *stretches, int64_t from, int64_t to, uint32_t on)
{
    int64_t before_ns = 0;

    if (stretches->count > 0) {
        const struct gp_stretch *last = &stretches->all[stretches->count - 1];

        from = from > last->to ? from : last->to;
        before_ns = last->before_ns + (last->to - last->from);
    }
    if (from >= to) {
        return;
    }
    stretches->all = gp_xgrow(stretches->all, &stretches->capacity, (size_t)stretches->count + 1,
                              sizeof *stretches->all);
    stretches->all[stretches->count++] = (struct gp_stretch){from, to, before_ns, on};
}

void gp_stretches_finish(struct gp_stretches *stretches)
{
    gp_free(stretches->all);
    *stretches = (struct gp_stretches){0};
}

/* How many begin before `at`. */
static uint32_t count_before(const struct gp_stretches *stretches, int64_t at)
{
    uint32_t low = 0;
    uint32_t high = stretches->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (stretches->all[middle].from < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What they cover before `at`, of which the first `count` begin before it. */
static int64_t covered(const struct gp_stretches *stretches, uint32_t count, int64_t at)
{
    const struct gp_stretch *last;

    if (count == 0) {
        return 0;
    }
    last = &stretches->all[count - 1];
    return last->before_ns + ((at < last->to ? at : last->to) - last->from);
}

int64_t gp_stretches_within(const struct gp_stretches *stretches, int64_t from, int64_t to,
                            uint32_t *on)
{
    uint32_t count = count_before(stretches, to);
    int64_t ns;

    assert(from <= to);
    ns = covered(stretches, count, to) - covered(stretches, count_before(stretches, from), from);
    if (ns > 0) {
        *on = stretches->all[count - 1].on;
    }
    return ns;
}

const struct gp_stretch *gp_stretches_before(const struct gp_stretches *stretches, int64_t at)
{
    uint32_t count = count_before(stretches, at);

    return count > 0 ? &stretches->all[count - 1] : NULL;
}
