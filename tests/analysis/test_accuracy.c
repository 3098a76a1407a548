/* Agreement of recorders with a reference, on runs made by hand. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "probe/analysis/accuracy.h"

enum { OPS = 20 };

/* A kernel or copy every 1 000 ns of 500 ns, whose reference is `ahead` ns early on its clock. */
static void make_run(struct gp_op_row ops[OPS], enum gp_op_kind kind, int64_t ahead)
{
    for (uint32_t i = 0; i < OPS; i++) {
        int64_t begin = 1000 * (int64_t)i;

        ops[i] = (struct gp_op_row){
            .kind = kind,
            .begin = begin,
            .bytes = kind == GP_OP_KERNEL ? GP_UNKNOWN : INT64_C(2) * GP_ACCURACY_BYTES_MIN,
            .begin_lo = begin - 10,
            .begin_hi = begin + 10,
            .end = begin + 500,
            .end_lo = begin + 490,
            .end_hi = begin + 510,
            .ready = begin - 300,
            .done = begin + 600,
            .ref_begin = begin - ahead,
            .ref_end = begin + 500 - ahead,
            .stamp_begin = kind == GP_OP_KERNEL ? begin : GP_UNKNOWN,
            .stamp_end = kind == GP_OP_KERNEL ? begin + 500 : GP_UNKNOWN,
        };
    }
}

static const struct gp_accuracy_row *find(const struct gp_accuracy_row *rows, uint32_t count,
                                          const char *kind, const char *quantity)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(rows[i].kind, kind) == 0 && strcmp(rows[i].quantity, quantity) == 0) {
            return &rows[i];
        }
    }
    fail_msg("no row for %s of %s", quantity, kind);
    return NULL;
}

/* A constant difference of the clocks is fitted on the first run and gone from the second. */
static void test_constants_are_fitted_elsewhere(void **state)
{
    struct gp_op_row first[OPS], second[OPS];
    const struct gp_accuracy_run runs[] = {{first, OPS}, {second, OPS}};
    struct gp_accuracy_row rows[GP_ACCURACY_ROWS_MAX];
    const struct gp_accuracy_row *row;
    uint32_t count;

    (void)state;
    make_run(first, GP_OP_KERNEL, 7000);
    make_run(second, GP_OP_KERNEL, 7004);
    count = gp_accuracy_measure(GP_ACCURACY_RESOLVED, runs, 2, rows);
    assert_int_equal(count, 3);
    row = find(rows, count, "kernel", "begin");
    assert_string_equal(row->method, "resolved");
    assert_int_equal(row->count, OPS);
    assert_true(row->bias_ns == 4);
    assert_true(row->spread_ns == 0);
    assert_true(isnan(row->inside)); /* a stamp is finer than the reference */
    row = find(rows, count, "kernel", "duration");
    assert_true(row->bias_ns == 0);
    assert_true(isnan(row->inside));
}

/* A reference whose clock runs fast by a part in 20 000: that is fitted on the first run too. */
static void test_drift_is_fitted_elsewhere(void **state)
{
    enum { MANY = 100 };
    static struct gp_op_row all[2][MANY];
    const struct gp_accuracy_run runs[] = {{all[0], MANY}, {all[1], MANY}};
    struct gp_accuracy_row rows[GP_ACCURACY_ROWS_MAX];
    uint32_t count;

    (void)state;
    for (int run = 0; run < 2; run++) {
        for (uint32_t i = 0; i < MANY; i++) {
            int64_t begin = 200000 * (int64_t)i;

            all[run][i] = (struct gp_op_row){
                .kind = GP_OP_KERNEL,
                .begin = begin,
                .begin_lo = begin,
                .begin_hi = begin,
                .end = begin + 100000,
                .end_lo = begin + 100000,
                .end_hi = begin + 100000,
                .stamp_begin = begin,
                .stamp_end = begin + 100000,
                .ref_begin = begin + begin / 20000,
                .ref_end = begin + 100000 + (begin + 100000) / 20000,
            };
        }
    }
    assert_true(fabs(gp_accuracy_drift(&runs[0]) - 5e-5) < 1e-8);
    count = gp_accuracy_measure(GP_ACCURACY_RESOLVED, runs, 2, rows);
    assert_true(fabs(find(rows, count, "kernel", "begin")->bias_ns) < 1);
    assert_true(find(rows, count, "kernel", "begin")->spread_ns < 2);
    assert_true(find(rows, count, "kernel", "end")->spread_ns < 2);
    assert_true(find(rows, count, "kernel", "duration")->spread_ns < 2);
    /* Too few kernels tell of no clock. */
    assert_true(gp_accuracy_drift(&(struct gp_accuracy_run){all[0], 20}) == 0);
}

