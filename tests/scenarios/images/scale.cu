// Kernels for the tests of scenario `kernel`. scale.cubin is what nvcc 13.0 makes of this file:
//     nvcc -cubin -arch=sm_90 -o scale.cubin scale.cu
struct five {
    int numbers[5];
};

extern "C" __global__ void scale(const float *x, float *y, unsigned count, float factor)
{
    __shared__ float shared[64];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    shared[threadIdx.x & 63] = factor;
    __syncthreads();
    if (i < count) {
        y[i] = shared[0] * x[i];
    }
}

extern "C" __global__ void pick(five numbers, int *out)
{
    out[threadIdx.x] = numbers.numbers[2];
}

extern "C" __global__ void nothing()
{
}
