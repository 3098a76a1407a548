/* Launches, host functions, flags, graphs and clocks: what holds on every CUDA driver. */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/dispatch.h"
#include "core/executor.h"
#include "kernels/kernels.h"

static void test_kernel_computes_and_stamps(void **state)
{
    struct fixture *fixture = *state;
    struct gp_stamp stamp = {.begin = UINT64_MAX, .end = 0};
    void *block = NULL;
    gp_addr slot = 0;

    gp_assert_ok(gp_device_mem_alloc(fixture->device, sizeof stamp, &slot, &fixture->err),
                 fixture->err);
    gp_assert_ok(gp_device_host_alloc(fixture->device, sizeof stamp, &block, &fixture->err),
                 fixture->err);
    memcpy(block, &stamp, sizeof stamp);
    gp_assert_ok(gp_stream_copy(fixture->stream, GP_COPY_H2D, slot, (uintptr_t)block, sizeof stamp,
                                &fixture->err),
                 fixture->err);
    fixture_upload(fixture, fixture->a, 1.0F, 1.0F);
    fixture_upload(fixture, fixture->b, 100.0F, 2.0F);
    gp_assert_ok(fixture_submit_add(fixture, fixture->stream, slot), fixture->err);
    gp_assert_ok(gp_stream_copy(fixture->stream, GP_COPY_D2H, (uintptr_t)block, slot, sizeof stamp,
                                &fixture->err),
                 fixture->err);
    fixture_download(fixture, fixture->c);
    for (int i = 0; i < FIXTURE_COUNT; i++) {
        assert_true(fixture->host[i] == 101.0F + 3.0F * (float)i);
    }
    memcpy(&stamp, block, sizeof stamp);
    assert_true(stamp.begin != UINT64_MAX && stamp.end != 0);
    assert_true(stamp.begin <= stamp.end);
    gp_assert_ok(gp_device_host_free(fixture->device, block, &fixture->err), fixture->err);
    gp_assert_ok(gp_device_mem_free(fixture->device, slot, &fixture->err), fixture->err);
}

static void test_unprepared_kernel_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct gp_kernel copy = gp_kernel_relu;
    struct gp_launch launch = {.kernel = &copy, .grid = {1, 1, 1}, .block = {1, 1, 1}};

    copy.name = "stranger";
    assert_int_equal(gp_stream_launch(fixture->stream, &launch, &fixture->err), GP_ESTATE);
    assert_non_null(strstr(fixture->err.text, "'stranger' was not prepared"));
}

static void test_unknown_entry_is_named(void **state)
{
    struct fixture *fixture = *state;
    struct gp_kernel copy = gp_kernel_relu;

    copy.symbol = "gp_no_such_entry";
    assert_int_equal(gp_device_kernel_prepare(fixture->device, &copy, &fixture->err), GP_EDRIVER);
    assert_non_null(strstr(fixture->err.text, "gp_no_such_entry"));
    assert_int_equal(fixture->err.driver_code, 500);
}

static void test_too_many_kernels_are_refused(void **state)
{
    static struct gp_kernel copies[200];
    struct fixture *fixture = *state;
    size_t prepared = 0;
    int code = 0;

    for (size_t i = 0; i < 200 && code == 0; i++) {
        copies[i] = gp_kernel_relu;
        code = gp_device_kernel_prepare(fixture->device, &copies[i], &fixture->err);
        prepared += code == 0 ? 1 : 0;
    }
    assert_int_equal(code, GP_EINVAL);
    assert_int_equal(prepared, 128 - gp_kernel_table_count);
    gp_assert_ok(gp_device_kernel_prepare(fixture->device, &copies[0], &fixture->err),
                 fixture->err);
    gp_assert_ok(fixture_submit_add(fixture, fixture->stream, 0), fixture->err);
    gp_assert_ok(gp_stream_sync(fixture->stream, &fixture->err), fixture->err);
}

static void test_bad_launch_names_the_kernel(void **state)
{
    struct fixture *fixture = *state;
    const uint32_t count = 1;
    const void *const args[] = {&fixture->a, &fixture->b, &count};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_relu, .grid = {1, 1, 1}, .block = {2048, 1, 1}, .args = args};

    assert_int_equal(gp_stream_launch(fixture->stream, &launch, &fixture->err), GP_EDRIVER);
    assert_non_null(strstr(fixture->err.text, "kernel 'relu'"));
    assert_non_null(strstr(fixture->err.text, "2048"));
    assert_string_equal(fixture->err.call, "cuLaunchKernel");
    gp_assert_ok(gp_device_check(fixture->device, &fixture->err), fixture->err);
}

