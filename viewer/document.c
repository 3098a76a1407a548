/* A recording as the window shows it: see document.h. */
#include "viewer/document.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/import/import.h"
#include "probe/memory.h"
#include "viewer/cell_text.h"
#include "viewer/room.h"

/* The figure that counts, of the plain runs that do. */
static double median_of(const struct gp_run_row *runs, uint32_t count)
{
    double *makespans_ns = gp_xalloc(count, sizeof *makespans_ns), median_ns = NAN;
    uint32_t plain_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (runs[i].pass == GP_PASS_PLAIN && runs[i].status == GP_STATUS_COMPLETE &&
            runs[i].makespan_ns != GP_UNKNOWN) {
            makespans_ns[plain_count++] = (double)runs[i].makespan_ns;
        }
    }
    if (plain_count > 0) {
        median_ns = gp_figure_median(makespans_ns, plain_count).median;
    }
    gp_free(makespans_ns);
    return median_ns;
}

/* The entries of one cell: each run that kept operations, else one for the cell alone. */
static int add_cell(struct gp_document *document, size_t *capacity, uint32_t index,
                    struct gp_error *err)
{
    uint32_t cell_count, count;
    const struct gp_cell_row *cell = &gp_reader_cells(document->reader, &cell_count)[index];
    struct gp_run_row *runs;
    uint32_t before = document->entry_count;
    double median_ns;
    int code = gp_reader_runs(document->reader, cell->id, &runs, &count, err);

    if (code != 0) {
        return code;
    }
    median_ns = median_of(runs, count);
    document->entries = gp_xgrow(document->entries, capacity, (size_t)before + count + 1,
                                 sizeof *document->entries);
    for (uint32_t i = 0; i < count; i++) {
        if (runs[i].op_count > 0) {
            document->entries[document->entry_count++] = (struct gp_entry){
                .cell = index,
                .run = runs[i].id,
                .makespan_ns = runs[i].makespan_ns,
                .median_ns = median_ns,
                .epoch_realtime_ns = runs[i].epoch_realtime_ns,
                .pass = runs[i].pass,
                .op_count = runs[i].op_count,
                .repeat = runs[i].repeat,
            };
        }
    }
    if (document->entry_count == before) {
        document->entries[document->entry_count++] = (struct gp_entry){.cell = index,
                                                                       .makespan_ns = GP_UNKNOWN,
                                                                       .median_ns = median_ns,
                                                                       .pass = GP_PASS_PLAIN};
    }
    gp_free(runs);
    return 0;
}

static void tell_apart(struct gp_document *document)
{
    uint32_t count;
    const struct gp_cell_row *cells = gp_reader_cells(document->reader, &count);
    const struct gp_device_row **devices = gp_xalloc(count, sizeof *devices);

    for (uint32_t i = 0; i < count; i++) {
        devices[i] = gp_reader_device(document->reader, cells[i].device);
    }
    document->differences = gp_cell_differences(cells, devices, count);
    gp_free(devices);
}

int gp_document_open(const char *path, struct gp_document **out, struct gp_error *err)
{
    struct gp_document *document = gp_xalloc(1, sizeof *document);
    const char *recording;
    size_t capacity = 0;
    uint32_t count = 0;
    int code;

    *out = NULL;
    code = gp_import_resolve(path, &document->scratch, &recording, err);
    if (code == 0) {
        document->path = gp_xcopy(recording);
        code = gp_reader_open(recording, &document->reader, err);
    }
    if (code == 0) {
        (void)gp_reader_cells(document->reader, &count);
        if (count == 0) {
            code = gp_fail(err, GP_ENOTFOUND, "%s holds no cells: nothing was run into it", path);
        }
    }
    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = add_cell(document, &capacity, i, err);
    }
    if (code != 0) {
        gp_document_close(document);
        return code;
    }
    tell_apart(document);
    *out = document;
    return 0;
}

void gp_document_close(struct gp_document *document)
{
    if (document != NULL) {
        gp_reader_close(document->reader);
        gp_scratch_finish(&document->scratch);
        gp_free(document->entries);
        gp_free(document->differences);
        gp_free(document->path);
        gp_free(document);
    }
}

const struct gp_cell_row *gp_document_cell(const struct gp_document *document,
                                           const struct gp_entry *entry)
{
    uint32_t count;
    const struct gp_cell_row *cells = gp_reader_cells(document->reader, &count);

    assert(entry != NULL && entry->cell < count);
    return &cells[entry->cell];
}

const struct gp_device_row *gp_document_device(const struct gp_document *document,
                                               const struct gp_entry *entry)
{
    return gp_reader_device(document->reader, gp_document_cell(document, entry)->device);
}

const char *gp_document_difference(const struct gp_document *document, const struct gp_entry *entry)
{
    return document->differences[entry->cell];
}

