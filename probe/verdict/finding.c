/* What was found, as a sentence and as JSON: see finding.h. */
#include "probe/verdict/finding.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"

/* ---- the sentence -------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t used;
};

static void say(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *text, const char *format, ...)
{
    va_list arguments;
    int written;

    va_start(arguments, format);
    written =
        vsnprintf(text->bytes + text->used, GP_FINDING_BYTES_MAX - text->used, format, arguments);
    va_end(arguments);
    text->used += written > 0 ? (size_t)written : 0;
    if (text->used >= GP_FINDING_BYTES_MAX) {
        text->used = GP_FINDING_BYTES_MAX - 1;
    }
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);

    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* A figure in its unit, which the quantity's name ends in. */
static void say_value(struct text *text, const char *quantity, double value)
{
    if (!ends_in(quantity, "_ns")) {
        say(text, fabs(value) >= 100 ? "%.0f" : "%.3g", value);
    } else if (value < 1e3) {
        say(text, "%.0f ns", value);
    } else if (value < 1e6) {
        say(text, "%.1f us", value / 1e3);
    } else if (value < 1e9) {
        say(text, "%.2f ms", value / 1e6);
    } else {
        say(text, "%.2f s", value / 1e9);
    }
}

/* "round-robin/8 (shape=even, graph)": what tells the cell from that of the other side. */
static void say_cell(struct text *text, const struct gp_finding_side *found)
{
    const struct gp_claim_side *side = found->side;
    const char *before = " (";

    say(text, "%s", gp_claim_policy(side));
    if (side->streams[0] > 0 && found->cell != NULL) {
        say(text, "/%d", (int)found->cell->row->streams);
    }
    for (int i = 0; i < GP_CLAIM_SETTINGS_MAX && side->settings[i].name != NULL; i++) {
        say(text, "%s%s=%s", before, side->settings[i].name, side->settings[i].text);
        before = ", ";
    }
    if (side->submit != GP_SUBMIT_STREAMS) {
        say(text, "%s%s", before, gp_submit_name(side->submit));
        before = ", ";
    }
    if (side->order != GP_ORDER_DEPTH) {
        say(text, "%s%s first", before, gp_issue_order_name(side->order));
        before = ", ";
    }
    if (side->completion != GP_COMPLETION_EVENT_POLL) {
        say(text, "%s%s", before, gp_completion_name(side->completion));
        before = ", ";
    }
    if (side->connections > 0) {
        say(text, "%s%u connection%s", before, side->connections,
            side->connections == 1 ? "" : "s");
        before = ", ";
    }
    say(text, "%s", strcmp(before, ", ") == 0 ? ")" : "");
}

static void say_interval(struct text *text, const struct gp_figure *figure, int digits)
{
    say(text, "%.*f times", digits, figure->median);
    if (!isnan(figure->lo) && !isnan(figure->hi)) {
        say(text, " (%.*f to %.*f)", digits, figure->lo, digits, figure->hi);
    }
}

static void say_quotient(struct text *text, const struct gp_finding *finding)
{
    const char *quantity = gp_finding_quantity(finding->test);
    bool is_makespan = finding->test->quantity == GP_QUANTITY_MAKESPAN;

    if (!is_makespan) {
        say(text, "%s of ", quantity);
    }
    say_cell(text, &finding->over);
    say(text, is_makespan ? " takes " : " is ");
    say_interval(text, &finding->figure, 2);
    say(text, is_makespan ? " as long as " : " that of ");
    say_cell(text, &finding->under);
    say(text, ": ");
    say_value(text, quantity, finding->over.figure.median);
    say(text, " against ");
    say_value(text, quantity, finding->under.figure.median);
}

