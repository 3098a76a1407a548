/* Resolving raw facts to intervals: hand-made timelines, and random ones whose truth is known. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "probe/timing/resolve_internal.h"

enum { OPS_MAX = 3 * 64, STREAMS = 4 };
#define MIB ((int64_t)1 << 20)

/* Chains of h2d → kernel → d2h, chain c on stream c mod STREAMS, as a schedule made by hand. */
struct fixture {
    struct gp_dag dag;
    struct gp_dag_op ops[OPS_MAX];
    struct gp_edge edges[OPS_MAX];
    struct gp_step steps[OPS_MAX];
    struct gp_schedule schedule;
    struct gp_engines engines;
    struct gp_op_row rows[OPS_MAX];
};

static void make_fixture(struct fixture *f, uint32_t chains)
{
    static const enum gp_op_kind kinds[] = {GP_OP_H2D, GP_OP_KERNEL, GP_OP_D2H};

    memset(f, 0, sizeof *f);
    for (uint32_t i = 0; i < 3 * chains; i++) {
        f->ops[i].kind = kinds[i % 3];
        f->ops[i].chain = i / 3;
        f->ops[i].first_in = f->dag.edge_count;
        if (i % 3 != 0) {
            f->edges[f->dag.edge_count++] = (struct gp_edge){i - 1, i, GP_EDGE_CHAIN};
            f->ops[i].in_count = 1;
        }
        f->steps[i] = (struct gp_step){GP_STEP_OP, i, i / 3 % STREAMS, 0};
        f->rows[i] = (struct gp_op_row){
            .id = i,
            .kind = kinds[i % 3],
            .bytes = i % 3 == 1 ? GP_UNKNOWN : 4 * MIB,
            .ready = GP_UNKNOWN,
            .done = GP_UNKNOWN,
            .stamp_begin = GP_UNKNOWN,
            .stamp_end = GP_UNKNOWN,
            .submit_begin = 0,
            .submit_end = GP_UNKNOWN,
        };
    }
    f->dag.ops = f->ops;
    f->dag.op_count = 3 * chains;
    f->dag.edges = f->edges;
    f->schedule = (struct gp_schedule){
        .dag = &f->dag, .steps = f->steps, .step_count = 3 * chains, .stream_count = STREAMS};
    for (int i = 0; i < GP_DIRECTION_COUNT; i++) {
        f->engines.directions[i] = (struct gp_engine){.bytes_per_second = 50e9, .exclusive = true};
    }
}

static void resolve(struct fixture *f, enum gp_trace trace, int64_t run_end_ns)
{
    struct gp_resolve_input input = {
        .schedule = &f->schedule,
        .engines = &f->engines,
        .trace = trace,
        .timer_tick_ns = 32,
        .run_end_ns = run_end_ns,
    };

    gp_resolve(&input, f->rows);
}

/* Bytes ÷ (measured rate × what may beat it), as the resolver bounds a copy of 4 MiB. */
static int64_t shortest_ns(void)
{
    return (int64_t)((double)(4 * MIB) * 1e9 / (50e9 * 1.01));
}

static void test_copies_are_bounded_by_the_kernel(void **state)
{
    struct fixture *f = *state;

    make_fixture(f, 1);
    f->rows[0].submit_begin = 1000;
    f->rows[1].submit_begin = 4000;
    f->rows[2].submit_begin = 6000;
    f->rows[1].stamp_begin = 100000;
    f->rows[1].stamp_end = 180000;
    f->rows[2].done = 275000;
    resolve(f, GP_TRACE_STAMPS, 280000);

    assert_int_equal(f->rows[0].source, GP_SOURCE_BOUNDED);
    assert_int_equal(f->rows[0].begin_lo, 1000);
    assert_int_equal(f->rows[0].end_hi, 100031);
    assert_int_equal(f->rows[0].end_lo, 1000 + shortest_ns());
    assert_int_equal(f->rows[0].begin_hi, 100031 - shortest_ns());
    assert_int_equal(f->rows[0].end, 100000);
    assert_int_equal(f->rows[1].source, GP_SOURCE_STAMP);
    assert_int_equal(f->rows[1].begin, 100000);
    assert_int_equal(f->rows[1].end, 180000);
    assert_int_equal(f->rows[2].source, GP_SOURCE_EVENT);
    assert_int_equal(f->rows[2].begin_lo, 180000);
    assert_int_equal(f->rows[2].begin_hi, 275032 + GP_EVENT_OFF_NS - shortest_ns());
    assert_int_equal(f->rows[2].end, 275000);
    assert_int_equal(f->rows[2].engine, GP_DIRECTION_D2H);
}

