/* The results as text: see report.h. */
#include "probe/cli/report.h"
#include "probe/cli/opening.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "core/schedule.h"
#include "probe/cli/advice_print.h"
#include "probe/cli/claims_print.h"
#include "probe/cli/table.h"
#include "probe/memory.h"

/* A unit of time and how many digits follow the point. */
struct scale {
    const char *unit;
    double ns;
    int digits;
};

enum column {
    MARK,
    SUBMIT,
    ORDER,
    TRACE,
    POLICY,
    STREAMS,
    MAKESPAN,
    INTERVAL,
    SPEEDUP,
    CONCURRENCY,
    PERTURBATION,
    DATA,
    COLUMNS
};

static struct scale scale_of(double ns, const struct gp_terminal *terminal)
{
    if (ns < 1e3) {
        return (struct scale){"ns", 1, 0};
    }
    if (ns < 1e6) {
        return (struct scale){terminal->utf8 ? "µs" : "us", 1e3, 0};
    }
    return ns < 1e9 ? (struct scale){"ms", 1e6, 0} : (struct scale){"s", 1e9, 0};
}

/* Digits after the point that leave four in all. */
static int digits_for(double value)
{
    int before = value >= 1 ? (int)floor(log10(value)) + 1 : 1;

    return before < 4 ? 4 - before : 0;
}

void gp_report_time(double ns, const struct gp_terminal *terminal, char out[GP_TIME_BYTES_MAX])
{
    struct scale scale = scale_of(ns, terminal);
    int digits = scale.ns > 1 ? digits_for(ns / scale.ns) : 0;

    (void)snprintf(out, GP_TIME_BYTES_MAX, "%.*f %s", digits, ns / scale.ns, scale.unit);
}

bool gp_report_is_wrong(const struct gp_results *results)
{
    for (uint32_t i = 0; i < results->count; i++) {
        if (results->cells[i].verified == 0 || results->cells[i].metrics.hazards > 0) {
            return true;
        }
    }
    return false;
}

/* One scale for a table's times, so that they can be compared by eye: its unit suits the longest,
 * its digits the shortest. */
static struct scale group_scale(const struct gp_result *cells, uint32_t count,
                                const struct gp_terminal *terminal)
{
    double longest = 0;
    double shortest = INFINITY;
    struct scale scale;

    for (uint32_t i = 0; i < count; i++) {
        double median = cells[i].summary.makespan_ns.median;

        longest = median > longest ? median : longest;
        shortest = median < shortest ? median : shortest;
    }
    scale = scale_of(longest, terminal);
    if (scale.ns > 1 && shortest < INFINITY) {
        scale.digits = digits_for(shortest / scale.ns);
    }
    return scale;
}

static const char *data_word(const struct gp_result *cell)
{
    if (cell->verified == 0) {
        return "WRONG DATA";
    }
    if (cell->cell->status != GP_STATUS_COMPLETE) {
        return gp_status_name(cell->cell->status);
    }
    return cell->verified == 1 ? "verified" : "not checked";
}

static void add_ratio(struct gp_table *table, double value, int digits)
{
    if (isnan(value)) {
        gp_table_cell(table, "-");
    } else {
        gp_table_cell(table, "%.*f", digits, value);
    }
}

static void add_makespan(struct gp_table *table, const struct gp_figure *figure,
                         const struct scale *scale, const struct gp_terminal *terminal)
{
    add_ratio(table, figure->median / scale->ns, scale->digits);
    if (isnan(figure->lo) || isnan(figure->hi)) {
        gp_table_cell(table, "-");
    } else {
        gp_table_cell(table, "%.*f %s %.*f", scale->digits, figure->lo / scale->ns,
                      gp_terminal_dash(terminal), scale->digits, figure->hi / scale->ns);
    }
}

