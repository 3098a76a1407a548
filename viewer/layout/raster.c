/* Pieces onto pixels: see raster.h. */
#include "viewer/layout/raster.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "probe/memory.h"

/* A span that is at least so many pixels wide ends with one that is paler. */
#define GAP_FROM 3.0
/* An edge that is known no better than to so many pixels is drawn soft. */
#define SOFT_FROM 2.0
/* The least that a pixel with something in it shows. */
#define ALPHA_MIN 0.35

void gp_view_asked_forget(struct gp_view_asked *asked)
{
    for (uint32_t i = 0; i < asked->lane_count; i++) {
        gp_free(asked->lanes[i].pieces.items);
    }
    gp_free(asked->lanes);
    *asked = (struct gp_view_asked){0};
}

void gp_view_raster_begin(struct gp_view_raster *raster, struct gp_view_window window,
                          uint32_t columns)
{
    assert(columns > 0 && window.begin_ns < window.end_ns);
    if (raster->columns != columns) {
        gp_free(raster->pixels);
        raster->pixels = gp_xalloc(columns, sizeof *raster->pixels);
    }
    raster->window = window;
    raster->columns = columns;
    raster->per_ns = columns / (double)(window.end_ns - window.begin_ns);
    for (uint32_t i = 0; i < columns; i++) {
        raster->pixels[i] = (struct gp_view_pixel){.name = GP_VIEW_NONE};
    }
}

void gp_view_raster_finish(struct gp_view_raster *raster)
{
    gp_free(raster->pixels);
    gp_view_asked_forget(&raster->own);
    *raster = (struct gp_view_raster){0};
}

/* The library's fmin and fmax mind NANs, a hundred thousand times a frame. */
static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double column_of(const struct gp_view_raster *raster, int64_t at_ns)
{
    return (double)(at_ns - raster->window.begin_ns) * raster->per_ns;
}

static void mark(struct gp_view_pixel *pixel, uint32_t name, double part)
{
    pixel->busy += (float)part;
    if (pixel->name == GP_VIEW_NONE || (float)part > pixel->most) {
        pixel->name = name;
        pixel->most = (float)part;
    }
}

/* Spreads shares over the columns that [from, to] covers; some of it is inside. */
static void spread(struct gp_view_raster *raster, double from, double to,
                   const struct gp_view_piece *piece)
{
    double busy = (double)piece->busy / UINT16_MAX, waiting = (double)piece->waiting / UINT16_MAX;
    uint32_t begin = from <= 0 ? 0 : (uint32_t)from;
    uint32_t end = to >= raster->columns ? raster->columns : (uint32_t)to;

    /* A piece that ends on a column's edge does not touch that column, unless it is only there. */
    end += end < raster->columns && ((double)end < to || end == begin);
    for (uint32_t i = begin; i < end; i++) {
        double covered = larger(smaller(to, i + 1.0) - larger(from, i), 0);

        if (piece->busy > 0) {
            mark(&raster->pixels[i], piece->name, covered * busy);
        }
        raster->pixels[i].waiting += (float)(covered * waiting);
    }
}

/* Where an edge of a span may lie, in columns. */
struct edge {
    double early, late;
};

static bool is_soft(const struct edge *edge)
{
    return edge->late - edge->early >= SOFT_FROM;
}

/* How certain it is that the edge lies before a place. */
static double passed(const struct edge *edge, double at)
{
    return smaller(larger((at - edge->early) / (edge->late - edge->early), 0), 1);
}

static struct edge edge_of(const struct gp_view_raster *raster, int64_t at_ns, int64_t early_ns,
                           int64_t late_ns)
{
    return (struct edge){column_of(raster, at_ns - early_ns), column_of(raster, at_ns + late_ns)};
}

/* A span that is wide enough for edges of its own. */
static void add_span(struct gp_view_raster *raster, const struct gp_view_spans *spans,
                     const struct gp_view_piece *piece)
{
    double from = round(column_of(raster, piece->begin_ns));
    double to = round(column_of(raster, piece->end_ns));
    struct edge begin = {from, from}, end = {to, to};

    if (spans->begin_early_ns.count > 0) {
        begin = edge_of(raster, gp_view_begin_ns(spans, piece->span),
                        gp_view_narrow_get(&spans->begin_early_ns, piece->span),
                        gp_view_narrow_get(&spans->begin_late_ns, piece->span));
        end = edge_of(raster, gp_view_end_ns(spans, piece->span),
                      gp_view_narrow_get(&spans->end_early_ns, piece->span),
                      gp_view_narrow_get(&spans->end_late_ns, piece->span));
    }
    from = larger(is_soft(&begin) ? floor(begin.early) : from, 0);
    to = is_soft(&end) ? ceil(end.late) : to;
    for (uint32_t i = (uint32_t)smaller(from, raster->columns); i < raster->columns && i < to;
         i++) {
        double part = is_soft(&begin) ? passed(&begin, i + 0.5) : 1;

        if (is_soft(&end)) {
            part *= 1 - passed(&end, i + 0.5);
        } else if (i + 1.0 >= to) {
            part = 0;
        }
        mark(&raster->pixels[i], piece->name, part);
    }
}

