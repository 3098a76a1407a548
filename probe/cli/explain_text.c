/* What a cell's run says, as text: see explain.h. */
#include "probe/cli/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/analysis/what_if.h"
#include "probe/cli/advice_print.h"
#include "probe/cli/table.h"
#include "probe/cli/timeline.h"

enum {
    STREAMS_SHOWN_MAX = 40,
    STEPS_LISTED_MAX = 10,
    ARGUMENT_BYTES_MAX = 64, /* of a text of the recording */
};

/* Letters of a timeline, by enum gp_tick. */
struct letters {
    const char *ticks[5];
};

static const struct letters utf8_letters = {{" ", "·", "█", "▄", "░"}};
static const struct letters ascii_letters = {{" ", ".", "#", "=", "+"}};

static const struct letters *letters_of(const struct gp_terminal *terminal)
{
    return terminal->utf8 ? &utf8_letters : &ascii_letters;
}

void gp_explain_say_op(struct gp_words *words, const struct gp_run_data *run, uint32_t op)
{
    const struct gp_op_row *row = &run->ops[op];

    gp_words_say(words, "%s '%.*s' (operation %" PRIu32 ")", gp_op_kind_name(row->kind),
                 ARGUMENT_BYTES_MAX, row->name, op);
}

static void say_time(struct gp_words *words, double ns, const struct gp_terminal *terminal)
{
    char time[GP_TIME_BYTES_MAX];

    gp_report_time(ns, terminal, time);
    gp_words_say(words, "%s", time);
}

static void print_heading(const char *text, const struct gp_terminal *terminal)
{
    printf("\n%s%s%s\n", gp_terminal_bold(terminal), text, gp_terminal_plain(terminal));
}

/* ---- the run ------------------------------------------------------------------------------- */

static void say_ratio(struct gp_words *words, const char *before, double value, const char *after)
{
    if (!isnan(value)) {
        gp_words_say(words, "%s%.2f%s", before, value, after);
    }
}

static void print_figures(const struct gp_explained *explained, const struct gp_terminal *terminal)
{
    const struct gp_cell_summary *summary = &explained->result->summary;
    struct gp_words words = {.used = 0};

    if (!isnan(summary->makespan_ns.median)) {
        gp_words_say(&words, "Makespan ");
        say_time(&words, summary->makespan_ns.median, terminal);
        gp_words_say(&words, " (median of %" PRIu32 ")", summary->repeats);
    }
    if (explained->run.run.makespan_ns != GP_UNKNOWN) {
        gp_words_say(&words, "%s ", words.used > 0 ? ", of the run shown" : "Makespan");
        say_time(&words, (double)explained->run.run.makespan_ns, terminal);
    }
    gp_words_say(&words, "%s%" PRIu32 " operation%s", words.used > 0 ? "; " : "",
                 explained->run.op_count, explained->run.op_count == 1 ? "" : "s");
    say_ratio(&words, ", concurrency ", summary->concurrency, "");
    if (!isnan(summary->copy_compute_overlap)) {
        gp_words_say(&words, ", copies beside kernels %.0f %%",
                     100 * summary->copy_compute_overlap);
    }
    if (!isnan(summary->h2d_d2h_overlap)) {
        gp_words_say(&words, ", uploads beside downloads %.0f %%", 100 * summary->h2d_d2h_overlap);
    }
    if (!isnan(summary->efficiency)) {
        gp_words_say(&words, ", %.0f %% of the device bound", 100 * summary->efficiency);
    }
    gp_words_say(&words, ".");
    if (!isnan(summary->latency_p50_ns)) {
        gp_words_say(&words, " A chain took ");
        say_time(&words, summary->latency_p50_ns, terminal);
        gp_words_say(&words, " (p50), ");
        say_time(&words, summary->latency_p99_ns, terminal);
        gp_words_say(&words, " (p99).");
    }
    if (gp_run_is_vague(&explained->run)) {
        gp_words_say(&words, " When its operations ran is hardly known, so what follows tells "
                             "little; record it with --trace events.");
    }
    gp_words_print(&words, terminal, 0, 0);
    if (explained->result->device->kind == GP_ORIGIN_IMPORTED) {
        struct gp_words note = {.used = 0};

        gp_words_say(&note, "%s.", explained->run.run.trace_note);
        gp_words_print(&note, terminal, 0, 0);
    }
}

static uint32_t digits_of(uint32_t value)
{
    uint32_t digits = 1;

    while (value >= 10) {
        value /= 10;
        digits++;
    }
    return digits;
}

