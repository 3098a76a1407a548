/* A timeline as a picture in a file: see export.h. */
#include "viewer/export.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "probe/memory.h"
#include "viewer/layout/load.h"
#include "viewer/layout/ticks.h"
#include "viewer/matrix.h"
#include "viewer/paint_cairo.h"
#include "viewer/why.h"

enum {
    WIDTH_DEFAULT = 1400,
    WIDTH_MIN = 400,
    SIZE_MAX_POINTS = 14000, /* what PDF readers still show */
    PNG_PIXELS_MAX = 32000,  /* cairo's limit is 32767 */
    MARGIN = 16,
    TITLE_HEIGHT = 44,
    RUNNING_HEIGHT = 48,
    LEGEND_LINE = 18,
    LEGEND_MAX = 24, /* names */
    LEGEND_WIDTH = 230,
    TEXT_BYTES = 300,
};

/* A picture in the making. */
struct picture {
    const struct gp_document *document;
    const struct gp_entry *entry;
    const struct gp_navigator *navigator;
    uint32_t *colors;
    struct gp_view_scene scene;
    struct gp_view_frame ruler, running, rows, over, legend;
    double width, height, legend_height;
};

/* ---- what is drawn --------------------------------------------------------------------------- */

struct usage {
    uint32_t name;
    uint64_t count;
};

static int compare_usages(const void *left, const void *right)
{
    const struct usage *a = left, *b = right;

    if (a->count != b->count) {
        return a->count < b->count ? 1 : -1;
    }
    return (a->name > b->name) - (a->name < b->name);
}

/* The names of operations, the most frequent first. The caller's. */
static struct usage *count_names(const struct gp_view_timeline *timeline, size_t *count)
{
    const struct gp_view_spans *ops = &timeline->tables[GP_VIEW_OPS];
    struct usage *usages = gp_xalloc(timeline->name_count, sizeof *usages);

    for (uint32_t i = 0; i < timeline->name_count; i++) {
        usages[i].name = i;
    }
    for (uint32_t i = 0; i < ops->count; i++) {
        usages[ops->name[i]].count++;
    }
    qsort(usages, timeline->name_count, sizeof *usages, compare_usages);
    *count = 0;
    while (*count < timeline->name_count && usages[*count].count > 0) {
        (*count)++;
    }
    return usages;
}

static void add_sample(struct picture *picture, size_t place, uint32_t color, const char *text)
{
    const struct gp_view_palette *palette = gp_view_palette(picture->scene.theme);
    size_t columns = (size_t)fmax((picture->width - 2 * MARGIN) / LEGEND_WIDTH, 1);
    double x = (double)(place % columns) * LEGEND_WIDTH;
    size_t line = place / columns;
    double y = 6 + (double)line * LEGEND_LINE;

    gp_view_frame_rect(&picture->legend, (struct gp_view_rect){x, y + 3, 12, 12}, color);
    gp_view_frame_text(&picture->legend,
                       (struct gp_view_rect){x + 18, y, LEGEND_WIDTH - 26, LEGEND_LINE},
                       palette->text, GP_VIEW_LEFT, text);
    picture->legend_height = y + LEGEND_LINE + 4;
}

static void lay_legend_out(struct picture *picture)
{
    const struct gp_view_timeline *timeline = picture->navigator->timeline;
    const struct gp_view_palette *palette = gp_view_palette(picture->scene.theme);
    size_t count, shown;
    struct usage *usages = count_names(timeline, &count);
    char text[TEXT_BYTES];

    gp_view_frame_clear(&picture->legend);
    shown = count > LEGEND_MAX ? LEGEND_MAX : count;
    for (size_t i = 0; i < shown; i++) {
        (void)g_snprintf(text, sizeof text, "%s (%" G_GUINT64_FORMAT ")",
                         timeline->names[usages[i].name], usages[i].count);
        add_sample(picture, i, picture->colors[usages[i].name], text);
    }
    if (count > shown) {
        (void)g_snprintf(text, sizeof text, "and %zu more names", count - shown);
        add_sample(picture, shown++, palette->muted, text);
    }
    add_sample(picture, shown, palette->waiting, "waiting: ready, but not running (hatched)");
    gp_free(usages);
}

