/* Buffers: see buffer.h. Knows no operations and no schedules. */
#include "core/buffer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

/* A stand-in address has its highest bit set, which no device's has, then the buffer's id, then the
 * offset. */
enum { STAND_IN_BITS = 40 };

_Static_assert((UINT64_C(1) << (63 - STAND_IN_BITS)) >= GP_TRANSIENT_ID_MAX, "ids must fit");

static const char *space_name(enum gp_space space)
{
    switch (space) {
    case GP_SPACE_DEVICE:
        return "device";
    case GP_SPACE_PINNED:
        return "pinned host";
    case GP_SPACE_PAGEABLE:
        break;
    }
    return "pageable host";
}

/* A buffer without memory. */
static struct gp_buffer *describe(struct gp_device *device, uint64_t bytes, uint32_t id,
                                  const char *name, struct gp_error *err)
{
    struct gp_buffer *buffer;

    if (bytes == 0) {
        (void)gp_fail(err, GP_EINVAL, "buffer '%s' needs at least one byte", name);
        return NULL;
    }
    buffer = gp_alloc(1, sizeof *buffer);
    if (buffer == NULL) {
        (void)gp_fail(err, GP_ENOMEM, "out of host memory for buffer '%s'", name);
        return NULL;
    }
    buffer->device = device;
    buffer->id = id;
    buffer->bytes = bytes;
    (void)snprintf(buffer->name, sizeof buffer->name, "%s", name);
    return buffer;
}

static int take_memory(struct gp_buffer *buffer, struct gp_error *err)
{
    void *host = NULL;
    int code = 0;

    switch (buffer->space) {
    case GP_SPACE_DEVICE:
        return gp_device_mem_alloc(buffer->device, buffer->bytes, &buffer->address, err);
    case GP_SPACE_PINNED:
        code = gp_device_host_alloc(buffer->device, buffer->bytes, &host, err);
        break;
    case GP_SPACE_PAGEABLE:
        host = gp_alloc(buffer->bytes, 1);
        code = host != NULL ? 0 : gp_fail(err, GP_ENOMEM, "out of host memory");
        break;
    }
    buffer->address = (uint64_t)(uintptr_t)host;
    return code;
}

/* Seven plain facts are clearer than a struct of them. */
/* NOLINTNEXTLINE(readability-function-size) */
int gp_buffer_create(struct gp_device *device, enum gp_space space, uint64_t bytes, uint32_t id,
                     const char *name, struct gp_buffer **out, struct gp_error *err)
{
    struct gp_buffer *buffer;
    int code;

    assert(device != NULL && name != NULL && out != NULL);
    *out = NULL;
    buffer = describe(device, bytes, id, name, err);
    if (buffer == NULL) {
        return bytes == 0 ? GP_EINVAL : GP_ENOMEM;
    }
    buffer->space = space;
    code = take_memory(buffer, err);
    if (code != 0) {
        gp_free(buffer);
        (void)gp_fail_context(err, "buffer '%s' of %" PRIu64 " bytes of %s memory", name, bytes,
                              space_name(space));
        return code;
    }
    *out = buffer;
    return 0;
}

/* NOLINTNEXTLINE(readability-function-size) */
int gp_buffer_create_transient(struct gp_device *device, enum gp_lifetime lifetime, uint64_t bytes,
                               uint32_t id, const char *name, struct gp_buffer **out,
                               struct gp_error *err)
{
    const uint64_t bytes_max = UINT64_C(1) << STAND_IN_BITS;
    struct gp_buffer *buffer;

    assert(device != NULL && name != NULL && out != NULL && lifetime != GP_LIFETIME_LASTING);
    *out = NULL;
    if (bytes > bytes_max || id >= GP_TRANSIENT_ID_MAX) {
        return gp_fail(err, GP_EINVAL,
                       "transient buffer '%s': at most %" PRIu64 " bytes and an id below %d, not "
                       "%" PRIu64 " and %" PRIu32,
                       name, bytes_max, GP_TRANSIENT_ID_MAX, bytes, id);
    }
    buffer = describe(device, bytes, id, name, err);
    if (buffer == NULL) {
        return bytes == 0 ? GP_EINVAL : GP_ENOMEM;
    }
    buffer->lifetime = lifetime;
    buffer->address = UINT64_C(1) << 63 | (uint64_t)id << STAND_IN_BITS;
    *out = buffer;
    return 0;
}

