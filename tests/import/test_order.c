/* Sorting what the host did, and the dependencies of more operations than lie in memory. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "probe/import/order.h"

static int by_at(const void *a, const void *b)
{
    const struct gp_order_item *x = a;
    const struct gp_order_item *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* Numbers that are all different, in any order: as an array of as many that is sorted. */
static void expect_sorted(uint32_t count)
{
    struct gp_order_item *all = calloc(count + 1, sizeof *all);
    struct gp_order_sort sort = {0};
    struct gp_order_item item;
    struct gp_error err = {0};
    int code;

    assert_non_null(all);
    for (uint32_t i = 0; i < count; i++) {
        /* Odd factors and the whole of 32 bits: no two are equal. */
        all[i] = (struct gp_order_item){.at = (int64_t)(uint32_t)(i * 2654435761U) - INT32_MAX,
                                        .end = i,
                                        .op = i,
                                        .stream = (uint16_t)i,
                                        .kind = GP_HOST_OP};
        gp_order_sort_add(&sort, &all[i]);
    }
    assert_int_equal(sort.count, count);
    qsort(all, count, sizeof *all, by_at);
    for (uint32_t i = 0; i < count; i++) {
        memset(&item, 0, sizeof item);
        assert_int_equal(gp_order_sort_next(&sort, &item, &err), 1);
        assert_int_equal(item.at, all[i].at);
        assert_int_equal(item.op, all[i].op);
        assert_int_equal(item.stream, all[i].stream);
    }
    code = gp_order_sort_next(&sort, &item, &err);
    assert_int_equal(code, 0);
    assert_int_equal(gp_order_sort_next(&sort, &item, &err), 0);
    gp_order_sort_finish(&sort);
    gp_order_sort_finish(&sort);
    free(all);
}

static void test_any_number_is_sorted(void **state)
{
    static const uint32_t counts[] = {0,
                                      1,
                                      2,
                                      1000,
                                      GP_ORDER_PART_ITEMS,
                                      GP_ORDER_PART_ITEMS + 1,
                                      3 * GP_ORDER_PART_ITEMS,
                                      7 * GP_ORDER_PART_ITEMS + 513};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        expect_sorted(counts[i]);
    }
}

/* Equal times: by kind, then by operation; of what is equal in all, what came first. */
static void test_equal_times(void **state)
{
    struct gp_order_sort sort = {0};
    struct gp_order_item item = {0};
    struct gp_error err = {0};

    (void)state;
    for (uint32_t i = 0; i < GP_ORDER_PART_ITEMS; i++) {
        gp_order_sort_add(&sort, &(struct gp_order_item){.at = 5, .kind = GP_HOST_WAIT, .op = 1});
    }
    gp_order_sort_add(&sort, &(struct gp_order_item){.at = 5, .kind = GP_HOST_OP, .op = 9});
    gp_order_sort_add(&sort, &(struct gp_order_item){.at = 5, .kind = GP_HOST_OP, .op = 8});
    gp_order_sort_add(&sort,
                      &(struct gp_order_item){.at = 5, .kind = GP_HOST_WAIT, .stream = 1, .op = 1});
    assert_int_equal(gp_order_sort_next(&sort, &item, &err), 1);
    assert_int_equal(item.op, 8);
    assert_int_equal(gp_order_sort_next(&sort, &item, &err), 1);
    assert_int_equal(item.op, 9);
    for (uint32_t i = 0; i < GP_ORDER_PART_ITEMS; i++) {
        assert_int_equal(gp_order_sort_next(&sort, &item, &err), 1);
        assert_int_equal(item.stream, 0);
    }
    assert_int_equal(gp_order_sort_next(&sort, &item, &err), 1);
    assert_int_equal(item.stream, 1);
    assert_int_equal(gp_order_sort_next(&sort, &item, &err), 0);
    gp_order_sort_finish(&sort);
}

struct edges {
    uint32_t count, next;
};

