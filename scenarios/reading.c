/* An array that kernels sum up: see reading.h. */
#include "scenarios/reading.h"

#include <inttypes.h>

#include "core/memory.h"
#include "kernels/kernels.h"
#include "scenarios/setup.h"
#include "scenarios/values.h"

/* A thread sees so many elements of a period, which is a multiple of what all threads take in one
 * step: so a block sees the same elements of each period. */
enum { BLOCK = 256, THREAD_FLOATS = 16, EXACT_MAX = 1 << 24 };

static uint64_t period_of(uint32_t blocks)
{
    return (uint64_t)blocks * BLOCK * THREAD_FLOATS;
}

static uint64_t periods_of(uint32_t blocks, uint64_t bytes)
{
    uint64_t periods = bytes / sizeof(float) / period_of(blocks);

    return periods > 1 ? periods : 1;
}

uint64_t gp_reading_bytes(uint32_t kernels, uint32_t blocks, uint64_t bytes)
{
    return sizeof(float) *
           (period_of(blocks) * periods_of(blocks, bytes) + (uint64_t)kernels * blocks);
}

int gp_reading_check(const char *owner, uint32_t blocks, uint64_t bytes, struct gp_error *err)
{
    uint64_t each = periods_of(blocks, bytes) * BLOCK * THREAD_FLOATS;

    if (each > EXACT_MAX) {
        return gp_fail(err, GP_EINVAL,
                       "%s: a block sums %" PRIu64 " elements, which a float need not hold "
                       "exactly; allowed are %d: take more blocks, or fewer MiB",
                       owner, each, EXACT_MAX);
    }
    return 0;
}

/* Uploads the pattern again and again, and sums one period of each block. */
static int fill(struct gp_reading *reading, struct gp_workload *workload, struct gp_error *err)
{
    struct gp_random random = {workload->seed};
    uint64_t bytes = reading->period * sizeof(float);
    float *pattern = gp_alloc(reading->period, sizeof *pattern);
    int code = 0;

    if (pattern == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    gp_values_draw(pattern, reading->period, &random, -1, 1);
    for (uint32_t i = 0; i < reading->period; i++) {
        reading->right[i / BLOCK % reading->blocks] += pattern[i];
    }
    for (uint32_t i = 0; i < reading->blocks; i++) {
        reading->right[i] *= (float)reading->periods;
    }
    for (uint32_t i = 0; i < reading->periods && code == 0; i++) {
        code = gp_buffer_write(reading->x, workload->stream, i * bytes, pattern, bytes, err);
    }
    gp_free(pattern);
    return code;
}

int gp_reading_init(struct gp_reading *reading, struct gp_workload *workload, uint32_t kernels,
                    uint32_t blocks, uint64_t bytes, struct gp_error *err)
{
    const struct gp_setup_buffer wanted[] = {
        {&reading->x, "x", GP_SPACE_DEVICE,
         period_of(blocks) * periods_of(blocks, bytes) * sizeof(float)},
        {&reading->sums, "sums", GP_SPACE_DEVICE, (uint64_t)kernels * blocks * sizeof(float)},
    };
    int code;

    reading->kernels = kernels;
    reading->blocks = blocks;
    reading->period = (uint32_t)period_of(blocks);
    reading->periods = (uint32_t)periods_of(blocks, bytes);
    reading->right = gp_alloc(blocks, sizeof(float));
    reading->room = gp_alloc((size_t)kernels * blocks, sizeof(float));
    if (reading->right == NULL || reading->room == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    code = gp_setup_buffers(workload, wanted, sizeof wanted / sizeof wanted[0], err);
    return code == 0 ? fill(reading, workload, err) : code;
}

struct gp_op *gp_reading_sum(const struct gp_reading *reading, struct gp_builder *builder,
                             uint32_t index)
{
    uint64_t bytes = reading->blocks * sizeof(float);
    const struct gp_access accesses[] = {
        {reading->x, 0, reading->x->bytes, GP_ACCESS_READ},
        {reading->sums, index * bytes, bytes, GP_ACCESS_WRITE},
    };
    const gp_addr x = reading->x->address, sums = reading->sums->address + accesses[1].offset;
    const uint32_t count = reading->period * reading->periods;
    const void *const args[] = {&x, &sums, &count};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_reduce,
        .grid = {reading->blocks, 1, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
        .access_count = 2,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

int gp_reading_reset(const struct gp_reading *reading, struct gp_workload *workload,
                     struct gp_error *err)
{
    return gp_buffer_fill(reading->sums, workload->stream, GP_POISON, err);
}

int gp_reading_verify(const struct gp_reading *reading, struct gp_workload *workload,
                      struct gp_error *err)
{
    int code = gp_buffer_read(reading->sums, workload->stream, 0, reading->room,
                              reading->sums->bytes, err);

    for (uint32_t i = 0; i < reading->kernels && code == 0; i++) {
        const float *got = reading->room + (size_t)i * reading->blocks;
        size_t wrong = gp_values_differ(got, reading->right, reading->blocks);

        if (wrong < reading->blocks) {
            code =
                gp_values_fail(err, got[wrong], reading->right[wrong],
                               "%s: sum of block %zu of kernel %u", workload->ops->name, wrong, i);
        }
    }
    return code;
}

void gp_reading_finish(struct gp_reading *reading)
{
    gp_buffer_destroy(reading->x);
    gp_buffer_destroy(reading->sums);
    gp_free(reading->right);
    gp_free(reading->room);
}