/* Two copies of one direction wait for each other on their engine. Each is followed by an event,
 * whose cost is how late it may be, and the second is set up when the first one's event is done
 * with. */
static void test_events_and_the_engine_bound_copies(void **state)
{
    struct fixture *f = *state;
    struct gp_engine *engine = &f->engines.directions[GP_DIRECTION_H2D];

    make_fixture(f, 2);
    *engine = (struct gp_engine){.bytes_per_second = 50e9,
                                 .exclusive = true,
                                 .setup_ns = {3000, 3000},
                                 .setup_least_ns = {3000, 3000},
                                 .event_ns = 2000,
                                 .start_ns = 1000};
    for (uint32_t i = 0; i < 6; i++) {
        f->rows[i].submit_begin = 1000;
        f->rows[i].submit_end = 2000;
    }
    f->rows[0].done = 92000;
    f->rows[1].stamp_begin = 95000;
    f->rows[1].stamp_end = 96000;
    f->rows[3].done = 181000;
    f->rows[4].stamp_begin = 185000;
    f->rows[4].stamp_end = 186000;
    resolve(f, GP_TRACE_STAMPS, 400000);
    assert_int_equal(f->rows[0].end_lo, 92000 - 2200 - GP_EVENT_OFF_NS);
    assert_int_equal(f->rows[0].end_hi, 92032 + GP_EVENT_OFF_NS);
    assert_int_equal(f->rows[0].begin_hi, 2000 + 3 * 1000 + 3000);
    assert_int_equal(f->rows[3].begin_lo, 92000 - GP_EVENT_OFF_NS + 2400);
    assert_int_equal(f->rows[3].begin_hi, 92000 + GP_EVENT_OFF_NS + 2200 + 3000);
    assert_int_equal(f->rows[3].end, 181000);
    /* Without an event the first one ended before its kernel began, and the second was set up then.
     */
    f->rows[0].done = GP_UNKNOWN;
    resolve(f, GP_TRACE_STAMPS, 400000);
    assert_int_equal(f->rows[3].begin_hi, 95000 + 31 + 3000);
    /* A recorder that watches has its own marks between a copy and our event. */
    f->rows[0].done = 92000;
    engine->marks_ns = 1300;
    resolve(f, GP_TRACE_STAMPS, 400000);
    assert_int_equal(f->rows[0].end_lo, 92000 - 2200 - 1300 - GP_EVENT_OFF_NS);
    assert_int_equal(f->rows[3].begin_hi, 92000 + GP_EVENT_OFF_NS + 2200 + 3000);
}

/* A download (2) with an event that takes 1 µs, or 8 while an upload (3) is under way. */
static void beside_an_upload(struct fixture *f, int64_t upload_done_ns)
{
    make_fixture(f, 2);
    f->engines.directions[GP_DIRECTION_D2H].event_ns = 1000;
    f->engines.directions[GP_DIRECTION_D2H].event_loaded_ns = 8000;
    for (uint32_t i = 0; i < 6; i++) {
        f->rows[i].submit_begin = 0;
        f->rows[i].submit_end = 1000;
    }
    f->rows[0].done = 90000;
    f->rows[1].stamp_begin = 91000;
    f->rows[1].stamp_end = 95000;
    f->rows[2].done = 200000;
    f->rows[3].done = upload_done_ns;
    f->rows[4].stamp_begin = upload_done_ns + 2000;
    f->rows[4].stamp_end = upload_done_ns + 3000;
    f->rows[5].done = upload_done_ns + 200000;
    resolve(f, GP_TRACE_STAMPS, upload_done_ns + 300000);
}

