/* The verb show: see verbs.h. */
#include "probe/cli/report.h"
#include "probe/cli/verbs.h"

enum gp_exit gp_cli_show(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};
    struct gp_report report;
    enum gp_exit result = GP_EXIT_OK;

    if (options->operand_count == 0) {
        (void)gp_fail(&err, GP_EINVAL, "which recording? gpuprobe show FILE");
        return gp_cli_fail(&err);
    }
    if (gp_report_load(options->operands[0], &report, &err) != 0) {
        result = gp_cli_fail(&err);
    } else {
        gp_report_print(&report, &cli->terminal, options->json);
    }
    gp_report_finish(&report);
    return result;
}
