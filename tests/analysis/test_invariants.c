/* What must hold in every run: a run in which it does, and one violation planted at a time. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hand.h"
#include "probe/analysis/invariants.h"

enum { COPY_NS = 20000, KERNEL_NS = 30000, BYTES = 1 << 20, CHAINS = 4, BLOCKS = 64 };

static struct gp_access_row accesses[3 * CHAINS + 8];

static void use(struct hand *hand, uint32_t op, enum gp_access_mode mode, const char *buffer,
                int64_t offset, int64_t bytes)
{
    accesses[hand->data.access_count++] = (struct gp_access_row){op, mode, buffer, offset, bytes};
}

static uint32_t add_copy(struct hand *hand, enum gp_op_kind kind, uint32_t stream, int64_t begin)
{
    uint32_t op = hand_copy(hand, kind, stream, begin, begin + COPY_NS);

    hand->ops[op].bytes = BYTES;
    hand->ops[op].done = begin + COPY_NS + 1500;
    hand->ops[op].ref_begin = begin;
    hand->ops[op].ref_end = begin + COPY_NS;
    return op;
}

static struct gp_block_row blocks[CHAINS * BLOCKS];

/* Each on an SM of its own, all the kernel's time. */
static void add_blocks(struct hand *hand, uint32_t kernel)
{
    hand->data.blocks = blocks;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        blocks[hand->data.block_count++] = (struct gp_block_row){
            .begin = hand->ops[kernel].begin,
            .end = hand->ops[kernel].end,
            .op = kernel,
            .block = i,
            .sm = i,
        };
    }
}

static void submit(struct hand *hand, uint32_t op)
{
    hand->ops[op].submit_begin = (int64_t)op * 10;
    hand->ops[op].submit_end = (int64_t)op * 10 + 5;
}

/* Chains of copy, kernel, copy on two streams, all sound: chain i is operations 3i to 3i + 2. */
static void make_sound(struct hand *hand)
{
    static const char *const buffers[CHAINS] = {"a", "b", "a", "b"};

    hand_init(hand, 2);
    hand->data.accesses = accesses;
    hand->data.run.makespan_ns = 1000000;
    hand->data.run.verified = 1;
    hand->device.timer_tick_ns = 32;
    hand->data.facts.h2d_rate = hand->data.facts.d2h_rate = 55e9;
    for (uint32_t i = 0; i < CHAINS; i++) {
        int64_t at = 1000 + (int64_t)i * 100000;
        uint32_t in = add_copy(hand, GP_OP_H2D, i % 2, at);
        uint32_t kernel = hand_kernel(hand, i % 2, BLOCKS, at + COPY_NS, at + COPY_NS + KERNEL_NS);
        uint32_t out = add_copy(hand, GP_OP_D2H, i % 2, at + COPY_NS + KERNEL_NS);

        hand_edge(hand, in, kernel);
        hand_edge(hand, kernel, out);
        use(hand, in, GP_ACCESS_WRITE, buffers[i], 0, BYTES);
        use(hand, kernel, GP_ACCESS_READ_WRITE, buffers[i], 0, BYTES);
        use(hand, out, GP_ACCESS_READ, buffers[i], 0, BYTES);
        add_blocks(hand, kernel);
        submit(hand, in);
        submit(hand, kernel);
        submit(hand, out);
    }
}

static struct hand hand;

/* Exactly one violation, of this kind. */
static struct gp_violation only(enum gp_invariant what)
{
    struct gp_violations found;
    struct gp_violation first = {0};

    gp_invariants_check(&hand.data, &found);
    for (uint32_t i = 0; i < found.count; i++) {
        if (found.rows[i].what != what || found.count != 1) {
            print_error("%s: op %d other %d: %s\n", gp_invariant_name(found.rows[i].what),
                        (int)found.rows[i].op, (int)found.rows[i].other, found.rows[i].text);
        }
    }
    assert_int_equal(found.count, 1);
    assert_int_equal(found.rows[0].what, what);
    assert_int_equal(found.totals[what], 1);
    first = found.rows[0];
    gp_violations_finish(&found);
    return first;
}

