/*
 * Timelines made for tests, without a file: operations as a list, or at random.
 */
#ifndef GP_TESTS_VIEWER_MADE_H
#define GP_TESTS_VIEWER_MADE_H

#include "viewer/layout/timeline.h"

/* Names of made timelines: name i of an operation is made_names[i]. */
enum { MADE_NAMES = 4 };
extern const char *const made_names[MADE_NAMES];

struct made_op {
    uint32_t stream;
    int64_t begin, end;
    uint32_t name;
    int64_t ready;  /* GP_UNKNOWN unknown */
    int32_t engine; /* −1 none */
};

/* Streams 0 … stream_count − 1, lanes built. Release with gp_view_timeline_destroy. */
struct gp_view_timeline *make_timeline(const struct made_op *ops, uint32_t count,
                                       uint32_t stream_count);

/* Operations on streams in turn: bursts and pauses, some without duration, some that wait, lengths
 * from 0 to `longest`, never overlapping within a stream; about every 7th is a copy on engine 0 or
 * 1. Release with gp_free. */
struct made_op *make_random_ops(uint32_t count, uint32_t stream_count, int64_t longest,
                                uint64_t seed);

/* The next of a repeatable sequence. */
uint64_t next_random(uint64_t *state);

#endif
