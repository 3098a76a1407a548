/* What a painter is given: see frame.h. */
#include "viewer/layout/frame.h"

#include <assert.h>
#include <string.h>

#include "probe/memory.h"

void gp_view_frame_finish(struct gp_view_frame *frame)
{
    gp_free(frame->strips);
    gp_free(frame->pixels);
    gp_free(frame->items);
    gp_free(frame->texts);
    gp_free(frame->regions);
    *frame = (struct gp_view_frame){0};
}

void gp_view_frame_clear(struct gp_view_frame *frame)
{
    frame->strip_count = frame->pixel_count = frame->item_count = 0;
    frame->text_count = frame->region_count = frame->under_count = 0;
    frame->content_height = 0;
}

void gp_view_frame_lift(struct gp_view_frame *frame)
{
    frame->under_count = frame->item_count;
}

static struct gp_view_item *add(struct gp_view_frame *frame, struct gp_view_item item)
{
    frame->items =
        gp_xgrow(frame->items, &frame->item_capacity, frame->item_count + 1, sizeof *frame->items);
    frame->items[frame->item_count] = item;
    return &frame->items[frame->item_count++];
}

void gp_view_frame_rect(struct gp_view_frame *frame, struct gp_view_rect rect, uint32_t color)
{
    (void)add(frame, (struct gp_view_item){.kind = GP_VIEW_RECT, .color = color, .rect = rect});
}

void gp_view_frame_outline(struct gp_view_frame *frame, struct gp_view_rect rect, uint32_t color,
                           double width)
{
    (void)add(frame,
              (struct gp_view_item){
                  .kind = GP_VIEW_OUTLINE, .color = color, .rect = rect, .u.line.width = width});
}

void gp_view_frame_line(struct gp_view_frame *frame, struct gp_view_rect line, uint32_t color,
                        bool is_dashed)
{
    (void)add(frame, (struct gp_view_item){.kind = GP_VIEW_LINE,
                                           .color = color,
                                           .rect = line,
                                           .u.line = {.width = 1, .is_dashed = is_dashed}});
}

void gp_view_frame_text(struct gp_view_frame *frame, struct gp_view_rect box, uint32_t color,
                        enum gp_view_align align, const char *text)
{
    size_t size = strlen(text) + 1;

    frame->texts = gp_xgrow(frame->texts, &frame->text_capacity, frame->text_count + size, 1);
    memcpy(frame->texts + frame->text_count, text, size);
    (void)add(frame, (struct gp_view_item){.kind = GP_VIEW_TEXT,
                                           .color = color,
                                           .rect = box,
                                           .u.text = {.first = frame->text_count, .align = align}});
    frame->text_count += size;
}

void gp_view_frame_bezier(struct gp_view_frame *frame, struct gp_view_rect line, uint32_t color)
{
    double middle = line.x + line.width / 2;
    struct gp_view_item *item =
        add(frame, (struct gp_view_item){.kind = GP_VIEW_BEZIER, .color = color, .rect = line});

    /* Leaves and arrives along the time axis, also when it goes back. */
    item->u.control.x1 = line.width > 24 ? middle : line.x + 12;
    item->u.control.x2 = line.width > 24 ? middle : line.x + line.width - 12;
    item->u.control.y1 = line.y;
    item->u.control.y2 = line.y + line.height;
}

uint32_t *gp_view_frame_strip(struct gp_view_frame *frame, const struct gp_view_strip *strip)
{
    size_t count = (size_t)strip->columns * strip->lines;
    struct gp_view_strip *added;

    frame->strips = gp_xgrow(frame->strips, &frame->strip_capacity, frame->strip_count + 1,
                             sizeof *frame->strips);
    frame->pixels = gp_xgrow(frame->pixels, &frame->pixel_capacity, frame->pixel_count + count,
                             sizeof *frame->pixels);
    added = &frame->strips[frame->strip_count++];
    *added = *strip;
    added->first = frame->pixel_count;
    frame->pixel_count += count;
    memset(frame->pixels + added->first, 0, count * sizeof *frame->pixels);
    return frame->pixels + added->first;
}

void gp_view_frame_region(struct gp_view_frame *frame, const struct gp_view_region *region)
{
    frame->regions = gp_xgrow(frame->regions, &frame->region_capacity, frame->region_count + 1,
                              sizeof *frame->regions);
    frame->regions[frame->region_count++] = *region;
}

const struct gp_view_region *gp_view_frame_at(const struct gp_view_frame *frame, double x, double y)
{
    for (size_t i = frame->region_count; i-- > 0;) {
        const struct gp_view_rect *rect = &frame->regions[i].rect;

        if (x >= rect->x && x < rect->x + rect->width && y >= rect->y &&
            y < rect->y + rect->height) {
            return &frame->regions[i];
        }
    }
    return NULL;
}