/* What a host function saw. */
struct visit {
    struct fixture *fixture;
    atomic_int runs;
    int launch_code, query_code, attach_code, open_code, destroy_code;
    char text[160];
};

static void visit_device(void *user)
{
    struct visit *visit = user;
    struct gp_device *second = NULL;
    struct gp_error err = {0};

    visit->query_code = gp_stream_query(visit->fixture->stream, &err);
    (void)snprintf(visit->text, sizeof visit->text, "%.159s", err.text);
    visit->destroy_code = gp_stream_destroy(visit->fixture->stream, &err);
    visit->attach_code = gp_device_attach(visit->fixture->device, &err);
    visit->open_code = gp_device_open("cuda", NULL, &second, &err);
    atomic_fetch_add(&visit->runs, 1);
}

static void test_host_function_must_not_call_back(void **state)
{
    struct fixture *fixture = *state;
    struct visit visit = {.fixture = fixture};

    gp_assert_ok(gp_stream_host_function(fixture->stream, visit_device, &visit, &fixture->err),
                 fixture->err);
    gp_assert_ok(gp_stream_sync(fixture->stream, &fixture->err), fixture->err);
    assert_int_equal(atomic_load(&visit.runs), 1);
    assert_int_equal(visit.query_code, GP_ESTATE);
    assert_int_equal(visit.destroy_code, GP_ESTATE);
    assert_int_equal(visit.attach_code, GP_ESTATE);
    assert_int_equal(visit.open_code, GP_ESTATE);
    assert_non_null(strstr(visit.text, "host function"));
    gp_assert_ok(gp_device_check(fixture->device, &fixture->err), fixture->err);
}

static void count_run(void *user)
{
    atomic_fetch_add((atomic_int *)user, 1);
}

static void test_many_host_functions_run_in_order(void **state)
{
    struct fixture *fixture = *state;
    atomic_int runs = 0;

    for (int i = 0; i < 200; i++) {
        gp_assert_ok(gp_stream_host_function(fixture->stream, count_run, &runs, &fixture->err),
                     fixture->err);
    }
    gp_assert_ok(gp_stream_sync(fixture->stream, &fixture->err), fixture->err);
    assert_int_equal(atomic_load(&runs), 200);
}

static void test_flag_is_written_after_the_work(void **state)
{
    struct fixture *fixture = *state;
    void *block = NULL;
    int code;

    gp_assert_ok(gp_device_host_alloc(fixture->device, 64, &block, &fixture->err), fixture->err);
    fixture_upload(fixture, fixture->a, 0.0F, 0.0F);
    gp_assert_ok(fixture_submit_fma(fixture, fixture->stream, 1000, 1.0F), fixture->err);
    gp_assert_ok(gp_stream_copy(fixture->stream, GP_COPY_D2H, (uintptr_t)fixture->host, fixture->a,
                                sizeof(float), &fixture->err),
                 fixture->err);
    code = gp_stream_flag_write(fixture->stream, block, 77, &fixture->err);
    if (code == GP_EUNSUPPORTED) {
        print_message("%s\n", fixture->err.text);
    } else {
        gp_assert_ok(code, fixture->err);
        while (gp_device_flag_read(fixture->device, block) != 77) {
            gp_device_pause(fixture->device, INT64_MAX);
        }
        assert_true(fixture->host[0] == 1000.0F);
    }
    gp_assert_ok(gp_stream_sync(fixture->stream, &fixture->err), fixture->err);
    gp_assert_ok(gp_device_host_free(fixture->device, block, &fixture->err), fixture->err);
}

