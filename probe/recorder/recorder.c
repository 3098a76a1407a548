/* The recorder: see recorder.h. It knows the writer and nothing of SQLite. */
#include "probe/recorder/recorder.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "probe/memory.h"
#include "probe/store/intern.h"
#include "probe/store/writer.h"

enum {
    JOBS_MAX = 256,
    JOB_BYTES_MAX = 256 << 20, /* queued rows; one larger job may pass alone */
};

enum job_kind {
    JOB_KEY,
    JOB_DEVICE,
    JOB_CELL,
    JOB_UPDATE_CELL,
    JOB_RUN,
    JOB_DROP_OPS,
    JOB_METRICS,
    JOB_CALIBRATIONS,
};

/* Arrays are the job's; texts are kept by the recorder. */
struct job {
    enum job_kind kind;
    size_t bytes;           /* of its arrays */
    const char *key, *text; /* text: a value or an error */
    int64_t id;
    enum gp_status status;
    uint32_t count;
    union {
        struct gp_device_row device;
        struct gp_cell_row cell;
        struct gp_run_rows run;
        struct gp_metric_row *metrics;
        struct gp_calibration_row *calibrations;
    } rows;
};

struct gp_recorder {
    /* The caller's side. */
    struct gp_intern texts;
    int64_t device_count, cell_count, run_count; /* ids handed out are 1 … count */
    /* The writing thread's side. */
    struct gp_writer *writer;
    pthread_t thread;
    /* Both, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t filled;  /* a job was queued, or closing */
    pthread_cond_t drained; /* a job was done */
    struct job *jobs[JOBS_MAX];
    size_t first, count; /* ring; the job in work is still counted */
    size_t bytes;
    bool closing;
    struct gp_error error; /* the first; code 0: none */
};

/* ---- the writing thread -------------------------------------------------------------------- */

static void destroy_job(struct job *job)
{
    if (job->kind == JOB_RUN) {
        gp_free((void *)job->rows.run.ops);
        gp_free((void *)job->rows.run.edges);
        gp_free((void *)job->rows.run.accesses);
        gp_free((void *)job->rows.run.ranges);
        gp_free((void *)job->rows.run.calls);
        gp_free((void *)job->rows.run.streams);
        gp_free((void *)job->rows.run.clocks);
        gp_free((void *)job->rows.run.states);
        gp_free((void *)job->rows.run.blocks);
    } else if (job->kind == JOB_METRICS) {
        gp_free(job->rows.metrics);
    } else if (job->kind == JOB_CALIBRATIONS) {
        gp_free(job->rows.calibrations);
    }
    gp_free(job);
}

static int execute(struct gp_writer *writer, const struct job *job, struct gp_error *err)
{
    switch (job->kind) {
    case JOB_KEY:
        return gp_writer_set_key(writer, job->key, job->text, err);
    case JOB_DEVICE:
        return gp_writer_add_device(writer, &job->rows.device, err);
    case JOB_CELL:
        return gp_writer_add_cell(writer, &job->rows.cell, err);
    case JOB_UPDATE_CELL:
        return gp_writer_update_cell(writer, job->id, job->status, job->text, err);
    case JOB_RUN:
        return gp_writer_add_run(writer, &job->rows.run, err);
    case JOB_DROP_OPS:
        return gp_writer_drop_ops(writer, job->id, err);
    case JOB_METRICS:
        return gp_writer_add_metrics(writer, job->rows.metrics, job->count, err);
    case JOB_CALIBRATIONS:
        return gp_writer_add_calibrations(writer, job->rows.calibrations, job->count, err);
    }
    assert(false && "a job of no kind");
    return GP_EINVAL;
}

