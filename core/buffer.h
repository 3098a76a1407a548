/*
 * Buffers: named device or host memory whose ranges operations read and write.
 */
#ifndef GP_CORE_BUFFER_H
#define GP_CORE_BUFFER_H

#include "core/device/device.h"

/* Copies to and from pageable host memory keep the thread that submits them. */
enum gp_space { GP_SPACE_DEVICE, GP_SPACE_PINNED, GP_SPACE_PAGEABLE };

/* When a buffer has memory, and how it comes by it. All but LASTING are transient: operations of a
 * DAG allocate and free (gp_op_alloc, gp_op_free), each time it runs. */
enum gp_lifetime {
    GP_LIFETIME_LASTING, /* from create to destroy */
    GP_LIFETIME_ORDERED, /* in stream order (gp_stream_mem_alloc): nobody waits */
    /* By calls that act when they are made (gp_device_mem_alloc): a free waits for the device. */
    GP_LIFETIME_IMMEDIATE,
};

/* Read-only to all but buffer.c. */
struct gp_buffer {
    struct gp_device *device;
    uint32_t id; /* as given at creation; unique within its owner, recorded */
    enum gp_space space;
    enum gp_lifetime lifetime;
    uint64_t bytes;
    /* gp_addr or host address; gp_buffer_host() for the latter. Of a transient buffer a stand-in
     * for building operations: they get the memory's address when they are submitted. */
    uint64_t address;
    uint64_t memory; /* of a transient one: where it is now, 0 nowhere; of who submits its DAG */
    char name[32];
};

/* Allocates; *out is the caller's. name is copied and cut. GP_EDEVICEMEM and GP_ENOMEM name the
 * buffer and its size. */
int gp_buffer_create(struct gp_device *device, enum gp_space space, uint64_t bytes, uint32_t id,
                     const char *name, struct gp_buffer **out, struct gp_error *err);

/* A transient buffer in device memory: takes none yet. Its id is below GP_TRANSIENT_ID_MAX and
 * differs from those of other transient buffers that the same operation uses. DAGs that allocate it
 * are submitted by one thread at a time. */
/* NOLINTNEXTLINE(readability-function-size) */
int gp_buffer_create_transient(struct gp_device *device, enum gp_lifetime lifetime, uint64_t bytes,
                               uint32_t id, const char *name, struct gp_buffer **out,
                               struct gp_error *err);

/* What its operations do on their stream. GP_ESTATE: it has memory already, or none to free. */
int gp_buffer_allocate(struct gp_buffer *buffer, struct gp_stream *stream, struct gp_error *err);
int gp_buffer_free(struct gp_buffer *buffer, struct gp_stream *stream, struct gp_error *err);

/* Whether an address is a transient buffer's stand-in, or lies in one. */
static inline bool gp_buffer_is_stand_in(uint64_t address)
{
    return address >> 63 != 0;
}

/* Where its bytes are now; 0: a transient one that has no memory. */
static inline uint64_t gp_buffer_place(const struct gp_buffer *buffer)
{
    return buffer->lifetime == GP_LIFETIME_LASTING ? buffer->address : buffer->memory;
}

/* No operation may still use it; memory that a transient one still has is freed. NULL allowed.
 * Errors of the driver are ignored here: nothing can be done about them. */
void gp_buffer_destroy(struct gp_buffer *buffer);

/* The first byte of a buffer in host memory. */
void *gp_buffer_host(const struct gp_buffer *buffer);

/* Synchronous transfers and fill, for set-up and checks outside a run. The device buffer's range
 * must lie inside. `through` is a stream of the device. GP_ESTATE: it has no memory now. */
int gp_buffer_write(struct gp_buffer *buffer, struct gp_stream *through, uint64_t offset,
                    const void *from, uint64_t bytes, struct gp_error *err);
int gp_buffer_read(const struct gp_buffer *buffer, struct gp_stream *through, uint64_t offset,
                   void *to, uint64_t bytes, struct gp_error *err);
int gp_buffer_fill(struct gp_buffer *buffer, struct gp_stream *through, uint8_t value,
                   struct gp_error *err);

#endif
