/* What allocating and freeing cost, as measured on an H200, and when they wait. */
#include "rig.h"

enum { ROW_MAX = 64 };

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

static const int64_t us = 1000;

/* What a call took, of the host's clock. */
static int64_t take_ns(struct rig *rig, uint64_t bytes, gp_addr *out)
{
    int64_t begin_ns = gp_device_clock_ns(rig->device);
    struct gp_error err = {0};

    gp_assert_ok(gp_device_mem_alloc(rig->device, bytes, out, &err), err);
    return gp_device_clock_ns(rig->device) - begin_ns;
}

static int64_t give_ns(struct rig *rig, gp_addr address)
{
    int64_t begin_ns = gp_device_clock_ns(rig->device);
    struct gp_error err = {0};

    gp_assert_ok(gp_device_mem_free(rig->device, address, &err), err);
    return gp_device_clock_ns(rig->device) - begin_ns;
}

/* How many of a row's calls took at least 20 us. */
static uint32_t count_dear(struct rig *rig, uint64_t bytes, uint32_t count, uint32_t *frees)
{
    gp_addr row[ROW_MAX];
    uint32_t dear = 0;

    assert_true(count <= ROW_MAX);
    *frees = 0;
    for (uint32_t i = 0; i < count; i++) {
        dear += take_ns(rig, bytes, &row[i]) >= 20 * us ? 1 : 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        *frees += give_ns(rig, row[i]) >= 20 * us ? 1 : 0;
    }
    return dear;
}

/* Small memory beside other small memory costs a microsecond; a chunk more, or less, some thirty.
 */
static void test_chunks(void **state)
{
    const uint64_t sizes[] = {4 * KIB, 64 * KIB, MIB, 3 * MIB / 2};
    gp_addr address = 0;
    uint32_t frees;
    struct rig rig;

    (void)state;
    rig_open(&rig, "model:h200", 8, 1);
    (void)take_ns(&rig, 64 * KIB, &address);
    for (int i = 0; i < 4; i++) {
        gp_addr other = 0;

        (void)take_ns(&rig, sizes[i], &other);
        assert_in_range(take_ns(&rig, 4, &address), 1000, 1300);
        assert_in_range(give_ns(&rig, address), 1000, 1300);
        (void)give_ns(&rig, other);
    }
    /* Each of 2 MiB and more; every second of 1 MiB; every 32nd of 64 KiB. */
    assert_int_equal(count_dear(&rig, 2 * MIB, 12, &frees), 12);
    assert_int_equal(frees, 12);
    assert_int_equal(count_dear(&rig, 4 * MIB, 8, &frees), 8);
    assert_int_equal(count_dear(&rig, MIB, 12, &frees), 6);
    assert_int_equal(frees, 6);
    assert_int_equal(count_dear(&rig, 64 * KIB, 64, &frees), 2);
    assert_int_equal(frees, 2);
    rig_close(&rig);
}

/* A kernel of 5 ms runs: allocating does not wait for it, freeing does. */
static void test_freeing_waits(void **state)
{
    gp_addr address = 0;
    struct rig rig;

    (void)state;
    rig_open(&rig, "model:h200", 8, 1);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, UINT64_C(5000000));
    assert_true(take_ns(&rig, MIB, &address) < 100 * us);
    assert_in_range(give_ns(&rig, address), 4800 * us, 5100 * us);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_freeing_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
