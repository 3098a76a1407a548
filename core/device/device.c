/* The device interface's wrappers: see device.h. One place for assertions and for optional slots.
 */
#include "core/device/device.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *gp_device_kind_name(enum gp_device_kind kind)
{
    return kind == GP_DEVICE_CUDA ? "cuda" : "model";
}

const char *gp_scheduling_name(enum gp_scheduling scheduling)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_SCHEDULINGS(X)
#undef X
    };

    assert((unsigned)scheduling < GP_SCHEDULING_COUNT);
    return words[scheduling];
}

int gp_device_describe(const struct gp_device_ops *ops, int32_t index,
                       const struct gp_device_options *options, struct gp_device_info *out,
                       struct gp_error *err)
{
    static const struct gp_device_options none;

    assert(ops != NULL && out != NULL && index >= 0);
    memset(out, 0, sizeof *out);
    return ops->describe(index, options != NULL ? options : &none, out, err);
}

void gp_device_close(struct gp_device *device)
{
    if (device != NULL) {
        device->ops->close(device);
    }
}

void gp_device_detach(struct gp_device *device)
{
    assert(device != NULL);
    device->ops->detach(device);
}

struct gp_lane *gp_device_park(struct gp_device *device)
{
    assert(device != NULL);
    return device->ops->park != NULL ? device->ops->park(device) : NULL;
}

void gp_device_unpark(struct gp_device *device, struct gp_lane *lane)
{
    assert(device != NULL);
    if (device->ops->unpark != NULL) {
        device->ops->unpark(device, lane);
    }
}

void gp_device_resume(struct gp_device *device, struct gp_lane *lane)
{
    assert(device != NULL);
    if (device->ops->resume != NULL) {
        device->ops->resume(device, lane);
    }
}

int64_t gp_device_clock_ns(struct gp_device *device)
{
    assert(device != NULL);
    return device->ops->clock_ns(device);
}

void gp_device_pause(struct gp_device *device, int64_t until_ns)
{
    assert(device != NULL);
    device->ops->pause(device, until_ns);
}

void gp_device_set_execute(struct gp_device *device, bool on)
{
    assert(device != NULL);
    if (device->ops->set_execute != NULL) {
        device->ops->set_execute(device, on);
    }
}

int gp_device_watch(struct gp_device *device, struct gp_work_times *log, uint32_t count,
                    struct gp_error *err)
{
    assert(device != NULL && (log != NULL || count == 0));
    if (device->ops->watch == NULL) {
        return gp_fail(err, GP_EUNSUPPORTED, "only the model knows what its work really took");
    }
    device->ops->watch(device, log, count);
    return 0;
}

uint32_t gp_device_flag_read(struct gp_device *device, const uint32_t *flag)
{
    assert(device != NULL && flag != NULL);
    return device->ops->flag_read(device, flag);
}

int gp_stream_create(struct gp_device *device, enum gp_stream_flag flag, int32_t priority,
                     struct gp_stream **out, struct gp_error *err)
{
    assert(device != NULL && out != NULL);
    return device->ops->stream_create(device, flag, priority, out, err);
}

int gp_stream_create_on(struct gp_device *device, struct gp_sm_part part, int32_t priority,
                        struct gp_stream **out, struct gp_error *err)
{
    assert(device != NULL && out != NULL && part.permille < 1000 && part.index <= 1);
    if (part.permille == 0) {
        return gp_stream_create(device, GP_STREAM_NON_BLOCKING, priority, out, err);
    }
    if (device->ops->stream_create_on == NULL) {
        return gp_fail(err, GP_EUNSUPPORTED, "device '%s' cannot split its SMs", device->ops->name);
    }
    return device->ops->stream_create_on(device, part, priority, out, err);
}

int gp_stream_destroy(struct gp_stream *stream, struct gp_error *err)
{
    return stream != NULL ? stream->device->ops->stream_destroy(stream, err) : 0;
}

int gp_event_create(struct gp_device *device, uint32_t flags, struct gp_event **out,
                    struct gp_error *err)
{
    assert(device != NULL && out != NULL);
    return device->ops->event_create(device, flags, out, err);
}

int gp_event_destroy(struct gp_event *event, struct gp_error *err)
{
    return event != NULL ? event->device->ops->event_destroy(event, err) : 0;
}

int gp_event_elapsed(struct gp_event *begin, struct gp_event *end, int64_t *out_ns,
                     struct gp_error *err)
{
    assert(begin != NULL && end != NULL && out_ns != NULL);
    return begin->device->ops->event_elapsed(begin, end, out_ns, err);
}

