/* Room on the SMs of an H200, by hand. */
#include "test.h"

#include "analysis/hand.h"
#include "probe/analysis/residency.h"

static struct hand hand;

static void test_device(void **state)
{
    struct gp_resources all;

    (void)state;
    hand_init(&hand, 1);
    assert_true(gp_residency_device(&hand.device, &all));
    assert_int_equal(all.warps, 132 * 64);
    assert_int_equal(all.blocks, 132 * 32);
    assert_int_equal(all.registers, 132 * 65536);
    hand.device.sm_count = GP_UNKNOWN;
    assert_false(gp_residency_device(&hand.device, &all));
}

/* 256 threads of 64 registers: four blocks an SM. */
static void test_kernel(void **state)
{
    struct gp_residency residency;
    uint32_t op;

    (void)state;
    hand_init(&hand, 1);
    op = hand_kernel(&hand, 0, 100, 0, 10);
    hand.ops[op].block[0] = 256;
    hand.ops[op].regs = 64;
    gp_residency_of(&hand.device, &hand.ops[op], &residency);
    assert_int_equal(residency.room, 4 * 132);
    assert_int_equal(residency.blocks, 100);
    assert_int_equal(residency.block.warps, 8);
    assert_int_equal(residency.block.registers, 256 * 64);
    hand.ops[op].block[0] = 2048;
    gp_residency_of(&hand.device, &hand.ops[op], &residency);
    assert_int_equal(residency.room, 0);
}

/* 600 blocks where 264 fit: three waves, the last of 72. */
static void test_waves(void **state)
{
    struct gp_residency residency;
    int64_t full;
    int64_t blocks[2];
    uint32_t op;

    (void)state;
    hand_init(&hand, 1);
    op = hand_kernel(&hand, 0, 600, 1000, 1300);
    gp_residency_of(&hand.device, &hand.ops[op], &residency);
    gp_residency_waves(&residency, &hand.ops[op], &full, blocks);
    assert_int_equal(full, 1200);
    assert_int_equal(blocks[0], 264);
    assert_int_equal(blocks[1], 72);
    hand.ops[op].grid[0] = 264;
    gp_residency_of(&hand.device, &hand.ops[op], &residency);
    gp_residency_waves(&residency, &hand.ops[op], &full, blocks);
    assert_int_equal(full, 1000);
    assert_int_equal(blocks[1], 264);
}

/* Shapes that are kept say the same as those worked out, whichever came before. */
static void test_kept_shapes(void **state)
{
    struct gp_residencies residencies = {.device = &hand.device};

    (void)state;
    hand_init(&hand, 1);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t op = hand_kernel(&hand, 0, 1 + i, 0, 10);

        hand.ops[op].kind = i % 5 == 0 ? GP_OP_MEMSET : GP_OP_KERNEL;
        hand.ops[op].block[0] = 32 * (1 + i % 40);
        hand.ops[op].regs = (int32_t)(16 + i * 7 % 200);
        hand.ops[op].smem = (int32_t)(i * 977 % 100000);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        const struct gp_op_row *op = &hand.ops[i * 37 % 200];
        struct gp_residency expected, got;

        gp_residency_of(&hand.device, op, &expected);
        gp_residencies_of(&residencies, op, &got);
        assert_int_equal(got.room, expected.room);
        assert_int_equal(got.blocks, expected.blocks);
        assert_int_equal(got.block.warps, expected.block.warps);
        assert_int_equal(got.block.registers, expected.block.registers);
        assert_int_equal(got.block.shared_bytes, expected.block.shared_bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_kept_shapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
