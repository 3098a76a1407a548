/* Parts of a run, written while the next one is read: see pen.h. */
#include "probe/import/pen.h"

#include <assert.h>

#include <sqlite3.h>

/* With the lock held. */
static void write_part(struct gp_pen *pen)
{
    struct gp_error error = {0};
    int code;

    (void)pthread_mutex_unlock(&pen->lock);
    code = gp_writer_add_part(pen->writer, &pen->rows, &error);
    (void)pthread_mutex_lock(&pen->lock);
    pen->code = code;
    pen->error = error;
    pen->has_part = false;
    (void)pthread_cond_signal(&pen->changed);
}

static void *run(void *argument)
{
    struct gp_pen *pen = argument;

    (void)pthread_mutex_lock(&pen->lock);
    while (!pen->is_last) {
        if (pen->has_part) {
            write_part(pen);
        } else {
            (void)pthread_cond_wait(&pen->changed, &pen->lock);
        }
    }
    (void)pthread_mutex_unlock(&pen->lock);
    return NULL;
}

void gp_pen_start(struct gp_pen *pen, struct gp_writer *writer)
{
    *pen = (struct gp_pen){.writer = writer};
    (void)pthread_mutex_init(&pen->lock, NULL);
    (void)pthread_cond_init(&pen->changed, NULL);
    /* Two databases at once need a SQLite that was made for it. */
    pen->has_thread =
        sqlite3_threadsafe() != 0 && pthread_create(&pen->thread, NULL, run, pen) == 0;
}

/* With the lock held. */
static int wait_for_part(struct gp_pen *pen, struct gp_error *err)
{
    while (pen->has_part) {
        (void)pthread_cond_wait(&pen->changed, &pen->lock);
    }
    if (pen->code != 0 && err != NULL) {
        *err = pen->error;
    }
    return pen->code;
}

int gp_pen_write(struct gp_pen *pen, const struct gp_run_rows *rows, struct gp_error *err)
{
    int code;

    assert(pen->writer != NULL);
    if (!pen->has_thread) {
        return gp_writer_add_part(pen->writer, rows, err);
    }
    (void)pthread_mutex_lock(&pen->lock);
    code = wait_for_part(pen, err);
    if (code == 0) {
        pen->rows = *rows;
        pen->has_part = true;
        (void)pthread_cond_signal(&pen->changed);
    }
    (void)pthread_mutex_unlock(&pen->lock);
    return code;
}

int gp_pen_wait(struct gp_pen *pen, struct gp_error *err)
{
    int code;

    if (!pen->has_thread) {
        return 0;
    }
    (void)pthread_mutex_lock(&pen->lock);
    code = wait_for_part(pen, err);
    (void)pthread_mutex_unlock(&pen->lock);
    return code;
}

void gp_pen_stop(struct gp_pen *pen)
{
    if (pen->writer == NULL) {
        return;
    }
    (void)gp_pen_wait(pen, NULL);
    if (pen->has_thread) {
        (void)pthread_mutex_lock(&pen->lock);
        pen->is_last = true;
        (void)pthread_cond_signal(&pen->changed);
        (void)pthread_mutex_unlock(&pen->lock);
        (void)pthread_join(pen->thread, NULL);
    }
    (void)pthread_cond_destroy(&pen->changed);
    (void)pthread_mutex_destroy(&pen->lock);
    *pen = (struct gp_pen){0};
}
