/* Capture and graphs of the model: what is recorded, the order of its nodes, and what cannot be. */
#include "rig.h"

#include <string.h>

enum { MS = 1000000 };

struct captured {
    struct rig rig;
    struct gp_event *event;
    struct gp_graph *graph;
};

static void open_captured(struct captured *captured, uint32_t streams)
{
    struct gp_error err = {0};

    rig_open(&captured->rig, "model:h200", 8, streams);
    captured->event = rig_event(&captured->rig, 0);
    gp_assert_ok(gp_stream_capture_begin(captured->rig.streams[0], &err), err);
}

static void fork_to(struct captured *captured, uint32_t from, uint32_t to)
{
    rig_record(&captured->rig, captured->event, from);
    rig_wait(&captured->rig, to, captured->event);
}

static void end_and_run(struct captured *captured)
{
    struct rig *rig = &captured->rig;
    struct gp_error err = {0};

    gp_assert_ok(gp_stream_capture_end(rig->streams[0], &captured->graph, &err), err);
    gp_assert_ok(gp_graph_instantiate(captured->graph, &err), err);
    gp_assert_ok(gp_graph_launch(captured->graph, rig->streams[0], &err), err);
    rig_sync(rig);
}

/* A diamond: 0, then 1 and 2 side by side, then 3; run twice. */
static void test_diamond(void **state)
{
    struct captured captured;
    struct rig *rig = &captured.rig;
    struct gp_error err = {0};

    (void)state;
    open_captured(&captured, 2);
    (void)rig_spin(rig, rig->streams[0], 1, 32, MS);
    fork_to(&captured, 0, 1);
    (void)rig_spin(rig, rig->streams[0], 1, 32, MS);
    (void)rig_spin(rig, rig->streams[1], 1, 32, 2000000);
    fork_to(&captured, 1, 0);
    (void)rig_spin(rig, rig->streams[0], 1, 32, MS);
    assert_int_equal(rig->stamps[0].end, 0); /* captured, not run */
    end_and_run(&captured);
    assert_int_equal(captured.graph->node_count, 4);
    for (int round = 0; round < 2; round++) {
        assert_in_range(rig_gap(rig, 0, 1), 700, 1200);
        assert_in_range(rig_gap(rig, 0, 2), 700, 1200);
        assert_in_range(rig_gap(rig, 2, 3), 700, 1200);
        if (round == 0) {
            for (int i = 0; i < 4; i++) {
                rig->stamps[i] = (struct gp_stamp){UINT64_MAX, 0};
            }
            gp_assert_ok(gp_graph_launch(captured.graph, rig->streams[1], &err), err);
            rig_sync(rig);
        }
    }
    gp_assert_ok(gp_graph_destroy(captured.graph, &err), err);
    rig_close(rig);
}

static void count_call(void *user)
{
    ++*(int *)user;
}

/* Every kind of node, and bytes are moved at its end. */
static void test_every_kind(void **state)
{
    enum { BYTES = 100000 };
    struct captured captured;
    struct rig *rig = &captured.rig;
    struct gp_error err = {0};
    gp_addr device;
    unsigned char *pinned = NULL;
    uint32_t *flag = NULL;
    int calls = 0;

    (void)state;
    open_captured(&captured, 1);
    gp_assert_ok(gp_device_mem_alloc(rig->device, (uint64_t)2 * BYTES, &device, &err), err);
    gp_assert_ok(gp_device_host_alloc(rig->device, (uint64_t)2 * BYTES, (void **)&pinned, &err),
                 err);
    gp_assert_ok(gp_device_host_alloc(rig->device, 64, (void **)&flag, &err), err);
    memset(pinned, 7, BYTES);
    gp_assert_ok(gp_stream_copy(rig->streams[0], GP_COPY_H2D, device, (uint64_t)(uintptr_t)pinned,
                                BYTES, &err),
                 err);
    gp_assert_ok(gp_stream_set(rig->streams[0], device, 9, 10, &err), err);
    gp_assert_ok(gp_stream_copy(rig->streams[0], GP_COPY_D2D, device + BYTES, device, BYTES, &err),
                 err);
    gp_assert_ok(gp_stream_host_function(rig->streams[0], count_call, &calls, &err), err);
    gp_assert_ok(gp_stream_copy(rig->streams[0], GP_COPY_D2H, (uint64_t)(uintptr_t)pinned + BYTES,
                                device + BYTES, BYTES, &err),
                 err);
    gp_assert_ok(gp_stream_flag_write(rig->streams[0], flag, 3, &err), err);
    assert_int_equal(calls, 0);
    end_and_run(&captured);
    assert_int_equal(captured.graph->node_count, 6);
    assert_int_equal(calls, 1);
    assert_int_equal(*flag, 3);
    assert_int_equal(pinned[BYTES], 9);
    assert_int_equal(pinned[2 * BYTES - 1], 7);
    /* A graph that is left at close, in flight, is nobody's leak. */
    gp_assert_ok(gp_graph_launch(captured.graph, rig->streams[0], &err), err);
    rig_close(rig);
}

