/* The hazard clock against brute force: random operations on random ranges, with every wait dropped
 * in turn and with edges that the DAG lacks. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/hazard.h"
#include "core/random.h"
#include "trees.h"

enum { BUFFERS = 3, STREAMS = 4, ACCESSES = 2, BYTES = 12 };

struct world {
    struct gp_random random;
    struct gp_buffer buffers[BUFFERS];
    struct gp_access accesses[GP_TEST_OPS_MAX][ACCESSES];
    uint32_t streams[GP_TEST_OPS_MAX];
    uint64_t keep_percent; /* of the edges that are needed */
};

static void draw_world(struct world *world, uint64_t seed, uint64_t keep_percent)
{
    memset(world, 0, sizeof *world);
    world->random.state = seed;
    world->keep_percent = keep_percent;
    for (int i = 0; i < BUFFERS; i++) {
        (void)snprintf(world->buffers[i].name, sizeof world->buffers[i].name, "b%d", i);
        world->buffers[i].bytes = BYTES;
    }
    for (int op = 0; op < GP_TEST_OPS_MAX; op++) {
        world->streams[op] = (uint32_t)gp_random_below(&world->random, STREAMS);
        for (int i = 0; i < ACCESSES; i++) {
            uint64_t offset = gp_random_below(&world->random, BYTES);

            world->accesses[op][i] = (struct gp_access){
                .buffer = &world->buffers[gp_random_below(&world->random, BUFFERS)],
                .offset = offset,
                .bytes = 1 + gp_random_below(&world->random, BYTES - offset),
                .mode = (enum gp_access_mode)(1 + gp_random_below(&world->random, 3)),
            };
        }
    }
}

static bool conflicts(const struct world *world, uint32_t a, uint32_t b)
{
    for (int i = 0; i < ACCESSES * ACCESSES; i++) {
        const struct gp_access *x = &world->accesses[a][i / ACCESSES];
        const struct gp_access *y = &world->accesses[b][i % ACCESSES];

        if (x->buffer == y->buffer && ((x->mode | y->mode) & GP_ACCESS_WRITE) != 0 &&
            x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes) {
            return true;
        }
    }
    return false;
}

/* The edges that data need, and some that nothing needs. */
static int has_edge(void *user, uint32_t from, uint32_t to)
{
    struct world *world = user;

    if (conflicts(world, from, to)) {
        return gp_random_below(&world->random, 100) < world->keep_percent;
    }
    return gp_random_below(&world->random, 100) < 10;
}

static struct gp_dag *make_dag(struct world *world)
{
    uint32_t count = 2 + (uint32_t)gp_random_below(&world->random, GP_TEST_OPS_MAX - 1);
    struct gp_dag *dag = gp_test_dag_create(count, has_edge, world);

    for (uint32_t op = 0; op < count; op++) {
        dag->ops[op].accesses = world->accesses[op];
        dag->ops[op].access_count = ACCESSES;
    }
    return dag;
}

/* By brute force: is some conflicting pair unordered without that step? */
static bool is_hazardous(const struct world *world, const struct gp_schedule *schedule,
                         uint32_t skipped)
{
    uint32_t before[GP_TEST_OPS_MAX] = {0};
    uint32_t count = schedule->dag->op_count;

    gp_test_happens_before(schedule, skipped, before);
    for (uint32_t i = 0; i < count * count; i++) {
        uint32_t a = i / count;
        uint32_t b = i % count;

        if (a < b && conflicts(world, a, b) && (before[b] >> a & 1) == 0 &&
            (before[a] >> b & 1) == 0) {
            return true;
        }
    }
    return false;
}

/* Every hazard in a report is one. */
static void check_report(const struct world *world, const struct gp_schedule *schedule,
                         uint32_t skipped, const struct gp_hazard_report *report)
{
    uint32_t before[GP_TEST_OPS_MAX] = {0};

    gp_test_happens_before(schedule, skipped, before);
    for (uint32_t i = 0; i < report->hazard_count; i++) {
        const struct gp_hazard *hazard = &report->hazards[i];
        char text[400];

        assert_true(conflicts(world, hazard->from, hazard->to));
        assert_int_equal(before[hazard->to] >> hazard->from & 1, 0);
        assert_true(hazard->bytes > 0);
        assert_true(hazard->offset + hazard->bytes <= hazard->buffer->bytes);
        gp_hazard_describe(schedule, hazard, text, sizeof text);
        assert_non_null(strstr(text, hazard->buffer->name));
    }
}

