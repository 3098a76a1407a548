/*
 * Device profiles: every number of the model with its unit, where it is from, and how much it is to
 * be believed. A strict parser over text; nothing here reads files.
 *
 * A profile is lines of `key value unit provenance source…`; `#` begins a comment. It opens with
 *     gpuprobe-profile 1
 *     name h200
 *     models NVIDIA H200
 * and may then say `base NAME`: what it leaves out is then taken from that built-in profile;
 * without it every key must be there. A key may be given once.
 */
#ifndef GP_CORE_DEVICE_MODEL_PROFILE_H
#define GP_CORE_DEVICE_MODEL_PROFILE_H

#include <stddef.h>

#include "core/device/model/curve.h"
#include "core/error.h"
#include "core/limits.h"

enum {
    GP_PROFILE_BYTES_MAX = 1 << 20,
    GP_PROFILE_LINE_BYTES_MAX = 4096,
    GP_PROFILE_SOURCE_BYTES_MAX = 240,
    GP_SMS_MAX = 256,
};

#define GP_PROVENANCES(X) X(MEASURED, "measured") X(PUBLISHED, "published") X(ASSUMED, "assumed")

enum gp_provenance {
#define X(name, word) GP_PROVENANCE_##name,
    GP_PROVENANCES(X)
#undef X
        GP_PROVENANCE_COUNT
};