static void print_stream(const struct gp_timeline *timeline, uint32_t stream, uint32_t digits,
                         const struct gp_terminal *terminal)
{
    const struct letters *letters = letters_of(terminal);

    printf("stream %-*" PRIu32 " ", (int)digits, stream);
    for (uint32_t i = 0; i < timeline->columns; i++) {
        fputs(letters->ticks[timeline->ticks[stream * timeline->columns + i]], stdout);
    }
    printf(" %3.0f %%\n", 100 * timeline->busy[stream]);
}

/* How many ran at once, a digit a column. */
static void print_together(const struct gp_timeline *timeline, uint32_t digits)
{
    printf("at once%*s", (int)digits + 1, "");
    for (uint32_t i = 0; i < timeline->columns; i++) {
        double count = floor(timeline->together[i] + 0.5);

        putchar(timeline->together[i] <= 0 ? ' ' : count > 9 ? '+' : (char)('0' + (int)count));
    }
    putchar('\n');
}

static void print_timeline(const struct gp_run_data *run, const struct gp_terminal *terminal)
{
    const struct letters *letters = letters_of(terminal);
    uint32_t digits = digits_of(run->stream_count);
    uint32_t around = 8 + digits + 6; /* "stream N " before, " 100 %" after */
    uint32_t shown = 0;
    struct gp_words words = {.used = 0};
    struct gp_timeline timeline;
    char time[GP_TIME_BYTES_MAX];
    uint32_t used = 0;

    gp_timeline_make(run, terminal->columns - around, &timeline);
    for (uint32_t i = 0; i < timeline.streams; i++) {
        used += timeline.op_counts[i] > 0 ? 1 : 0;
    }
    for (uint32_t i = 0; i < timeline.streams && shown < STREAMS_SHOWN_MAX; i++) {
        if (timeline.op_counts[i] > 0) {
            print_stream(&timeline, i, digits, terminal);
            shown++;
        }
    }
    if (used > shown) {
        printf("and %" PRIu32 " streams more\n", used - shown);
    }
    print_together(&timeline, digits);
    gp_report_time((double)timeline.end_ns, terminal, time);
    printf("%*s0%*s\n", (int)digits + 8, "",
           (int)(timeline.columns - 1 + (strstr(time, "µ") != NULL ? 1 : 0)), time);
    gp_timeline_finish(&timeline);
    gp_words_say(
        &words,
        "%s kernel, %s copy, %s other work on the device, %s waiting, blank: done; of each "
        "column what took most of it",
        letters->ticks[GP_TICK_KERNEL], letters->ticks[GP_TICK_COPY], letters->ticks[GP_TICK_OTHER],
        letters->ticks[GP_TICK_WAITING]);
    gp_words_print(&words, terminal, 0, 0);
}

/* Whether it is a run of another program, which has no policy and none of our options. */
static bool is_imported(const struct gp_explained *explained)
{
    return explained->result->device->kind == GP_ORIGIN_IMPORTED;
}

void gp_explain_print_cell(const struct gp_explained *explained, const struct gp_terminal *terminal)
{
    const struct gp_cell_row *cell = explained->result->cell;
    struct gp_words words = {.used = 0};

    gp_words_say(&words, "%.*s", ARGUMENT_BYTES_MAX, cell->scenario);
    if (explained->result->variant[0] != '\0') {
        gp_words_say(&words, " (%s)", explained->result->variant);
    }
    if (!is_imported(explained)) {
        gp_words_say(&words, " under %.*s", ARGUMENT_BYTES_MAX, cell->policy);
    }
    gp_words_say(&words, " with %d stream%s%s, cell %" PRId64, (int)cell->streams,
                 cell->streams == 1 ? "" : "s",
                 cell->submit == GP_SUBMIT_GRAPH ? ", as a graph" : "", cell->id);
    if (explained->result->device->kind == GP_ORIGIN_MODEL) {
        gp_words_say(&words, " (modelled)");
    }
    printf("%s", gp_terminal_bold(terminal));
    gp_words_print(&words, terminal, 0, 0);
    printf("%s", gp_terminal_plain(terminal));
}

void gp_explain_print_run(const struct gp_explained *explained, const struct gp_terminal *terminal)
{
    gp_explain_print_cell(explained, terminal);
    print_figures(explained, terminal);
    putchar('\n');
    print_timeline(&explained->run, terminal);
}

/* ---- causes -------------------------------------------------------------------------------- */

/* Causes that held anybody, the longest idle time first. */
static uint32_t order_causes(const struct gp_causes *causes, enum gp_cause order[GP_CAUSE_COUNT])
{
    uint32_t count = 0;

    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        const struct gp_cause_total *total = &causes->totals[cause];
        uint32_t place = count;

        if (total->ops == 0) {
            continue;
        }
        while (place > 0 && causes->totals[order[place - 1]].idle_ns < total->idle_ns) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = (enum gp_cause)cause;
        count++;
    }
    return count;
}

