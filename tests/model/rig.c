/* See rig.h. */
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/model/profile.h"

enum { ISSUE, LATENCY, READ, WRITE, SPIN, SPREAD };

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    out->issue = GP_ARG(launch, ISSUE, uint64_t);
    out->latency_cycles = GP_ARG(launch, LATENCY, uint64_t);
    out->read_bytes = GP_ARG(launch, READ, uint64_t);
    out->write_bytes = GP_ARG(launch, WRITE, uint64_t);
    out->spin_ns = GP_ARG(launch, SPIN, uint64_t);
    out->spread_ns = GP_ARG(launch, SPREAD, uint64_t);
}

static const struct gp_kernel_arg args[] = {
    {"issue", GP_ARG_VALUE, 8}, {"latency", GP_ARG_VALUE, 8}, {"read", GP_ARG_VALUE, 8},
    {"write", GP_ARG_VALUE, 8}, {"spin", GP_ARG_VALUE, 8},    {"spread", GP_ARG_VALUE, 8},
};

static const struct gp_kernel kernel = {
    .name = "work",
    .summary = "does what its arguments say",
    .args = args,
    .arg_count = 6,
    .stamped = 1,
    .registers = 16,
    .work = work,
};

static void finish_open(struct rig *rig, uint32_t count)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_device_mem_alloc(rig->device, RIG_STAMPS_MAX * sizeof(struct gp_stamp),
                                     &rig->stamps_address, &err),
                 err);
    rig->stamps = (struct gp_stamp *)(uintptr_t)rig->stamps_address;
    for (uint32_t i = 0; i < count; i++) {
        (void)rig_stream(rig, GP_STREAM_NON_BLOCKING, 0);
    }
}

void rig_open(struct rig *rig, const char *spec, int32_t connections, uint32_t count)
{
    const struct gp_device_options options = {.connections = connections};
    struct gp_error err = {0};

    memset(rig, 0, sizeof *rig);
    gp_assert_ok(gp_device_open(spec, &options, &rig->device, &err), err);
    finish_open(rig, count);
}

static const struct {
    const char *key, *value;
} ideals[] = {
    {"h2d_setup_curve", "0:0 bytes:ns"},
    {"d2h_setup_curve", "0:0 bytes:ns"},
    {"alloc_synchronises", "0 0/1"},
};

/* Whether an ideal device has none of it. */
static bool is_idealised(const struct gp_profile_parameter *parameter)
{
    return strcmp(parameter->unit, "ns") == 0 || strcmp(parameter->unit, "ps") == 0;
}

static bool is_changed(const char *key, const char *const *changes)
{
    size_t length = strlen(key);

    for (; changes != NULL && *changes != NULL; changes++) {
        if (strncmp(*changes, key, length) == 0 && (*changes)[length] == ' ') {
            return true;
        }
    }
    return false;
}

static const char *unit_of(const char *change)
{
    for (int i = 0; i < GP_PROFILE_KEY_COUNT; i++) {
        const struct gp_profile_parameter *parameter = gp_profile_parameter((enum gp_profile_key)i);
        size_t length = strlen(parameter->key);

        if (strncmp(change, parameter->key, length) == 0 && change[length] == ' ') {
            return parameter->unit;
        }
    }
    fail_msg("no profile key: %s", change);
    return "";
}

void rig_open_changed(struct rig *rig, const char *base, bool is_ideal, const char *const *changes,
                      int32_t connections, uint32_t count)
{
    static char text[32768];
    size_t length;
    struct gp_device_options options = {.profile_text = text, .connections = connections};
    struct gp_error err = {0};

    length = (size_t)snprintf(text, sizeof text,
                              "gpuprobe-profile 1\nname test\nmodels a test\nbase %s\n", base);
    for (int i = 0; is_ideal && i < GP_PROFILE_KEY_COUNT; i++) {
        const struct gp_profile_parameter *parameter = gp_profile_parameter((enum gp_profile_key)i);

        if (is_idealised(parameter) && !is_changed(parameter->key, changes)) {
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s %d %s assumed ideal\n",
                                 parameter->key, (int)parameter->min, parameter->unit);
        }
    }
    for (size_t i = 0; is_ideal && i < sizeof ideals / sizeof ideals[0]; i++) {
        if (!is_changed(ideals[i].key, changes)) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s %s assumed ideal\n",
                                       ideals[i].key, ideals[i].value);
        }
    }
    for (; changes != NULL && *changes != NULL; changes++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s %s assumed a test\n",
                                   *changes, unit_of(*changes));
    }
    memset(rig, 0, sizeof *rig);
    gp_assert_ok(gp_device_open("model:test", &options, &rig->device, &err), err);
    finish_open(rig, count);
}

void rig_close(struct rig *rig)
{
    gp_device_close(rig->device);
}

struct gp_stream *rig_stream(struct rig *rig, enum gp_stream_flag flag, int32_t priority)
{
    struct gp_error err = {0};
    struct gp_stream *stream = NULL;

