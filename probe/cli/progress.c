/* Progress: see progress.h. */
#include "probe/cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BAR_COLUMNS = 24 };

/* Redrawing more often than eyes can follow would cost the run it reports on. */
static const int64_t redraw_ns = INT64_C(100) * 1000 * 1000;

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void gp_progress_clear(struct gp_progress *progress)
{
    if (progress->drawn_ns != 0) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        progress->drawn_ns = 0;
    }
}

static void draw(struct gp_progress *progress, const struct gp_sweep_progress *at)
{
    int64_t now = now_ns();
    uint32_t total = at->runs_total > at->runs_done ? at->runs_total : at->runs_done;
    int filled = total > 0 ? (int)((uint64_t)at->runs_done * BAR_COLUMNS / total) : 0;
    char bar[BAR_COLUMNS + 1];

    if (progress->drawn_ns != 0 && now - progress->drawn_ns < redraw_ns) {
        return;
    }
    (void)memset(bar, '.', BAR_COLUMNS);
    (void)memset(bar, '#', (size_t)filled);
    bar[BAR_COLUMNS] = '\0';
    (void)fprintf(stderr, "\r\033[K[%s] %u/%u  %.16s %.20s %u", bar, at->runs_done, total,
                  at->scenario, at->policy, at->streams);
    (void)fflush(stderr);
    progress->drawn_ns = now;
}

void gp_progress_show(void *user, const struct gp_sweep_progress *at)
{
    struct gp_progress *progress = user;

    if (progress->verbose) {
        (void)fprintf(stderr, "gpuprobe: run %u of %u: %s %s %u %s\n", at->runs_done + 1,
                      at->runs_total, at->scenario, at->policy, at->streams,
                      gp_pass_name(at->pass));
    } else if (!progress->quiet && progress->terminal->redraw) {
        draw(progress, at);
    }
}

void gp_progress_message(void *user, const char *text)
{
    struct gp_progress *progress = user;

    if (!progress->quiet) {
        gp_progress_clear(progress);
        (void)fprintf(stderr, "gpuprobe: %s\n", text);
    }
}
