/*
 * What every kernel starts from: fixed-size names and the stamps. Compiled by
 * nvcc, and by clang without a CUDA SDK (clang.cuh then stands for CUDA's own headers). It must not
 * know any kernel.
 */
#ifndef GP_KERNELS_DEVICE_CUH
#define GP_KERNELS_DEVICE_CUH

typedef unsigned int u32;
typedef unsigned long long u64;

#define GP_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
#define GP_INLINE static __device__ __forceinline__

/*
 * Stamps (struct gp_stamp of core/kernel.h). The slot is a parameter, so a test costs one compare
 * with constant memory and holds no register between begin and end. GP_UNSTAMPED compiles them out:
 * the test of the image shows that registers and occupancy are the same.
 */
#ifdef GP_UNSTAMPED

GP_INLINE void stamp_begin(u64 slot)
{
}

GP_INLINE void stamp_end(u64 slot)
{
}

#else

/* The first thing that a kernel does. */
GP_INLINE void stamp_begin(u64 slot)
{
    if (slot != 0 && threadIdx.x == 0) {
        asm volatile("{\n\t"
                     ".reg .u64 address, now;\n\t"
                     "cvta.to.global.u64 address, %0;\n\t"
                     "mov.u64 now, %%globaltimer;\n\t"
                     "red.global.min.u64 [address], now;\n\t"
                     "}" ::"l"(slot)
                     : "memory");
    }
}

/* The last thing; every thread of the block gets here, so none may have returned before. */
GP_INLINE void stamp_end(u64 slot)
{
    if (slot != 0) {
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("{\n\t"
                         ".reg .u64 address, now;\n\t"
                         "cvta.to.global.u64 address, %0;\n\t"
                         "mov.u64 now, %%globaltimer;\n\t"
                         "red.global.max.u64 [address + 8], now;\n\t"
                         "}" ::"l"(slot)
                         : "memory");
        }
    }
}

#endif

#endif