static void test_an_interval_can_miss(void **state)
{
    struct gp_op_row first[OPS], second[OPS];
    const struct gp_accuracy_run runs[] = {{first, OPS}, {second, OPS}};
    struct gp_accuracy_row rows[GP_ACCURACY_ROWS_MAX];
    const struct gp_accuracy_row *row;
    uint32_t count;

    (void)state;
    make_run(first, GP_OP_H2D, 0);
    make_run(second, GP_OP_H2D, 0);
    for (uint32_t i = 0; i < OPS / 4; i++) {
        second[i].ref_end += 50;
    }
    count = gp_accuracy_measure(GP_ACCURACY_RESOLVED, runs, 2, rows);
    row = find(rows, count, "h2d", "end");
    assert_true(row->inside == 0.75);
    assert_true(row->width_ns == 20);
    assert_true(row->bias_ns == 0);
    assert_true(row->spread_ns == 50);
    assert_true(find(rows, count, "h2d", "begin")->inside == 1);
}

static void test_naive_takes_events(void **state)
{
    struct gp_op_row first[OPS], second[OPS];
    const struct gp_accuracy_run runs[] = {{first, OPS}, {second, OPS}};
    struct gp_accuracy_row rows[GP_ACCURACY_ROWS_MAX];
    uint32_t count;

    (void)state;
    make_run(first, GP_OP_H2D, 0);
    make_run(second, GP_OP_H2D, 0);
    for (uint32_t i = 0; i < OPS; i++) {
        second[i].ready -= 2000; /* it waited */
    }
    second[0].done = GP_UNKNOWN;
    second[1].ref_begin = GP_UNKNOWN;
    second[1].ref_end = GP_UNKNOWN;
    count = gp_accuracy_measure(GP_ACCURACY_NAIVE, runs, 2, rows);
    assert_int_equal(count, 3);
    assert_int_equal(find(rows, count, "h2d", "begin")->count, OPS - 2);
    assert_true(find(rows, count, "h2d", "begin")->bias_ns == -2000);
    assert_true(find(rows, count, "h2d", "end")->bias_ns == 0);
    assert_true(find(rows, count, "h2d", "duration")->bias_ns == 2000);
    assert_true(isnan(find(rows, count, "h2d", "begin")->inside));
}

/* What the first run has not cannot be fitted, and is not scored. */
static void test_nothing_is_scored_on_itself(void **state)
{
    struct gp_op_row first[OPS], second[OPS];
    const struct gp_accuracy_run runs[] = {{first, OPS}, {second, OPS}};
    struct gp_accuracy_row rows[GP_ACCURACY_ROWS_MAX];

    (void)state;
    make_run(first, GP_OP_H2D, 0);
    make_run(second, GP_OP_D2H, 0);
    assert_int_equal(gp_accuracy_measure(GP_ACCURACY_RESOLVED, runs, 2, rows), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants_are_fitted_elsewhere),
        cmocka_unit_test(test_drift_is_fitted_elsewhere),
        cmocka_unit_test(test_an_interval_can_miss),
        cmocka_unit_test(test_naive_takes_events),
        cmocka_unit_test(test_nothing_is_scored_on_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
