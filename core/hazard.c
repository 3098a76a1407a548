/*
 * The hazard clock: see hazard.h. All offsets at which some access begins or ends cut the buffers
 * into segments; each segment knows who wrote it last and who read it since, and vector clocks tell
 * who is ordered.
 */
#include "core/hazard.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static const uint32_t nobody = UINT32_MAX;

/* Steps walked for finding unneeded waits: some tenths of a second. */
enum { STEPS_WALKED_MAX = 20000000 };

static const char *const kind_names[] = {
#define X(name, word) word,
    GP_HAZARD_KINDS(X)
#undef X
};

const char *gp_hazard_kind_name(enum gp_hazard_kind kind)
{
    assert((unsigned)kind < GP_HAZARD_KIND_COUNT);
    return kind_names[kind];
}

/* Where a segment begins; it ends where the next of the same buffer does. */
struct cut {
    const struct gp_buffer *buffer;
    uint64_t offset;
};

/* An access as segments [first, last). */
struct span {
    uint32_t first, last;
};

struct search {
    const struct gp_schedule *schedule;
    uint32_t streams;
    struct cut *cuts; /* sorted; one segment each */
    uint32_t cut_count;
    uint32_t *first_span; /* per operation */
    struct span *spans;   /* per access, operation after operation */
    /* The walk's: */
    uint32_t *now;                   /* streams × streams */
    uint32_t *events;                /* event_count × streams */
    uint32_t *place;                 /* per operation: its number on its stream, from 1 */
    uint32_t *writers;               /* per segment: the last one */
    uint32_t *readers;               /* per segment × streams: the last one since */
    struct gp_hazard_report *report; /* NULL: only whether there is one */
    uint32_t capacity;
    bool is_found;
    int code;
    struct gp_error *err;
};

static int fail_memory(struct gp_error *err)
{
    return gp_fail(err, GP_ENOMEM, "out of host memory for the search for hazards");
}

/* ---- segments ---- */

