/* The causes that the window shows are those of the analysis. */
#include "test.h"

#include <limits.h>
#include <string.h>

#include "core/memory.h"
#include "probe/store/writer.h"
#include "store/rows.h"
#include "viewer/document.h"
#include "viewer/room.h"
#include "viewer/why.h"

/* Gives nothing up. */
static const struct gp_heed nobody = {NULL, NULL};

static void test_sums_of_a_run(void **state)
{
    const char *path = GP_TEST_SAMPLE;
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;
    struct gp_run_data data;
    struct gp_causes causes;
    struct gp_why *why = NULL;
    const struct gp_cell_row *cells;
    struct gp_run_row *runs;
    uint32_t count, run_count, kept = 0;
    int64_t sum = 0;

    (void)state;
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    cells = gp_reader_cells(reader, &count);
    gp_assert_ok(gp_reader_runs(reader, cells[count - 1].id, &runs, &run_count, &err), err);
    while (runs[kept].op_count == 0) {
        kept++;
    }
    gp_assert_ok(gp_run_load(reader, cells[count - 1].id, runs[kept].id, &data, &err), err);
    gp_causes_measure(&data, &causes);
    gp_assert_ok(gp_why_load(path, cells[count - 1].id, runs[kept].id, nobody, &why, &err), err);
    assert_true(why->total_count > 0);
    for (uint32_t i = 0; i < why->total_count; i++) {
        assert_int_equal(why->totals[i].total.idle_ns, causes.totals[why->totals[i].cause].idle_ns);
        assert_true(i == 0 || why->totals[i - 1].total.idle_ns >= why->totals[i].total.idle_ns);
        sum += why->totals[i].total.idle_ns;
    }
    assert_int_equal(sum, causes.idle_ns);
    assert_int_equal(why->op_count, data.op_count);
    for (uint32_t i = 0; i < why->op_count; i++) {
        const struct gp_wait *wait = gp_causes_main(&causes, i);

        assert_int_equal(why->causes[i], wait != NULL ? wait->cause : GP_CAUSE_COUNT);
    }
    assert_true(why->idle_count > 0);
    for (uint32_t i = 1; i < why->idle_count; i++) {
        assert_true(why->idle[i - 1].end_ns <= why->idle[i].begin_ns);
    }
    gp_why_destroy(why);
    gp_causes_finish(&causes);
    gp_run_finish(&data);
    gp_free(runs);
    gp_reader_close(reader);
}

static void test_figures_come_with_advice(void **state)
{
    struct gp_error err = {0};
    struct gp_figures *figures = NULL, *same;
    struct gp_advices advices;

    (void)state;
    gp_assert_ok(gp_figures_load(GP_TEST_SAMPLE, nobody, &figures, &err), err);
    /* A thread that looks for advice keeps them when the window lets go. */
    same = gp_figures_hold(figures);
    gp_figures_destroy(figures);
    gp_assert_ok(gp_figures_advise(same, nobody, &advices, &err), err);
    assert_true(advices.count > 0);
    assert_non_null(strstr(advices.all[0].text, "round-robin with 4 streams"));
    gp_figures_destroy(same);
}

static void test_what_memory_does_not_allow_is_said(void **state)
{
    struct gp_error err = {0};
    char text[GP_OFFER_BYTES];

    (void)state;
    gp_assert_ok(gp_room_judge("Causes are", 10000000, GP_ROOM_CAUSES, 20000000000, &err), err);
    assert_int_equal(gp_room_judge("Causes are", 10000000, GP_ROOM_CAUSES, 10000000000, &err),
                     GP_EUNSUPPORTED);
    assert_string_equal(
        err.text, "Causes are not looked for: among 10000000 operations that takes about 6.4 "
                  "GB of memory, and 10.0 GB are free. Close other programs and open the file "
                  "again, or record fewer operations.");
    gp_assert_ok(gp_room_check("Causes are", 1000, GP_ROOM_CAUSES, &err), err);
    gp_room_tell("Causes were", 10000000, text, sizeof text);
    assert_string_equal(text,
                        "Causes were not looked for yet: among 10000000 operations that takes "
                        "a while and about 6.4 GB of memory.");
}

enum { LONG_OPS = 20000 };

/* A cell with a plain run and a traced one of LONG_OPS operations. */
static void record_long(const char *path)
{
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);
    struct gp_run_rows rows = make_run(1, 1, LONG_OPS);
    struct gp_run_rows plain = {.run = rows.run};

    cell.status = GP_STATUS_COMPLETE;
    plain.run.id = 2;
    plain.run.pass = GP_PASS_PLAIN;
    plain.run.trace = GP_TRACE_OFF;
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    gp_assert_ok(gp_writer_add_run(writer, &plain, &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    free_run(&rows);
}

/* Goes on until it was asked so many times. */
struct patience {
    int asked, most;
};

static bool is_patient(void *user)
{
    struct patience *patience = user;

    return patience->asked++ < patience->most;
}

/* Whoever looks for causes or advice asks often, and stops when told to, wherever it is. */
static void test_a_search_is_given_up(void **state)
{
    struct gp_error err = {0};
    struct patience patience = {.most = INT_MAX};
    const struct gp_heed heed = {is_patient, &patience};
    struct gp_figures *figures = NULL;
    struct gp_advices advices;
    struct gp_why *why = NULL;
    const char *path = make_path("long.gpuprobe");
    int all;

    (void)state;
    record_long(path);
    gp_assert_ok(gp_why_load(path, 1, 1, heed, &why, &err), err);
    gp_why_destroy(why);
    all = patience.asked;
    assert_true(all > LONG_OPS / 2000);
    for (int most = 0; most < all; most += 1 + all / 16) {
        patience = (struct patience){.most = most};
        assert_int_equal(gp_why_load(path, 1, 1, heed, &why, &err), GP_EINTERRUPTED);
        assert_null(why);
        /* A few calls may still be closed, none is begun anew. */
        assert_in_range(patience.asked, most + 1, most + 8);
    }
    patience = (struct patience){.most = 1};
    assert_int_equal(gp_figures_load(path, heed, &figures, &err), GP_EINTERRUPTED);
    gp_assert_ok(gp_figures_load(path, nobody, &figures, &err), err);
    patience = (struct patience){.most = 1};
    assert_int_equal(gp_figures_advise(figures, heed, &advices, &err), GP_EINTERRUPTED);
    assert_int_equal(advices.count, 0);
    gp_assert_ok(gp_figures_advise(figures, nobody, &advices, &err), err);
    gp_figures_destroy(figures);
    remove_directory();
}

static void test_what_cannot_be_read(void **state)
{
    struct gp_error err = {0};
    struct gp_why *why = NULL;

    (void)state;
    assert_int_equal(gp_why_load(make_path("gone.gpuprobe"), 1, 1, nobody, &why, &err),
                     GP_ENOTFOUND);
    assert_null(why);
    assert_int_equal(gp_why_load(GP_TEST_SAMPLE, 1, 99999, nobody, &why, &err), GP_ENOTFOUND);
    assert_null(why);
    remove_directory();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_of_a_run),
        cmocka_unit_test(test_figures_come_with_advice),
        cmocka_unit_test(test_what_memory_does_not_allow_is_said),
        cmocka_unit_test(test_a_search_is_given_up),
        cmocka_unit_test(test_what_cannot_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
