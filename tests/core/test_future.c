/* Futures: the poll protocol, dropping in every state, what is kept, failures at every step. */
#include "test.h"

#include <stdatomic.h>
#include <string.h>

#include "core/future.h"
#include "fake_device.h"
#include "ones.h"
#include "trees.h"

struct rig {
    struct gp_device *device;
    struct gp_stream *helper;
    struct gp_buffer *buffer;
    struct gp_context context;
    struct gp_dag *dag;
    struct gp_error err;
};

enum { CHAINS = 3, ITERATIONS = 40000 };

static void open_rig(struct rig *rig, enum gp_completion completion)
{
    const struct gp_context_options options = {.completion = completion};

    memset(rig, 0, sizeof *rig);
    gp_assert_ok(gp_device_open("model:h200", NULL, &rig->device, &rig->err), rig->err);
    gp_assert_ok(gp_stream_create(rig->device, GP_STREAM_NON_BLOCKING, 0, &rig->helper, &rig->err),
                 rig->err);
    gp_assert_ok(gp_buffer_create(rig->device, GP_SPACE_DEVICE, (uint64_t)CHAINS * GP_ONES_BYTES, 0,
                                  "data", &rig->buffer, &rig->err),
                 rig->err);
    gp_assert_ok(gp_buffer_fill(rig->buffer, rig->helper, 0, &rig->err), rig->err);
    gp_assert_ok(gp_context_init(&rig->context, rig->device, &options, &rig->err), rig->err);
    rig->dag = gp_test_ones_dag(rig->buffer, CHAINS, ITERATIONS);
}

static void close_rig(struct rig *rig)
{
    gp_assert_ok(gp_context_finish(&rig->context, &rig->err), rig->err);
    gp_dag_destroy(rig->dag);
    gp_buffer_destroy(rig->buffer);
    (void)gp_stream_destroy(rig->helper, NULL);
    gp_device_close(rig->device);
}

static struct gp_future *schedule(struct rig *rig)
{
    struct gp_future *future;

    gp_assert_ok(gp_context_schedule(&rig->context, rig->dag, &future, &rig->err), rig->err);
    assert_int_equal(gp_future_state(future), GP_FUTURE_IDLE);
    return future;
}

static float first_of(struct rig *rig, uint32_t chain)
{
    float found;

    gp_assert_ok(gp_buffer_read(rig->buffer, rig->helper, (uint64_t)chain * GP_ONES_BYTES, &found,
                                sizeof found, &rig->err),
                 rig->err);
    return found;
}

static void count(void *user)
{
    atomic_fetch_add((_Atomic int *)user, 1);
}

/* Waits, as a program with nothing else to do would, for a waker. */
static void await_count(const struct rig *rig, const _Atomic int *counter, int value)
{
    while (atomic_load(counter) < value) {
        gp_device_pause(rig->device, gp_device_clock_ns(rig->device) + 1000);
    }
}

/* ---- the protocol ---- */

static void test_polls_without_waker(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        struct gp_future *future;
        struct rig rig;
        int polls = 0;
        int code;

        open_rig(&rig, (enum gp_completion)mode);
        future = schedule(&rig);
        do {
            code = gp_future_poll(future, NULL, &rig.err);
            polls++;
            if (code == GP_ENOTREADY) {
                assert_int_equal(gp_future_state(future), GP_FUTURE_EXECUTING);
                gp_device_pause(rig.device, INT64_MAX);
            }
        } while (code == GP_ENOTREADY);
        gp_assert_ok(code, rig.err);
        assert_true(polls > 1);
        assert_int_equal(gp_future_state(future), GP_FUTURE_COMPLETE);
        assert_int_equal(gp_future_poll(future, NULL, &rig.err), GP_ESTATE);
        assert_string_equal(rig.err.text, "the future was polled after it was complete");
        assert_true(first_of(&rig, CHAINS - 1) == 2 * ITERATIONS);
        gp_future_drop(future);
        assert_int_equal(gp_context_pending(&rig.context), 0);
        close_rig(&rig);
    }
}

/* The last waker is called, once, and no other. */
static void test_waker_is_called_once(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        _Atomic int early = 0;
        _Atomic int late = 0;
        const struct gp_waker first = {count, &early};
        const struct gp_waker second = {count, &late};
        struct gp_future *future;
        struct rig rig;

        open_rig(&rig, (enum gp_completion)mode);
        future = schedule(&rig);
        assert_int_equal(gp_future_poll(future, &first, &rig.err), GP_ENOTREADY);
        assert_int_equal(gp_future_poll(future, &second, &rig.err), GP_ENOTREADY);
        await_count(&rig, &late, 1);
        gp_assert_ok(gp_future_poll(future, &second, &rig.err), rig.err);
        gp_future_drop(future);
        gp_assert_ok(gp_context_sync(&rig.context, rig.dag, &rig.err), rig.err);
        assert_int_equal(atomic_load(&early), 0);
        assert_int_equal(atomic_load(&late), 1);
        close_rig(&rig);
    }
}