static void *work(void *user)
{
    struct gp_recorder *recorder = user;
    struct gp_error error = {0};

    (void)pthread_mutex_lock(&recorder->lock);
    for (;;) {
        struct job *job;

        while (recorder->count == 0 && !recorder->closing) {
            (void)pthread_cond_wait(&recorder->filled, &recorder->lock);
        }
        if (recorder->count == 0) {
            break;
        }
        job = recorder->jobs[recorder->first];
        (void)pthread_mutex_unlock(&recorder->lock);
        if (error.code == 0 && execute(recorder->writer, job, &error) != 0) {
            assert(error.code != 0);
        }
        (void)pthread_mutex_lock(&recorder->lock);
        recorder->error = error;
        recorder->bytes -= job->bytes;
        recorder->first = (recorder->first + 1) % JOBS_MAX;
        recorder->count--;
        destroy_job(job);
        (void)pthread_cond_signal(&recorder->drained);
    }
    (void)pthread_mutex_unlock(&recorder->lock);
    return NULL;
}

/* ---- the caller's side --------------------------------------------------------------------- */

/* Queues the job, which is no longer the caller's, or says why nothing is written any more. */
static int push(struct gp_recorder *recorder, struct job *job, struct gp_error *err)
{
    int code;

    (void)pthread_mutex_lock(&recorder->lock);
    while (recorder->error.code == 0 &&
           (recorder->count == JOBS_MAX ||
            (recorder->bytes > 0 && recorder->bytes + job->bytes > JOB_BYTES_MAX))) {
        (void)pthread_cond_wait(&recorder->drained, &recorder->lock);
    }
    code = recorder->error.code;
    if (code != 0) {
        if (err != NULL) {
            *err = recorder->error;
        }
        destroy_job(job);
    } else {
        recorder->jobs[(recorder->first + recorder->count) % JOBS_MAX] = job;
        recorder->count++;
        recorder->bytes += job->bytes;
        (void)pthread_cond_signal(&recorder->filled);
    }
    (void)pthread_mutex_unlock(&recorder->lock);
    return code;
}

static struct job *make_job(enum job_kind kind)
{
    struct job *job = gp_xalloc(1, sizeof *job);

    job->kind = kind;
    return job;
}

static const char *keep(struct gp_recorder *recorder, const char *text)
{
    return gp_intern_keep(&recorder->texts, text);
}

/* The job's own copy of an array. */
static void *copy(struct job *job, const void *rows, size_t count, size_t bytes)
{
    void *block;

    if (count == 0) {
        return NULL;
    }
    block = gp_xalloc(count, bytes);
    memcpy(block, rows, count * bytes);
    job->bytes += count * bytes;
    return block;
}

/* A recorder of an open writer, whose owner it becomes. */
static int start(struct gp_writer *writer, const char *path, const struct gp_writer_ids *last,
                 struct gp_recorder **out, struct gp_error *err)
{
    struct gp_recorder *recorder = gp_xalloc(1, sizeof *recorder);

    recorder->writer = writer;
    recorder->device_count = last->device;
    recorder->cell_count = last->cell;
    recorder->run_count = last->run;
    (void)pthread_mutex_init(&recorder->lock, NULL);
    (void)pthread_cond_init(&recorder->filled, NULL);
    (void)pthread_cond_init(&recorder->drained, NULL);
    if (pthread_create(&recorder->thread, NULL, work, recorder) != 0) {
        (void)gp_writer_finish(recorder->writer, false, NULL);
        gp_free(recorder);
        return gp_fail(err, GP_EIO, "%s: no thread to write with", path);
    }
    *out = recorder;
    return 0;
}

int gp_recorder_create(const char *path, bool force, struct gp_recorder **out, struct gp_error *err)
{
    const struct gp_writer_ids none = {0};
    struct gp_writer *writer;
    int code;

    assert(path != NULL && out != NULL);
    code = gp_writer_create(path, force, &writer, err);
    return code == 0 ? start(writer, path, &none, out, err) : code;
}

int gp_recorder_open(const char *path, struct gp_recorder **out, struct gp_error *err)
{
    struct gp_writer_ids last = {0};
    struct gp_writer *writer;
    int code;

    assert(path != NULL && out != NULL);
    code = gp_writer_open(path, &writer, &last, err);
    return code == 0 ? start(writer, path, &last, out, err) : code;
}

