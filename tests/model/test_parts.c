/* The model's parts by themselves: curves, event heap, slabs, hashes, remembered results, sharing.
 */
#include "test.h"

#include <string.h>

#include "core/device/model/heap.h"
#include "core/device/model/memory.h"
#include "core/device/model/share.h"
#include "core/device/model/slab.h"

static int64_t at(const struct gp_curve *curve, int64_t x)
{
    return gp_curve_at(curve, x * 65536) / 65536;
}

static void test_curve(void **state)
{
    static const struct gp_curve curve = {3, {10, 20, 40}, {100, 300, 200}};

    (void)state;
    assert_int_equal(at(&curve, 0), 100);
    assert_int_equal(at(&curve, 10), 100);
    assert_int_equal(at(&curve, 15), 200);
    assert_int_equal(at(&curve, 20), 300);
    assert_int_equal(at(&curve, 30), 250);
    assert_int_equal(at(&curve, 1000), 200);
}

/* By time, then by the order in which they were set; moved and removed ones too. */
static void test_heap(void **state)
{
    enum { NODES = 500 };
    static struct gp_heap_node nodes[NODES];
    static int64_t times[NODES];
    static uint64_t set_at[NODES];
    struct gp_heap heap = {0};
    uint64_t clock = 0;
    uint64_t random = 7;
    uint32_t left = 0;
    int64_t last_ns = -1;
    uint64_t last_set = 0;

    (void)state;
    assert_int_equal(gp_heap_reserve(&heap, NODES), 0);
    memset(nodes, 0, sizeof nodes);
    for (int i = 0; i < 20000; i++) {
        uint32_t n;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        n = (uint32_t)(random >> 33) % NODES;
        if ((random >> 60) == 0) {
            gp_heap_remove(&heap, &nodes[n]);
        } else {
            times[n] = (int64_t)(random >> 40) % 300;
            set_at[n] = clock++;
            gp_heap_set(&heap, &nodes[n], times[n]);
        }
    }
    for (uint32_t n = 0; n < NODES; n++) {
        left += nodes[n].slot != 0 ? 1 : 0;
    }
    while (gp_heap_first(&heap) != NULL) {
        struct gp_heap_node *node = gp_heap_first(&heap)->node;
        size_t n = (size_t)(node - nodes);

        assert_int_equal(gp_heap_first(&heap)->at_ns, times[n]);
        assert_true(times[n] > last_ns || (times[n] == last_ns && set_at[n] > last_set));
        last_ns = times[n];
        last_set = set_at[n];
        gp_heap_remove(&heap, node);
        assert_int_equal(node->slot, 0);
        left--;
    }
    assert_int_equal(left, 0);
    gp_heap_finish(&heap);
}

static void test_slab_uses_again(void **state)
{
    struct gp_slab slab;
    void *items[300];
    void *chunks;

    (void)state;
    gp_slab_init(&slab, 24);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 300; i++) {
            items[i] = gp_slab_take(&slab);
            assert_non_null(items[i]);
            assert_int_equal(((unsigned char *)items[i])[23], 0);
            memset(items[i], 0xff, 24);
        }
        if (round == 0) {
            chunks = slab.chunks;
        }
        assert_ptr_equal(slab.chunks, chunks);
        for (int i = 0; i < 300; i++) {
            gp_slab_give(&slab, items[i]);
        }
    }
    gp_slab_finish(&slab);
}

static void test_hash_sees_every_bit_and_place(void **state)
{
    enum { BYTES = 200 };
    static unsigned char data[BYTES];
    static struct gp_hash seen[BYTES * 8 + 1];
    size_t count = 1;

    (void)state;
    seen[0] = gp_hash_bytes(data, BYTES);
    for (size_t bit = 0; bit < sizeof data * 8; bit++) {
        data[bit / 8] = (unsigned char)(1 << bit % 8);
        seen[count++] = gp_hash_bytes(data, BYTES);
        data[bit / 8] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            assert_true(seen[i].lo != seen[j].lo && seen[i].hi != seen[j].hi);
        }
    }
    /* Lengths and swapped stripes count too. */
    assert_true(gp_hash_bytes(data, 64).lo != gp_hash_bytes(data, 128).lo);
    memset(data, 1, 64);
    seen[0] = gp_hash_bytes(data, 128);
    memset(data, 0, 64);
    memset(data + 64, 1, 64);
    seen[1] = gp_hash_bytes(data, 128);
    assert_true(seen[0].lo != seen[1].lo);
}

