/*
 * Reads a recording: the whole view that analysis, exports and the viewer have of storage. The file
 * is never written and nothing in it is believed: whatever does not fit schema.sql, its words and
 * the ranges of the row structs is GP_EFORMAT with the table, row and column. It sees the file as
 * it was when it was opened.
 *
 * Texts of rows are borrowed from the reader until it is closed. Arrays that a call hands out are
 * the caller's (gp_free); *out is NULL when there are none. One thread at a time; several readers
 * of one file may work side by side.
 */
#ifndef GP_PROBE_STORE_READER_H
#define GP_PROBE_STORE_READER_H

#include "probe/heed.h"
#include "probe/record.h"

struct gp_reader;

/* A row of table recording. */
struct gp_key_row {
    const char *key, *value;
};

/* *out is the caller's. GP_EFORMAT says what the file is instead (not a SQLite database, another
 * database, a newer schema, truncated, damaged); GP_EIO: it cannot be read. A recording that is
 * being written, or was cut off, has a log beside it, which is read too: through a temporary copy
 * where SQLite cannot make its side files. */
int gp_reader_open(const char *path, struct gp_reader **out, struct gp_error *err);

/* NULL allowed. */
void gp_reader_close(struct gp_reader *reader);

/* Asks from now on, also in the middle of a call, whether to go on: when not, the call ends with
 * GP_EINTERRUPTED. Copied; its user must stay until another is given, {0} for none. */
void gp_reader_heed(struct gp_reader *reader, struct gp_heed heed);

/* What was given. */
struct gp_heed gp_reader_heeded(const struct gp_reader *reader);

/* The value of a key of table recording; NULL when there is none. Borrowed. */
const char *gp_reader_key(const struct gp_reader *reader, const char *key);

/* All keys in their order. Borrowed. */
const struct gp_key_row *gp_reader_keys(const struct gp_reader *reader, uint32_t *count);

/* Whether the recording was finished. */
bool gp_reader_is_complete(const struct gp_reader *reader);

/* All devices and all cells by ascending id. Borrowed. */
const struct gp_device_row *gp_reader_devices(const struct gp_reader *reader, uint32_t *count);
const struct gp_cell_row *gp_reader_cells(const struct gp_reader *reader, uint32_t *count);

/* One device; every cell's is there. NULL when there is none. Borrowed. */
const struct gp_device_row *gp_reader_device(const struct gp_reader *reader, int64_t id);

/* The runs of a cell by ascending id. */
int gp_reader_runs(struct gp_reader *reader, int64_t cell, struct gp_run_row **out, uint32_t *count,
                   struct gp_error *err);

/* Operations first … first + count − 1 of a run into the caller's array; within the run's op_count.
 * Streams are indices into gp_reader_streams' array. */
int gp_reader_ops(struct gp_reader *reader, int64_t run, uint32_t first, uint32_t count,
                  struct gp_op_row *out, struct gp_error *err);

/* The same operations, in less than half the time, without what a timeline does not draw. */
int gp_reader_outlines(struct gp_reader *reader, int64_t run, uint32_t first, uint32_t count,
                       struct gp_op_outline *out, struct gp_error *err);

/* The texts that rows share, in the order of the file. Borrowed. */
const char *const *gp_reader_strings(const struct gp_reader *reader, uint32_t *count);

/* The rest of a run, each by its key: edges by (to, from), accesses and calls as recorded, ranges
 * by id, streams by pool index, clocks as recorded. */
int gp_reader_streams(struct gp_reader *reader, int64_t run, struct gp_stream_row **out,
                      uint32_t *count, struct gp_error *err);
int gp_reader_edges(struct gp_reader *reader, int64_t run, struct gp_edge_row **out,
                    uint32_t *count, struct gp_error *err);
int gp_reader_accesses(struct gp_reader *reader, int64_t run, struct gp_access_row **out,
                       uint32_t *count, struct gp_error *err);
int gp_reader_ranges(struct gp_reader *reader, int64_t run, struct gp_range_row **out,
                     uint32_t *count, struct gp_error *err);
int gp_reader_calls(struct gp_reader *reader, int64_t run, struct gp_call_row **out,
                    uint32_t *count, struct gp_error *err);
int gp_reader_clocks(struct gp_reader *reader, int64_t run, struct gp_clock_row **out,
                     uint32_t *count, struct gp_error *err);

/* Likewise, by time. */
int gp_reader_states(struct gp_reader *reader, int64_t run, struct gp_state_row **out,
                     uint32_t *count, struct gp_error *err);

/* Likewise, by (op, block); none unless the run's trace is BLOCKS. */
int gp_reader_blocks(struct gp_reader *reader, int64_t run, struct gp_block_row **out,
                     uint32_t *count, struct gp_error *err);

/* All figures, as recorded. */
int gp_reader_metrics(struct gp_reader *reader, struct gp_metric_row **out, uint32_t *count,
                      struct gp_error *err);
int gp_reader_calibrations(struct gp_reader *reader, struct gp_calibration_row **out,
                           uint32_t *count, struct gp_error *err);

/* All answers to claims, as recorded. */
int gp_reader_verdicts(struct gp_reader *reader, struct gp_verdict_row **out, uint32_t *count,
                       struct gp_error *err);

#endif