static void expect_none(void)
{
    struct gp_violations found;

    gp_invariants_check(&hand.data, &found);
    assert_int_equal(found.count, 0);
    gp_violations_finish(&found);
}

static void test_a_sound_run_has_none(void **state)
{
    struct gp_violations found;

    (void)state;
    make_sound(&hand);
    gp_invariants_check(&hand.data, &found);
    assert_int_equal(found.count, 0);
    for (int i = 0; i < GP_INVARIANT_COUNT; i++) {
        assert_int_equal(found.totals[i], 0);
        assert_null(found.skipped[i]);
    }
    gp_violations_finish(&found);
}

static void test_wrong_data(void **state)
{
    (void)state;
    make_sound(&hand);
    hand.data.run.verified = 0;
    assert_int_equal(only(GP_INVARIANT_DATA).op, GP_NO_OP);
}

static void test_a_time_outside_its_interval(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    hand.ops[4].begin_lo = hand.ops[4].begin + 7;
    found = only(GP_INVARIANT_INTERVAL);
    assert_int_equal(found.op, 4);
    assert_int_equal(found.by_ns, 7);
    assert_string_equal(found.text, "its begin lies before the interval of it");
}

static void test_stamps_that_go_backwards(void **state)
{
    (void)state;
    make_sound(&hand);
    hand.ops[1].stamp_begin = 500;
    hand.ops[1].stamp_end = 400;
    assert_string_equal(only(GP_INVARIANT_INTERVAL).text, "its last stamp is before its first");
}

static void test_an_end_behind_the_run(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    hand.data.run.makespan_ns = hand.ops[11].end_lo - 5000;
    found = only(GP_INVARIANT_INSIDE_RUN);
    assert_int_equal(found.op, 11);
    assert_int_equal(found.by_ns, 5000);
}

static void test_a_begin_before_the_submission(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    hand.ops[11].submit_begin = hand.ops[11].begin_hi + 400;
    hand.ops[11].submit_end = hand.ops[11].submit_begin + 5;
    found = only(GP_INVARIANT_SUBMITTED);
    assert_int_equal(found.op, 11);
    assert_int_equal(found.by_ns, 400);
}

/* An event edge from chain 3, here on a stream of its own, to chain 0, which time does not keep. */
static void test_a_begin_before_a_dependency(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    hand.streams[2] = (struct gp_stream_row){.id = 2};
    hand.data.stream_count = 3;
    hand_edge(&hand, 9, 2);
    for (uint32_t i = 0; i < hand.data.edge_count; i++) {
        hand.edges[i].how =
            hand.edges[i].from == 9 && hand.edges[i].to == 2 ? GP_HOW_EVENT : hand.edges[i].how;
    }
    hand.ops[9].submit_begin = hand.ops[9].submit_end = 15;
    hand.ops[9].stream = 2;
    hand.ops[10].stream = hand.ops[11].stream = 2;
    for (uint32_t i = 0; i < hand.data.access_count; i++) {
        accesses[i].buffer = accesses[i].op >= 9 ? "c" : accesses[i].buffer;
    }
    found = only(GP_INVARIANT_DEPENDENCY);
    assert_int_equal(found.op, 2);
    assert_int_equal(found.other, 9);
    assert_int_equal(found.by_ns, hand.ops[9].end - hand.ops[2].begin);
}

/* The last copy of chain 0 is long, and chain 2 begins on its stream meanwhile. */
static void test_a_stream_that_runs_two_at_once(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    hand.ops[2].end = hand.ops[2].end_lo = hand.ops[2].end_hi = hand.ops[6].begin + 600;
    hand.ops[2].engine = -1;
    found = only(GP_INVARIANT_STREAM_ORDER);
    assert_int_equal(found.op, 6);
    assert_int_equal(found.other, 2);
    assert_int_equal(found.by_ns, 600);
}

