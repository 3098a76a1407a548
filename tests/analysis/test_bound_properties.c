/* No run that could have been is faster than its bounds: random work on a simple device. */
#include "test.h"

#include "analysis/hand.h"
#include "core/random.h"
#include "probe/analysis/bounds.h"

enum { ROUNDS = 200, RUNS = 3, STREAMS = 4, SHAPES = 100 };

static struct hand hand;

static int64_t below(struct gp_random *random, uint32_t end)
{
    return (int64_t)gp_random_below(random, end);
}

/* The work: kinds, sizes, needs and arrivals; no times yet. A byte takes 1 ns. */
static void draw_work(struct gp_random *random)
{
    static const enum gp_op_kind kinds[] = {GP_OP_KERNEL, GP_OP_KERNEL, GP_OP_H2D, GP_OP_D2H,
                                            GP_OP_MEMSET};
    uint32_t count = 1 + (uint32_t)below(random, SHAPES);
    int64_t arrival = 0;

    hand_init(&hand, STREAMS);
    hand.device.kind = GP_ORIGIN_MODEL;
    hand.data.facts.h2d_rate = hand.data.facts.d2h_rate = 1e9;
    for (uint32_t i = 0; i < count; i++) {
        enum gp_op_kind kind = kinds[below(random, 5)];
        uint32_t op = kind == GP_OP_KERNEL
                          ? hand_kernel(&hand, 0, 1 + (uint32_t)below(random, 600), 0, 0)
                          : hand_copy(&hand, kind, 0, 0, 0);

        hand.ops[op].bytes = kind == GP_OP_KERNEL ? GP_UNKNOWN : 1 + below(random, 100000);
        arrival += below(random, 4) == 0 ? below(random, 20000) : 0;
        hand.ops[op].release = arrival;
        for (int64_t edges = below(random, 3); edges > 0 && i > 0; edges--) {
            hand_edge(&hand, (uint32_t)below(random, i), i);
        }
    }
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The end of all that it needs. */
static int64_t needed(uint32_t op)
{
    int64_t at = 0;

    for (uint32_t i = 0; i < hand.data.edge_count; i++) {
        at = hand.edges[i].to == op ? later(at, hand.ops[hand.edges[i].from].end) : at;
    }
    return at;
}

/* One of the runs that it may have: submitted one by one, on any streams, each after what it needs,
 * what is before it on its stream and on its engine, and a little later than it could. */
static void draw_run(struct gp_random *random)
{
    int64_t stream_free[STREAMS] = {0}, engine_free[2] = {0};
    int64_t host = 0, last = 0;

    for (uint32_t i = 0; i < hand.data.op_count; i++) {
        struct gp_op_row *op = &hand.ops[i];
        uint32_t stream = (uint32_t)below(random, STREAMS);
        bool is_copy = op->kind == GP_OP_H2D || op->kind == GP_OP_D2H;
        int64_t *engine = &engine_free[op->kind == GP_OP_H2D ? 0 : 1];
        int64_t at = later(stream_free[stream], needed(i));

        op->submit_begin = later(host, op->release);
        op->submit_end = host = op->submit_begin + 100 + below(random, 4000);
        at = later(later(at, op->submit_end), is_copy ? *engine : 0);
        op->stream = stream;
        op->begin = at + below(random, 3000);
        op->end = op->begin + (is_copy ? op->bytes : 1000) + below(random, 3000);
        op->begin_lo = op->begin_hi = op->begin;
        op->end_lo = op->end_hi = op->end;
        stream_free[stream] = op->end;
        *engine = is_copy ? op->end : *engine;
        last = later(last, op->end);
    }
    hand.data.run.makespan_ns = later(last, host) + below(random, 5000);
}

static void test_bounds(void **state)
{
    struct gp_random random = {13};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct gp_floor floor = {0};
        int64_t fastest_ns = INT64_MAX;
        struct gp_bounds bounds;

        draw_work(&random);
        for (int run = 0; run < RUNS; run++) {
            draw_run(&random);
            fastest_ns =
                hand.data.run.makespan_ns < fastest_ns ? hand.data.run.makespan_ns : fastest_ns;
            assert_true(gp_floor_note(&floor, &hand.data));
        }
        gp_bounds_measure(&floor, &bounds);
        assert_true(bounds.ideal.ns > 0);
        assert_true(bounds.ideal.ns <= bounds.device.ns);
        assert_true(bounds.device.ns <= (double)fastest_ns);
        gp_floor_finish(&floor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