/* Operation i waits for i − 1, and by the host for i − 2. */
static int check_edges(void *user, const struct gp_edge_row *edges, uint32_t count,
                       struct gp_error *err)
{
    struct edges *seen = user;

    (void)err;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(edges[i].how, GP_HOW_EVENT);
        if (edges[i].kind == GP_EDGE_EVENT) {
            assert_int_equal(edges[i].to, ++seen->next);
            assert_int_equal(edges[i].from, edges[i].to - 1);
        } else {
            assert_int_equal(edges[i].kind, GP_EDGE_JOIN);
            assert_int_equal(edges[i].to, seen->next);
            assert_int_equal(edges[i].from, edges[i].to - 2);
        }
    }
    seen->count += count;
    return 0;
}

static int refuse_edges(void *user, const struct gp_edge_row *edges, uint32_t count,
                        struct gp_error *err)
{
    (void)user;
    (void)edges;
    (void)count;
    return gp_fail(err, GP_EIO, "no room");
}

/* Two streams in turn, each waiting twice for the other, added in any order. */
static void add_turns(struct gp_order_sort *sort, uint32_t ops)
{
    struct gp_random random = {.state = 11};
    uint32_t *order = calloc(ops, sizeof *order);

    assert_non_null(order);

    for (uint32_t i = 0; i < ops; i++) {
        uint32_t other = (uint32_t)gp_random_below(&random, i + 1);

        order[i] = order[other];
        order[other] = i;
    }
    for (uint32_t i = 0; i < ops; i++) {
        uint32_t op = order[i];
        struct gp_order_item item = {.at = (int64_t)op * 10,
                                     .end = (int64_t)op * 10 + 5,
                                     .op = op,
                                     .stream = op % 2,
                                     .kind = GP_HOST_OP};

        gp_order_sort_add(sort, &item);
        item = (struct gp_order_item){
            .at = (int64_t)op * 10 + 1, .event = 7, .stream = op % 2, .kind = GP_HOST_RECORD};
        gp_order_sort_add(sort, &item);
        item.at++;
        item.kind = GP_HOST_WAIT;
        item.stream ^= 1;
        gp_order_sort_add(sort, &item);
        item.at++;
        gp_order_sort_add(sort, &item);
        item.at++;
        item.kind = GP_HOST_SYNC_STREAM;
        gp_order_sort_add(sort, &item);
    }
    free(order);
}

static void test_edges_of_many(void **state)
{
    enum { OPS = 100000 };
    struct gp_order_sort sort = {0};
    struct edges seen = {.count = 0};
    struct gp_error err = {0};

    (void)state;
    add_turns(&sort, OPS);
    gp_assert_ok(gp_order_edges(&sort, 2, check_edges, &seen, &err), err);
    assert_int_equal(seen.count, OPS - 1 + OPS - 2);
    gp_order_sort_finish(&sort);
    add_turns(&sort, 5000);
    assert_int_equal(gp_order_edges(&sort, 2, refuse_edges, NULL, &err), GP_EIO);
    gp_order_sort_finish(&sort);
}

/* Where there can be no temporary file. */
static void test_no_room(void **state)
{
    struct gp_order_sort sort = {0};
    struct gp_order_item item = {.at = 1};
    struct gp_error err = {0};

    (void)state;
    assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
    for (uint32_t i = 0; i < 3 * GP_ORDER_PART_ITEMS; i++) {
        gp_order_sort_add(&sort, &item);
    }
    assert_int_equal(gp_order_sort_next(&sort, &item, &err), GP_EIO);
    assert_non_null(strstr(err.text, "/nonexistent"));
    assert_int_equal(gp_order_sort_next(&sort, &item, NULL), GP_EIO);
    gp_order_sort_finish(&sort);
    assert_int_equal(unsetenv("TMPDIR"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_is_sorted),
        cmocka_unit_test(test_equal_times),
        cmocka_unit_test(test_edges_of_many),
        cmocka_unit_test(test_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
