/*
 * Submit mode graph: the choices of a schedule captured once, so that one launch submits all of its
 * operations. Thread-local capture; the origin is the first stream that is used, the others are
 * forked from it before their first use and joined to it at the end.
 */
#ifndef GP_CORE_GRAPH_SUBMIT_H
#define GP_CORE_GRAPH_SUBMIT_H

#include "core/dispatch.h"

/*
 * Captures and instantiates what gp_dispatch_run would submit: schedule, pool (whose events are
 * reserved here) and the stamps of the probes, whose events must be NULL; the rest of the dispatch
 * is not looked at. Nothing runs. *out is the caller's (gp_graph_destroy) and may be launched by
 * dispatches of that schedule and pool, one at a time; the slots of the stamps stay allocated as
 * long. *instantiate_ns is what instantiating took, host clock. What cannot be captured is
 * GP_EUNSUPPORTED with the reason. After a failure nothing is being captured.
 */
int gp_graph_submit_create(const struct gp_dispatch *dispatch, struct gp_graph **out,
                           int64_t *instantiate_ns, struct gp_error *err);

#endif