    gp_assert_ok(gp_stream_create(rig->device, flag, priority, &stream, &err), err);
    assert_true(rig->stream_count < RIG_STREAMS_MAX);
    rig->streams[rig->stream_count++] = stream;
    return stream;
}

void rig_launch_into(struct gp_stream *stream, uint32_t blocks, uint32_t threads,
                     const struct gp_work *amount, gp_addr stamp)
{
    const void *const values[] = {&amount->issue,      &amount->latency_cycles,
                                  &amount->read_bytes, &amount->write_bytes,
                                  &amount->spin_ns,    &amount->spread_ns};
    const struct gp_launch launch = {
        .kernel = &kernel,
        .grid = {blocks, 1, 1},
        .block = {threads, 1, 1},
        .args = values,
        .stamp = stamp,
    };
    struct gp_error err = {0};

    gp_assert_ok(gp_stream_launch(stream, &launch, &err), err);
}

uint32_t rig_launch(struct rig *rig, struct gp_stream *stream, uint32_t blocks, uint32_t threads,
                    const struct gp_work *amount)
{
    uint32_t slot = rig->stamp_count++;

    assert_true(slot < RIG_STAMPS_MAX);
    rig->stamps[slot] = (struct gp_stamp){UINT64_MAX, 0};
    rig_launch_into(stream, blocks, threads, amount,
                    rig->stamps_address + slot * sizeof(struct gp_stamp));
    return slot;
}

uint32_t rig_spin(struct rig *rig, struct gp_stream *stream, uint32_t blocks, uint32_t threads,
                  uint64_t ns)
{
    const struct gp_work amount = {.spin_ns = ns};

    return rig_launch(rig, stream, blocks, threads, &amount);
}

int64_t rig_begin(const struct rig *rig, uint32_t slot)
{
    assert_true(rig->stamps[slot].begin != UINT64_MAX);
    return (int64_t)rig->stamps[slot].begin;
}

int64_t rig_end(const struct rig *rig, uint32_t slot)
{
    assert_true(rig->stamps[slot].begin != UINT64_MAX);
    return (int64_t)rig->stamps[slot].end;
}

void rig_sync(struct rig *rig)
{
    struct gp_error err = {0};

    for (uint32_t i = 0; i < rig->stream_count; i++) {
        gp_assert_ok(gp_stream_sync(rig->streams[i], &err), err);
    }
}

void rig_check_near(double value, double expected, double permille, const char *what,
                    const char *file, int line)
{
    if (getenv("RIG_SHOW") != NULL) {
        print_message("%s: %.0f, measured %.0f (%+.1f %%)\n", what, value, expected,
                      (value / expected - 1) * 100);
    }
    if (fabs(value - expected) > fabs(expected) * permille / 1000) {
        print_error("%s is %.0f, not %.0f within %.0f permille (off by %+.1f)\n", what, value,
                    expected, permille, (value / expected - 1) * 1000);
        _fail(file, line);
    }
}

int64_t rig_sync_one(struct rig *rig, uint32_t stream)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_stream_sync(rig->streams[stream], &err), err);
    return gp_device_clock_ns(rig->device);
}

int64_t rig_gap(const struct rig *rig, uint32_t first, uint32_t second)
{
    return rig_begin(rig, second) - rig_end(rig, first);
}

struct gp_event *rig_event(struct rig *rig, uint32_t flags)
{
    struct gp_event *event = NULL;
    struct gp_error err = {0};

    gp_assert_ok(gp_event_create(rig->device, flags, &event, &err), err);
    return event;
}

void rig_record(struct rig *rig, struct gp_event *event, uint32_t stream)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_event_record(event, rig->streams[stream], &err), err);
}

void rig_wait(struct rig *rig, uint32_t stream, struct gp_event *event)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_stream_wait(rig->streams[stream], event, &err), err);
}

void rig_open_transfer(struct rig *rig, struct rig_transfer *transfer, uint64_t bytes)
{
    struct gp_error err = {0};
    void *pinned = NULL;

    gp_device_set_execute(rig->device, false);
    gp_assert_ok(gp_device_mem_alloc(rig->device, 2 * bytes, &transfer->device, &err), err);
    gp_assert_ok(gp_device_host_alloc(rig->device, bytes, &pinned, &err), err);
    transfer->pinned = (uint64_t)(uintptr_t)pinned;
}

void rig_copy(struct rig *rig, uint32_t stream, const struct rig_transfer *transfer,
              enum gp_copy_kind kind, uint64_t bytes)
{
    const uint64_t to = kind == GP_COPY_D2H ? transfer->pinned : transfer->device;
    const uint64_t from = kind == GP_COPY_H2D   ? transfer->pinned
                          : kind == GP_COPY_D2H ? transfer->device
                                                : transfer->device + bytes;
    struct gp_error err = {0};

    gp_assert_ok(gp_stream_copy(rig->streams[stream], kind, to, from, bytes, &err), err);
}
