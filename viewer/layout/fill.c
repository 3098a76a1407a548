/* Rows into columns: see fill.h. */
#include "viewer/layout/fill.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"

/* ---- operations ---------------------------------------------------------------------------- */

static void set(struct gp_view_fill *fill, struct gp_view_narrow *column, uint32_t index,
                int64_t value)
{
    if (!gp_view_narrow_set(column, index, value)) {
        (void)pthread_mutex_lock(&fill->lock);
        gp_view_narrow_set_wide(column, index, value);
        (void)pthread_mutex_unlock(&fill->lock);
    }
}

/* How far `to` lies after `from`; 0 when it does not or one of them is unknown. */
static int64_t distance(int64_t from, int64_t to)
{
    return from != GP_UNKNOWN && to != GP_UNKNOWN && to > from ? to - from : 0;
}

static void init_ops(struct gp_view_spans *spans, uint32_t count)
{
    spans->count = count;
    spans->begin_ns = gp_xalloc(count, sizeof *spans->begin_ns);
    gp_view_narrow_init(&spans->duration_ns, count, 4);
    spans->name = gp_xalloc(count, sizeof *spans->name);
    gp_view_narrow_init(&spans->waiting_ns, count, 4);
    gp_view_narrow_init(&spans->begin_early_ns, count, 2);
    gp_view_narrow_init(&spans->begin_late_ns, count, 2);
    gp_view_narrow_init(&spans->end_early_ns, count, 2);
    gp_view_narrow_init(&spans->end_late_ns, count, 2);
    spans->stream = gp_xalloc(count, sizeof *spans->stream);
    spans->kind = gp_xalloc(count, sizeof *spans->kind);
    spans->source = gp_xalloc(count, sizeof *spans->source);
    spans->engine = gp_xalloc(count, sizeof *spans->engine);
}

static void fill_op(struct gp_view_fill *fill, uint32_t index, const struct gp_op_outline *op)
{
    struct gp_view_spans *spans = &fill->timeline->tables[GP_VIEW_OPS];
    bool is_drawn = op->begin != GP_UNKNOWN && op->end != GP_UNKNOWN;

    spans->begin_ns[index] = is_drawn ? op->begin : GP_UNKNOWN;
    spans->name[index] = op->name;
    spans->stream[index] = (uint8_t)op->stream;
    spans->kind[index] = (uint8_t)op->kind;
    spans->source[index] = (uint8_t)op->source;
    spans->engine[index] = (int8_t)(op->engine > INT8_MAX ? INT8_MAX : op->engine);
    if (!is_drawn) {
        return;
    }
    set(fill, &spans->duration_ns, index, op->end - op->begin);
    set(fill, &spans->waiting_ns, index, distance(op->ready, op->begin));
    set(fill, &spans->begin_early_ns, index, distance(op->begin_lo, op->begin));
    set(fill, &spans->begin_late_ns, index, distance(op->begin, op->begin_hi));
    set(fill, &spans->end_early_ns, index, distance(op->end_lo, op->end));
    set(fill, &spans->end_late_ns, index, distance(op->end, op->end_hi));
}

void gp_view_fill_ops(struct gp_view_fill *fill, uint32_t first,
                      const struct gp_op_outline *outlines, uint32_t count)
{
    assert((uint64_t)first + count <= fill->timeline->tables[GP_VIEW_OPS].count);
    for (uint32_t i = 0; i < count; i++) {
        fill_op(fill, first + i, &outlines[i]);
    }
}

/* ---- the host ------------------------------------------------------------------------------ */

/* Texts of rows are the reader's own: which of them it is, is found by its address. */
struct place {
    const char *text;
    uint32_t name;
};

struct places {
    struct place *items;
    uint32_t count;
    const struct place *last; /* rows that follow one another often share it */
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    return ((uintptr_t)a->text > (uintptr_t)b->text) - ((uintptr_t)a->text < (uintptr_t)b->text);
}

static struct places make_places(const struct gp_view_fill *fill)
{
    struct places places = {.count = fill->timeline->name_count};

    places.items = gp_xalloc(places.count, sizeof *places.items);
    for (uint32_t i = 0; i < places.count; i++) {
        places.items[i] = (struct place){fill->strings[i], i};
    }
    qsort(places.items, places.count, sizeof *places.items, compare_places);
    return places;
}

