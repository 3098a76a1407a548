/* The recording device: see fake_device.h. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_device.h"

struct fake_stream {
    struct gp_stream base;
    uint32_t number;
};

struct fake_event {
    struct gp_event base;
    uint32_t number;
};

static struct gp_fake *fake_of(struct gp_device *device)
{
    return (struct gp_fake *)device;
}

static struct fake_stream *stream_of(struct gp_stream *stream)
{
    return (struct fake_stream *)stream;
}

static struct fake_event *event_of(struct gp_event *event)
{
    return (struct fake_event *)event;
}

static void *make(struct gp_fake *fake, size_t bytes)
{
    void *block = calloc(1, bytes);

    assert_non_null(block);
    fake->live++;
    return block;
}

static void unmake(struct gp_fake *fake, void *block)
{
    assert_true(fake->live > 0);
    fake->live--;
    free(block);
}

static void note(struct gp_fake *fake, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(struct gp_fake *fake, const char *format, ...)
{
    va_list arguments;

    if (fake->is_silent) {
        return;
    }
    if (fake->log_bytes + 128 > fake->log_capacity) {
        fake->log_capacity = fake->log_capacity * 2 + 4096;
        fake->log = realloc(fake->log, fake->log_capacity);
        assert_non_null(fake->log);
    }
    if (fake->log_bytes > 0) {
        fake->log_bytes += (size_t)sprintf(fake->log + fake->log_bytes, "; ");
    }
    va_start(arguments, format);
    fake->log_bytes += (size_t)vsnprintf(fake->log + fake->log_bytes, 100, format, arguments);
    va_end(arguments);
}

const char *gp_fake_take_log(struct gp_fake *fake)
{
    fake->log_bytes = 0;
    return fake->log != NULL ? fake->log : "";
}

/* 0, or the failure that the test asked for. */
static int count_call(struct gp_fake *fake, const char *name, struct gp_error *err)
{
    if (++fake->calls != fake->fail_at) {
        return 0;
    }
    (void)gp_fail(err, fake->fail_code, "the fake device fails at %s", name);
    if (err != NULL) {
        (void)snprintf(err->call, sizeof err->call, "%s", name);
    }
    return fake->fail_code;
}

static int attach(struct gp_device *device, struct gp_error *err)
{
    (void)device;
    (void)err;
    return 0;
}

static void detach(struct gp_device *device)
{
    (void)device;
}

static int64_t clock_ns(struct gp_device *device)
{
    fake_of(device)->clock_reads++;
    return ++fake_of(device)->now_ns;
}

static void pause_until(struct gp_device *device, int64_t until_ns)
{
    fake_of(device)->now_ns = until_ns;
}

static int check(struct gp_device *device, struct gp_error *err)
{
    struct gp_fake *fake = fake_of(device);

    fake->checks++;
    return fake->check_code == 0 ? 0 : gp_fail(err, fake->check_code, "the fake device is lost");
}

static int mem_alloc(struct gp_device *device, uint64_t bytes, gp_addr *out, struct gp_error *err)
{
    int code = count_call(fake_of(device), "mem_alloc", err);

    if (code == 0) {
        *out = (gp_addr)(uintptr_t)make(fake_of(device), bytes);
    }
    return code;
}

static int mem_free(struct gp_device *device, gp_addr address, struct gp_error *err)
{
    (void)err;
    if (address != 0) {
        unmake(fake_of(device), (void *)(uintptr_t)address);
    }
    return 0;
}

static int host_alloc(struct gp_device *device, uint64_t bytes, void **out, struct gp_error *err)
{
    int code = count_call(fake_of(device), "host_alloc", err);

    if (code == 0) {
        *out = make(fake_of(device), bytes);
    }
    return code;
}

static int host_free(struct gp_device *device, void *block, struct gp_error *err)
{
    (void)err;
    unmake(fake_of(device), block);
    return 0;
}

static int stream_create(struct gp_device *device, enum gp_stream_flag flag, int32_t priority,
                         struct gp_stream **out, struct gp_error *err)
{
    struct gp_fake *fake = fake_of(device);
    int code = count_call(fake, "stream_create", err);
    struct fake_stream *stream;

    if (code != 0) {
        return code;
    }
    stream = make(fake, sizeof *stream);
    stream->base = (struct gp_stream){device, flag, priority, 0};
    stream->number = fake->stream_count++;
    *out = &stream->base;
    note(fake, "create s%u flag %d priority %d", stream->number, (int)flag, (int)priority);
    return 0;
}

static int stream_create_on(struct gp_device *device, struct gp_sm_part part, int32_t priority,
                            struct gp_stream **out, struct gp_error *err)
{
    int code = stream_create(device, GP_STREAM_NON_BLOCKING, priority, out, err);

    if (code == 0) {
        note(fake_of(device), "part %u of %u", (unsigned)part.index, (unsigned)part.permille);
    }
    return code;
}

static int stream_destroy(struct gp_stream *stream, struct gp_error *err)
{
    (void)err;
    unmake(fake_of(stream->device), stream);
    return 0;
}

static int stream_query(struct gp_stream *stream, struct gp_error *err)
{
    return count_call(fake_of(stream->device), "stream_query", err);
}

