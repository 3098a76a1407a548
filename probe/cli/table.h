/*
 * A text table: columns as wide as their widest cell, in letters rather than bytes. Knows nothing
 * of what the cells mean.
 */
#ifndef GP_PROBE_CLI_TABLE_H
#define GP_PROBE_CLI_TABLE_H

#include <stddef.h>

#include "probe/cli/terminal.h"

enum { GP_TABLE_COLUMNS_MAX = 12 };

struct gp_column {
    const char *title; /* "" none */
    bool right;        /* align to the right, as figures are */
};

enum gp_row_style { GP_ROW_PLAIN, GP_ROW_CHOSEN, GP_ROW_BAD };

struct gp_table_row {
    char *cells[GP_TABLE_COLUMNS_MAX];
    enum gp_row_style style;
};

/* Zero but for the columns before the first row. */
struct gp_table {
    const struct gp_column *columns; /* borrowed */
    size_t column_count;
    struct gp_table_row *rows;
    size_t row_count, row_capacity;
    size_t cell_count; /* of the last row */
};

/* A new row; its cells are empty until they are added, left to right. */
void gp_table_row(struct gp_table *table, enum gp_row_style style);

/* The next cell of the last row. */
void gp_table_cell(struct gp_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints titles, when there are any, and rows on stdout, each line after `indent` blanks and
 * without blanks at its end. */
void gp_table_print(const struct gp_table *table, const struct gp_terminal *terminal, int indent);

/* Releases the rows. */
void gp_table_finish(struct gp_table *table);

/* Prints a text on stdout and ends its line. The cursor is at column `indent`; lines are broken
 * between words before column 100 and go on at that indent. */
void gp_table_print_wrapped(const char *text, size_t indent);

#endif
