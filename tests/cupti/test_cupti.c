/* CUPTI as a reference, over a libcupti of the tests. The argument says which: "whole", "missing"
 * (without a function that is needed) or "none" (no library; skipped where the system has one). */
#include "test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/fake.h"
#include "probe/cupti/cupti.h"

enum { OPS = 4, STREAM = 0 };

static const enum gp_op_kind kinds[OPS] = {GP_OP_H2D, GP_OP_KERNEL, GP_OP_MEMSET, GP_OP_D2H};

/* Four operations in issue order 0, 1, 2, 3, without a device. */
struct fixture {
    struct fake_cupti *fake;
    struct gp_dag_op ops[OPS];
    struct gp_dag dag;
    struct gp_step steps[OPS];
    struct gp_schedule schedule;
    struct gp_work_times times[OPS];
    struct gp_cupti *cupti;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    void *library = dlopen(FAKE_CUPTI_NAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    struct gp_error err = {0};

    if (f == NULL || library == NULL) {
        free(f);
        return -1;
    }
    f->fake = dlsym(library, FAKE_CUPTI_CONTROL);
    f->fake->subscribe = GP_CUPTI_SUCCESS;
    f->fake->enable = GP_CUPTI_SUCCESS;
    f->fake->dropped = 0;
    for (uint32_t i = 0; i < OPS; i++) {
        f->ops[i].kind = kinds[i];
        f->steps[i] = (struct gp_step){GP_STEP_OP, i, STREAM, 0};
    }
    f->dag = (struct gp_dag){.ops = f->ops, .op_count = OPS};
    f->schedule = (struct gp_schedule){.dag = &f->dag, .steps = f->steps, .step_count = OPS};
    *state = f;
    return gp_cupti_create(&f->cupti, &err);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    gp_cupti_destroy(f->cupti);
    free(f);
    return 0;
}

static void watch(struct fixture *f)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_cupti_watch(f->cupti, true, &err), err);
}

/* The run, in issue order. */
static void submit(struct fixture *f)
{
    for (uint32_t i = 0; i < OPS; i++) {
        f->fake->call(kinds[f->steps[i].op]);
    }
}

static int collect(struct fixture *f, struct gp_error *err)
{
    return gp_cupti_collect(f->cupti, &f->schedule, f->times, err);
}

