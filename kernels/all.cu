/* All kernels as one module: one image to load. */
#include "kernels/fma.cu"
#include "kernels/gemm.cu"
#include "kernels/matvec.cu"
#include "kernels/ping.cu"
#include "kernels/relu.cu"
#include "kernels/triad.cu"
#include "kernels/vector_add.cu"
#include "kernels/watch.cu"
