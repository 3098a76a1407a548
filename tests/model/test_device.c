/*
 * The model device through the interface: opening, bytes, kernels' references and their reuse,
 * faults, limits, and what a caller may do wrong.
 */
#include "rig.h"

#include <string.h>

#include "core/buffer.h"

static void open_fails(const char *spec, const char *text, int code, const char *part)
{
    const struct gp_device_options options = {.profile_text = text};
    struct gp_device *device = NULL;
    struct gp_error err = {0};

    assert_int_equal(gp_device_open(spec, &options, &device, &err), code);
    if (strstr(err.text, part) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, part);
    }
}

static void test_specs(void **state)
{
    static const char *const good[] = {"model",      "model:h200",      "model:generic",
                                       "model,free", "model:h200,free", "model:"};
    struct gp_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct gp_device *device = NULL;

        gp_assert_ok(gp_device_open(good[i], NULL, &device, &err), err);
        assert_int_equal(device->info.kind, GP_DEVICE_MODEL);
        assert_string_equal(device->info.name,
                            i == 2 ? "model of a generic GPU" : "model of NVIDIA H200");
        assert_non_null(strstr(device->info.profile_json, "\"parameters\""));
        gp_device_close(device);
    }
    open_fails("model:h20", NULL, GP_EINVAL, "did you mean 'h200'?");
    open_fails("model,fre", NULL, GP_EINVAL, "expected model[:PROFILE][,free]");
    open_fails("model:./x", "gpuprobe-profile 1\nnonsense\n", GP_EPARSE, "line 2");
}

static void test_describe(void **state)
{
    const struct gp_device_ops *ops = NULL;
    struct gp_device_info info;
    struct gp_error err = {0};

    (void)state;
    for (size_t i = 0; i < gp_device_table_count; i++) {
        ops = strcmp(gp_device_table[i]->name, "model") == 0 ? gp_device_table[i] : ops;
    }
    assert_non_null(ops);
    gp_assert_ok(gp_device_describe(ops, 0, NULL, &info, &err), err);
    assert_string_equal(info.name, "model of NVIDIA H200");
    assert_int_equal(info.sm_count, 132);
    assert_int_equal(info.priority_greatest, -5);
    assert_int_equal(info.compute_major, 9);
    gp_assert_ok(gp_device_describe(ops, 1, NULL, &info, &err), err);
    assert_int_equal(info.ordinal, 1);
    assert_int_equal(gp_device_describe(ops, 2, NULL, &info, &err), GP_ENOTFOUND);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* y[i] = x[i] + add; counts how often it is computed. */
enum { X, Y, COUNT, ADD };

static int computed;

static void add(const struct gp_launch *launch)
{
    const uint32_t *x = gp_launch_pointer(launch, X);
    uint32_t *y = gp_launch_pointer(launch, Y);

    computed++;
    for (uint32_t i = 0; i < GP_ARG(launch, COUNT, uint32_t); i++) {
        y[i] = x[i] + GP_ARG(launch, ADD, uint32_t);
    }
}

static const struct gp_kernel_arg add_args[] = {
    {"x", GP_ARG_ADDRESS, 8},
    {"y", GP_ARG_ADDRESS, 8},
    {"count", GP_ARG_VALUE, 4},
    {"add", GP_ARG_VALUE, 4},
};

static const struct gp_kernel add_kernel = {
    .name = "add", .args = add_args, .arg_count = 4, .registers = 16, .reference = add};

enum { N = 200000 };

struct data {
    struct rig rig;
    struct gp_buffer *x, *y, *in, *out;
};

static struct gp_buffer *create_buffer(struct data *data, enum gp_space space)
{
    struct gp_buffer *buffer = NULL;
    struct gp_error err = {0};

    gp_assert_ok(
        gp_buffer_create(data->rig.device, space, N * sizeof(uint32_t), 0, "data", &buffer, &err),
        err);
    return buffer;
}

static void open_data(struct data *data)
{
    uint32_t *in;

    rig_open(&data->rig, "model:h200", 8, 2);
    data->x = create_buffer(data, GP_SPACE_DEVICE);
    data->y = create_buffer(data, GP_SPACE_DEVICE);
    data->in = create_buffer(data, GP_SPACE_PINNED);
    data->out = create_buffer(data, GP_SPACE_PINNED);
    in = gp_buffer_host(data->in);
    for (uint32_t i = 0; i < N; i++) {
        in[i] = i;
    }
    computed = 0;
}

static void close_data(struct data *data)
{
    gp_buffer_destroy(data->x);
    gp_buffer_destroy(data->y);
    gp_buffer_destroy(data->in);
    gp_buffer_destroy(data->out);
    rig_close(&data->rig);
}

static void upload(struct data *data, uint32_t stream)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_stream_copy(data->rig.streams[stream], GP_COPY_H2D, data->x->address,
                                data->in->address, data->x->bytes, &err),
                 err);
}