/* Two branches that fork from and join the first stream. */
/* A copy to the device and back, on two streams, learnt of in each mode. */
static void test_every_completion_mode(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error err = {0};
    struct gp_buffer *pinned;
    struct gp_buffer *device;
    struct gp_builder *builder;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_pool *pool;
    struct gp_op *op;
    struct gp_dag *dag;

    gp_assert_ok(gp_buffer_create(fixture->device, GP_SPACE_PINNED, 8, 0, "p", &pinned, &err), err);
    gp_assert_ok(gp_buffer_create(fixture->device, GP_SPACE_DEVICE, 4, 1, "d", &device, &err), err);
    gp_assert_ok(gp_builder_create(&builder, &err), err);
    op = gp_op_and_then(builder, gp_op_copy(builder, NULL, device, 0, pinned, 0, 4),
                        gp_op_copy(builder, NULL, pinned, 4, device, 0, 4));
    gp_assert_ok(gp_dag_freeze(builder, op, &dag, &err), err);
    gp_builder_destroy(builder);
    gp_assert_ok(gp_policy_create(gp_policy_find("round-robin-op"), 2, &policy, &err), err);
    gp_assert_ok(gp_schedule_create(policy, dag, GP_ORDER_DEPTH, &schedule, &err), err);
    gp_assert_ok(gp_pool_create(fixture->device, 2, &pool, &err), err);
    gp_assert_ok(gp_pool_reserve(pool, schedule->event_count, &err), err);
    for (uint32_t i = 0; i < 4 * GP_COMPLETION_COUNT; i++) {
        const struct gp_dispatch dispatch = {
            .schedule = schedule, .pool = pool, .completion = (enum gp_completion)(i / 4)};
        uint32_t *words = gp_buffer_host(pinned);
        struct gp_run_times times;

        gp_assert_ok(gp_pool_prepare(pool, dispatch.completion, &err), err);
        words[0] = i + 1;
        gp_assert_ok(gp_dispatch_run(&dispatch, &times, &err), err);
        assert_int_equal(words[1], i + 1);
    }
    gp_pool_destroy(pool);
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    gp_dag_destroy(dag);
    gp_buffer_destroy(pinned);
    gp_buffer_destroy(device);
}

/* Fifty fills of a buffer in flight on two threads, in each mode. */
static void test_futures_on_an_executor(void **state)
{
    enum { COUNT = 50 };
    struct fixture *fixture = *state;
    struct gp_error err = {0};
    struct gp_buffer *buffer;
    struct gp_builder *builder;
    struct gp_executor *executor;
    struct gp_task *tasks[COUNT];
    struct gp_dag *dag;
    uint8_t found = 0;

    gp_assert_ok(gp_buffer_create(fixture->device, GP_SPACE_DEVICE, 64, 0, "b", &buffer, &err),
                 err);
    gp_assert_ok(gp_builder_create(&builder, &err), err);
    gp_assert_ok(gp_dag_freeze(builder, gp_op_memset(builder, NULL, buffer, 0, 7, 64), &dag, &err),
                 err);
    gp_builder_destroy(builder);
    gp_assert_ok(gp_executor_create(fixture->device, 2, &executor, &err), err);
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        const struct gp_context_options options = {.completion = (enum gp_completion)mode};
        struct gp_context context = {0};

        gp_assert_ok(gp_context_init(&context, fixture->device, &options, &err), err);
        for (int i = 0; i < COUNT; i++) {
            struct gp_future *future;

            gp_assert_ok(gp_context_schedule(&context, dag, &future, &err), err);
            gp_assert_ok(gp_executor_spawn_future(executor, future, &tasks[i], &err), err);
        }
        for (int i = 0; i < COUNT; i++) {
            gp_assert_ok(gp_task_join(tasks[i], &err), err);
        }
        gp_assert_ok(gp_context_finish(&context, &err), err);
    }
    gp_executor_destroy(executor);
    gp_assert_ok(gp_buffer_read(buffer, fixture->stream, 63, &found, 1, &err), err);
    assert_int_equal(found, 7);
    gp_dag_destroy(dag);
    gp_buffer_destroy(buffer);
}

static void capture_two_branches(struct fixture *fixture, struct gp_stream *other,
                                 struct gp_event *const *events, struct gp_graph **out)
{
    struct gp_error *err = &fixture->err;

    gp_assert_ok(gp_stream_capture_begin(fixture->stream, err), *err);
    assert_int_equal(gp_stream_capture_begin(fixture->stream, err), GP_ESTATE);
    gp_assert_ok(gp_event_record(events[0], fixture->stream, err), *err);
    gp_assert_ok(gp_stream_wait(other, events[0], err), *err);
    gp_assert_ok(fixture_submit_fma(fixture, other, 10, 1.0F), *err);
    gp_assert_ok(gp_event_record(events[1], other, err), *err);
    gp_assert_ok(gp_stream_wait(fixture->stream, events[1], err), *err);
    gp_assert_ok(fixture_submit_add(fixture, fixture->stream, 0), *err);
    gp_assert_ok(gp_stream_capture_end(fixture->stream, out, err), *err);
}

