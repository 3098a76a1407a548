/*
 * Writes a recording (schema.sql). Each call is one transaction: after a crash, a full disk or a
 * kill the file opens, has everything up to the last call that returned 0, and says that it is
 * incomplete. Nothing here knows devices, policies or clocks. One thread at a time.
 *
 * Ids are the caller's: each row brings one that is > 0 and not used before in its table, so that
 * they are known before the row is stored (recorder.h hands them out).
 *
 * Errors: GP_EIO names the file and says SQLite's words; GP_EINVAL: a row that contradicts itself
 * or the file. After an error the file is as before the call.
 */
#ifndef GP_PROBE_STORE_WRITER_H
#define GP_PROBE_STORE_WRITER_H

#include "probe/record.h"

struct gp_writer;

/* Makes the file with all tables and status "incomplete". An existing file is GP_EEXISTS unless
 * force, which replaces it (regular files only, and none that is being written); a place that
 * cannot be written is GP_EIO. *out is the caller's until gp_writer_finish. */
int gp_writer_create(const char *path, bool force, struct gp_writer **out, struct gp_error *err);

/* For a file that is thrown away when anything fails: there is no log that a crash could be
 * recovered from, and nothing waits for the disk. Before anything is stored. */
int gp_writer_hurry(struct gp_writer *writer, struct gp_error *err);

/* The largest ids that a recording has; 0 none. */
struct gp_writer_ids {
    int64_t device, cell, run;
};

/* Goes on with a recording of this schema, finished or not; its status is "incomplete" again.
 * GP_EFORMAT: it is no such file, or damaged; GP_EEXISTS: it is being written. *out as for
 * gp_writer_create. */
int gp_writer_open(const char *path, struct gp_writer **out, struct gp_writer_ids *last,
                   struct gp_error *err);

/* A row of table recording, added or replaced. `status` is the writer's own. */
int gp_writer_set_key(struct gp_writer *writer, const char *key, const char *value,
                      struct gp_error *err);

/* A device, a cell of a stored device, and what became of a cell. error: "" none. */
int gp_writer_add_device(struct gp_writer *writer, const struct gp_device_row *device,
                         struct gp_error *err);
int gp_writer_add_cell(struct gp_writer *writer, const struct gp_cell_row *cell,
                       struct gp_error *err);
int gp_writer_update_cell(struct gp_writer *writer, int64_t cell, enum gp_status status,
                          const char *error, struct gp_error *err);

/* A run with all its rows. Operations are dense: ops[i].id is i; their streams, chains and edges
 * lie inside the run. Clocks and states are stored with a plain run too. */
int gp_writer_add_run(struct gp_writer *writer, const struct gp_run_rows *rows,
                      struct gp_error *err);

/*
 * The same of a run that is too large to hold: begin; any number of parts, whose operations and
 * calls go on where the last part ended; end with the run's own row, streams and clocks. One
 * transaction: nobody may write anything else in between, and the first failure ends it. Of a part,
 * `streams` is what its operations' indices mean; they are stored by the end, which has the same in
 * the same order.
 */
int gp_writer_begin_run(struct gp_writer *writer, struct gp_error *err);
int gp_writer_add_part(struct gp_writer *writer, const struct gp_run_rows *rows,
                       struct gp_error *err);
int gp_writer_end_run(struct gp_writer *writer, const struct gp_run_rows *rows,
                      struct gp_error *err);
/* Gives up a run that was begun; nothing of it stays. Nothing to do after a failure. */
void gp_writer_abandon_run(struct gp_writer *writer);

/* Forgets the operations of a run with all that refers to them (streams, edges, accesses, ranges,
 * calls, blocks); the run stays. */
int gp_writer_drop_ops(struct gp_writer *writer, int64_t run, struct gp_error *err);

/* Figures of stored cells or runs, and of stored devices; all of a call or none. */
int gp_writer_add_metrics(struct gp_writer *writer, const struct gp_metric_row *rows,
                          uint32_t count, struct gp_error *err);
int gp_writer_add_calibrations(struct gp_writer *writer, const struct gp_calibration_row *rows,
                               uint32_t count, struct gp_error *err);

/* Rows of table accuracy; all of a call or none. */
int gp_writer_add_accuracies(struct gp_writer *writer, const struct gp_accuracy_row *rows,
                             uint32_t count, struct gp_error *err);

/* Rows of table verdict, of stored devices; all of a call or none. */
int gp_writer_add_verdicts(struct gp_writer *writer, const struct gp_verdict_row *rows,
                           uint32_t count, struct gp_error *err);

/* Gives back the pages of dropped runs, folds the log into the file and closes it. complete: checks
 * all references and sets status "complete" first. Frees the writer in every case; NULL allowed. On
 * an error the file keeps status "incomplete", and may need the -wal beside it. */
int gp_writer_finish(struct gp_writer *writer, bool complete, struct gp_error *err);

#endif
