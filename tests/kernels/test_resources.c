/*
 * What stamps cost in resources: every kernel compiled with them and without (GP_UNSTAMPED), for
 * every architecture of the image, must get the same registers, shared memory and occupancy.
 *
 * Registers are compared as the hardware hands them out, in units of 256 a warp, 8 a thread
 * (cudaOccRegAllocationGranularity), and only from 32 a thread on: 65 536 registers are enough for
 * the 2 048 threads that an SM can hold at most, so up to there they never limit what is resident.
 *
 * usage: test_resources NVCC ROOT SCRATCH
 */
#include "test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_occupancy.h>

#include "kernels/kernels.h"

struct resources {
    unsigned registers, barriers, shared_bytes, spill_bytes;
};

enum { ARCHITECTURES = 7, KERNELS_MAX = 32, STAMPED = 0, UNSTAMPED = 1 };

/* Registers of a thread that limit no occupancy. */
enum { FREE_REGISTERS = 65536 / 2048 };

/* Per multiprocessor; CUDA Programming Guide 13.0, technical specifications per compute capability.
 * Registers are 65 536 everywhere. */
static const struct {
    unsigned capability;
    int threads;
    size_t shared_kib;
} architectures[ARCHITECTURES] = {
    {75, 1024, 64},  {80, 2048, 164},  {86, 1536, 100},  {89, 1536, 100},
    {90, 2048, 228}, {100, 2048, 228}, {120, 1536, 100},
};

static const char *nvcc, *root, *scratch;
static struct resources compiled[2][ARCHITECTURES][KERNELS_MAX];

static size_t kernel_index(const char *symbol)
{
    for (size_t i = 0; i < gp_kernel_table_count; i++) {
        if (strcmp(gp_kernel_table[i]->symbol, symbol) == 0) {
            return i;
        }
    }
    fail_msg("the image has '%s', which no descriptor names", symbol);
    return 0;
}

static size_t architecture_index(unsigned capability)
{
    for (size_t i = 0; i < ARCHITECTURES; i++) {
        if (architectures[i].capability == capability) {
            return i;
        }
    }
    fail_msg("the image has sm_%u, which this test does not know", capability);
    return 0;
}

/* The number just after (before) the words; 0 when the line does not have them. */
static unsigned number_after(const char *line, const char *words)
{
    const char *at = strstr(line, words);

    return at != NULL ? (unsigned)strtoul(at + strlen(words), NULL, 10) : 0;
}

static unsigned number_before(const char *line, const char *words)
{
    const char *at = strstr(line, words);

    while (at != NULL && at > line && at[-1] >= '0' && at[-1] <= '9') {
        at--;
    }
    return at != NULL ? (unsigned)strtoul(at, NULL, 10) : 0;
}

/* The assembler's report, line by line; *current is the entry that it is about. */
static void read_line(char *line, int variant, struct resources **current)
{
    static const char begin[] = "Compiling entry function '";
    char *symbol = strstr(line, begin);

    if (symbol != NULL) {
        size_t architecture = architecture_index(number_after(line, "' for 'sm_"));

        symbol += strlen(begin);
        symbol[strcspn(symbol, "'")] = '\0';
        *current = &compiled[variant][architecture][kernel_index(symbol)];
    } else if (strstr(line, "Used ") != NULL && *current != NULL) {
        (*current)->registers = number_after(line, "Used ");
        (*current)->barriers = number_after(line, ", used ");
        (*current)->shared_bytes = number_before(line, " bytes smem");
    } else if (strstr(line, "spill stores") != NULL && *current != NULL) {
        (*current)->spill_bytes = number_before(line, " bytes spill stores");
    }
}

static void compile(int variant, const char *option)
{
    char command[4096], line[512];
    struct resources *current = NULL;
    size_t length = 0;
    FILE *report;

    length += (size_t)snprintf(command, sizeof command, "'%s' -fatbin --resource-usage %s -I '%s'",
                               nvcc, option, root);
    for (size_t i = 0; i < ARCHITECTURES; i++) {
        length += (size_t)snprintf(command + length, sizeof command - length,
                                   " -gencode arch=compute_%u,code=sm_%u",
                                   architectures[i].capability, architectures[i].capability);
    }
    (void)snprintf(command + length, sizeof command - length,
                   " -o '%s/resources.fatbin' '%s/kernels/all.cu' 2>&1", scratch, root);
    report = popen(command, "r"); /* NOLINT(cert-env33-c): the build's own compiler */
    assert_non_null(report);
    while (fgets(line, sizeof line, report) != NULL) {
        read_line(line, variant, &current);
    }
    assert_int_equal(pclose(report), 0);
}

static int compile_both(void **state)
{
    (void)state;
    assert_true(gp_kernel_table_count <= KERNELS_MAX);
    compile(STAMPED, "");
    compile(UNSTAMPED, "-DGP_UNSTAMPED");
    return 0;
}

