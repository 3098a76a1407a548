/*
 * Random timelines, with and without sense, for what must hold in every run.
 */
#ifndef GP_TESTS_ANALYSIS_RANDOM_RUN_H
#define GP_TESTS_ANALYSIS_RANDOM_RUN_H

#include "analysis/hand.h"
#include "core/random.h"

enum { RANDOM_RUN_STREAMS = 12 };

/* Operations in stream order, of all kinds, some without times, some submitted late or never. */
void random_run(struct hand *hand, struct gp_random *random);

#endif
