/* The causes that the window shows are those of the analysis. */
#include "test.h"

#include <string.h>

#include "core/memory.h"
#include "store/rows.h"
#include "viewer/document.h"
#include "viewer/room.h"
#include "viewer/why.h"

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
    gp_assert_ok(gp_why_load(path, cells[count - 1].id, runs[kept].id, &why, &err), err);
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
    gp_assert_ok(gp_figures_load(GP_TEST_SAMPLE, &figures, &err), err);
    /* A thread that looks for advice keeps them when the window lets go. */
    same = gp_figures_hold(figures);
    gp_figures_destroy(figures);
    gp_assert_ok(gp_figures_advise(same, &advices, &err), err);
    assert_true(advices.count > 0);
    assert_non_null(strstr(advices.all[0].text, "round-robin with 4 streams"));
    gp_figures_destroy(same);
}

static void test_what_memory_does_not_allow_is_said(void **state)
{
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_room_judge("Causes are", 10000000, GP_ROOM_CAUSES, 20000000000, &err), err);
    assert_int_equal(gp_room_judge("Causes are", 10000000, GP_ROOM_CAUSES, 10000000000, &err),
                     GP_EUNSUPPORTED);
    assert_string_equal(
        err.text, "Causes are not looked for: among 10000000 operations that takes about 6.4 "
                  "GB of memory, and 10.0 GB are free. Close other programs and open the file "
                  "again, or record fewer operations.");
    gp_assert_ok(gp_room_check("Causes are", 1000, GP_ROOM_CAUSES, &err), err);
}

static void test_what_cannot_be_read(void **state)
{
    struct gp_error err = {0};
    struct gp_why *why = NULL;

    (void)state;
    assert_int_equal(gp_why_load(make_path("gone.gpuprobe"), 1, 1, &why, &err), GP_ENOTFOUND);
    assert_null(why);
    assert_int_equal(gp_why_load(GP_TEST_SAMPLE, 1, 99999, &why, &err), GP_ENOTFOUND);
    assert_null(why);
    remove_directory();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_of_a_run),
        cmocka_unit_test(test_figures_come_with_advice),
        cmocka_unit_test(test_what_memory_does_not_allow_is_said),
        cmocka_unit_test(test_what_cannot_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
