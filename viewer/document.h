/*
 * A recording as the window shows it: its cells with the runs whose operations can be looked at,
 * and in a second step the figures of all cells. Knows no display.
 */
#ifndef GP_VIEWER_DOCUMENT_H
#define GP_VIEWER_DOCUMENT_H

#include <stdatomic.h>

#include "probe/analysis/advice.h"
#include "probe/analysis/load.h"
#include "probe/import/scratch.h"

/* A line of the list of cells: a run whose operations are kept, or a cell that has none. */
struct gp_entry {
    uint32_t cell;       /* index of gp_reader_cells' array */
    int64_t run;         /* id; 0: no operations of this cell are kept */
    int64_t makespan_ns; /* of this run */
    double median_ns;    /* of its cell's makespans, as in the matrix; NAN: there is no plain run */
    int64_t epoch_realtime_ns;
    enum gp_pass pass;
    uint32_t op_count;
    int32_t repeat;
};

struct gp_document {
    char *path; /* of the recording, also where it was made of another tool's trace */
    struct gp_scratch scratch;
    struct gp_reader *reader;
    struct gp_entry *entries; /* by cell id; ≥ 1 */
    uint32_t entry_count;
    char (*differences)[2 * GP_VARIANT_BYTES_MAX]; /* of its cells (cell_text.h) */
};

/* The figures of all cells, read through a reader of their own, so that another thread may load
 * them while the document is looked at. */
struct gp_figures {
    struct gp_reader *reader;
    struct gp_results results;
    atomic_uint holders; /* who destroys it, the last one really */
};

/* Reads the cells and their runs, not the operations; another tool's trace is imported, for as long
 * as the document lives. A recording without cells is GP_ENOTFOUND, the others are the reader's and
 * the importer's errors. *out is the caller's. */
int gp_document_open(const char *path, struct gp_document **out, struct gp_error *err);

/* NULL allowed. */
void gp_document_close(struct gp_document *document);

/* The cell of an entry, and its device. Borrowed. */
const struct gp_cell_row *gp_document_cell(const struct gp_document *document,
                                           const struct gp_entry *entry);
const struct gp_device_row *gp_document_device(const struct gp_document *document,
                                               const struct gp_entry *entry);

/* In what the cell of an entry differs from others of its scenario: "us=2, graph"; "" in nothing.
 * Borrowed. */
const char *gp_document_difference(const struct gp_document *document,
                                   const struct gp_entry *entry);

/* The entry that a text names: "ID", or "POLICY" or "POLICY/STREAMS" or "SCENARIO/POLICY/STREAMS";
 * of several the first one with operations. NULL: the first one with operations, else the first.
 * GP_ENOTFOUND names the cells that there are. */
int gp_document_find(const struct gp_document *document, const char *text,
                     const struct gp_entry **out, struct gp_error *err);

/* "modelled" for devices that were not measured, else "measured" or "imported". Static. */
const char *gp_document_origin(const struct gp_device_row *device);

/* GP_EUNSUPPORTED: there is not the memory for it (room.h); GP_EINTERRUPTED: given up as heed says;
 * else the reader's errors. *out is the caller's. */
int gp_figures_load(const char *path, struct gp_heed heed, struct gp_figures **out,
                    struct gp_error *err);

/* One more holder, which destroys it too. Any thread. Returns the same. */
struct gp_figures *gp_figures_hold(struct gp_figures *figures);

/* NULL allowed. Any thread. */
void gp_figures_destroy(struct gp_figures *figures);

/* What to do, from all of the figures and the operations of their cells: slow when these are many,
 * and for one thread at a time. Errors as for gp_figures_load. */
int gp_figures_advise(const struct gp_figures *figures, struct gp_heed heed, struct gp_advices *out,
                      struct gp_error *err);

#endif
