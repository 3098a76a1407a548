/*
 * A recording in the formats of others. Each format is one const struct in the array; adding one
 * touches its own file and that array. Formats see the reader, never SQL.
 */
#ifndef GP_PROBE_EXPORT_EXPORT_H
#define GP_PROBE_EXPORT_EXPORT_H

#include <stdio.h>

#include "probe/store/reader.h"

/* Zero means default. */
struct gp_export_options {
    const char *table; /* one of the format's tables; NULL: its first */
};

struct gp_export_ops {
    const char *name;
    const char *summary;
    /* What options->table may be, NULL-terminated; NULL: the format has no choice of tables. */
    const char *const *tables;
    /* Writes all of it; options->table is one of tables. The same recording gives the same bytes.
     * Errors of `out` are left to the caller, which asks ferror. */
    int (*write)(struct gp_reader *reader, const struct gp_export_options *options, FILE *out,
                 struct gp_error *err);
};

/* In display order. */
extern const struct gp_export_ops *const gp_export_table[];
extern const size_t gp_export_table_count;

/* NULL when there is no format of that name. */
const struct gp_export_ops *gp_export_find(const char *name);

/* Writes and flushes. GP_EINVAL: the format has no such table, with the nearest; GP_EIO: `out` took
 * not all of it, with the system's words; else the reader's errors. */
int gp_export_write(const struct gp_export_ops *ops, struct gp_reader *reader,
                    const struct gp_export_options *options, FILE *out, struct gp_error *err);

/* The formats. */
extern const struct gp_export_ops gp_export_csv;

#endif