/* Ways in which all cells are alike have no column. */
static void add_cell(struct gp_table *table, const struct gp_result *cell,
                     const struct scale *scale, const struct gp_ways *ways,
                     const struct gp_terminal *terminal)
{
    const struct gp_cell_summary *summary = &cell->summary;
    bool bad = cell->verified == 0 || cell->cell->status == GP_STATUS_FAILED;

    gp_table_row(table, bad ? GP_ROW_BAD : summary->is_recommended ? GP_ROW_CHOSEN : GP_ROW_PLAIN);
    gp_table_cell(table, "%s", summary->is_recommended ? gp_terminal_marker(terminal) : " ");
    if (ways->submit) {
        gp_table_cell(table, "%s", gp_submit_name(cell->cell->submit));
    }
    if (ways->order) {
        gp_table_cell(table, "%s",
                      cell->cell->order < GP_ISSUE_ORDER_COUNT
                          ? gp_issue_order_name(cell->cell->order)
                          : "-");
    }
    if (ways->trace) {
        gp_table_cell(table, "%s", cell->kept_run != 0 ? gp_trace_name(cell->trace) : "-");
    }
    gp_table_cell(table, "%s", cell->cell->policy);
    gp_table_cell(table, "%d", (int)cell->cell->streams);
    add_makespan(table, &summary->makespan_ns, scale, terminal);
    add_ratio(table, summary->speedup, 2);
    add_ratio(table, summary->concurrency, 2);
    add_ratio(table, summary->perturbation.median, 3);
    gp_table_cell(table, "%s", data_word(cell));
}

/* A text of a file, which may hold anything: control characters would reach the terminal. */
static void print_safe(const char *text)
{
    for (; *text != '\0'; text++) {
        putchar(gp_terminal_is_safe(*text) ? *text : '?');
    }
}

/* "batch (batches 128, m 256)" */
static void print_title(const struct gp_result *cell, const struct gp_terminal *terminal)
{
    json_t *params = json_loads(cell->cell->params, 0, NULL);
    const char *before = " (";
    const char *name;
    json_t *value;

    printf("\n%s", gp_terminal_bold(terminal));
    print_safe(cell->cell->scenario);
    fputs(gp_terminal_plain(terminal), stdout);
    json_object_foreach(params, name, value)
    {
        if (!json_is_number(value) && !json_is_string(value)) {
            continue;
        }
        fputs(before, stdout);
        print_safe(name);
        putchar(' ');
        if (json_is_string(value)) {
            print_safe(json_string_value(value));
        } else {
            printf("%.15g", json_number_value(value));
        }
        before = ", ";
    }
    puts(before[0] == ',' ? ")" : "");
    json_decref(params);
}

static void print_reasons(const struct gp_result *cells, uint32_t count, const struct gp_ways *ways)
{
    char way[GP_WAY_BYTES_MAX];

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_cell_row *cell = cells[i].cell;

        if (cell->error[0] != '\0') {
            printf("  ");
            print_safe(cell->policy);
            gp_report_way(&cells[i], ways, way);
            printf("%s %d %s: ", way, (int)cell->streams, data_word(&cells[i]));
            print_safe(cell->error);
            putchar('\n');
        }
    }
}

/* What differs, and what all cells have that is not usual. */
static struct gp_ways shown_ways(const struct gp_result *cells, uint32_t count)
{
    struct gp_ways ways = gp_report_ways(cells, count);

    ways.submit |= cells[0].cell->submit == GP_SUBMIT_GRAPH;
    ways.order |= cells[0].cell->order != GP_ORDER_DEPTH;
    return ways;
}

/* What is said under a table, in this order. */
static void (*const sentences[])(const struct gp_result *cells, uint32_t count,
                                 const struct gp_terminal *terminal,
                                 char out[GP_VERDICT_BYTES_MAX]) = {
    gp_report_disturbance,
    gp_report_verdict,
    gp_report_knee,
    gp_report_differences,
};

static void print_group(const struct gp_result *cells, uint32_t count,
                        const struct gp_terminal *terminal)
{
    struct scale scale = group_scale(cells, count, terminal);
    char title[32];
    char verdict[GP_VERDICT_BYTES_MAX];
    const struct gp_column all[COLUMNS] = {
        [MARK] = {"", false},
        [SUBMIT] = {"submit", false},
        [ORDER] = {"order", false},
        [TRACE] = {"trace", false},
        [POLICY] = {"policy", false},
        [STREAMS] = {"streams", true},
        [MAKESPAN] = {title, true},
        [INTERVAL] = {"95 % interval", true},
        [SPEEDUP] = {"speed-up", true},
        [CONCURRENCY] = {"concurrency", true},
        [PERTURBATION] = {"perturbation", true},
        [DATA] = {"data", false},
    };
    struct gp_ways ways = shown_ways(cells, count);
    struct gp_column columns[COLUMNS];
    struct gp_table table = {.columns = columns};

    (void)snprintf(title, sizeof title, "makespan %s", scale.unit);
    for (int i = 0; i < COLUMNS; i++) {
        if ((i != SUBMIT || ways.submit) && (i != ORDER || ways.order) &&
            (i != TRACE || ways.trace)) {
            columns[table.column_count++] = all[i];
        }
    }
    print_title(cells, terminal);
    for (uint32_t i = 0; i < count; i++) {
        add_cell(&table, &cells[i], &scale, &ways, terminal);
    }
    gp_table_print(&table, terminal, 0);
    gp_table_finish(&table);
    gp_report_measures(cells, count, terminal);
    print_reasons(cells, count, &ways);
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        sentences[i](cells, count, terminal, verdict);
        if (verdict[0] != '\0') {
            print_safe(verdict);
            putchar('\n');
        }
    }
}

