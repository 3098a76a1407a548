/* Why the operations of a run waited: see why.h. */
#include "viewer/why.h"

#include <stdlib.h>

#include "probe/memory.h"
#include "viewer/room.h"

static int compare_totals(const void *left, const void *right)
{
    const struct gp_why_total *a = left, *b = right;

    if (a->total.idle_ns != b->total.idle_ns) {
        return a->total.idle_ns < b->total.idle_ns ? 1 : -1;
    }
    if (a->total.waited_ns != b->total.waited_ns) {
        return a->total.waited_ns < b->total.waited_ns ? 1 : -1;
    }
    return (int)a->cause - (int)b->cause;
}

static void take(const struct gp_causes *causes, struct gp_why *why)
{
    why->idle_ns = causes->idle_ns;
    for (int i = 0; i < GP_CAUSE_COUNT; i++) {
        if (causes->totals[i].ops > 0) {
            why->totals[why->total_count++] =
                (struct gp_why_total){(enum gp_cause)i, causes->totals[i]};
        }
    }
    qsort(why->totals, why->total_count, sizeof why->totals[0], compare_totals);
    for (uint32_t i = 0; i < why->op_count; i++) {
        const struct gp_wait *wait = gp_causes_main(causes, i);

        why->causes[i] = (uint8_t)(wait != NULL ? wait->cause : GP_CAUSE_COUNT);
        why->on[i] = wait != NULL ? wait->on : GP_NO_OP;
    }
}

static int load(struct gp_reader *reader, int64_t cell, int64_t run, struct gp_why *why,
                struct gp_error *err)
{
    struct gp_run_data data;
    struct gp_causes causes;
    struct gp_run_row *runs;
    uint32_t count, op_count = 0;
    int code = 0;

    if (gp_reader_runs(reader, cell, &runs, &count, err) != 0) {
        return err->code;
    }
    for (uint32_t i = 0; i < count; i++) {
        op_count = runs[i].id == run ? runs[i].op_count : op_count;
    }
    gp_free(runs);
    if (gp_room_check("Causes are", op_count, GP_ROOM_CAUSES, err) != 0 ||
        gp_run_load(reader, cell, run, &data, err) != 0) {
        return err->code;
    }
    why->op_count = data.op_count;
    why->causes = gp_xalloc(data.op_count, sizeof *why->causes);
    why->on = gp_xalloc(data.op_count, sizeof *why->on);
    if (gp_causes_measure(&data, &causes)) {
        take(&causes, why);
        why->idle_count = gp_view_idle_find(&causes, &why->idle);
    } else {
        code = gp_fail(err, GP_EINTERRUPTED, "looking for causes was given up");
    }
    gp_causes_finish(&causes);
    gp_run_finish(&data);
    return code;
}

int gp_why_load(const char *path, int64_t cell, int64_t run, struct gp_heed heed,
                struct gp_why **out, struct gp_error *err)
{
    struct gp_why *why = gp_xalloc(1, sizeof *why);
    struct gp_reader *reader = NULL;
    int code = gp_reader_open(path, &reader, err);

    *out = NULL;
    if (code == 0) {
        gp_reader_heed(reader, heed);
        code = load(reader, cell, run, why, err);
    }
    gp_reader_close(reader);
    if (code != 0) {
        gp_why_destroy(why);
        return code;
    }
    *out = why;
    return 0;
}

void gp_why_destroy(struct gp_why *why)
{
    if (why != NULL) {
        gp_free(why->causes);
        gp_free(why->on);
        gp_free(why->idle);
        gp_free(why);
    }
}