static void test_graph_runs_what_was_captured(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error *err = &fixture->err;
    struct gp_stream *other = NULL;
    struct gp_event *events[2] = {NULL, NULL};
    struct gp_graph *graph = NULL;

    gp_assert_ok(gp_stream_create(fixture->device, GP_STREAM_NON_BLOCKING, 0, &other, err), *err);
    gp_assert_ok(gp_event_create(fixture->device, 0, &events[0], err), *err);
    gp_assert_ok(gp_event_create(fixture->device, 0, &events[1], err), *err);
    fixture_upload(fixture, fixture->a, 0.0F, 1.0F);
    fixture_upload(fixture, fixture->b, 5.0F, 0.0F);
    capture_two_branches(fixture, other, events, &graph);
    assert_int_equal(graph->node_count, 2);
    assert_int_equal(gp_graph_launch(graph, fixture->stream, err), GP_ESTATE);
    gp_assert_ok(gp_graph_instantiate(graph, err), *err);
    assert_int_equal(gp_graph_instantiate(graph, err), GP_ESTATE);
    fixture_download(fixture, fixture->a);
    assert_true(fixture->host[3] == 3.0F); /* nothing has run yet */
    gp_assert_ok(gp_graph_launch(graph, fixture->stream, err), *err);
    gp_assert_ok(gp_graph_launch(graph, fixture->stream, err), *err);
    fixture_download(fixture, fixture->c);
    assert_true(fixture->host[3] == 28.0F);
    gp_assert_ok(gp_graph_destroy(graph, err), *err);
    gp_assert_ok(gp_event_destroy(events[0], err), *err);
    gp_assert_ok(gp_event_destroy(events[1], err), *err);
    gp_assert_ok(gp_stream_destroy(other, err), *err);
}

/* A graph's memory is there in each launch; memory from elsewhere it must not free. */
static void test_captured_memory(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error *err = &fixture->err;
    const uint64_t bytes = FIXTURE_COUNT * sizeof(float);
    struct gp_graph *graph = NULL;
    gp_addr outside = 0;
    gp_addr inside = 0;
    int code = gp_stream_mem_alloc(fixture->stream, bytes, &outside, err);

    if (code == GP_EUNSUPPORTED) {
        print_message("%s\n", err->text);
        skip();
    }
    gp_assert_ok(gp_stream_capture_begin(fixture->stream, err), *err);
    assert_int_not_equal(gp_stream_mem_free(fixture->stream, outside, err), 0);
    (void)gp_stream_capture_end(fixture->stream, &graph, err);
    gp_assert_ok(gp_stream_mem_free(fixture->stream, outside, err), *err);

    fixture_upload(fixture, fixture->a, 0.0F, 1.0F);
    gp_assert_ok(gp_stream_capture_begin(fixture->stream, err), *err);
    gp_assert_ok(gp_stream_mem_alloc(fixture->stream, bytes, &inside, err), *err);
    gp_assert_ok(gp_stream_copy(fixture->stream, GP_COPY_D2D, inside, fixture->a, bytes, err),
                 *err);
    gp_assert_ok(gp_stream_copy(fixture->stream, GP_COPY_D2D, fixture->b, inside, bytes, err),
                 *err);
    gp_assert_ok(gp_stream_mem_free(fixture->stream, inside, err), *err);
    gp_assert_ok(gp_stream_capture_end(fixture->stream, &graph, err), *err);
    assert_int_equal(graph->node_count, 4);
    gp_assert_ok(gp_graph_instantiate(graph, err), *err);
    for (int launch = 0; launch < 3; launch++) {
        fixture_upload(fixture, fixture->b, 9.0F, 0.0F);
        gp_assert_ok(gp_graph_launch(graph, fixture->stream, err), *err);
        fixture_download(fixture, fixture->b);
        assert_true(fixture->host[3] == 3.0F);
    }
    gp_assert_ok(gp_graph_destroy(graph, err), *err);
}