static void print_device(const struct gp_device_row *device)
{
    static const char *const words[GP_ORIGIN_COUNT] = {
        [GP_ORIGIN_CUDA] = "measured",
        [GP_ORIGIN_MODEL] = "modelled",
        [GP_ORIGIN_IMPORTED] = "imported",
    };

    json_t *profile = json_loads(device->profile != NULL ? device->profile : "{}", 0, NULL);
    const char *profile_name = json_string_value(json_object_get(profile, "name"));

    printf("%s: ", words[device->kind]);
    print_safe(device->name);
    if (profile_name != NULL) {
        printf(" (profile ");
        print_safe(profile_name);
        putchar(')');
    }
    json_decref(profile);
    if (device->kind == GP_ORIGIN_CUDA && device->driver_version > 0) {
        printf(", driver for CUDA %" PRId64 ".%" PRId64, device->driver_version / 1000,
               device->driver_version % 1000 / 10);
    }
    if (device->connections != GP_UNKNOWN) {
        printf(", %" PRId64 " connection%s", device->connections,
               device->connections == 1 ? "" : "s");
    }
    puts(device->kind == GP_ORIGIN_MODEL ? "; no GPU was measured" : "");
}

int gp_report_load(const char *path, struct gp_report *out, struct gp_error *err)
{
    uint32_t count = 0;
    int code;

    memset(out, 0, sizeof *out);
    out->path = path;
    code = gp_cli_open(path, &out->reader, err);
    if (code != 0) {
        return code;
    }
    out->device = gp_reader_devices(out->reader, &count);
    code = gp_reader_verdicts(out->reader, &out->verdicts, &out->verdict_count, err);
    return code == 0 ? gp_results_load(out->reader, &out->results, err) : code;
}

void gp_report_finish(struct gp_report *report)
{
    gp_results_finish(&report->results);
    gp_free(report->verdicts);
    gp_reader_close(report->reader);
}

static void print_file(const struct gp_report *report)
{
    printf("\n%s%s\n", report->path, gp_reader_is_complete(report->reader) ? "" : " (incomplete)");
}

/* What all cells together say; nothing when they say nothing. */
static void print_advice(const struct gp_report *report, const struct gp_terminal *terminal)
{
    struct gp_advices advices = {.count = 0};
    struct gp_error err = {0};

    if (gp_advice_load(report->reader, &report->results, &advices, &err) != 0) {
        printf("\nThere is no advice: %s\n", err.text);
    } else if (advices.count > 0) {
        printf("\n%sAdvice%s\n", gp_terminal_bold(terminal), gp_terminal_plain(terminal));
        gp_advice_print(&advices, terminal);
    }
}

void gp_report_print(const struct gp_report *report, const struct gp_terminal *terminal, bool json)
{
    if (json) {
        gp_report_print_json(report);
        return;
    }
    if (report->results.count == 0 && report->device != NULL) {
        print_device(report->device);
    }
    for (uint32_t first = 0; first < report->results.count;) {
        const struct gp_result *cells = report->results.cells;
        uint32_t count = gp_results_group(&report->results, first) - first;

        if (first == 0 || cells[first].device != cells[first - 1].device) {
            (void)fputs(first > 0 ? "\n" : "", stdout);
            print_device(cells[first].device);
        }
        print_group(cells + first, count, terminal);
        first += count;
    }
    if (report->results.count == 0) {
        puts("No cell was recorded.");
    }
    print_advice(report, terminal);
    if (report->verdict_count > 0) {
        putchar('\n');
        gp_claims_print(report->reader, report->verdicts, report->verdict_count, terminal);
    }
    print_file(report);
}

void gp_report_print_verdicts(const struct gp_report *report, const struct gp_terminal *terminal,
                              bool json)
{
    if (json) {
        gp_report_print_verdicts_json(report);
        return;
    }
    if (report->device != NULL) {
        print_device(report->device);
        putchar('\n');
    }
    gp_claims_print(report->reader, report->verdicts, report->verdict_count, terminal);
    print_file(report);
}
