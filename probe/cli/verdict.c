/* The sentences under a table: see gp_report_verdict and gp_report_differences. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/cli/report.h"

/* A part of the device that is taken for so much of the time is what limits the pool. */
static const double taken_whole = 0.85;

struct sentence {
    char *text;
    size_t used;
    struct gp_ways ways; /* in what the cells differ */
    const struct gp_terminal *terminal;
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

static bool is_of_same_policy(const struct sentence *sentence, const struct gp_result *a,
                              const struct gp_result *b)
{
    return strcmp(a->cell->policy, b->cell->policy) == 0 &&
           gp_report_is_same_way(a, b, &sentence->ways);
}

static void say_policy(struct sentence *sentence, const struct gp_result *cell)
{
    char way[GP_WAY_BYTES_MAX];

    gp_report_way(cell, &sentence->ways, way);
    say(sentence, "%s%s", cell->cell->policy, way);
}

static void say_cell(struct sentence *sentence, const struct gp_result *cell)
{
    say_policy(sentence, cell);
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

/* The sizes of cells [first, end), of one policy: as "8–32" where there are at least three, else
 * only the first one's. Returns the cell after the last one said. */
static uint32_t say_sizes(struct sentence *sentence, const struct gp_result *cells, uint32_t first,
                          uint32_t end)
{
    if (end - first >= 3) {
        say(sentence, "%d%s%d", (int)cells[first].cell->streams,
            gp_terminal_dash(sentence->terminal), (int)cells[end - 1].cell->streams);
        return end;
    }
    say(sentence, "%d", (int)cells[first].cell->streams);
    return first + 1;
}

static uint32_t end_of_tied(const struct sentence *sentence, const struct gp_result *cells,
                            uint32_t count, uint32_t first, const struct gp_result *chosen)
{
    uint32_t end = first + 1;

    while (end < count && is_other_tied(&cells[end], chosen) &&
           is_of_same_policy(sentence, &cells[end], &cells[first])) {
        end++;
    }
    return end;
}

static void say_tied(struct sentence *sentence, const struct gp_result *cells, uint32_t count,
                     const struct gp_result *chosen)
{
    const struct gp_result *last = NULL;
    uint32_t i = 0;

    while (i < count) {
        if (!is_other_tied(&cells[i], chosen)) {
            i++;
            continue;
        }
        say(sentence, "%s", last == NULL ? "; not distinguishable from the best: " : ", ");
        if (last == NULL || !is_of_same_policy(sentence, last, &cells[i])) {
            say_policy(sentence, &cells[i]);
            say(sentence, "%s", is_single(&cells[i]) ? "" : " ");
        }
        last = &cells[i];
        if (is_single(&cells[i])) {
            i++;
        } else {
            i = say_sizes(sentence, cells, i, end_of_tied(sentence, cells, count, i, chosen));
        }
    }
}

/* What the chosen cell gains; nothing beyond doubt where `single` is as good. */
static void say_gain(struct sentence *sentence, const struct gp_result *chosen, bool single_is_tied)
{
    const struct gp_terminal *terminal = sentence->terminal;
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

/* Cells that were cut short may hold the best, and those that failed have no time that counts: the
 * sentence does not speak for them. */
static void say_partial(struct sentence *sentence, const struct gp_result *cells, uint32_t count,
                        uint32_t compared)
{
    uint32_t failed = 0, incomplete = 0;

    for (uint32_t i = 0; i < count; i++) {
        failed += cells[i].cell->status == GP_STATUS_FAILED ? 1 : 0;
        incomplete += cells[i].cell->status == GP_STATUS_INCOMPLETE ? 1 : 0;
    }
    if (failed > 0) {
        say(sentence, "%u cell%s failed. ", failed, failed == 1 ? "" : "s");
    }
    if (failed > 0 || incomplete > 0) {
        say(sentence, "Of the %u complete cell%s of %u: ", compared, compared == 1 ? "" : "s",
            count);
    }
}

/* Else it was chosen because it cannot be told from the best. */
static bool is_within_best(const struct gp_result *chosen, const struct gp_result *best)
{
    return chosen->summary.makespan_ns.median <= 1.02 * best->summary.makespan_ns.median;
}

void gp_report_verdict(const struct gp_result *cells, uint32_t count,
                       const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX])
{
    struct sentence sentence = {
        .text = out, .ways = gp_report_ways(cells, count), .terminal = terminal};
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
    if (count > 0 && cells[0].device != NULL && cells[0].device->kind == GP_ORIGIN_IMPORTED) {
        say(&sentence, "Another tool recorded this run: 'gpuprobe explain' says why it took as "
                       "long as it did.");
        return;
    }
    if (chosen == NULL || best == NULL) {
        say(&sentence, "No cell is complete, so there is no verdict.");
        return;
    }
    say_partial(&sentence, cells, count, compared);
    if (compared == 1) {
        say_cell(&sentence, chosen);
        gp_report_time(chosen->summary.makespan_ns.median, terminal, time);
        say(&sentence, ": %s; there is nothing to compare it with.", time);
        return;
    }
    say_gain(&sentence, chosen, single_is_tied);
    if (chosen == best) {
        say(&sentence, is_single(chosen) ? "; nothing is faster" : "; the best");
    } else {
        say(&sentence, "; %s%s the best (", is_single(chosen) ? "" : "the smallest pool ",
            is_within_best(chosen, best) ? "within 2 % of" : "that may be");
        say_cell(&sentence, best);
        say(&sentence, ")");
    }
    say_tied(&sentence, cells, count, chosen);
    say(&sentence, ".");
}

static bool is_disturbed(const struct gp_result *cell)
{
    return cell->summary.perturbation.median >= GP_DISTURBED_FROM;
}

void gp_report_disturbance(const struct gp_result *cells, uint32_t count,
                           const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX])
{
    struct sentence sentence = {
        .text = out, .ways = gp_report_ways(cells, count), .terminal = terminal};
    const struct gp_result *worst = NULL;
    uint32_t disturbed = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        if (is_disturbed(&cells[i])) {
            disturbed++;
            worst = worst == NULL || cells[i].summary.perturbation.median >
                                         worst->summary.perturbation.median
                        ? &cells[i]
                        : worst;
        }
    }
    if (worst == NULL) {
        return;
    }
    say(&sentence, "Recording makes ");
    say_cell(&sentence, worst);
    say(&sentence, " take %.1f %s as long", worst->summary.perturbation.median,
        gp_terminal_times(terminal));
    if (worst->trace_note != NULL && worst->trace_note[0] != '\0') {
        say(&sentence, " (%s)", worst->trace_note);
    }
    say(&sentence, ", so that its operations are not those of a run without a recorder");
    if (disturbed > 1) {
        say(&sentence, "; it disturbs %u more", disturbed - 1);
    }
    say(&sentence, ".");
}