static void add_time(struct gp_table *table, double ns, const struct gp_terminal *terminal)
{
    char time[GP_TIME_BYTES_MAX];

    gp_report_time(ns, terminal, time);
    gp_table_cell(table, "%s", time);
}

static void print_cause_table(const struct gp_what_if *what_if, const enum gp_cause *order,
                              uint32_t count, const struct gp_terminal *terminal)
{
    const struct gp_causes *causes = what_if->causes;
    static const struct gp_column columns[] = {{"cause", false},     {"idle", true},
                                               {"share", true},      {"waited", true},
                                               {"operations", true}, {"without it", true}};
    struct gp_table table = {.columns = columns, .column_count = 6};

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_cause_total *total = &causes->totals[order[i]];

        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", gp_cause_name(order[i]));
        add_time(&table, (double)total->idle_ns, terminal);
        gp_table_cell(&table, "%.1f %%",
                      causes->idle_ns > 0 ? 100 * (double)total->idle_ns / (double)causes->idle_ns
                                          : 0);
        add_time(&table, total->waited_ns, terminal);
        gp_table_cell(&table, "%" PRIu32, total->ops);
        add_time(&table, (double)what_if->without_ns[order[i]], terminal);
    }
    gp_table_row(&table, GP_ROW_CHOSEN);
    gp_table_cell(&table, "all");
    add_time(&table, (double)causes->idle_ns, terminal);
    gp_table_cell(&table, " ");
    gp_table_cell(&table, " ");
    gp_table_cell(&table, " ");
    add_time(&table, (double)what_if->as_it_was_ns, terminal);
    gp_table_print(&table, terminal, 2);
    gp_table_finish(&table);
}

/* The piece of the operation's wait that is the worst of this cause. */
static const struct gp_wait *worst_wait(const struct gp_causes *causes, enum gp_cause cause)
{
    uint32_t op = causes->totals[cause].worst_op;
    const struct gp_wait *worst = NULL;

    for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
        const struct gp_wait *wait = &causes->waits[i];

        if (wait->cause == cause &&
            (worst == NULL || wait->to - wait->from > worst->to - worst->from)) {
            worst = wait;
        }
    }
    return worst;
}

/* What held it, in figures: "for kernel 'gemm' (operation 3), 1003 launches that …". */
static void say_evidence(struct gp_words *words, const struct gp_causes *causes, uint32_t op,
                         const struct gp_wait *wait)
{
    const struct gp_cause_rule *rule = &gp_cause_table[wait->cause];

    if (gp_wait_is_arrival(wait)) {
        gp_words_say(words, ", for its arrival");
    }
    if (wait->on != GP_NO_OP && wait->on != op) { /* its own call may hold it, too */
        gp_words_say(words, ", for ");
        gp_explain_say_op(words, causes->run, wait->on);
    }
    if (rule->figure != NULL && wait->figure != GP_UNKNOWN) {
        gp_words_say(words, " (%s: %" PRId64 ")", rule->figure, wait->figure);
    }
}

static void print_cause(const struct gp_explained *explained, enum gp_cause cause,
                        const struct gp_terminal *terminal)
{
    const struct gp_causes *causes = &explained->causes;
    const struct gp_cause_rule *rule = &gp_cause_table[cause];
    const struct gp_wait *wait = worst_wait(causes, cause);
    struct gp_words words = {.used = 0};

    gp_words_say(&words, "%s: %s. Longest: ", gp_cause_name(cause), rule->summary);
    gp_explain_say_op(&words, causes->run, causes->totals[cause].worst_op);
    gp_words_say(&words, ", ");
    say_time(&words, (double)(wait->to - wait->from), terminal);
    say_evidence(&words, causes, causes->totals[cause].worst_op, wait);
    gp_words_say(&words, ". %s: %s",
                 cause == GP_CAUSE_UNKNOWN ? "Would tell more" : "Would remove it",
                 gp_cause_remedy(causes, cause));
    if (gp_experiment_is_some(&rule->experiment) &&
        gp_explain_can_try(explained, &rule->experiment)) {
        gp_words_say(&words, rule->is_limit ? "; would not:" : "; to try:");
        gp_explain_say_experiment(&words, explained->result->cell, &rule->experiment);
    }
    gp_words_say(&words, ".");
    gp_words_print(&words, terminal, 2, 4);
}

