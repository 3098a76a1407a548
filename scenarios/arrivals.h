/*
 * Arrivals in open loop: when the next one comes does not depend on how the last one fared. Private
 * to scenarios/.
 */
#ifndef GP_SCENARIOS_ARRIVALS_H
#define GP_SCENARIOS_ARRIVALS_H

#include "core/random.h"
#include "scenarios/scenario.h"

/* Fills in the times of `count` arrivals of a Poisson process, ascending, the first after 0. */
void gp_arrivals_draw(int64_t *at_ns, uint32_t count, double mean_ns, struct gp_random *random);

/* Latencies of the chains that arrive and ask for that priority, from intended arrival to end:
 * fills in NAME_p50_ns and NAME_p99_ns, and returns 2. Unknown when the end of one is. */
uint32_t gp_arrivals_measure(const struct gp_workload *workload, const struct gp_op_times *times,
                             const char *name, int32_t priority, struct gp_measure *out);

#endif
