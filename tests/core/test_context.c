/* Contexts: init, registry, the verbs, streams of the caller, and threads that use one at once. */
#include "test.h"

#include <pthread.h>
#include <string.h>

#include "core/context.h"
#include "core/future.h"
#include "core/stream.h"
#include "fake_device.h"
#include "ones.h"
#include "trees.h"

struct rig {
    struct gp_device *device;
    struct gp_stream *helper;
    struct gp_buffer *buffer;
    struct gp_error err;
};

enum { CHAINS = 8 };

static void open_rig(struct rig *rig, const char *spec)
{
    memset(rig, 0, sizeof *rig);
    gp_assert_ok(gp_device_open(spec, NULL, &rig->device, &rig->err), rig->err);
    gp_assert_ok(gp_stream_create(rig->device, GP_STREAM_NON_BLOCKING, 0, &rig->helper, &rig->err),
                 rig->err);
    gp_assert_ok(gp_buffer_create(rig->device, GP_SPACE_DEVICE, (uint64_t)CHAINS * GP_ONES_BYTES, 0,
                                  "data", &rig->buffer, &rig->err),
                 rig->err);
    gp_assert_ok(gp_buffer_fill(rig->buffer, rig->helper, 0, &rig->err), rig->err);
}

static void close_rig(struct rig *rig)
{
    gp_buffer_destroy(rig->buffer);
    (void)gp_stream_destroy(rig->helper, NULL);
    gp_device_close(rig->device);
}

static void expect_first(struct rig *rig, uint32_t chain, float expected)
{
    float found;

    gp_assert_ok(gp_buffer_read(rig->buffer, rig->helper, (uint64_t)chain * GP_ONES_BYTES, &found,
                                sizeof found, &rig->err),
                 rig->err);
    assert_true(found == expected);
}

static void test_second_init_harms_nothing(void **state)
{
    struct gp_context context = {0};
    struct gp_context other = {0};
    struct gp_context_options options = {.scope = GP_SCOPE_PROCESS};
    struct gp_dag *dag;
    struct rig rig;

    (void)state;
    open_rig(&rig, "model:h200");
    dag = gp_test_ones_dag(rig.buffer, 2, 10);
    gp_assert_ok(gp_context_init(&context, rig.device, &options, &rig.err), rig.err);
    assert_int_equal(gp_context_init(&context, rig.device, &options, &rig.err), GP_ESTATE);
    assert_string_equal(rig.err.text, "the context is initialised already");
    assert_int_equal(gp_context_init(&other, rig.device, &options, &rig.err), GP_ESTATE);
    assert_string_equal(rig.err.text, "this process has a context already");
    assert_null(other.state);
    options.scope = GP_SCOPE_THREAD;
    gp_assert_ok(gp_context_init(&other, rig.device, &options, &rig.err), rig.err);
    gp_assert_ok(gp_context_sync(&context, dag, &rig.err), rig.err);
    gp_assert_ok(gp_context_sync(NULL, dag, &rig.err), rig.err);
    expect_first(&rig, 1, 40);
    gp_assert_ok(gp_context_finish(&other, &rig.err), rig.err);
    gp_assert_ok(gp_context_finish(&other, &rig.err), rig.err);
    gp_assert_ok(gp_context_sync(NULL, dag, &rig.err), rig.err);
    gp_assert_ok(gp_context_finish(&context, &rig.err), rig.err);
    options.scope = GP_SCOPE_PROCESS;
    gp_assert_ok(gp_context_init(&context, rig.device, &options, &rig.err), rig.err);
    gp_assert_ok(gp_context_finish(&context, &rig.err), rig.err);
    gp_dag_destroy(dag);
    close_rig(&rig);
}

static void test_use_before_init(void **state)
{
    struct gp_context context = {0};
    struct gp_future *future = (struct gp_future *)&context;
    struct gp_dag *dag;
    struct rig rig;

    (void)state;
    open_rig(&rig, "model:h200");
    dag = gp_test_ones_dag(rig.buffer, 1, 1);
    assert_int_equal(gp_context_schedule(&context, dag, &future, &rig.err), GP_ESTATE);
    assert_null(future);
    assert_string_equal(rig.err.text,
                        "the context was not initialised; call gp_context_init first");
    assert_int_equal(gp_context_sync(NULL, dag, &rig.err), GP_ESTATE);
    assert_non_null(strstr(rig.err.text, "no context is registered"));
    assert_int_equal(gp_context_sync_on(&context, dag, rig.helper, &rig.err), GP_ESTATE);
    assert_int_equal(gp_context_submit_on(&context, dag, rig.helper, &rig.err), GP_ESTATE);
    assert_int_equal(gp_context_sweep(&context), 0);
    assert_int_equal(gp_context_pending(&context), 0);
    gp_context_drain(&context);
    gp_dag_destroy(dag);
    close_rig(&rig);
}

/* Streams are made by the first work, not by init; a bad size is refused by init. */
static void test_pool_is_lazy(void **state)
{
    static struct gp_fake fake;
    struct gp_context context = {0};
    struct gp_context_options options = {.stream_count = GP_STREAMS_MAX + 1};
    struct gp_error err = {0};

    (void)state;
    gp_fake_init(&fake);
    assert_int_equal(gp_context_init(&context, &fake.base, &options, &err), GP_EINVAL);
    options.stream_count = 0;
    gp_assert_ok(gp_context_init(&context, &fake.base, &options, &err), err);
    assert_int_equal(fake.calls, 0);
    gp_assert_ok(gp_context_finish(&context, &err), err);
    assert_int_equal(fake.stream_count, 0);
    gp_fake_finish(&fake);
}

