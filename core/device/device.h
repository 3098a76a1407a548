/*
 * The device interface: the CUDA driver's level and nothing above it. Two devices implement it, the
 * driver (cuda/) and a model in virtual time (model/). It knows no operations, policies or files.
 *
 * Threads. A thread attaches before its first call on a device and detaches when it is done; the
 * thread that opens a device is attached by that. Attached threads may call at the same time.
 * No lock of the caller may be held across a call that a host function could need.
 *
 * Time. All times are int64 nanoseconds. The host clock is CLOCK_MONOTONIC_RAW on cuda and the
 * calling lane's virtual time on the model. The device clock is %globaltimer on cuda and virtual
 * time on the model.
 *
 * Errors. Every call returns 0 or a negative GP_E*; a driver's own code and call name are in *err.
 * After GP_EFAULT the device is lost: every later call but close, destroy and free fails with it.
 *
 * Source of the semantics: the CUDA Driver API reference and cuda.h 13.0; where a rule was
 * measured, the model's headers say so.
 */
#ifndef GP_CORE_DEVICE_DEVICE_H
#define GP_CORE_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/kernel.h"
#include "core/limits.h"

enum gp_device_kind { GP_DEVICE_CUDA, GP_DEVICE_MODEL };

/* "cuda", "model"; the words of the schema. */
const char *gp_device_kind_name(enum gp_device_kind kind);

/* How a thread waits inside a synchronising call (CU_CTX_SCHED_*). auto: the driver spins while
 * there are fewer contexts than processors, else it yields. Measured on an H200: blocking returns
 * 32 µs later than the others. */
#define GP_SCHEDULINGS(X) X(AUTO, "auto") X(SPIN, "spin") X(YIELD, "yield") X(BLOCKING, "blocking")

enum gp_scheduling {
#define X(name, word) GP_SCHEDULING_##name,
    GP_SCHEDULINGS(X)
#undef X
        GP_SCHEDULING_COUNT
};

/* The list's word, static. */
const char *gp_scheduling_name(enum gp_scheduling scheduling);

struct gp_device_info {
    enum gp_device_kind kind;
    int32_t ordinal;              /* which of its kind */
    char name[GP_NAME_BYTES_MAX]; /* "NVIDIA H200"; the model's says what it models */
    char spec[48];                /* what asks for it: "cuda:0", "model:h200" */
    char uuid[48];                /* "GPU-xxxxxxxx-…", "" when there is none */
    int32_t compute_major, compute_minor;
    int32_t sm_count;
    int32_t driver_version;        /* 13000 for 13.0; 0 on the model */
    int32_t connections;           /* CUDA_DEVICE_MAX_CONNECTIONS as the driver read it */
    int32_t async_engines;         /* as the driver says; not believed (facts: one per direction) */
    enum gp_scheduling scheduling; /* of the context; AUTO before it is opened */
    int32_t priority_least, priority_greatest; /* least ≥ greatest; equal: none */
    int32_t threads_per_sm, blocks_per_sm, registers_per_sm;
    int64_t shared_bytes_per_sm;
    int64_t memory_bytes, l2_bytes;
    int64_t timer_tick_ns; /* step of the device clock; 0 unknown */
    char image[16]; /* which kernel image was loaded last: "fatbin", "ptx", "" none, "model" */
    char image_note[160]; /* why not the first one, or "" */
    /* Parameters with unit, value, provenance and source as JSON text, owned by the device; NULL on
     * cuda. */
    const char *profile_json;
};

/* Zero means default. Pointers are borrowed until close. */
struct gp_device_options {
    const struct gp_kernel
        *clock_kernel; /* ping-pong kernel of clock_sample; NULL: GP_EUNSUPPORTED */
    /* Text of the model's profile when the spec names a file ("model:./mine.profile"): whoever
     * opens reads the file, the library reads none. NULL: the spec names a built-in profile. */
    const char *profile_text;
    int32_t connections; /* the model's; 0: the environment's value, else 8 */
    enum gp_scheduling scheduling;
};

