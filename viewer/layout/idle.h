/*
 * When nothing runs on the device, and what it waits for then: the analysis' causes as the strip of
 * concurrency draws them.
 */
#ifndef GP_VIEWER_LAYOUT_IDLE_H
#define GP_VIEWER_LAYOUT_IDLE_H

#include "probe/analysis/causes.h"
#include "viewer/layout/running.h"

/* Kinds of causes: as many as there are colours for idle time. */
#define GP_VIEW_IDLE_KINDS(X)                                                                      \
    X(UNKNOWN, "unknown", "what it waits for is not known")                                        \
    X(ORDER, "order", "it waits for the order: dependencies and streams")                          \
    X(HOST, "host", "it waits for the host")                                                       \
    X(DEVICE, "device", "it waits for the device: engines, queues, room")

enum gp_view_idle_kind {
#define X(name, word, text) GP_VIEW_IDLE_##name,
    GP_VIEW_IDLE_KINDS(X)
#undef X
        GP_VIEW_IDLE_KIND_COUNT
};

/* A word for the legend, and what it means as the end of a sentence; static. */
const char *gp_view_idle_word(enum gp_view_idle_kind kind);
const char *gp_view_idle_text(enum gp_view_idle_kind kind);

/* The idle time that a moment lies in; NULL: something runs then, or that is not known. Borrowed.
 */
const struct gp_view_idle *gp_view_idle_at(const struct gp_view_idle *idle, uint32_t count,
                                           int64_t at_ns);

/* From the run's begin (0) to the last begin of an operation, every time in which none runs,
 * ascending: split by what the operation that ends it waited for. *out is the caller's (gp_free),
 * NULL when there is none; returns how many. n log n in the operations. */
uint32_t gp_view_idle_find(const struct gp_causes *causes, struct gp_view_idle **out);

#endif
