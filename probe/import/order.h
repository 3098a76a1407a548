/*
 * Which operations wait for which, from the order of the host's calls: an event stands for the last
 * operation that its stream had got when it was recorded last before the wait; a stream that waits
 * holds back what it gets next; a host that waits holds back what is submitted next to any stream.
 *
 *     host   launch A on 0 | record E on 0 | wait for E on 1 | launch B on 1      edge A → B
 */
#ifndef GP_PROBE_IMPORT_ORDER_H
#define GP_PROBE_IMPORT_ORDER_H

#include "probe/import/order_sort.h"
#include "probe/record.h"

/* Takes edges; 0, or negative to stop with that. */
typedef int gp_order_take_fn(void *user, const struct gp_edge_row *edges, uint32_t count,
                             struct gp_error *err);

/* Reads all items and gives the edges of kind event (a stream waits) and join (the host waits) to
 * `take`, each once, in batches; those to one operation come one after the other. Every operation
 * is in one item; streams are below stream_count. What is kept in memory does not grow with the
 * operations. GP_EIO: a temporary file failed; else what take returned. */
int gp_order_edges(struct gp_order_sort *items, uint32_t stream_count, gp_order_take_fn *take,
                   void *user, struct gp_error *err);

#endif
