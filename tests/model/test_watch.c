/* What the model says of its own work, against the stamps of kernels and the rules of copies. */
#include "rig.h"

#include "core/device/model/model.h"

enum { WORK = 3 };
#define MIB (UINT64_C(1) << 20)

struct fixture {
    struct rig rig;
    gp_addr memory;
    void *pinned;
    struct gp_work_times log[WORK + 1];
};

static void open_fixture(struct fixture *f)
{
    struct gp_error err = {0};

    rig_open(&f->rig, "model:h200", 8, 2);
    gp_assert_ok(gp_device_mem_alloc(f->rig.device, 4 * MIB, &f->memory, &err), err);
    gp_assert_ok(gp_device_host_alloc(f->rig.device, 4 * MIB, &f->pinned, &err), err);
}

static void close_fixture(struct fixture *f)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_device_mem_free(f->rig.device, f->memory, &err), err);
    gp_assert_ok(gp_device_host_free(f->rig.device, f->pinned, &err), err);
    rig_close(&f->rig);
}

/* An upload of 4 MiB and 16 KiB and a kernel, on two streams. Returns the kernel's slot. */
static uint32_t submit(struct fixture *f)
{
    struct gp_error err = {0};
    struct gp_stream *stream = f->rig.streams[0];

    gp_assert_ok(
        gp_stream_copy(stream, GP_COPY_H2D, f->memory, (uintptr_t)f->pinned, 4 * MIB, &err), err);
    gp_assert_ok(gp_stream_copy(f->rig.streams[1], GP_COPY_H2D, f->memory, (uintptr_t)f->pinned,
                                16384, &err),
                 err);
    return rig_spin(&f->rig, stream, 1, 32, 10000);
}

static void test_work_is_known(void **state)
{
    struct fixture f;
    struct gp_error err = {0};
    uint32_t slot;

    (void)state;
    open_fixture(&f);
    f.log[WORK] = (struct gp_work_times){-7, -7};
    gp_assert_ok(gp_device_watch(f.rig.device, f.log, WORK, &err), err);
    slot = submit(&f);
    rig_sync(&f.rig);
    (void)rig_spin(&f.rig, f.rig.streams[0], 1, 32, 10000); /* one more than the log has room for */
    rig_sync(&f.rig);
    assert_int_equal(f.log[WORK].begin_ns, -7);
    /* Stamps are the same times in whole ticks of 32 ns. */
    assert_in_range(f.log[2].begin_ns - rig_begin(&f.rig, slot), 0, 31);
    assert_in_range(f.log[2].end_ns - rig_end(&f.rig, slot), 0, 31);
    assert_int_equal(f.log[2].end_ns - f.log[2].begin_ns, 10000);
    /* Back to back 4 MiB take 79.3 us; a small one passes it. */
    assert_in_range(f.log[0].end_ns - f.log[0].begin_ns, 79000, 79600);
    assert_true(f.log[1].end_ns < f.log[0].end_ns);
    assert_true(f.log[2].begin_ns > f.log[0].end_ns);
    gp_assert_ok(gp_device_watch(f.rig.device, NULL, 0, &err), err);
    close_fixture(&f);
}

static void test_watching_changes_nothing(void **state)
{
    struct fixture plain, watched;
    struct gp_error err = {0};
    uint32_t slots[2];

    (void)state;
    open_fixture(&plain);
    slots[0] = submit(&plain);
    rig_sync(&plain.rig);
    open_fixture(&watched);
    gp_assert_ok(gp_device_watch(watched.rig.device, watched.log, WORK, &err), err);
    slots[1] = submit(&watched);
    rig_sync(&watched.rig);
    assert_int_equal(rig_begin(&plain.rig, slots[0]), rig_begin(&watched.rig, slots[1]));
    close_fixture(&plain);
    close_fixture(&watched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_known),
        cmocka_unit_test(test_watching_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