static int try_add(struct data *data, uint32_t stream, gp_addr x, gp_addr y, uint32_t by,
                   struct gp_error *err)
{
    const uint32_t count = N;
    const void *const args[] = {&x, &y, &count, &by};
    const struct gp_access accesses[] = {{data->x, 0, data->x->bytes, GP_ACCESS_READ},
                                         {data->y, 0, data->y->bytes, GP_ACCESS_WRITE}};
    const struct gp_launch launch = {.kernel = &add_kernel,
                                     .grid = {4, 1, 1},
                                     .block = {256, 1, 1},
                                     .args = args,
                                     .accesses = accesses,
                                     .access_count = 2};

    return gp_stream_launch(data->rig.streams[stream], &launch, err);
}

static void launch_add(struct data *data, uint32_t stream, uint32_t by)
{
    struct gp_error err = {0};

    gp_assert_ok(try_add(data, stream, data->x->address, data->y->address, by, &err), err);
}

static void download(struct data *data, uint32_t stream)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_stream_copy(data->rig.streams[stream], GP_COPY_D2H, data->out->address,
                                data->y->address, data->y->bytes, &err),
                 err);
}

static void expect_out(struct data *data, uint32_t first, uint32_t last)
{
    const uint32_t *out = gp_buffer_host(data->out);

    assert_int_equal(out[0], first);
    assert_int_equal(out[N - 1], last);
}

static void test_bytes_go_round(void **state)
{
    struct data data;

    (void)state;
    open_data(&data);
    upload(&data, 0);
    launch_add(&data, 0, 5);
    download(&data, 0);
    expect_out(&data, 0, 0); /* nothing has happened yet */
    rig_sync(&data.rig);
    expect_out(&data, 5, N + 4);
    close_data(&data);
}

/* Without the event that would order them, the kernel reads before the copy's end. */
static void test_missing_dependency_is_wrong_data(void **state)
{
    struct data data;

    (void)state;
    open_data(&data);
    upload(&data, 0);
    launch_add(&data, 1, 5);
    download(&data, 1);
    rig_sync(&data.rig);
    expect_out(&data, 5, 5);
    close_data(&data);
}

static void test_results_are_reused_by_content(void **state)
{
    struct data data;
    struct gp_error err = {0};
    uint32_t *in;

    (void)state;
    open_data(&data);
    in = gp_buffer_host(data.in);
    for (int round = 0; round < 3; round++) {
        upload(&data, 0);
        launch_add(&data, 0, 5);
        gp_assert_ok(gp_stream_set(data.rig.streams[0], data.x->address, 0xff, 64, &err), err);
        download(&data, 0);
        rig_sync(&data.rig);
        expect_out(&data, 5, N + 4);
        gp_assert_ok(gp_stream_set(data.rig.streams[0], data.y->address, 0xff, data.y->bytes, &err),
                     err);
    }
    assert_int_equal(computed, 1);
    in[N - 1] = 0; /* other input */
    upload(&data, 0);
    launch_add(&data, 0, 5);
    download(&data, 0);
    rig_sync(&data.rig);
    expect_out(&data, 5, 5);
    assert_int_equal(computed, 2);
    launch_add(&data, 0, 6); /* another argument */
    download(&data, 0);
    rig_sync(&data.rig);
    expect_out(&data, 6, 6);
    assert_int_equal(computed, 3);
    in[N - 1] = 7; /* other input again, where the last one's hash is known */
    upload(&data, 0);
    launch_add(&data, 0, 6);
    download(&data, 0);
    rig_sync(&data.rig);
    expect_out(&data, 6, 13);
    close_data(&data);
}