static int compare_cuts(const void *a, const void *b)
{
    const struct cut *x = a;
    const struct cut *y = b;
    uintptr_t left = (uintptr_t)x->buffer;
    uintptr_t right = (uintptr_t)y->buffer;

    if (left != right) {
        return left < right ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static uint32_t find_cut(const struct search *s, const struct gp_buffer *buffer, uint64_t offset)
{
    const struct cut key = {buffer, offset};
    const struct cut *cut = bsearch(&key, s->cuts, s->cut_count, sizeof key, compare_cuts);

    assert(cut != NULL);
    return (uint32_t)(cut - s->cuts);
}

static void cut_buffers(struct search *s)
{
    const struct gp_dag *dag = s->schedule->dag;
    uint32_t kept = 0;

    for (uint32_t id = 0; id < dag->op_count; id++) {
        for (uint32_t i = 0; i < dag->ops[id].access_count; i++) {
            const struct gp_access *access = &dag->ops[id].accesses[i];

            s->cuts[s->cut_count++] = (struct cut){access->buffer, access->offset};
            s->cuts[s->cut_count++] = (struct cut){access->buffer, access->offset + access->bytes};
        }
    }
    qsort(s->cuts, s->cut_count, sizeof *s->cuts, compare_cuts);
    for (uint32_t i = 0; i < s->cut_count; i++) {
        if (kept == 0 || compare_cuts(&s->cuts[kept - 1], &s->cuts[i]) != 0) {
            s->cuts[kept++] = s->cuts[i];
        }
    }
    s->cut_count = kept;
}

static void place_accesses(struct search *s)
{
    const struct gp_dag *dag = s->schedule->dag;
    uint32_t count = 0;

    for (uint32_t id = 0; id < dag->op_count; id++) {
        s->first_span[id] = count;
        for (uint32_t i = 0; i < dag->ops[id].access_count; i++) {
            const struct gp_access *access = &dag->ops[id].accesses[i];

            s->spans[count].first = find_cut(s, access->buffer, access->offset);
            s->spans[count++].last = find_cut(s, access->buffer, access->offset + access->bytes);
        }
    }
}

/* ---- the walk ---- */

static bool is_ordered(const struct search *s, uint32_t from, uint32_t stream)
{
    const uint32_t *clock = &s->now[(size_t)stream * s->streams];

    return clock[s->schedule->choices[from].stream] >= s->place[from];
}

/* Adds a segment to the hazard of that pair, or begins it. */
static void report(struct search *s, enum gp_hazard_kind kind, uint32_t from, uint32_t to,
                   uint32_t segment)
{
    const struct cut *cut = &s->cuts[segment];
    uint64_t end = s->cuts[segment + 1].offset;
    struct gp_hazard_report *found = s->report;

    s->is_found = true;
    if (found == NULL || s->code != 0) {
        return;
    }
    for (uint32_t i = found->hazard_count; i-- > 0 && found->hazards[i].to == to;) {
        struct gp_hazard *known = &found->hazards[i];

        if (known->from == from && known->kind == kind && known->buffer == cut->buffer) {
            uint64_t begin = known->offset < cut->offset ? known->offset : cut->offset;
            uint64_t known_end = known->offset + known->bytes;

            known->offset = begin;
            known->bytes = (known_end > end ? known_end : end) - begin;
            return;
        }
    }
    if (found->hazard_count == GP_HAZARDS_MAX) {
        found->is_cut = true;
        return;
    }
    if (found->hazard_count == s->capacity) {
        void *block = found->hazards;
        uint32_t grown = s->capacity > 0 ? s->capacity * 2 : 16;

        if (gp_realloc(&block, s->capacity, grown, sizeof *found->hazards) != 0) {
            s->code = fail_memory(s->err);
            return;
        }
        found->hazards = block;
        s->capacity = grown;
    }
    found->hazards[found->hazard_count++] =
        (struct gp_hazard){kind, from, to, cut->buffer, cut->offset, end - cut->offset};
}

static void read_segment(struct search *s, uint32_t op, uint32_t stream, uint32_t segment)
{
    uint32_t writer = s->writers[segment];

    if (writer != nobody && writer != op && !is_ordered(s, writer, stream)) {
        report(s, GP_HAZARD_RAW, writer, op, segment);
    }
    s->readers[(size_t)segment * s->streams + stream] = op;
}

static void write_segment(struct search *s, uint32_t op, uint32_t stream, uint32_t segment)
{
    uint32_t writer = s->writers[segment];
    uint32_t *readers = &s->readers[(size_t)segment * s->streams];

    if (writer != nobody && writer != op && !is_ordered(s, writer, stream)) {
        report(s, GP_HAZARD_WAW, writer, op, segment);
    }
    for (uint32_t i = 0; i < s->streams; i++) {
        if (readers[i] != nobody && readers[i] != op && !is_ordered(s, readers[i], stream)) {
            report(s, GP_HAZARD_WAR, readers[i], op, segment);
        }
        readers[i] = nobody;
    }
    s->writers[segment] = op;
}

/* All reads before all writes, as the operation itself has them. */
static void run_op(struct search *s, uint32_t id, uint32_t stream)
{
    const struct gp_dag_op *op = &s->schedule->dag->ops[id];
    const struct span *spans = &s->spans[s->first_span[id]];

    s->place[id] = ++s->now[(size_t)stream * s->streams + stream];
    for (uint32_t i = 0; i < op->access_count; i++) {
        for (uint32_t segment = spans[i].first; segment < spans[i].last; segment++) {
            if ((op->accesses[i].mode & GP_ACCESS_READ) != 0) {
                read_segment(s, id, stream, segment);
            }
        }
    }
    for (uint32_t i = 0; i < op->access_count; i++) {
        for (uint32_t segment = spans[i].first; segment < spans[i].last; segment++) {
            if ((op->accesses[i].mode & GP_ACCESS_WRITE) != 0) {
                write_segment(s, id, stream, segment);
            }
        }
    }
}

static void reset(struct search *s)
{
    size_t streams = s->streams;

    assert(s->now != NULL && s->events != NULL && s->writers != NULL && s->readers != NULL);
    memset(s->now, 0, streams * streams * sizeof *s->now);
    memset(s->events, 0, s->schedule->event_count * streams * sizeof *s->events);
    memset(s->writers, 0xff, s->cut_count * sizeof *s->writers);
    memset(s->readers, 0xff, s->cut_count * streams * sizeof *s->readers);
    s->is_found = false;
}

/* Walks all steps but one; without a report, to the first hazard. */
static void walk(struct search *s, uint32_t skipped)
{
    const struct gp_schedule *schedule = s->schedule;

    reset(s);
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];
        uint32_t *now = &s->now[(size_t)step->stream * s->streams];
        uint32_t *event = &s->events[(size_t)step->event * s->streams];

        if (i == skipped) {
            continue;
        }
        if (step->kind == GP_STEP_OP) {
            run_op(s, step->op, step->stream);
        } else if (step->kind == GP_STEP_RECORD) {
            memcpy(event, now, s->streams * sizeof *now);
        } else {
            for (uint32_t stream = 0; stream < s->streams; stream++) {
                now[stream] = now[stream] > event[stream] ? now[stream] : event[stream];
            }
        }
        if (s->is_found && s->report == NULL) {
            return;
        }
    }
}

