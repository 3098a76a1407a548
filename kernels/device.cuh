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
 * Stamps (struct gp_stamp and struct gp_block_stamp of core/kernel.h). The slot is a parameter, so
 * a test costs one compare with constant memory and holds no register between begin and end; which
 * of the two it is, is asked only where there is a slot. GP_UNSTAMPED compiles them out: the test
 * of the image shows that registers and occupancy are the same.
 */
#ifdef GP_UNSTAMPED

GP_INLINE void stamp_begin(u64 slot)
{
}

GP_INLINE void stamp_end(u64 slot)
{
}

#else

/* GP_STAMP_BLOCKS. */
enum { STAMP_BLOCKS = 1 };

/* Into the slots of an operation: the minimum and the maximum over its blocks. */
GP_INLINE void stamp_first(u64 slot)
{
    asm volatile("{\n\t"
                 ".reg .u64 address, now;\n\t"
                 "cvta.to.global.u64 address, %0;\n\t"
                 "mov.u64 now, %%globaltimer;\n\t"
                 "red.global.min.u64 [address], now;\n\t"
                 "}" ::"l"(slot)
                 : "memory");
}

GP_INLINE void stamp_last(u64 slot)
{
    asm volatile("{\n\t"
                 ".reg .u64 address, now;\n\t"
                 "cvta.to.global.u64 address, %0;\n\t"
                 "mov.u64 now, %%globaltimer;\n\t"
                 "red.global.max.u64 [address + 8], now;\n\t"
                 "}" ::"l"(slot)
                 : "memory");
}

/* The address of this block's struct gp_block_stamp, worked out anew at begin and end so that it
 * holds no register in between. It is too high by GP_STAMP_BLOCKS, as the slot is. */
#define BLOCK_STAMP_ADDRESS                                                                        \
    ".reg .u64 address, now;\n\t"                                                                  \
    ".reg .u32 index, size;\n\t"                                                                   \
    "mov.u32 index, %%ctaid.z;\n\t"                                                                \
    "mov.u32 size, %%nctaid.y;\n\t"                                                                \
    "mul.lo.u32 index, index, size;\n\t"                                                           \
    "mov.u32 size, %%ctaid.y;\n\t"                                                                 \
    "add.u32 index, index, size;\n\t"                                                              \
    "mov.u32 size, %%nctaid.x;\n\t"                                                                \
    "mul.lo.u32 index, index, size;\n\t"                                                           \
    "mov.u32 size, %%ctaid.x;\n\t"                                                                 \
    "add.u32 index, index, size;\n\t"                                                              \
    "cvta.to.global.u64 address, %0;\n\t"                                                          \
    "mad.wide.u32 address, index, 24, address;\n\t"

GP_INLINE void stamp_block_begin(u64 slot)
{
    asm volatile("{\n\t" BLOCK_STAMP_ADDRESS "mov.u64 now, %%globaltimer;\n\t"
                 "st.global.u64 [address + -1], now;\n\t"
                 "mov.u32 index, %%smid;\n\t"
                 "st.global.u32 [address + 15], index;\n\t"
                 "}" ::"l"(slot)
                 : "memory");
}

GP_INLINE void stamp_block_end(u64 slot)
{
    asm volatile("{\n\t" BLOCK_STAMP_ADDRESS "mov.u64 now, %%globaltimer;\n\t"
                 "st.global.u64 [address + 7], now;\n\t"
                 "}" ::"l"(slot)
                 : "memory");
}

/* The first thing that a kernel does. */
GP_INLINE void stamp_begin(u64 slot)
{
    if (slot != 0 && threadIdx.x == 0) {
        if ((slot & STAMP_BLOCKS) != 0) {
            stamp_block_begin(slot);
        } else {
            stamp_first(slot);
        }
    }
}

/* The last thing; every thread of the block gets here, so none may have returned before. */
GP_INLINE void stamp_end(u64 slot)
{
    if (slot != 0) {
        __syncthreads();
        if (threadIdx.x == 0) {
            if ((slot & STAMP_BLOCKS) != 0) {
                stamp_block_end(slot);
            } else {
                stamp_last(slot);
            }
        }
    }
}

#endif

#endif