static void test_plain_runs_move_nothing(void **state)
{
    struct data data;
    int64_t took_ns[2];

    (void)state;
    for (int on = 0; on <= 1; on++) {
        open_data(&data);
        gp_device_set_execute(data.rig.device, on == 1);
        upload(&data, 0);
        launch_add(&data, 0, 5);
        download(&data, 0);
        rig_sync(&data.rig);
        expect_out(&data, on ? 5 : 0, on ? N + 4 : 0);
        assert_int_equal(computed, on);
        took_ns[on] = gp_device_clock_ns(data.rig.device);
        close_data(&data);
    }
    assert_int_equal(took_ns[0], took_ns[1]);
}

/* The source may be reused when the call returns; the destination is whole then. */
static void test_pageable_memory(void **state)
{
    static uint32_t pageable[N];
    struct data data;
    struct gp_error err = {0};

    (void)state;
    open_data(&data);
    for (uint32_t i = 0; i < N; i++) {
        pageable[i] = 100 + i;
    }
    gp_assert_ok(gp_stream_copy(data.rig.streams[0], GP_COPY_H2D, data.x->address,
                                (uint64_t)(uintptr_t)pageable, sizeof pageable, &err),
                 err);
    memset(pageable, 0, sizeof pageable);
    launch_add(&data, 0, 1);
    gp_assert_ok(gp_stream_copy(data.rig.streams[0], GP_COPY_D2H, (uint64_t)(uintptr_t)pageable,
                                data.y->address, sizeof pageable, &err),
                 err);
    assert_int_equal(pageable[0], 101);
    assert_int_equal(pageable[N - 1], 100 + N);
    close_data(&data);
}

/* ---- faults -----------------------------------------------------------------------------------
 */

/* After a fault everything but close, destroy and free fails with it. */
static void expect_lost(struct data *data, const char *part)
{
    struct gp_error err = {0};
    struct gp_event *event = NULL;
    gp_addr address;

    assert_int_equal(gp_stream_sync(data->rig.streams[0], &err), GP_EFAULT);
    if (strstr(err.text, part) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, part);
    }
    assert_int_equal(gp_device_check(data->rig.device, &err), GP_EFAULT);
    assert_int_equal(gp_device_mem_alloc(data->rig.device, 16, &address, &err), GP_EFAULT);
    assert_int_equal(gp_event_create(data->rig.device, 0, &event, &err), GP_EFAULT);
    assert_int_equal(gp_stream_query(data->rig.streams[1], &err), GP_EFAULT);
    close_data(data);
}

static void test_faults(void **state)
{
    struct data data;
    struct gp_error err = {0};

    (void)state;
    open_data(&data);
    gp_assert_ok(try_add(&data, 0, data.x->address, 0xdead0000, 1, &err), err);
    gp_assert_ok(gp_device_check(data.rig.device, &err), err); /* not yet */
    expect_lost(&data, "illegal address: kernel 'add'");

    open_data(&data);
    gp_assert_ok(gp_stream_copy(data.rig.streams[0], GP_COPY_H2D, data.x->address, data.in->address,
                                data.x->bytes + 1, &err),
                 err);
    expect_lost(&data, "a copy or fill of 800001 bytes leaves its allocation");

    open_data(&data);
    gp_assert_ok(gp_device_mem_free(data.rig.device, data.y->address, &err), err);
    launch_add(&data, 0, 1); /* what it writes is freed */
    data.y->address = 0;
    expect_lost(&data, "illegal address: kernel 'add'");

    open_data(&data);
    gp_assert_ok(gp_stream_set(data.rig.streams[0], data.in->address, 0, 16, &err), err);
    expect_lost(&data, "a copy or fill of 16 bytes");
}

