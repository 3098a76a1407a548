/*
 * Kernels that take a given time and leave a trace: each mixes a value into a word of device memory
 * (kernel spin), so that which of them ran, and in which order, shows in the word. For scenarios
 * about order and time rather than about data. Private to scenarios/.
 */
#ifndef GP_SCENARIOS_WORDS_H
#define GP_SCENARIOS_WORDS_H

#include "scenarios/scenario.h"

/* The words, and what must be in each after the operations made so far. */
struct gp_words {
    struct gp_buffer *buffer; /* uint32_t[count] */
    uint32_t *right, *got;
    uint32_t count;
};

/* One spin: every block takes ns, and up to spread_ns more, each its own. */
struct gp_spin {
    uint32_t word;
    uint32_t value; /* not twice the same for a word */
    uint32_t ns, spread_ns;
    uint32_t blocks, threads;
};

/* Makes `count` ≥ 1 words in a buffer of id 0; after a failure finish takes what there is, as it
 * takes a zeroed struct. */
int gp_words_init(struct gp_words *words, struct gp_workload *workload, uint32_t count,
                  struct gp_error *err);
void gp_words_finish(struct gp_words *words);

/* The operation; the spins of one word must be made in the order in which they must run. */
struct gp_op *gp_words_spin(const struct gp_words *words, struct gp_builder *builder,
                            const struct gp_spin *spin);

/* Slots of gp_scenario_ops for a scenario whose state begins with its words; teardown releases the
 * words and the state. */
int gp_words_reset(struct gp_workload *workload, struct gp_error *err);
int gp_words_verify(struct gp_workload *workload, struct gp_error *err);
void gp_words_teardown(struct gp_workload *workload);

#endif