static void test_an_engine_that_makes_two_copies_at_once(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    hand.ops[3].begin = hand.ops[3].begin_lo = hand.ops[3].begin_hi = hand.ops[0].end - 900;
    found = only(GP_INVARIANT_ENGINE);
    assert_int_equal(found.op, 3);
    assert_int_equal(found.other, 0);
    assert_int_equal(found.by_ns, 900);
}

static void test_an_interval_that_allows_it_is_none(void **state)
{
    struct gp_violations found;

    (void)state;
    make_sound(&hand);
    hand.ops[3].begin = hand.ops[3].begin_lo = hand.ops[0].end - 900;
    gp_invariants_check(&hand.data, &found);
    assert_int_equal(found.count, 0);
    gp_violations_finish(&found);
}

static void test_end_events_closer_than_the_bytes_need(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    hand.ops[3].done = hand.ops[0].done + 9000;
    hand.ops[3].ready = GP_UNKNOWN;
    found = only(GP_INVARIANT_ENGINE_RATE);
    assert_int_equal(found.op, 3);
    /* 1 MiB at 1.1 × 55 GB/s is 17 331 ns; 2 000 ns are allowed for the events. */
    assert_int_equal(found.by_ns, 17331 - 11000);
}

static void test_reference_times_that_overlap(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    hand.ops[3].ref_begin = hand.ops[0].ref_end - 2500;
    found = only(GP_INVARIANT_REFERENCE);
    assert_int_equal(found.op, 3);
    assert_int_equal(found.by_ns, 2500);
    hand.ops[3].ref_begin = hand.ops[0].ref_end - 1500;
    make_sound(&hand);
}

static void test_more_grids_than_fit(void **state)
{
    struct gp_violation found;

    (void)state;
    hand_init(&hand, 40);
    hand.data.run.makespan_ns = 1000;
    hand.data.run.verified = 1;
    hand.device.compute_major = 6;
    hand.device.compute_minor = 1;
    for (uint32_t i = 0; i < 33; i++) {
        uint32_t op = hand_kernel(&hand, i, 1, 100 + i, 900);

        submit(&hand, op);
        hand.ops[op].submit_begin = hand.ops[op].submit_end = 0;
    }
    found = only(GP_INVARIANT_RESIDENT);
    assert_int_equal(found.op, 32);
    hand.data.facts.grids_resident = 33;
    expect_none();
}

/* Chain 1 uses the bytes of chain 0, on another stream, and no event is between them. */
static void test_the_same_bytes_in_no_order(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    for (uint32_t i = 0; i < hand.data.access_count; i++) {
        if (accesses[i].op >= 3 && accesses[i].op < 6) {
            accesses[i].buffer = "mine";
        }
    }
    use(&hand, 1, GP_ACCESS_WRITE, "shared", 0, 128);
    use(&hand, 4, GP_ACCESS_READ, "shared", 64, 128);
    found = only(GP_INVARIANT_HAZARD);
    assert_int_equal(found.op, 4);
    assert_int_equal(found.other, 1);
    assert_string_equal(found.buffer, "shared");
    assert_int_equal(found.offset, 64);
    assert_int_equal(found.bytes, 64);
    hand_edge(&hand, 1, 4);
    for (uint32_t i = 0; i < hand.data.edge_count; i++) {
        if (hand.edges[i].from == 1 && hand.edges[i].to == 4) {
            hand.edges[i].how = GP_HOW_EVENT;
        }
    }
    expect_none();
}

