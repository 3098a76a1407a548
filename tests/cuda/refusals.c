/* Each driver call that a slot makes, refused; and host memory that runs out. On the test driver.
 */
#include "orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Every call of the driver that a slot makes, refused once: the error names the call, and what was
 * refused had no effect on what follows. */
struct refusal {
    const char *call;
    int (*use)(struct fixture *fixture, struct gp_error *err);
};

static int use_stream_create(struct fixture *fixture, struct gp_error *err)
{
    struct gp_stream *stream = NULL;
    int code = gp_stream_create(fixture->device, GP_STREAM_NON_BLOCKING, 0, &stream, err);

    return code != 0 ? code : gp_stream_destroy(stream, err);
}

static int use_stream_sync(struct fixture *fixture, struct gp_error *err)
{
    return gp_stream_sync(fixture->stream, err);
}

static int use_stream_query(struct fixture *fixture, struct gp_error *err)
{
    int code = gp_stream_query(fixture->stream, err);

    return code == GP_ENOTREADY ? 0 : code;
}

static int use_event(struct fixture *fixture, struct gp_error *err)
{
    struct gp_event *event = NULL;
    struct gp_error ignored;
    int64_t ns = 0;
    int code = gp_event_create(fixture->device, GP_EVENT_TIMED, &event, err);

    if (code != 0) {
        return code;
    }
    code = gp_event_record(event, fixture->stream, err);
    code = code == 0 ? gp_stream_wait(fixture->stream, event, err) : code;
    code = code == 0 ? gp_event_sync(event, err) : code;
    code = code == 0 ? gp_event_query(event, err) : code;
    code = code == 0 ? gp_event_elapsed(event, event, &ns, err) : code;
    if (code != 0) {
        (void)gp_event_destroy(event, &ignored);
        return code;
    }
    return gp_event_destroy(event, err);
}

static int use_memory(struct fixture *fixture, struct gp_error *err)
{
    gp_addr address = 0;
    void *block = NULL;
    int code = gp_device_mem_alloc(fixture->device, 64, &address, err);

    code = code == 0 ? gp_device_mem_free(fixture->device, address, err) : code;
    code = code == 0 ? gp_device_host_alloc(fixture->device, 64, &block, err) : code;
    return code == 0 ? gp_device_host_free(fixture->device, block, err) : code;
}

static int use_async_memory(struct fixture *fixture, struct gp_error *err)
{
    gp_addr address = 0;
    int code = gp_stream_mem_alloc(fixture->stream, 64, &address, err);

    return code == 0 ? gp_stream_mem_free(fixture->stream, address, err) : code;
}

static int use_copies(struct fixture *fixture, struct gp_error *err)
{
    const uintptr_t host = (uintptr_t)fixture->host;
    int code = gp_stream_copy(fixture->stream, GP_COPY_H2D, fixture->a, host, 64, err);

    code =
        code == 0 ? gp_stream_copy(fixture->stream, GP_COPY_D2H, host, fixture->a, 64, err) : code;
    code = code == 0 ? gp_stream_copy(fixture->stream, GP_COPY_D2D, fixture->b, fixture->a, 64, err)
                     : code;
    return code == 0 ? gp_stream_set(fixture->stream, fixture->a, 0, 64, err) : code;
}

static int use_launch(struct fixture *fixture, struct gp_error *err)
{
    int code = fixture_submit_add(fixture, fixture->stream, 0);

    *err = fixture->err;
    return code;
}

static void do_nothing(void *user)
{
    (void)user;
}

static int use_host_function(struct fixture *fixture, struct gp_error *err)
{
    return gp_stream_host_function(fixture->stream, do_nothing, NULL, err);
}

static int use_flag(struct fixture *fixture, struct gp_error *err)
{
    return gp_stream_flag_write(fixture->stream, (uint32_t *)(void *)fixture->host, 1, err);
}

static int use_graph(struct fixture *fixture, struct gp_error *err)
{
    struct gp_graph *graph = NULL;
    int code = gp_stream_capture_begin(fixture->stream, err);

    if (code != 0) {
        return code;
    }
    (void)fixture_submit_add(fixture, fixture->stream, 0);
    code = gp_stream_capture_end(fixture->stream, &graph, err);
    if (code != 0) {
        return code;
    }
    code = gp_graph_instantiate(graph, err);
    code = code == 0 ? gp_graph_launch(graph, fixture->stream, err) : code;
    code = code == 0 ? gp_stream_sync(fixture->stream, err) : code;
    if (code != 0) {
        (void)gp_graph_destroy(graph, NULL);
        return code;
    }
    return gp_graph_destroy(graph, err);
}

