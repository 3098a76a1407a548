/* Arrays and calls that do not fit into the memory they may have. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "probe/import/calls.h"
#include "probe/import/id_map.h"

enum {
    RECORD_BYTES = 1 << 12,
    PER_FRAME = GP_SPILL_FRAME_BYTES / RECORD_BYTES,
    RECORDS = PER_FRAME * (3 * GP_SPILL_FRAMES + 1) + 5,
};

static void write_record(struct gp_spill *spill, uint64_t index)
{
    uint64_t *record = gp_spill_at(spill, index);

    assert_non_null(record);
    assert_int_equal(record[0], 0);
    assert_int_equal(record[RECORD_BYTES / sizeof *record - 1], 0);
    record[0] = index + 1;
    record[RECORD_BYTES / sizeof *record - 1] = ~index;
}

/* Three times what may lie in memory; then from the end, and here and there. */
static void test_more_than_memory(void **state)
{
    struct gp_spill spill = {.record_bytes = RECORD_BYTES};
    struct gp_error err = {0};

    (void)state;
    for (uint64_t i = 0; i < RECORDS; i++) {
        write_record(&spill, i);
    }
    for (uint64_t i = RECORDS; i-- > 0;) {
        const uint64_t *record = gp_spill_at(&spill, i);

        assert_non_null(record);
        assert_int_equal(record[0], i + 1);
        assert_int_equal(record[RECORD_BYTES / sizeof *record - 1], ~i);
    }
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t index = i * 7919 % RECORDS;

        *(uint64_t *)gp_spill_at(&spill, index) += index;
    }
    for (uint64_t i = 0; i < RECORDS; i++) {
        assert_int_equal(*(uint64_t *)gp_spill_at(&spill, i), 2 * i + 1);
    }
    assert_int_equal(gp_spill_check(&spill, &err), 0);
    gp_spill_finish(&spill);
}

static void test_without_a_place_for_the_file(void **state)
{
    struct gp_spill spill = {.record_bytes = RECORD_BYTES};
    struct gp_error err = {0};
    uint64_t i = 0;

    (void)state;
    assert_int_equal(setenv("TMPDIR", "/nowhere", 1), 0);
    while (i < RECORDS && gp_spill_at(&spill, i) != NULL) {
        i++;
    }
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(i, PER_FRAME * GP_SPILL_FRAMES); /* all that fits without one */
    assert_null(gp_spill_at(&spill, 0));
    assert_int_equal(gp_spill_check(&spill, &err), GP_EIO);
    assert_non_null(strstr(err.text, "no temporary file /nowhere/"));
    gp_spill_finish(&spill);
}

/* Ids of two processes that are the same, ids far apart, and more than lie in memory. */
static void test_calls(void **state)
{
    enum {
        CALLS =
            (size_t)3 * GP_SPILL_FRAMES * GP_SPILL_FRAME_BYTES / sizeof(struct gp_call_entry) / 2
    };
    struct gp_calls calls = {0};
    struct gp_error err = {0};
    bool is_new;

    (void)state;
    assert_null(gp_calls_find(&calls, 1, 7));
    for (int64_t i = 1; i <= CALLS; i++) {
        gp_calls_add(&calls, 1, i, &is_new)->begin = i;
        assert_true(is_new);
        gp_calls_add(&calls, 2, i, &is_new)->begin = -i;
        assert_true(is_new);
    }
    gp_calls_add(&calls, 1, INT64_MAX, &is_new)->begin = 5;
    assert_true(is_new);
    gp_calls_add(&calls, 1, CALLS / 2, &is_new);
    assert_false(is_new);
    for (int64_t i = 1; i <= CALLS; i++) {
        assert_int_equal(gp_calls_find(&calls, 1, i)->begin, i);
        assert_int_equal(gp_calls_find(&calls, 2, i)->begin, -i);
    }
    assert_int_equal(gp_calls_find(&calls, 1, INT64_MAX)->begin, 5);
    assert_null(gp_calls_find(&calls, 2, INT64_MAX));
    assert_null(gp_calls_find(&calls, 1, INT64_MAX - 1)); /* its neighbour */
    assert_null(gp_calls_find(&calls, 3, 1));
    assert_int_equal(gp_calls_check(&calls, &err), 0);
    gp_calls_finish(&calls);
}

static void test_ids(void **state)
{
    struct gp_id_map map = {0};

    (void)state;
    assert_int_equal(gp_id_map_get(&map, 0, 9), 9);
    for (int64_t i = 0; i < 10000; i++) {
        gp_id_map_set(&map, i * (INT64_MAX / 10000), (uint32_t)i);
    }
    gp_id_map_set(&map, -1, 5);
    gp_id_map_set(&map, -1, 6);
    for (int64_t i = 0; i < 10000; i++) {
        assert_int_equal(gp_id_map_get(&map, i * (INT64_MAX / 10000), UINT32_MAX), i);
    }
    assert_int_equal(gp_id_map_get(&map, -1, 0), 6);
    assert_int_equal(gp_id_map_get(&map, -2, 7), 7);
    assert_int_equal(map.count, 10001);
    gp_id_map_finish(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_than_memory),
        cmocka_unit_test(test_without_a_place_for_the_file),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