enum gp_stream_flag {
    GP_STREAM_NON_BLOCKING = 0, /* the default: no implicit order with the NULL stream */
    GP_STREAM_BLOCKING = 1,
    GP_STREAM_NULL = 2, /* the legacy default stream; never created or destroyed by the driver */
    GP_STREAM_PER_THREAD = 3, /* the calling thread's default stream; a blocking stream */
};

enum gp_event_flag { GP_EVENT_TIMED = 1, GP_EVENT_BLOCKING_SYNC = 2 };

enum gp_copy_kind { GP_COPY_H2D, GP_COPY_D2H, GP_COPY_D2D };

/* A part of the device's SMs, for streams whose kernels run on no others. Two parts of one split
 * share nothing; copies need no SMs. All zero: the whole device. */
struct gp_sm_part {
    uint16_t
        permille;   /* of the SMs, in the first part; the device rounds up to what it can split */
    uint16_t index; /* 0: the first part; 1: all the others */
};

struct gp_device {
    const struct gp_device_ops *ops;
    struct gp_device_info info;
};

struct gp_stream {
    struct gp_device *device;
    enum gp_stream_flag flag;
    int32_t priority;  /* after clamping */
    uint32_t sm_count; /* of its part; 0: all of the device */
};

struct gp_event {
    struct gp_device *device;
    uint32_t flags; /* of enum gp_event_flag */
};

/* What a capture recorded; after instantiate it can be launched. */
struct gp_graph {
    struct gp_device *device;
    uint32_t node_count;
};

/* A moment seen on both clocks: the device clock read `device_ns` somewhere in
 * [host_before_ns, host_after_ns]. */
struct gp_clock_sample {
    int64_t host_before_ns;
    int64_t host_after_ns;
    int64_t device_ns;
};

/* When a piece of work really began and ended, in ns of the host clock; INT64_MIN: not known. */
struct gp_work_times {
    int64_t begin_ns, end_ns;
};

/* Runs on a thread of the device, never the caller's; must not call the device (GP_ESTATE on both
 * devices) nor wait for its work. */
typedef void gp_host_fn(void *user);

/* A parked thread (see park). */
struct gp_lane;

/*
 * Slots marked optional may be NULL; the wrapper below then does what its comment says. Contracts
 * are those of the wrappers.
 */
struct gp_device_ops {
    const char *name;    /* "cuda" */
    const char *summary; /* one line for `list devices` */
    const char *options; /* "[:N][,ptx]": the syntax after the name, for help */
    enum gp_device_kind kind;
    int (*describe)(int32_t index, const struct gp_device_options *options,
                    struct gp_device_info *out, struct gp_error *err);
    int (*open)(const char *arguments, const struct gp_device_options *options,
                struct gp_device **out, struct gp_error *err);
    void (*close)(struct gp_device *device);
    int (*attach)(struct gp_device *device, struct gp_error *err);
    void (*detach)(struct gp_device *device);
    struct gp_lane *(*park)(struct gp_device *device);              /* optional */
    void (*unpark)(struct gp_device *device, struct gp_lane *lane); /* optional */
    void (*resume)(struct gp_device *device, struct gp_lane *lane); /* optional */
    int64_t (*clock_ns)(struct gp_device *device);
    void (*pause)(struct gp_device *device, int64_t until_ns);
    int (*clock_sample)(struct gp_device *device, struct gp_clock_sample *out,
                        struct gp_error *err);
    void (*set_execute)(struct gp_device *device, bool on); /* optional */
    void (*watch)(struct gp_device *device, struct gp_work_times *log,
                  uint32_t count); /* optional */
    int (*check)(struct gp_device *device, struct gp_error *err);
    bool (*is_lost)(struct gp_device *device); /* optional */

    int (*mem_alloc)(struct gp_device *device, uint64_t bytes, gp_addr *out, struct gp_error *err);
    int (*mem_free)(struct gp_device *device, gp_addr address, struct gp_error *err);
    int (*mem_alloc_async)(struct gp_stream *stream, uint64_t bytes, gp_addr *out,
                           struct gp_error *err);
    int (*mem_free_async)(struct gp_stream *stream, gp_addr address, struct gp_error *err);
    int (*host_alloc)(struct gp_device *device, uint64_t bytes, void **out, struct gp_error *err);
    int (*host_free)(struct gp_device *device, void *block, struct gp_error *err);

