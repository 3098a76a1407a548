/*
 * What a host did in the order of time, however much that is: what is more than a part in memory
 * lies, sorted by parts, in a temporary file that nobody else sees, and the parts are merged when
 * it is read.
 */
#ifndef GP_PROBE_IMPORT_ORDER_SORT_H
#define GP_PROBE_IMPORT_ORDER_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum gp_host_kind {
    GP_HOST_OP,
    GP_HOST_RECORD,      /* of `event` in `stream` */
    GP_HOST_WAIT,        /* `stream` for `event` */
    GP_HOST_SYNC_EVENT,  /* the host for `event` */
    GP_HOST_SYNC_STREAM, /* the host for `stream` */
    GP_HOST_SYNC_ALL,    /* the host for every stream */
};

/* There is one for each operation, so that its size counts. */
struct gp_order_item {
    int64_t at; /* host time: of submitting, recording; of a host's wait its end */
    union {
        int64_t event; /* id that events of one context have */
        int64_t end;   /* operations: their end, by which the last of several is known */
    };
    uint32_t op;
    uint16_t stream;
    uint8_t kind; /* enum gp_host_kind */
};

enum {
    GP_ORDER_PART_ITEMS = 1 << 17, /* of a part */
    GP_ORDER_READ_ITEMS = 512,     /* of each part, that lie in memory while they are merged */
};

/* A part on its way out of the file. */
struct gp_order_part {
    uint64_t next, end; /* items of the file that are not in memory yet */
    uint32_t at, count; /* of those that are */
    struct gp_order_item items[GP_ORDER_READ_ITEMS];
};

/* Zeroed: empty. */
struct gp_order_sort {
    struct gp_order_item *items; /* the part in hand */
    size_t item_count, item_capacity, item_next;
    uint64_t count;               /* of all items */
    uint64_t in_file;             /* of them */
    int file;                     /* + 1; 0: none yet */
    bool is_read;                 /* nothing is added any more */
    struct gp_order_part **parts; /* a heap: the part with the first item is the first */
    uint32_t part_count;
    struct gp_error failure;
};

/* Before the first is read. A temporary file that fails is told by gp_order_sort_next. */
void gp_order_sort_add(struct gp_order_sort *sort, const struct gp_order_item *item);

/* 1: *out is the next by time, kind and operation; 0: there is none; else GP_EIO. */
int gp_order_sort_next(struct gp_order_sort *sort, struct gp_order_item *out, struct gp_error *err);

/* Takes a zeroed struct. */
void gp_order_sort_finish(struct gp_order_sort *sort);

#endif
