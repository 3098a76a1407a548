/* Occupancy against the vendor's own calculator, over everything that it depends on. */
#include "test.h"

#include <cuda_occupancy.h>

#include "core/device/model/occupancy.h"

static void describe(int major, int minor, const struct gp_sm_limits *limits,
                     cudaOccDeviceProp *out)
{
    *out = (cudaOccDeviceProp){
        .computeMajor = major,
        .computeMinor = minor,
        .maxThreadsPerBlock = 1024,
        .maxThreadsPerMultiprocessor = (int)limits->threads,
        .regsPerBlock = 65536,
        .regsPerMultiprocessor = (int)limits->registers,
        .warpSize = 32,
        .sharedMemPerBlock = 48 << 10,
        .sharedMemPerMultiprocessor = limits->shared_bytes,
        .numSms = 1,
        .sharedMemPerBlockOptin = limits->shared_block_bytes,
        .reservedSharedMemPerBlock = limits->shared_reserved_bytes,
    };
}

struct header {
    struct gp_sm_limits limits;
    cudaOccDeviceProp properties;
};

static int ask_header(const struct header *header, uint32_t threads, uint32_t registers,
                      uint32_t shared)
{
    const cudaOccDeviceState config = {.cacheConfig = CACHE_PREFER_SHARED, .carveoutConfig = 100};
    const cudaOccFuncAttributes attributes = {
        .maxThreadsPerBlock = 1024,
        .numRegs = (int)registers,
        .maxDynamicSharedSizeBytes = header->limits.shared_block_bytes,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .numBlockBarriers = 1,
    };
    cudaOccResult result;

    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(
                         &result, &header->properties, &attributes, &config, (int)threads, shared),
                     CUDA_OCC_SUCCESS);
    return result.activeBlocksPerMultiprocessor;
}

static int ask_model(const struct header *header, uint32_t threads, uint32_t registers,
                     uint32_t shared)
{
    const struct gp_sm_used nothing = {0};
    struct gp_footprint footprint;

    if (!gp_occupancy_footprint(&header->limits, threads, registers, shared, &footprint)) {
        return 0;
    }
    return (int)gp_occupancy_room(&header->limits, &nothing, &footprint);
}

/* One size of block, many registers. */
static void compare(const struct header *header, uint32_t threads, uint32_t shared)
{
    for (uint32_t registers = 1; registers <= 255; registers += 2) {
        int expected = ask_header(header, threads, registers, shared);

        if (ask_model(header, threads, registers, shared) != expected) {
            fail_msg("%d.%d, %u threads, %u registers, %u bytes: not %d",
                     header->properties.computeMajor, header->properties.computeMinor, threads,
                     registers, shared, expected);
        }
    }
}

static void test_against_the_header(void **state)
{
    static const int capabilities[][2] = {{7, 0}, {7, 5}, {8, 0},  {8, 6}, {8, 7},
                                          {8, 9}, {9, 0}, {10, 0}, {12, 0}};
    static const uint32_t shared[] = {0, 1, 1000, 10000, 16384, 49152, 60000, 100000};

    struct header header;

    (void)state;
    for (size_t c = 0; c < sizeof capabilities / sizeof capabilities[0]; c++) {
        gp_occupancy_limits(capabilities[c][0], capabilities[c][1], &header.limits);
        describe(capabilities[c][0], capabilities[c][1], &header.limits, &header.properties);
        for (size_t s = 0; s < sizeof shared / sizeof shared[0]; s++) {
            for (uint32_t threads = 1; threads <= 1024; threads += threads < 40 ? 1 : 23) {
                compare(&header, threads, shared[s]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_the_header)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