static void assert_refused(int code, const struct gp_error *err, const char *text)
{
    assert_int_equal(code, GP_EUNSUPPORTED);
    if (strstr(err->text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", err->text, text);
    }
}

static void test_each_operation_gets_its_times(void **state)
{
    struct fixture *f = *state;
    struct gp_error err = {0};

    watch(f);
    assert_int_equal(f->fake->enabled, 3);
    submit(f);
    gp_assert_ok(collect(f, &err), err);
    for (uint32_t i = 0; i < OPS; i++) {
        int64_t expected_ns = kinds[i] == GP_OP_KERNEL ? 1000 : 2000;

        assert_true(f->times[i].begin_ns >= (int64_t)f->fake->clock_ns);
        assert_int_equal(f->times[i].end_ns - f->times[i].begin_ns, expected_ns);
        assert_true(i == 0 || f->times[i].begin_ns >= f->times[i - 1].begin_ns);
    }
}

/* Work that belongs to no schedule is told by its kinds. */
static void test_listed_kinds_get_their_times(void **state)
{
    static const enum gp_op_kind listed[] = {GP_OP_MEMSET, GP_OP_KERNEL, GP_OP_D2H};
    struct fixture *f = *state;
    struct gp_error err = {0};

    watch(f);
    for (uint32_t i = 0; i < 3; i++) {
        f->fake->call(listed[i]);
    }
    gp_assert_ok(gp_cupti_collect_kinds(f->cupti, listed, 3, f->times, &err), err);
    assert_int_equal(f->times[1].end_ns - f->times[1].begin_ns, 1000);
    assert_true(f->times[0].begin_ns <= f->times[1].begin_ns);
    assert_true(f->times[1].begin_ns <= f->times[2].begin_ns);
    f->fake->call(GP_OP_H2D);
    assert_refused(gp_cupti_collect_kinds(f->cupti, listed, 1, f->times, &err), &err, "h2d");
}

static void test_an_earlier_run_is_forgotten(void **state)
{
    struct fixture *f = *state;
    struct gp_error err = {0};
    int64_t first_ns;

    watch(f);
    submit(f);
    gp_assert_ok(collect(f, &err), err);
    first_ns = f->times[0].begin_ns;
    submit(f);
    watch(f); /* forgets the second run */
    submit(f);
    gp_assert_ok(collect(f, &err), err);
    assert_true(f->times[0].begin_ns > first_ns);
    assert_int_equal(f->times[0].end_ns - f->times[0].begin_ns, 2000);
}

static void test_issue_order_is_what_counts(void **state)
{
    static const uint32_t order[OPS] = {2, 0, 3, 1};
    struct fixture *f = *state;
    struct gp_error err = {0};

    for (uint32_t i = 0; i < OPS; i++) {
        f->steps[i].op = order[i];
    }
    watch(f);
    submit(f);
    gp_assert_ok(collect(f, &err), err);
    assert_true(f->times[2].begin_ns <= f->times[0].begin_ns);
    assert_true(f->times[3].begin_ns <= f->times[1].begin_ns);
    assert_int_equal(f->times[1].end_ns - f->times[1].begin_ns, 1000);
}

static void test_pieces_of_a_copy_are_joined(void **state)
{
    struct fixture *f = *state;
    struct gp_error err = {0};
    struct {
        struct gp_cupti_transfer transfer;
        uint8_t rest[FAKE_CUPTI_TRANSFER_BYTES - sizeof(struct gp_cupti_transfer)];
    } piece = {.transfer = {.kind = GP_CUPTI_ACTIVITY_KIND_MEMCPY,
                            .detail = GP_CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
                            .correlation_id = 9}}; /* before all others */

    watch(f);
    f->dag.op_count = 1;
    f->schedule.step_count = 1;
    piece.transfer.start_ns = 200;
    piece.transfer.end_ns = 300;
    f->fake->add(&piece, sizeof piece);
    piece.transfer.start_ns = 100;
    piece.transfer.end_ns = 190;
    f->fake->add(&piece, sizeof piece);
    piece.transfer.start_ns = 0; /* CUPTI's word for: no time */
    piece.transfer.end_ns = 0;
    f->fake->add(&piece, sizeof piece);
    gp_assert_ok(collect(f, &err), err);
    assert_int_equal(f->times[0].begin_ns, 100);
    assert_int_equal(f->times[0].end_ns, 300);
}

static void test_nodes_of_a_graph_stand_in_order(void **state)
{
    struct fixture *f = *state;
    struct gp_error err = {0};

    watch(f);
    for (uint32_t i = 0; i < OPS; i++) {
        f->fake->node(kinds[i]);
    }
    gp_assert_ok(collect(f, &err), err);
    for (uint32_t i = 0; i < OPS; i++) {
        assert_int_equal(f->times[i].end_ns - f->times[i].begin_ns,
                         kinds[i] == GP_OP_KERNEL ? 1000 : 2000);
    }
}

static void test_what_leaves_no_record_has_no_times(void **state)
{
    struct fixture *f = *state;
    struct gp_error err = {0};

    watch(f);
    f->ops[2].kind = GP_OP_HOST;
    f->fake->call(GP_OP_H2D);
    f->fake->call(GP_OP_KERNEL);
    f->fake->call(GP_OP_D2H);
    gp_assert_ok(collect(f, &err), err);
    assert_int_equal(f->times[2].begin_ns, INT64_MIN);
    assert_int_equal(f->times[2].end_ns, INT64_MIN);
    assert_true(f->times[3].begin_ns > 0);
}

static void test_records_that_do_not_fit_are_refused(void **state)
{
    struct fixture *f = *state;
    struct gp_error err = {0};

    watch(f);
    f->ops[1].kind = GP_OP_D2D;
    submit(f);
    assert_refused(collect(f, &err), &err, "operation 1 is of kind kernel; it is d2d");
    f->ops[1].kind = GP_OP_KERNEL;
    f->ops[3].kind = GP_OP_HOST;
    submit(f);
    assert_refused(collect(f, &err), &err, "1 records more");
    assert_refused(collect(f, &err), &err, "no record of operation 0");
}

static void test_lost_records_are_told(void **state)
{
    struct fixture *f = *state;
    struct gp_error err = {0};

    watch(f);
    submit(f);
    f->fake->dropped = 17;
    assert_refused(collect(f, &err), &err, "lost 17 records");
    submit(f);
    gp_assert_ok(collect(f, &err), err);
}

static void test_watching_stops(void **state)
{
    struct fixture *f = *state;
    struct gp_error err = {0};

    watch(f);
    gp_assert_ok(gp_cupti_watch(f->cupti, false, &err), err);
    assert_int_equal(f->fake->enabled, 0);
    f->fake->enable = GP_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    assert_refused(gp_cupti_watch(f->cupti, true, &err), &err, "administrators");
}

static void test_one_session_a_process(void **state)
{
    struct fixture *f = *state;
    struct gp_cupti *second = NULL;
    struct gp_error err = {0};

    assert_refused(gp_cupti_create(&second, &err), &err, "has a CUPTI session");
    gp_cupti_destroy(f->cupti);
    f->cupti = NULL;
    assert_int_equal(f->fake->subscribers, 0);
    f->fake->subscribe = GP_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    assert_refused(gp_cupti_create(&second, &err), &err, "another tool");
    assert_non_null(strstr(err.text, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"));
    f->fake->subscribe = GP_CUPTI_SUCCESS;
    gp_assert_ok(gp_cupti_create(&f->cupti, &err), err);
    assert_string_equal(gp_cupti_path(f->cupti), FAKE_CUPTI_NAME);
    assert_int_equal(gp_cupti_version(f->cupti), 130001);
}

static void test_missing(void **state)
{
    struct gp_cupti *cupti = NULL;
    struct gp_error err = {0};

    (void)state;
    assert_refused(gp_cupti_create(&cupti, &err), &err,
                   "libcupti.so.13 has no cuptiActivityRegisterTimestampCallback; the CUPTI of "
                   "CUDA 11.6 or newer is needed");
}

static void test_none(void **state)
{
    struct gp_cupti *cupti = NULL;
    struct gp_error err = {0};

    (void)state;
    if (gp_cupti_create(&cupti, &err) == 0 || strstr(err.text, "no CUPTI:") == NULL) {
        print_message("skipped: this system has a CUPTI\n");
        gp_cupti_destroy(cupti);
        skip();
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest whole[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(test_each_operation_gets_its_times),
        TEST(test_listed_kinds_get_their_times),
        TEST(test_an_earlier_run_is_forgotten),
        TEST(test_issue_order_is_what_counts),
        TEST(test_what_leaves_no_record_has_no_times),
        TEST(test_pieces_of_a_copy_are_joined),
        TEST(test_nodes_of_a_graph_stand_in_order),
        TEST(test_records_that_do_not_fit_are_refused),
        TEST(test_lost_records_are_told),
        TEST(test_watching_stops),
        TEST(test_one_session_a_process),
#undef TEST
    };
    const struct CMUnitTest missing[] = {cmocka_unit_test(test_missing)};
    const struct CMUnitTest none[] = {cmocka_unit_test(test_none)};

    if (argc > 1 && strcmp(argv[1], "missing") == 0) {
        return cmocka_run_group_tests(missing, NULL, NULL);
    }
    if (argc > 1 && strcmp(argv[1], "none") == 0) {
        return cmocka_run_group_tests(none, NULL, NULL);
    }
    return cmocka_run_group_tests(whole, NULL, NULL);
}