int gp_recorder_set_key(struct gp_recorder *recorder, const char *key, const char *value,
                        struct gp_error *err)
{
    struct job *job = make_job(JOB_KEY);

    job->key = keep(recorder, key);
    job->text = keep(recorder, value);
    return push(recorder, job, err);
}

int gp_recorder_add_device(struct gp_recorder *recorder, const struct gp_device_row *row,
                           int64_t *id, struct gp_error *err)
{
    struct job *job = make_job(JOB_DEVICE);
    struct gp_device_row *device = &job->rows.device;

    *device = *row;
    device->name = keep(recorder, row->name);
    device->uuid = keep(recorder, row->uuid);
    device->image = keep(recorder, row->image);
    device->image_note = keep(recorder, row->image_note);
    device->profile = keep(recorder, row->profile);
    device->id = ++recorder->device_count;
    *id = device->id;
    return push(recorder, job, err);
}

int gp_recorder_add_cell(struct gp_recorder *recorder, const struct gp_cell_row *row, int64_t *id,
                         struct gp_error *err)
{
    struct job *job = make_job(JOB_CELL);
    struct gp_cell_row *cell = &job->rows.cell;

    *cell = *row;
    cell->scenario = keep(recorder, row->scenario);
    cell->params = keep(recorder, row->params);
    cell->policy = keep(recorder, row->policy);
    cell->completion = keep(recorder, row->completion);
    cell->error = keep(recorder, row->error);
    cell->id = ++recorder->cell_count;
    *id = cell->id;
    return push(recorder, job, err);
}

int gp_recorder_update_cell(struct gp_recorder *recorder, int64_t cell, enum gp_status status,
                            const char *error, struct gp_error *err)
{
    struct job *job = make_job(JOB_UPDATE_CELL);

    job->id = cell;
    job->status = status;
    job->text = keep(recorder, error);
    return push(recorder, job, err);
}

static void copy_ops(struct gp_recorder *recorder, struct job *job, const struct gp_run_rows *rows)
{
    struct gp_op_row *ops = copy(job, rows->ops, rows->op_count, sizeof *ops);

    for (uint32_t i = 0; i < rows->op_count; i++) {
        ops[i].name = keep(recorder, ops[i].name);
        ops[i].rule = keep(recorder, ops[i].rule);
    }
    job->rows.run.ops = ops;
}

static void copy_accesses(struct gp_recorder *recorder, struct job *job,
                          const struct gp_run_rows *rows)
{
    struct gp_access_row *accesses =
        copy(job, rows->accesses, rows->access_count, sizeof *accesses);

    for (uint32_t i = 0; i < rows->access_count; i++) {
        accesses[i].buffer = keep(recorder, accesses[i].buffer);
    }
    job->rows.run.accesses = accesses;
}

static void copy_host_rows(struct gp_recorder *recorder, struct job *job,
                           const struct gp_run_rows *rows)
{
    struct gp_range_row *ranges = copy(job, rows->ranges, rows->range_count, sizeof *ranges);
    struct gp_call_row *calls = copy(job, rows->calls, rows->call_count, sizeof *calls);

    for (uint32_t i = 0; i < rows->range_count; i++) {
        ranges[i].text = keep(recorder, ranges[i].text);
        ranges[i].domain = keep(recorder, ranges[i].domain);
    }
    for (uint32_t i = 0; i < rows->call_count; i++) {
        calls[i].name = keep(recorder, calls[i].name);
    }
    job->rows.run.ranges = ranges;
    job->rows.run.calls = calls;
}

static void copy_small_rows(struct gp_recorder *recorder, struct job *job,
                            const struct gp_run_rows *rows)
{
    struct gp_stream_row *streams = copy(job, rows->streams, rows->stream_count, sizeof *streams);
    struct gp_clock_row *clocks = copy(job, rows->clocks, rows->clock_count, sizeof *clocks);
    struct gp_state_row *states = copy(job, rows->states, rows->state_count, sizeof *states);

    for (uint32_t i = 0; i < rows->stream_count; i++) {
        streams[i].role = keep(recorder, streams[i].role);
        streams[i].name = keep(recorder, streams[i].name);
    }
    for (uint32_t i = 0; i < rows->clock_count; i++) {
        clocks[i].kind = keep(recorder, clocks[i].kind);
    }
    for (uint32_t i = 0; i < rows->state_count; i++) {
        states[i].note = keep(recorder, states[i].note);
    }
    job->rows.run.streams = streams;
    job->rows.run.clocks = clocks;
    job->rows.run.states = states;
}