void gp_report_knee(const struct gp_result *cells, uint32_t count,
                    const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX])
{
    struct sentence sentence = {.text = out, .terminal = terminal};
    const struct gp_result *chosen = find(cells, count, true);
    char ideal[GP_TIME_BYTES_MAX], device[GP_TIME_BYTES_MAX];

    out[0] = '\0';
    if (chosen == NULL || isnan(chosen->summary.efficiency) || chosen->summary.limit == NULL ||
        is_disturbed(chosen)) {
        return;
    }
    gp_report_time(chosen->summary.bound_ns, terminal, ideal);
    gp_report_time(chosen->summary.device_bound_ns, terminal, device);
    if (chosen->summary.limit_share >= taken_whole) {
        say(&sentence, "From %d stream%s on %s %s taken %.0f %% of the time. ",
            (int)chosen->cell->streams, chosen->cell->streams == 1 ? "" : "s",
            chosen->summary.limit,
            strcmp(chosen->summary.limit, gp_limit_name(GP_LIMIT_SMS)) == 0 ? "are" : "is",
            100 * chosen->summary.limit_share);
    }
    say(&sentence, "Device bound %s (ideal %s): %.0f %% of it is reached.", device, ideal,
        100 * chosen->summary.efficiency);
}

/* Whether it can be told apart from round-robin; single is round-robin with one stream. */
static bool is_other(const struct gp_result *cell)
{
    return !is_single(cell) && cell->summary.versus_round_robin != GP_VERSUS_UNKNOWN &&
           strcmp(cell->cell->policy, "round-robin") != 0;
}

static bool is_different(const struct gp_result *cell)
{
    return is_other(cell) && cell->summary.versus_round_robin != GP_VERSUS_SAME;
}

static bool differs_likewise(const struct sentence *sentence, const struct gp_result *a,
                             const struct gp_result *b)
{
    return is_of_same_policy(sentence, a, b) &&
           a->summary.versus_round_robin == b->summary.versus_round_robin;
}

/* "roles faster 2–32, level slower 2, 4" */
static void say_different(struct sentence *sentence, const struct gp_result *cells, uint32_t count)
{
    const struct gp_result *last = NULL;
    uint32_t i = 0;

    while (i < count) {
        uint32_t end = i + 1;

        if (!is_different(&cells[i])) {
            i++;
            continue;
        }
        while (end < count && is_different(&cells[end]) &&
               differs_likewise(sentence, &cells[end], &cells[i])) {
            end++;
        }
        say(sentence, "%s", last == NULL ? "" : ", ");
        if (last == NULL || !differs_likewise(sentence, last, &cells[i])) {
            say_policy(sentence, &cells[i]);
            say(sentence, " %s ", gp_versus_name(cells[i].summary.versus_round_robin));
        }
        last = &cells[i];
        i = say_sizes(sentence, cells, i, end);
    }
}

void gp_report_differences(const struct gp_result *cells, uint32_t count,
                           const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX])
{
    struct sentence sentence = {
        .text = out, .ways = gp_report_ways(cells, count), .terminal = terminal};
    uint32_t others = 0;
    uint32_t different = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        others += is_other(&cells[i]) ? 1 : 0;
        different += is_different(&cells[i]) ? 1 : 0;
    }
    if (others == 0) {
        return;
    }
    if (different == 0) {
        say(&sentence, "No policy differs from round-robin with as many streams by more than the "
                       "intervals.");
        return;
    }
    say(&sentence, "Against round-robin with as many streams, beyond the intervals: ");
    say_different(&sentence, cells, count);
    say(&sentence, ".");
}