static void test_memo_forgets_the_oldest(void **state)
{
    enum { PART = 60 };
    static struct gp_memo memo = {.bytes_max = 256};
    const struct gp_hash keys[6] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}};

    (void)state;
    assert_null(gp_memo_add(&memo, keys[0], 129));
    for (int i = 0; i < 4; i++) {
        assert_non_null(gp_memo_add(&memo, keys[i], PART));
    }
    assert_non_null(gp_memo_find(&memo, keys[0]));
    assert_non_null(gp_memo_add(&memo, keys[4], PART));
    assert_null(gp_memo_find(&memo, keys[1]));
    assert_non_null(gp_memo_find(&memo, keys[0]));
    assert_null(gp_memo_find(&memo, keys[5]));
    assert_true(memo.bytes <= 256);
    gp_memo_finish(&memo);
}

static void test_memory_knows_its_ranges(void **state)
{
    struct gp_memory memory;
    struct gp_error err = {0};
    uint64_t a;
    uint64_t b;
    struct gp_allocation *allocation;
    struct gp_hash first;
    unsigned char *bytes;

    (void)state;
    gp_memory_init(&memory, 1 << 20);
    gp_assert_ok(gp_memory_add(&memory, 1000, false, &a, &err), err);
    gp_assert_ok(gp_memory_add(&memory, 5000, true, &b, &err), err);
    assert_int_equal(gp_memory_add(&memory, 1 << 20, false, &b, &err), GP_EDEVICEMEM);
    assert_int_equal(a % 256, 0);
    assert_non_null(gp_memory_find(&memory, a, 1000));
    assert_non_null(gp_memory_find(&memory, a + 999, 1));
    assert_null(gp_memory_find(&memory, a + 999, 2));
    assert_null(gp_memory_find(&memory, a - 1, 1));
    assert_null(gp_memory_find(&memory, a + 1, UINT64_MAX));

    allocation = gp_memory_find(&memory, a, 1);
    bytes = (unsigned char *)(uintptr_t)a;
    first = gp_memory_hash(allocation, a, 100);
    bytes[50] = 1; /* unseen, so the remembered hash is given */
    assert_true(gp_memory_hash(allocation, a, 100).lo == first.lo);
    gp_memory_touch(allocation, a + 100, 10); /* beside the range */
    assert_true(gp_memory_hash(allocation, a, 100).lo == first.lo);
    gp_memory_touch(allocation, a + 99, 10);
    assert_true(gp_memory_hash(allocation, a, 100).lo != first.lo);

    allocation = gp_memory_find(&memory, b, 1);
    bytes = (unsigned char *)(uintptr_t)b;
    first = gp_memory_hash(allocation, b, 100);
    bytes[50] = 1; /* the host may write pinned memory at any time */
    assert_true(gp_memory_hash(allocation, b, 100).lo != first.lo);

    assert_int_equal(gp_memory_remove(&memory, a + 1, false, &err), GP_EINVAL);
    assert_int_equal(gp_memory_remove(&memory, b, false, &err), GP_EINVAL);
    gp_assert_ok(gp_memory_remove(&memory, a, false, &err), err);
    assert_null(gp_memory_find(&memory, a, 1));
    gp_memory_finish(&memory);
}

static void parse(const char *name, struct gp_profile *profile)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_profile_parse(gp_profile_builtin(name), profile, &err), err);
}

