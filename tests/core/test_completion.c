/* Completion modes: the calls that each makes, what the device cannot do, failures and faults. */
#include "test.h"

#include <string.h>

#include "core/dispatch.h"
#include "fake_device.h"
#include "ones.h"
#include "trees.h"

/* What runs: (ab | cd), e on two of the pool's streams. */
struct work {
    struct gp_dag *dag;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_pool *pool;
    struct gp_error err;
};

static void make_work(struct work *work, struct gp_device *device, struct gp_builder *builder,
                      struct gp_op *op)
{
    memset(work, 0, sizeof *work);
    gp_assert_ok(gp_dag_freeze(builder, op, &work->dag, &work->err), work->err);
    gp_builder_destroy(builder);
    gp_assert_ok(gp_policy_create(gp_policy_find("round-robin"), 2, &work->policy, &work->err),
                 work->err);
    gp_assert_ok(
        gp_schedule_create(work->policy, work->dag, GP_ORDER_DEPTH, &work->schedule, &work->err),
        work->err);
    gp_assert_ok(gp_pool_create(device, 2, &work->pool, &work->err), work->err);
    gp_assert_ok(gp_pool_reserve(work->pool, work->schedule->event_count, &work->err), work->err);
}

static void free_work(struct work *work)
{
    gp_pool_destroy(work->pool);
    gp_schedule_destroy(work->schedule);
    gp_policy_destroy(work->policy);
    gp_dag_destroy(work->dag);
}

static int run(struct work *work, enum gp_completion mode, struct gp_run_times *times)
{
    const struct gp_dispatch dispatch = {
        .schedule = work->schedule, .pool = work->pool, .completion = mode};
    int code = gp_pool_prepare(work->pool, mode, &work->err);

    return code != 0 ? code : gp_dispatch_run(&dispatch, times, &work->err);
}

static void make_fake_work(struct work *work, struct gp_fake *fake)
{
    struct gp_builder *builder;
    struct gp_error err = {0};
    struct gp_op *op;

    gp_fake_init(fake);
    gp_assert_ok(gp_builder_create(&builder, &err), err);
    op = gp_test_zip(builder, gp_test_chain(builder, "ab"), gp_test_chain(builder, "cd"));
    make_work(work, &fake->base, builder, gp_op_and_then(builder, op, gp_test_op(builder, 'e')));
}

static void test_calls_of_each_mode(void **state)
{
    static const char *const tails[GP_COMPLETION_COUNT] = {
        [GP_COMPLETION_EVENT_POLL] = "; record s0 e0; record s1 e1",
        [GP_COMPLETION_HOST_FUNC] = "; host s0; host s1",
        [GP_COMPLETION_FLAG] = "; flag s0 2; flag s1 1",
        [GP_COMPLETION_BLOCKING_EVENT] = "; record s0 e3; record s1 e4; sync e3; sync e4",
        [GP_COMPLETION_SPIN_THEN_BLOCK] = "; record s0 e5; record s1 e6",
    };
    static struct gp_fake fake;
    struct work work;
    struct gp_run_times times = {0};

    (void)state;
    make_fake_work(&work, &fake);
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        const char *log;

        gp_assert_ok(gp_pool_prepare(work.pool, (enum gp_completion)mode, &work.err), work.err);
        (void)gp_fake_take_log(&fake);
        gp_test_memory_fail_at(1);
        gp_assert_ok(run(&work, (enum gp_completion)mode, &times), work.err);
        assert_false(gp_test_memory_restore());
        log = gp_fake_take_log(&fake);
        assert_string_equal(strstr(log, "launch s0 e") + strlen("launch s0 e"), tails[mode]);
    }
    free_work(&work);
    gp_fake_finish(&fake);
}

static void test_spin_gives_up(void **state)
{
    static struct gp_fake fake;
    struct work work;
    struct gp_run_times times = {0};

    (void)state;
    make_fake_work(&work, &fake);
    gp_assert_ok(gp_pool_prepare(work.pool, GP_COMPLETION_SPIN_THEN_BLOCK, &work.err), work.err);
    (void)gp_fake_take_log(&fake);
    fake.not_ready = 1000;
    gp_assert_ok(run(&work, GP_COMPLETION_SPIN_THEN_BLOCK, &times), work.err);
    assert_non_null(strstr(gp_fake_take_log(&fake), "sync e3; sync e4"));
    assert_in_range(times.end_ns - times.submitted_ns, 20000, 30000);
    free_work(&work);
    gp_fake_finish(&fake);
}

