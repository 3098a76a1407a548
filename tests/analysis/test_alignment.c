/* Two recorders of one run: the line, the matching and the figures on made rows. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "probe/analysis/alignment.h"
#include "probe/nvtx/ranges.h"

enum { OPS = 40 };

/* Their clock runs 10 ppm faster and 5 ms later, and their kernels seem 300 ns earlier. */
struct made {
    struct gp_op_row ours[OPS], theirs[OPS * 2];
    struct gp_range_row our_ranges[OPS + 1], their_ranges[OPS * 2 + 2];
    struct gp_alignment_side our_side, their_side;
};

static int64_t their_clock(int64_t at)
{
    return 5000000 + at + at / 100000;
}

static struct gp_range_row make_range(enum gp_range_level level, const char *text, int64_t begin,
                                      int64_t end)
{
    return (struct gp_range_row){.text = text,
                                 .begin = begin,
                                 .end = end,
                                 .domain = GP_RANGE_DOMAIN,
                                 .category = (int32_t)level + 1};
}

/* The run is theirs twice: first another one with the same operations, a second earlier. */
static void make(struct made *made)
{
    memset(made, 0, sizeof *made);
    for (size_t run = 0; run < 2; run++) {
        int64_t shift = run == 0 ? -1000000000 : 0;

        made->their_ranges[run * (OPS + 1)] = make_range(
            GP_RANGE_RUN, "traced run", their_clock(0) + shift, their_clock(10000000) + shift);
        for (size_t i = 0; i < OPS; i++) {
            int64_t at = (int64_t)i * 20000, begin = at + 100000;
            struct gp_op_row *op = &made->theirs[run * OPS + i];

            made->their_ranges[run * (OPS + 1) + 1 + i] =
                make_range(GP_RANGE_OP, i % 2 == 0 ? "even" : "odd", their_clock(at) + shift,
                           their_clock(at + 3000) + shift);
            op->kind = GP_OP_KERNEL;
            op->submit_begin = their_clock(at + 1000) + shift;
            op->submit_end = op->submit_begin + 500;
            op->begin = their_clock(begin) - 300 + shift;
            op->end = their_clock(begin + 30000) - 300 + shift;
        }
    }
    for (size_t i = 0; i < OPS; i++) {
        int64_t at = (int64_t)i * 20000, begin = at + 100000;

        made->our_ranges[i] = make_range(GP_RANGE_OP, i % 2 == 0 ? "even" : "odd", at, at + 3000);
        made->ours[i] = (struct gp_op_row){.kind = GP_OP_KERNEL,
                                           .submit_begin = at,
                                           .submit_end = at + 3000,
                                           .begin = begin,
                                           .end = begin + 30000,
                                           .begin_lo = begin - 400,
                                           .begin_hi = begin,
                                           .end_lo = begin + 30000,
                                           .end_hi = begin + 30000};
    }
    made->our_side = (struct gp_alignment_side){made->ours, made->our_ranges, OPS, OPS, 2000000000};
    made->their_side = (struct gp_alignment_side){made->theirs, made->their_ranges, OPS * 2,
                                                  OPS * 2 + 2, 1995000000};
}

static void test_a_line_is_found(void **state)
{
    static struct made made;
    struct gp_alignment alignment;
    struct gp_error err = {0};
    const struct gp_alignment_kind *kernels = &alignment.kinds[GP_OP_KERNEL];

    (void)state;
    make(&made);
    gp_assert_ok(gp_alignment_make(&made.our_side, &made.their_side, &alignment, &err), err);
    assert_int_equal(alignment.anchors, OPS * 2);
    assert_true(fabs(alignment.drift - 10e-6) < 1e-6);
    assert_true(fabs(alignment.offset_ns - 5000000) < 10); /* not the run a second earlier */
    assert_true(alignment.residual_ns < 5);
    assert_int_equal(kernels->matched, OPS);
    assert_int_equal(kernels->theirs, OPS);
    assert_true(fabs(kernels->begin.bias_ns - 300) < 5);
    assert_true(kernels->begin.spread_ns < 5);
    assert_true(fabs(kernels->duration.bias_ns) < 5);
    assert_true(fabs(kernels->inside - 0.5) < 0.01); /* the begins, not the ends */
    assert_int_equal(alignment.order_pairs, OPS - 1);
    assert_int_equal(alignment.order_same, OPS - 1);
    assert_int_equal(alignment.overlap_pairs, OPS - 1);
    assert_int_equal(alignment.overlap_same, OPS - 1);
}

/* One of theirs is elsewhere: order, overlap and spread say so. */
static void test_what_differs_is_said(void **state)
{
    static struct made made;
    struct gp_alignment alignment;
    struct gp_error err = {0};

    (void)state;
    make(&made);
    made.theirs[OPS + 10].begin += 60000;
    made.theirs[OPS + 10].end += 60000;
    gp_assert_ok(gp_alignment_make(&made.our_side, &made.their_side, &alignment, &err), err);
    assert_int_equal(alignment.order_same, alignment.order_pairs - 1);
    assert_true(alignment.overlap_same < alignment.overlap_pairs);
    assert_true(fabs(alignment.kinds[GP_OP_KERNEL].begin.bias_ns - 300) < 5);
}

/* A host that was interrupted in the middle of a range does not bend the line. */
static void test_interruptions_are_left_out(void **state)
{
    static struct made made;
    struct gp_alignment alignment;
    struct gp_error err = {0};

    (void)state;
    make(&made);
    made.our_ranges[3].end += 900000;
    made.our_ranges[30].end += 700000;
    gp_assert_ok(gp_alignment_make(&made.our_side, &made.their_side, &alignment, &err), err);
    assert_true(fabs(alignment.drift - 10e-6) < 1e-6);
}

static void test_other_operations_are_no_match(void **state)
{
    static struct made made;
    struct gp_alignment alignment;
    struct gp_error err = {0};

    (void)state;
    make(&made);
    made.our_ranges[5].text = "none of theirs";
    assert_int_equal(gp_alignment_make(&made.our_side, &made.their_side, &alignment, &err),
                     GP_ENOTFOUND);
    assert_non_null(strstr(err.text, "no NVTX range of a traced run"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_is_found),
        cmocka_unit_test(test_what_differs_is_said),
        cmocka_unit_test(test_interruptions_are_left_out),
        cmocka_unit_test(test_other_operations_are_no_match),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
