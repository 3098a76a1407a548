/* Pool, dispatch, sinks and buffers on the recording device. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/dispatch.h"
#include "fake_device.h"
#include "trees.h"

struct fixture {
    struct gp_fake fake;
    struct gp_dag *dag;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_pool *pool;
    struct gp_error err;
};

/* (ab | cd), e on two streams. */
static int setup(void **state)
{
    static struct fixture f;
    struct gp_builder *builder;
    struct gp_op *op;

    memset(&f, 0, sizeof f);
    gp_fake_init(&f.fake);
    gp_assert_ok(gp_builder_create(&builder, &f.err), f.err);
    op = gp_test_zip(builder, gp_test_chain(builder, "ab"), gp_test_chain(builder, "cd"));
    op = gp_op_and_then(builder, op, gp_test_op(builder, 'e'));
    gp_assert_ok(gp_dag_freeze(builder, op, &f.dag, &f.err), f.err);
    gp_builder_destroy(builder);
    gp_assert_ok(gp_policy_create(gp_policy_find("round-robin"), 2, &f.policy, &f.err), f.err);
    gp_assert_ok(gp_schedule_create(f.policy, f.dag, GP_ORDER_DEPTH, &f.schedule, &f.err), f.err);
    gp_assert_ok(gp_pool_create(&f.fake.base, 3, &f.pool, &f.err), f.err);
    gp_assert_ok(gp_pool_reserve(f.pool, f.schedule->event_count, &f.err), f.err);
    (void)gp_fake_take_log(&f.fake);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    gp_pool_destroy(f->pool);
    gp_schedule_destroy(f->schedule);
    gp_policy_destroy(f->policy);
    gp_dag_destroy(f->dag);
    gp_fake_finish(&f->fake);
    return 0;
}

/* Events 0, 1 and 2 are the completions of the pool's three streams. */
static const char *const whole_run = "launch s0 a; launch s0 b; launch s1 c; launch s1 d; "
                                     "record s1 e3; wait s0 e3; launch s0 e; "
                                     "record s0 e0; record s1 e1";

static void test_calls_in_order(void **state)
{
    struct fixture *f = *state;
    const struct gp_dispatch dispatch = {.schedule = f->schedule, .pool = f->pool};
    struct gp_run_times times;

    for (int run = 0; run < 2; run++) {
        f->fake.clock_reads = 0;
        gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f->err), f->err);
        assert_string_equal(gp_fake_take_log(&f->fake), whole_run);
        /* begin, submitted, end: nothing else reads the clock */
        assert_int_equal(f->fake.clock_reads, 3);
        assert_true(times.begin_ns < times.submitted_ns && times.submitted_ns < times.end_ns);
        assert_int_equal(f->fake.checks, 0);
    }
}

static void test_nothing_is_allocated(void **state)
{
    struct fixture *f = *state;
    const struct gp_dispatch dispatch = {.schedule = f->schedule, .pool = f->pool};
    struct gp_run_times times;
    int code;

    gp_test_memory_fail_at(1);
    code = gp_dispatch_run(&dispatch, &times, &f->err);
    assert_false(gp_test_memory_restore());
    assert_int_equal(code, 0);
}

/* Each pause of the fake device takes the whole patience, so each further look asks once. */
static void test_patience(void **state)
{
    struct fixture *f = *state;
    const struct gp_dispatch dispatch = {.schedule = f->schedule, .pool = f->pool};
    struct gp_run_times times;

    f->fake.not_ready = 6; /* three looks at two streams */
    gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f->err), f->err);
    assert_int_equal(f->fake.checks, 2);
    assert_true(times.end_ns - times.submitted_ns > 3000000);
    f->fake.not_ready = 6;
    f->fake.check_code = GP_EFAULT;
    assert_int_equal(gp_dispatch_run(&dispatch, &times, &f->err), GP_EFAULT);
    assert_string_equal(f->err.text,
                        "completion of stream 0 up to operation 4 'e': the fake device is lost");
}

