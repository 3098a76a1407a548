/*
 * Writes parts of a run on a thread of its own, one after the other, while the next one is being
 * read. One thread uses a pen. While a part is being written nobody else may touch the writer.
 */
#ifndef GP_PROBE_IMPORT_PEN_H
#define GP_PROBE_IMPORT_PEN_H

#include <pthread.h>
#include <stdbool.h>

#include "probe/store/writer.h"

struct gp_pen {
    struct gp_writer *writer;
    pthread_t thread;
    bool has_thread; /* without one, a part is written when it is given */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock: the part in hand, whether the thread is to end, and what became of the parts
     * before. */
    struct gp_run_rows rows;
    bool has_part, is_last;
    int code;
    struct gp_error error;
};

/* In a run of the writer that was begun. Takes a zeroed struct. */
void gp_pen_start(struct gp_pen *pen, struct gp_writer *writer);

/* Waits for the part before, and hands over this one, of which everything must stay until the next
 * call returns. Fails with what a part before failed with. */
int gp_pen_write(struct gp_pen *pen, const struct gp_run_rows *rows, struct gp_error *err);

/* Waits until all is written. */
int gp_pen_wait(struct gp_pen *pen, struct gp_error *err);

/* Waits likewise and ends the thread. Takes a zeroed struct, too. */
void gp_pen_stop(struct gp_pen *pen);

#endif
