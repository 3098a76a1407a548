/*
 * Stretches of time that do not overlap, in order, and how much of an interval they cover.
 */
#ifndef GP_PROBE_ANALYSIS_STRETCHES_H
#define GP_PROBE_ANALYSIS_STRETCHES_H

#include <stddef.h>
#include <stdint.h>

struct gp_stretch {
    int64_t from, to;
    int64_t before_ns; /* all earlier ones together */
    uint32_t on;       /* the caller's */
};

/* Zeroed: none. */
struct gp_stretches {
    struct gp_stretch *all;
    size_t capacity;
    uint32_t count;
};

/* `from` is no earlier than that of the last one added; what is covered already is left out. */
void gp_stretches_add(struct gp_stretches *stretches, int64_t from, int64_t to, uint32_t on);
void gp_stretches_finish(struct gp_stretches *stretches);

/* How much of [from, to) they cover, in time logarithmic in their count. *on is that of the last
 * one that begins before `to`; untouched when they cover nothing. */
int64_t gp_stretches_within(const struct gp_stretches *stretches, int64_t from, int64_t to,
                            uint32_t *on);

/* The last one that begins before `at`, likewise; NULL none. Borrowed. */
const struct gp_stretch *gp_stretches_before(const struct gp_stretches *stretches, int64_t at);

#endif