/* Rows are laid out twice: how high they are is known afterwards. */
static void lay_out(struct picture *picture, int height)
{
    struct gp_view_scene *scene = &picture->scene;
    struct gp_view_scene running = *scene;
    struct gp_view_overlay overlay = gp_navigator_overlay(picture->navigator);
    double fixed = 2 * MARGIN + TITLE_HEIGHT + scene->metrics.ruler_height + RUNNING_HEIGHT;

    lay_legend_out(picture);
    fixed += picture->legend_height;
    scene->height = 1;
    gp_view_layout_rows(scene, &picture->rows);
    scene->height = height > 0 ? fmax(height - fixed, 40) : ceil(picture->rows.content_height);
    scene->height = fmin(scene->height, SIZE_MAX_POINTS - fixed);
    gp_view_layout_rows(scene, &picture->rows);
    gp_view_layout_ruler(scene, &picture->ruler);
    running.height = RUNNING_HEIGHT;
    gp_view_layout_running(&running, picture->navigator->idle, picture->navigator->idle_count,
                           &picture->running);
    overlay.hovered.span = GP_VIEW_NONE;
    overlay.cursor_ns = GP_UNKNOWN;
    gp_view_layout_overlay(scene, &overlay, &picture->over);
    picture->height = fixed + scene->height;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_title(const struct picture *picture, cairo_t *cr, PangoLayout *layout)
{
    const struct gp_cell_row *cell = gp_document_cell(picture->document, picture->entry);
    const struct gp_device_row *device = gp_document_device(picture->document, picture->entry);
    const struct gp_view_palette *palette = gp_view_palette(picture->scene.theme);
    const char *created = gp_reader_key(picture->document->reader, "created");
    struct gp_view_frame frame = {0};
    char text[TEXT_BYTES], makespan[40];

    gp_view_format_time(picture->entry->makespan_ns, 0, makespan, sizeof makespan);
    (void)g_snprintf(text, sizeof text, "%s, %s with %d stream%s (%s run of %s)", cell->scenario,
                     cell->policy, (int)cell->streams, cell->streams == 1 ? "" : "s",
                     gp_pass_name(picture->entry->pass), makespan);
    gp_view_frame_text(&frame, (struct gp_view_rect){0, 0, picture->width - 2 * MARGIN, 18},
                       palette->text, GP_VIEW_LEFT, text);
    frame.items[0].u.text.is_bold = true;
    (void)g_snprintf(text, sizeof text, "%s: %s%s%s", gp_document_origin(device), device->name,
                     created != NULL ? ", recorded " : "", created != NULL ? created : "");
    gp_view_frame_text(&frame, (struct gp_view_rect){0, 18, picture->width - 2 * MARGIN, 18},
                       palette->muted, GP_VIEW_LEFT, text);
    gp_paint_cairo(cr, layout, &frame);
    gp_view_frame_finish(&frame);
}

static void draw_part(cairo_t *cr, PangoLayout *layout, const struct gp_view_frame *frame,
                      double width, double height)
{
    cairo_save(cr);
    cairo_rectangle(cr, 0, 0, width, height);
    cairo_clip(cr);
    gp_paint_cairo(cr, layout, frame);
    cairo_restore(cr);
    cairo_translate(cr, 0, height);
}

static void draw(const struct picture *picture, cairo_t *cr)
{
    PangoLayout *layout = pango_cairo_create_layout(cr);
    PangoFontDescription *font = pango_font_description_from_string("Sans");
    double width = picture->scene.width;

    pango_context_set_font_description(pango_layout_get_context(layout), font);
    pango_font_description_free(font);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_translate(cr, MARGIN, MARGIN);
    draw_title(picture, cr, layout);
    cairo_translate(cr, 0, TITLE_HEIGHT);
    draw_part(cr, layout, &picture->ruler, width, picture->scene.metrics.ruler_height);
    draw_part(cr, layout, &picture->running, width, RUNNING_HEIGHT);
    cairo_save(cr);
    cairo_rectangle(cr, 0, 0, width, picture->scene.height);
    cairo_clip(cr);
    gp_paint_cairo(cr, layout, &picture->rows);
    gp_paint_cairo(cr, layout, &picture->over);
    cairo_restore(cr);
    cairo_translate(cr, 0, picture->scene.height);
    draw_part(cr, layout, &picture->legend, width, picture->legend_height);
    g_object_unref(layout);
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef cairo_surface_t *make_surface(const char *path, double width, double height);

static cairo_surface_t *make_png(const char *path, double width, double height)
{
    (void)path;
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width), (int)ceil(height));
}

static const struct {
    const char *end;
    make_surface *make;
    bool is_picture; /* of pixels */
} formats[] = {
    {".png", make_png, true},
    {".svg", cairo_svg_surface_create, false},
    {".pdf", cairo_pdf_surface_create, false},
};

static int find_format(const char *path, size_t *out, struct gp_error *err)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t length = strlen(path), end = strlen(formats[i].end);

        if (length > end && g_ascii_strcasecmp(path + length - end, formats[i].end) == 0) {
            *out = i;
            return 0;
        }
    }
    return gp_fail(err, GP_EINVAL, "%s: a picture's name ends in .png, .svg or .pdf", path);
}

