/*
 * The functions behind gp_cause_table, by what they look at. Each answers whether its cause held an
 * operation, as in struct gp_cause_rule. Internal to the causes.
 */
#ifndef GP_PROBE_ANALYSIS_CAUSE_RULES_H
#define GP_PROBE_ANALYSIS_CAUSE_RULES_H

#include "probe/analysis/cause_index.h"

typedef bool gp_cause_fn(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                         struct gp_hold *out);

/* The DAG and streams (cause_order.c). */
gp_cause_fn gp_cause_dependency;
gp_cause_fn gp_cause_host_function;
gp_cause_fn gp_cause_same_stream;

/* The host (cause_host.c). */
gp_cause_fn gp_cause_not_submitted;

#endif