/* Whole numbers: X(key, unit, min, max). Times "after x" run from the moment x completes. */
#define GP_PROFILE_NUMBERS(X)                                                                      \
    /* The device, as cuDeviceGetAttribute would say. */                                           \
    X(compute_major, "version", 7, 12)                                                             \
    X(compute_minor, "version", 0, 9)                                                              \
    X(sm_count, "count", 1, GP_SMS_MAX)                                                            \
    X(sm_clock_mhz, "MHz", 1, 10000)                                                               \
    X(memory_bytes, "bytes", 1 << 20, INT64_C(1) << 44)                                            \
    X(l2_bytes, "bytes", 0, INT64_C(1) << 34)                                                      \
    X(timer_tick_ns, "ns", 1, 1000000) /* step of %globaltimer */                                  \
    X(async_engines, "count", 1, 8)    /* 1: both directions share one copy engine */              \
    X(priority_levels, "count", 1, GP_PRIORITY_LEVELS_MAX)                                         \
    X(sm_part_step, "count", 0, GP_SMS_MAX) /* SMs are split in multiples of it; 0: not at all */  \
    X(grids_resident, "count", 1, 1024)     /* kernels on the device at once */                    \
    X(queue_launches, "count", 1, 1 << 20)  /* kernels a stream accepts before a call blocks */    \
    X(queue_commands, "count", 1, 1 << 20)  /* likewise of every kind together */                  \
    /* Sharing of an SM and of the memory. */                                                      \
    X(issue_per_clock, "count", 1, 16)             /* warp instructions an SM issues a clock */    \
    X(older_share_permille, "permille", 500, 1000) /* of an SM's issue slots, to the older */      \
    X(memory_block_warps, "warps", 1, 64)          /* of the blocks that memory_curve counts */    \
    X(block_min_ns, "ns", 0, 1000000)              /* shortest block */                            \
    X(block_turn_ns, "ns", 0, 1000000)             /* a block's start after the one it replaces */ \
    /* Latencies on the device. */                                                                 \
    X(launch_start_ns, "ns", 0, 1000000)      /* end of the host's call to front end */            \
    X(copy_start_ns, "ns", 0, 1000000)        /* further, to an idle copy engine */                \
    X(gap_kernel_kernel_ns, "ns", 0, 1000000) /* end to next begin, one stream or by event */      \
    X(gap_kernel_copy_ns, "ns", 0, 1000000)                                                        \
    X(gap_copy_kernel_ns, "ns", 0, 1000000)                                                        \
    X(gap_copy_copy_ns, "ns", 0, 1000000) /* between the directions */                             \
    X(bus_fetch_ns, "ns", 0, 1000000)     /* more, while H2D copies fill the bus */                \
    X(gap_graph_ns, "ns", 0, 1000000)     /* between nodes of a graph */                           \
    X(graph_start_ns, "ns", 0, 1000000)   /* to a graph's first node */                            \
    X(front_kernel_ns, "ns", 0, 1000000)  /* the front end takes one command at a time: */         \
    X(front_graph_ns, "ns", 0, 1000000)   /* how long each kind occupies it */                     \
    X(front_timed_ns, "ns", 0, 1000000)                                                            \
    X(front_write_ns, "ns", 0, 1000000)                                                            \
    X(event_timed_ns, "ns", 0, 1000000) /* a timed record, after what it follows */                \
    X(event_event_ns, "ns", 0, 1000000) /* likewise, when it follows a timed record */             \
    /* Copies. Rates are of 10^6 bytes a second. */                                                \
    X(h2d_rate, "MB/s", 1, 100000000)                                                              \
    X(h2d_duplex_rate, "MB/s", 1, 100000000) /* while the other direction is busy */               \
    X(d2h_rate, "MB/s", 1, 100000000)                                                              \
    X(d2h_duplex_rate, "MB/s", 1, 100000000)                                                       \
    X(copy_duplex_setup_ns, "ns", 0, 1000000) /* added to set-up while both are busy */            \
    X(copy_timed_ns, "ns", 0, 1000000)        /* a timed record after a copy holds the engine */   \
    X(h2d_inline_bytes, "bytes", 0, 1 << 24)  /* up to this size the engine is not used */         \
    X(h2d_inline_ns, "ns", 0, 1000000)                                                             \
    X(d2d_rate, "MB/s", 1, 100000000) /* bytes copied, on an idle device */                        \
    X(memset_rate, "MB/s", 1, 100000000)                                                           \
    X(memset_sm_bytes, "bytes", 0, 1 << 30) /* from this size SMs are used */                      \
    X(memset_small_ns, "ns", 0, 1000000)                                                           \
    X(pageable_rate, "MB/s", 1, 100000000)        /* staging, on the calling thread */             \
    X(pageable_d2h_rate, "MB/s", 1, 100000000)    /* likewise, of both steps together */           \
    X(pageable_inline_bytes, "bytes", 0, 1 << 24) /* up to this size the call does not wait */     \
    X(pageable_chunk_bytes, "bytes", 1, 1 << 30)                                                   \
    /* What the host pays for a call, and how late it sees what happened. */                       \
    X(host_between_ns, "ns", 0, 1000000)       /* code between two submitting calls */             \
    X(host_lock_permille, "permille", 0, 1000) /* part of a call under the context's lock */       \
    X(host_launch_ns, "ns", 0, 1000000)                                                            \
    X(host_launch_active_ns, "ns", 0, 100000) /* more for each stream that is busy */              \
    X(host_copy_ns, "ns", 0, 1000000)                                                              \
    X(host_set_ns, "ns", 0, 1000000)                                                               \
    X(host_record_ns, "ns", 0, 1000000)                                                            \
    X(host_record_timed_ns, "ns", 0, 1000000)                                                      \
    X(host_wait_ns, "ns", 0, 1000000)                                                              \
    X(host_function_ns, "ns", 0, 1000000)                                                          \
    X(host_flag_write_ns, "ns", 0, 1000000)                                                        \
    X(host_flag_read_ns, "ns", 0, 1000000)                                                         \
    X(host_query_ns, "ns", 0, 1000000)                                                             \
    X(host_elapsed_ns, "ns", 0, 1000000)                                                           \
    X(host_clock_ns, "ns", 0, 1000000)                                                             \
    X(host_pause_ns, "ns", 1, 1000000)                                                             \
    X(host_sync_ns, "ns", 0, 1000000) /* the call itself */                                        \
    X(host_event_create_ns, "ns", 0, 10000000)                                                     \
    X(host_stream_create_ns, "ns", 0, 10000000)                                                    \
    X(host_alloc_ns, "ns", 0, 100000000)               /* from a chunk that has room */            \
    X(host_alloc_chunk_ns, "ns", 0, 100000000)         /* more when a chunk must be mapped */      \
    X(host_free_ns, "ns", 0, 100000000)                /* when the chunk stays */                  \
    X(host_free_chunk_ns, "ns", 0, 100000000)          /* more when one is unmapped */             \
    X(alloc_chunk_bytes, "bytes", 1, INT64_C(1) << 40) /* smaller allocations share chunks */      \
    X(host_alloc_async_ns, "ns", 0, 100000000)         /* from what the pool has */                \
    X(host_alloc_grow_ns, "ns", 0, 100000000)          /* more when the pool must grow */          \
    X(alloc_pool_bytes, "bytes", 1, INT64_C(1) << 40)  /* by whole multiples of this */            \
    X(host_free_async_ns, "ns", 0, 100000000)                                                      \
    X(host_pinned_ns, "ns", 0, 1000000000) /* pinned allocation, whatever its size */              \
    X(host_capture_ns, "ns", 0, 1000000)   /* a call that is captured */                           \
    X(host_instantiate_ns, "ns", 0, 1000000000)                                                    \
    X(host_instantiate_node_ns, "ns", 0, 10000000)                                                 \
    X(host_graph_ns, "ns", 0, 10000000)                                                            \
    X(host_graph_node_ps, "ps", 0, 10000000)  /* more for each node */                             \
    X(alloc_synchronises, "0/1", 0, 1)        /* an allocation waits for the device */             \
    X(visible_event_ns, "ns", 0, 1000000)     /* a query sees an event or a stream complete */     \
    X(visible_sync_ns, "ns", 0, 1000000)      /* a waiting call returns */                         \
    X(visible_blocking_ns, "ns", 0, 10000000) /* likewise when the thread slept */                 \
    X(function_wait_ns, "ns", 0, 10000000)    /* a host function begins, after device work */      \
    X(function_ready_ns, "ns", 0, 10000000)   /* likewise, when it has nothing to wait for */      \
    X(function_run_ns, "ns", 0, 1000000000)   /* how long a host function takes */                 \
    X(function_back_ns, "ns", 0, 10000000)    /* its return to the stream going on */              \
    X(clock_round_ns, "ns", 0, 1000000)       /* round trip of a clock sample */

