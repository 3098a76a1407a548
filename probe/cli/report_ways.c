/* What tells cells of one policy and pool size apart: see report.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/schedule.h"
#include "probe/cli/report.h"

struct gp_ways gp_report_ways(const struct gp_result *cells, uint32_t count)
{
    const struct gp_result *kept = NULL;
    struct gp_ways ways = {.submit = false};

    for (uint32_t i = 0; i < count; i++) {
        ways.submit |= cells[i].cell->submit != cells[0].cell->submit;
        ways.order |= cells[i].cell->order != cells[0].cell->order;
        if (cells[i].kept_run != 0) {
            kept = kept == NULL ? &cells[i] : kept;
            ways.trace |= cells[i].trace != kept->trace;
        }
    }
    return ways;
}

bool gp_report_is_same_way(const struct gp_result *a, const struct gp_result *b,
                           const struct gp_ways *ways)
{
    return a->cell->submit == b->cell->submit && a->cell->order == b->cell->order &&
           (!ways->trace || a->trace == b->trace);
}

static void say(char out[GP_WAY_BYTES_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(char out[GP_WAY_BYTES_MAX], const char *format, ...)
{
    size_t used = strlen(out);
    va_list arguments;

    used += (size_t)snprintf(out + used, GP_WAY_BYTES_MAX - used, "%s", used == 0 ? " (" : ", ");
    va_start(arguments, format);
    (void)vsnprintf(out + used, GP_WAY_BYTES_MAX - used, format, arguments);
    va_end(arguments);
}

void gp_report_way(const struct gp_result *cell, const struct gp_ways *ways,
                   char out[GP_WAY_BYTES_MAX])
{
    out[0] = '\0';
    if (ways->submit && cell->cell->submit == GP_SUBMIT_GRAPH) {
        say(out, "graph");
    }
    if (ways->order && cell->cell->order != GP_ORDER_DEPTH &&
        cell->cell->order < GP_ISSUE_ORDER_COUNT) {
        say(out, "%s first", gp_issue_order_name(cell->cell->order));
    }
    if (ways->trace && cell->kept_run != 0) {
        say(out, "%s", gp_trace_name(cell->trace));
    }
    if (out[0] != '\0') {
        size_t used = strlen(out);

        (void)snprintf(out + used, GP_WAY_BYTES_MAX - used, ")");
    }
}
