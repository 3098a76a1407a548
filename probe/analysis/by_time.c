/* Moments in order: see by_time.h. A radix sort from the lowest digit, over as many digits as the
 * span of the times has. */
#include "probe/analysis/by_time.h"

#include <assert.h>
#include <string.h>

#include "probe/memory.h"

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS };

/* How far after the first moment; unsigned, so that any two times have a distance. */
static uint64_t since(const struct gp_moment *moment, int64_t first)
{
    return (uint64_t)moment->at - (uint64_t)first;
}

static void sort_digit(const struct gp_moment *from, struct gp_moment *to, uint32_t count,
                       int64_t first, uint32_t shift)
{
    uint32_t places[DIGIT_VALUES] = {0};
    uint32_t place = 0;

    for (uint32_t i = 0; i < count; i++) {
        places[(since(&from[i], first) >> shift) % DIGIT_VALUES]++;
    }
    for (uint32_t digit = 0; digit < DIGIT_VALUES; digit++) {
        uint32_t size = places[digit];

        places[digit] = place;
        place += size;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[places[(since(&from[i], first) >> shift) % DIGIT_VALUES]++] = from[i];
    }
}

void gp_moments_sort(struct gp_moment *moments, uint32_t count)
{
    struct gp_moment *spare;
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    uint64_t span;

    assert(moments != NULL || count == 0);
    for (uint32_t i = 0; i < count; i++) {
        first = moments[i].at < first ? moments[i].at : first;
        last = moments[i].at > last ? moments[i].at : last;
    }
    if (count < 2 || first == last) {
        return;
    }
    span = (uint64_t)last - (uint64_t)first;
    spare = gp_xalloc(count, sizeof *spare);
    for (uint32_t shift = 0; shift < 64 && span >> shift > 0; shift += 2 * DIGIT_BITS) {
        sort_digit(moments, spare, count, first, shift);
        if (shift + DIGIT_BITS < 64) {
            sort_digit(spare, moments, count, first, shift + DIGIT_BITS);
        } else {
            memcpy(moments, spare, count * sizeof *spare);
        }
    }
    gp_free(spare);
}