int gp_graph_destroy(struct gp_graph *graph, struct gp_error *err)
{
    return graph != NULL ? graph->device->ops->graph_destroy(graph, err) : 0;
}

int gp_device_attach(struct gp_device *device, struct gp_error *err)
{
    assert(device != NULL);
    return device->ops->attach(device, err);
}

int gp_device_check(struct gp_device *device, struct gp_error *err)
{
    assert(device != NULL);
    return device->ops->check(device, err);
}

bool gp_device_is_lost(struct gp_device *device)
{
    assert(device != NULL);
    return device->ops->is_lost != NULL && device->ops->is_lost(device);
}

int gp_device_mem_alloc(struct gp_device *device, uint64_t bytes, gp_addr *out,
                        struct gp_error *err)
{
    assert(device != NULL);
    return device->ops->mem_alloc(device, bytes, out, err);
}

int gp_device_mem_free(struct gp_device *device, gp_addr address, struct gp_error *err)
{
    assert(device != NULL);
    return device->ops->mem_free(device, address, err);
}

int gp_device_host_alloc(struct gp_device *device, uint64_t bytes, void **out, struct gp_error *err)
{
    assert(device != NULL);
    return device->ops->host_alloc(device, bytes, out, err);
}

int gp_device_host_free(struct gp_device *device, void *block, struct gp_error *err)
{
    assert(device != NULL);
    return device->ops->host_free(device, block, err);
}

int gp_device_clock_sample(struct gp_device *device, struct gp_clock_sample *out,
                           struct gp_error *err)
{
    assert(device != NULL);
    return device->ops->clock_sample(device, out, err);
}

int gp_device_kernel_prepare(struct gp_device *device, const struct gp_kernel *kernel,
                             struct gp_error *err)
{
    assert(device != NULL);
    return device->ops->kernel_prepare(device, kernel, err);
}

int gp_stream_mem_alloc(struct gp_stream *stream, uint64_t bytes, gp_addr *out,
                        struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->mem_alloc_async(stream, bytes, out, err);
}

int gp_stream_mem_free(struct gp_stream *stream, gp_addr address, struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->mem_free_async(stream, address, err);
}

int gp_stream_query(struct gp_stream *stream, struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->stream_query(stream, err);
}

int gp_stream_sync(struct gp_stream *stream, struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->stream_sync(stream, err);
}

int gp_stream_wait(struct gp_stream *stream, struct gp_event *event, struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->stream_wait(stream, event, err);
}

int gp_event_record(struct gp_event *event, struct gp_stream *stream, struct gp_error *err)
{
    assert(event != NULL);
    return event->device->ops->event_record(event, stream, err);
}

int gp_event_query(struct gp_event *event, struct gp_error *err)
{
    assert(event != NULL);
    return event->device->ops->event_query(event, err);
}

int gp_event_sync(struct gp_event *event, struct gp_error *err)
{
    assert(event != NULL);
    return event->device->ops->event_sync(event, err);
}

int gp_stream_launch(struct gp_stream *stream, const struct gp_launch *launch, struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->launch(stream, launch, err);
}

int gp_stream_copy(struct gp_stream *stream, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                   uint64_t bytes, struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->copy(stream, kind, to, from, bytes, err);
}

int gp_stream_set(struct gp_stream *stream, gp_addr to, uint8_t value, uint64_t bytes,
                  struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->set(stream, to, value, bytes, err);
}

int gp_stream_host_function(struct gp_stream *stream, gp_host_fn *fn, void *user,
                            struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->host_function(stream, fn, user, err);
}

int gp_stream_flag_write(struct gp_stream *stream, uint32_t *flag, uint32_t value,
                         struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->flag_write(stream, flag, value, err);
}

int gp_stream_capture_begin(struct gp_stream *stream, struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->capture_begin(stream, err);
}

int gp_stream_capture_end(struct gp_stream *stream, struct gp_graph **out, struct gp_error *err)
{
    assert(stream != NULL);
    return stream->device->ops->capture_end(stream, out, err);
}

int gp_graph_instantiate(struct gp_graph *graph, struct gp_error *err)
{
    assert(graph != NULL);
    return graph->device->ops->graph_instantiate(graph, err);
}

int gp_graph_launch(struct gp_graph *graph, struct gp_stream *stream, struct gp_error *err)
{
    assert(graph != NULL);
    return graph->device->ops->graph_launch(graph, stream, err);
}
