/*
 * Every symbol of libcuda.so.1 that we call, by its exact exported name. cuda.h maps names to the
 * newest version at compile time ("cuEventElapsedTime" to "_v2" of 12.8), which would tie the
 * program to that driver; here each row says which version it means and since which CUDA release
 * the driver exports it.
 *
 * X(symbol, since, base, parameters): PFN_<base>_v<since> of cudaTypedefs.h is its type.
 */
#ifndef GP_CORE_DEVICE_CUDA_SYMBOLS_H
#define GP_CORE_DEVICE_CUDA_SYMBOLS_H

#include "core/device/cuda/abi.h"

/* CUDA 10.1 (R418) brought thread-local capture, the newest thing we cannot do without; 10.0 host
 * functions and PTX 6.3, which our kernels are kept in. */
enum { GP_CUDA_DRIVER_MIN = 10010 };

#define GP_CUDA_REQUIRED(X)                                                                        \
    X(cuInit, 2000, cuInit, (unsigned int flags))                                                  \
    X(cuDriverGetVersion, 2020, cuDriverGetVersion, (int *version))                                \
    X(cuGetErrorName, 6000, cuGetErrorName, (gp_cu_result result, const char **text))              \
    X(cuGetErrorString, 6000, cuGetErrorString, (gp_cu_result result, const char **text))          \
    X(cuDeviceGetCount, 2000, cuDeviceGetCount, (int *count))                                      \
    X(cuDeviceGet, 2000, cuDeviceGet, (int *device, int ordinal))                                  \
    X(cuDeviceGetName, 2000, cuDeviceGetName, (char *name, int bytes, int device))                 \
    X(cuDeviceGetUuid, 9020, cuDeviceGetUuid, (struct CUuuid_st * uuid, int device))               \
    X(cuDeviceTotalMem_v2, 3020, cuDeviceTotalMem, (size_t * bytes, int device))                   \
    X(cuDeviceGetAttribute, 2000, cuDeviceGetAttribute,                                            \
      (int *value, unsigned int attribute, int device))                                            \
    X(cuDevicePrimaryCtxRetain, 7000, cuDevicePrimaryCtxRetain,                                    \
      (struct CUctx_st * *context, int device))                                                    \
    X(cuDevicePrimaryCtxRelease, 7000, cuDevicePrimaryCtxRelease, (int device))                    \
    X(cuDevicePrimaryCtxSetFlags, 7000, cuDevicePrimaryCtxSetFlags,                                \
      (int device, unsigned int flags))                                                            \
    X(cuCtxGetFlags, 7000, cuCtxGetFlags, (unsigned int *flags))                                   \
    X(cuCtxSetCurrent, 4000, cuCtxSetCurrent, (struct CUctx_st * context))                         \
    X(cuCtxSynchronize, 2000, cuCtxSynchronize, (void))                                            \
    X(cuCtxGetStreamPriorityRange, 5050, cuCtxGetStreamPriorityRange, (int *least, int *greatest)) \
    X(cuMemGetInfo_v2, 3020, cuMemGetInfo, (size_t * free_bytes, size_t * total_bytes))            \
    X(cuMemAlloc_v2, 3020, cuMemAlloc, (gp_cu_address * address, size_t bytes))                    \
    X(cuMemFree_v2, 3020, cuMemFree, (gp_cu_address address))                                      \
    X(cuMemHostAlloc, 2020, cuMemHostAlloc, (void **block, size_t bytes, unsigned int flags))      \
    X(cuMemFreeHost, 2000, cuMemFreeHost, (void *block))                                           \
    X(cuStreamCreateWithPriority, 5050, cuStreamCreateWithPriority,                                \
      (struct CUstream_st * *stream, unsigned int flags, int priority))                            \
    X(cuStreamDestroy_v2, 4000, cuStreamDestroy, (struct CUstream_st * stream))                    \
    X(cuStreamQuery, 2000, cuStreamQuery, (struct CUstream_st * stream))                           \
    X(cuStreamSynchronize, 2000, cuStreamSynchronize, (struct CUstream_st * stream))               \
    X(cuStreamWaitEvent, 3020, cuStreamWaitEvent,                                                  \
      (struct CUstream_st * stream, struct CUevent_st * event, unsigned int flags))                \
    X(cuEventCreate, 2000, cuEventCreate, (struct CUevent_st * *event, unsigned int flags))        \
    X(cuEventDestroy_v2, 4000, cuEventDestroy, (struct CUevent_st * event))                        \
    X(cuEventRecord, 2000, cuEventRecord,                                                          \
      (struct CUevent_st * event, struct CUstream_st * stream))                                    \
    X(cuEventQuery, 2000, cuEventQuery, (struct CUevent_st * event))                               \
    X(cuEventSynchronize, 2000, cuEventSynchronize, (struct CUevent_st * event))                   \
    X(cuEventElapsedTime, 2000, cuEventElapsedTime,                                                \
      (float *milliseconds, struct CUevent_st *begin, struct CUevent_st *end))                     \
    X(cuModuleLoadDataEx, 2010, cuModuleLoadDataEx,                                                \
      (struct CUmod_st * *module, const void *image, unsigned int option_count,                    \
       unsigned int *options, void **values))                                                      \
    X(cuModuleUnload, 2000, cuModuleUnload, (struct CUmod_st * module))                            \
    X(cuModuleGetFunction, 2000, cuModuleGetFunction,                                              \
      (struct CUfunc_st * *function, struct CUmod_st * module, const char *name))                  \
    X(cuFuncGetAttribute, 2020, cuFuncGetAttribute,                                                \
      (int *value, unsigned int attribute, struct CUfunc_st *function))                            \
    X(cuLaunchKernel, 4000, cuLaunchKernel,                                                        \
      (struct CUfunc_st * function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, \
       unsigned int block_x, unsigned int block_y, unsigned int block_z,                           \
       unsigned int shared_bytes, struct CUstream_st *stream, void **args, void **extra))          \
    X(cuMemcpyHtoDAsync_v2, 3020, cuMemcpyHtoDAsync,                                               \
      (gp_cu_address to, const void *from, size_t bytes, struct CUstream_st *stream))              \
    X(cuMemcpyDtoHAsync_v2, 3020, cuMemcpyDtoHAsync,                                               \
      (void *to, gp_cu_address from, size_t bytes, struct CUstream_st *stream))                    \
    X(cuMemcpyDtoDAsync_v2, 3020, cuMemcpyDtoDAsync,                                               \
      (gp_cu_address to, gp_cu_address from, size_t bytes, struct CUstream_st * stream))           \
    X(cuMemsetD8Async, 3020, cuMemsetD8Async,                                                      \
      (gp_cu_address to, unsigned char value, size_t count, struct CUstream_st *stream))           \
    X(cuLaunchHostFunc, 10000, cuLaunchHostFunc,                                                   \
      (struct CUstream_st * stream, void (*fn)(void *), void *user))                               \
    X(cuStreamBeginCapture_v2, 10010, cuStreamBeginCapture,                                        \
      (struct CUstream_st * stream, unsigned int mode))                                            \
    X(cuStreamEndCapture, 10000, cuStreamEndCapture,                                               \
      (struct CUstream_st * stream, struct CUgraph_st * *graph))                                   \
    X(cuGraphGetNodes, 10000, cuGraphGetNodes,                                                     \
      (struct CUgraph_st * graph, struct CUgraphNode_st * *nodes, size_t * count))                 \
    X(cuGraphInstantiate, 10000, cuGraphInstantiate,                                               \
      (struct CUgraphExec_st * *exec, struct CUgraph_st * graph, struct CUgraphNode_st * *node,    \
       char *log, size_t log_bytes))                                                               \
    X(cuGraphLaunch, 10000, cuGraphLaunch,                                                         \
      (struct CUgraphExec_st * exec, struct CUstream_st * stream))                                 \
    X(cuGraphExecDestroy, 10000, cuGraphExecDestroy, (struct CUgraphExec_st * exec))               \
    X(cuGraphDestroy, 10000, cuGraphDestroy, (struct CUgraph_st * graph))