    int (*stream_create)(struct gp_device *device, enum gp_stream_flag flag, int32_t priority,
                         struct gp_stream **out, struct gp_error *err);
    int (*stream_create_on)(struct gp_device *device, struct gp_sm_part part, int32_t priority,
                            struct gp_stream **out, struct gp_error *err); /* optional */
    int (*stream_destroy)(struct gp_stream *stream, struct gp_error *err);
    int (*stream_query)(struct gp_stream *stream, struct gp_error *err);
    int (*stream_sync)(struct gp_stream *stream, struct gp_error *err);
    int (*stream_wait)(struct gp_stream *stream, struct gp_event *event, struct gp_error *err);

    int (*event_create)(struct gp_device *device, uint32_t flags, struct gp_event **out,
                        struct gp_error *err);
    int (*event_destroy)(struct gp_event *event, struct gp_error *err);
    int (*event_record)(struct gp_event *event, struct gp_stream *stream, struct gp_error *err);
    int (*event_query)(struct gp_event *event, struct gp_error *err);
    int (*event_sync)(struct gp_event *event, struct gp_error *err);
    int (*event_elapsed)(struct gp_event *begin, struct gp_event *end, int64_t *out_ns,
                         struct gp_error *err);

    int (*kernel_prepare)(struct gp_device *device, const struct gp_kernel *kernel,
                          struct gp_error *err);
    int (*launch)(struct gp_stream *stream, const struct gp_launch *launch, struct gp_error *err);
    int (*copy)(struct gp_stream *stream, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                uint64_t bytes, struct gp_error *err);
    int (*set)(struct gp_stream *stream, gp_addr to, uint8_t value, uint64_t bytes,
               struct gp_error *err);
    int (*host_function)(struct gp_stream *stream, gp_host_fn *fn, void *user,
                         struct gp_error *err);
    int (*flag_write)(struct gp_stream *stream, uint32_t *flag, uint32_t value,
                      struct gp_error *err);
    uint32_t (*flag_read)(struct gp_device *device, const uint32_t *flag);

    int (*capture_begin)(struct gp_stream *stream, struct gp_error *err);
    int (*capture_end)(struct gp_stream *stream, struct gp_graph **out, struct gp_error *err);
    int (*graph_instantiate)(struct gp_graph *graph, struct gp_error *err);
    int (*graph_launch)(struct gp_graph *graph, struct gp_stream *stream, struct gp_error *err);
    int (*graph_destroy)(struct gp_graph *graph, struct gp_error *err);
};

/* The devices in the order in which `auto` tries them: cuda, model. */
extern const struct gp_device_ops *const gp_device_table[];
extern const size_t gp_device_table_count;

/* ---- choosing and opening ----------------------------------------------------------------- */

/*
 * spec is "auto", "cuda", "cuda:1", "cuda:0,ptx", "model", "model:h200", "model:h200,free".
 * ",ptx" loads the PTX though there is machine code; ",free" drops the model's lane order. Last may
 * come ",spin" or another word of GP_SCHEDULINGS, which goes before options->scheduling; when the
 * process has its context already and the driver keeps that one's way to wait, any other than auto
 * is GP_EUNSUPPORTED, with both named.
 * `auto` is the first GPU, or the model when there is none (err->text then says why there is none,
 * though 0 is returned; "" otherwise). The caller owns *out and is attached.
 * GP_ENODEVICE: no such device, with what was looked for. GP_EINVAL: not a spec, with the nearest.
 */
int gp_device_open(const char *spec, const struct gp_device_options *options,
                   struct gp_device **out, struct gp_error *err);

/* Waits for all work, frees what the device still holds. NULL allowed. */
void gp_device_close(struct gp_device *device);

/* The index-th device of one kind without opening it: for `list devices` and `doctor`.
 * GP_ENOTFOUND past the last; GP_ENODEVICE with the reason when the kind is not available here. */
int gp_device_describe(const struct gp_device_ops *ops, int32_t index,
                       const struct gp_device_options *options, struct gp_device_info *out,
                       struct gp_error *err);

/* ---- threads and clocks -------------------------------------------------------------------- */