/* Curves: X(key, unit of x:y). */
#define GP_PROFILE_CURVES(X)                                                                       \
    X(issue_curve, "permille:permille") /* issue demand of an SM : how much slower blocks run */   \
    X(memory_slowdown_curve, "permille:permille") /* others' issue demand : memory-bound blocks */ \
    X(memory_curve, "blocks:GB/s") /* memory-bound blocks : what they get together */              \
    X(h2d_setup_curve, "bytes:ns") /* a copy's time beyond bytes ÷ rate */                        \
    X(d2h_setup_curve, "bytes:ns")

enum gp_profile_key {
#define X(key, ...) GP_PROFILE_KEY_##key,
    GP_PROFILE_NUMBERS(X) GP_PROFILE_CURVES(X)
#undef X
        GP_PROFILE_KEY_sm_order, /* SMs in the order of ties: "124-131,0,1"; every one once */
    GP_PROFILE_KEY_COUNT
};

struct gp_profile {
    char name[32];
    char models[80];
#define X(key, unit, min, max) int64_t key;
    GP_PROFILE_NUMBERS(X)
#undef X
#define X(key, unit) struct gp_curve key;
    GP_PROFILE_CURVES(X)
#undef X
    uint32_t sm_order[GP_SMS_MAX]; /* sm_count of them */
    enum gp_provenance provenance[GP_PROFILE_KEY_COUNT];
    char source[GP_PROFILE_KEY_COUNT][GP_PROFILE_SOURCE_BYTES_MAX];
};

/* Fills *out from NUL-terminated text. GP_EPARSE: line, what is wrong, what was expected. */
int gp_profile_parse(const char *text, struct gp_profile *out, struct gp_error *err);

/* The text of a built-in profile; NULL when there is none of that name. */
const char *gp_profile_builtin(const char *name);

/* The index-th built-in's name, the default first; NULL past the last. */
const char *gp_profile_builtin_name(size_t index);

/* Of one parameter. */
struct gp_profile_parameter {
    const char *key;
    const char *unit;
    int64_t min, max; /* 0, 0 for curves and the order */
};

/* Static; key is below GP_PROFILE_KEY_COUNT. */
const struct gp_profile_parameter *gp_profile_parameter(enum gp_profile_key key);

/* The whole profile as one JSON object; *out is the caller's (gp_free). */
int gp_profile_json(const struct gp_profile *profile, char **out, struct gp_error *err);

#endif
