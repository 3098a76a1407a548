/*
 * One wait of one operation, cut into pieces by the rules of gp_cause_table. Internal to the
 * causes.
 */
#ifndef GP_PROBE_ANALYSIS_CAUSE_STORY_H
#define GP_PROBE_ANALYSIS_CAUSE_STORY_H

#include "probe/analysis/cause_index.h"

struct gp_story {
    const struct gp_cause_index *index;
    uint32_t op;
    bool is_idle;                              /* handed on to the pieces */
    struct gp_wait pieces[GP_CAUSE_COUNT + 1]; /* one after another, of different causes */
    uint32_t count;
};

/* Fills pieces with what held story->op in [from, to); to is no later than its begin. */
void gp_story_tell(struct gp_story *story, int64_t from, int64_t to);

#endif