/* However the waker comes and the work ends, one of poll and waker says so. */
static void test_no_wake_up_is_lost(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        struct rig rig;

        open_rig(&rig, (enum gp_completion)mode);
        for (int i = 0; i < 40; i++) {
            _Atomic int woken = 0;
            const struct gp_waker waker = {count, &woken};
            struct gp_future *future = schedule(&rig);
            int code = gp_future_poll(future, NULL, &rig.err);

            assert_int_equal(code, GP_ENOTREADY);
            gp_device_pause(rig.device, gp_device_clock_ns(rig.device) + INT64_C(6000) * i);
            code = gp_future_poll(future, &waker, &rig.err);
            if (code == GP_ENOTREADY) {
                await_count(&rig, &woken, 1);
                code = gp_future_poll(future, &waker, &rig.err);
            }
            gp_assert_ok(code, rig.err);
            gp_future_drop(future);
        }
        close_rig(&rig);
    }
}

static void test_wait_after_a_waker(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        _Atomic int woken = 0;
        const struct gp_waker waker = {count, &woken};
        struct gp_future *future;
        struct rig rig;

        open_rig(&rig, (enum gp_completion)mode);
        future = schedule(&rig);
        assert_int_equal(gp_future_poll(future, &waker, &rig.err), GP_ENOTREADY);
        gp_assert_ok(gp_future_wait(future, &rig.err), rig.err);
        assert_true(first_of(&rig, 0) == 2 * ITERATIONS);
        gp_future_drop(future);
        close_rig(&rig);
    }
}

/* What only carries values is complete at once. */
static void test_values_need_no_device(void **state)
{
    struct gp_builder *builder;
    struct gp_future *future;
    struct gp_dag *dag;
    struct rig rig;

    (void)state;
    open_rig(&rig, GP_COMPLETION_HOST_FUNC);
    gp_assert_ok(gp_builder_create(&builder, &rig.err), rig.err);
    gp_assert_ok(gp_dag_freeze(builder, gp_op_value(builder, NULL, &rig), &dag, &rig.err), rig.err);
    gp_builder_destroy(builder);
    gp_assert_ok(gp_context_schedule(&rig.context, dag, &future, &rig.err), rig.err);
    gp_assert_ok(gp_future_poll(future, NULL, &rig.err), rig.err);
    gp_future_drop(future);
    gp_dag_destroy(dag);
    close_rig(&rig);
}

/* ---- dropping ---- */

static void release(void *user)
{
    (*(int *)user)++;
}

static void test_drop_in_every_state(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        _Atomic int woken = 0;
        const struct gp_waker waker = {count, &woken};
        struct gp_future *futures[4];
        int released[4] = {0};
        int64_t before_ns;
        struct rig rig;

        open_rig(&rig, (enum gp_completion)mode);
        gp_assert_ok(gp_context_sync(&rig.context, rig.dag, &rig.err), rig.err);
        for (int i = 0; i < 4; i++) {
            futures[i] = schedule(&rig);
            gp_assert_ok(gp_future_keep(futures[i], release, &released[i], &rig.err), rig.err);
        }
        gp_assert_ok(gp_future_wait(futures[3], &rig.err), rig.err);
        assert_int_equal(gp_future_poll(futures[1], NULL, &rig.err), GP_ENOTREADY);
        assert_int_equal(gp_future_poll(futures[2], &waker, &rig.err), GP_ENOTREADY);
        before_ns = gp_device_clock_ns(rig.device);
        for (int i = 0; i < 4; i++) {
            gp_future_drop(futures[i]);
        }
        /* Nobody waited for the 180 µs of a run, and what runs keeps what it needs. */
        assert_true(gp_device_clock_ns(rig.device) - before_ns < 20000);
        assert_int_equal(released[0] + released[3], 2);
        assert_int_equal(released[1] + released[2], 0);
        assert_int_equal(gp_context_pending(&rig.context), 2);
        assert_int_equal(gp_context_sweep(&rig.context), 0);
        gp_context_drain(&rig.context);
        assert_int_equal(released[1] + released[2], 2);
        assert_int_equal(gp_context_pending(&rig.context), 0);
        assert_int_equal(atomic_load(&woken), 0);
        assert_true(first_of(&rig, 0) == 4.0F * 2 * ITERATIONS);
        gp_future_drop(NULL);
        close_rig(&rig);
    }
}