/* ---- the report ---- */

static int find_unneeded(struct search *s, struct gp_hazard_report *out)
{
    const struct gp_schedule *schedule = s->schedule;
    uint32_t limit = STEPS_WALKED_MAX / (schedule->step_count + 1);

    out->unneeded = gp_alloc(out->wait_count, sizeof *out->unneeded);
    if (out->unneeded == NULL) {
        return fail_memory(s->err);
    }
    s->report = NULL;
    for (uint32_t i = 0; i < schedule->step_count && out->waits_examined < limit; i++) {
        if (schedule->steps[i].kind == GP_STEP_WAIT) {
            walk(s, i);
            out->waits_examined++;
            if (!s->is_found) {
                out->unneeded[out->unneeded_count++] = i;
            }
        }
    }
    return 0;
}

static int find(struct search *s, struct gp_hazard_report *out)
{
    int code;

    for (uint32_t i = 0; i < s->schedule->step_count; i++) {
        out->wait_count += s->schedule->steps[i].kind == GP_STEP_WAIT ? 1 : 0;
    }
    s->report = out;
    walk(s, UINT32_MAX);
    code = s->code;
    if (code == 0 && out->hazard_count == 0) {
        code = find_unneeded(s, out);
    }
    return code;
}

static int allocate(struct search *s)
{
    const struct gp_dag *dag = s->schedule->dag;
    size_t accesses = 0;
    size_t streams = s->streams;

    for (uint32_t id = 0; id < dag->op_count; id++) {
        accesses += dag->ops[id].access_count;
    }
    s->cuts = gp_alloc(2 * accesses, sizeof *s->cuts);
    s->spans = gp_alloc(accesses, sizeof *s->spans);
    s->first_span = gp_alloc(dag->op_count, sizeof *s->first_span);
    s->place = gp_alloc(dag->op_count, sizeof *s->place);
    s->now = gp_alloc(streams * streams, sizeof *s->now);
    s->events = gp_alloc(s->schedule->event_count * streams, sizeof *s->events);
    if (s->cuts == NULL || s->spans == NULL || s->first_span == NULL || s->place == NULL ||
        s->now == NULL || s->events == NULL) {
        return fail_memory(s->err);
    }
    cut_buffers(s);
    place_accesses(s);
    s->writers = gp_alloc(s->cut_count, sizeof *s->writers);
    s->readers = gp_alloc(s->cut_count * streams, sizeof *s->readers);
    return s->writers != NULL && s->readers != NULL ? 0 : fail_memory(s->err);
}

static void release(struct search *s)
{
    gp_free(s->cuts);
    gp_free(s->spans);
    gp_free(s->first_span);
    gp_free(s->place);
    gp_free(s->now);
    gp_free(s->events);
    gp_free(s->writers);
    gp_free(s->readers);
}

int gp_hazard_find(const struct gp_schedule *schedule, struct gp_hazard_report **out,
                   struct gp_error *err)
{
    struct search s = {.schedule = schedule, .streams = schedule->stream_count, .err = err};
    struct gp_hazard_report *found = gp_alloc(1, sizeof *found);
    int code;

    assert(out != NULL);
    *out = NULL;
    if (found == NULL) {
        return fail_memory(err);
    }
    code = allocate(&s);
    if (code == 0) {
        code = find(&s, found);
    }
    release(&s);
    if (code != 0) {
        gp_hazard_report_destroy(found);
        return code;
    }
    *out = found;
    return 0;
}

void gp_hazard_report_destroy(struct gp_hazard_report *report)
{
    if (report == NULL) {
        return;
    }
    gp_free(report->hazards);
    gp_free(report->unneeded);
    gp_free(report);
}

void gp_hazard_describe(const struct gp_schedule *schedule, const struct gp_hazard *hazard,
                        char *out, size_t bytes)
{
    const struct gp_dag_op *ops = schedule->dag->ops;

    (void)snprintf(out, bytes,
                   "%s: operations %" PRIu32 " '%s' (stream %" PRIu32 ") and %" PRIu32
                   " '%s' (stream %" PRIu32 ") both use bytes %" PRIu64 " to %" PRIu64
                   " of '%s' in no order; the dependency %" PRIu32 " -> %" PRIu32 " is missing",
                   gp_hazard_kind_name(hazard->kind), hazard->from, ops[hazard->from].name,
                   schedule->choices[hazard->from].stream, hazard->to, ops[hazard->to].name,
                   schedule->choices[hazard->to].stream, hazard->offset,
                   hazard->offset + hazard->bytes, hazard->buffer->name, hazard->from, hazard->to);
}