static int write_picture(const struct picture *picture, size_t format, const char *path,
                         struct gp_error *err)
{
    double scale = formats[format].is_picture ? picture->scene.scale : 1;
    cairo_surface_t *surface =
        formats[format].make(path, picture->width * scale, picture->height * scale);
    cairo_t *cr = cairo_create(surface);
    cairo_status_t status;

    cairo_scale(cr, scale, scale);
    draw(picture, cr);
    status = cairo_status(cr);
    cairo_destroy(cr);
    if (status == CAIRO_STATUS_SUCCESS && formats[format].is_picture) {
        status = cairo_surface_write_to_png(surface, path);
    }
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) {
        status = cairo_surface_status(surface);
    }
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS) {
        return gp_fail(err, GP_EIO, "%s cannot be written: %s", path,
                       cairo_status_to_string(status));
    }
    return 0;
}

/* A vector format gets strips of this many pixels to a point, so that they stay sharp on paper. */
static double scale_of(const struct gp_export_options *options, size_t format, double width)
{
    double scale = options->scale > 0 ? options->scale : 2;

    return fmin(formats[format].is_picture ? scale : 4, floor(PNG_PIXELS_MAX / width));
}

int gp_export_timeline(const struct gp_document *document, const struct gp_entry *entry,
                       const struct gp_navigator *navigator,
                       const struct gp_export_options *options, struct gp_error *err)
{
    const struct gp_view_timeline *timeline = navigator->timeline;
    struct picture picture = {.document = document, .entry = entry, .navigator = navigator};
    size_t format = 0;
    int code = find_format(options->path, &format, err);

    if (code != 0) {
        return code;
    }
    picture.width =
        fmin(fmax(options->width > 0 ? options->width : WIDTH_DEFAULT, WIDTH_MIN), SIZE_MAX_POINTS);
    picture.colors = gp_xalloc(timeline->name_count, sizeof *picture.colors);
    gp_view_color_names(GP_VIEW_LIGHT, (const char *const *)timeline->names, timeline->name_count,
                        picture.colors);
    picture.scene = (struct gp_view_scene){
        .timeline = timeline,
        .rows = navigator->rows,
        .window = navigator->window,
        .width = picture.width - 2 * MARGIN,
        .scale = scale_of(options, format, picture.width),
        .theme = GP_VIEW_LIGHT,
        .colors = picture.colors,
        .metrics = {.header_width = 180, .ruler_height = 28},
        .matches = navigator->matches,
    };
    lay_out(&picture, options->height);
    code = write_picture(&picture, format, options->path, err);
    gp_view_frame_finish(&picture.ruler);
    gp_view_frame_finish(&picture.running);
    gp_view_frame_finish(&picture.rows);
    gp_view_frame_finish(&picture.over);
    gp_view_frame_finish(&picture.legend);
    gp_free(picture.colors);
    return code;
}

static int load_columns(const char *path, int64_t run, struct gp_view_timeline **out,
                        struct gp_error *err)
{
    struct gp_view_load_options options = {.path = path, .run = run};
    struct gp_view_load *load;

    if (gp_view_load_begin(&options, &load, err) != 0) {
        return err->code;
    }
    return gp_view_load_finish(load, out, err);
}

int gp_export_file(const char *recording, const char *cell, const struct gp_export_options *options,
                   struct gp_error *err)
{
    struct gp_document *document = NULL;
    struct gp_view_timeline *columns = NULL;
    const struct gp_entry *entry = NULL;
    struct gp_why *why = NULL;
    struct gp_error no_causes = {0};
    struct gp_navigator navigator;
    int code = gp_document_open(recording, &document, err);

    if (code == 0) {
        code = gp_document_find(document, cell, &entry, err);
    }
    if (entry != NULL && entry->run == 0) {
        code = gp_fail(err, GP_ENOTFOUND,
                       "%s: this cell was not traced, so there are no operations to draw; choose "
                       "another with --cell",
                       recording);
    }
    if (code == 0 && entry != NULL) {
        code = load_columns(document->path, entry->run, &columns, err);
    }
    if (columns != NULL) {
        gp_navigator_init(&navigator, columns);
        /* Idle time without its causes is still worth a picture. */
        if (gp_why_load(document->path, gp_document_cell(document, entry)->id, entry->run,
                        (struct gp_heed){NULL, NULL}, &why, &no_causes) == 0) {
            navigator.idle = why->idle;
            navigator.idle_count = why->idle_count;
        }
        code = gp_export_timeline(document, entry, &navigator, options, err);
        gp_navigator_finish(&navigator);
    }
    gp_why_destroy(why);
    gp_view_timeline_destroy(columns);
    gp_document_close(document);
    return code;
}
