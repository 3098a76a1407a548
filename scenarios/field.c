/* A field that kernels add to: see field.h. */
#include "scenarios/field.h"

#include <assert.h>
#include <inttypes.h>

#include "core/memory.h"
#include "kernels/kernels.h"
#include "scenarios/setup.h"
#include "scenarios/values.h"

/* Of gp_kernel_fma_1 on an H200, one element a thread: 1 980 cycles a µs, 4.5 for a multiply-add,
 * and about 910 around them. */
enum { ITERATIONS_PER_US = 440, ITERATIONS_AROUND = 202 };

uint32_t gp_field_iterations(int64_t us)
{
    int64_t iterations = us * ITERATIONS_PER_US - ITERATIONS_AROUND;

    assert(us >= 0 && us <= UINT32_MAX / ITERATIONS_PER_US);
    return iterations > 1 ? (uint32_t)iterations : 1;
}

int gp_field_check(const char *owner, int64_t operations, int64_t us, struct gp_error *err)
{
    int64_t room = GP_FIELD_SUM_MAX - GP_FIELD_FIRST_MAX;

    if (operations * (int64_t)gp_field_iterations(us) > room) {
        return gp_fail(
            err, GP_EINVAL,
            "%s: %" PRId64 " kernels of %" PRId64
            " us on the same data add up to more than a float holds; allowed are %" PRId64
            " of that length",
            owner, operations, us, room / gp_field_iterations(us));
    }
    return 0;
}

int gp_field_init(struct gp_field *field, struct gp_workload *workload, uint64_t count,
                  struct gp_error *err)
{
    struct gp_random random = {workload->seed};
    const struct gp_setup_buffer wanted = {&field->data, "data", GP_SPACE_DEVICE,
                                           count * sizeof(float)};

    assert(count >= 1 && count <= UINT32_MAX);
    field->count = (uint32_t)count;
    field->first = gp_alloc(count, sizeof(float));
    field->right = gp_alloc(count, sizeof(float));
    field->room = gp_alloc(count, sizeof(float));
    if (field->first == NULL || field->right == NULL || field->room == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    gp_values_draw(field->first, count, &random, 0, GP_FIELD_FIRST_MAX);
    for (uint32_t i = 0; i < field->count; i++) {
        field->right[i] = field->first[i];
    }
    return gp_setup_buffers(workload, &wanted, 1, err);
}

struct gp_op *gp_field_add(const struct gp_field *field, struct gp_builder *builder,
                           const char *name, const struct gp_field_work *work)
{
    static const float multiplier = 1.0f;
    const struct gp_access access = {field->data, (uint64_t)work->at * sizeof(float),
                                     (uint64_t)work->count * sizeof(float), GP_ACCESS_READ_WRITE};
    const gp_addr data = field->data->address + access.offset;
    const void *const args[] = {&data, &work->count, &work->iterations, &multiplier};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_fma_1,
        .grid = {work->blocks, 1, 1},
        .block = {work->threads, 1, 1},
        .args = args,
        .accesses = &access,
        .access_count = 1,
    };

    assert((uint64_t)work->at + work->count <= field->count);
    for (uint32_t i = work->at; i < work->at + work->count; i++) {
        field->right[i] += (float)work->iterations;
    }
    return gp_op_kernel(builder, name, &launch);
}

int gp_field_reset(struct gp_workload *workload, struct gp_error *err)
{
    const struct gp_field *field = workload->state;

    return gp_buffer_write(field->data, workload->stream, 0, field->first, field->data->bytes, err);
}

int gp_field_verify(struct gp_workload *workload, struct gp_error *err)
{
    const struct gp_field *field = workload->state;
    size_t wrong;
    int code =
        gp_buffer_read(field->data, workload->stream, 0, field->room, field->data->bytes, err);

    if (code != 0) {
        return code;
    }
    wrong = gp_values_differ(field->room, field->right, field->count);
    return wrong == field->count ? 0
                                 : gp_values_fail(err, field->room[wrong], field->right[wrong],
                                                  "%s: data[%zu]", workload->ops->name, wrong);
}

void gp_field_teardown(struct gp_workload *workload)
{
    struct gp_field *field = workload->state;

    if (field == NULL) {
        return;
    }
    gp_buffer_destroy(field->data);
    gp_free(field->first);
    gp_free(field->right);
    gp_free(field->room);
    gp_free(field);
}
