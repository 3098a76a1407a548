/* The verb show: see verbs.h. */
#include <inttypes.h>

#include "probe/cli/explain.h"
#include "probe/cli/report.h"
#include "probe/cli/verbs.h"

/* The cell that is asked for. */
static int find_cell(const struct gp_report *report, int64_t id, uint32_t *out,
                     struct gp_error *err)
{
    for (uint32_t i = 0; i < report->results.count; i++) {
        if (report->results.cells[i].cell->id == id) {
            *out = i;
            return 0;
        }
    }
    return gp_fail(err, GP_EINVAL, "--cell: %s has no cell %" PRId64, report->path, id);
}

/* One cell's figures and timeline; as JSON the cell alone. */
static int show_cell(const struct gp_report *report, const struct gp_terminal *terminal,
                     const struct gp_options *options, struct gp_error *err)
{
    struct gp_report one = *report;
    struct gp_explained explained;
    uint32_t place = 0;
    int code = find_cell(report, options->cell, &place, err);

    if (code != 0) {
        return code;
    }
    one.results = (struct gp_results){&report->results.cells[place], 1};
    if (options->json) {
        gp_report_print(&one, terminal, true);
        return 0;
    }
    code = gp_explained_load(report->reader, one.results.cells, 1, 0, &explained, err);
    if (code == 0) {
        gp_explain_print_run(&explained, terminal);
        gp_explained_finish(&explained);
    }
    return code;
}

enum gp_exit gp_cli_show(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};
    struct gp_report report;
    enum gp_exit result = GP_EXIT_OK;

    if (options->op != NULL && options->operand_count > 0) {
        return gp_cli_explain(cli, options); /* one operation's story is the same */
    }
    if (options->operand_count == 0) {
        (void)gp_fail(&err, GP_EINVAL, "which recording? gpuprobe show FILE");
        return gp_cli_fail(&err);
    }
    if (gp_report_load(options->operands[0], &report, &err) != 0) {
        result = gp_cli_fail(&err);
    } else if (options->cell != 0) {
        if (show_cell(&report, &cli->terminal, options, &err) != 0) {
            result = gp_cli_fail(&err);
        }
    } else {
        gp_report_print(&report, &cli->terminal, options->json);
    }
    gp_report_finish(&report);
    return result;
}