static unsigned allocated(const struct resources *resources)
{
    unsigned units = (resources->registers + 7) / 8 * 8;

    return units > FREE_REGISTERS ? units : FREE_REGISTERS;
}

static int blocks_per_sm(size_t architecture, const struct resources *resources, int threads)
{
    const cudaOccDeviceProp device = {
        .computeMajor = (int)(architectures[architecture].capability / 10),
        .computeMinor = (int)(architectures[architecture].capability % 10),
        .maxThreadsPerBlock = 1024,
        .maxThreadsPerMultiprocessor = architectures[architecture].threads,
        .regsPerBlock = 65536,
        .regsPerMultiprocessor = 65536,
        .warpSize = 32,
        .sharedMemPerBlock = 49152,
        .sharedMemPerMultiprocessor = architectures[architecture].shared_kib * 1024,
        .numSms = 1,
        .sharedMemPerBlockOptin = 49152,
    };
    const cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = (int)resources->registers,
        .sharedSizeBytes = resources->shared_bytes,
        .numBlockBarriers = (int)resources->barriers,
    };
    const cudaOccDeviceState whole = {.carveoutConfig = 100};
    cudaOccResult result = {0};

    assert_int_equal(
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &whole, threads, 0),
        CUDA_OCC_SUCCESS);
    assert_true(result.activeBlocksPerMultiprocessor > 0);
    return result.activeBlocksPerMultiprocessor;
}

static void check_kernel(size_t architecture, size_t kernel)
{
    const struct resources *with = &compiled[STAMPED][architecture][kernel];
    const struct resources *without = &compiled[UNSTAMPED][architecture][kernel];
    const char *name = gp_kernel_table[kernel]->name;
    unsigned sm = architectures[architecture].capability;
    int threads = gp_kernel_table[kernel] == &gp_kernel_ping ? 1 : 256;

    assert_true(with->registers > 0 && without->registers > 0);
    if (allocated(with) != allocated(without)) {
        fail_msg("%s on sm_%u: %u registers with stamps, %u without", name, sm, with->registers,
                 without->registers);
    }
    if (with->spill_bytes != 0 || with->shared_bytes != without->shared_bytes) {
        fail_msg("%s on sm_%u: %u bytes spilled, %u bytes shared with stamps, %u without", name, sm,
                 with->spill_bytes, with->shared_bytes, without->shared_bytes);
    }
    assert_int_equal(blocks_per_sm(architecture, with, threads),
                     blocks_per_sm(architecture, without, threads));
}

static void test_stamps_take_no_resources(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARCHITECTURES; i++) {
        for (size_t j = 0; j < gp_kernel_table_count; j++) {
            check_kernel(i, j);
        }
    }
}

/* The descriptors are those of the device that was measured. */
static void test_descriptors_have_the_resources_of_sm_90(void **state)
{
    (void)state;
    for (size_t i = 0; i < gp_kernel_table_count; i++) {
        const struct gp_kernel *kernel = gp_kernel_table[i];
        const struct resources *resources = &compiled[STAMPED][architecture_index(90)][i];

        if (kernel->registers != resources->registers ||
            kernel->shared_bytes != resources->shared_bytes) {
            fail_msg("%s: the descriptor has %u registers and %u bytes shared, the image %u and %u",
                     kernel->name, kernel->registers, kernel->shared_bytes, resources->registers,
                     resources->shared_bytes);
        }
    }
}

/* That the comparison can fail: a register more than a unit holds, and another occupancy; and that
 * the registers which it does not count change no occupancy. */
static void test_units_and_occupancy_tell_apart(void **state)
{
    const struct resources few = {.registers = 40}, more = {.registers = 41};
    const struct resources free = {.registers = FREE_REGISTERS}, one = {.registers = 1};

    (void)state;
    assert_int_equal(allocated(&free), allocated(&one));
    for (size_t i = 0; i < ARCHITECTURES; i++) {
        assert_int_equal(blocks_per_sm(i, &free, 256), blocks_per_sm(i, &one, 256));
    }
    assert_int_not_equal(allocated(&few), allocated(&more));
    assert_int_equal(blocks_per_sm(architecture_index(90), &few, 256), 6);
    assert_int_equal(blocks_per_sm(architecture_index(90), &more, 256), 5);
    assert_int_equal(blocks_per_sm(architecture_index(75), &few, 256), 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_and_occupancy_tell_apart),
        cmocka_unit_test(test_stamps_take_no_resources),
        cmocka_unit_test(test_descriptors_have_the_resources_of_sm_90),
    };

    if (argc != 4) {
        (void)fprintf(stderr, "usage: test_resources NVCC ROOT SCRATCH\n");
        return 2;
    }
    nvcc = argv[1];
    root = argv[2];
    scratch = argv[3];
    return cmocka_run_group_tests(tests, compile_both, NULL);
}
