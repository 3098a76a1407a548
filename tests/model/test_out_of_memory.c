/*
 * The library's allocations fail one after the other: every call of the model reports it, nothing
 * is lost (a leak sanitizer looks), and what was made before still works.
 */
#include "rig.h"

#include <stdlib.h>

#include "core/buffer.h"
#include "core/memory.h"

struct failing {
    uint64_t count, fail_at; /* the fail_at-th allocation from 0 */
};

static void *allocate(void *user, size_t bytes)
{
    struct failing *failing = user;

    return failing->count++ == failing->fail_at ? NULL : malloc(bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

static void add_one(const struct gp_launch *launch)
{
    uint32_t *data = gp_launch_pointer(launch, 0);

    data[0]++;
}

static const struct gp_kernel_arg args[] = {{"data", GP_ARG_ADDRESS, 8}};

static const struct gp_kernel kernel = {
    .name = "add-one", .args = args, .arg_count = 1, .registers = 16, .reference = add_one};

static void do_nothing(void *user)
{
    (void)user;
}

static int launch(struct gp_stream *stream, const struct gp_buffer *buffer, struct gp_error *err)
{
    const void *const values[] = {&buffer->address};
    const struct gp_access access = {buffer, 0, 64, GP_ACCESS_READ_WRITE};
    const struct gp_launch what = {.kernel = &kernel,
                                   .grid = {1, 1, 1},
                                   .block = {32, 1, 1},
                                   .args = values,
                                   .accesses = &access,
                                   .access_count = 1};

    return gp_stream_launch(stream, &what, err);
}

struct things {
    struct gp_stream *streams[3];
    struct gp_event *event;
    struct gp_graph *graph;
    struct gp_buffer *buffer;
    unsigned char pageable[4096];
};

static int make_things(struct gp_device *device, struct things *things, struct gp_error *err)
{
    static const enum gp_stream_flag flags[] = {GP_STREAM_BLOCKING, GP_STREAM_NULL,
                                                GP_STREAM_PER_THREAD};
    int code = 0;

    for (int i = 0; i < 3 && code == 0; i++) {
        code = gp_stream_create(device, flags[i], 0, &things->streams[i], err);
    }
    if (code == 0) {
        code = gp_event_create(device, GP_EVENT_TIMED, &things->event, err);
    }
    if (code == 0) {
        code = gp_buffer_create(device, GP_SPACE_DEVICE, 65536, 0, "b", &things->buffer, err);
    }
    return code;
}

static int use_streams(struct things *things, struct gp_error *err)
{
    const uint64_t host = (uint64_t)(uintptr_t)things->pageable;
    const gp_addr address = things->buffer->address;
    gp_addr more = 0;
    int code = 0;

    for (int i = 0; i < 3 && code == 0; i++) {
        struct gp_stream *stream = things->streams[i];

        code = launch(stream, things->buffer, err);
        code = code != 0 ? code : gp_event_record(things->event, stream, err);
        code = code != 0 ? code : gp_stream_wait(things->streams[0], things->event, err);
        code = code != 0 ? code
                         : gp_stream_copy(stream, GP_COPY_H2D, address, host,
                                          sizeof things->pageable, err);
        code = code != 0 ? code
                         : gp_stream_copy(stream, GP_COPY_D2D, address + 8192, address, 4096, err);
        code = code != 0 ? code : gp_stream_set(stream, address, 1, 32768, err);
        code = code != 0 ? code : gp_stream_host_function(stream, do_nothing, NULL, err);
        code = code != 0 ? code : gp_stream_mem_alloc(stream, 4096, &more, err);
        code = code != 0 ? code : gp_stream_mem_free(stream, more, err);
    }
    return code;
}

static int use_graph(struct things *things, struct gp_error *err)
{
    int code = gp_stream_capture_begin(things->streams[0], err);

    code = code != 0 ? code : launch(things->streams[0], things->buffer, err);
    code = code != 0 ? code : launch(things->streams[0], things->buffer, err);
    code = code != 0 ? code : gp_stream_capture_end(things->streams[0], &things->graph, err);
    code = code != 0 ? code : gp_graph_instantiate(things->graph, err);
    return code != 0 ? code : gp_graph_launch(things->graph, things->streams[0], err);
}

static int use_everything(struct gp_device *device, struct gp_error *err)
{
    struct things things = {.streams = {NULL}};
    int code = make_things(device, &things, err);

    code = code != 0 ? code : use_streams(&things, err);
    code = code != 0 ? code : use_graph(&things, err);
    /* What was accepted comes to its end. */
    for (int i = 0; i < 3 && things.streams[i] != NULL; i++) {
        struct gp_error own = {0};
        int sync = gp_stream_sync(things.streams[i], &own);

        assert_true(sync == 0 || sync == GP_ENOMEM || sync == GP_EUNSUPPORTED); /* captured */
    }
    gp_buffer_destroy(things.buffer);
    return code;
}

static void test_every_allocation_may_fail(void **state)
{
    struct failing failing = {0};
    const struct gp_memory_hook hook = {allocate, release, &failing};
    uint64_t failures = 0;

    (void)state;
    do {
        struct gp_device *device = NULL;
        struct gp_error err = {0};
        int code;

        gp_memory_set_hook(&hook);
        failing = (struct failing){0, failures};
        code = gp_device_open("model", NULL, &device, &err);
        if (code == 0) {
            code = use_everything(device, &err);
            gp_device_close(device);
        }
        gp_memory_set_hook(NULL);
        if (code != 0 && code != GP_ENOMEM) {
            fail_msg("allocation %llu: %s", (unsigned long long)failures, err.text);
        }
        if (failing.count <= failing.fail_at) {
            assert_int_equal(code, 0);
            break;
        }
        failures++;
    } while (failures < 10000);
    assert_in_range(failures, 50, 9999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_may_fail)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