static void test_captured_host_function_runs_each_time(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error *err = &fixture->err;
    struct gp_graph *graph = NULL;
    atomic_int runs = 0;

    gp_assert_ok(gp_stream_capture_begin(fixture->stream, err), *err);
    gp_assert_ok(gp_stream_host_function(fixture->stream, count_run, &runs, err), *err);
    gp_assert_ok(gp_stream_capture_end(fixture->stream, &graph, err), *err);
    gp_assert_ok(gp_graph_instantiate(graph, err), *err);
    for (int i = 0; i < 3; i++) {
        gp_assert_ok(gp_graph_launch(graph, fixture->stream, err), *err);
    }
    gp_assert_ok(gp_stream_sync(fixture->stream, err), *err);
    assert_int_equal(atomic_load(&runs), 3);
    gp_assert_ok(gp_graph_destroy(graph, err), *err);
}

static void test_what_cannot_be_captured_ends_the_capture(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error *err = &fixture->err;
    struct gp_stream *null = NULL;
    struct gp_graph *graph = NULL;
    struct gp_clock_sample sample;

    assert_int_equal(gp_stream_capture_end(fixture->stream, &graph, err), GP_ESTATE);
    gp_assert_ok(gp_stream_create(fixture->device, GP_STREAM_NULL, 0, &null, err), *err);
    assert_int_equal(gp_stream_capture_begin(null, err), GP_EUNSUPPORTED);
    gp_assert_ok(gp_stream_capture_begin(fixture->stream, err), *err);
    assert_int_equal(gp_device_clock_sample(fixture->device, &sample, err), GP_ESTATE);
    gp_assert_ok(gp_device_check(fixture->device, err), *err);
    assert_int_equal(gp_stream_sync(fixture->stream, err), GP_EUNSUPPORTED);
    assert_non_null(strstr(err->text, "the capture is over"));
    assert_int_equal(gp_stream_capture_end(fixture->stream, &graph, err), GP_ESTATE);
    assert_null(graph);
    gp_assert_ok(gp_stream_destroy(null, err), *err);
    gp_assert_ok(gp_stream_sync(fixture->stream, err), *err);
}

static void test_unjoined_capture_fails_at_its_end(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error *err = &fixture->err;
    struct gp_stream *other = NULL;
    struct gp_event *event = NULL;
    struct gp_graph *graph = NULL;

    gp_assert_ok(gp_stream_create(fixture->device, GP_STREAM_NON_BLOCKING, 0, &other, err), *err);
    gp_assert_ok(gp_event_create(fixture->device, 0, &event, err), *err);
    gp_assert_ok(gp_stream_capture_begin(fixture->stream, err), *err);
    gp_assert_ok(gp_event_record(event, fixture->stream, err), *err);
    gp_assert_ok(gp_stream_wait(other, event, err), *err);
    gp_assert_ok(fixture_submit_add(fixture, other, 0), *err);
    assert_int_equal(gp_stream_capture_end(fixture->stream, &graph, err), GP_ESTATE);
    assert_int_equal(err->driver_code, 904);
    assert_null(graph);
    gp_assert_ok(gp_stream_sync(fixture->stream, err), *err);
    gp_assert_ok(gp_event_destroy(event, err), *err);
    gp_assert_ok(gp_stream_destroy(other, err), *err);
}

static void test_capture_is_dropped_with_its_stream(void **state)
{
    struct fixture *fixture = *state;
    struct gp_error *err = &fixture->err;
    struct gp_stream *stream = NULL;

    gp_assert_ok(gp_stream_create(fixture->device, GP_STREAM_NON_BLOCKING, 0, &stream, err), *err);
    gp_assert_ok(gp_stream_capture_begin(stream, err), *err);
    gp_assert_ok(fixture_submit_add(fixture, stream, 0), *err);
    gp_assert_ok(gp_stream_destroy(stream, err), *err);
    gp_assert_ok(gp_stream_capture_begin(fixture->stream, err), *err);
    gp_device_detach(fixture->device);
    gp_assert_ok(gp_device_attach(fixture->device, err), *err);
    gp_assert_ok(gp_stream_sync(fixture->stream, err), *err);
}

