/* The verb compare: which of its comparisons is wanted. See verbs.h. */
#include "probe/cli/compare.h"

#include <math.h>

#include "probe/cli/verbs.h"

static bool is_trace(const struct gp_report *report)
{
    return report->device != NULL && report->device->kind == GP_ORIGIN_IMPORTED;
}

/* *out is to be finished in every case. */
static int load(const struct gp_options *options, struct gp_compared *out, struct gp_error *err)
{
    int code;

    if (options->operand_count < 2) {
        return gp_fail(err, GP_EINVAL,
                       "which two recordings? gpuprobe compare A B; or a recording and another "
                       "tool's trace of it");
    }
    code = gp_report_load(options->operands[0], &out->a, err);
    if (code == 0) {
        code = gp_report_load(options->operands[1], &out->b, err);
    }
    if (code == 0 && options->operand_count > 2) {
        out->has_alone = true;
        code = gp_report_load(options->operands[2], &out->alone, err);
    }
    return code;
}

/* What does not go together. */
static int check(const struct gp_options *options, const struct gp_compared *files,
                 struct gp_error *err)
{
    bool has_trace = is_trace(&files->a) || is_trace(&files->b);

    if (is_trace(&files->a) && is_trace(&files->b)) {
        return gp_fail(err, GP_EINVAL,
                       "%s and %s are both traces of other tools: compare one of them with the "
                       "recording of the same runs",
                       files->a.path, files->b.path);
    }
    if (has_trace && options->has_gate) {
        return gp_fail(err, GP_EINVAL,
                       "--gate is about two recordings, and %s is another tool's trace",
                       is_trace(&files->a) ? files->a.path : files->b.path);
    }
    if (!has_trace && files->has_alone) {
        return gp_fail(err, GP_EINVAL,
                       "%s: a third file says what recording costs beside another tool's trace, "
                       "and neither %s nor %s is one",
                       files->alone.path, files->a.path, files->b.path);
    }
    return 0;
}

static int compare(const struct gp_cli *cli, const struct gp_options *options,
                   struct gp_compared *files, struct gp_error *err)
{
    if (is_trace(&files->a)) {
        struct gp_report trace = files->a;

        files->a = files->b;
        files->b = trace;
    }
    if (is_trace(&files->b)) {
        return gp_compare_trace(files, &cli->terminal, options->json, err);
    }
    return gp_compare_cells(files, options->has_gate ? options->gate / 100 : NAN, &cli->terminal,
                            options->json, err);
}

enum gp_exit gp_cli_compare(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_compared files = {0};
    struct gp_error err = {0};
    int code = load(options, &files, &err);

    if (code == 0) {
        code = check(options, &files, &err);
    }
    if (code == 0) {
        code = compare(cli, options, &files, &err);
    }
    gp_report_finish(&files.a);
    gp_report_finish(&files.b);
    gp_report_finish(&files.alone);
    if (code < 0) {
        return gp_cli_fail(&err);
    }
    return code > 0 ? GP_EXIT_CHECK : GP_EXIT_OK;
}