/* The schedule without one step. */
static void check_without(const struct world *world, const struct gp_schedule *schedule,
                          uint32_t skipped)
{
    struct gp_step steps[512];
    struct gp_schedule mutant = *schedule;
    struct gp_hazard_report *report;
    struct gp_error err = {0};

    assert_true(schedule->step_count <= 512);
    memcpy(steps, schedule->steps, schedule->step_count * sizeof *steps);
    memmove(&steps[skipped], &steps[skipped + 1],
            (schedule->step_count - skipped - 1) * sizeof *steps);
    mutant.steps = steps;
    mutant.step_count--;
    gp_assert_ok(gp_hazard_find(&mutant, &report, &err), err);
    assert_int_equal(report->hazard_count > 0, is_hazardous(world, schedule, skipped));
    check_report(world, schedule, skipped, report);
    gp_hazard_report_destroy(report);
}

static void check_waits(const struct world *world, const struct gp_schedule *schedule,
                        const struct gp_hazard_report *report)
{
    uint32_t unneeded = 0;
    uint32_t waits = 0;

    for (uint32_t i = 0; i < schedule->step_count; i++) {
        if (schedule->steps[i].kind != GP_STEP_WAIT) {
            continue;
        }
        waits++;
        check_without(world, schedule, i);
        if (!is_hazardous(world, schedule, i)) {
            assert_true(unneeded < report->unneeded_count);
            assert_int_equal(report->unneeded[unneeded++], i);
        }
    }
    assert_int_equal(report->unneeded_count, unneeded);
    assert_int_equal(report->wait_count, waits);
    assert_int_equal(report->waits_examined, waits);
}

static void check_world(uint64_t seed, uint64_t keep_percent, uint32_t *hazards, uint32_t *unneeded)
{
    static struct world world;
    struct gp_policy policy;
    struct gp_schedule *schedule;
    struct gp_hazard_report *report;
    struct gp_error err = {0};
    struct gp_dag *dag;

    draw_world(&world, seed, keep_percent);
    dag = make_dag(&world);
    gp_test_policy_fixed(&policy, world.streams, STREAMS);
    gp_assert_ok(gp_schedule_create(&policy, dag, seed % 2 == 0 ? GP_ORDER_DEPTH : GP_ORDER_BREADTH,
                                    &schedule, &err),
                 err);
    gp_assert_ok(gp_hazard_find(schedule, &report, &err), err);
    assert_int_equal(report->hazard_count > 0, is_hazardous(&world, schedule, UINT32_MAX));
    check_report(&world, schedule, UINT32_MAX, report);
    if (report->hazard_count == 0) {
        check_waits(&world, schedule, report);
    }
    *hazards += report->hazard_count;
    *unneeded += report->unneeded_count;
    gp_hazard_report_destroy(report);
    gp_schedule_destroy(schedule);
    gp_test_dag_destroy(dag);
}

static void test_complete_dags_have_none(void **state)
{
    uint32_t hazards = 0;
    uint32_t unneeded = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_world(seed, 100, &hazards, &unneeded);
    }
    assert_int_equal(hazards, 0);
    assert_true(unneeded > 50);
}

static void test_missing_edges_are_found(void **state)
{
    uint32_t hazards = 0;
    uint32_t unneeded = 0;

    (void)state;
    for (uint64_t seed = 1000; seed < 1600; seed++) {
        check_world(seed, 97, &hazards, &unneeded);
    }
    assert_true(hazards > 100);
}

/* Two chains that use the same buffer, which the DAG does not say. */
static struct gp_dag *make_unordered(const struct gp_access *first, const struct gp_access *second)
{
    const struct gp_access *accesses[] = {first, second};
    uint32_t tag = 0;
    const void *const args[] = {&tag};
    struct gp_op *arms[2];
    struct gp_builder *builder;
    struct gp_dag *dag;
    struct gp_error err = {0};