static uint32_t find_name(struct places *places, const char *text)
{
    const struct place key = {text, 0};

    if (places->last == NULL || places->last->text != text) {
        places->last = bsearch(&key, places->items, places->count, sizeof key, compare_places);
        assert(places->last != NULL);
    }
    return places->last->name;
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The different numbers among all; as many as get rows of their own. */
static void keep_threads(struct gp_view_timeline *timeline, uint32_t *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    timeline->threads = gp_xalloc(GP_VIEW_THREADS_MAX, sizeof *timeline->threads);
    for (size_t i = 0; i < count && timeline->thread_count < GP_VIEW_THREADS_MAX; i++) {
        if (i == 0 || numbers[i] != numbers[i - 1]) {
            timeline->threads[timeline->thread_count++] = numbers[i];
        }
    }
}

static uint16_t find_thread(const struct gp_view_timeline *timeline, uint32_t number)
{
    uint32_t low = 0, high = timeline->thread_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (timeline->threads[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint16_t)(low < timeline->thread_count ? low : timeline->thread_count - 1);
}

static void init_host(struct gp_view_spans *spans, uint32_t count)
{
    spans->count = count;
    spans->begin_ns = gp_xalloc(count, sizeof *spans->begin_ns);
    gp_view_narrow_init(&spans->duration_ns, count, 4);
    spans->name = gp_xalloc(count, sizeof *spans->name);
    spans->thread = gp_xalloc(count, sizeof *spans->thread);
}

/* The columns that ranges and calls share. */
static void fill_host(struct gp_view_fill *fill, struct gp_view_spans *spans, uint32_t index,
                      int64_t begin_ns, int64_t end_ns)
{
    bool is_drawn = begin_ns != GP_UNKNOWN && end_ns != GP_UNKNOWN;

    spans->begin_ns[index] = is_drawn ? begin_ns : GP_UNKNOWN;
    set(fill, &spans->duration_ns, index, is_drawn ? end_ns - begin_ns : 0);
}

void gp_view_fill_host(struct gp_view_fill *fill, const struct gp_range_row *ranges,
                       uint32_t range_count, const struct gp_call_row *calls, uint32_t call_count)
{
    struct gp_view_timeline *timeline = fill->timeline;
    struct gp_view_spans *spans = &timeline->tables[GP_VIEW_RANGES];
    struct places places = make_places(fill);
    uint32_t *numbers = gp_xalloc((size_t)range_count + call_count, sizeof *numbers);

    for (uint32_t i = 0; i < range_count; i++) {
        numbers[i] = ranges[i].thread;
    }
    for (uint32_t i = 0; i < call_count; i++) {
        numbers[range_count + i] = calls[i].thread;
    }
    keep_threads(timeline, numbers, (size_t)range_count + call_count);
    init_host(spans, range_count);
    for (uint32_t i = 0; i < range_count; i++) {
        fill_host(fill, spans, i, ranges[i].begin, ranges[i].end);
        spans->name[i] = find_name(&places, ranges[i].text);
        spans->thread[i] = find_thread(timeline, ranges[i].thread);
    }
    spans = &timeline->tables[GP_VIEW_CALLS];
    init_host(spans, call_count);
    spans->op = gp_xalloc(call_count, sizeof *spans->op);
    for (uint32_t i = 0; i < call_count; i++) {
        fill_host(fill, spans, i, calls[i].begin, calls[i].end);
        spans->name[i] = find_name(&places, calls[i].name);
        spans->thread[i] = find_thread(timeline, calls[i].thread);
        spans->op[i] = calls[i].op == GP_UNKNOWN ? GP_VIEW_NONE : (uint32_t)calls[i].op;
    }
    gp_free(numbers);
    gp_free(places.items);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void copy_streams(struct gp_view_timeline *timeline, const struct gp_stream_row *streams,
                         uint32_t count)
{
    timeline->streams = gp_xalloc(count, sizeof *timeline->streams);
    timeline->stream_count = count;
    for (uint32_t i = 0; i < count; i++) {
        timeline->streams[i] = (struct gp_view_stream){
            .id = streams[i].id,
            .device = streams[i].device,
            .priority = streams[i].priority,
            .name = gp_xcopy(streams[i].name),
            .role = gp_xcopy(streams[i].role),
        };
    }
}

struct gp_view_timeline *gp_view_fill_begin(struct gp_view_fill *fill,
                                            const struct gp_view_head *head, uint32_t op_count)
{
    struct gp_view_timeline *timeline = gp_xalloc(1, sizeof *timeline);

    *fill = (struct gp_view_fill){.timeline = timeline, .strings = head->strings};
    (void)pthread_mutex_init(&fill->lock, NULL);
    timeline->run = head->run->id;
    timeline->makespan_ns = head->run->makespan_ns;
    timeline->device = gp_xcopy(head->device->name);
    timeline->is_modelled = head->device->kind == GP_ORIGIN_MODEL;
    copy_streams(timeline, head->streams, head->stream_count);
    init_ops(&timeline->tables[GP_VIEW_OPS], op_count);
    timeline->names = gp_xalloc(head->string_count, sizeof *timeline->names);
    timeline->name_count = head->string_count;
    for (uint32_t i = 0; i < head->string_count; i++) {
        timeline->names[i] = gp_xcopy(head->strings[i]);
    }
    return timeline;
}

void gp_view_fill_end(struct gp_view_fill *fill)
{
    for (int i = 0; i < GP_VIEW_TABLE_COUNT; i++) {
        struct gp_view_spans *spans = &fill->timeline->tables[i];

        gp_view_narrow_seal(&spans->duration_ns);
        gp_view_narrow_seal(&spans->waiting_ns);
        gp_view_narrow_seal(&spans->begin_early_ns);
        gp_view_narrow_seal(&spans->begin_late_ns);
        gp_view_narrow_seal(&spans->end_early_ns);
        gp_view_narrow_seal(&spans->end_late_ns);
    }
    (void)pthread_mutex_destroy(&fill->lock);
}
