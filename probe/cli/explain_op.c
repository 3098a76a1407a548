/* One operation's whole story: see explain.h. */
#include "probe/cli/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "probe/analysis/block_use.h"
#include "probe/cli/json.h"

static void say_time(struct gp_words *words, int64_t ns, const struct gp_terminal *terminal)
{
    char time[GP_TIME_BYTES_MAX];

    if (ns < 0 && ns != GP_UNKNOWN) {
        gp_words_say(words, "-");
        ns = -ns;
    }
    gp_report_time((double)ns, terminal, time);
    gp_words_say(words, "%s", ns == GP_UNKNOWN ? "an unknown time" : time);
}

/* What it is. */
static void print_what(const struct gp_run_data *run, uint32_t op,
                       const struct gp_terminal *terminal)
{
    const struct gp_op_row *row = &run->ops[op];
    struct gp_words words = {.used = 0};

    gp_explain_say_op(&words, run, op);
    gp_words_say(&words, " on stream %" PRIu32 ", of chain %" PRIu32, row->stream, row->chain);
    if (row->kind == GP_OP_KERNEL && row->grid[0] > 0) {
        gp_words_say(&words, ": %" PRIu64 " blocks of %" PRIu64 " threads",
                     (uint64_t)row->grid[0] * row->grid[1] * row->grid[2],
                     (uint64_t)row->block[0] * row->block[1] * row->block[2]);
    } else if (row->bytes != GP_UNKNOWN) {
        gp_words_say(&words, ": %" PRId64 " bytes", row->bytes);
    }
    gp_words_say(&words, ".");
    if (row->rule != NULL) {
        gp_words_say(&words, " The policy chose the stream because: %s.", row->rule);
    }
    gp_words_print(&words, terminal, 0, 4);
}

/* When it was where. */
static void print_when(const struct gp_run_data *run, uint32_t op,
                       const struct gp_terminal *terminal)
{
    const struct gp_op_row *row = &run->ops[op];
    struct gp_words words = {.used = 0};

    if (row->release > 0) {
        gp_words_say(&words, "Arrived at ");
        say_time(&words, row->release, terminal);
        gp_words_say(&words, "; submitted from ");
    } else {
        gp_words_say(&words, "Submitted from ");
    }
    say_time(&words, row->submit_begin, terminal);
    gp_words_say(&words, " to ");
    say_time(&words, row->submit_end, terminal);
    gp_words_say(&words, "; began at ");
    say_time(&words, row->begin, terminal);
    if (row->begin_lo != GP_UNKNOWN && row->begin_hi > row->begin_lo) {
        gp_words_say(&words, " (known to ");
        say_time(&words, row->begin_hi - row->begin_lo, terminal);
        gp_words_say(&words, ")");
    }
    gp_words_say(&words, ", ended at ");
    say_time(&words, row->end, terminal);
    if (row->begin != GP_UNKNOWN && row->end != GP_UNKNOWN) {
        gp_words_say(&words, ", ran for ");
        say_time(&words, row->end - row->begin, terminal);
    }
    gp_words_say(&words, "; source: %s.", gp_source_name(row->source));
    gp_words_print(&words, terminal, 0, 4);
}

static double tail_share(const struct gp_block_use *use)
{
    return use->end > use->first_begin
               ? (double)(use->end - use->idle_from) / (double)(use->end - use->first_begin)
               : 0.0;
}