static void test_sweep_finds_what_is_done(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        _Atomic int woken = 0;
        const struct gp_waker waker = {count, &woken};
        struct gp_future *future;
        uint32_t swept = 0;
        int released = 0;
        struct rig rig;

        open_rig(&rig, (enum gp_completion)mode);
        for (int i = 0; i < 10; i++) {
            future = schedule(&rig);
            gp_assert_ok(gp_future_keep(future, release, &released, &rig.err), rig.err);
            assert_int_equal(gp_future_poll(future, i % 2 == 0 ? &waker : NULL, &rig.err),
                             GP_ENOTREADY);
            gp_future_drop(future);
        }
        while (gp_context_pending(&rig.context) > 0) {
            gp_device_pause(rig.device, gp_device_clock_ns(rig.device) + 1000);
            swept += gp_context_sweep(&rig.context);
        }
        assert_true(swept > 0 && released == 10);
        close_rig(&rig);
    }
}

static void test_finish_wants_drops(void **state)
{
    struct gp_future *future;
    struct rig rig;

    (void)state;
    open_rig(&rig, GP_COMPLETION_EVENT_POLL);
    future = schedule(&rig);
    assert_int_equal(gp_context_finish(&rig.context, &rig.err), GP_ESTATE);
    assert_non_null(strstr(rig.err.text, "1 futures of the context were not dropped"));
    gp_assert_ok(gp_future_wait(future, &rig.err), rig.err);
    gp_future_drop(future);
    future = schedule(&rig);
    assert_int_equal(gp_future_poll(future, NULL, &rig.err), GP_ENOTREADY);
    gp_future_drop(future);
    close_rig(&rig);
}

/* ---- failures ---- */

/* A fault reaches every waiter: watched, polled, dropped, and who comes later. */
static void test_faults_reach_everybody(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        _Atomic int woken = 0;
        const struct gp_waker waker = {count, &woken};
        struct gp_buffer stranger = {
            .space = GP_SPACE_DEVICE, .bytes = GP_ONES_BYTES, .address = 64};
        struct gp_future *futures[5];
        struct gp_future *bad;
        struct gp_dag *dag;
        struct rig rig;
        int code;

        open_rig(&rig, (enum gp_completion)mode);
        stranger.device = rig.device;
        /* It ends before any of the others, and after they are submitted. */
        dag = gp_test_ones_dag(&stranger, 1, 3 * ITERATIONS / 2);
        gp_assert_ok(gp_context_schedule(&rig.context, dag, &bad, &rig.err), rig.err);
        for (int i = 0; i < 5; i++) {
            futures[i] = schedule(&rig);
        }
        assert_int_equal(gp_future_poll(bad, &waker, &rig.err), GP_ENOTREADY);
        assert_int_equal(gp_future_poll(futures[0], &waker, &rig.err), GP_ENOTREADY);
        assert_int_equal(gp_future_poll(futures[1], &waker, &rig.err), GP_ENOTREADY);
        assert_int_equal(gp_future_poll(futures[2], NULL, &rig.err), GP_ENOTREADY);
        assert_int_equal(gp_future_poll(futures[3], NULL, &rig.err), GP_ENOTREADY);
        gp_future_drop(futures[3]);
        await_count(&rig, &woken, 3);
        assert_int_equal(gp_future_poll(bad, &waker, &rig.err), GP_EFAULT);
        assert_int_equal(gp_future_state(bad), GP_FUTURE_FAILED);
        assert_int_equal(gp_future_poll(bad, &waker, &rig.err), GP_ESTATE);
        assert_int_equal(gp_future_wait(futures[0], &rig.err), GP_EFAULT);
        assert_int_equal(gp_future_wait(futures[1], &rig.err), GP_EFAULT);
        do {
            gp_device_pause(rig.device, gp_device_clock_ns(rig.device) + 100000);
            code = gp_future_poll(futures[2], NULL, &rig.err);
        } while (code == GP_ENOTREADY);
        assert_int_equal(code, GP_EFAULT);
        assert_int_equal(gp_future_poll(futures[4], NULL, &rig.err), GP_EFAULT);
        gp_future_drop(bad);
        for (int i = 0; i < 5; i++) {
            gp_future_drop(i != 3 ? futures[i] : NULL);
        }
        gp_context_drain(&rig.context);
        gp_dag_destroy(dag);
        close_rig(&rig);
    }
}

/* One future from init to finish on the recording device. */
static int run_on_fake(struct gp_fake *fake, struct gp_policy *policy, struct gp_dag *dag,
                       enum gp_completion completion, struct gp_error *err)
{
    const struct gp_context_options options = {
        .policy = policy->ops, .stream_count = 2, .completion = completion};
    struct gp_context context = {0};
    struct gp_future *future = NULL;
    int released = 0;
    int code = gp_context_init(&context, &fake->base, &options, err);

