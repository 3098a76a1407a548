/*
 * A libcuda.so.1 for tests: answers the driver's symbols from the model device. One thread of its
 * own makes all calls on the model and paces its virtual time by the monotonic clock, so that
 * submitted work completes in real time. It must not know core/device/cuda/ beyond the ABI.
 *
 * GPUPROBE_FAKE_CUDA, read at each cuInit, is a list of orders with commas between:
 *   fail=CALL:N:RESULT  the N-th call of CALL (0: every one) returns RESULT and does nothing
 *   driver=VERSION      what cuDriverGetVersion says (13000)
 *   devices=N           how many GPUs there are (1)
 *   refuse-fatbin, refuse-ptx   images of that kind are refused
 *   fault-after=N       the launch after N others makes an illegal access
 *   lose=KERNEL         launches of that kernel succeed and do nothing
 *   no-pools            the GPU has no memory pools
 */
#ifndef GP_TESTS_CUDA_FAKECUDA_FAKE_H
#define GP_TESTS_CUDA_FAKECUDA_FAKE_H

#include <pthread.h>
#include <stdbool.h>

#include "core/device/cuda/symbols.h"
#include "core/device/device.h"

#define X(symbol, since, base, parameters) gp_cu_result symbol parameters;
GP_CUDA_REQUIRED(X)
#undef X
#define X(symbol, since, base, purpose, parameters) gp_cu_result symbol parameters;
GP_CUDA_OPTIONAL(X)
#undef X

/* ---- plan.c: what was ordered ------------------------------------------------------------- */

struct fake_plan {
    int driver_version;
    int device_count;
    bool refuse_fatbin, refuse_ptx, no_pools;
    int64_t launches_left; /* before the fault; < 0: none is planned */
    char lost_kernel[64];  /* whose launches do nothing; "" none */
};

extern struct fake_plan fake_plan;

/* Reads the variable anew; an order that is not understood aborts. */
void fake_plan_read(void);

/* The result that was ordered for this call, or 0. Counts. */
gp_cu_result fake_plan_result(const char *call);

/* ---- server.c: the thread that owns the model ---------------------------------------------- */

/* A call on its way to the server; each uses the members it needs. */
struct fake_call {
    const char *name;
    gp_cu_result (*run)(struct fake_call *call); /* on the server's thread */
    void *handle, *other;                        /* stream, event, graph …, as they came */
    void **out;
    gp_cu_address *out_address;
    gp_cu_address to, from;
    const void *data;
    size_t bytes;
    unsigned int flags;
    int value;
    /* the server's */
    gp_cu_result result;
    bool done;
    struct fake_call *next;
};

/* What the checks before every call say: in a host function, no context, ordered failure, fault. */
gp_cu_result fake_enter(const char *name);

/* fake_enter, then call->run on the server's thread; waits for it. */
gp_cu_result fake_ask(struct fake_call *call);

/* The same again and again until the result is something else than not ready. */
gp_cu_result fake_ask_until(struct fake_call *call);

/* The context: starts and stops the server. Counted, like the primary context. */
gp_cu_result fake_retain(void);
void fake_release(void);

/* The context is faulty from now on; 0 ends that. Any thread. */
void fake_set_fault(gp_cu_result result);

/* The model; on the server's thread only. */
extern struct gp_device *fake_model;

/* What cu… would have said where the model said code. */
gp_cu_result fake_result(int code);

/* Per thread: whether a context is current, and whether a host function runs. */
struct fake_thread {
    bool has_context;
    bool in_host_function;
};

extern _Thread_local struct fake_thread fake_thread;

/* ---- handles -------------------------------------------------------------------------------- */

/* Every handle begins with this; the server keeps them in a list, so that a wrong or stale handle
 * is found out and whatever is left goes with the context. On the server's thread only. */
enum fake_kind {
    FAKE_STREAM,
    FAKE_EVENT,
    FAKE_MODULE,
    FAKE_GRAPH,
    FAKE_EXEC,
    FAKE_NOTE,
    FAKE_GREEN
};

struct fake_handle {
    enum fake_kind kind;
    struct fake_handle *next;
};

struct CUstream_st {
    struct fake_handle handle;
    struct gp_stream *stream;
};

struct CUevent_st {
    struct fake_handle handle;
    struct gp_event *event;
    unsigned int flags;
    bool recorded;
};

struct CUmod_st {
    struct fake_handle handle;
};

struct CUgraph_st {
    struct fake_handle handle;
    struct gp_graph *graph;
};

struct CUgraphExec_st {
    struct fake_handle handle;
    struct gp_graph *graph; /* its CUgraph's */
};

/* A zeroed handle of `bytes`, in the list. */
void *fake_handle_add(enum fake_kind kind, size_t bytes);

/* NULL unless `handle` is in the list and of that kind. */
void *fake_handle_get(const void *handle, enum fake_kind kind);
void fake_handle_remove(void *handle);

/* Calls visit for every handle, then frees them all. */
void fake_handles_release(void (*visit)(struct fake_handle *handle));

/* The model's stream of a handle, of the implicit streams too; NULL: invalid. */
struct gp_stream *fake_stream(void *handle);

/* 0 when every stream has finished its work. */
gp_cu_result fake_streams_query(void);

#endif
