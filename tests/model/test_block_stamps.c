/* What the model's blocks say of themselves: when each ran and on which SM, against the rules of
 * placement and against the stamps of the whole kernel. */
#include "rig.h"

#include <string.h>

enum { SMS = 4, ROOM = 2, THREADS = 1024, BLOCKS = 20, SPIN_NS = 10000, SPREAD_NS = 3000 };

/* Four SMs, handed out from the last; two blocks of 1 024 threads fit on each. */
static const char *const four_sms[] = {"sm_count 4", "sm_order 3,2,1,0", "timer_tick_ns 1", NULL};

struct fixture {
    struct rig rig;
    struct gp_block_stamp *stamps; /* BLOCKS + 1 */
    gp_addr slot;
};

static void open_fixture(struct fixture *f, const char *const *changes)
{
    const size_t bytes = (BLOCKS + 1) * sizeof(struct gp_block_stamp);
    struct gp_error err = {0};

    rig_open_changed(&f->rig, "h200", true, changes, 8, 2);
    gp_assert_ok(gp_device_mem_alloc(f->rig.device, bytes, &f->slot, &err), err);
    f->stamps = (struct gp_block_stamp *)(uintptr_t)f->slot;
    memset(f->stamps, 0xff, bytes);
}

static void run(struct fixture *f, uint32_t blocks, const struct gp_work *work)
{
    rig_launch_into(f->rig.streams[0], blocks, THREADS, work, f->slot + GP_STAMP_BLOCKS);
    rig_sync(&f->rig);
}

/* The first on each SM in the profile's order, then the second on each; then as they become free.
 */
static void test_blocks_are_placed_in_order_and_waves(void **state)
{
    const struct gp_work work = {.spin_ns = SPIN_NS};
    struct fixture f;

    (void)state;
    open_fixture(&f, four_sms);
    run(&f, BLOCKS, &work);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        const struct gp_block_stamp *stamp = &f.stamps[i];
        int64_t wave = i / (SMS * ROOM);

        assert_int_equal(stamp->end - stamp->begin, SPIN_NS);
        assert_int_equal(stamp->begin - f.stamps[0].begin, wave * SPIN_NS);
        assert_int_equal(stamp->sm, SMS - 1 - i % SMS);
    }
    assert_int_equal(f.stamps[BLOCKS].begin, UINT64_MAX);
    rig_close(&f.rig);
}

/* Each takes what its own index says, as the kernels that spread compute it. */
static void test_uneven_blocks_have_their_own_times(void **state)
{
    const struct gp_work work = {.spin_ns = SPIN_NS, .spread_ns = SPREAD_NS};
    struct fixture f;

    (void)state;
    open_fixture(&f, four_sms);
    run(&f, BLOCKS, &work);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        const struct gp_block_stamp *stamp = &f.stamps[i];
        uint32_t beside = 0;

        assert_int_equal(stamp->end - stamp->begin, SPIN_NS + gp_work_spread_ns(i, SPREAD_NS));
        for (uint32_t k = 0; k < BLOCKS; k++) {
            beside += f.stamps[k].sm == stamp->sm && f.stamps[k].begin <= stamp->begin &&
                      stamp->begin < f.stamps[k].end;
        }
        assert_in_range(beside, 1, ROOM);
    }
    rig_close(&f.rig);
}

/* The same kernel stamped as a whole begins with its first block and ends with its last. */
static void test_blocks_agree_with_the_whole(void **state)
{
    const struct gp_work work = {.spin_ns = SPIN_NS, .spread_ns = SPREAD_NS};
    uint64_t begin = UINT64_MAX, end = 0;
    struct fixture f;
    uint32_t slot;

    (void)state;
    open_fixture(&f, four_sms);
    run(&f, BLOCKS, &work);
    slot = rig_launch(&f.rig, f.rig.streams[0], BLOCKS, THREADS, &work);
    rig_sync(&f.rig);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        begin = f.stamps[i].begin < begin ? f.stamps[i].begin : begin;
        end = f.stamps[i].end > end ? f.stamps[i].end : end;
    }
    assert_int_equal(end - begin, rig_end(&f.rig, slot) - rig_begin(&f.rig, slot));
    rig_close(&f.rig);
}

static void test_times_are_whole_ticks(void **state)
{
    static const char *const changes[] = {"sm_count 4", "sm_order 3,2,1,0", "timer_tick_ns 32",
                                          NULL};
    const struct gp_work work = {.spin_ns = SPIN_NS, .spread_ns = SPREAD_NS};
    struct fixture f;

    (void)state;
    open_fixture(&f, changes);
    run(&f, BLOCKS, &work);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        assert_int_equal(f.stamps[i].begin % 32, 0);
        assert_int_equal(f.stamps[i].end % 32, 0);
    }
    rig_close(&f.rig);
}

/* A slot with room for one block less than the grid has is a fault, and nothing is written. */
static void test_a_slot_that_is_too_small_is_a_fault(void **state)
{
    const struct gp_work work = {.spin_ns = SPIN_NS};
    struct gp_error err = {0};
    struct fixture f;

    (void)state;
    open_fixture(&f, four_sms);
    rig_launch_into(f.rig.streams[0], BLOCKS + 2, THREADS, &work, f.slot + GP_STAMP_BLOCKS);
    assert_int_equal(gp_stream_sync(f.rig.streams[0], &err), GP_EFAULT);
    assert_int_equal(f.stamps[0].begin, UINT64_MAX);
    rig_close(&f.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_are_placed_in_order_and_waves),
        cmocka_unit_test(test_uneven_blocks_have_their_own_times),
        cmocka_unit_test(test_blocks_agree_with_the_whole),
        cmocka_unit_test(test_times_are_whole_ticks),
        cmocka_unit_test(test_a_slot_that_is_too_small_is_a_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