    if (code != 0) {
        assert_null(context.state);
        return code;
    }
    code = gp_context_schedule(&context, dag, &future, err);
    if (code == 0) {
        code = gp_future_keep(future, release, &released, err);
    }
    if (code == 0) {
        code = gp_future_wait(future, err);
        gp_future_drop(future);
        assert_int_equal(released, 1);
        future = NULL;
    }
    gp_future_drop(future);
    assert_int_equal(gp_context_finish(&context, NULL), 0);
    return code;
}

static void test_every_step_can_fail(void **state)
{
    static struct gp_fake fake;
    struct gp_error err = {0};
    struct gp_builder *builder;
    struct gp_policy *policy;
    struct gp_dag *dag;
    struct gp_op *op;

    (void)state;
    gp_fake_init(&fake);
    gp_assert_ok(gp_builder_create(&builder, &err), err);
    op = gp_test_zip(builder, gp_test_chain(builder, "ab"), gp_test_chain(builder, "cd"));
    op = gp_op_and_then(builder, op, gp_test_op(builder, 'e'));
    gp_assert_ok(gp_dag_freeze(builder, op, &dag, &err), err);
    gp_builder_destroy(builder);
    gp_assert_ok(gp_policy_create(gp_policy_find("round-robin"), 2, &policy, &err), err);
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        uint32_t n = 0;
        int code;

        do {
            fake.calls = 0;
            fake.fail_at = ++n;
            code = run_on_fake(&fake, policy, dag, (enum gp_completion)mode, &err);
            assert_true(code == 0 || code == GP_EDRIVER);
            assert_int_equal(fake.live, 0);
        } while (code != 0);
        assert_true(n > 12);
        fake.fail_at = 0;
        n = 0;
        do {
            gp_test_memory_fail_at(++n);
            code = run_on_fake(&fake, policy, dag, (enum gp_completion)mode, &err);
            assert_int_equal(gp_test_memory_restore(), code != 0);
            assert_true(code == 0 || code == GP_ENOMEM);
            assert_int_equal(fake.live, 0);
        } while (code != 0);
        assert_true(n > 10);
    }
    gp_policy_destroy(policy);
    gp_dag_destroy(dag);
    gp_fake_finish(&fake);
}

/* A failed submission is told when what came before it is done. */
static void test_half_submitted_is_awaited(void **state)
{
    static struct gp_fake fake;
    struct gp_context context = {0};
    struct gp_error err = {0};
    struct gp_builder *builder;
    struct gp_future *future;
    struct gp_dag *dag;
    int released = 0;

    (void)state;
    gp_fake_init(&fake);
    gp_assert_ok(gp_builder_create(&builder, &err), err);
    gp_assert_ok(gp_dag_freeze(builder, gp_test_chain(builder, "ab"), &dag, &err), err);
    gp_builder_destroy(builder);
    gp_assert_ok(gp_context_init(&context, &fake.base, NULL, &err), err);
    gp_assert_ok(gp_context_sync(&context, dag, &err), err);
    gp_assert_ok(gp_context_schedule(&context, dag, &future, &err), err);
    gp_assert_ok(gp_future_keep(future, release, &released, &err), err);
    fake.calls = 0;
    fake.fail_at = 2;
    fake.not_ready = 2;
    assert_int_equal(gp_future_poll(future, NULL, &err), GP_ENOTREADY);
    assert_int_equal(gp_future_poll(future, NULL, &err), GP_ENOTREADY);
    assert_int_equal(gp_future_poll(future, NULL, &err), GP_ENOTREADY);
    assert_int_equal(gp_future_poll(future, NULL, &err), GP_EDRIVER);
    assert_non_null(strstr(err.text, "submitting operation 1 'b'"));
    gp_future_drop(future);
    assert_int_equal(released, 1);
    gp_assert_ok(gp_context_finish(&context, &err), err);
    gp_dag_destroy(dag);
    gp_fake_finish(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polls_without_waker),
        cmocka_unit_test(test_waker_is_called_once),
        cmocka_unit_test(test_no_wake_up_is_lost),
        cmocka_unit_test(test_wait_after_a_waker),
        cmocka_unit_test(test_values_need_no_device),
        cmocka_unit_test(test_drop_in_every_state),
        cmocka_unit_test(test_sweep_finds_what_is_done),
        cmocka_unit_test(test_finish_wants_drops),
        cmocka_unit_test(test_faults_reach_everybody),
        cmocka_unit_test(test_every_step_can_fail),
        cmocka_unit_test(test_half_submitted_is_awaited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