static void test_memory_of_the_device(void **state)
{
    static const char *const changes[] = {"memory_bytes 2000000", NULL};
    struct rig rig;
    struct gp_error err = {0};
    gp_addr first;
    gp_addr second;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 1);
    gp_assert_ok(gp_device_mem_alloc(rig.device, 800000, &first, &err), err);
    assert_int_equal(gp_device_mem_alloc(rig.device, 800000, &second, &err), GP_EDEVICEMEM);
    assert_non_null(strstr(err.text, "800000 bytes do not fit"));
    gp_assert_ok(gp_device_mem_free(rig.device, first, &err), err);
    gp_assert_ok(gp_device_mem_alloc(rig.device, 800000, &second, &err), err);
    assert_int_equal(gp_device_mem_alloc(rig.device, 0, &first, &err), GP_EINVAL);
    assert_int_equal(gp_device_mem_free(rig.device, second + 1, &err), GP_EINVAL);
    gp_assert_ok(gp_device_mem_free(rig.device, 0, &err), err);
    assert_int_equal(gp_stream_mem_free(rig.streams[0], second + 1, &err), GP_EINVAL);
    rig_close(&rig);

    /* What is not touched costs nothing. */
    rig_open(&rig, "model:h200", 8, 0);
    gp_assert_ok(gp_device_mem_alloc(rig.device, UINT64_C(100) << 30, &first, &err), err);
    rig_close(&rig);
}

/* ---- mistakes ---------------------------------------------------------------------------------
 */

static void launch_fails(struct rig *rig, uint32_t grid_y, uint32_t threads, uint32_t shared,
                         const char *part)
{
    static const struct gp_kernel big = {.name = "big", .registers = 200};
    const struct gp_launch launch = {
        .kernel = &big, .grid = {1, grid_y, 1}, .block = {threads, 1, 1}, .shared_bytes = shared};
    struct gp_error err = {0};

    assert_int_equal(gp_stream_launch(rig->streams[0], &launch, &err), GP_EINVAL);
    if (strstr(err.text, part) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, part);
    }
}

static void test_impossible_launches(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig, "model:h200", 8, 1);
    launch_fails(&rig, 0, 32, 0, "a grid or block of 1 × 0 × 1");
    launch_fails(&rig, 65536, 32, 0, "is not possible");
    launch_fails(&rig, 1, 1025, 0, "is not possible");
    launch_fails(&rig, 1, 1024, 0, "no SM holds a block of 1024 threads with 200 registers");
    launch_fails(&rig, 1, 32, 300000, "300000 bytes of shared memory");
    rig_close(&rig);
}

static void test_events(void **state)
{
    struct rig rig;
    struct gp_event *timed;
    struct gp_event *other;
    struct gp_event *untimed;
    struct gp_error err = {0};
    int64_t elapsed_ns = 0;

    (void)state;
    rig_open(&rig, "model:h200", 8, 1);
    timed = rig_event(&rig, GP_EVENT_TIMED);
    other = rig_event(&rig, GP_EVENT_TIMED | GP_EVENT_BLOCKING_SYNC);
    untimed = rig_event(&rig, 0);
    assert_int_equal(gp_event_query(timed, &err), 0); /* never recorded */
    gp_assert_ok(gp_event_sync(timed, &err), err);
    assert_int_equal(gp_event_elapsed(timed, other, &elapsed_ns, &err), GP_ESTATE);
    rig_record(&rig, timed, 0);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, 1000000);
    rig_record(&rig, other, 0);
    rig_record(&rig, untimed, 0);
    assert_int_equal(gp_event_query(other, &err), GP_ENOTREADY);
    assert_int_equal(gp_event_elapsed(timed, other, &elapsed_ns, &err), GP_ENOTREADY);
    assert_int_equal(gp_event_elapsed(timed, untimed, &elapsed_ns, &err), GP_EUNSUPPORTED);
    assert_int_equal(gp_stream_query(rig.streams[0], &err), GP_ENOTREADY);
    gp_assert_ok(gp_event_sync(other, &err), err);
    gp_assert_ok(gp_event_elapsed(timed, other, &elapsed_ns, &err), err);
    assert_in_range(elapsed_ns, 1000000, 1010000);
    /* Destroyed while recorded and not complete. */
    (void)rig_spin(&rig, rig.streams[0], 1, 32, 1000000);
    rig_record(&rig, other, 0);
    gp_assert_ok(gp_event_destroy(other, &err), err);
    while (gp_stream_query(rig.streams[0], &err) == GP_ENOTREADY) {
        gp_device_pause(rig.device, INT64_MAX);
    }
    rig_close(&rig);
}