static int stream_sync(struct gp_stream *stream, struct gp_error *err)
{
    fake_of(stream->device)->syncs++;
    note(fake_of(stream->device), "sync s%u", stream_of(stream)->number);
    return count_call(fake_of(stream->device), "stream_sync", err);
}

static int stream_wait(struct gp_stream *stream, struct gp_event *event, struct gp_error *err)
{
    note(fake_of(stream->device), "wait s%u e%u", stream_of(stream)->number,
         event_of(event)->number);
    return count_call(fake_of(stream->device), "stream_wait", err);
}

static int event_create(struct gp_device *device, uint32_t flags, struct gp_event **out,
                        struct gp_error *err)
{
    struct gp_fake *fake = fake_of(device);
    int code = count_call(fake, "event_create", err);
    struct fake_event *event;

    if (code != 0) {
        return code;
    }
    event = make(fake, sizeof *event);
    event->base = (struct gp_event){device, flags};
    event->number = fake->event_count++;
    *out = &event->base;
    return 0;
}

static int event_destroy(struct gp_event *event, struct gp_error *err)
{
    (void)err;
    unmake(fake_of(event->device), event);
    return 0;
}

static int event_record(struct gp_event *event, struct gp_stream *stream, struct gp_error *err)
{
    note(fake_of(event->device), "record s%u e%u", stream_of(stream)->number,
         event_of(event)->number);
    return count_call(fake_of(event->device), "event_record", err);
}

static int event_query(struct gp_event *event, struct gp_error *err)
{
    struct gp_fake *fake = fake_of(event->device);
    int code = count_call(fake, "event_query", err);

    if (code == 0 && fake->not_ready > 0) {
        fake->not_ready--;
        return GP_ENOTREADY;
    }
    return code;
}

/* Kernels of the tests have at most one argument: a tag. */
static int launch(struct gp_stream *stream, const struct gp_launch *launch, struct gp_error *err)
{
    uint32_t tag = launch->kernel->arg_count > 0 ? GP_ARG(launch, 0, uint32_t) : '?';

    note(fake_of(stream->device), "launch s%u %c%s", stream_of(stream)->number, (int)tag,
         launch->stamp != 0 ? " stamped" : "");
    return count_call(fake_of(stream->device), "launch", err);
}

/* Moves the bytes at once when both ends are real memory. */
static int copy(struct gp_stream *stream, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                uint64_t bytes, struct gp_error *err)
{
    static const char *const words[] = {"h2d", "d2h", "d2d"};

    note(fake_of(stream->device), "%s s%u %u", words[kind], stream_of(stream)->number,
         (unsigned)bytes);
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return count_call(fake_of(stream->device), "copy", err);
}

static int set(struct gp_stream *stream, gp_addr to, uint8_t value, uint64_t bytes,
               struct gp_error *err)
{
    note(fake_of(stream->device), "set s%u %u", stream_of(stream)->number, (unsigned)bytes);
    memset((void *)(uintptr_t)to, value, bytes);
    return count_call(fake_of(stream->device), "set", err);
}

/* At once: the fake device has no work to wait for. */
static int host_function(struct gp_stream *stream, gp_host_fn *fn, void *user, struct gp_error *err)
{
    note(fake_of(stream->device), "host s%u", stream_of(stream)->number);
    fn(user);
    return count_call(fake_of(stream->device), "host_function", err);
}

static int flag_write(struct gp_stream *stream, uint32_t *flag, uint32_t value,
                      struct gp_error *err)
{
    int code;

    note(fake_of(stream->device), "flag s%u %u", stream_of(stream)->number, value);
    if (fake_of(stream->device)->has_no_flags) {
        return gp_fail(err, GP_EUNSUPPORTED, "the fake device writes no flags");
    }
    code = count_call(fake_of(stream->device), "flag_write", err);
    if (code == 0) {
        *flag = value;
    }
    return code;
}

static uint32_t flag_read(struct gp_device *device, const uint32_t *flag)
{
    (void)device;
    return *flag;
}

static int event_sync(struct gp_event *event, struct gp_error *err)
{
    note(fake_of(event->device), "sync e%u", event_of(event)->number);
    return count_call(fake_of(event->device), "event_sync", err);
}

static const struct gp_device_ops fake_ops = {
    .name = "fake",
    .attach = attach,
    .detach = detach,
    .clock_ns = clock_ns,
    .pause = pause_until,
    .check = check,
    .mem_alloc = mem_alloc,
    .mem_free = mem_free,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .stream_create = stream_create,
    .stream_create_on = stream_create_on,
    .stream_destroy = stream_destroy,
    .stream_query = stream_query,
    .stream_sync = stream_sync,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_query = event_query,
    .event_sync = event_sync,
    .launch = launch,
    .copy = copy,
    .set = set,
    .host_function = host_function,
    .flag_write = flag_write,
    .flag_read = flag_read,
};

void gp_fake_init(struct gp_fake *fake)
{
    memset(fake, 0, sizeof *fake);
    fake->base.ops = &fake_ops;
    fake->fail_code = GP_EDRIVER;
}

void gp_fake_finish(struct gp_fake *fake)
{
    assert_int_equal(fake->live, 0);
    free(fake->log);
}
