/* Text tables: see table.h. */
#include "probe/cli/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/memory.h"

enum { CELL_BYTES_MAX = 512, LINE_COLUMNS = 100 };

/* Letters of a UTF-8 text: bytes that are not continuations. */
static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return width;
}

static const char *cell_text(const struct gp_table_row *row, size_t column)
{
    return row->cells[column] != NULL ? row->cells[column] : "";
}

void gp_table_row(struct gp_table *table, enum gp_row_style style)
{
    assert(table->column_count > 0 && table->column_count <= GP_TABLE_COLUMNS_MAX);
    table->rows =
        gp_xgrow(table->rows, &table->row_capacity, table->row_count + 1, sizeof table->rows[0]);
    table->rows[table->row_count] = (struct gp_table_row){.style = style};
    table->row_count++;
    table->cell_count = 0;
}

void gp_table_cell(struct gp_table *table, const char *format, ...)
{
    char text[CELL_BYTES_MAX];
    va_list arguments;

    assert(table->row_count > 0 && table->cell_count < table->column_count);
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *at = text; *at != '\0'; at++) {
        if (!gp_terminal_is_safe(*at)) {
            *at = '?';
        }
    }
    table->rows[table->row_count - 1].cells[table->cell_count++] = gp_xcopy(text);
}

/* One line: the blanks between cells are held back until a cell that is not empty follows. */
static void print_line(const struct gp_table *table, const char *const *texts, const size_t *widths,
                       int indent)
{
    size_t blanks = (size_t)indent;

    for (size_t i = 0; i < table->column_count; i++) {
        size_t width = width_of(texts[i]);
        size_t fill = widths[i] - width;

        if (width > 0) {
            printf("%*s%s", (int)(blanks + (table->columns[i].right ? fill : 0)), "", texts[i]);
            blanks = table->columns[i].right ? 0 : fill;
        } else {
            blanks += widths[i];
        }
        blanks += widths[i] > 0 ? 2 : 0;
    }
}

static void measure(const struct gp_table *table, size_t *widths)
{
    for (size_t i = 0; i < table->column_count; i++) {
        widths[i] = width_of(table->columns[i].title);
        for (size_t r = 0; r < table->row_count; r++) {
            size_t width = width_of(cell_text(&table->rows[r], i));

            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
}

void gp_table_print(const struct gp_table *table, const struct gp_terminal *terminal, int indent)
{
    size_t widths[GP_TABLE_COLUMNS_MAX] = {0};
    const char *texts[GP_TABLE_COLUMNS_MAX];
    size_t titled = 0;

    measure(table, widths);
    for (size_t i = 0; i < table->column_count; i++) {
        texts[i] = table->columns[i].title;
        titled += texts[i][0] != '\0';
    }
    if (titled > 0) {
        print_line(table, texts, widths, indent);
        putchar('\n');
    }
    for (size_t r = 0; r < table->row_count; r++) {
        enum gp_row_style style = table->rows[r].style;

        for (size_t i = 0; i < table->column_count; i++) {
            texts[i] = cell_text(&table->rows[r], i);
        }
        fputs(style == GP_ROW_CHOSEN ? gp_terminal_bold(terminal)
              : style == GP_ROW_BAD  ? gp_terminal_red(terminal)
                                     : "",
              stdout);
        print_line(table, texts, widths, indent);
        fputs(style != GP_ROW_PLAIN ? gp_terminal_plain(terminal) : "", stdout);
        putchar('\n');
    }
}

void gp_table_finish(struct gp_table *table)
{
    for (size_t r = 0; r < table->row_count; r++) {
        for (size_t i = 0; i < table->column_count; i++) {
            gp_free(table->rows[r].cells[i]);
        }
    }
    gp_free(table->rows);
    table->rows = NULL;
    table->row_count = table->row_capacity = 0;
}

void gp_table_print_wrapped(const char *text, size_t indent)
{
    size_t column = indent;

    while (*text != '\0') {
        size_t length = strcspn(text, " ");

        if (column + 1 + length > LINE_COLUMNS) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}
