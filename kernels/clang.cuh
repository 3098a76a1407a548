/*
 * What CUDA's headers give nvcc, for clang without them: only the names that the kernels use. It is
 * included before everything else by the command line that makes ptx/kernels.ptx.
 */
#ifndef GP_KERNELS_CLANG_CUH
#define GP_KERNELS_CLANG_CUH

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))

#include <__clang_cuda_builtin_vars.h>

typedef float float4 __attribute__((ext_vector_type(4)));

static __device__ __forceinline__ float __fmaf_rn(float a, float b, float c)
{
    return __nvvm_fma_rn_f(a, b, c);
}

static __device__ __forceinline__ float __fmul_rn(float a, float b)
{
    return __nvvm_mul_rn_f(a, b);
}

static __device__ __forceinline__ float __fadd_rn(float a, float b)
{
    return __nvvm_add_rn_f(a, b);
}

static __device__ __forceinline__ float __fdiv_rn(float a, float b)
{
    return __nvvm_div_rn_f(a, b);
}

static __device__ __forceinline__ float __fsqrt_rn(float a)
{
    return __nvvm_sqrt_rn_f(a);
}

static __device__ __forceinline__ float __shfl_xor_sync(unsigned mask, float value, int lanes)
{
    return __nvvm_shfl_sync_bfly_f32(mask, value, lanes, 0x1f);
}

#endif