    gp_assert_ok(gp_builder_create(&builder, &err), err);
    for (int i = 0; i < 2; i++) {
        const struct gp_launch launch = {.kernel = &gp_test_kernel,
                                         .grid = {1, 1, 1},
                                         .block = {1, 1, 1},
                                         .args = args,
                                         .accesses = accesses[i],
                                         .access_count = 1};

        arms[i] = gp_op_kernel(builder, i == 0 ? "a" : "b", &launch);
    }
    gp_assert_ok(gp_dag_freeze(builder, gp_op_zip(builder, arms, 2), &dag, &err), err);
    gp_builder_destroy(builder);
    return dag;
}

/* Expects that text of the only hazard, or none ("") on `streams` streams. */
static void check_pair(const struct gp_access *first, const struct gp_access *second,
                       uint32_t streams, const char *expected)
{
    struct gp_dag *dag = make_unordered(first, second);
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_hazard_report *report;
    struct gp_error err = {0};
    char text[400] = "";

    gp_assert_ok(gp_policy_create(gp_policy_find("round-robin"), streams, &policy, &err), err);
    gp_assert_ok(gp_schedule_create(policy, dag, GP_ORDER_DEPTH, &schedule, &err), err);
    gp_assert_ok(gp_hazard_find(schedule, &report, &err), err);
    if (report->hazard_count > 0) {
        assert_int_equal(report->hazard_count, 1);
        gp_hazard_describe(schedule, &report->hazards[0], text, sizeof text);
    }
    assert_string_equal(text, expected);
    gp_hazard_report_destroy(report);
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    gp_dag_destroy(dag);
}

static void test_kinds_by_hand(void **state)
{
    struct gp_buffer x = {.bytes = 64, .name = "x"};
    struct gp_access first = {&x, 8, 16, GP_ACCESS_WRITE};
    struct gp_access second = {&x, 16, 16, GP_ACCESS_READ};

    (void)state;
    check_pair(&first, &second, 2,
               "read after write: operations 0 'a' (stream 0) and 1 'b' (stream 1) both use bytes "
               "16 to 24 of 'x' in no order; the dependency 0 -> 1 is missing");
    check_pair(&second, &first, 2,
               "write after read: operations 0 'a' (stream 0) and 1 'b' (stream 1) both use bytes "
               "16 to 24 of 'x' in no order; the dependency 0 -> 1 is missing");
    second.mode = GP_ACCESS_WRITE;
    check_pair(&first, &second, 2,
               "write after write: operations 0 'a' (stream 0) and 1 'b' (stream 1) both use bytes "
               "16 to 24 of 'x' in no order; the dependency 0 -> 1 is missing");
    /* One stream orders them, bytes apart and reads alone do not conflict. */
    check_pair(&first, &second, 1, "");
    second.offset = 24;
    check_pair(&first, &second, 2, "");
    second.offset = 8;
    first.mode = GP_ACCESS_READ;
    second.mode = GP_ACCESS_READ;
    check_pair(&first, &second, 2, "");
}

static int find_with_memory(const struct gp_schedule *schedule, uint32_t n)
{
    struct gp_hazard_report *report;
    struct gp_error err = {0};
    int code;

    gp_test_memory_fail_at(n);
    code = gp_hazard_find(schedule, &report, &err);
    gp_hazard_report_destroy(report);
    assert_true(code == 0 || code == GP_ENOMEM);
    assert_int_equal(gp_test_memory_restore(), code != 0);
    return code;
}

static void test_memory_runs_out_anywhere(void **state)
{
    struct gp_buffer x = {.bytes = 64, .name = "x"};
    struct gp_access write = {&x, 8, 16, GP_ACCESS_WRITE};
    struct gp_dag *dag = make_unordered(&write, &write);
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_error err = {0};

    (void)state;
    for (uint32_t streams = 1; streams <= 2; streams++) {
        uint32_t n = 1;

        gp_assert_ok(gp_policy_create(gp_policy_find("round-robin"), streams, &policy, &err), err);
        gp_assert_ok(gp_schedule_create(policy, dag, GP_ORDER_DEPTH, &schedule, &err), err);
        while (find_with_memory(schedule, n) != 0) {
            n++;
        }
        assert_true(n > 9);
        gp_schedule_destroy(schedule);
        gp_policy_destroy(policy);
    }
    gp_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_by_hand),
        cmocka_unit_test(test_complete_dags_have_none),
        cmocka_unit_test(test_missing_edges_are_found),
        cmocka_unit_test(test_memory_runs_out_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
