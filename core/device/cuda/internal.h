/*
 * What the files of the CUDA device share: its structs, the check at the head of every call and the
 * error at its end. Nobody outside this folder includes it.
 */
#ifndef GP_CORE_DEVICE_CUDA_INTERNAL_H
#define GP_CORE_DEVICE_CUDA_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/device/cuda/driver.h"
#include "core/device/device.h"

enum {
    GP_CUDA_KERNELS_MAX = 128, /* prepared on one device */
    GP_CUDA_KERNEL_SLOTS = 256,
    GP_CUDA_IMAGES_MAX = 32,
};

_Static_assert((GP_CUDA_KERNEL_SLOTS & (GP_CUDA_KERNEL_SLOTS - 1)) == 0, "slots are masked");
_Static_assert(GP_CUDA_KERNELS_MAX <= GP_CUDA_KERNEL_SLOTS / 2, "probing must stay short");

/* A prepared kernel. Written once under the lock, kernel last; read without it. */
struct gp_cuda_function {
    _Atomic(const struct gp_kernel *) kernel;
    struct CUfunc_st *function;
};

struct gp_cuda_image {
    const struct gp_image *image;
    struct CUmod_st *module;
};

struct gp_cuda_call_chunk;
struct gp_cuda_call;
struct gp_cuda_ping;

/* One split of the SMs, in two green contexts. */
struct gp_cuda_split {
    uint16_t permille;
    struct CUgreenCtx_st *contexts[2];
    uint32_t sm_counts[2];
};

enum { GP_CUDA_SPLITS_MAX = 8 };

struct gp_cuda {
    struct gp_device base;
    struct gp_cuda_driver driver;
    int handle; /* CUdevice */
    struct CUctx_st *context;
    bool ptx_only;
    bool has_memory_pools;
    const struct gp_kernel *clock_kernel;

    /* The first fault, kept for every later call. Written under `lock`, `lost` last. */
    atomic_bool lost;
    struct gp_error fault;

    struct gp_cuda_function functions[GP_CUDA_KERNEL_SLOTS];

    pthread_mutex_t lock; /* the fault and the records of host functions; never across a call */
    struct gp_cuda_call *calls_free;
    struct gp_cuda_call_chunk *call_chunks;

    pthread_mutex_t control_lock;
    struct gp_stream *control; /* for the clock kernel and for check; made when first needed */

    pthread_mutex_t load_lock; /* images and the writing of functions */
    struct gp_cuda_image images[GP_CUDA_IMAGES_MAX];
    uint32_t image_count;
    uint32_t function_count;

    pthread_mutex_t split_lock;
    struct gp_cuda_split splits[GP_CUDA_SPLITS_MAX];
    uint32_t split_count;

    pthread_mutex_t clock_lock;
    struct gp_cuda_ping *ping;
};

struct gp_cuda_stream {
    struct gp_stream base;
    struct CUstream_st *handle;
};

struct gp_cuda_event {
    struct gp_event base;
    struct CUevent_st *handle;
    atomic_bool recorded;
};

struct gp_cuda_graph {
    struct gp_graph base;
    struct CUgraph_st *graph;
    struct CUgraphExec_st *exec; /* NULL until instantiated */
};

/* What belongs to the calling thread: a CUDA context is current per thread, a capture is
 * thread-local, and a host function is a state of the thread that runs it. */
struct gp_cuda_thread {
    struct gp_device *attached;
    struct gp_stream *capturing; /* where this thread's capture began */
    bool in_host_function;
};

extern _Thread_local struct gp_cuda_thread gp_cuda_thread;

/* The device as ours; `device` was opened here. */
static inline struct gp_cuda *gp_cuda_of(struct gp_device *device)
{
    return (struct gp_cuda *)device;
}

/* The driver's handle of a stream that was created here. */
static inline struct CUstream_st *gp_cuda_stream_handle(struct gp_stream *stream)
{
    return ((struct gp_cuda_stream *)stream)->handle;
}

/* Why a call is refused: not attached, in a host function, or the device is lost. */
int gp_cuda_refuse(struct gp_cuda *cuda, struct gp_error *err);

/* At the head of every call that reaches the driver. */
static inline int gp_cuda_enter(struct gp_cuda *cuda, struct gp_error *err)
{
    if (gp_cuda_thread.attached == &cuda->base &&
        !atomic_load_explicit(&cuda->lost, memory_order_relaxed)) {
        return 0;
    }
    return gp_cuda_refuse(cuda, err);
}

/* The same for calls that release something, which a lost device still allows. */
static inline int gp_cuda_enter_release(struct gp_cuda *cuda, struct gp_error *err)
{
    return gp_cuda_thread.attached == &cuda->base ? 0 : gp_cuda_refuse(cuda, err);
}

/* The driver said no: words it, remembers a fault, ends a capture that it broke. */
int gp_cuda_fail(struct gp_cuda *cuda, gp_cu_result result, const char *call, struct gp_error *err);