static int use_check(struct fixture *fixture, struct gp_error *err)
{
    return gp_device_check(fixture->device, err);
}

static int use_clock(struct fixture *fixture, struct gp_error *err)
{
    struct gp_clock_sample sample;

    return gp_device_clock_sample(fixture->device, &sample, err);
}

static void test_every_call_can_be_refused(void **state)
{
    static const struct refusal refusals[] = {
        {"cuStreamCreateWithPriority:2", use_stream_create},
        {"cuStreamDestroy_v2:1", use_stream_create},
        {"cuStreamSynchronize:1", use_stream_sync},
        {"cuStreamQuery:1", use_stream_query},
        {"cuEventCreate:1", use_event},
        {"cuEventRecord:1", use_event},
        {"cuStreamWaitEvent:1", use_event},
        {"cuEventSynchronize:1", use_event},
        {"cuEventQuery:1", use_event},
        {"cuEventElapsedTime:1", use_event},
        {"cuEventDestroy_v2:1", use_event},
        {"cuMemAlloc_v2:4", use_memory},
        {"cuMemFree_v2:1", use_memory},
        {"cuMemHostAlloc:2", use_memory},
        {"cuMemFreeHost:1", use_memory},
        {"cuMemAllocAsync:1", use_async_memory},
        {"cuMemFreeAsync:1", use_async_memory},
        {"cuMemcpyHtoDAsync_v2:1", use_copies},
        {"cuMemcpyDtoHAsync_v2:1", use_copies},
        {"cuMemcpyDtoDAsync_v2:1", use_copies},
        {"cuMemsetD8Async:1", use_copies},
        {"cuLaunchKernel:1", use_launch},
        {"cuLaunchHostFunc:1", use_host_function},
        {"cuStreamWriteValue32_v2:1", use_flag},
        {"cuStreamBeginCapture_v2:1", use_graph},
        {"cuStreamEndCapture:1", use_graph},
        {"cuGraphGetNodes:1", use_graph},
        {"cuGraphInstantiate:1", use_graph},
        {"cuGraphLaunch:1", use_graph},
        {"cuGraphExecDestroy:1", use_graph},
        {"cuGraphDestroy:1", use_graph},
        {"cuStreamCreateWithPriority:2", use_check},
        {"cuStreamQuery:1", use_check},
        {"cuLaunchKernel:1", use_clock},
        {"cuStreamSynchronize:1", use_clock},
        {"cuMemHostAlloc:2", use_clock},
    };

    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const size_t length = strcspn(refusals[i].call, ":");
        struct fixture *fixture;
        struct gp_error err = {0};
        char orders[96];

        (void)snprintf(orders, sizeof orders, "fail=%s:401", refusals[i].call);
        order(orders);
        gp_assert_ok(fixture_open(state), err);
        fixture = *state;
        if (refusals[i].use(fixture, &err) == 0) {
            fail_msg("%s was not refused", refusals[i].call);
        }
        assert_int_equal(err.code, GP_ESTATE);
        assert_int_equal(strlen(err.call), length);
        assert_memory_equal(err.call, refusals[i].call, length);
        assert_int_equal(fixture_close(state), 0);
    }
}

/* An allocator that fails from a given call on. */
static void *fail_later(void *user, size_t bytes)
{
    int *left = user;

    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void give_back(void *user, void *block)
{
    (void)user;
    free(block);
}

static void test_host_memory_runs_out(void **state)
{
    int left = 0;
    const struct gp_memory_hook hook = {fail_later, give_back, &left};
    struct gp_device *device = NULL;
    struct fixture *fixture;
    struct gp_event *event = NULL;
    struct gp_graph *graph = NULL;
    struct gp_error err = {0};

    gp_memory_set_hook(&hook);
    assert_int_equal(gp_device_open("cuda", NULL, &device, &err), GP_ENOMEM);
    gp_memory_set_hook(NULL);
    gp_assert_ok(fixture_open(state), err);
    fixture = *state;
    gp_assert_ok(gp_stream_capture_begin(fixture->stream, &err), err);
    gp_memory_set_hook(&hook);
    assert_int_equal(gp_event_create(fixture->device, 0, &event, &err), GP_ENOMEM);
    assert_int_equal(use_stream_create(fixture, &err), GP_ENOMEM);
    assert_int_equal(use_host_function(fixture, &err), GP_ENOMEM);
    assert_int_equal(gp_stream_capture_end(fixture->stream, &graph, &err), GP_ENOMEM);
    gp_memory_set_hook(NULL);
    assert_int_equal(fixture_close(state), 0);
}

int refusals_run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_every_call_can_be_refused, forget_orders),
        cmocka_unit_test_teardown(test_host_memory_runs_out, forget_orders),
    };

    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
