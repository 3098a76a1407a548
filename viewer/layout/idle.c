/* Idle time of the device: see idle.h. One sweep over the operations by begin. */
#include "viewer/layout/idle.h"

#include <assert.h>
#include <stdlib.h>

#include "probe/memory.h"

static const uint8_t kinds[GP_CAUSE_COUNT] = {
    [GP_CAUSE_DEPENDENCY] = GP_VIEW_IDLE_ORDER,    [GP_CAUSE_HOST_FUNCTION] = GP_VIEW_IDLE_HOST,
    [GP_CAUSE_LAUNCH_QUEUE] = GP_VIEW_IDLE_DEVICE, [GP_CAUSE_PAGEABLE] = GP_VIEW_IDLE_HOST,
    [GP_CAUSE_IMPLICIT_SYNC] = GP_VIEW_IDLE_ORDER, [GP_CAUSE_NOT_SUBMITTED] = GP_VIEW_IDLE_HOST,
    [GP_CAUSE_SAME_STREAM] = GP_VIEW_IDLE_ORDER,   [GP_CAUSE_NULL_STREAM] = GP_VIEW_IDLE_ORDER,
    [GP_CAUSE_RECORDER] = GP_VIEW_IDLE_HOST,       [GP_CAUSE_CONNECTION] = GP_VIEW_IDLE_DEVICE,
    [GP_CAUSE_TIMED_EVENT] = GP_VIEW_IDLE_HOST,    [GP_CAUSE_ENGINE_BUSY] = GP_VIEW_IDLE_DEVICE,
    [GP_CAUSE_GRID_LIMIT] = GP_VIEW_IDLE_DEVICE,   [GP_CAUSE_PRIORITY] = GP_VIEW_IDLE_ORDER,
    [GP_CAUSE_SM_FULL] = GP_VIEW_IDLE_DEVICE,      [GP_CAUSE_HEAD_OF_LINE] = GP_VIEW_IDLE_DEVICE,
    [GP_CAUSE_CARVE_OUT] = GP_VIEW_IDLE_DEVICE,    [GP_CAUSE_THROTTLE] = GP_VIEW_IDLE_DEVICE,
    [GP_CAUSE_TIME_SLICE] = GP_VIEW_IDLE_DEVICE,   [GP_CAUSE_UNKNOWN] = GP_VIEW_IDLE_UNKNOWN,
};

static const struct {
    const char *word, *text;
} texts[] = {
#define X(name, word, text) {word, text},
    GP_VIEW_IDLE_KINDS(X)
#undef X
};

_Static_assert(GP_VIEW_IDLE_KIND_COUNT == sizeof(((struct gp_view_palette *)0)->idle) /
                                              sizeof(((struct gp_view_palette *)0)->idle[0]),
               "each kind has its colour");

const char *gp_view_idle_word(enum gp_view_idle_kind kind)
{
    assert((int)kind >= 0 && kind < GP_VIEW_IDLE_KIND_COUNT);
    return texts[kind].word;
}

const char *gp_view_idle_text(enum gp_view_idle_kind kind)
{
    assert((int)kind >= 0 && kind < GP_VIEW_IDLE_KIND_COUNT);
    return texts[kind].text;
}

const struct gp_view_idle *gp_view_idle_at(const struct gp_view_idle *idle, uint32_t count,
                                           int64_t at_ns)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (idle[middle].end_ns <= at_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && idle[low].begin_ns <= at_ns ? &idle[low] : NULL;
}

struct ran {
    int64_t begin_ns, end_ns;
    uint32_t op;
};

static int compare_begins(const void *left, const void *right)
{
    const struct ran *a = left, *b = right;

    if (a->begin_ns != b->begin_ns) {
        return a->begin_ns < b->begin_ns ? -1 : 1;
    }
    return (a->op > b->op) - (a->op < b->op);
}

struct list {
    struct gp_view_idle *items;
    uint32_t count;
    size_t capacity;
};

/* Goes on with the last one where it can. */
static void add(struct list *list, int64_t begin_ns, int64_t end_ns, uint8_t kind)
{
    struct gp_view_idle *last = list->count > 0 ? &list->items[list->count - 1] : NULL;

    if (begin_ns >= end_ns) {
        return;
    }
    if (last != NULL && last->end_ns == begin_ns && last->kind == kind) {
        last->end_ns = end_ns;
        return;
    }
    list->items =
        gp_xgrow(list->items, &list->capacity, (size_t)list->count + 1, sizeof *list->items);
    list->items[list->count++] = (struct gp_view_idle){begin_ns, end_ns, kind};
}

/* The time before an operation, by the pieces of its wait; what has no piece is not known. */
static void add_before(const struct gp_causes *causes, uint32_t op, int64_t begin_ns,
                       int64_t end_ns, struct list *list)
{
    for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
        const struct gp_wait *wait = &causes->waits[i];
        int64_t from_ns = wait->from > begin_ns ? wait->from : begin_ns;
        int64_t to_ns = wait->to < end_ns ? wait->to : end_ns;

        if (from_ns < to_ns) {
            add(list, begin_ns, from_ns, GP_VIEW_IDLE_UNKNOWN);
            add(list, from_ns, to_ns, kinds[wait->cause]);
            begin_ns = to_ns;
        }
    }
    add(list, begin_ns, end_ns, GP_VIEW_IDLE_UNKNOWN);
}

uint32_t gp_view_idle_find(const struct gp_causes *causes, struct gp_view_idle **out)
{
    const struct gp_run_data *run = causes->run;
    struct ran *ran = gp_xalloc(run->op_count, sizeof *ran);
    struct list list = {0};
    uint32_t count = 0;
    int64_t reached_ns = 0;

    for (uint32_t i = 0; i < run->op_count; i++) {
        if (gp_op_runs(&run->ops[i])) {
            ran[count++] = (struct ran){run->ops[i].begin, run->ops[i].end, i};
        }
    }
    qsort(ran, count, sizeof *ran, compare_begins);
    for (uint32_t i = 0; i < count; i++) {
        if (ran[i].begin_ns > reached_ns) {
            add_before(causes, ran[i].op, reached_ns, ran[i].begin_ns, &list);
        }
        reached_ns = ran[i].end_ns > reached_ns ? ran[i].end_ns : reached_ns;
    }
    gp_free(ran);
    *out = list.items;
    return list.count;
}