/* What its blocks made of the SMs; nothing when they were not recorded. */
static void print_blocks(const struct gp_run_data *run, uint32_t op,
                         const struct gp_terminal *terminal)
{
    struct gp_words words = {.used = 0};
    struct gp_block_use use;

    if (!gp_block_use_measure(run, op, &use)) {
        return;
    }
    gp_words_say(&words, "Blocks: %" PRIu32 " on %" PRIu32, use.blocks, use.sms);
    if (run->device->sm_count != GP_UNKNOWN) {
        gp_words_say(&words, " of %" PRId64, run->device->sm_count);
    }
    gp_words_say(&words,
                 " SMs, at most %" PRIu32 " at once, %" PRIu32 " wave%s. The first began at ",
                 use.at_once, use.waves, use.waves == 1 ? "" : "s");
    say_time(&words, use.first_begin, terminal);
    gp_words_say(&words, ", the last at ");
    say_time(&words, use.last_begin, terminal);
    gp_words_say(&words, ". A block took ");
    say_time(&words, use.median_ns, terminal);
    gp_words_say(&words, " in the median and ");
    say_time(&words, use.longest_ns, terminal);
    gp_words_say(&words, " at most");
    if (!isnan(use.imbalance)) {
        gp_words_say(&words, " (%.2f times)", use.imbalance);
    }
    gp_words_say(&words, ". Tail: ");
    say_time(&words, use.end - use.idle_from, terminal);
    gp_words_say(&words, " (%.1f %%), from when the first of these SMs had no more of them.",
                 tail_share(&use) * 100.0);
    gp_words_print(&words, terminal, 0, 4);
}

/* How an edge is kept. */
static void say_how(struct gp_words *words, enum gp_edge_how how)
{
    if (how == GP_HOW_ELIDED) {
        gp_words_say(words, "implied by others");
    } else {
        gp_words_say(words, "kept by %s",
                     how == GP_HOW_MISSING ? "nothing" : gp_edge_how_name(how));
    }
}

/* What it needs, or what needs it. */
static void print_edges(const struct gp_run_data *run, uint32_t op, bool needs,
                        const struct gp_terminal *terminal)
{
    struct gp_words words = {.used = 0};

    for (uint32_t i = 0; i < run->edge_count; i++) {
        const struct gp_edge_row *edge = &run->edges[i];
        uint32_t other = needs ? edge->from : edge->to;

        if ((needs ? edge->to : edge->from) != op) {
            continue;
        }
        gp_words_say(&words, "%s", words.used > 0 ? ", " : needs ? "Needs " : "Needed by ");
        gp_explain_say_op(&words, run, other);
        gp_words_say(&words, " (%s, ", gp_edge_kind_name(edge->kind));
        say_how(&words, edge->how);
        if (needs && run->ops[other].end != GP_UNKNOWN) {
            gp_words_say(&words, ", ended at ");
            say_time(&words, run->ops[other].end, terminal);
        }
        gp_words_say(&words, ")");
    }
    gp_words_say(&words, words.used > 0 ? "." : needs ? "Needs nothing." : "Nothing needs it.");
    gp_words_print(&words, terminal, 0, 4);
}

static void print_wait(const struct gp_run_data *run, uint32_t op, const struct gp_wait *wait,
                       const struct gp_terminal *terminal)
{
    const struct gp_cause_rule *rule = &gp_cause_table[wait->cause];
    struct gp_words words = {.used = 0};

    gp_words_say(&words, "from ");
    say_time(&words, wait->from, terminal);
    gp_words_say(&words, ", ");
    say_time(&words, wait->to - wait->from, terminal);
    gp_words_say(&words, ": %s, %s", gp_cause_name(wait->cause),
                 gp_wait_is_arrival(wait) ? "it had not arrived yet" : rule->summary);
    if (wait->on != GP_NO_OP && wait->on != op) { /* its own call may hold it, too */
        gp_words_say(&words, "; for ");
        gp_explain_say_op(&words, run, wait->on);
    }
    if (rule->figure != NULL && wait->figure != GP_UNKNOWN) {
        gp_words_say(&words, " (%s: %" PRId64 ")", rule->figure, wait->figure);
    }
    gp_words_say(&words, wait->is_idle ? "." : "; its stream was busy meanwhile.");
    gp_words_print(&words, terminal, 2, 4);
}

static bool is_on_path(const struct gp_critical *critical, uint32_t op)
{
    for (uint32_t i = 0; i < critical->count; i++) {
        if (critical->steps[i].op == op && critical->steps[i].is_run) {
            return true;
        }
    }
    return false;
}