/* Work goes on after its stream is destroyed. */
static void test_stream_destroyed_early(void **state)
{
    struct rig rig;
    struct gp_error err = {0};
    uint32_t slot;

    (void)state;
    rig_open(&rig, "model:h200", 8, 2);
    slot = rig_spin(&rig, rig.streams[1], 1, 32, 1000000);
    gp_assert_ok(gp_stream_destroy(rig.streams[1], &err), err);
    rig.stream_count = 1;
    (void)rig_spin(&rig, rig.streams[0], 1, 32, 2000000);
    rig_sync(&rig);
    assert_true(rig_end(&rig, slot) > 1000000);
    rig_close(&rig);
}

static int call_device(struct gp_device *device)
{
    struct gp_error err = {0};
    gp_addr address;

    return gp_device_mem_alloc(device, 16, &address, &err);
}

struct refusal {
    struct gp_device *device;
    int code;
};

static void call_from_function(void *user)
{
    struct refusal *refusal = user;

    refusal->code = call_device(refusal->device);
}

static void test_threads_that_may_not_call(void **state)
{
    struct rig rig;
    struct refusal refusal = {0};
    struct gp_error err = {0};

    (void)state;
    rig_open(&rig, "model:h200", 8, 1);
    refusal.device = rig.device;
    gp_assert_ok(gp_stream_host_function(rig.streams[0], call_from_function, &refusal, &err), err);
    rig_sync(&rig);
    assert_int_equal(refusal.code, GP_ESTATE);
    assert_int_equal(gp_device_attach(rig.device, &err), GP_ESTATE);
    gp_device_detach(rig.device);
    assert_int_equal(call_device(rig.device), GP_ESTATE);
    gp_assert_ok(gp_device_attach(rig.device, &err), err);
    rig_close(&rig);
}

/* A flag that nobody will write: a named error, not a hang. */
static void test_deadlock_has_a_name(void **state)
{
    struct rig rig;
    struct gp_error err = {0};
    uint32_t *flag = NULL;
    uint32_t plain = 0;
    int turns = 0;

    (void)state;
    rig_open(&rig, "model:h200", 8, 1);
    gp_assert_ok(gp_device_host_alloc(rig.device, 64, (void **)&flag, &err), err);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, 1000);
    while (gp_device_flag_read(rig.device, flag) == 0 &&
           gp_device_check(rig.device, &err) != GP_EDEADLOCK) {
        gp_device_pause(rig.device, INT64_MAX);
        assert_true(turns++ < 10);
    }
    assert_non_null(strstr(err.text, "deadlock"));
    /* Work makes it go away. */
    gp_assert_ok(gp_stream_flag_write(rig.streams[0], flag, 1, &err), err);
    gp_assert_ok(gp_device_check(rig.device, &err), err);
    rig_sync(&rig);
    assert_int_equal(gp_device_flag_read(rig.device, flag), 1);
    assert_int_equal(gp_stream_flag_write(rig.streams[0], &plain, 1, &err), GP_EINVAL);
    rig_close(&rig);
}

static void test_clocks(void **state)
{
    struct rig rig;
    struct gp_error err = {0};
    struct gp_clock_sample sample;
    uint32_t slot;
    int64_t before_ns;

    (void)state;
    rig_open(&rig, "model:h200", 8, 1);
    slot = rig_spin(&rig, rig.streams[0], 1, 32, 1000000);
    before_ns = gp_device_clock_ns(rig.device);
    gp_assert_ok(gp_device_clock_sample(rig.device, &sample, &err), err);
    assert_true(sample.host_before_ns >= before_ns && sample.host_before_ns >= rig_end(&rig, slot));
    assert_true(sample.host_before_ns < sample.device_ns);
    assert_true(sample.device_ns < sample.host_after_ns);
    before_ns = gp_device_clock_ns(rig.device);
    gp_device_pause(rig.device, before_ns + 5000);
    assert_in_range(gp_device_clock_ns(rig.device), before_ns + 5000, before_ns + 5100);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_specs),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_bytes_go_round),
        cmocka_unit_test(test_missing_dependency_is_wrong_data),
        cmocka_unit_test(test_results_are_reused_by_content),
        cmocka_unit_test(test_plain_runs_move_nothing),
        cmocka_unit_test(test_pageable_memory),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_memory_of_the_device),
        cmocka_unit_test(test_impossible_launches),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_stream_destroyed_early),
        cmocka_unit_test(test_threads_that_may_not_call),
        cmocka_unit_test(test_deadlock_has_a_name),
        cmocka_unit_test(test_clocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