/* Makes the device usable from the calling thread. Twice is GP_ESTATE. */
int gp_device_attach(struct gp_device *device, struct gp_error *err);
void gp_device_detach(struct gp_device *device);

/*
 * A thread that is about to wait for something other than the device (a lock held long, a
 * condition) parks first, so that the model's time can go on without it. The waker calls unpark
 * with the token, while attached itself: the parked lane continues at the waker's time. The woken
 * thread then calls resume before its next call on the device. On cuda all three do nothing and
 * park gives NULL.
 */
struct gp_lane *gp_device_park(struct gp_device *device);
void gp_device_unpark(struct gp_device *device, struct gp_lane *lane);
void gp_device_resume(struct gp_device *device, struct gp_lane *lane);

/* The host clock. */
int64_t gp_device_clock_ns(struct gp_device *device);

/* Called once per turn of every loop that polls: lets time pass, at most to until_ns of the host
 * clock (INT64_MAX: to whatever happens next). On cuda it relaxes the processor. */
void gp_device_pause(struct gp_device *device, int64_t until_ns);

/* One sample of both clocks; needs an idle device. */
int gp_device_clock_sample(struct gp_device *device, struct gp_clock_sample *out,
                           struct gp_error *err);

/* Off: the model moves no bytes and runs no host reference from the next call on (a plain run);
 * stamps, events and flags are still written. On by default. What was captured while it is on obeys
 * it at each launch of the graph; captured while it is off, it never moves bytes. On a GPU nothing
 * changes. */
void gp_device_set_execute(struct gp_device *device, bool on);

/* From the next call on, the n-th kernel, copy or memset that is submitted, in order of submission
 * and, in a graph, of capture, writes its times to log[n] when it is done, for the first `count` of
 * them; the log is the caller's until the next watch on an idle device. NULL, 0: no longer. Only
 * the model knows; GP_EUNSUPPORTED on cuda. */
int gp_device_watch(struct gp_device *device, struct gp_work_times *log, uint32_t count,
                    struct gp_error *err);

/* Asks whether the device still works: 0, or GP_EFAULT with the driver's words. Never blocks. */
int gp_device_check(struct gp_device *device, struct gp_error *err);

/* Whether the model has had a fault; takes no virtual time, so that parked threads may ask too. On
 * cuda always false: check asks the driver. */
bool gp_device_is_lost(struct gp_device *device);

/* ---- memory -------------------------------------------------------------------------------- */

/* bytes > 0. GP_EDEVICEMEM when it does not fit. Freeing waits for the device (CUDA: implicit
 * synchronisation); address 0 is allowed. */
int gp_device_mem_alloc(struct gp_device *device, uint64_t bytes, gp_addr *out,
                        struct gp_error *err);
int gp_device_mem_free(struct gp_device *device, gp_addr address, struct gp_error *err);

/* Stream-ordered, from a pool of the device: the memory may be used by work submitted to the stream
 * after the call, and by what waits for that, until the free comes to its turn. Nobody waits. The
 * pool keeps freed memory for the next allocation.
 * GP_EUNSUPPORTED without memory pools. While the stream is captured both are nodes of the graph,
 * which owns the memory, at the same address in each launch: it must free what it allocates, and
 * nothing else (GP_EUNSUPPORTED or the driver's words). */
int gp_stream_mem_alloc(struct gp_stream *stream, uint64_t bytes, gp_addr *out,
                        struct gp_error *err);
int gp_stream_mem_free(struct gp_stream *stream, gp_addr address, struct gp_error *err);

/* Pinned host memory, mapped: its host address is also its device address on every supported system
 * (unified addressing). Pages are touched. Host memory from elsewhere is pageable to the device. */
int gp_device_host_alloc(struct gp_device *device, uint64_t bytes, void **out,
                         struct gp_error *err);
int gp_device_host_free(struct gp_device *device, void *block, struct gp_error *err);

/* ---- streams ------------------------------------------------------------------------------- */

/* Priority is clamped to the device's range; out->priority is what came of it. For NULL and
 * PER_THREAD the handle is made, the stream is the driver's. */