/* An edge that is said to be implied, and is not. */
static void test_an_edge_that_nothing_keeps(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    hand_edge(&hand, 2, 5);
    for (uint32_t i = 0; i < hand.data.edge_count; i++) {
        if (hand.edges[i].from == 2 && hand.edges[i].to == 5) {
            hand.edges[i].how = GP_HOW_ELIDED;
        }
    }
    found = only(GP_INVARIANT_HAZARD);
    assert_int_equal(found.op, 5);
    assert_int_equal(found.other, 2);
    assert_null(found.buffer);
}

/* Blocking streams and the NULL stream wait for each other; a non-blocking one does not. */
static void test_the_null_stream_orders_blocking_streams(void **state)
{
    struct gp_violations found;

    (void)state;
    make_sound(&hand);
    use(&hand, 1, GP_ACCESS_WRITE, "shared", 0, 128);
    use(&hand, 4, GP_ACCESS_READ, "shared", 0, 128);
    hand.streams[0].flag = GP_STREAM_NULL;
    hand.streams[1].flag = GP_STREAM_BLOCKING;
    gp_invariants_check(&hand.data, &found);
    assert_int_equal(found.count, 0);
    gp_violations_finish(&found);
    hand.streams[1].flag = GP_STREAM_NON_BLOCKING;
    (void)only(GP_INVARIANT_HAZARD);
}

static void test_what_cannot_be_told_is_said(void **state)
{
    struct gp_violations found;

    (void)state;
    make_sound(&hand);
    hand.edges[0].how = GP_HOW_MISSING;
    for (uint32_t i = 0; i < hand.data.op_count; i++) {
        hand.ops[i].submit_begin = hand.ops[i].submit_end = GP_UNKNOWN;
    }
    gp_invariants_check(&hand.data, &found);
    assert_int_equal(found.totals[GP_INVARIANT_HAZARD], 1);
    assert_non_null(found.skipped[GP_INVARIANT_HAZARD]);
    assert_non_null(found.skipped[GP_INVARIANT_SUBMITTED]);
    assert_non_null(found.skipped[GP_INVARIANT_STREAM_ORDER]);
    gp_violations_finish(&found);
    hand.device.kind = GP_ORIGIN_IMPORTED;
    gp_invariants_check(&hand.data, &found);
    assert_int_equal(found.count, 0);
    assert_non_null(strstr(found.skipped[GP_INVARIANT_HAZARD], "imported"));
    gp_violations_finish(&found);
}

static void test_many_are_counted_and_some_kept(void **state)
{
    struct gp_violations found;

    (void)state;
    hand_init(&hand, 1);
    hand.data.run.makespan_ns = 10;
    hand.data.run.verified = 1;
    for (uint32_t i = 0; i < 150; i++) {
        submit(&hand, hand_op(&hand, GP_OP_MEMSET, 0, 5000 + i, 5000 + i));
    }
    gp_invariants_check(&hand.data, &found);
    assert_int_equal(found.totals[GP_INVARIANT_INSIDE_RUN], 150);
    assert_int_equal(found.count, GP_VIOLATIONS_KEPT_MAX);
    gp_violations_finish(&found);
}

/* One block of kernel 4, which is block BLOCKS + 3 of the run, is wrong. */
static void expect_block(int64_t by_ns, const char *text)
{
    struct gp_violation found = only(GP_INVARIANT_BLOCK);

    assert_int_equal(found.op, 4);
    assert_int_equal(found.block, 3 + 1);
    assert_int_equal(found.by_ns, by_ns);
    assert_string_equal(found.text, text);
}

static void test_a_block_outside_its_kernel(void **state)
{
    struct gp_block_row *block = &blocks[BLOCKS + 3];

    (void)state;
    make_sound(&hand);
    block->begin = hand.ops[4].begin_lo - 32; /* the timer's tick */
    block->end = hand.ops[4].end_hi + 32;
    block->begin--;
    expect_block(33, "a block of it begins before it does");
    block->begin++;
    block->end++;
    expect_block(33, "a block of it ends after it does");
    make_sound(&hand);
    block->end = block->begin - 1;
    expect_block(1, "a block of it ends before it begins");
}