int gp_buffer_allocate(struct gp_buffer *buffer, struct gp_stream *stream, struct gp_error *err)
{
    int code;

    assert(buffer->lifetime != GP_LIFETIME_LASTING && stream->device == buffer->device);
    if (buffer->memory != 0) {
        return gp_fail(err, GP_ESTATE, "buffer '%s' has memory already; free it first",
                       buffer->name);
    }
    code = buffer->lifetime == GP_LIFETIME_ORDERED
               ? gp_stream_mem_alloc(stream, buffer->bytes, &buffer->memory, err)
               : gp_device_mem_alloc(buffer->device, buffer->bytes, &buffer->memory, err);
    if (code != 0) {
        buffer->memory = 0;
        (void)gp_fail_context(err, "buffer '%s' of %" PRIu64 " bytes", buffer->name, buffer->bytes);
    }
    return code;
}

int gp_buffer_free(struct gp_buffer *buffer, struct gp_stream *stream, struct gp_error *err)
{
    int code;

    assert(buffer->lifetime != GP_LIFETIME_LASTING && stream->device == buffer->device);
    if (buffer->memory == 0) {
        return gp_fail(err, GP_ESTATE, "buffer '%s' has no memory to free; allocate it first",
                       buffer->name);
    }
    code = buffer->lifetime == GP_LIFETIME_ORDERED
               ? gp_stream_mem_free(stream, buffer->memory, err)
               : gp_device_mem_free(buffer->device, buffer->memory, err);
    if (code == 0) {
        buffer->memory = 0;
    } else {
        (void)gp_fail_context(err, "buffer '%s'", buffer->name);
    }
    return code;
}

void gp_buffer_destroy(struct gp_buffer *buffer)
{
    if (buffer == NULL) {
        return;
    }
    switch (buffer->space) {
    case GP_SPACE_DEVICE:
        (void)gp_device_mem_free(buffer->device, gp_buffer_place(buffer), NULL);
        break;
    case GP_SPACE_PINNED:
        (void)gp_device_host_free(buffer->device, gp_buffer_host(buffer), NULL);
        break;
    case GP_SPACE_PAGEABLE:
        gp_free(gp_buffer_host(buffer));
        break;
    }
    gp_free(buffer);
}

void *gp_buffer_host(const struct gp_buffer *buffer)
{
    assert(buffer != NULL && buffer->space != GP_SPACE_DEVICE);
    return (void *)(uintptr_t)buffer->address;
}

static int check_memory(const struct gp_buffer *buffer, struct gp_error *err)
{
    return gp_buffer_place(buffer) != 0
               ? 0
               : gp_fail(err, GP_ESTATE, "buffer '%s' has no memory now", buffer->name);
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
    return check_memory(buffer, err);
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
    if (buffer->space != GP_SPACE_DEVICE) {
        memcpy((char *)gp_buffer_host(buffer) + offset, from, bytes);
        return 0;
    }
    code = gp_stream_copy(through, GP_COPY_H2D, gp_buffer_place(buffer) + offset,
                          (uint64_t)(uintptr_t)from, bytes, err);
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
    if (buffer->space != GP_SPACE_DEVICE) {
        memcpy(to, (const char *)gp_buffer_host(buffer) + offset, bytes);
        return 0;
    }
    code = gp_stream_copy(through, GP_COPY_D2H, (uint64_t)(uintptr_t)to,
                          gp_buffer_place(buffer) + offset, bytes, err);
    return finish_transfer(buffer, through, code, err);
}

int gp_buffer_fill(struct gp_buffer *buffer, struct gp_stream *through, uint8_t value,
                   struct gp_error *err)
{
    int code;

    assert(buffer != NULL && through != NULL);
    if (buffer->space != GP_SPACE_DEVICE) {
        memset(gp_buffer_host(buffer), value, buffer->bytes);
        return 0;
    }
    code = check_memory(buffer, err);
    if (code != 0) {
        return code;
    }
    return finish_transfer(
        buffer, through, gp_stream_set(through, gp_buffer_place(buffer), value, buffer->bytes, err),
        err);
}