int gp_stream_create(struct gp_device *device, enum gp_stream_flag flag, int32_t priority,
                     struct gp_stream **out, struct gp_error *err);
/* A non-blocking stream of a part; the split is made at its first use and kept until close. A part
 * of 0 ‰ is the whole device. GP_EUNSUPPORTED, with the driver's reason, where SMs cannot be split
 * (green contexts: since CUDA 12.5) or not so. */
int gp_stream_create_on(struct gp_device *device, struct gp_sm_part part, int32_t priority,
                        struct gp_stream **out, struct gp_error *err);
/* Does not wait for the stream's work. NULL allowed. */
int gp_stream_destroy(struct gp_stream *stream, struct gp_error *err);
/* 0 all done; GP_ENOTREADY not yet (err untouched). */
int gp_stream_query(struct gp_stream *stream, struct gp_error *err);
int gp_stream_sync(struct gp_stream *stream, struct gp_error *err);
/* Later work of the stream waits for the record made last before this call; none was made: no wait.
 */
int gp_stream_wait(struct gp_stream *stream, struct gp_event *event, struct gp_error *err);

/* ---- events -------------------------------------------------------------------------------- */

/* flags of enum gp_event_flag; *out is the caller's. */
int gp_event_create(struct gp_device *device, uint32_t flags, struct gp_event **out,
                    struct gp_error *err);
/* Allowed while recorded and not yet complete. NULL allowed. */
int gp_event_destroy(struct gp_event *event, struct gp_error *err);
int gp_event_record(struct gp_event *event, struct gp_stream *stream, struct gp_error *err);
/* 0 complete or never recorded; GP_ENOTREADY not yet (err untouched). */
int gp_event_query(struct gp_event *event, struct gp_error *err);
int gp_event_sync(struct gp_event *event, struct gp_error *err);
/* Device time between two timed records, in ns. GP_EUNSUPPORTED: one of them is not timed;
 * GP_ESTATE: never recorded; GP_ENOTREADY: not complete. The driver's value is a float of ms:
 * anchors should be no older than a second (measured step 0.24 µs at 3 s, 4 µs at 60 s). */
int gp_event_elapsed(struct gp_event *begin, struct gp_event *end, int64_t *out_ns,
                     struct gp_error *err);

/* ---- work ---------------------------------------------------------------------------------- */

/* Loads the kernel's image and function now, so that no later call does. Idempotent. */
int gp_device_kernel_prepare(struct gp_device *device, const struct gp_kernel *kernel,
                             struct gp_error *err);
int gp_stream_launch(struct gp_stream *stream, const struct gp_launch *launch,
                     struct gp_error *err);
/* to and from are gp_addr or host pointers, by kind. bytes > 0. */
int gp_stream_copy(struct gp_stream *stream, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                   uint64_t bytes, struct gp_error *err);
/* Sets bytes > 0 bytes of device memory to value. */
int gp_stream_set(struct gp_stream *stream, gp_addr to, uint8_t value, uint64_t bytes,
                  struct gp_error *err);
int gp_stream_host_function(struct gp_stream *stream, gp_host_fn *fn, void *user,
                            struct gp_error *err);
/* Writes a word of pinned memory when the stream's earlier work is done. */
int gp_stream_flag_write(struct gp_stream *stream, uint32_t *flag, uint32_t value,
                         struct gp_error *err);
/* The only way to read a word that a device writes; acquire order. */
uint32_t gp_device_flag_read(struct gp_device *device, const uint32_t *flag);

/* ---- graphs -------------------------------------------------------------------------------- */

/* Thread-local capture. Work of the stream, and of streams joined to it by events, is recorded
 * instead of run, until end. What cannot be captured fails with GP_EUNSUPPORTED and ends it. */
int gp_stream_capture_begin(struct gp_stream *stream, struct gp_error *err);
int gp_stream_capture_end(struct gp_stream *stream, struct gp_graph **out, struct gp_error *err);
int gp_graph_instantiate(struct gp_graph *graph, struct gp_error *err);
int gp_graph_launch(struct gp_graph *graph, struct gp_stream *stream, struct gp_error *err);
int gp_graph_destroy(struct gp_graph *graph, struct gp_error *err);

#endif