static void test_empty_graph(void **state)
{
    struct captured captured;

    (void)state;
    open_captured(&captured, 1);
    end_and_run(&captured);
    assert_int_equal(captured.graph->node_count, 0);
    rig_close(&captured.rig);
}

static void test_mistakes(void **state)
{
    struct captured captured;
    struct rig *rig = &captured.rig;
    struct gp_error err = {0};
    struct gp_event *outside;
    gp_addr device;

    (void)state;
    open_captured(&captured, 3);
    assert_int_equal(gp_stream_capture_begin(rig->streams[0], &err), GP_ESTATE);
    assert_int_equal(gp_stream_capture_end(rig->streams[1], &captured.graph, &err), GP_ESTATE);

    /* Not joined again. */
    fork_to(&captured, 0, 1);
    (void)rig_spin(rig, rig->streams[1], 1, 32, MS);
    assert_int_equal(gp_stream_capture_end(rig->streams[0], &captured.graph, &err), GP_ESTATE);
    assert_non_null(strstr(err.text, "not joined"));
    gp_assert_ok(gp_stream_sync(rig->streams[1], &err), err); /* the capture is over */

    /* What cannot be captured ends it. */
    outside = rig_event(rig, 0);
    (void)rig_spin(rig, rig->streams[2], 1, 32, MS);
    rig_record(rig, outside, 2);
    gp_assert_ok(gp_stream_capture_begin(rig->streams[0], &err), err);
    assert_int_equal(gp_stream_wait(rig->streams[0], outside, &err), GP_EUNSUPPORTED);
    assert_int_equal(gp_stream_capture_end(rig->streams[0], &captured.graph, &err), GP_ESTATE);

    gp_assert_ok(gp_stream_capture_begin(rig->streams[0], &err), err);
    assert_int_equal(gp_stream_sync(rig->streams[0], &err), GP_EUNSUPPORTED);
    gp_assert_ok(gp_stream_sync(rig->streams[0], &err), err); /* the capture is over */
    gp_assert_ok(gp_stream_capture_begin(rig->streams[0], &err), err);
    assert_int_equal(gp_stream_query(rig->streams[0], &err), GP_EUNSUPPORTED);
    assert_int_equal(gp_stream_capture_end(rig->streams[0], &captured.graph, &err), GP_ESTATE);

    gp_assert_ok(gp_stream_mem_alloc(rig->streams[0], 64, &device, &err), err);
    gp_assert_ok(gp_stream_capture_begin(rig->streams[0], &err), err);
    assert_int_equal(gp_stream_mem_free(rig->streams[0], device, &err), GP_EUNSUPPORTED);

    assert_int_equal(gp_stream_capture_begin(rig_stream(rig, GP_STREAM_NULL, 0), &err),
                     GP_EUNSUPPORTED);

    /* Launched before it is instantiated, instantiated twice. */
    gp_assert_ok(gp_stream_capture_begin(rig->streams[0], &err), err);
    gp_assert_ok(gp_stream_capture_end(rig->streams[0], &captured.graph, &err), err);
    assert_int_equal(gp_graph_launch(captured.graph, rig->streams[0], &err), GP_ESTATE);
    gp_assert_ok(gp_graph_instantiate(captured.graph, &err), err);
    assert_int_equal(gp_graph_instantiate(captured.graph, &err), GP_ESTATE);
    rig_close(rig);
}

/* A stream that goes takes its capture with it. */
static void test_captured_stream_destroyed(void **state)
{
    struct captured captured;
    struct gp_error err = {0};

    (void)state;
    open_captured(&captured, 2);
    fork_to(&captured, 0, 1);
    (void)rig_spin(&captured.rig, captured.rig.streams[1], 1, 32, MS);
    gp_assert_ok(gp_stream_destroy(captured.rig.streams[0], &err), err);
    gp_assert_ok(gp_stream_sync(captured.rig.streams[1], &err), err);
    rig_close(&captured.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diamond),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_empty_graph),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_captured_stream_destroyed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
