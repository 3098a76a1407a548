/*
 * Submission: walks a schedule's steps onto streams. Takes no decision, allocates nothing, waits
 * for nothing but operations' releases, and reads no clock unless these or a sink want to know.
 * Private to core.
 */
#ifndef GP_CORE_SUBMIT_H
#define GP_CORE_SUBMIT_H

#include "core/dispatch.h"

struct gp_submission {
    const struct gp_schedule *schedule;
    struct gp_device *device;
    struct gp_stream *const *streams; /* by the schedule's stream */
    struct gp_event *const *events;   /* by the steps' event; nobody else's until all is done */
    const struct gp_probe *probes;    /* per operation; NULL: none */
    struct gp_sink *sink;             /* NULL: nobody is told */
    int64_t begin_ns;                 /* host clock: from when operations' releases count */
};

/* On a failure *err names the operation; what came before it is submitted. */
int gp_submit(const struct gp_submission *submission, struct gp_error *err);

/* Puts the place of a failure that no single call caused before its text: the stream, and its last
 * operation. */
void gp_submit_add_place(const struct gp_schedule *schedule, uint32_t stream, struct gp_error *err);

/* After a failure: what was submitted must not run on into what the caller does next. Waits for the
 * streams as far as the device still answers, and frees what operations had allocated. */
void gp_submit_drain(const struct gp_submission *submission);

#endif