static void test_clocks_go_forward(void **state)
{
    struct fixture *fixture = *state;
    struct gp_clock_sample samples[3];

    for (int i = 0; i < 3; i++) {
        const int64_t before_ns = gp_device_clock_ns(fixture->device);

        gp_assert_ok(gp_device_clock_sample(fixture->device, &samples[i], &fixture->err),
                     fixture->err);
        assert_true(samples[i].host_before_ns >= before_ns);
        assert_true(samples[i].host_after_ns > samples[i].host_before_ns);
        assert_true(samples[i].host_after_ns <= gp_device_clock_ns(fixture->device));
        assert_true(i == 0 || samples[i].device_ns > samples[i - 1].device_ns);
    }
    assert_true(fixture->device->info.timer_tick_ns >= 1);
    assert_true(fixture->device->info.timer_tick_ns <= 2000000);
}

enum { WORKERS = 4, WORKER_ROUNDS = 20 };

struct worker {
    struct fixture *fixture;
    pthread_t thread;
    struct gp_kernel kernel; /* one descriptor each, so that preparing and launching meet */
    atomic_int calls;
    struct gp_error err;
    int code;
};

static int work_once(struct worker *worker, struct gp_stream *stream, gp_addr vector)
{
    const uint32_t count = 64;
    const void *const args[] = {&vector, &vector, &count};
    const struct gp_launch launch = {
        .kernel = &worker->kernel, .grid = {1, 1, 1}, .block = {64, 1, 1}, .args = args};
    int code = gp_stream_set(stream, vector, 0x41, 64 * sizeof(float), &worker->err);

    code = code == 0 ? gp_stream_launch(stream, &launch, &worker->err) : code;
    code =
        code == 0 ? gp_stream_host_function(stream, count_run, &worker->calls, &worker->err) : code;
    code = code == 0 ? gp_stream_query(stream, &worker->err) : code;
    return code == GP_ENOTREADY ? 0 : code;
}

static void *work(void *user)
{
    struct worker *worker = user;
    struct gp_device *device = worker->fixture->device;
    struct gp_stream *stream = NULL;
    struct gp_error *err = &worker->err;
    gp_addr vector = 0;
    int code = gp_device_attach(device, err);

    code = code == 0 ? gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &stream, err) : code;
    code = code == 0 ? gp_device_kernel_prepare(device, &worker->kernel, err) : code;
    code = code == 0 ? gp_device_mem_alloc(device, 64 * sizeof(float), &vector, err) : code;
    for (int i = 0; i < WORKER_ROUNDS && code == 0; i++) {
        code = work_once(worker, stream, vector);
    }
    code = code == 0 ? gp_stream_sync(stream, err) : code;
    code = code == 0 ? gp_device_check(device, err) : code;
    code = code == 0 ? gp_device_mem_free(device, vector, err) : code;
    code = code == 0 ? gp_stream_destroy(stream, err) : code;
    gp_device_detach(device);
    worker->code = code;
    return NULL;
}

static void test_threads_work_at_once(void **state)
{
    static struct worker workers[WORKERS];

    memset(workers, 0, sizeof workers);
    for (int i = 0; i < WORKERS; i++) {
        workers[i].fixture = *state;
        workers[i].kernel = gp_kernel_relu;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        gp_assert_ok(workers[i].code, workers[i].err);
        assert_int_equal(atomic_load(&workers[i].calls), WORKER_ROUNDS);
    }
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)

int behaviours_work_run(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DEVICE(test_kernel_computes_and_stamps),
        WITH_DEVICE(test_unprepared_kernel_is_refused),
        WITH_DEVICE(test_unknown_entry_is_named),
        WITH_DEVICE(test_too_many_kernels_are_refused),
        WITH_DEVICE(test_bad_launch_names_the_kernel),
        WITH_DEVICE(test_host_function_must_not_call_back),
        WITH_DEVICE(test_many_host_functions_run_in_order),
        WITH_DEVICE(test_flag_is_written_after_the_work),
        WITH_DEVICE(test_every_completion_mode),
        WITH_DEVICE(test_futures_on_an_executor),
        WITH_DEVICE(test_graph_runs_what_was_captured),
        WITH_DEVICE(test_captured_memory),
        WITH_DEVICE(test_captured_host_function_runs_each_time),
        WITH_DEVICE(test_what_cannot_be_captured_ends_the_capture),
        WITH_DEVICE(test_unjoined_capture_fails_at_its_end),
        WITH_DEVICE(test_capture_is_dropped_with_its_stream),
        WITH_DEVICE(test_clocks_go_forward),
        WITH_DEVICE(test_threads_work_at_once),
    };

    return cmocka_run_group_tests_name("work, graphs, clocks", tests, NULL, NULL);
}
