/*
 * A model device with what the tests of its rules need: profiles made of a built-in one and
 * changes, a kernel whose work is its arguments, and begin and end of every launch by its stamp.
 */
#ifndef GP_TESTS_MODEL_RIG_H
#define GP_TESTS_MODEL_RIG_H

#include "test.h"

#include <stdbool.h>

#include "core/device/device.h"

enum { RIG_STREAMS_MAX = 256, RIG_STAMPS_MAX = 65536 };

struct rig {
    struct gp_device *device;
    struct gp_stream *streams[RIG_STREAMS_MAX];
    uint32_t stream_count;
    struct gp_stamp *stamps; /* device memory, which is host memory on the model */
    uint32_t stamp_count;
    gp_addr stamps_address;
};

/* Opens `spec` with `count` non-blocking streams of priority 0. */
void rig_open(struct rig *rig, const char *spec, int32_t connections, uint32_t count);

/* A model of the built-in `base` with some values changed: "key value", ended by NULL. With
 * is_ideal every latency, cost and minimum is 0 (1 where it must be). */
void rig_open_changed(struct rig *rig, const char *base, bool is_ideal, const char *const *changes,
                      int32_t connections, uint32_t count);
void rig_close(struct rig *rig);

struct gp_stream *rig_stream(struct rig *rig, enum gp_stream_flag flag, int32_t priority);

/* Launches blocks × threads of that work per block; the slot of its stamp. */
uint32_t rig_launch(struct rig *rig, struct gp_stream *stream, uint32_t blocks, uint32_t threads,
                    const struct gp_work *amount);

/* The same into a slot of the caller's. */
void rig_launch_into(struct gp_stream *stream, uint32_t blocks, uint32_t threads,
                     const struct gp_work *amount, gp_addr stamp);

/* Each block takes that long whatever else is resident. */
uint32_t rig_spin(struct rig *rig, struct gp_stream *stream, uint32_t blocks, uint32_t threads,
                  uint64_t ns);

/* Of a slot, when the launch is over. */
int64_t rig_begin(const struct rig *rig, uint32_t slot);
int64_t rig_end(const struct rig *rig, uint32_t slot);

/* Waits for all streams. */
void rig_sync(struct rig *rig);

/* Waits for one; the host's time then. */
int64_t rig_sync_one(struct rig *rig, uint32_t stream);

/* From one launch's end to another's begin. */
int64_t rig_gap(const struct rig *rig, uint32_t first, uint32_t second);

struct gp_event *rig_event(struct rig *rig, uint32_t flags);
void rig_record(struct rig *rig, struct gp_event *event, uint32_t stream);
void rig_wait(struct rig *rig, uint32_t stream, struct gp_event *event);

/* Memory for copies of up to that size; no bytes are moved from then on. */
struct rig_transfer {
    gp_addr device; /* twice the size */
    uint64_t pinned;
};

void rig_open_transfer(struct rig *rig, struct rig_transfer *transfer, uint64_t bytes);
void rig_copy(struct rig *rig, uint32_t stream, const struct rig_transfer *transfer,
              enum gp_copy_kind kind, uint64_t bytes);

/* |value − expected| ≤ permille of expected; shows both when not. */
#define rig_assert_near(value, expected, permille)                                                 \
    rig_check_near((double)(value), (double)(expected), permille, #value, __FILE__, __LINE__)
void rig_check_near(double value, double expected, double permille, const char *what,
                    const char *file, int line);

#endif