static void test_a_block_on_no_sm(void **state)
{
    (void)state;
    make_sound(&hand);
    blocks[BLOCKS + 3].sm = 132;
    expect_block(GP_UNKNOWN, "a block of it ran on an SM that there is not");
}

static void test_blocks_that_are_not_the_grid(void **state)
{
    struct gp_violation found;

    (void)state;
    make_sound(&hand);
    blocks[BLOCKS + 3].block = 2;
    found = only(GP_INVARIANT_BLOCK);
    assert_int_equal(found.block, 2 + 1);
    assert_string_equal(found.text, "two blocks of it have the same number");
    make_sound(&hand);
    hand.ops[10].grid[0] = BLOCKS - 1;
    found = only(GP_INVARIANT_BLOCK);
    assert_int_equal(found.op, 10);
    assert_int_equal(found.block, BLOCKS);
    assert_string_equal(found.text, "a block is none of its grid");
    hand.ops[10].grid[0] = BLOCKS + 1;
    found = only(GP_INVARIANT_BLOCK);
    assert_int_equal(found.op, 10);
    assert_int_equal(found.block, 0);
}

/* Two blocks of 1 024 threads fit on an SM; of another kernel's too. */
static void test_an_sm_that_is_too_full(void **state)
{
    struct gp_violation found;
    struct gp_block_row *last = &blocks[CHAINS * BLOCKS - 1];

    (void)state;
    make_sound(&hand);
    last->sm = 0;
    last[-1].end = last[-1].begin + 10000;
    last[-1].sm = 0;
    last->begin = last[-1].end - 32; /* begins as the other ends, to the tick */
    assert_int_equal(hand.data.block_count, CHAINS * BLOCKS);
    expect_none();
    last->begin--;
    found = only(GP_INVARIANT_BLOCK_ROOM);
    assert_int_equal(found.op, 10);
    assert_int_equal(found.block, BLOCKS);
}

/* Where the registers that a block takes are ours, they limit as well. */
static void test_an_sm_without_registers(void **state)
{
    (void)state;
    make_sound(&hand);
    blocks[BLOCKS + 3].sm = 4;
    hand.ops[4].regs = 64;
    hand.device.image = "ptx";
    expect_none();
    hand.device.image = "fatbin";
    assert_int_equal(only(GP_INVARIANT_BLOCK_ROOM).op, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sound_run_has_none),
        cmocka_unit_test(test_a_block_outside_its_kernel),
        cmocka_unit_test(test_a_block_on_no_sm),
        cmocka_unit_test(test_blocks_that_are_not_the_grid),
        cmocka_unit_test(test_an_sm_that_is_too_full),
        cmocka_unit_test(test_an_sm_without_registers),
        cmocka_unit_test(test_wrong_data),
        cmocka_unit_test(test_a_time_outside_its_interval),
        cmocka_unit_test(test_stamps_that_go_backwards),
        cmocka_unit_test(test_an_end_behind_the_run),
        cmocka_unit_test(test_a_begin_before_the_submission),
        cmocka_unit_test(test_a_begin_before_a_dependency),
        cmocka_unit_test(test_a_stream_that_runs_two_at_once),
        cmocka_unit_test(test_an_engine_that_makes_two_copies_at_once),
        cmocka_unit_test(test_an_interval_that_allows_it_is_none),
        cmocka_unit_test(test_end_events_closer_than_the_bytes_need),
        cmocka_unit_test(test_reference_times_that_overlap),
        cmocka_unit_test(test_more_grids_than_fit),
        cmocka_unit_test(test_the_same_bytes_in_no_order),
        cmocka_unit_test(test_an_edge_that_nothing_keeps),
        cmocka_unit_test(test_the_null_stream_orders_blocking_streams),
        cmocka_unit_test(test_what_cannot_be_told_is_said),
        cmocka_unit_test(test_many_are_counted_and_some_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