/* How late an event is says what the other direction did. */
static void test_events_beside_the_other_direction(void **state)
{
    struct fixture *f = *state;

    beside_an_upload(f, 180000); /* it was over for long: the event came at once */
    assert_int_equal(f->rows[2].end_lo, 200000 - 1100 - GP_EVENT_OFF_NS);
    assert_int_equal(f->rows[2].end_hi, 200032 + GP_EVENT_OFF_NS);
    beside_an_upload(f, 199500); /* or has just ended: it may have waited */
    assert_int_equal(f->rows[2].end_lo, 200000 - 7700 - GP_EVENT_OFF_NS);
    assert_int_equal(f->rows[2].end_hi, 200032 + GP_EVENT_OFF_NS);
    beside_an_upload(f, 240000); /* is in its midst: it certainly waited */
    assert_int_equal(f->rows[2].end_lo, 200000 - 7700 - GP_EVENT_OFF_NS);
    assert_int_equal(f->rows[2].end_hi, 200000 - 5250 + GP_EVENT_OFF_NS);
}

/* What comes after an event on its stream begins later than it, so an upload behind a download did
 * not make that one's event late. */
static void test_events_are_in_their_streams_order(void **state)
{
    struct fixture *f = *state;
    enum { BEHIND = 3 * STREAMS }; /* the next upload on the stream of chain 0 */

    make_fixture(f, STREAMS + 1);
    f->engines.directions[GP_DIRECTION_D2H].event_ns = 1000;
    f->engines.directions[GP_DIRECTION_D2H].event_loaded_ns = 8000;
    for (uint32_t i = 0; i < f->dag.op_count; i++) {
        f->rows[i].submit_begin = i < 3 || i >= BEHIND ? 0 : 800000;
    }
    f->rows[0].done = 90000;
    f->rows[1].stamp_begin = 91000;
    f->rows[1].stamp_end = 95000;
    f->rows[2].done = 200000;
    resolve(f, GP_TRACE_STAMPS, 1000000);
    assert_int_equal(f->rows[BEHIND].begin_lo, 200000 - GP_EVENT_OFF_NS);
    assert_int_equal(f->rows[2].end_lo, 200000 - 1100 - GP_EVENT_OFF_NS);
}

static void test_naive_recorder_draws_from_ready(void **state)
{
    struct fixture *f = *state;

    make_fixture(f, 1);
    for (uint32_t i = 0; i < 3; i++) {
        f->rows[i].ready = 1000 + 100000 * (int64_t)i;
        f->rows[i].done = 100000 + 100000 * (int64_t)i;
    }
    resolve(f, GP_TRACE_EVENTS, 400000);
    assert_int_equal(f->rows[1].source, GP_SOURCE_EVENT);
    assert_int_equal(f->rows[1].begin, 101000);
    assert_int_equal(f->rows[1].end, 200000);
    assert_int_equal(f->rows[0].begin, 1000);
    assert_int_equal(f->rows[0].begin_hi, 100032 + GP_EVENT_OFF_NS - shortest_ns());
}

static void test_contradictions_do_not_invert(void **state)
{
    struct fixture *f = *state;

    make_fixture(f, 2);
    f->rows[1].stamp_begin = 10000; /* sooner than its copy could have ended */
    f->rows[1].stamp_end = 20000;
    f->rows[2].done = 15000; /* before the kernel that it follows */
    f->rows[4].stamp_begin = 500;
    f->rows[4].stamp_end = 700;
    f->rows[5].done = 900;
    resolve(f, GP_TRACE_STAMPS, 30000);
    for (uint32_t i = 0; i < 6; i++) {
        const struct gp_op_row *row = &f->rows[i];

        assert_true(row->begin_lo <= row->begin_hi);
        assert_true(row->end_lo <= row->end_hi);
        assert_true(row->begin <= row->end);
        assert_true(row->begin_lo <= row->begin && row->end <= row->end_hi);
    }
}

struct truth {
    int64_t begin[OPS_MAX], end[OPS_MAX];
};

