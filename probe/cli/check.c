/* The verb check: whether what must hold in every run holds in a recording. See verbs.h. */
#include <inttypes.h>
#include <stdio.h>

#include "probe/analysis/invariants.h"
#include "probe/cli/json.h"
#include "probe/cli/opening.h"
#include "probe/cli/report.h"
#include "probe/cli/verbs.h"
#include "probe/memory.h"

enum { SHOWN_MAX = 10 }; /* of each invariant and run, as text */

/* What was found in one run. */
struct finding {
    struct gp_run_data data;
    struct gp_violations violations;
};

/* All runs of a recording whose operations were kept. */
struct check {
    struct gp_reader *reader;
    const struct gp_terminal *terminal;
    json_t *runs; /* NULL: as text */
    uint32_t run_count;
    uint64_t violation_count;
};

/* ---- text ---------------------------------------------------------------------------------- */

/* "kernel 'gemm' (operation 5)". */
static void print_op(const struct gp_run_data *data, uint32_t op)
{
    const struct gp_op_row *row = &data->ops[op];

    printf("%s '%.60s' (operation %" PRIu32 ")", gp_op_kind_name(row->kind), row->name, op);
}

static void print_violation(const struct check *check, const struct gp_run_data *data,
                            const struct gp_violation *violation)
{
    char time[GP_TIME_BYTES_MAX];

    printf("    %s: ", gp_invariant_name(violation->what));
    if (violation->op != GP_NO_OP) {
        print_op(data, violation->op);
        printf(": ");
    }
    printf("%s", violation->text);
    if (violation->block > 0) {
        printf(": block %" PRIu64, violation->block - 1);
    }
    if (violation->other != GP_NO_OP) {
        printf(": ");
        print_op(data, violation->other);
    }
    if (violation->buffer != NULL) {
        printf(", bytes %" PRId64 " to %" PRId64 " of '%.60s'", violation->offset,
               violation->offset + violation->bytes, violation->buffer);
    }
    if (violation->by_ns != GP_UNKNOWN) {
        gp_report_time((double)violation->by_ns, check->terminal, time);
        printf(", by %s", time);
    }
    printf("\n");
}

static void print_run(const struct check *check, const struct finding *finding)
{
    const struct gp_violations *violations = &finding->violations;
    uint32_t shown[GP_INVARIANT_COUNT] = {0};

    printf("%s %s, %d stream%s, run %" PRId64 ":\n", finding->data.cell->scenario,
           finding->data.cell->policy, (int)finding->data.cell->streams,
           finding->data.cell->streams == 1 ? "" : "s", finding->data.run.id);
    for (uint32_t i = 0; i < violations->count; i++) {
        if (shown[violations->rows[i].what]++ < SHOWN_MAX) {
            print_violation(check, &finding->data, &violations->rows[i]);
        }
    }
    for (int i = 0; i < GP_INVARIANT_COUNT; i++) {
        if (violations->totals[i] > SHOWN_MAX) {
            printf("    %s: %" PRIu64 " more\n", gp_invariant_name((enum gp_invariant)i),
                   violations->totals[i] - SHOWN_MAX);
        }
    }
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *op_or_null(uint32_t op)
{
    return op == GP_NO_OP ? json_null() : json_integer(op);
}

static json_t *violation_json(const struct gp_violation *violation)
{
    bool bytes = violation->buffer != NULL;

    return gp_json_need(json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "invariant",
        gp_invariant_name(violation->what), "op", op_or_null(violation->op), "other",
        op_or_null(violation->other), "by_ns",
        violation->by_ns != GP_UNKNOWN ? json_integer(violation->by_ns) : json_null(), "buffer",
        gp_json_text_or_null(violation->buffer), "offset",
        bytes ? json_integer(violation->offset) : json_null(), "bytes",
        bytes ? json_integer(violation->bytes) : json_null(), "block",
        violation->block > 0 ? json_integer((json_int_t)violation->block - 1) : json_null(), "text",
        violation->text));
}

