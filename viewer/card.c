/* What a span is in a few words: see card.h. */
#include "viewer/card.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "viewer/layout/idle.h"
#include "viewer/layout/ticks.h"

enum { LINES_MAX = 6, LINE_BYTES = 160, TIME_BYTES = 40 };

static const double line_height = 16, padding = 7, distance = 14, letter_width = 6.6;

struct lines {
    char texts[LINES_MAX][LINE_BYTES];
    size_t count;
};

static const char *time_text(int64_t ns, char text[TIME_BYTES])
{
    gp_view_format_time(ns, 0, text, TIME_BYTES);
    return text;
}

/* Where the span ran: "stream 2", "thread 0". */
static void place_text(const struct gp_view_timeline *timeline, struct gp_view_pick pick,
                       char *text, size_t size)
{
    const struct gp_view_spans *spans = &timeline->tables[pick.table];

    if (pick.table == GP_VIEW_OPS && spans->stream[pick.span] < timeline->stream_count) {
        const struct gp_view_stream *stream = &timeline->streams[spans->stream[pick.span]];

        (void)snprintf(text, size, "%s on stream %u%s%s",
                       gp_op_kind_name((enum gp_op_kind)spans->kind[pick.span]), stream->id,
                       stream->role[0] != '\0' ? ", " : "", stream->role);
    } else if (spans->thread != NULL && spans->thread[pick.span] < timeline->thread_count) {
        (void)snprintf(text, size, "%s of host thread %u",
                       pick.table == GP_VIEW_CALLS ? "call" : "range",
                       timeline->threads[spans->thread[pick.span]]);
    } else {
        (void)snprintf(text, size, "host");
    }
}

static const char *name_of(const struct gp_view_timeline *timeline, struct gp_view_pick pick)
{
    uint32_t name = timeline->tables[pick.table].name[pick.span];

    return name < timeline->name_count ? timeline->names[name] : "?";
}

/* How far begin and end may be from where they are drawn. */
static int64_t doubt_of(const struct gp_view_spans *spans, uint32_t span)
{
    return gp_view_narrow_get(&spans->begin_early_ns, span) +
           gp_view_narrow_get(&spans->begin_late_ns, span) +
           gp_view_narrow_get(&spans->end_early_ns, span) +
           gp_view_narrow_get(&spans->end_late_ns, span);
}

static void write_lines(const struct gp_navigator *navigator, struct lines *lines)
{
    const struct gp_view_timeline *timeline = navigator->timeline;
    struct gp_view_pick pick = navigator->hovered;
    const struct gp_view_spans *spans = &timeline->tables[pick.table];
    char a[TIME_BYTES], b[TIME_BYTES];
    int64_t ready, begin, end;

    lines->count = 0;
    (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "%s", name_of(timeline, pick));
    place_text(timeline, pick, lines->texts[lines->count++], LINE_BYTES);
    if (!gp_navigator_times(navigator, pick, &ready, &begin, &end)) {
        (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "times unknown");
        return;
    }
    (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "%s from %s",
                   time_text(end - begin, a), time_text(begin, b));
    if (ready < begin) {
        (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "waited %s",
                       time_text(begin - ready, a));
    }
    if (pick.table == GP_VIEW_OPS) {
        int64_t doubt = doubt_of(spans, pick.span);

        (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "known by %s%s%s",
                       gp_source_name((enum gp_source)spans->source[pick.span]),
                       doubt > 0 ? ", intervals " : "", doubt > 0 ? time_text(doubt, a) : "");
    }
}

/* How many run at the cursor, or what the device waits for there. */
static void write_running(const struct gp_navigator *navigator, struct lines *lines)
{
    const struct gp_view_idle *idle =
        gp_view_idle_at(navigator->idle, navigator->idle_count, navigator->cursor_ns);
    uint32_t running = gp_view_running_at(navigator->timeline, navigator->cursor_ns);
    char a[TIME_BYTES], b[TIME_BYTES];

    lines->count = 0;
    if (running > 0) {
        (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "%u run%s", running,
                       running == 1 ? "s" : "");
    } else {
        (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "nothing runs");
    }
    (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "at %s",
                   time_text(navigator->cursor_ns, a));
    if (running == 0 && idle != NULL) {
        (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "%s",
                       gp_view_idle_text((enum gp_view_idle_kind)idle->kind));
        (void)snprintf(lines->texts[lines->count++], LINE_BYTES, "%s from %s",
                       time_text(idle->end_ns - idle->begin_ns, a), time_text(idle->begin_ns, b));
    }
}

/* Beside the place, where there is room for it; the first line is bold. */
static void lay_out(struct gp_view_frame *frame, const struct lines *lines,
                    enum gp_view_theme theme, struct gp_view_rect at)
{
    const struct gp_view_palette *palette = gp_view_palette(theme);
    struct gp_view_rect box = {.width = 0};

    for (size_t i = 0; i < lines->count; i++) {
        box.width = fmax(box.width, (double)g_utf8_strlen(lines->texts[i], -1) * letter_width);
    }
    box.width = fmin(box.width + 2 * padding, 420);
    box.height = (double)lines->count * line_height + 2 * padding;
    box.x = floor(at.x + distance + box.width > at.width ? fmax(at.x - distance - box.width, 0)
                                                         : at.x + distance);
    box.y = floor(at.y + distance + box.height > at.height ? fmax(at.y - distance - box.height, 0)
                                                           : at.y + distance);
    gp_view_frame_clear(frame);
    gp_view_frame_rect(frame, box, palette->header | 0xff000000u);
    gp_view_frame_outline(frame, box, palette->muted, 1);
    for (size_t i = 0; i < lines->count; i++) {
        struct gp_view_rect line = {box.x + padding, box.y + padding + (double)i * line_height,
                                    box.width - 2 * padding, line_height};

        gp_view_frame_text(frame, line, palette->text, GP_VIEW_LEFT, lines->texts[i]);
        frame->items[frame->item_count - 1].u.text.is_bold = i == 0;
    }
}

void gp_card_layout(struct gp_view_frame *frame, const struct gp_navigator *navigator,
                    enum gp_view_theme theme, struct gp_view_rect at)
{
    struct lines lines;

    write_lines(navigator, &lines);
    lay_out(frame, &lines, theme, at);
}

void gp_card_layout_running(struct gp_view_frame *frame, const struct gp_navigator *navigator,
                            enum gp_view_theme theme, struct gp_view_rect at)
{
    struct lines lines;

    write_running(navigator, &lines);
    lay_out(frame, &lines, theme, at);
}

char *gp_card_describe(const struct gp_navigator *navigator, struct gp_view_pick pick)
{
    char place[LINE_BYTES], duration[TIME_BYTES], at[TIME_BYTES], waited[TIME_BYTES];
    int64_t ready, begin, end;

    if (pick.span == GP_VIEW_NONE) {
        return g_strdup("nothing selected");
    }
    place_text(navigator->timeline, pick, place, sizeof place);
    if (!gp_navigator_times(navigator, pick, &ready, &begin, &end)) {
        return g_strdup_printf("selected %s, %s, times unknown", name_of(navigator->timeline, pick),
                               place);
    }
    return g_strdup_printf("selected %s, %s, %s from %s%s%s", name_of(navigator->timeline, pick),
                           place, time_text(end - begin, duration), time_text(begin, at),
                           ready < begin ? ", waited " : "",
                           ready < begin ? time_text(begin - ready, waited) : "");
}
