/*
 * The part of CUPTI's binary interface that we use, written down so that we build without the
 * toolkit. A record grows at its end from version to version: these are the beginnings that all
 * versions since 11.6 share. Where the toolkit is there, a test compares them with cupti.h. Source:
 * cupti_activity.h and cupti_callbacks.h of CUDA 13.0.
 */
#ifndef GP_PROBE_CUPTI_ABI_H
#define GP_PROBE_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Enums of CUPTI are unsigned int to the compiler, and so here. */
typedef unsigned int gp_cupti_result;

/* Opaque, with CUPTI's and the driver's own tags. */
struct CUpti_Subscriber_st;
struct CUctx_st;

#define GP_CUPTI_CONSTANTS(X)                                                                      \
    X(CUPTI_SUCCESS, 0)                                                                            \
    X(CUPTI_ERROR_MAX_LIMIT_REACHED, 12)                                                           \
    X(CUPTI_ERROR_NOT_INITIALIZED, 15)                                                             \
    X(CUPTI_ERROR_INVALID_KIND, 21)                                                                \
    X(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, 35)                                                     \
    X(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39)                                          \
    X(CUPTI_ACTIVITY_KIND_MEMCPY, 1)                                                               \
    X(CUPTI_ACTIVITY_KIND_MEMSET, 2)                                                               \
    X(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 10)                                                   \
    X(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, 1)                                                         \
    X(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 1)                                                          \
    X(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, 2)                                                          \
    X(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, 8)

/* GP_CUPTI_ACTIVITY_KIND_MEMCPY = 1, and so on. */
enum {
#define X(name, value) GP_##name = value,
    GP_CUPTI_CONSTANTS(X)
#undef X
};

/* What every record begins with. */
struct gp_cupti_record {
    uint32_t kind;
};

struct gp_cupti_kernel {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t partitioned[2];
    uint64_t start_ns, end_ns; /* of the registered timestamp function's clock; 0 unknown */
    uint64_t completed_ns;
    uint32_t device_id, context_id, stream_id;
    int32_t grid[3], block[3];
    int32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t local_bytes_per_thread, local_bytes_total;
    uint32_t correlation_id;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued_ns, submitted_ns;
    uint8_t launch_type, carveout[2], padding;
    uint32_t shared_bytes_executed;
    uint64_t graph_node_id; /* 0: not of a graph */
};

/* Copies and memsets are laid out alike. */
struct gp_cupti_transfer {
    uint32_t kind;
    uint32_t detail; /* a copy's kind in its lowest byte; a memset's value */
    uint64_t bytes;
    uint64_t start_ns, end_ns;
    uint32_t device_id, context_id, stream_id;
    uint32_t correlation_id;
    uint32_t more[2];
    void *reserved;
    uint64_t graph_node_id;
};

#endif