static void test_unsupported_says_why(void **state)
{
    static struct gp_fake fake;
    struct work work;
    struct gp_run_times times = {0};
    const struct gp_dispatch dispatch = {.completion = GP_COMPLETION_FLAG};
    struct gp_dispatch again = dispatch;

    (void)state;
    make_fake_work(&work, &fake);
    fake.has_no_flags = true;
    assert_int_equal(run(&work, GP_COMPLETION_FLAG, &times), GP_EUNSUPPORTED);
    assert_string_equal(work.err.text, "completion 'flag': the fake device writes no flags");
    again.schedule = work.schedule;
    again.pool = work.pool;
    assert_int_equal(gp_dispatch_run(&again, &times, &work.err), GP_ESTATE);
    assert_non_null(strstr(work.err.text, "gp_pool_prepare"));
    gp_assert_ok(run(&work, GP_COMPLETION_EVENT_POLL, &times), work.err);
    free_work(&work);
    gp_fake_finish(&fake);
}

/* Every call of making a mode ready and of a run fails once; afterwards all is as ever. */
static void test_failures_in_each_mode(void **state)
{
    static struct gp_fake fake;
    struct work work;
    struct gp_run_times times = {0};

    (void)state;
    make_fake_work(&work, &fake);
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        enum gp_completion other = mode == 0 ? GP_COMPLETION_FLAG : GP_COMPLETION_EVENT_POLL;
        uint32_t n = 0;
        int code;

        do {
            fake.fail_at = 0;
            gp_assert_ok(gp_pool_prepare(work.pool, other, &work.err), work.err);
            fake.calls = 0;
            fake.fail_at = ++n;
            code = run(&work, (enum gp_completion)mode, &times);
            assert_true(code == 0 || code == GP_EDRIVER);
        } while (code != 0);
        assert_true(n > 10);
        fake.fail_at = 0;
        gp_assert_ok(run(&work, (enum gp_completion)mode, &times), work.err);
    }
    free_work(&work);
    gp_fake_finish(&fake);
}

static void make_model_work(struct work *work, struct gp_device *device,
                            const struct gp_buffer *buffer)
{
    struct gp_error err = {0};
    struct gp_builder *builder;

    gp_assert_ok(gp_builder_create(&builder, &err), err);
    make_work(work, device, builder,
              gp_test_zip(builder, gp_test_ones(builder, buffer, 0, 40000),
                          gp_test_ones(builder, buffer, 1024, 80000)));
}

static void test_all_modes_wait_on_the_model(void **state)
{
    struct gp_device *device;
    struct gp_error err = {0};
    struct gp_buffer *buffer;

    (void)state;
    gp_assert_ok(gp_device_open("model:h200", NULL, &device, &err), err);
    gp_assert_ok(gp_buffer_create(device, GP_SPACE_DEVICE, 4096, 0, "b", &buffer, &err), err);
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        struct work work;
        int64_t last_ns = 0;

        make_model_work(&work, device, buffer);
        for (int i = 0; i < 4; i++) {
            struct gp_run_times times = {0};
            int64_t makespan_ns;

            gp_assert_ok(run(&work, (enum gp_completion)mode, &times), work.err);
            makespan_ns = times.end_ns - times.begin_ns;
            assert_in_range(makespan_ns, 180000, 400000);
            /* The first run of a kind may differ: what came before it does. */
            assert_true(i < 2 || makespan_ns == last_ns);
            last_ns = makespan_ns;
        }
        free_work(&work);
    }
    gp_buffer_destroy(buffer);
    gp_device_close(device);
}

/* A kernel that touches what is not its own: nobody waits for ever. */
static void test_faults_reach_all_modes(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        struct gp_device *device;
        struct gp_error err = {0};
        struct gp_run_times times = {0};
        struct work work;
        struct gp_buffer stranger = {.space = GP_SPACE_DEVICE, .bytes = 4096, .address = 64};

        gp_assert_ok(gp_device_open("model:h200", NULL, &device, &err), err);
        stranger.device = device;
        make_model_work(&work, device, &stranger);
        assert_int_equal(run(&work, (enum gp_completion)mode, &times), GP_EFAULT);
        free_work(&work);
        gp_device_close(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_of_each_mode),
        cmocka_unit_test(test_spin_gives_up),
        cmocka_unit_test(test_unsupported_says_why),
        cmocka_unit_test(test_failures_in_each_mode),
        cmocka_unit_test(test_all_modes_wait_on_the_model),
        cmocka_unit_test(test_faults_reach_all_modes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
