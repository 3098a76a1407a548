/*
 * The model with the H200 profile against what was measured on H200s of kernels beside one another:
 * issue slots and memory. Within 3 %.
 */
#include "rig.h"

#include "kernels/kernels.h"

enum { NEAR = 30 }; /* permille */

/* The triad's traffic with 228 µs on 132 blocks of 512 threads. */
enum { TRIAD_COUNT = 66712000 };

struct sharing {
    struct rig rig;
    gp_addr data;
};

static void open_sharing(struct sharing *sharing)
{
    struct gp_error err = {0};

    rig_open(&sharing->rig, "model:h200", 8, 2);
    gp_device_set_execute(sharing->rig.device, false);
    gp_assert_ok(gp_device_mem_alloc(sharing->rig.device, UINT64_C(1) << 30, &sharing->data, &err),
                 err);
}

static uint32_t launch(struct sharing *sharing, uint32_t stream, struct gp_launch *launch)
{
    struct rig *rig = &sharing->rig;
    uint32_t slot = rig->stamp_count++;
    struct gp_error err = {0};

    launch->stamp = rig->stamps_address + slot * sizeof(struct gp_stamp);
    rig->stamps[slot] = (struct gp_stamp){UINT64_MAX, 0};
    gp_assert_ok(gp_stream_launch(rig->streams[stream], launch, &err), err);
    return slot;
}

static uint32_t triad(struct sharing *sharing, uint32_t stream, uint32_t blocks)
{
    const uint32_t count = TRIAD_COUNT;
    const float s = 2;
    const void *const args[] = {&sharing->data, &sharing->data, &sharing->data, &count, &s};
    struct gp_launch what = {
        .kernel = &gp_kernel_triad, .grid = {blocks, 1, 1}, .block = {512, 1, 1}, .args = args};

    return launch(sharing, stream, &what);
}

/* The FMA kernel of the measurements: blocks of 256 threads, 4.55 cycles an iteration when alone,
 * and by what eight blocks on an SM took, 1.265, 2.413 and 4.413 issue slots an iteration for 1, 2
 * and 4 chains. */
static uint32_t multiply_add(struct sharing *sharing, uint32_t stream, uint32_t blocks,
                             uint32_t chains, uint64_t iterations)
{
    static const uint64_t slots_milli[] = {0, 1265, 2413, 0, 4413};
    const struct gp_work work = {.issue = 8 * iterations * slots_milli[chains] / 1000,
                                 .latency_cycles = iterations * 455 / 100};
    struct rig *rig = &sharing->rig;

    return rig_launch(rig, rig->streams[stream], blocks, 256, &work);
}

static double took_us(struct sharing *sharing, uint32_t slot)
{
    return (double)(rig_end(&sharing->rig, slot) - rig_begin(&sharing->rig, slot)) / 1000;
}

static void test_triad_by_blocks(void **state)
{
    static const struct {
        uint32_t blocks;
        double rate;
    } cases[] = {{1, 50},    {2, 100},   {4, 197},    {8, 386},    {16, 742},
                 {32, 1345}, {64, 2383}, {128, 3492}, {132, 3511}, {264, 4284}};
    struct sharing sharing;

    (void)state;
    open_sharing(&sharing);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint32_t slot = triad(&sharing, 0, cases[c].blocks);

        rig_sync(&sharing.rig);
        rig_assert_near(TRIAD_COUNT * 12.0 / 1000 / took_us(&sharing, slot), cases[c].rate, NEAR);
    }
    rig_close(&sharing.rig);
}

static void test_two_triads(void **state)
{
    static const struct {
        uint32_t blocks;
        double us;
    } cases[] = {{132, 376}, {66, 455}, {33, 655}};
    struct sharing sharing;

    (void)state;
    open_sharing(&sharing);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint32_t slots[2];

        for (uint32_t i = 0; i < 2; i++) {
            slots[i] = triad(&sharing, i, cases[c].blocks);
        }
        rig_sync(&sharing.rig);
        for (uint32_t i = 0; i < 2; i++) {
            rig_assert_near(took_us(&sharing, slots[i]), cases[c].us, NEAR);
        }
    }
    rig_close(&sharing.rig);
}

static void test_triad_beside_fma(void **state)
{
    static const struct {
        uint32_t chains;
        double us;
    } cases[] = {{1, 234}, {2, 640}, {4, 798}};
    struct sharing sharing;

    (void)state;
    open_sharing(&sharing);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint32_t alone = multiply_add(&sharing, 0, 264, cases[c].chains, 400000);
        uint32_t beside;
        uint32_t slot;

        rig_sync(&sharing.rig);
        beside = multiply_add(&sharing, 0, 264, cases[c].chains, 400000);
        slot = triad(&sharing, 1, 132);
        rig_sync(&sharing.rig);
        rig_assert_near(took_us(&sharing, slot), cases[c].us, NEAR);
        rig_assert_near(took_us(&sharing, beside), took_us(&sharing, alone), 1);
    }
    rig_close(&sharing.rig);
}

static void test_fma_by_blocks(void **state)
{
    static const struct {
        uint32_t chains;
        double us[4];
    } cases[] = {{1, {46, 55, 107, 205}}, {2, {55, 103, 199, 391}}, {4, {92, 185, 361, 715}}};
    struct sharing sharing;

    (void)state;
    open_sharing(&sharing);
    for (size_t c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t slot = multiply_add(&sharing, 0, 132U << i, cases[c].chains, 20000);

            rig_sync(&sharing.rig);
            rig_assert_near(took_us(&sharing, slot), cases[c].us[i], NEAR);
        }
    }
    rig_close(&sharing.rig);
}

static void test_older_wins(void **state)
{
    struct sharing sharing;
    uint32_t older;
    uint32_t younger;

    (void)state;
    open_sharing(&sharing);
    older = multiply_add(&sharing, 0, 4 * 132, 4, 20000);
    younger = multiply_add(&sharing, 1, 4 * 132, 4, 20000);
    rig_sync(&sharing.rig);
    rig_assert_near(took_us(&sharing, older), 510, NEAR);
    rig_assert_near(took_us(&sharing, younger), 717, NEAR);
    rig_close(&sharing.rig);
}

/* Two kernels of half the SMs each run beside one another like one: 122.6 µs against 115.7. */
static void test_small_kernels_spread(void **state)
{
    struct sharing sharing;
    uint32_t first;
    uint32_t second;

    (void)state;
    open_sharing(&sharing);
    first = multiply_add(&sharing, 0, 132, 1, 50230);
    rig_sync(&sharing.rig);
    rig_assert_near(took_us(&sharing, first), 115.7, 2);
    first = multiply_add(&sharing, 0, 66, 1, 50230);
    second = multiply_add(&sharing, 1, 66, 1, 50230);
    rig_sync(&sharing.rig);
    rig_assert_near(rig_end(&sharing.rig, second) - rig_begin(&sharing.rig, first), 122.6 * 1000,
                    NEAR);
    rig_close(&sharing.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triad_by_blocks),  cmocka_unit_test(test_two_triads),
        cmocka_unit_test(test_triad_beside_fma), cmocka_unit_test(test_fma_by_blocks),
        cmocka_unit_test(test_older_wins),       cmocka_unit_test(test_small_kernels_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
