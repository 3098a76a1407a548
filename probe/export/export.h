/*
 * A recording in the formats of others. Each format is one const struct in the array; adding one
 * touches its own file and that array. Formats see the reader, never the recording's SQL.
 */
#ifndef GP_PROBE_EXPORT_EXPORT_H
#define GP_PROBE_EXPORT_EXPORT_H

#include <stdio.h>

#include "probe/store/reader.h"

/* What became of the operations of the chosen runs: chosen = written + untimed + outside +
 * unsuited. */
struct gp_export_counts {
    uint64_t chosen;
    uint64_t written;
    uint64_t untimed;  /* without a begin or an end: the format cannot place them */
    uint64_t outside;  /* of the time range */
    uint64_t unsuited; /* of a kind that the format does not have */
    /* Dependencies between chosen operations that were kept by an event or by the host, of formats
     * that tell of these by the calls that waited; and those of them that they do not tell of. */
    uint64_t waits, waits_lost;
};

/* Zero means default. */
struct gp_export_options {
    const char *table;               /* one of the format's tables; NULL: its first */
    int64_t cell;                    /* id; 0: all */
    uint32_t passes;                 /* bits 1 << enum gp_pass; 0: all */
    bool has_from, has_to;           /* operations and ranges that overlap [from_ns, to_ns) */
    int64_t from_ns, to_ns;          /* from their run's epoch */
    struct gp_export_counts *counts; /* filled, starting from zero; NULL: nobody asks */
};

struct gp_export_ops {
    const char *name;
    const char *summary;
    /* What options->table may be, NULL-terminated; NULL: the format has no choice of tables. */
    const char *const *tables;
    /* Writes all of it; options->table is one of tables, options->counts is there. The same
     * recording gives the same bytes. Errors of `out` are left to the caller, which asks ferror.
     * NULL: the format is no stream of bytes, and write_file makes it. */
    int (*write)(struct gp_reader *reader, const struct gp_export_options *options, FILE *out,
                 struct gp_error *err);
    /* The same into the file at path, which is there and empty. NULL: write is there. */
    int (*write_file)(struct gp_reader *reader, const struct gp_export_options *options,
                      const char *path, struct gp_error *err);
};

/* In display order. */
extern const struct gp_export_ops *const gp_export_table[];
extern const size_t gp_export_table_count;

/* NULL when there is no format of that name. */
const struct gp_export_ops *gp_export_find(const char *name);

/* Writes and flushes; the format has `write`. GP_EINVAL: the format has no such table, with the
 * nearest, or the recording no such cell; GP_EIO: `out` took not all of it, with the system's
 * words; else the reader's errors. */
int gp_export_write(const struct gp_export_ops *ops, struct gp_reader *reader,
                    const struct gp_export_options *options, FILE *out, struct gp_error *err);

/* Likewise into the file at path, which is there and empty, whatever the format has. GP_EIO does
 * not name the file. */
int gp_export_write_file(const struct gp_export_ops *ops, struct gp_reader *reader,
                         const struct gp_export_options *options, const char *path,
                         struct gp_error *err);

/* The formats. */
extern const struct gp_export_ops gp_export_chrome;
extern const struct gp_export_ops gp_export_csv;
extern const struct gp_export_ops gp_export_json;
extern const struct gp_export_ops gp_export_nsys;
extern const struct gp_export_ops gp_export_perfetto;

#endif
