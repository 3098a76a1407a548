/* What the window knows of a recording, and what it says when that is nothing. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/memory.h"
#include "probe/store/writer.h"
#include "store/rows.h"
#include "viewer/cell_text.h"
#include "viewer/document.h"
#include "viewer/matrix.h"
#include "viewer/problem.h"

/* Gives nothing up. */
static const struct gp_heed nobody = {NULL, NULL};

static void add_cell(struct gp_writer *writer, int64_t id, const char *policy, int32_t streams,
                     uint32_t op_count)
{
    struct gp_error err = {0};
    struct gp_cell_row cell = make_cell(id, 1);
    struct gp_run_rows rows = make_run(id, id, op_count);

    cell.scenario = "mixed";
    cell.params = "{\"k\":16,\"m\":2}";
    cell.policy = policy;
    cell.streams = streams;
    cell.status = GP_STATUS_COMPLETE;
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    if (op_count > 0) {
        gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    }
    free_run(&rows);
}

/* single with operations; round-robin with 1 stream, without, and with 4. */
static const char *write_cells(const char *name, bool has_cells)
{
    const char *path = make_path(name);
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);

    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    if (has_cells) {
        add_cell(writer, 1, "single", 1, 6);
        add_cell(writer, 2, "round-robin", 1, 0);
        add_cell(writer, 3, "round-robin", 4, 6);
    }
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    return path;
}

static void expect_found(const struct gp_document *document, const char *text, int64_t cell)
{
    struct gp_error err = {0};
    const struct gp_entry *entry = NULL;

    gp_assert_ok(gp_document_find(document, text, &entry, &err), err);
    assert_int_equal(gp_document_cell(document, entry)->id, cell);
}

