/*
 * The recorder: takes rows from the thread that measures and writes them from its own. A call
 * copies its rows into a bounded queue and returns; it waits only while the queue is full. Texts
 * and rows are the caller's again when a call returns.
 *
 * Errors of the writing thread are told by the next call and by finish, and nothing is written
 * after one: what was stored before stays, and the file says that it is incomplete.
 *
 * One thread at a time calls.
 */
#ifndef GP_PROBE_RECORDER_RECORDER_H
#define GP_PROBE_RECORDER_RECORDER_H

#include "probe/record.h"

struct gp_recorder;

/* Makes the file (gp_writer_create) and starts the thread. *out is the caller's until finish. */
int gp_recorder_create(const char *path, bool force, struct gp_recorder **out,
                       struct gp_error *err);

/* Goes on with a recording (gp_writer_open); ids go on where it ends. *out likewise. */
int gp_recorder_open(const char *path, struct gp_recorder **out, struct gp_error *err);

/* gp_writer_set_key. */
int gp_recorder_set_key(struct gp_recorder *recorder, const char *key, const char *value,
                        struct gp_error *err);

/* gp_writer_add_device, _cell and _run. Each hands out the row's id at once; the id in the row is
 * ignored. */
int gp_recorder_add_device(struct gp_recorder *recorder, const struct gp_device_row *row,
                           int64_t *id, struct gp_error *err);
int gp_recorder_add_cell(struct gp_recorder *recorder, const struct gp_cell_row *row, int64_t *id,
                         struct gp_error *err);
int gp_recorder_add_run(struct gp_recorder *recorder, const struct gp_run_rows *rows, int64_t *id,
                        struct gp_error *err);

/* gp_writer_update_cell. */
int gp_recorder_update_cell(struct gp_recorder *recorder, int64_t cell, enum gp_status status,
                            const char *error, struct gp_error *err);
/* gp_writer_drop_ops. */
int gp_recorder_drop_ops(struct gp_recorder *recorder, int64_t run, struct gp_error *err);
/* gp_writer_add_metrics and _calibrations. */
int gp_recorder_add_metrics(struct gp_recorder *recorder, const struct gp_metric_row *rows,
                            uint32_t count, struct gp_error *err);
int gp_recorder_add_calibrations(struct gp_recorder *recorder,
                                 const struct gp_calibration_row *rows, uint32_t count,
                                 struct gp_error *err);

/* Waits until everything handed over is stored, so that no writing goes on beside what is measured
 * next. */
int gp_recorder_wait(struct gp_recorder *recorder, struct gp_error *err);

/* Waits for the rest, then gp_writer_finish. Frees the recorder in every case; NULL allowed. */
int gp_recorder_finish(struct gp_recorder *recorder, bool complete, struct gp_error *err);

#endif