int gp_recorder_add_run(struct gp_recorder *recorder, const struct gp_run_rows *rows, int64_t *id,
                        struct gp_error *err)
{
    struct job *job = make_job(JOB_RUN);
    struct gp_run_rows *run = &job->rows.run;

    *run = *rows;
    run->run.trace_note = keep(recorder, rows->run.trace_note);
    copy_ops(recorder, job, rows);
    copy_accesses(recorder, job, rows);
    copy_host_rows(recorder, job, rows);
    copy_small_rows(recorder, job, rows);
    run->edges = copy(job, rows->edges, rows->edge_count, sizeof *rows->edges);
    run->blocks = copy(job, rows->blocks, rows->block_count, sizeof *rows->blocks);
    run->run.id = ++recorder->run_count;
    *id = run->run.id;
    return push(recorder, job, err);
}

int gp_recorder_drop_ops(struct gp_recorder *recorder, int64_t run, struct gp_error *err)
{
    struct job *job = make_job(JOB_DROP_OPS);

    job->id = run;
    return push(recorder, job, err);
}

int gp_recorder_add_metrics(struct gp_recorder *recorder, const struct gp_metric_row *rows,
                            uint32_t count, struct gp_error *err)
{
    struct job *job = make_job(JOB_METRICS);

    job->count = count;
    job->rows.metrics = copy(job, rows, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        job->rows.metrics[i].name = keep(recorder, rows[i].name);
    }
    return push(recorder, job, err);
}

int gp_recorder_add_calibrations(struct gp_recorder *recorder,
                                 const struct gp_calibration_row *rows, uint32_t count,
                                 struct gp_error *err)
{
    struct job *job = make_job(JOB_CALIBRATIONS);

    job->count = count;
    job->rows.calibrations = copy(job, rows, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        job->rows.calibrations[i].name = keep(recorder, rows[i].name);
        job->rows.calibrations[i].unit = keep(recorder, rows[i].unit);
        job->rows.calibrations[i].source = keep(recorder, rows[i].source);
    }
    return push(recorder, job, err);
}

int gp_recorder_wait(struct gp_recorder *recorder, struct gp_error *err)
{
    int code;

    (void)pthread_mutex_lock(&recorder->lock);
    while (recorder->count > 0) {
        (void)pthread_cond_wait(&recorder->drained, &recorder->lock);
    }
    code = recorder->error.code;
    if (code != 0 && err != NULL) {
        *err = recorder->error;
    }
    (void)pthread_mutex_unlock(&recorder->lock);
    return code;
}

int gp_recorder_finish(struct gp_recorder *recorder, bool complete, struct gp_error *err)
{
    struct gp_error error;
    int code;

    if (recorder == NULL) {
        return 0;
    }
    (void)pthread_mutex_lock(&recorder->lock);
    recorder->closing = true;
    (void)pthread_cond_signal(&recorder->filled);
    (void)pthread_mutex_unlock(&recorder->lock);
    (void)pthread_join(recorder->thread, NULL);
    error = recorder->error;
    code = gp_writer_finish(recorder->writer, complete && error.code == 0, err);
    /* The first error is the one to tell; closing a damaged place fails again. */
    if (error.code != 0) {
        code = error.code;
        if (err != NULL) {
            *err = error;
        }
    }
    (void)pthread_cond_destroy(&recorder->drained);
    (void)pthread_cond_destroy(&recorder->filled);
    (void)pthread_mutex_destroy(&recorder->lock);
    gp_intern_finish(&recorder->texts);
    gp_free(recorder);
    return code;
}
