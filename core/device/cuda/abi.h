/*
 * The part of the CUDA driver's binary interface that we use, written down so that we build without
 * the toolkit. Frozen by NVIDIA's versioned symbols; where the toolkit is there, a test compares it
 * with cuda.h. Source: cuda.h and cudaTypedefs.h of CUDA 13.0.
 */
#ifndef GP_CORE_DEVICE_CUDA_ABI_H
#define GP_CORE_DEVICE_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Enums of the driver are unsigned int to the compiler, and so here; a CUdeviceptr is 64 bits. */
typedef unsigned int gp_cu_result;
typedef unsigned long long gp_cu_address;

/* Opaque handles, with the driver's own tags. */
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
struct CUmemPoolHandle_st;
struct CUdevResourceDesc_st;
struct CUgreenCtx_st;
struct CUdevResource_st; /* as gp_cu_resource */

/* CUdevResource, of which only the SMs' numbers are looked at. */
struct gp_cu_resource {
    unsigned int type;
    unsigned char internal[92];
    unsigned int sm_count, sm_count_min, sm_alignment;
    unsigned char rest[36];
};

_Static_assert(sizeof(struct gp_cu_resource) == 144, "as in cuda.h");
struct CUuuid_st; /* 16 bytes */

#define GP_CUDA_RESULTS(X)                                                                         \
    X(CUDA_SUCCESS, 0)                                                                             \
    X(CUDA_ERROR_INVALID_VALUE, 1)                                                                 \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2)                                                                 \
    X(CUDA_ERROR_NOT_INITIALIZED, 3)                                                               \
    X(CUDA_ERROR_STUB_LIBRARY, 34)                                                                 \
    X(CUDA_ERROR_NO_DEVICE, 100)                                                                   \
    X(CUDA_ERROR_INVALID_DEVICE, 101)                                                              \
    X(CUDA_ERROR_INVALID_IMAGE, 200)                                                               \
    X(CUDA_ERROR_INVALID_CONTEXT, 201)                                                             \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                                           \
    X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                                           \
    X(CUDA_ERROR_INVALID_PTX, 218)                                                                 \
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                                                        \
    X(CUDA_ERROR_CONTAINED, 226)                                                                   \
    X(CUDA_ERROR_INVALID_HANDLE, 400)                                                              \
    X(CUDA_ERROR_ILLEGAL_STATE, 401)                                                               \
    X(CUDA_ERROR_NOT_FOUND, 500)                                                                   \
    X(CUDA_ERROR_NOT_READY, 600)                                                                   \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                                             \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                                     \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                                              \
    X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708)                                                      \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                                                        \
    X(CUDA_ERROR_ASSERT, 710)                                                                      \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                                                        \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                                         \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                                          \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                                                       \
    X(CUDA_ERROR_INVALID_PC, 718)                                                                  \
    X(CUDA_ERROR_LAUNCH_FAILED, 719)                                                               \
    X(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721)                                                          \
    X(CUDA_ERROR_NOT_PERMITTED, 800)                                                               \
    X(CUDA_ERROR_NOT_SUPPORTED, 801)                                                               \
    X(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810)                                                       \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)                                                  \
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901)                                                  \
    X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902)                                                        \
    X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903)                                                    \
    X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904)                                                     \
    X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905)                                                    \
    X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906)                                                     \
    X(CUDA_ERROR_CAPTURED_EVENT, 907)                                                              \
    X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908)                                                 \
    X(CUDA_ERROR_UNKNOWN, 999)

#define GP_CUDA_CONSTANTS(X)                                                                       \
    X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                                \
    X(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                                                       \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)                                      \
    X(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 40)                                                  \
    X(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 41)                                                  \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                            \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                            \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)                                \
    X(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 82)                                    \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 106)                                      \
    X(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115)                                             \
    X(CU_CTX_SCHED_AUTO, 0)                                                                        \
    X(CU_CTX_SCHED_SPIN, 1)                                                                        \
    X(CU_CTX_SCHED_YIELD, 2)                                                                       \
    X(CU_CTX_SCHED_BLOCKING_SYNC, 4)                                                               \
    X(CU_CTX_SCHED_MASK, 7)                                                                        \
    X(CU_CTX_LMEM_RESIZE_TO_MAX, 0x10)                                                             \
    X(CU_DEV_RESOURCE_TYPE_SM, 1)                                                                  \
    X(CU_GREEN_CTX_DEFAULT_STREAM, 1)                                                              \
    X(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 4)                                                        \
    X(CU_STREAM_DEFAULT, 0)                                                                        \
    X(CU_STREAM_NON_BLOCKING, 1)                                                                   \
    X(CU_EVENT_DEFAULT, 0)                                                                         \
    X(CU_EVENT_BLOCKING_SYNC, 1)                                                                   \
    X(CU_EVENT_DISABLE_TIMING, 2)                                                                  \
    X(CU_MEMHOSTALLOC_PORTABLE, 1)                                                                 \
    X(CU_MEMHOSTALLOC_DEVICEMAP, 2)                                                                \
    X(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)                                                      \
    X(CU_STREAM_WRITE_VALUE_DEFAULT, 0)                                                            \
    X(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                                               \
    X(CU_JIT_ERROR_LOG_BUFFER, 5)                                                                  \
    X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)

/* GP_CUDA_ERROR_NOT_READY = 600, and so on. */
enum {
#define X(name, value) GP_##name = value,
    GP_CUDA_RESULTS(X) GP_CUDA_CONSTANTS(X)
#undef X
};

/* The implicit streams' handles (CU_STREAM_LEGACY, CU_STREAM_PER_THREAD). */
#define GP_CU_STREAM_LEGACY ((struct CUstream_st *)(uintptr_t)1)
#define GP_CU_STREAM_PER_THREAD ((struct CUstream_st *)(uintptr_t)2)

#endif
