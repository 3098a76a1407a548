/*
 * Traces of other tools as recordings of device kind `imported`. Each format is one const struct in
 * the array; adding one touches its own file and that array. A source is never written, nothing is
 * made beside it, and nothing in it is believed: what cannot be taken is counted by reason.
 */
#ifndef GP_PROBE_IMPORT_IMPORT_H
#define GP_PROBE_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/import/scratch.h"
#include "probe/store/reader.h"
#include "probe/store/writer.h"

/* Why a row of a source is not in the recording: name for keys, words for people. */
#define GP_IMPORT_LOSSES(X)                                                                        \
    X(NO_TIME, "no_time", "have no time, or 0")                                                    \
    X(BACKWARDS, "backwards", "end before they begin")                                             \
    X(OUTSIDE, "outside", "lie outside the capture")                                               \
    X(TYPE, "type", "hold something else than numbers where numbers belong")                       \
    X(UNKNOWN, "unknown", "are of a kind that gpuprobe does not know")                             \
    X(NO_DEVICE, "no_device", "are of a process without work on a device")                         \
    X(NO_CALL, "no_call", "have no call that says when they were")                                 \
    X(DUPLICATE, "duplicate", "tell of a call that another row tells of")                          \
    X(NO_RANGE, "no_range", "name or create something and are no ranges")                          \
    X(MARK, "mark", "are arrows, counters, marks or halves of ranges")                             \
    X(LIMIT, "limit", "are more than a recording holds")                                           \
    X(CUT, "cut", "are cut off where the file ends")

enum gp_import_loss {
#define X(name, key, words) GP_IMPORT_##name,
    GP_IMPORT_LOSSES(X)
#undef X
        GP_IMPORT_LOSS_COUNT
};

/* Rows of a source: in = operations + calls + ranges + dependencies + Σ lost. What begins in one
 * event and ends in another is one row. */
struct gp_import_counts {
    uint64_t in;
    uint64_t operations, calls, ranges;
    uint64_t dependencies; /* rows of recorded events, waits, synchronisation and edges */
    uint64_t lost[GP_IMPORT_LOSS_COUNT];
    uint64_t early; /* operations that begin before their call: a sign of clocks that disagree */
    uint64_t diagnostics; /* warnings and errors of the recorder: rows may be missing */
    bool skips_calls;     /* the recorder left out calls: operations without one are normal */
    bool breaks_off;      /* the file ends before its text does: what comes then is missing */
};

struct gp_import_ops {
    const char *name;
    const char *summary;
    /* Whether the file is of this format, by its first bytes (up to GP_IMPORT_HEAD_BYTES of them)
     * and its name. */
    bool (*is_mine)(const char *path, const unsigned char *head, size_t count);
    /* Reads all of it into the recording, which is new. GP_EFORMAT: it is not what it seemed, or
     * damaged; GP_EIO, GP_EUNSUPPORTED. */
    int (*read)(const char *path, struct gp_writer *writer, struct gp_import_counts *counts,
                struct gp_error *err);
};

enum { GP_IMPORT_HEAD_BYTES = 4096 };

extern const struct gp_import_ops *const gp_import_table[];
extern const size_t gp_import_table_count;

/* Makes the recording `out` of the trace `path`; an existing file is GP_EEXISTS unless force.
 * *counts is filled. GP_EFORMAT: no importer knows the file, or it is damaged; nothing is left
 * then. */
int gp_import_file(const char *path, const char *out, bool force, struct gp_import_counts *counts,
                   struct gp_error *err);

/* Opens what a user gives where a recording is wanted: a recording, or any trace that can be
 * imported, through a temporary recording that is gone when the reader is closed. Errors as
 * gp_reader_open, and gp_import_file's. */
int gp_import_open(const char *path, struct gp_reader **out, struct gp_error *err);

/* The same for whoever opens it more than once: *out is `path` when it is a recording, else that of
 * a recording made of it in *scratch, which the caller finishes when nobody will open it again.
 * Errors as gp_import_file's; of a recording there are none yet. */
int gp_import_resolve(const char *path, struct gp_scratch *scratch, const char **out,
                      struct gp_error *err);

enum { GP_IMPORT_TEXT_BYTES_MAX = 2048 };

/* "1234 rows: …": what was taken and what was not, for people. */
void gp_import_describe(const struct gp_import_counts *counts, char out[GP_IMPORT_TEXT_BYTES_MAX]);

/* Whether a recording that was made of a trace lacks something that its reader should know of, and
 * what, for people: rows that were not taken, a file that breaks off, what its recorder missed. */
bool gp_import_lacks(const struct gp_reader *reader, char out[GP_IMPORT_TEXT_BYTES_MAX]);

/* GP_EFORMAT: nothing of the trace could be taken, with what became of its rows. */
int gp_import_fail_empty(const char *path, const struct gp_import_counts *counts,
                         struct gp_error *err);

/* The formats. */
extern const struct gp_import_ops gp_import_chrome;
extern const struct gp_import_ops gp_import_nsight;
extern const struct gp_import_ops gp_import_nsys_rep;

#endif