static void print_causes(const struct gp_explained *explained, const struct gp_terminal *terminal)
{
    enum gp_cause order[GP_CAUSE_COUNT];
    uint32_t count = order_causes(&explained->causes, order);

    if (count == 0) {
        printf("  No operation waited.\n");
        return;
    }
    print_cause_table(&explained->what_if, order, count, terminal);
    putchar('\n');
    for (uint32_t i = 0; i < count; i++) {
        print_cause(explained, order[i], terminal);
    }
}

/* ---- the critical path --------------------------------------------------------------------- */

static void print_path_sums(const struct gp_critical *critical, const struct gp_terminal *terminal)
{
    int64_t end_ns = critical->steps[critical->count - 1].to;
    struct gp_words words = {.used = 0};
    const char *before = "; waits: ";

    gp_words_say(&words, "Operations ran for ");
    say_time(&words, (double)critical->run_ns, terminal);
    gp_words_say(&words, " of its ");
    say_time(&words, (double)end_ns, terminal);
    gp_words_say(&words, " (%.0f %%)", 100 * (double)critical->run_ns / (double)end_ns);
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        if (critical->wait_ns[cause] > 0) {
            gp_words_say(&words, "%s%s ", before, gp_cause_name((enum gp_cause)cause));
            say_time(&words, (double)critical->wait_ns[cause], terminal);
            before = ", ";
        }
    }
    before = ". What ran had to end first because of ";
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        if (critical->after_ns[cause] > 0) {
            gp_words_say(&words, "%s%s ", before, gp_cause_name((enum gp_cause)cause));
            say_time(&words, (double)critical->after_ns[cause], terminal);
            before = ", ";
        }
    }
    gp_words_say(&words, ".");
    gp_words_print(&words, terminal, 2, 2);
}

/* How long a step has to be, to be among the longest that are listed. */
static int64_t listed_from(const struct gp_critical *critical)
{
    int64_t longest[STEPS_LISTED_MAX] = {0};

    for (uint32_t i = 0; i < critical->count; i++) {
        int64_t ns = critical->steps[i].to - critical->steps[i].from;

        for (int k = 0; k < STEPS_LISTED_MAX; k++) {
            if (ns > longest[k]) {
                int64_t pushed = longest[k];

                longest[k] = ns;
                ns = pushed;
            }
        }
    }
    return longest[STEPS_LISTED_MAX - 1];
}

static void print_step(const struct gp_explained *explained, const struct gp_critical_step *step,
                       const struct gp_terminal *terminal)
{
    struct gp_words words = {.used = 0};
    char from[GP_TIME_BYTES_MAX], time[GP_TIME_BYTES_MAX];

    gp_report_time((double)step->from, terminal, from);
    gp_report_time((double)(step->to - step->from), terminal, time);
    gp_words_say(&words, "at %s, %s: ", from, time);
    gp_explain_say_op(&words, &explained->run, step->op);
    if (step->is_run) {
        gp_words_say(&words, " ran on stream %" PRIu32, explained->run.ops[step->op].stream);
    } else {
        gp_words_say(&words, " waited: %s%s", gp_cause_name(step->cause),
                     step->cause == GP_CAUSE_DEPENDENCY &&
                             explained->run.ops[step->op].release >= step->to
                         ? ", for its arrival"
                         : "");
    }
    gp_words_print(&words, terminal, 4, 6);
}

static void print_path(const struct gp_explained *explained, const struct gp_terminal *terminal)
{
    const struct gp_critical *critical = &explained->critical;
    int64_t least_ns = listed_from(critical);
    uint32_t listed = 0;

    print_path_sums(critical, terminal);
    if (critical->count > STEPS_LISTED_MAX) {
        printf("  The longest of its %" PRIu32 " steps:\n", critical->count);
    }
    for (uint32_t i = 0; i < critical->count && listed < STEPS_LISTED_MAX; i++) {
        const struct gp_critical_step *step = &critical->steps[i];

        if (step->to - step->from >= least_ns) {
            print_step(explained, step, terminal);
            listed++;
        }
    }
}

/* ---- all of it ----------------------------------------------------------------------------- */

void gp_explain_print_why(const struct gp_explained *explained, const struct gp_terminal *terminal)
{
    print_heading("Why streams were idle, and operations waited", terminal);
    print_causes(explained, terminal);
    print_heading("Streams, of the time until the last end", terminal);
    gp_explain_print_streams(explained, terminal);
    if (explained->critical.count > 0) {
        print_heading("Critical path", terminal);
        print_path(explained, terminal);
    }
    print_heading("Advice", terminal);
    if (explained->advices.count == 0) {
        printf("  Nothing that the recording could tell from noise.\n");
    }
    gp_advice_print(&explained->advices, terminal);
}