static void test_pool_too_small(void **state)
{
    struct fixture *f = *state;
    struct gp_pool *small;
    struct gp_dispatch dispatch = {.schedule = f->schedule};
    struct gp_run_times times;

    gp_assert_ok(gp_pool_create(&f->fake.base, 2, &small, &f->err), f->err);
    dispatch.pool = small;
    assert_int_equal(gp_dispatch_run(&dispatch, &times, &f->err), GP_ESTATE);
    assert_non_null(strstr(f->err.text, "needs 2 and 1"));
    gp_pool_destroy(small);
    assert_int_equal(gp_pool_create(&f->fake.base, 0, &small, &f->err), GP_EINVAL);
    assert_int_equal(gp_pool_create(&f->fake.base, GP_STREAMS_MAX + 1, &small, &f->err), GP_EINVAL);
    assert_non_null(strstr(f->err.text, "between 1 and 128"));
}

/* Writes down what it is told, without times. */
struct text_sink {
    struct gp_sink base;
    char text[1024];
    int64_t last_ns;
    int64_t begin_ns, submitted_ns, end_ns;
};

static void append(struct text_sink *sink, const char *word, uint32_t op, int64_t at_ns)
{
    size_t used = strlen(sink->text);

    (void)snprintf(sink->text + used, sizeof sink->text - used, "%s%s%u", used > 0 ? " " : "", word,
                   op);
    assert_true(at_ns >= sink->last_ns);
    sink->last_ns = at_ns;
}

static void sink_run_begin(struct gp_sink *sink, const struct gp_schedule *schedule)
{
    append((struct text_sink *)sink, "run", schedule->dag->op_count, 0);
}

static void sink_op_begin(struct gp_sink *sink, uint32_t op, int64_t at_ns)
{
    append((struct text_sink *)sink, "(", op, at_ns);
}

static void sink_op_end(struct gp_sink *sink, uint32_t op, int64_t begin_ns, int64_t end_ns)
{
    assert_true(begin_ns < end_ns);
    append((struct text_sink *)sink, ")", op, end_ns);
}

static void sink_call(struct gp_sink *sink, const char *name, uint32_t op, int64_t begin_ns,
                      int64_t end_ns)
{
    assert_true(begin_ns < end_ns);
    append((struct text_sink *)sink, name, op, end_ns);
}

static void sink_run_end(struct gp_sink *sink, int64_t begin_ns, int64_t submitted_ns,
                         int64_t end_ns)
{
    struct text_sink *text = (struct text_sink *)sink;

    text->begin_ns = begin_ns;
    text->submitted_ns = submitted_ns;
    text->end_ns = end_ns;
}

static const struct gp_sink_ops text_ops = {
    .name = "text",
    .run_begin = sink_run_begin,
    .op_begin = sink_op_begin,
    .op_end = sink_op_end,
    .call = sink_call,
    .run_end = sink_run_end,
};

static void test_sinks_are_told(void **state)
{
    static const struct gp_sink_ops deaf_ops = {.name = "deaf"};
    struct fixture *f = *state;
    struct text_sink one = {.base = {&text_ops}};
    struct text_sink two = {.base = {&text_ops}};
    struct gp_sink deaf = {&deaf_ops};
    struct gp_sink *const sinks[] = {&one.base, &deaf, &two.base};
    struct gp_sink_tee tee;
    struct gp_dispatch dispatch = {.schedule = f->schedule, .pool = f->pool, .sink = &tee.base};
    struct gp_run_times times;

    gp_sink_tee_init(&tee, sinks, 3);
    gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f->err), f->err);
    assert_string_equal(one.text, "run5 (0 )0 (1 )1 (2 )2 (3 )3 record3 wait4 (4 )4");
    assert_string_equal(two.text, one.text);
    assert_int_equal(one.begin_ns, times.begin_ns);
    assert_int_equal(one.submitted_ns, times.submitted_ns);
    assert_int_equal(one.end_ns, times.end_ns);
    assert_string_equal(gp_fake_take_log(&f->fake), whole_run);
}