void gp_explain_print_op(const struct gp_explained *explained, uint32_t op,
                         const struct gp_terminal *terminal)
{
    const struct gp_run_data *run = &explained->run;
    const struct gp_causes *causes = &explained->causes;

    gp_explain_print_cell(explained, terminal);
    print_what(run, op, terminal);
    print_when(run, op, terminal);
    print_blocks(run, op, terminal);
    print_edges(run, op, true, terminal);
    puts(causes->first[op] == causes->first[op + 1] ? "It did not wait." : "Waited:");
    for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
        print_wait(run, op, &causes->waits[i], terminal);
    }
    print_edges(run, op, false, terminal);
    puts(is_on_path(&explained->critical, op)
             ? "It is on the critical path: what ends it earlier ends the run earlier."
             : "It is not on the critical path.");
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *edges_json(const struct gp_run_data *run, uint32_t op, bool needs)
{
    json_t *list = gp_json_need(json_array());

    for (uint32_t i = 0; i < run->edge_count; i++) {
        const struct gp_edge_row *edge = &run->edges[i];

        if ((needs ? edge->to : edge->from) == op) {
            (void)json_array_append_new(
                list, gp_json_need(json_pack(
                          "{s:i, s:s, s:s}", "op", (int)(needs ? edge->from : edge->to), "kind",
                          gp_edge_kind_name(edge->kind), "how", gp_edge_how_name(edge->how))));
        }
    }
    return list;
}

static json_t *blocks_json(const struct gp_run_data *run, uint32_t op)
{
    struct gp_block_use use;

    if (!gp_block_use_measure(run, op, &use)) {
        return json_null();
    }
    return gp_json_need(
        json_pack("{s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:o}", "count",
                  (json_int_t)use.blocks, "sms", (json_int_t)use.sms, "sm_count",
                  gp_json_number(run->device->sm_count), "at_once", (json_int_t)use.at_once,
                  "waves", (json_int_t)use.waves, "first_begin_ns", (json_int_t)use.first_begin,
                  "last_begin_ns", (json_int_t)use.last_begin, "tail_ns",
                  (json_int_t)(use.end - use.idle_from), "tail_share", tail_share(&use),
                  "median_ns", (json_int_t)use.median_ns, "longest_ns", (json_int_t)use.longest_ns,
                  "imbalance", isnan(use.imbalance) ? json_null() : json_real(use.imbalance)));
}

json_t *gp_explain_op_json(const struct gp_explained *explained, uint32_t op)
{
    const struct gp_run_data *run = &explained->run;
    const struct gp_causes *causes = &explained->causes;
    const struct gp_op_row *row = &run->ops[op];
    json_t *waits = gp_json_need(json_array());

    for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
        const struct gp_wait *wait = &causes->waits[i];

        (void)json_array_append_new(
            waits, gp_json_need(json_pack(
                       "{s:s, s:I, s:I, s:o, s:o, s:b}", "cause", gp_cause_name(wait->cause),
                       "from_ns", (json_int_t)wait->from, "to_ns", (json_int_t)wait->to, "on",
                       wait->on != GP_NO_OP ? json_integer(wait->on) : json_null(), "figure",
                       gp_json_number(wait->figure), "idle", (int)wait->is_idle)));
    }
    return gp_json_need(json_pack(
        "{s:i, s:s, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:b}",
        "op", (int)op, "kind", gp_op_kind_name(row->kind), "name", gp_json_text(row->name),
        "stream", (int)row->stream, "chain", (int)row->chain, "arrival_ns",
        row->release > 0 ? json_integer((json_int_t)row->release) : json_null(), "submit_begin_ns",
        gp_json_number(row->submit_begin), "submit_end_ns", gp_json_number(row->submit_end),
        "begin_ns", gp_json_number(row->begin), "end_ns", gp_json_number(row->end), "source",
        gp_source_name(row->source), "rule", gp_json_text_or_null(row->rule), "needs",
        edges_json(run, op, true), "needed_by", edges_json(run, op, false), "waits", waits,
        "blocks", blocks_json(run, op), "critical", (int)is_on_path(&explained->critical, op)));
}