/* Two plain runs that count and a disturbed one that does not; the traced run is another thing. */
static void test_the_makespan_is_the_matrix_figure(void **state)
{
    static const int64_t makespans_ns[] = {2000000, 4000000, 90000000};
    const char *path = make_path("medians.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_document *document = NULL;
    struct gp_figures *figures = NULL;

    (void)state;
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    add_cell(writer, 1, "single", 1, 6);
    add_cell(writer, 2, "round-robin", 4, 6);
    for (int i = 0; i < 3; i++) {
        struct gp_run_rows rows = make_run(10 + i, 1, 0);

        rows.run.pass = GP_PASS_PLAIN;
        rows.run.repeat = i;
        rows.run.makespan_ns = makespans_ns[i];
        rows.run.status = i < 2 ? GP_STATUS_COMPLETE : GP_STATUS_DISTURBED;
        gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
        free_run(&rows);
    }
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    gp_assert_ok(gp_document_open(path, &document, &err), err);
    gp_assert_ok(gp_figures_load(path, nobody, &figures, &err), err);
    assert_int_equal(document->entry_count, 2);
    assert_true(document->entries[0].median_ns == 3e6);
    assert_true(fabs(gp_matrix_figure(&figures->results.cells[0], GP_MATRIX_MAKESPAN).median - 3) <
                1e-12);
    assert_true(isnan(document->entries[1].median_ns));
    gp_figures_destroy(figures);
    gp_document_close(document);
    remove_directory();
}

static void test_cells_and_their_names(void **state)
{
    const char *path = write_cells("cells.gpuprobe", true);
    struct gp_error err = {0};
    struct gp_document *document = NULL;
    const struct gp_entry *entry;

    (void)state;
    gp_assert_ok(gp_document_open(path, &document, &err), err);
    assert_int_equal(document->entry_count, 3);
    assert_int_not_equal(document->entries[0].run, 0);
    assert_int_equal(document->entries[0].op_count, 6);
    assert_int_equal(document->entries[0].pass, GP_PASS_TRACED);
    assert_int_equal(document->entries[1].run, 0);
    expect_found(document, NULL, 1);
    expect_found(document, "2", 2);
    expect_found(document, "round-robin", 3); /* the one with operations */
    expect_found(document, "round-robin/1", 2);
    expect_found(document, "mixed/round-robin/4", 3);
    assert_int_equal(gp_document_find(document, "round-robin/5", &entry, &err), GP_ENOTFOUND);
    assert_non_null(strstr(err.text, "round-robin/4"));
    assert_string_equal(gp_document_origin(gp_document_device(document, &document->entries[0])),
                        gp_document_device(document, &document->entries[0])->kind == GP_ORIGIN_MODEL
                            ? "modelled"
                            : "measured");
    gp_document_close(document);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Each failure has a title, its text names the file, and there is something to do about it. */
static void expect_problem(const char *path, int code, const char *says)
{
    struct gp_error err = {0};
    struct gp_document *document = NULL;
    struct gp_problem problem;

    assert_int_equal(gp_document_open(path, &document, &err), code);
    assert_null(document);
    gp_problem_of_file(&err, &problem);
    assert_true(problem.title[0] != '\0' && problem.advice[0] != '\0');
    assert_non_null(strstr(problem.text, path));
    assert_non_null(strstr(problem.text, says));
}

static void test_problems_say_what_and_what_to_do(void **state)
{
    const char *text = make_path("text.gpuprobe"), *empty = make_path("empty.gpuprobe");
    struct gp_error err = {0};
    struct gp_problem problem;

    (void)state;
    write_text(text, "no database at all, but a text that is long enough to have a header\n");
    write_text(empty, "");
    expect_problem(text, GP_EFORMAT, "not a SQLite database");
    expect_problem(empty, GP_EFORMAT, "empty");
    expect_problem(make_path("gone.gpuprobe"), GP_ENOTFOUND, "cannot be read");
    expect_problem(write_cells("none.gpuprobe", false), GP_ENOTFOUND, "no cells");
    for (int code = GP_EINVAL; code >= GP_EINTERRUPTED; code--) {
        (void)gp_fail(&err, code, "x");
        gp_problem_of_cell(&err, &problem);
        assert_true(problem.title[0] != '\0' && problem.advice[0] != '\0');
        assert_string_equal(problem.text, "x");
    }
}

static void test_tables_of_policy_and_streams(void **state)
{
    const char *path = write_cells("tables.gpuprobe", true);
    struct gp_error err = {0};
    struct gp_figures *figures = NULL;
    struct gp_matrix *matrices;
    uint32_t count;

    (void)state;
    gp_assert_ok(gp_figures_load(path, nobody, &figures, &err), err);
    count = gp_matrices_create(&figures->results, &matrices);
    assert_int_equal(count, 1);
    assert_int_equal(matrices[0].policy_count, 2);
    assert_int_equal(matrices[0].stream_count, 2);
    assert_int_equal(matrices[0].streams[1], 4);
    assert_null(gp_matrix_at(&matrices[0], 0, 1));
    assert_int_equal(gp_matrix_at(&matrices[0], 1, 1)->cell->id, 3);
    assert_non_null(strstr(matrices[0].title, "mixed (k 16, m 2)"));
    gp_matrices_destroy(matrices, count);
    gp_figures_destroy(figures);
}

/* Cells of one scenario are told apart by what differs, and by nothing else. */
static void test_cells_are_told_apart(void **state)
{
    struct gp_device_row device = make_device(1), other = make_device(2);
    struct gp_cell_row cells[4];
    const struct gp_device_row *devices[] = {&device, &device, &device, &other};
    char(*texts)[2 * GP_VARIANT_BYTES_MAX];
    char text[16];

    (void)state;
    for (int i = 0; i < 4; i++) {
        cells[i] = make_cell(i + 1, i < 3 ? 1 : 2);
        cells[i].scenario = "small";
        cells[i].params = i == 1 ? "{\"kernels\":9,\"us\":2}" : "{\"kernels\":9,\"us\":15}";
        cells[i].submit = i == 1 ? GP_SUBMIT_GRAPH : GP_SUBMIT_STREAMS;
        cells[i].order = i == 2 ? GP_ORDER_BREADTH : GP_ORDER_DEPTH;
        cells[i].completion = i == 2 ? "host-func" : "event-poll";
    }
    device.connections = other.connections = 8;
    texts = gp_cell_differences(cells, devices, 4);
    assert_string_equal(texts[0], "us=15");
    assert_string_equal(texts[1], "us=2, graph");
    assert_string_equal(texts[2], "us=15, breadth first, host-func");
    assert_string_equal(texts[3], "");
    gp_free(texts);
    other.connections = 1;
    texts = gp_cell_differences(cells, devices, 4);
    assert_string_equal(texts[0], "us=15, 8 connections");
    assert_string_equal(texts[3], "1 connection");
    gp_free(texts);
    /* Commas and colons of a text are its own; what does not fit is left out whole. */
    gp_cell_params_text("{\"grid\":\"8,4\",\"image\":\"a:b\"}", text, sizeof text);
    assert_string_equal(text, "grid 8,4, …");
    gp_cell_params_text("[1]", text, sizeof text);
    assert_string_equal(text, "");
}

static void expect_text(double value, const char *expected)
{
    char text[32];

    gp_matrix_format(value, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_figures_read_well(void **state)
{
    (void)state;
    expect_text(3.28219, "3.282");
    expect_text(12345.6, "12346");
    expect_text(0.94912, "0.949");
    expect_text(0, "0.000");
    expect_text(NAN, "–");
    assert_true(gp_matrix_goodness(1, 1, 3, GP_MATRIX_MAKESPAN) == 1);
    assert_true(gp_matrix_goodness(3, 1, 3, GP_MATRIX_SPEEDUP) == 1);
    assert_true(isnan(gp_matrix_goodness(NAN, 1, 3, GP_MATRIX_SPEEDUP)));
    assert_true(gp_matrix_goodness(2, 2, 2, GP_MATRIX_SPEEDUP) == 0.5);
}

static void test_every_metric_has_its_figure(void **state)
{
    const struct gp_result result = {.summary = {.makespan_ns = {2e6, 1e6, 3e6},
                                                 .speedup = 2,
                                                 .efficiency = 0.5,
                                                 .concurrency = 1.5,
                                                 .copy_compute_overlap = 0.25,
                                                 .latency_p99_ns = 7e6,
                                                 .perturbation = {1.01, 1, 1.02}}};
    static const double expected[GP_MATRIX_METRIC_COUNT] = {
        [GP_MATRIX_MAKESPAN] = 2,        [GP_MATRIX_SPEEDUP] = 2,    [GP_MATRIX_EFFICIENCY] = 0.5,
        [GP_MATRIX_CONCURRENCY] = 1.5,   [GP_MATRIX_OVERLAP] = 0.25, [GP_MATRIX_LATENCY] = 7,
        [GP_MATRIX_PERTURBATION] = 1.01,
    };

    (void)state;
    for (int i = 0; i < GP_MATRIX_METRIC_COUNT; i++) {
        enum gp_matrix_metric metric = (enum gp_matrix_metric)i;

        assert_true(fabs(gp_matrix_figure(&result, metric).median - expected[i]) < 1e-9);
        assert_true(gp_matrix_metric_name(metric)[0] != '\0');
        assert_true(gp_matrix_metric_summary(metric)[0] != '\0');
    }
}

static int tear_down(void **state)
{
    (void)state;
    remove_directory();
    return 0;
}

/* A trace is imported for as long as it is looked at. */
static void test_another_tools_trace(void **state)
{
    const char *path = make_path("trace.json");
    FILE *file = fopen(path, "w");
    struct gp_error err = {0};
    struct gp_document *document = NULL;
    char made[256];

    (void)state;
    assert_non_null(file);
    (void)fputs("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"ts\":1,\"dur\":2,"
                "\"args\":{\"stream\":1}}]",
                file);
    assert_int_equal(fclose(file), 0);
    gp_assert_ok(gp_document_open(path, &document, &err), err);
    assert_int_equal(document->entry_count, 1);
    assert_int_equal(document->entries[0].op_count, 1);
    (void)snprintf(made, sizeof made, "%s", document->path);
    assert_int_equal(access(made, F_OK), 0);
    gp_document_close(document);
    assert_int_not_equal(access(made, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_makespan_is_the_matrix_figure),
        cmocka_unit_test(test_cells_and_their_names),
        cmocka_unit_test(test_another_tools_trace),
        cmocka_unit_test(test_problems_say_what_and_what_to_do),
        cmocka_unit_test(test_tables_of_policy_and_streams),
        cmocka_unit_test(test_cells_are_told_apart),
        cmocka_unit_test(test_figures_read_well),
        cmocka_unit_test(test_every_metric_has_its_figure),
    };

    return cmocka_run_group_tests(tests, NULL, tear_down);
}
