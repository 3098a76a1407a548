/* What the resolver states of a copy that the oracle watched. */
#include "test.h"

#include "probe/timing/oracle.h"

enum { MIB = 1 << 20, EVENT_NS = 1000, LOADED_NS = 9000, SUBMITTED = 2000000 };

static const struct gp_engines engines = {.directions = {
                                              {.bytes_per_second = 50e9,
                                               .exclusive = true,
                                               .event_ns = EVENT_NS,
                                               .event_loaded_ns = EVENT_NS,
                                               .setup_ns = {3000, 3000},
                                               .setup_least_ns = {3000, 3000}},
                                              {.bytes_per_second = 50e9,
                                               .exclusive = true,
                                               .event_ns = EVENT_NS,
                                               .event_loaded_ns = LOADED_NS,
                                               .setup_ns = {2000, 2000},
                                               .setup_least_ns = {2000, 2000}},
                                          }};

static struct gp_op_row state_of(int direction, enum gp_oracle_traffic traffic, int64_t before_ns)
{
    const struct gp_oracle_plan plan = {direction, MIB, traffic};
    const struct gp_oracle_sample sample = {.submit_begin_ns = SUBMITTED,
                                            .submit_end_ns = SUBMITTED + 1000,
                                            .done_ns = SUBMITTED + 100000,
                                            .before_ns = before_ns};
    struct gp_op_row row;

    gp_oracle_resolve(&plan, &sample, &engines, &row);
    assert_true(row.begin_lo <= row.begin && row.begin <= row.begin_hi);
    assert_true(row.end_lo <= row.end && row.end <= row.end_hi);
    return row;
}

/* The end is as far before the event as an event on a resting device is late. */
static void test_alone(void **state)
{
    struct gp_op_row row = state_of(GP_DIRECTION_D2H, GP_ORACLE_ALONE, GP_UNKNOWN);

    (void)state;
    assert_int_equal(row.kind, GP_OP_D2H);
    assert_int_equal(row.bytes, MIB);
    assert_in_range(row.end_lo, SUBMITTED + 100000 - 2 * EVENT_NS, SUBMITTED + 100000 - EVENT_NS);
    assert_in_range(row.end_hi, SUBMITTED + 100000, SUBMITTED + 100000 + 1000);
    assert_true(row.begin_lo >= SUBMITTED);
}

/* It begins when the copy before it has ended. */
static void test_behind(void **state)
{
    int64_t before_ns = SUBMITTED + 70000;

    (void)state;
    assert_in_range(state_of(GP_DIRECTION_H2D, GP_ORACLE_ALONE, GP_UNKNOWN).begin_lo, SUBMITTED,
                    SUBMITTED + 1000);
    assert_in_range(state_of(GP_DIRECTION_H2D, GP_ORACLE_BEHIND, before_ns).begin_lo,
                    before_ns - 1000, before_ns + 3000);
}

/* Uploads go on beside it, so that its event may be later. */
static void test_loaded(void **state)
{
    int64_t before_ns = SUBMITTED + 70000;
    struct gp_op_row alone = state_of(GP_DIRECTION_D2H, GP_ORACLE_BEHIND, before_ns);
    struct gp_op_row loaded = state_of(GP_DIRECTION_D2H, GP_ORACLE_LOADED, before_ns);

    (void)state;
    assert_true(loaded.end_lo <= alone.end_lo - (LOADED_NS - EVENT_NS) / 2);
    assert_int_equal(loaded.end_hi, alone.end_hi);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_behind),
        cmocka_unit_test(test_loaded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
