/*
 * Events of a Chrome trace on their way into a private temporary database of Nsight's tables, from
 * which the Nsight importer goes on: so a trace of any size is imported with the memory of one
 * event, the names, and SQLite's cache. Knows no JSON.
 */
#ifndef GP_PROBE_IMPORT_CHROME_STAGE_H
#define GP_PROBE_IMPORT_CHROME_STAGE_H

#include <stdbool.h>

#include "probe/import/foreign.h"
#include "probe/import/import.h"

/* What of an event matters; numbers are GP_UNKNOWN where it does not say. */
struct gp_chrome_event {
    char category[32];
    char kind[16];           /* our own word for the kind of operation or edge; "" none */
    char how[16];            /* how an edge is kept */
    char domain[64];         /* of a range */
    int64_t begin, duration; /* ns */
    bool is_open;            /* never ended: duration says nothing */
    int64_t pid, tid;
    int64_t device, context, stream, correlation, bytes, registers, shared;
    int64_t grid[3], block[3];
    int64_t run, op;  /* of a recording that was exported */
    int64_t from, to; /* of an edge: its operations */
    int64_t level;    /* category of a range */
    /* What a wait is for: Kineto's wait_on_stream, …_event_record_corr_id and …_event_id;
     * the last also what a cuda_event records. */
    int64_t record_stream, record_correlation, event;
};

/* A member of deviceProperties. */
struct gp_chrome_gpu {
    char name[64];
    int64_t id, memory_bytes, sm_count, compute_major, compute_minor;
};

struct gp_chrome_stage {
    struct gp_foreign *source; /* borrowed */
    struct gp_import_counts *counts;
    struct gp_intern names;
    size_t name_bytes;
    int64_t base;        /* subtracted from all times; GP_UNKNOWN until the first */
    int64_t realtime_ns; /* CLOCK_REALTIME at 0 of the trace's clock; GP_UNKNOWN */
};

/* Opens the database in *source, which the caller closes; messages name `path`. */
int gp_chrome_stage_init(struct gp_chrome_stage *stage, struct gp_foreign *source, const char *path,
                         struct gp_error *err);
/* Takes a zeroed struct. */
void gp_chrome_stage_finish(struct gp_chrome_stage *stage);

/* Stores an event of that name, or counts it. */
int gp_chrome_stage_add(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                        const char *name, struct gp_error *err);

/* Counts an event that is not stored. 0. */
int gp_chrome_stage_lose(struct gp_chrome_stage *stage, enum gp_import_loss loss);

/* Stores what the trace says of a device; one without an id is passed over. */
int gp_chrome_stage_gpu(struct gp_chrome_stage *stage, const struct gp_chrome_gpu *gpu,
                        struct gp_error *err);

/* Stores an arrow that stands for an edge between operations, or counts it. */
int gp_chrome_stage_edge(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                         struct gp_error *err);

/* Stores what a run that was exported is called. */
int gp_chrome_stage_run(struct gp_chrome_stage *stage, int64_t run, const char *name,
                        struct gp_error *err);

/* Stores what a thread is called, which is a stream where the process is a device; one that says
 * not which is passed over. */
int gp_chrome_stage_thread(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                           const char *name, struct gp_error *err);

/* After the last event: the source is ready to be read. */
int gp_chrome_stage_commit(struct gp_chrome_stage *stage, struct gp_error *err);

#endif
