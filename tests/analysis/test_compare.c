/* Two recordings against each other: matching, intervals and the gate. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "probe/analysis/compare.h"
#include "probe/store/writer.h"
#include "store/rows.h"

/* One cell of `policy` with these makespans. */
struct cell {
    const char *policy;
    int64_t makespans[6]; /* 0 ends them */
};

static struct gp_side record(const char *name, const struct cell *cells, uint32_t count)
{
    const char *path = make_path(name);
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_side side = {0};
    int64_t run = 1;

    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    for (uint32_t i = 0; i < count; i++) {
        struct gp_cell_row cell = make_cell(i + 1, 1);

        cell.policy = cells[i].policy;
        cell.status = GP_STATUS_COMPLETE;
        gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
        for (int k = 0; k < 6 && cells[i].makespans[k] > 0; k++) {
            struct gp_run_rows rows = {.run = {.id = run++,
                                               .cell = i + 1,
                                               .pass = GP_PASS_PLAIN,
                                               .repeat = k,
                                               .trace_note = "",
                                               .makespan_ns = cells[i].makespans[k],
                                               .verified = -1,
                                               .status = GP_STATUS_COMPLETE}};

            gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
        }
    }
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    gp_assert_ok(gp_reader_open(path, &side.reader, &err), err);
    gp_assert_ok(gp_results_load(side.reader, &side.results, &err), err);
    return side;
}

static void close_side(struct gp_side *side)
{
    gp_results_finish(&side->results);
    gp_reader_close(side->reader);
}

static void test_answers(void **state)
{
    const struct cell a_cells[] = {{"same", {100, 102, 98, 101, 99}},
                                   {"slower", {100, 101, 99, 100, 100}},
                                   {"faster", {100, 101, 99, 100, 100}},
                                   {"once", {100}},
                                   {"gone", {100}}};
    const struct cell b_cells[] = {{"slower", {110, 111, 109, 110, 110}},
                                   {"same", {101, 99, 100, 98, 102}},
                                   {"faster", {50, 51, 49, 50, 50}},
                                   {"once", {900}},
                                   {"new", {100}}};
    struct gp_side a = record("a.gpuprobe", a_cells, 5);
    struct gp_side b = record("b.gpuprobe", b_cells, 5);
    struct gp_comparisons out;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_compare(&a, &b, 0.05, &out, &err), err);
    assert_int_equal(out.count, 4);
    assert_int_equal(out.only_a, 1);
    assert_int_equal(out.only_b, 1);
    assert_int_equal(out.rows[0].answer, GP_ANSWER_UNTOLD);
    assert_int_equal(out.rows[1].answer, GP_ANSWER_SLOWER);
    assert_true(fabs(out.rows[1].ratio.median - 1.1) < 1e-9);
    assert_true(out.rows[1].ratio.lo > 1.05 && out.rows[1].ratio.hi < 1.15);
    assert_true(out.rows[1].is_beyond);
    assert_int_equal(out.rows[2].answer, GP_ANSWER_FASTER);
    assert_false(out.rows[2].is_beyond);
    /* One run says nothing, however slow. */
    assert_int_equal(out.rows[3].answer, GP_ANSWER_UNTOLD);
    assert_true(isnan(out.rows[3].ratio.lo));
    assert_false(out.rows[3].is_beyond);
    gp_comparisons_finish(&out);
    /* The interval reaches below the gate; no gate at all. */
    gp_assert_ok(gp_compare(&a, &b, 0.10, &out, &err), err);
    assert_int_equal(out.rows[1].answer, GP_ANSWER_SLOWER);
    assert_false(out.rows[1].is_beyond);
    gp_comparisons_finish(&out);
    gp_assert_ok(gp_compare(&a, &b, NAN, &out, &err), err);
    assert_false(out.rows[1].is_beyond);
    gp_comparisons_finish(&out);
    close_side(&a);
    close_side(&b);
}

static void test_ratio_repeats(void **state)
{
    const double over[] = {10, 12, 11}, under[] = {5, 6, 4, 5};
    struct gp_figure first = gp_figure_ratio(over, 3, under, 4);
    struct gp_figure again = gp_figure_ratio(over, 3, under, 4);

    (void)state;
    assert_true(fabs(first.median - 2.2) < 1e-12);
    assert_true(first.lo <= first.median && first.median <= first.hi);
    assert_memory_equal(&first, &again, sizeof first);
    assert_true(isnan(gp_figure_ratio(over, 0, under, 4).median));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_ratio_repeats),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);

    remove_directory();
    return result;
}
