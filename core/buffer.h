/*
 * Buffers: named device or pinned host memory whose ranges operations read and write.
 */
#ifndef GP_CORE_BUFFER_H
#define GP_CORE_BUFFER_H

#include "core/device/device.h"

enum gp_space { GP_SPACE_DEVICE, GP_SPACE_PINNED };

/* Read-only to all but buffer.c. */
struct gp_buffer {
    struct gp_device *device;
    uint32_t id; /* as given at creation; unique within its owner, recorded */
    enum gp_space space;
    uint64_t bytes;
    uint64_t address; /* gp_addr or host address; gp_buffer_host() for the latter */
    char name[32];
};

/* Allocates; *out is the caller's. name is copied and cut. GP_EDEVICEMEM and GP_ENOMEM name the
 * buffer and its size. */
int gp_buffer_create(struct gp_device *device, enum gp_space space, uint64_t bytes, uint32_t id,
                     const char *name, struct gp_buffer **out, struct gp_error *err);

/* No operation may still use it. NULL allowed. Errors of the driver are ignored here: nothing can
 * be done about them. */
void gp_buffer_destroy(struct gp_buffer *buffer);

/* The first byte of a pinned buffer. */
void *gp_buffer_host(const struct gp_buffer *buffer);

/* Synchronous transfers and fill, for set-up and checks outside a run. The device buffer's range
 * must lie inside. `through` is a stream of the device. */
int gp_buffer_write(struct gp_buffer *buffer, struct gp_stream *through, uint64_t offset,
                    const void *from, uint64_t bytes, struct gp_error *err);
int gp_buffer_read(const struct gp_buffer *buffer, struct gp_stream *through, uint64_t offset,
                   void *to, uint64_t bytes, struct gp_error *err);
int gp_buffer_fill(struct gp_buffer *buffer, struct gp_stream *through, uint8_t value,
                   struct gp_error *err);

#endif
