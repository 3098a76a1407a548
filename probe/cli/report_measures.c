/* What scenarios measure of their runs, as text: see report.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/cli/report.h"
#include "probe/cli/table.h"

enum { CELLS_MAX = GP_TABLE_COLUMNS_MAX - 1, LABEL_BYTES_MAX = 64 };

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);

    return length > tail && strcmp(name + length - tail, end) == 0;
}

/* In the unit that the name ends in: times and rates as people write them. */
static void add_figure(struct gp_table *table, const char *name, double value,
                       const struct gp_terminal *terminal)
{
    char time[GP_TIME_BYTES_MAX];

    if (isnan(value)) {
        gp_table_cell(table, "-");
    } else if (ends_with(name, "_ns")) {
        gp_report_time(value, terminal, time);
        gp_table_cell(table, "%s", time);
    } else if (ends_with(name, "_bytes_per_s")) {
        gp_table_cell(table, "%.4g GB/s", value / 1e9);
    } else {
        gp_table_cell(table, value < 1000 ? "%.4g" : "%.0f", value);
    }
}

static double find(const struct gp_result *cell, const char *name)
{
    for (uint32_t i = 0; i < cell->measure_count; i++) {
        if (strcmp(cell->measures[i].name, name) == 0) {
            return cell->measures[i].figure.median;
        }
    }
    return NAN;
}

/* The cell with most measures names the rows. */
static const struct gp_result *find_fullest(const struct gp_result *cells, uint32_t count)
{
    const struct gp_result *fullest = cells;

    for (uint32_t i = 1; i < count; i++) {
        fullest = cells[i].measure_count > fullest->measure_count ? &cells[i] : fullest;
    }
    return fullest;
}

/* A row a measure, a column a cell; as many cells as fit. */
static void print_part(const struct gp_result *cells, uint32_t count,
                       const struct gp_result *fullest, const struct gp_terminal *terminal)
{
    const struct gp_ways ways = {.submit = true, .order = true};
    char way[GP_WAY_BYTES_MAX];
    char labels[CELLS_MAX][LABEL_BYTES_MAX];
    struct gp_column columns[GP_TABLE_COLUMNS_MAX] = {{"", false}};
    struct gp_table table = {.columns = columns, .column_count = 1 + (size_t)count};

    for (uint32_t i = 0; i < count; i++) {
        gp_report_way(&cells[i], &ways, way);
        (void)snprintf(labels[i], sizeof labels[i], "%s%s %d", cells[i].cell->policy, way,
                       (int)cells[i].cell->streams);
        columns[1 + i] = (struct gp_column){labels[i], true};
    }
    for (uint32_t row = 0; row < fullest->measure_count; row++) {
        const char *name = fullest->measures[row].name;

        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", name);
        for (uint32_t i = 0; i < count; i++) {
            add_figure(&table, name, find(&cells[i], name), terminal);
        }
    }
    gp_table_print(&table, terminal, 3);
    gp_table_finish(&table);
}

void gp_report_measures(const struct gp_result *cells, uint32_t count,
                        const struct gp_terminal *terminal)
{
    const struct gp_result *fullest = find_fullest(cells, count);

    for (uint32_t first = 0; first < count && fullest->measure_count > 0; first += CELLS_MAX) {
        uint32_t rest = count - first;

        print_part(cells + first, rest < CELLS_MAX ? rest : CELLS_MAX, fullest, terminal);
    }
}