/* What hardware with one engine a direction and kernels that wait at random would do. */
static void simulate(struct fixture *f, struct gp_random *random, struct truth *truth)
{
    int64_t stream_ns[STREAMS] = {0};
    int64_t engine_ns[2] = {0};
    uint32_t next[STREAMS];
    int64_t submit_ns = 0;

    for (uint32_t i = 0; i < f->dag.op_count; i++) {
        submit_ns += 1000 + (int64_t)gp_random_below(random, 3000);
        f->rows[i].submit_begin = submit_ns;
        f->rows[i].submit_end = submit_ns + 2000;
    }
    for (uint32_t s = 0; s < STREAMS; s++) {
        next[s] = 3 * s;
    }
    for (uint32_t done = 0; done < f->dag.op_count; done++) {
        uint32_t best = UINT32_MAX;
        int64_t best_ns = INT64_MAX;
        uint32_t op;
        int engine;

        for (uint32_t s = 0; s < STREAMS; s++) {
            int64_t ready_ns;

            if (next[s] >= f->dag.op_count) {
                continue;
            }
            ready_ns = f->rows[next[s]].submit_end;
            ready_ns = stream_ns[s] > ready_ns ? stream_ns[s] : ready_ns;
            if (ready_ns < best_ns) {
                best_ns = ready_ns;
                best = s;
            }
        }
        op = next[best];
        engine = f->ops[op].kind == GP_OP_H2D ? 0 : 1;
        if (f->ops[op].kind == GP_OP_KERNEL) {
            truth->begin[op] = best_ns + (int64_t)gp_random_below(random, 60000);
            truth->end[op] = truth->begin[op] + 20000 + (int64_t)gp_random_below(random, 100000);
        } else {
            truth->begin[op] = best_ns > engine_ns[engine] ? best_ns : engine_ns[engine];
            truth->end[op] =
                truth->begin[op] + shortest_ns() + (int64_t)gp_random_below(random, 9000);
            engine_ns[engine] = truth->end[op];
        }
        stream_ns[best] = truth->end[op];
        next[best] = op % 3 < 2 ? op + 1 : op + 1 + 3 * (STREAMS - 1);
    }
}

static void test_truth_lies_inside(void **state)
{
    struct fixture *f = *state;
    struct gp_random random = {20};
    struct truth truth;
    int64_t width_ns = 0;
    int64_t copies = 0;

    for (int round = 0; round < 200; round++) {
        int64_t run_end_ns = 0;

        make_fixture(f, 64);
        simulate(f, &random, &truth);
        for (uint32_t i = 0; i < f->dag.op_count; i++) {
            run_end_ns = truth.end[i] > run_end_ns ? truth.end[i] : run_end_ns;
            if (f->ops[i].kind == GP_OP_KERNEL) {
                f->rows[i].stamp_begin = truth.begin[i] / 32 * 32;
                f->rows[i].stamp_end = truth.end[i] / 32 * 32;
            } else if (f->ops[i].kind == GP_OP_D2H &&
                       (i % 2 == 0 || i + 3 * STREAMS >= f->dag.op_count)) {
                f->rows[i].done = truth.end[i];
            }
        }
        resolve(f, GP_TRACE_STAMPS, run_end_ns);
        for (uint32_t i = 0; i < f->dag.op_count; i++) {
            const struct gp_op_row *row = &f->rows[i];

            assert_in_range(truth.begin[i], row->begin_lo, row->begin_hi);
            assert_in_range(truth.end[i], row->end_lo, row->end_hi);
            assert_in_range(row->begin, row->begin_lo, row->begin_hi);
            assert_in_range(row->end, row->end_lo, row->end_hi);
            assert_true(row->begin <= row->end);
            /* The predecessors in the chain and in the stream are drawn before it. */
            assert_true(i % 3 == 0 || f->rows[i - 1].end <= row->begin);
            assert_true(i % 3 != 0 || i < 3 * STREAMS ||
                        f->rows[i - 3 * STREAMS + 2].end <= row->begin);
            if (f->ops[i].kind != GP_OP_KERNEL) {
                width_ns += row->end_hi - row->end_lo;
                copies++;
            }
        }
    }
    /* Not only right but of use: without engine and neighbours this would be the whole run. */
    assert_true(width_ns / copies < 200000);
}

static int setup(void **state)
{
    *state = malloc(sizeof(struct fixture));
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_copies_are_bounded_by_the_kernel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_events_and_the_engine_bound_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_events_beside_the_other_direction, setup, teardown),
        cmocka_unit_test_setup_teardown(test_events_are_in_their_streams_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_naive_recorder_draws_from_ready, setup, teardown),
        cmocka_unit_test_setup_teardown(test_contradictions_do_not_invert, setup, teardown),
        cmocka_unit_test_setup_teardown(test_truth_lies_inside, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
