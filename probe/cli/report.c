/* The results as text: see report.h. */
#include "probe/cli/report.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "probe/cli/table.h"

/* A unit of time and how many digits follow the point. */
struct scale {
    const char *unit;
    double ns;
    int digits;
};

enum column { MARK, POLICY, STREAMS, MAKESPAN, INTERVAL, SPEEDUP, CONCURRENCY, PERTURBATION, DATA };

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

uint32_t gp_report_group(const struct gp_report *report, uint32_t first)
{
    const struct gp_report_cell *cells = report->cells;
    uint32_t end = first + 1;

    assert(first < report->cell_count);
    while (end < report->cell_count && strcmp(cells[end].scenario, cells[first].scenario) == 0 &&
           strcmp(cells[end].params, cells[first].params) == 0 &&
           cells[end].connections == cells[first].connections) {
        end++;
    }
    return end - first;
}

/* One scale for a table's times, so that they can be compared by eye: its unit suits the longest,
 * its digits the shortest. */
static struct scale group_scale(const struct gp_report_cell *cells, uint32_t count,
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

static const char *data_word(const struct gp_report_cell *cell)
{
    if (cell->status != GP_STATUS_COMPLETE) {
        return gp_status_name(cell->status);
    }
    return cell->verified == 1 ? "verified" : cell->verified == 0 ? "WRONG DATA" : "not checked";
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

static void add_cell(struct gp_table *table, const struct gp_report_cell *cell,
                     const struct scale *scale, const struct gp_terminal *terminal)
{
    const struct gp_cell_summary *summary = &cell->summary;
    bool bad = cell->verified == 0 || cell->status == GP_STATUS_FAILED;

    gp_table_row(table, bad ? GP_ROW_BAD : summary->is_recommended ? GP_ROW_CHOSEN : GP_ROW_PLAIN);
    gp_table_cell(table, "%s", summary->is_recommended ? gp_terminal_marker(terminal) : " ");
    gp_table_cell(table, "%s", cell->policy);
    gp_table_cell(table, "%d", (int)cell->streams);
    add_makespan(table, &summary->makespan_ns, scale, terminal);
    add_ratio(table, summary->speedup, 2);
    add_ratio(table, summary->concurrency, 2);
    add_ratio(table, summary->perturbation.median, 3);
    gp_table_cell(table, "%s", data_word(cell));
}

/* "batch (batches 128, m 256)" */
static void print_title(const struct gp_report_cell *cell, const struct gp_terminal *terminal)
{
    json_t *params = json_loads(cell->params, 0, NULL);
    const char *before = " (";
    const char *name;
    json_t *value;

    printf("\n%s%s%s", gp_terminal_bold(terminal), cell->scenario, gp_terminal_plain(terminal));
    json_object_foreach(params, name, value)
    {
        if (json_is_integer(value)) {
            printf("%s%s %" JSON_INTEGER_FORMAT, before, name, json_integer_value(value));
            before = ", ";
        }
    }
    puts(before[0] == ',' ? ")" : "");
    json_decref(params);
}

static void print_reasons(const struct gp_report_cell *cells, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (cells[i].error[0] != '\0') {
            printf("  %s %d %s: %s\n", cells[i].policy, (int)cells[i].streams, data_word(&cells[i]),
                   cells[i].error);
        }
    }
}

static void print_group(const struct gp_report_cell *cells, uint32_t count,
                        const struct gp_terminal *terminal)
{
    struct scale scale = group_scale(cells, count, terminal);
    char title[32];
    char verdict[GP_VERDICT_BYTES_MAX];
    struct gp_column columns[] = {
        [MARK] = {"", false},
        [POLICY] = {"policy", false},
        [STREAMS] = {"streams", true},
        [MAKESPAN] = {title, true},
        [INTERVAL] = {"95 %", true},
        [SPEEDUP] = {"speed-up", true},
        [CONCURRENCY] = {"concurrency", true},
        [PERTURBATION] = {"perturbation", true},
        [DATA] = {"data", false},
    };
    struct gp_table table = {.columns = columns,
                             .column_count = sizeof columns / sizeof columns[0]};

    (void)snprintf(title, sizeof title, "makespan %s", scale.unit);
    print_title(cells, terminal);
    for (uint32_t i = 0; i < count; i++) {
        add_cell(&table, &cells[i], &scale, terminal);
    }
    gp_table_print(&table, terminal, 0);
    gp_table_finish(&table);
    print_reasons(cells, count);
    gp_report_verdict(cells, count, terminal, verdict);
    puts(verdict);
}

static void print_device(const struct gp_report *report)
{
    if (report->kind == GP_DEVICE_MODEL) {
        printf("modelled: %s, %d connections; no GPU was measured\n", report->device_name,
               (int)report->connections);
    } else {
        printf("measured: %s, driver for CUDA %d.%d, %d connections\n", report->device_name,
               (int)(report->driver_version / 1000), (int)(report->driver_version % 1000 / 10),
               (int)report->connections);
    }
}

void gp_report_print(const struct gp_report *report, const struct gp_terminal *terminal, bool json)
{
    if (json) {
        gp_report_print_json(report);
        return;
    }
    print_device(report);
    for (uint32_t first = 0; first < report->cell_count;) {
        uint32_t count = gp_report_group(report, first);

        print_group(report->cells + first, count, terminal);
        first += count;
    }
    if (report->cell_count == 0) {
        puts("\nNo cell was recorded.");
    }
    printf("\n%s%s\n", report->path, report->is_complete ? "" : " (incomplete)");
}