static void say_figure(struct text *text, const struct gp_finding *finding)
{
    const char *quantity = gp_finding_quantity(finding->test);

    if (finding->test->quantity == GP_QUANTITY_PERTURBATION) {
        say(text, "traced runs of ");
        say_cell(text, &finding->over);
        say(text, " take ");
        say_interval(text, &finding->figure, 3);
        say(text, " as long as plain ones");
        return;
    }
    say(text, "%s of ", quantity);
    say_cell(text, &finding->over);
    say(text, " %s ", finding->test->quantity == GP_QUANTITY_HAZARDS ? "are" : "is");
    say_value(text, quantity, finding->figure.median);
    if (finding->figure.lo < finding->figure.hi) {
        say(text, " (");
        say_value(text, quantity, finding->figure.lo);
        say(text, " to ");
        say_value(text, quantity, finding->figure.hi);
        say(text, ")");
    }
}

/* "the claim needs at least 1.30" */
static void say_limit(struct text *text, const struct gp_claim_test *test)
{
    bool is_least = test->at_least > 0;
    double limit = is_least ? test->at_least : test->at_most;

    say(text, "; the claim %s ", is_least ? "needs at least" : "allows at most");
    if (test->is_absolute && test->quantity != GP_QUANTITY_PERTURBATION) {
        say_value(text, gp_finding_quantity(test), limit);
    } else {
        say(text, "%.2f", limit);
    }
}

const char *gp_finding_quantity(const struct gp_claim_test *test)
{
    switch (test->quantity) {
    case GP_QUANTITY_MAKESPAN:
        return "makespan_ns";
    case GP_QUANTITY_PERTURBATION:
        return "perturbation";
    case GP_QUANTITY_HAZARDS:
        return "hazards";
    case GP_QUANTITY_MEASURE:
        break;
    }
    return test->measure;
}

void gp_finding_say(const struct gp_finding *finding, char out[GP_FINDING_BYTES_MAX])
{
    struct text text = {out, 0};

    out[0] = '\0';
    if (!isnan(finding->figure.median)) {
        if (finding->test->is_absolute) {
            say_figure(&text, finding);
        } else {
            say_quotient(&text, finding);
        }
        say_limit(&text, finding->test);
    }
    if (finding->answer == GP_VERDICT_UNKNOWN) {
        say(&text, "%s%s", text.used > 0 ? ", and " : "", finding->reason);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *number_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *limit_of(double limit)
{
    return limit > 0 ? json_real(limit) : json_null();
}

static json_t *side_of(const struct gp_finding_side *found)
{
    char label[GP_FINDING_BYTES_MAX] = "";
    struct text text = {label, 0};

    say_cell(&text, found);
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "label", label, "cell",
                     found->cell != NULL ? json_integer(found->cell->row->id) : json_null(),
                     "streams",
                     found->cell != NULL ? json_integer(found->cell->row->streams) : json_null(),
                     "median", number_of(found->figure.median), "lo", number_of(found->figure.lo),
                     "hi", number_of(found->figure.hi));
}

char *gp_finding_json(const struct gp_finding *finding)
{
    const struct gp_claim_test *test = finding->test;
    char text[GP_FINDING_BYTES_MAX];
    json_t *evidence;
    char *dumped;
    char *out;
    bool allows_none = test->at_least <= 0 && test->at_most <= 0;

    gp_finding_say(finding, text);
    evidence = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "sentence",
        gp_claim_sentence(test), "source", test->source, "scenario", test->scenario, "text", text,
        "quantity", gp_finding_quantity(test), "median", number_of(finding->figure.median), "lo",
        number_of(finding->figure.lo), "hi", number_of(finding->figure.hi), "at_least",
        limit_of(test->at_least), "at_most", allows_none ? json_real(0) : limit_of(test->at_most),
        "over", side_of(&finding->over), "under",
        test->is_absolute ? json_null() : side_of(&finding->under));
    dumped = evidence != NULL ? json_dumps(evidence, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(evidence);
    out = gp_xcopy(dumped != NULL ? dumped : "{}");
    free(dumped);
    return out;
}
