/*
 * Which operations wait for which, from the order of the host's calls: an event stands for the last
 * operation that its stream had got when it was recorded last before the wait; a stream that waits
 * holds back what it gets next; a host that waits holds back what is submitted next to any stream.
 * Pure; no I/O.
 *
 *     host   launch A on 0 | record E on 0 | wait for E on 1 | launch B on 1      edge A → B
 */
#ifndef GP_PROBE_IMPORT_ORDER_H
#define GP_PROBE_IMPORT_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "probe/record.h"

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

/* The edges of kind event (a stream waits) and join (the host waits), each once, by (to, from).
 * Sorts the items. Streams are below stream_count. Returns how many; *out is the caller's. */
uint32_t gp_order_edges(struct gp_order_item *items, size_t count, uint32_t stream_count,
                        struct gp_edge_row **out);

#endif