/* Whether the text is one of the names that a cell goes by. */
static bool is_named(const struct gp_cell_row *cell, const char *text)
{
    char name[3 * GP_NAME_BYTES_MAX];

    (void)snprintf(name, sizeof name, "%lld", (long long)cell->id);
    if (strcmp(text, name) == 0 || strcmp(text, cell->policy) == 0) {
        return true;
    }
    (void)snprintf(name, sizeof name, "%s/%d", cell->policy, (int)cell->streams);
    if (strcmp(text, name) == 0) {
        return true;
    }
    (void)snprintf(name, sizeof name, "%s/%s/%d", cell->scenario, cell->policy, (int)cell->streams);
    return strcmp(text, name) == 0;
}

/* All cells by their middle name, as many as the text of an error holds. */
static int fail_unknown(const struct gp_document *document, const char *text, struct gp_error *err)
{
    char names[320] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < document->entry_count && used < sizeof names; i++) {
        const struct gp_cell_row *cell = gp_document_cell(document, &document->entries[i]);

        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s/%d", i > 0 ? ", " : "",
                                 cell->policy, (int)cell->streams);
    }
    return gp_fail(err, GP_ENOTFOUND, "no cell '%s'; there are %s%s", text, names,
                   used >= sizeof names ? " ..." : "");
}

int gp_document_find(const struct gp_document *document, const char *text,
                     const struct gp_entry **out, struct gp_error *err)
{
    const struct gp_entry *found = NULL;

    for (uint32_t i = 0; i < document->entry_count; i++) {
        const struct gp_entry *entry = &document->entries[i];

        if (text != NULL && !is_named(gp_document_cell(document, entry), text)) {
            continue;
        }
        if (found == NULL || (found->run == 0 && entry->run != 0)) {
            found = entry;
        }
    }
    if (found == NULL) {
        return fail_unknown(document, text, err);
    }
    *out = found;
    return 0;
}

const char *gp_document_origin(const struct gp_device_row *device)
{
    switch (device->kind) {
    case GP_ORIGIN_MODEL:
        return "modelled";
    case GP_ORIGIN_IMPORTED:
        return "imported";
    default:
        return "measured";
    }
}

/* The most operations that a run of the cells keeps. */
static int find_largest(struct gp_reader *reader, uint32_t *largest, struct gp_error *err)
{
    uint32_t cell_count;
    const struct gp_cell_row *cells = gp_reader_cells(reader, &cell_count);
    int code = 0;

    *largest = 0;
    for (uint32_t i = 0; i < cell_count && code == 0; i++) {
        struct gp_run_row *runs = NULL;
        uint32_t count = 0;

        code = gp_reader_runs(reader, cells[i].id, &runs, &count, err);
        for (uint32_t k = 0; code == 0 && k < count; k++) {
            *largest = runs[k].op_count > *largest ? runs[k].op_count : *largest;
        }
        gp_free(runs);
    }
    return code;
}

int gp_figures_load(const char *path, struct gp_heed heed, struct gp_figures **out,
                    struct gp_error *err)
{
    struct gp_figures *figures = gp_xalloc(1, sizeof *figures);
    uint32_t largest = 0;
    int code = gp_reader_open(path, &figures->reader, err);

    *out = NULL;
    atomic_init(&figures->holders, 1);
    if (code == 0) {
        code = find_largest(figures->reader, &largest, err);
    }
    if (code == 0) {
        code = gp_room_check("Figures are", largest, GP_ROOM_ROWS, err);
    }
    if (code == 0) {
        gp_reader_heed(figures->reader, heed);
        code = gp_results_load(figures->reader, &figures->results, err);
    }
    if (code != 0) {
        gp_figures_destroy(figures);
        return code;
    }
    gp_reader_heed(figures->reader, (struct gp_heed){NULL, NULL});
    *out = figures;
    return 0;
}

struct gp_figures *gp_figures_hold(struct gp_figures *figures)
{
    atomic_fetch_add(&figures->holders, 1);
    return figures;
}

void gp_figures_destroy(struct gp_figures *figures)
{
    if (figures != NULL && atomic_fetch_sub(&figures->holders, 1) == 1) {
        gp_results_finish(&figures->results);
        gp_reader_close(figures->reader);
        gp_free(figures);
    }
}

int gp_figures_advise(const struct gp_figures *figures, struct gp_heed heed, struct gp_advices *out,
                      struct gp_error *err)
{
    uint32_t largest = 0;
    int code = find_largest(figures->reader, &largest, err);

    out->count = 0;
    if (code == 0) {
        code = gp_room_check("Advice is", largest, GP_ROOM_CAUSES, err);
    }
    if (code == 0) {
        gp_reader_heed(figures->reader, heed);
        code = gp_advice_load(figures->reader, &figures->results, out, err);
        gp_reader_heed(figures->reader, (struct gp_heed){NULL, NULL});
    }
    return code;
}
