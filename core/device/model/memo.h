/*
 * Results of kernels by content: a kernel whose arguments and inputs were seen before writes the
 * same bytes again, without being computed. Holds at most bytes_max, the least recently used goes
 * first.
 */
#ifndef GP_CORE_DEVICE_MODEL_MEMO_H
#define GP_CORE_DEVICE_MODEL_MEMO_H

#include "core/device/model/hash.h"

enum { GP_MEMO_BUCKETS = 1024 };

struct gp_memo_entry {
    struct gp_memo_entry *next;          /* in its bucket */
    struct gp_memo_entry *newer, *older; /* by use */
    struct gp_hash key;
    uint64_t bytes; /* of `data` */
    unsigned char *data;
};

struct gp_memo {
    struct gp_memo_entry *buckets[GP_MEMO_BUCKETS];
    struct gp_memo_entry *newest, *oldest;
    uint64_t bytes, bytes_max;
};

/* Frees every entry. */
void gp_memo_finish(struct gp_memo *memo);

/* The entry of that key, now the newest; NULL when there is none. */
struct gp_memo_entry *gp_memo_find(struct gp_memo *memo, struct gp_hash key);

/* A new entry with room for `bytes` of data, which the caller fills; NULL when it is too large to
 * keep or there is no memory. */
struct gp_memo_entry *gp_memo_add(struct gp_memo *memo, struct gp_hash key, uint64_t bytes);

#endif