/* At the end of every call: 0, or what gp_cuda_fail makes of the result. */
static inline int gp_cuda_done(struct gp_cuda *cuda, gp_cu_result result, const char *call,
                               struct gp_error *err)
{
    return result == 0 ? 0 : gp_cuda_fail(cuda, result, call, err);
}

/* The same for releases: a lost device has nothing left to give back. */
int gp_cuda_released(struct gp_cuda *cuda, gp_cu_result result, const char *call,
                     struct gp_error *err);

/* Ends this thread's capture, if there is one, and drops what it recorded. */
void gp_cuda_capture_abandon(struct gp_cuda *cuda);

/* The priority that the device makes of one. */
int32_t gp_cuda_clamp_priority(const struct gp_device_info *info, int32_t priority);

/* The device's own stream: non-blocking, highest priority. */
int gp_cuda_control_stream(struct gp_cuda *cuda, struct gp_stream **out, struct gp_error *err);

/* What close gives back; errors are of no use any more. */
void gp_cuda_calls_release(struct gp_cuda *cuda);
void gp_cuda_images_release(struct gp_cuda *cuda);
void gp_cuda_clock_release(struct gp_cuda *cuda);
void gp_cuda_splits_release(struct gp_cuda *cuda);

/* The slots of gp_device_cuda, by file; contracts in device.h. */

/* memory.c */
int gp_cuda_mem_alloc(struct gp_device *device, uint64_t bytes, gp_addr *out, struct gp_error *err);
int gp_cuda_mem_free(struct gp_device *device, gp_addr address, struct gp_error *err);
int gp_cuda_mem_alloc_async(struct gp_stream *stream, uint64_t bytes, gp_addr *out,
                            struct gp_error *err);
int gp_cuda_mem_free_async(struct gp_stream *stream, gp_addr address, struct gp_error *err);
int gp_cuda_host_alloc(struct gp_device *device, uint64_t bytes, void **out, struct gp_error *err);
int gp_cuda_host_free(struct gp_device *device, void *block, struct gp_error *err);

/* stream.c */
int gp_cuda_stream_create(struct gp_device *device, enum gp_stream_flag flag, int32_t priority,
                          struct gp_stream **out, struct gp_error *err);
int gp_cuda_stream_destroy(struct gp_stream *stream, struct gp_error *err);
int gp_cuda_stream_query(struct gp_stream *stream, struct gp_error *err);
int gp_cuda_stream_sync(struct gp_stream *stream, struct gp_error *err);
int gp_cuda_stream_wait(struct gp_stream *stream, struct gp_event *event, struct gp_error *err);
int gp_cuda_event_create(struct gp_device *device, uint32_t flags, struct gp_event **out,
                         struct gp_error *err);
int gp_cuda_event_destroy(struct gp_event *event, struct gp_error *err);
int gp_cuda_event_record(struct gp_event *event, struct gp_stream *stream, struct gp_error *err);
int gp_cuda_event_query(struct gp_event *event, struct gp_error *err);
int gp_cuda_event_sync(struct gp_event *event, struct gp_error *err);
int gp_cuda_event_elapsed(struct gp_event *begin, struct gp_event *end, int64_t *out_ns,
                          struct gp_error *err);

/* part.c */
int gp_cuda_stream_create_on(struct gp_device *device, struct gp_sm_part part, int32_t priority,
                             struct gp_stream **out, struct gp_error *err);

/* image.c */
int gp_cuda_kernel_prepare(struct gp_device *device, const struct gp_kernel *kernel,
                           struct gp_error *err);

/* work.c */
int gp_cuda_launch(struct gp_stream *stream, const struct gp_launch *launch, struct gp_error *err);
int gp_cuda_copy(struct gp_stream *stream, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                 uint64_t bytes, struct gp_error *err);
int gp_cuda_set(struct gp_stream *stream, gp_addr to, uint8_t value, uint64_t bytes,
                struct gp_error *err);
int gp_cuda_host_function(struct gp_stream *stream, gp_host_fn *fn, void *user,
                          struct gp_error *err);
int gp_cuda_flag_write(struct gp_stream *stream, uint32_t *flag, uint32_t value,
                       struct gp_error *err);
uint32_t gp_cuda_flag_read(struct gp_device *device, const uint32_t *flag);

/* graph.c */
int gp_cuda_capture_begin(struct gp_stream *stream, struct gp_error *err);
int gp_cuda_capture_end(struct gp_stream *stream, struct gp_graph **out, struct gp_error *err);
int gp_cuda_graph_instantiate(struct gp_graph *graph, struct gp_error *err);
int gp_cuda_graph_launch(struct gp_graph *graph, struct gp_stream *stream, struct gp_error *err);
int gp_cuda_graph_destroy(struct gp_graph *graph, struct gp_error *err);

/* clock.c */
int64_t gp_cuda_clock_ns(struct gp_device *device);
void gp_cuda_pause(struct gp_device *device, int64_t until_ns);
int gp_cuda_clock_sample(struct gp_device *device, struct gp_clock_sample *out,
                         struct gp_error *err);

#endif