static json_t *run_json(const struct finding *finding)
{
    const struct gp_violations *violations = &finding->violations;
    json_t *list = gp_json_need(json_array());
    json_t *checked = gp_json_need(json_array());
    json_t *skipped = gp_json_need(json_object());

    for (uint32_t i = 0; i < violations->count; i++) {
        (void)json_array_append_new(list, violation_json(&violations->rows[i]));
    }
    for (int i = 0; i < GP_INVARIANT_COUNT; i++) {
        const char *name = gp_invariant_name((enum gp_invariant)i);

        if (violations->skipped[i] == NULL) {
            (void)json_array_append_new(checked, json_string(name));
        } else {
            (void)json_object_set_new(skipped, name, json_string(violations->skipped[i]));
        }
    }
    return gp_json_need(json_pack(
        "{s:o, s:o, s:i, s:I, s:s, s:o, s:o, s:o}", "scenario",
        gp_json_text(finding->data.cell->scenario), "policy",
        gp_json_text(finding->data.cell->policy), "streams", (int)finding->data.cell->streams,
        "run", (json_int_t)finding->data.run.id, "pass", gp_pass_name(finding->data.run.pass),
        "checked", checked, "skipped", skipped, "violations", list));
}

/* ---- the recording ------------------------------------------------------------------------- */

static int check_run(struct check *check, int64_t cell, int64_t run, struct gp_error *err)
{
    struct finding finding = {0};
    int code = gp_run_load(check->reader, cell, run, &finding.data, err);

    if (code != 0) {
        return code;
    }
    gp_invariants_check(&finding.data, &finding.violations);
    check->run_count++;
    for (int i = 0; i < GP_INVARIANT_COUNT; i++) {
        check->violation_count += finding.violations.totals[i];
    }
    if (check->runs != NULL) {
        (void)json_array_append_new(check->runs, run_json(&finding));
    } else if (finding.violations.count > 0) {
        print_run(check, &finding);
    }
    gp_violations_finish(&finding.violations);
    gp_run_finish(&finding.data);
    return 0;
}

/* Every run that has its operations, and every one that is known to be wrong. */
static int check_cell(struct check *check, int64_t cell, struct gp_error *err)
{
    struct gp_run_row *runs = NULL;
    uint32_t count = 0;
    int code = gp_reader_runs(check->reader, cell, &runs, &count, err);

    for (uint32_t i = 0; i < count && code == 0; i++) {
        if (runs[i].op_count > 0 || runs[i].verified == 0) {
            code = check_run(check, cell, runs[i].id, err);
        }
    }
    gp_free(runs);
    return code;
}

static void print_result(const struct check *check, const char *path)
{
    if (check->run_count == 0) {
        printf("%s: no run's operations were kept, so there is nothing to check\n", path);
    } else if (check->violation_count == 0) {
        printf("%s: %" PRIu32 " run%s checked, nothing is wrong\n", path, check->run_count,
               check->run_count == 1 ? "" : "s");
    } else {
        printf("%s: %" PRIu64 " violation%s in %" PRIu32 " run%s\n", path, check->violation_count,
               check->violation_count == 1 ? "" : "s", check->run_count,
               check->run_count == 1 ? "" : "s");
    }
}

static int check_all(struct check *check, struct gp_error *err)
{
    uint32_t count = 0;
    const struct gp_cell_row *cells = gp_reader_cells(check->reader, &count);
    int code = 0;

    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = check_cell(check, cells[i].id, err);
    }
    return code;
}

enum gp_exit gp_cli_check(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};
    struct check check = {.terminal = &cli->terminal};
    const char *path = options->operands[0];
    int code;

    if (options->operand_count == 0) {
        (void)gp_fail(&err, GP_EINVAL, "which recording? gpuprobe check FILE");
        return gp_cli_fail(&err);
    }
    check.runs = options->json ? gp_json_need(json_array()) : NULL;
    code = gp_cli_open(path, &check.reader, &err);
    if (code == 0) {
        code = check_all(&check, &err);
    }
    gp_reader_close(check.reader);
    if (code != 0) {
        json_decref(check.runs);
        return gp_cli_fail(&err);
    }
    if (check.runs != NULL) {
        gp_json_print(gp_json_need(json_pack("{s:o, s:I, s:o}", "recording", gp_json_text(path),
                                             "violation_count", (json_int_t)check.violation_count,
                                             "runs", check.runs)));
    } else {
        print_result(&check, path);
    }
    return check.violation_count > 0 ? GP_EXIT_CHECK : GP_EXIT_OK;
}