/* Descriptors may hold anything; nothing overflows, and no speed is 0. */
static void test_extreme_work(void **state)
{
    static const uint64_t values[] = {0, 1, UINT64_C(1) << 40, UINT64_MAX};
    static struct gp_profile profile;

    (void)state;
    parse("h200", &profile);
    for (unsigned i = 0; i < 4 * 4 * 4 * 4; i++) {
        const struct gp_work work = {.issue = values[i & 3],
                                     .latency_cycles = values[i >> 2 & 3],
                                     .read_bytes = values[i >> 4 & 3],
                                     .spin_ns = values[i >> 6 & 3]};
        struct gp_block_cost cost;

        for (uint32_t warps = 1; warps <= 32; warps += 31) {
            struct gp_share_user users[2];
            struct gp_share_flow flow;
            int64_t cap_q16;

            gp_share_cost(&profile, &work, warps, &cost);
            assert_true(cost.time_q16 >= 0 && cost.pressure_q16 >= 0 && cost.spin_ns >= 0);
            users[0] = (struct gp_share_user){32 * cost.pressure_q16, cost.is_memory_bound, 0};
            users[1] = (struct gp_share_user){32 * cost.pressure_q16, false, 0};
            gp_share_sm(&profile, users, 2);
            assert_true(users[0].speed_q16 >= 1 && users[0].speed_q16 <= GP_ONE_Q16);
            assert_true(users[1].speed_q16 >= 1 && users[1].speed_q16 <= GP_ONE_Q16);
            flow = (struct gp_share_flow){4224 * cost.weight_q16, 4224 * cost.demand_q16, false};
            if (cost.weight_q16 > 0) {
                cap_q16 = gp_share_memory(&profile, &flow, 1);
                assert_true(cap_q16 >= 1);
                assert_true(gp_share_memory_speed(&cost, cap_q16) >= 1);
            }
        }
    }
}

/* What is given out is never more than there is, the older never gets less, and nobody is starved.
 */
static void test_slots_are_conserved(void **state)
{
    static struct gp_profile profile;
    uint64_t random = 3;

    (void)state;
    parse("h200", &profile);
    for (int i = 0; i < 5000; i++) {
        struct gp_share_user users[8];
        int64_t given = 0;
        int64_t wanted = 0;

        for (int u = 0; u < 8; u++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            users[u] = (struct gp_share_user){(int64_t)(random >> 44) % 100000, false, 0};
            wanted += users[u].pressure_q16;
        }
        gp_share_sm(&profile, users, 8);
        for (int u = 0; u < 8; u++) {
            given += users[u].pressure_q16 * users[u].speed_q16 / GP_ONE_Q16;
            assert_true(users[u].speed_q16 >= 1 && users[u].speed_q16 <= GP_ONE_Q16);
        }
        assert_true(given <= wanted && given <= GP_ONE_Q16 + 8);
    }
}

/* A flow that wants little gets it; the others share the rest by weight. */
static void test_memory_is_shared_fairly(void **state)
{
    static struct gp_profile profile;
    struct gp_share_flow flows[3] = {{132 * GP_ONE_Q16, 6600 * GP_ONE_Q16, false},
                                     {66 * GP_ONE_Q16, 3300 * GP_ONE_Q16, false},
                                     {66 * GP_ONE_Q16, 66 * GP_ONE_Q16, false}};
    int64_t cap_q16;

    (void)state;
    parse("h200", &profile);
    cap_q16 = gp_share_memory(&profile, flows, 3);
    assert_false(flows[0].is_satisfied);
    assert_false(flows[1].is_satisfied);
    assert_true(flows[2].is_satisfied);
    /* 198 blocks that pull, and 66 GB/s for the third, which stand for 1.32 blocks. */
    assert_in_range((cap_q16 * 198 + 66 * GP_ONE_Q16) / GP_ONE_Q16, 3890, 3910);
    flows[0].demand_q16 = flows[1].demand_q16 = GP_ONE_Q16;
    assert_true(gp_share_memory(&profile, flows, 3) == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_slab_uses_again),
        cmocka_unit_test(test_hash_sees_every_bit_and_place),
        cmocka_unit_test(test_memo_forgets_the_oldest),
        cmocka_unit_test(test_memory_knows_its_ranges),
        cmocka_unit_test(test_extreme_work),
        cmocka_unit_test(test_slots_are_conserved),
        cmocka_unit_test(test_memory_is_shared_fairly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
