/* See fixture.h. */
#include "fixture.h"

#include <stdlib.h>

#include "kernels/kernels.h"

enum { VECTOR_BYTES = FIXTURE_COUNT * sizeof(float), BLOCK = 256 };

int fixture_open_spec(void **state, const char *spec)
{
    static const struct gp_device_options options = {.clock_kernel = &gp_kernel_ping};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    gp_addr *const vectors[] = {&fixture->a, &fixture->b, &fixture->c};
    void *host = NULL;

    assert_non_null(fixture);
    gp_assert_ok(gp_device_open(spec, &options, &fixture->device, &fixture->err), fixture->err);
    gp_assert_ok(gp_stream_create(fixture->device, GP_STREAM_NON_BLOCKING, 0, &fixture->stream,
                                  &fixture->err),
                 fixture->err);
    for (int i = 0; i < 3; i++) {
        gp_assert_ok(gp_device_mem_alloc(fixture->device, VECTOR_BYTES, vectors[i], &fixture->err),
                     fixture->err);
    }
    gp_assert_ok(gp_device_host_alloc(fixture->device, VECTOR_BYTES, &host, &fixture->err),
                 fixture->err);
    fixture->host = host;
    for (size_t i = 0; i < gp_kernel_table_count; i++) {
        gp_assert_ok(gp_device_kernel_prepare(fixture->device, gp_kernel_table[i], &fixture->err),
                     fixture->err);
    }
    *state = fixture;
    return 0;
}

int fixture_open(void **state)
{
    return fixture_open_spec(state, "cuda");
}

int fixture_close(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(gp_device_mem_free(fixture->device, fixture->a, NULL), 0);
    assert_int_equal(gp_device_mem_free(fixture->device, fixture->b, NULL), 0);
    assert_int_equal(gp_device_mem_free(fixture->device, fixture->c, NULL), 0);
    assert_int_equal(gp_device_host_free(fixture->device, fixture->host, NULL), 0);
    assert_int_equal(gp_stream_destroy(fixture->stream, NULL), 0);
    gp_device_close(fixture->device);
    free(fixture);
    return 0;
}

int fixture_submit_fma(struct fixture *fixture, struct gp_stream *stream, uint32_t iterations,
                       float multiplier)
{
    const uint32_t count = FIXTURE_COUNT;
    const void *const args[] = {&fixture->a, &count, &iterations, &multiplier};
    const struct gp_launch launch = {.kernel = &gp_kernel_fma_1,
                                     .grid = {(count + BLOCK - 1) / BLOCK, 1, 1},
                                     .block = {BLOCK, 1, 1},
                                     .args = args};

    return gp_stream_launch(stream, &launch, &fixture->err);
}

int fixture_submit_add(struct fixture *fixture, struct gp_stream *stream, gp_addr stamp)
{
    const uint32_t count = FIXTURE_COUNT;
    const void *const args[] = {&fixture->a, &fixture->b, &fixture->c, &count};
    const struct gp_launch launch = {.kernel = &gp_kernel_vector_add,
                                     .grid = {(count + BLOCK - 1) / BLOCK, 1, 1},
                                     .block = {BLOCK, 1, 1},
                                     .args = args,
                                     .stamp = stamp};

    return gp_stream_launch(stream, &launch, &fixture->err);
}

void fixture_upload(struct fixture *fixture, gp_addr to, float first, float step)
{
    for (int i = 0; i < FIXTURE_COUNT; i++) {
        fixture->host[i] = first + step * (float)i;
    }
    gp_assert_ok(gp_stream_copy(fixture->stream, GP_COPY_H2D, to, (uintptr_t)fixture->host,
                                VECTOR_BYTES, &fixture->err),
                 fixture->err);
    gp_assert_ok(gp_stream_sync(fixture->stream, &fixture->err), fixture->err);
}

void fixture_download(struct fixture *fixture, gp_addr from)
{
    for (int i = 0; i < FIXTURE_COUNT; i++) {
        fixture->host[i] = -1.0F;
    }
    gp_assert_ok(gp_stream_copy(fixture->stream, GP_COPY_D2H, (uintptr_t)fixture->host, from,
                                VECTOR_BYTES, &fixture->err),
                 fixture->err);
    gp_assert_ok(gp_stream_sync(fixture->stream, &fixture->err), fixture->err);
}

void fixture_make_busy(struct fixture *fixture, struct gp_stream *stream, int (*query)(void *user),
                       void *user)
{
    /* 20 ms at first; longer when the machine was so slow that the work was over. */
    for (uint32_t iterations = 10000000; iterations <= 640000000; iterations *= 4) {
        int code;

        gp_assert_ok(fixture_submit_fma(fixture, stream, iterations, 0.0F), fixture->err);
        code = query(user);
        if (code == GP_ENOTREADY) {
            return;
        }
        assert_int_equal(code, 0);
    }
    fail_msg("the stream was never busy");
}