static void test_probes(void **state)
{
    struct fixture *f = *state;
    struct gp_probe probes[5] = {0};
    struct text_sink sink = {.base = {&text_ops}};
    struct gp_event *before;
    struct gp_event *after;
    struct gp_dispatch dispatch = {
        .schedule = f->schedule, .pool = f->pool, .probes = probes, .sink = &sink.base};
    struct gp_run_times times;

    gp_assert_ok(gp_event_create(&f->fake.base, GP_EVENT_TIMED, &before, &f->err), f->err);
    gp_assert_ok(gp_event_create(&f->fake.base, GP_EVENT_TIMED, &after, &f->err), f->err);
    probes[1].stamp = 64;
    probes[3].before = before;
    probes[3].after = after;
    gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f->err), f->err);
    assert_string_equal(gp_fake_take_log(&f->fake),
                        "launch s0 a; launch s0 b stamped; launch s1 c; record s1 e4; launch s1 d; "
                        "record s1 e5; record s1 e3; wait s0 e3; launch s0 e; record s0 e0; "
                        "record s1 e1");
    assert_string_equal(sink.text, "run5 (0 )0 (1 )1 (2 )2 timed record3 (3 )3 timed record3 "
                                   "record3 wait4 (4 )4");
    /* The plan itself is not stamped. */
    assert_int_equal(f->dag->ops[1].launch.stamp, 0);
    (void)gp_event_destroy(before, NULL);
    (void)gp_event_destroy(after, NULL);
}

/* Fails each call of a run in turn: named, drained, and the next run is as ever. */
static void test_failure_at_each_call(void **state)
{
    static const struct {
        const char *call, *text;
    } expected[] = {
        {"launch", "submitting operation 0 'a' on stream 0: "},
        {"launch", "submitting operation 1 'b' on stream 0: "},
        {"launch", "submitting operation 2 'c' on stream 1: "},
        {"launch", "submitting operation 3 'd' on stream 1: "},
        {"event_record", "record after operation 3 'd' on stream 1: "},
        {"stream_wait", "wait of operation 4 'e' on stream 0: "},
        {"launch", "submitting operation 4 'e' on stream 0: "},
        {"event_record", "completion of stream 0 up to operation 4 'e': "},
        {"event_record", "completion of stream 1 up to operation 3 'd': "},
        {"event_query", "completion of stream 0 up to operation 4 'e': "},
        {"event_query", "completion of stream 1 up to operation 3 'd': "},
    };
    struct fixture *f = *state;
    const struct gp_dispatch dispatch = {.schedule = f->schedule, .pool = f->pool};
    struct gp_run_times times;

    for (uint32_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        f->fake.calls = 0;
        f->fake.fail_at = i + 1;
        f->fake.syncs = 0;
        assert_int_equal(gp_dispatch_run(&dispatch, &times, &f->err), GP_EDRIVER);
        assert_string_equal(f->err.call, expected[i].call);
        assert_memory_equal(f->err.text, expected[i].text, strlen(expected[i].text));
        assert_int_equal(f->fake.syncs, 2);
        /* Also without anybody who wants to know. */
        f->fake.calls = 0;
        assert_int_equal(gp_dispatch_run(&dispatch, &times, NULL), GP_EDRIVER);
        f->fake.fail_at = 0;
        gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f->err), f->err);
    }
    f->fake.calls = 0;
    gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f->err), f->err);
    assert_int_equal(f->fake.calls, sizeof expected / sizeof expected[0]);
}

/* Making a pool and its events, with the n-th call on the device and the n-th allocation failing.
 */
static void test_pool_failures(void **state)
{
    struct fixture *f = *state;
    struct gp_pool *pool;
    struct gp_error err = {0};
    uint32_t n = 0;
    int code;

    do {
        f->fake.calls = 0;
        f->fake.fail_at = ++n;
        code = gp_pool_create(&f->fake.base, 2, &pool, &err);
        if (code == 0) {
            code = gp_pool_reserve(pool, 3, &err);
        }
        gp_pool_destroy(pool);
        assert_true(code == 0 || code == GP_EDRIVER);
    } while (code != 0);
    assert_int_equal(n, 2 + 2 + 3 + 1);
    f->fake.fail_at = 0;
    n = 0;
    do {
        gp_test_memory_fail_at(++n);
        code = gp_pool_create(&f->fake.base, 2, &pool, &err);
        if (code == 0) {
            code = gp_pool_reserve(pool, 3, &err);
        }
        gp_pool_destroy(pool);
        assert_int_equal(gp_test_memory_restore(), code != 0);
        assert_true(code == 0 || code == GP_ENOMEM);
    } while (code != 0);
    assert_int_equal(n, 3);
}