static void test_on_a_stream_of_the_caller(void **state)
{
    static struct gp_fake fake;
    struct gp_context context = {0};
    struct gp_error err = {0};
    struct gp_builder *builder;
    struct gp_stream *stream;
    struct gp_dag *dag;

    (void)state;
    gp_fake_init(&fake);
    gp_assert_ok(gp_builder_create(&builder, &err), err);
    gp_assert_ok(gp_dag_freeze(builder,
                               gp_test_zip(builder, gp_test_chain(builder, "ab"),
                                           gp_test_chain(builder, "cd")),
                               &dag, &err),
                 err);
    gp_builder_destroy(builder);
    gp_assert_ok(gp_stream_create(&fake.base, GP_STREAM_NON_BLOCKING, 0, &stream, &err), err);
    gp_assert_ok(gp_context_init(&context, &fake.base, NULL, &err), err);
    (void)gp_fake_take_log(&fake);
    gp_assert_ok(gp_context_submit_on(&context, dag, stream, &err), err);
    assert_string_equal(gp_fake_take_log(&fake),
                        "launch s0 a; launch s0 b; launch s0 c; launch s0 d");
    gp_assert_ok(gp_context_sync_on(&context, dag, stream, &err), err);
    assert_string_equal(gp_fake_take_log(&fake),
                        "launch s0 a; launch s0 b; launch s0 c; launch s0 d; sync s0");
    /* A failure on the way is the one told, and the stream is waited for all the same. */
    fake.calls = 0;
    fake.fail_at = 2;
    assert_int_equal(gp_context_sync_on(&context, dag, stream, &err), GP_EDRIVER);
    assert_non_null(strstr(err.text, "submitting operation 1 'b'"));
    assert_string_equal(gp_fake_take_log(&fake), "launch s0 a; launch s0 b; sync s0");
    assert_int_equal(fake.stream_count, 1);
    gp_assert_ok(gp_context_finish(&context, &err), err);
    (void)gp_stream_destroy(stream, NULL);
    gp_dag_destroy(dag);
    gp_fake_finish(&fake);
}

/* ---- several threads ---- */

enum { THREADS = 8, ROUNDS = 20 };

struct user {
    struct rig *rig;
    struct gp_context *context;
    struct gp_dag *dag;
    struct gp_error err;
    int code;
};

static void *use(void *argument)
{
    struct user *user = argument;

    user->code = gp_device_attach(user->rig->device, &user->err);
    if (user->code != 0) {
        return NULL;
    }
    for (int i = 0; i < ROUNDS && user->code == 0; i++) {
        user->code = gp_context_sync(user->context, user->dag, &user->err);
    }
    gp_device_detach(user->rig->device);
    return NULL;
}

static void use_at_once(const char *spec, enum gp_completion completion)
{
    const struct gp_context_options options = {.completion = completion};
    struct gp_context context = {0};
    struct user users[THREADS];
    pthread_t threads[THREADS];
    struct gp_lane *lane;
    struct rig rig;

    open_rig(&rig, spec);
    gp_assert_ok(gp_context_init(&context, rig.device, &options, &rig.err), rig.err);
    for (int i = 0; i < THREADS; i++) {
        struct gp_error err = {0};
        struct gp_builder *builder;

        users[i] = (struct user){.rig = &rig, .context = &context};
        gp_assert_ok(gp_builder_create(&builder, &err), err);
        gp_assert_ok(
            gp_dag_freeze(builder,
                          gp_test_ones(builder, rig.buffer, (uint64_t)i * GP_ONES_BYTES, 10),
                          &users[i].dag, &err),
            err);
        gp_builder_destroy(builder);
        assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
    }
    lane = gp_device_park(rig.device);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    gp_device_resume(rig.device, lane);
    for (uint32_t i = 0; i < THREADS; i++) {
        gp_assert_ok(users[i].code, users[i].err);
        expect_first(&rig, i, 10 * ROUNDS);
        gp_dag_destroy(users[i].dag);
    }
    gp_assert_ok(gp_context_finish(&context, &rig.err), rig.err);
    close_rig(&rig);
}

static void test_threads_use_one_at_once(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        use_at_once("model:h200", (enum gp_completion)mode);
        use_at_once("model:h200,free", (enum gp_completion)mode);
    }
}

/* ---- streams ---- */

static void test_fork_and_join(void **state)
{
    static struct gp_fake fake;
    struct gp_stream *parent;
    struct gp_stream *child;
    struct gp_error err = {0};
    int code;
    uint32_t n = 0;

    (void)state;
    gp_fake_init(&fake);
    gp_assert_ok(gp_stream_create(&fake.base, GP_STREAM_BLOCKING, -3, &parent, &err), err);
    (void)gp_fake_take_log(&fake);
    gp_assert_ok(gp_stream_fork(parent, &child, &err), err);
    gp_assert_ok(gp_stream_join(parent, child, &err), err);
    assert_string_equal(gp_fake_take_log(&fake), "create s1 flag 0 priority -3; record s0 e0; "
                                                 "wait s1 e0; record s1 e1; wait s0 e1");
    (void)gp_stream_destroy(child, NULL);
    do {
        fake.calls = 0;
        fake.fail_at = ++n;
        code = gp_stream_fork(parent, &child, &err);
        assert_true(code == 0 || (code == GP_EDRIVER && child == NULL));
    } while (code != 0);
    assert_int_equal(n, 5);
    (void)gp_stream_destroy(child, NULL);
    (void)gp_stream_destroy(parent, NULL);
    gp_fake_finish(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_init_harms_nothing),
        cmocka_unit_test(test_use_before_init),
        cmocka_unit_test(test_pool_is_lazy),
        cmocka_unit_test(test_on_a_stream_of_the_caller),
        cmocka_unit_test(test_threads_use_one_at_once),
        cmocka_unit_test(test_fork_and_join),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
