/* Buffers: see buffer.h. Knows no operations and no schedules. */
#include "core/buffer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

static const char *space_name(enum gp_space space)
{
    return space == GP_SPACE_DEVICE ? "device" : "pinned host";
}

/* Seven plain facts are clearer than a struct of them. */
/* NOLINTNEXTLINE(readability-function-size) */
int gp_buffer_create(struct gp_device *device, enum gp_space space, uint64_t bytes, uint32_t id,
                     const char *name, struct gp_buffer **out, struct gp_error *err)
{
    struct gp_buffer *buffer;
    void *host = NULL;
    int code;

    assert(device != NULL && name != NULL && out != NULL);
    *out = NULL;
    if (bytes == 0) {
        return gp_fail(err, GP_EINVAL, "buffer '%s' needs at least one byte", name);
    }
    buffer = gp_alloc(1, sizeof *buffer);
    if (buffer == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for buffer '%s'", name);
    }
    if (space == GP_SPACE_DEVICE) {
        code = gp_device_mem_alloc(device, bytes, &buffer->address, err);
    } else {
        code = gp_device_host_alloc(device, bytes, &host, err);
        buffer->address = (uint64_t)(uintptr_t)host;
    }
    if (code != 0) {
        gp_free(buffer);
        (void)gp_fail_context(err, "buffer '%s' of %" PRIu64 " bytes of %s memory", name, bytes,
                              space_name(space));
        return code;
    }
    buffer->device = device;
    buffer->id = id;
    buffer->space = space;
    buffer->bytes = bytes;
    (void)snprintf(buffer->name, sizeof buffer->name, "%s", name);
    *out = buffer;
    return 0;
}

void gp_buffer_destroy(struct gp_buffer *buffer)
{
    if (buffer == NULL) {
        return;
    }
    if (buffer->space == GP_SPACE_DEVICE) {
        (void)gp_device_mem_free(buffer->device, buffer->address, NULL);
    } else {
        (void)gp_device_host_free(buffer->device, gp_buffer_host(buffer), NULL);
    }
    gp_free(buffer);
}

void *gp_buffer_host(const struct gp_buffer *buffer)
{
    assert(buffer != NULL && buffer->space == GP_SPACE_PINNED);
    return (void *)(uintptr_t)buffer->address;
}

static int check_range(const struct gp_buffer *buffer, uint64_t offset, uint64_t bytes,
                       struct gp_error *err)
{
    if (offset > buffer->bytes || bytes > buffer->bytes - offset) {
        return gp_fail(err, GP_EINVAL,
                       "bytes %" PRIu64 " to %" PRIu64 " lie outside buffer '%s' of %" PRIu64
                       " bytes",
                       offset, offset + bytes, buffer->name, buffer->bytes);
    }
    return 0;
}

/* Ends a transfer that was submitted with `code`: waits for it and says which buffer it was. */
static int finish_transfer(const struct gp_buffer *buffer, struct gp_stream *through, int code,
                           struct gp_error *err)
{
    if (code == 0) {
        code = gp_stream_sync(through, err);
    }
    if (code != 0) {
        (void)gp_fail_context(err, "buffer '%s'", buffer->name);
    }
    return code;
}

int gp_buffer_write(struct gp_buffer *buffer, struct gp_stream *through, uint64_t offset,
                    const void *from, uint64_t bytes, struct gp_error *err)
{
    int code;

    assert(buffer != NULL && through != NULL && (from != NULL || bytes == 0));
    code = check_range(buffer, offset, bytes, err);
    if (code != 0 || bytes == 0) {
        return code;
    }
    if (buffer->space == GP_SPACE_PINNED) {
        memcpy((char *)gp_buffer_host(buffer) + offset, from, bytes);
        return 0;
    }
    code = gp_stream_copy(through, GP_COPY_H2D, buffer->address + offset, (uint64_t)(uintptr_t)from,
                          bytes, err);
    return finish_transfer(buffer, through, code, err);
}

int gp_buffer_read(const struct gp_buffer *buffer, struct gp_stream *through, uint64_t offset,
                   void *to, uint64_t bytes, struct gp_error *err)
{
    int code;

    assert(buffer != NULL && through != NULL && (to != NULL || bytes == 0));
    code = check_range(buffer, offset, bytes, err);
    if (code != 0 || bytes == 0) {
        return code;
    }
    if (buffer->space == GP_SPACE_PINNED) {
        memcpy(to, (const char *)gp_buffer_host(buffer) + offset, bytes);
        return 0;
    }
    code = gp_stream_copy(through, GP_COPY_D2H, (uint64_t)(uintptr_t)to, buffer->address + offset,
                          bytes, err);
    return finish_transfer(buffer, through, code, err);
}

int gp_buffer_fill(struct gp_buffer *buffer, struct gp_stream *through, uint8_t value,
                   struct gp_error *err)
{
    assert(buffer != NULL && through != NULL);
    if (buffer->space == GP_SPACE_PINNED) {
        memset(gp_buffer_host(buffer), value, buffer->bytes);
        return 0;
    }
    return finish_transfer(buffer, through,
                           gp_stream_set(through, buffer->address, value, buffer->bytes, err), err);
}
