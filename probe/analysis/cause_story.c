/* One wait, cut into pieces: see cause_story.h. */
#include "probe/analysis/cause_story.h"

#include <assert.h>

/* How long a device may take between what held an operation and its begin. Chains of copies and
 * kernels on an H200 leave gaps of 11 to 14 µs; a host function costs its stream 50. */
static const int64_t start_ns_max = 20000;
static const int64_t after_host_ns_max = 60000;

static void add_piece(struct gp_story *story, int64_t from, int64_t to, enum gp_cause cause,
                      const struct gp_hold *hold)
{
    struct gp_wait *last = story->count > 0 ? &story->pieces[story->count - 1] : NULL;

    if (last != NULL && last->cause == cause) {
        last->to = to;
        return;
    }
    assert(story->count <= GP_CAUSE_COUNT);
    story->pieces[story->count++] = (struct gp_wait){
        .from = from,
        .to = to,
        .figure = hold->figure,
        .on = hold->on,
        .cause = cause,
        .is_idle = story->is_idle,
    };
}

/* Whether what is left before the begin is no more than getting going, or not known to be there. */
static bool is_start(const struct gp_op_row *row, int64_t from, enum gp_cause held_by)
{
    int64_t most_ns = held_by == GP_CAUSE_HOST_FUNCTION ? after_host_ns_max : start_ns_max;

    return row->begin - from <= most_ns || (row->begin_lo != GP_UNKNOWN && row->begin_lo <= from);
}

void gp_story_tell(struct gp_story *story, int64_t from, int64_t to)
{
    const struct gp_op_row *row = &story->index->run->ops[story->op];
    const struct gp_hold none = {.figure = GP_UNKNOWN, .on = GP_NO_OP};
    struct gp_hold last = {.until = INT64_MIN, .figure = GP_UNKNOWN, .on = GP_NO_OP};
    enum gp_cause last_cause = GP_CAUSE_UNKNOWN;

    story->count = 0;
    for (int cause = 0; cause < GP_CAUSE_COUNT && from < to; cause++) {
        const struct gp_cause_rule *rule = &gp_cause_table[cause];
        struct gp_hold hold;

        if (rule->holds == NULL || !rule->holds(story->index, story->op, from, to, &hold)) {
            continue;
        }
        if (hold.until > last.until && !rule->is_extra) {
            last = hold;
            last_cause = (enum gp_cause)cause;
        }
        if (hold.until > from) {
            int64_t until = hold.until < to ? hold.until : to;

            add_piece(story, from, until, (enum gp_cause)cause, &hold);
            from = until;
        }
    }
    if (from < to) {
        if (is_start(row, from, last_cause)) {
            add_piece(story, from, to, last_cause, &last);
        } else {
            add_piece(story, from, to, GP_CAUSE_UNKNOWN, &none);
        }
    }
}
