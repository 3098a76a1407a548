/* Idle time of the device: where nothing runs, by what the next operation waited for. */
#include "test.h"

#include "core/memory.h"
#include "viewer/layout/idle.h"

static struct gp_op_row op_of(int64_t begin, int64_t end, enum gp_op_kind kind)
{
    return (struct gp_op_row){.begin = begin, .end = end, .kind = kind};
}

static void expect(const struct gp_view_idle *idle, int64_t begin_ns, int64_t end_ns,
                   enum gp_view_idle_kind kind)
{
    assert_int_equal(idle->begin_ns, begin_ns);
    assert_int_equal(idle->end_ns, end_ns);
    assert_int_equal(idle->kind, kind);
}

static void test_idle_time_is_split_by_cause(void **state)
{
    /* The host function in between does not run on the device. */
    struct gp_op_row ops[] = {op_of(100, 200, GP_OP_KERNEL), op_of(150, 300, GP_OP_H2D),
                              op_of(300, 900, GP_OP_HOST), op_of(1000, 1100, GP_OP_KERNEL),
                              op_of(1100, 1200, GP_OP_KERNEL)};
    struct gp_wait waits[] = {
        {.from = 0, .to = 90, .cause = GP_CAUSE_NOT_SUBMITTED},
        {.from = 0, .to = 150, .cause = GP_CAUSE_ENGINE_BUSY},
        {.from = 250, .to = 900, .cause = GP_CAUSE_DEPENDENCY},
        {.from = 900, .to = 950, .cause = GP_CAUSE_SAME_STREAM},
        {.from = 960, .to = 2000, .cause = GP_CAUSE_CONNECTION},
    };
    uint32_t first[] = {0, 1, 2, 2, 5, 5};
    const struct gp_run_data run = {.ops = ops, .op_count = 5};
    const struct gp_causes causes = {.run = &run, .waits = waits, .first = first};
    struct gp_view_idle *idle;

    (void)state;
    assert_int_equal(gp_view_idle_find(&causes, &idle), 5);
    expect(&idle[0], 0, 90, GP_VIEW_IDLE_HOST);
    expect(&idle[1], 90, 100, GP_VIEW_IDLE_UNKNOWN);
    expect(&idle[2], 300, 950, GP_VIEW_IDLE_ORDER);
    expect(&idle[3], 950, 960, GP_VIEW_IDLE_UNKNOWN);
    expect(&idle[4], 960, 1000, GP_VIEW_IDLE_DEVICE);
    assert_null(gp_view_idle_at(idle, 5, -1));
    assert_ptr_equal(gp_view_idle_at(idle, 5, 0), &idle[0]);
    assert_ptr_equal(gp_view_idle_at(idle, 5, 90), &idle[1]);
    assert_null(gp_view_idle_at(idle, 5, 100));
    assert_ptr_equal(gp_view_idle_at(idle, 5, 999), &idle[4]);
    assert_null(gp_view_idle_at(idle, 5, 1000));
    assert_null(gp_view_idle_at(NULL, 0, 0));
    gp_free(idle);
}

static void test_nothing_is_idle_where_something_runs(void **state)
{
    struct gp_op_row ops[] = {op_of(0, 500, GP_OP_KERNEL), op_of(500, 600, GP_OP_D2H)};
    uint32_t first[] = {0, 0, 0};
    const struct gp_run_data run = {.ops = ops, .op_count = 2};
    const struct gp_causes causes = {.run = &run, .first = first};
    struct gp_view_idle *idle;

    (void)state;
    assert_int_equal(gp_view_idle_find(&causes, &idle), 0);
    assert_null(idle);
}

static void test_every_kind_has_its_text(void **state)
{
    (void)state;
    for (int kind = 0; kind < GP_VIEW_IDLE_KIND_COUNT; kind++) {
        assert_true(gp_view_idle_text((enum gp_view_idle_kind)kind)[0] != '\0');
        assert_true(gp_view_idle_word((enum gp_view_idle_kind)kind)[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle_time_is_split_by_cause),
        cmocka_unit_test(test_nothing_is_idle_where_something_runs),
        cmocka_unit_test(test_every_kind_has_its_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