static void test_buffers(void **state)
{
    struct fixture *f = *state;
    struct gp_stream *through = f->pool->streams[0];
    const enum gp_space spaces[] = {GP_SPACE_DEVICE, GP_SPACE_PINNED, GP_SPACE_PAGEABLE};

    for (int i = 0; i < 3; i++) {
        struct gp_buffer *buffer;
        char text[9] = "";

        gp_assert_ok(gp_buffer_create(&f->fake.base, spaces[i], 8, 7,
                                      "a name that is far too long to be kept as a whole", &buffer,
                                      &f->err),
                     f->err);
        assert_string_equal(buffer->name, "a name that is far too long to ");
        assert_int_equal(buffer->id, 7);
        gp_assert_ok(gp_buffer_fill(buffer, through, 'x', &f->err), f->err);
        gp_assert_ok(gp_buffer_write(buffer, through, 2, "abc", 3, &f->err), f->err);
        gp_assert_ok(gp_buffer_read(buffer, through, 0, text, 8, &f->err), f->err);
        assert_string_equal(text, "xxabcxxx");
        gp_assert_ok(gp_buffer_read(buffer, through, 8, text, 0, &f->err), f->err);
        assert_int_equal(gp_buffer_write(buffer, through, 6, "abc", 3, &f->err), GP_EINVAL);
        assert_int_equal(gp_buffer_read(buffer, through, UINT64_MAX, text, 3, &f->err), GP_EINVAL);
        assert_non_null(strstr(f->err.text, "lie outside buffer 'a name"));
        gp_buffer_destroy(buffer);
    }
}

static void test_buffer_failures(void **state)
{
    struct fixture *f = *state;
    struct gp_buffer *buffer;

    assert_int_equal(
        gp_buffer_create(&f->fake.base, GP_SPACE_DEVICE, 0, 0, "none", &buffer, &f->err),
        GP_EINVAL);
    f->fake.calls = 0;
    f->fake.fail_at = 1;
    f->fake.fail_code = GP_EDEVICEMEM;
    assert_int_equal(
        gp_buffer_create(&f->fake.base, GP_SPACE_DEVICE, 64, 0, "big", &buffer, &f->err),
        GP_EDEVICEMEM);
    assert_non_null(strstr(f->err.text, "buffer 'big' of 64 bytes of device memory: "));
    assert_null(buffer);
    gp_test_memory_fail_at(1);
    assert_int_equal(
        gp_buffer_create(&f->fake.base, GP_SPACE_PINNED, 64, 0, "big", &buffer, &f->err),
        GP_ENOMEM);
    assert_true(gp_test_memory_restore());
    gp_test_memory_fail_at(2);
    assert_int_equal(
        gp_buffer_create(&f->fake.base, GP_SPACE_PAGEABLE, 64, 0, "big", &buffer, &f->err),
        GP_ENOMEM);
    assert_true(gp_test_memory_restore());
    assert_non_null(strstr(f->err.text, "buffer 'big' of 64 bytes of pageable host memory: "));
    gp_assert_ok(gp_buffer_create(&f->fake.base, GP_SPACE_DEVICE, 64, 0, "b", &buffer, &f->err),
                 f->err);
    f->fake.calls = 0;
    assert_int_equal(gp_buffer_fill(buffer, f->pool->streams[0], 0, &f->err), GP_EDEVICEMEM);
    assert_non_null(strstr(f->err.text, "buffer 'b': "));
    gp_buffer_destroy(buffer);
    gp_buffer_destroy(NULL);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_calls_in_order),       TEST(test_nothing_is_allocated), TEST(test_patience),
        TEST(test_pool_too_small),       TEST(test_sinks_are_told),       TEST(test_probes),
        TEST(test_failure_at_each_call), TEST(test_pool_failures),        TEST(test_buffers),
        TEST(test_buffer_failures),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
