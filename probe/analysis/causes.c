/* All waits of a run: see causes.h. */
#include "probe/analysis/causes.h"

#include <assert.h>
#include <string.h>

#include "probe/analysis/cause_story.h"
#include "probe/memory.h"

/* ---- all waits of a run -------------------------------------------------------------------- */

struct waits {
    struct gp_causes *out;
    size_t capacity;
    size_t count;
    struct gp_story story; /* the one in hand: clearing its pieces each time would cost */
};

static void keep_story(struct waits *waits)
{
    const struct gp_story *story = &waits->story;
    struct gp_causes *out = waits->out;

    out->waits =
        gp_xgrow(out->waits, &waits->capacity, waits->count + story->count, sizeof *out->waits);
    for (uint32_t i = 0; i < story->count; i++) {
        const struct gp_wait *piece = &story->pieces[i];
        struct gp_cause_total *total = &out->totals[piece->cause];
        int64_t ns = piece->to - piece->from;

        out->waits[waits->count++] = *piece;
        total->waited_ns += (double)ns;
        total->idle_ns += piece->is_idle ? ns : 0;
        out->idle_ns += piece->is_idle ? ns : 0;
    }
}

static void tell_op(struct waits *waits, uint32_t op)
{
    const struct gp_cause_index *index = waits->out->index;
    struct gp_story *story = &waits->story;
    int64_t begin = index->run->ops[op].begin;
    int64_t idle_from = gp_cause_index_idle_from(index, op);

    story->index = index;
    story->op = op;
    story->is_idle = false;
    if (index->wanted[op] < idle_from) {
        gp_story_tell(story, index->wanted[op], idle_from < begin ? idle_from : begin);
        keep_story(waits);
    }
    if (idle_from < begin) {
        story->is_idle = true;
        gp_story_tell(story, idle_from, begin);
        keep_story(waits);
    }
}

/* Of each cause how many operations waited for it, and which one longest. */
static void count_ops(struct gp_causes *out)
{
    int64_t worst_ns[GP_CAUSE_COUNT] = {0};
    uint32_t counted[GP_CAUSE_COUNT];

    memset(counted, 0xff, sizeof counted);
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        out->totals[cause].worst_op = GP_NO_OP;
    }
    for (uint32_t op = 0; op < out->run->op_count; op++) {
        for (uint32_t i = out->first[op]; i < out->first[op + 1]; i++) {
            const struct gp_wait *wait = &out->waits[i];
            struct gp_cause_total *total = &out->totals[wait->cause];

            if (wait->to - wait->from > worst_ns[wait->cause]) {
                worst_ns[wait->cause] = wait->to - wait->from;
                total->worst_op = op;
            }
            total->ops += counted[wait->cause] != op ? 1 : 0;
            counted[wait->cause] = op;
        }
    }
}

bool gp_causes_measure(const struct gp_run_data *data, struct gp_causes *out)
{
    /* Room for most runs at once: what is not used is never touched. */
    struct waits waits = {.out = out, .capacity = 2 * (size_t)data->op_count};

    assert(data != NULL && out != NULL);
    *out = (struct gp_causes){.run = data, .index = gp_cause_index_create(data)};
    if (out->index == NULL) {
        return false;
    }
    out->waits = gp_xalloc(waits.capacity, sizeof *out->waits);
    out->first = gp_xalloc((size_t)data->op_count + 1, sizeof *out->first);
    for (uint32_t op = 0; op < data->op_count; op++) {
        out->first[op] = (uint32_t)waits.count;
        if (!gp_cause_index_goes_on(out->index, op)) {
            return false;
        }
        if (gp_op_runs(&data->ops[op])) {
            tell_op(&waits, op);
        }
    }
    assert(waits.count <= UINT32_MAX);
    out->first[data->op_count] = (uint32_t)waits.count;
    count_ops(out);
    return true;
}

void gp_causes_finish(struct gp_causes *causes)
{
    if (causes == NULL) {
        return;
    }
    gp_cause_index_destroy(causes->index);
    gp_free(causes->waits);
    gp_free(causes->first);
    *causes = (struct gp_causes){0};
}

/* A kernel's blocks tell what SMs were free, stamps when it ran, and an event bounds when a copy
 * did. */
static const char *tell_more(const struct gp_run_data *run, const struct gp_op_row *op)
{
    bool is_copy = op->kind == GP_OP_H2D || op->kind == GP_OP_D2H || op->kind == GP_OP_D2D;

    if (run->device->kind == GP_ORIGIN_IMPORTED) {
        return "a trace that also has what it may have waited for, such as other work on the "
               "device or calls of the host";
    }
    if (is_copy && op->source == GP_SOURCE_BOUNDED) {
        return "--trace events, which times every copy";
    }
    if (op->kind == GP_OP_KERNEL && run->device->kind != GP_ORIGIN_MODEL &&
        op->source != GP_SOURCE_STAMP) {
        return "--trace stamps, which record when kernels began and ended";
    }
    if (op->kind == GP_OP_KERNEL && run->block_count == 0) {
        return "--trace blocks, which records what SMs were free";
    }
    return "nothing, for all that can be recorded of it is";
}

const char *gp_cause_remedy(const struct gp_causes *causes, enum gp_cause cause)
{
    assert(causes != NULL && (unsigned)cause < GP_CAUSE_COUNT);
    if (cause != GP_CAUSE_UNKNOWN || causes->totals[cause].ops == 0) {
        return gp_cause_table[cause].remedy;
    }
    return tell_more(causes->run, &causes->run->ops[causes->totals[cause].worst_op]);
}

const struct gp_wait *gp_causes_main(const struct gp_causes *causes, uint32_t op)
{
    const struct gp_wait *main = NULL;

    assert(op < causes->run->op_count);
    for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
        const struct gp_wait *wait = &causes->waits[i];

        if (main == NULL || wait->to - wait->from > main->to - main->from) {
            main = wait;
        }
    }
    return main;
}