/* X(symbol, since, base, purpose, parameters): what is lost without it. */
#define GP_CUDA_OPTIONAL(X)                                                                        \
    X(cuMemAllocAsync, 11020, cuMemAllocAsync, "stream-ordered allocation",                        \
      (gp_cu_address * address, size_t bytes, struct CUstream_st * stream))                        \
    X(cuDeviceGetDefaultMemPool, 11020, cuDeviceGetDefaultMemPool,                                 \
      "memory pools that keep memory", (struct CUmemPoolHandle_st * *pool, int device))            \
    X(cuMemPoolSetAttribute, 11020, cuMemPoolSetAttribute, "memory pools that keep memory",        \
      (struct CUmemPoolHandle_st * pool, unsigned int attribute, void *value))                     \
    X(cuMemFreeAsync, 11020, cuMemFreeAsync, "stream-ordered allocation",                          \
      (gp_cu_address address, struct CUstream_st * stream))                                        \
    X(cuStreamWriteValue32_v2, 11070, cuStreamWriteValue32, "flag writes (completion mode flag)",  \
      (struct CUstream_st * stream, gp_cu_address address, uint32_t value, unsigned int flags))    \
    X(cuDeviceGetDevResource, 12040, cuDeviceGetDevResource,                                       \
      "parts of the SMs (policy partition)",                                                       \
      (int device, struct CUdevResource_st *resource, unsigned int type))                          \
    X(cuDevSmResourceSplitByCount, 12040, cuDevSmResourceSplitByCount,                             \
      "parts of the SMs (policy partition)",                                                       \
      (struct CUdevResource_st * parts, unsigned int *count, const struct CUdevResource_st *whole, \
       struct CUdevResource_st *rest, unsigned int flags, unsigned int sm_count_min))              \
    X(cuDevResourceGenerateDesc, 12040, cuDevResourceGenerateDesc,                                 \
      "parts of the SMs (policy partition)",                                                       \
      (struct CUdevResourceDesc_st * *desc, struct CUdevResource_st * resources,                   \
       unsigned int count))                                                                        \
    X(cuGreenCtxCreate, 12040, cuGreenCtxCreate, "parts of the SMs (policy partition)",            \
      (struct CUgreenCtx_st * *context, struct CUdevResourceDesc_st * desc, int device,            \
       unsigned int flags))                                                                        \
    X(cuGreenCtxDestroy, 12040, cuGreenCtxDestroy, "parts of the SMs (policy partition)",          \
      (struct CUgreenCtx_st * context))                                                            \
    X(cuGreenCtxStreamCreate, 12050, cuGreenCtxStreamCreate,                                       \
      "parts of the SMs (policy partition)",                                                       \
      (struct CUstream_st * *stream, struct CUgreenCtx_st * context, unsigned int flags,           \
       int priority))                                                                              \
    X(cuFuncLoad, 12040, cuFuncLoad, "eager function loading by name (another call stands in)",    \
      (struct CUfunc_st * function))                                                               \
    X(cuDeviceGetUuid_v2, 11040, cuDeviceGetUuid, "the UUID of a MIG slice (the GPU's is shown)",  \
      (struct CUuuid_st * uuid, int device))

#endif