/* What is kept is of another window, or of none yet. */
static void renew(struct gp_view_asked *asked, const struct gp_view_raster *raster,
                  const struct gp_view_timeline *timeline)
{
    if (asked->lanes == NULL) {
        asked->lanes = gp_xalloc(timeline->lane_count, sizeof *asked->lanes);
        asked->lane_count = timeline->lane_count;
    }
    if (asked->columns != raster->columns || asked->window.begin_ns != raster->window.begin_ns ||
        asked->window.end_ns != raster->window.end_ns) {
        for (uint32_t i = 0; i < asked->lane_count; i++) {
            asked->lanes[i].is_known = false;
        }
        asked->columns = raster->columns;
        asked->window = raster->window;
    }
}

/* How far spans are folded. Bins of half a pixel, since with whole ones colours would flicker while
 * the window moves; but before millions of spans are looked at one by one, the finest bins that
 * there are will do. */
static double choose_fold(const struct gp_view_pyramid *pyramid, double pixel_ns)
{
    bool has_half = gp_view_pyramid_level(pyramid, pixel_ns / 2) != GP_VIEW_LEVELS_MAX;
    bool has_whole = gp_view_pyramid_level(pyramid, pixel_ns) != GP_VIEW_LEVELS_MAX;

    return !has_half && has_whole ? pixel_ns : pixel_ns / 2;
}

/* The lane's pieces in the window. */
static const struct gp_view_pieces *ask(struct gp_view_raster *raster,
                                        const struct gp_view_timeline *timeline,
                                        const struct gp_view_lane *lane)
{
    const struct gp_view_window *window = &raster->window;
    double pixel_ns = (double)(window->end_ns - window->begin_ns) / raster->columns;
    struct gp_view_asked *asked = raster->asked != NULL ? raster->asked : &raster->own;
    struct gp_view_lane_pieces *kept;

    renew(asked, raster, timeline);
    assert(lane >= timeline->lanes && lane < timeline->lanes + asked->lane_count);
    kept = &asked->lanes[lane - timeline->lanes];
    if (!kept->is_known) {
        gp_view_lane_query(timeline, lane, window->begin_ns, window->end_ns,
                           choose_fold(&lane->pyramid, pixel_ns), &kept->pieces);
        kept->is_known = true;
    }
    return &kept->pieces;
}

void gp_view_raster_add(struct gp_view_raster *raster, const struct gp_view_timeline *timeline,
                        const struct gp_view_lane *lane)
{
    raster->pieces = ask(raster, timeline, lane);
    for (size_t i = 0; i < raster->pieces->count; i++) {
        const struct gp_view_piece *piece = &raster->pieces->items[i];
        double from = column_of(raster, piece->begin_ns), to = column_of(raster, piece->end_ns);

        if (!raster->is_plain && piece->span != GP_VIEW_NONE && piece->busy > 0 &&
            to - from >= GAP_FROM) {
            add_span(raster, gp_view_lane_spans(timeline, lane), piece);
        } else if (to >= 0 && from < raster->columns) {
            spread(raster, from, to, piece);
        }
    }
}

static uint32_t over(uint32_t above, uint32_t below)
{
    uint32_t rest = 255 - (above >> 24), pixel = 0;

    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t part = (above >> shift & 0xff) + ((below >> shift & 0xff) * rest + 127) / 255;

        pixel |= (part < 255 ? part : 255) << shift;
    }
    return pixel;
}

void gp_view_raster_paint(const struct gp_view_raster *raster,
                          const struct gp_view_raster_style *style, uint32_t *out)
{
    double length_ns = (double)(raster->window.end_ns - raster->window.begin_ns);
    /* Stripes move with the time that they lie on. */
    int64_t phase = (int64_t)floor((double)raster->window.begin_ns / length_ns * raster->columns);

    for (uint32_t i = 0; i < raster->columns; i++) {
        const struct gp_view_pixel *pixel = &raster->pixels[i];
        uint32_t color;

        out[i] = 0;
        if (pixel->waiting > 0) {
            int64_t stripe = (phase + i) / style->hatch;
            double share = smaller(pixel->waiting, 1) * (stripe % 2 == 0 ? 0.75 : 0.12);

            out[i] = gp_view_premultiply(style->palette->waiting, share);
        }
        if (pixel->name != GP_VIEW_NONE) {
            double alpha = ALPHA_MIN + (1 - ALPHA_MIN) * smaller(pixel->busy, 1);

            if (style->matches != NULL && style->matches[pixel->name] == 0) {
                alpha *= 0.2;
            }
            color = gp_view_premultiply(style->colors[pixel->name], alpha);
            out[i] = out[i] == 0 ? color : over(color, out[i]);
        }
    }
}
