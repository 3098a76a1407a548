/* The sentence under a table: see gp_report_verdict. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/cli/report.h"

struct sentence {
    char *text;
    size_t used;
};

static void say(struct sentence *sentence, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct sentence *sentence, const char *format, ...)
{
    va_list arguments;
    int written;

    va_start(arguments, format);
    written = vsnprintf(sentence->text + sentence->used, GP_VERDICT_BYTES_MAX - sentence->used,
                        format, arguments);
    va_end(arguments);
    sentence->used += written > 0 ? (size_t)written : 0;
    if (sentence->used >= GP_VERDICT_BYTES_MAX) {
        sentence->used = GP_VERDICT_BYTES_MAX - 1;
    }
}

static bool is_single(const struct gp_result *cell)
{
    return strcmp(cell->cell->policy, "single") == 0;
}

static void say_cell(struct sentence *sentence, const struct gp_result *cell)
{
    say(sentence, "%s", cell->cell->policy);
    if (!is_single(cell)) {
        say(sentence, " with %d stream%s", (int)cell->cell->streams,
            cell->cell->streams == 1 ? "" : "s");
    }
}

static const struct gp_result *find(const struct gp_result *cells, uint32_t count, bool recommended)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_cell_summary *summary = &cells[i].summary;

        if (recommended ? summary->is_recommended : summary->is_best) {
            return &cells[i];
        }
    }
    return NULL;
}

static bool is_other_tied(const struct gp_result *cell, const struct gp_result *chosen)
{
    return cell->summary.is_tied && cell != chosen;
}

/* The sizes of one policy that are tied, from cell `first` on, as "8–32" where at least three in a
 * row are. Returns the cell after the last one said. */
static uint32_t say_sizes(struct sentence *sentence, const struct gp_result *cells, uint32_t count,
                          uint32_t first, const struct gp_result *chosen,
                          const struct gp_terminal *terminal)
{
    uint32_t end = first + 1;

    while (end < count && is_other_tied(&cells[end], chosen) &&
           strcmp(cells[end].cell->policy, cells[first].cell->policy) == 0) {
        end++;
    }
    if (end - first >= 3) {
        say(sentence, "%d%s%d", (int)cells[first].cell->streams, gp_terminal_dash(terminal),
            (int)cells[end - 1].cell->streams);
        return end;
    }
    say(sentence, "%d", (int)cells[first].cell->streams);
    return first + 1;
}

static void say_tied(struct sentence *sentence, const struct gp_result *cells, uint32_t count,
                     const struct gp_result *chosen, const struct gp_terminal *terminal)
{
    const char *policy = NULL;
    uint32_t i = 0;

    while (i < count) {
        if (!is_other_tied(&cells[i], chosen)) {
            i++;
            continue;
        }
        say(sentence, "%s", policy == NULL ? "; not distinguishable from the best: " : ", ");
        if (policy == NULL || strcmp(policy, cells[i].cell->policy) != 0) {
            say(sentence, "%s%s", cells[i].cell->policy, is_single(&cells[i]) ? "" : " ");
        }
        policy = cells[i].cell->policy;
        if (is_single(&cells[i])) {
            i++;
        } else {
            i = say_sizes(sentence, cells, count, i, chosen, terminal);
        }
    }
}

/* What the chosen cell gains; nothing beyond doubt where `single` is as good. */
static void say_gain(struct sentence *sentence, const struct gp_result *chosen, bool single_is_tied,
                     const struct gp_terminal *terminal)
{
    char time[GP_TIME_BYTES_MAX];

    gp_report_time(chosen->summary.makespan_ns.median, terminal, time);
    say_cell(sentence, chosen);
    if (is_single(chosen)) {
        say(sentence, " is enough: %s", time);
    } else if (single_is_tied) {
        say(sentence, ": %s, which is not known to beat single", time);
    } else if (isnan(chosen->summary.speedup)) {
        say(sentence, ": %s", time);
    } else {
        say(sentence, ": %s, %.2f %s single", time, chosen->summary.speedup,
            gp_terminal_times(terminal));
    }
}

void gp_report_verdict(const struct gp_result *cells, uint32_t count,
                       const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX])
{
    struct sentence sentence = {.text = out};
    const struct gp_result *chosen = find(cells, count, true);
    const struct gp_result *best = find(cells, count, false);
    char time[GP_TIME_BYTES_MAX];
    bool single_is_tied = false;
    uint32_t compared = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        compared += cells[i].cell->status == GP_STATUS_COMPLETE;
        single_is_tied |= is_single(&cells[i]) && cells[i].summary.is_tied;
    }
    if (chosen == NULL || best == NULL) {
        say(&sentence, "No cell is complete, so there is no verdict.");
        return;
    }
    if (compared == 1) {
        say_cell(&sentence, chosen);
        gp_report_time(chosen->summary.makespan_ns.median, terminal, time);
        say(&sentence, ": %s; there is nothing to compare it with.", time);
        return;
    }
    say_gain(&sentence, chosen, single_is_tied, terminal);
    if (chosen == best) {
        say(&sentence, is_single(chosen) ? "; nothing is faster" : "; the best");
    } else {
        say(&sentence, "; %swithin 2 %% of the best (",
            is_single(chosen) ? "" : "the smallest pool ");
        say_cell(&sentence, best);
        say(&sentence, ")");
    }
    say_tied(&sentence, cells, count, chosen, terminal);
    say(&sentence, ".");
}
