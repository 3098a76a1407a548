/*
 * Every kernel on a real device, ragged sizes included: results are those of the host reference to
 * the bit, nothing behind an array is touched, and stamps say when it ran. Also what
 * compute-sanitizer is pointed at.
 *
 * usage: test_launch DEVICE; 77 when there is none such
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/device.h"
#include "kernels/kernels.h"
#include "on_device.h"

enum { ARRAYS_MAX = 10, WORDS_MAX = 5, GUARD = 64 };

static struct gp_device *device;
static struct gp_stream *stream;

/* One launch. Of every kernel here the addresses come first, then words of four bytes. Where there
 * are fewer arrays than addresses, the first is given for all that lack one. */
struct trial {
    const struct gp_kernel *kernel;
    uint32_t grid_x, grid_y, threads;
    size_t counts[ARRAYS_MAX]; /* floats of each array, 0: no more arrays */
    uint32_t words[WORDS_MAX];
};

static uint32_t bits(float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof word);
    return word;
}

/* Small integers, then the guard. */
static void draw(float *values, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 28) - 8.0f;
    }
    memset(values + count, 0xa5, GUARD * sizeof *values);
}

static size_t array_count(const struct trial *trial)
{
    size_t count = 0;

    while (count < ARRAYS_MAX && trial->counts[count] > 0) {
        count++;
    }
    return count;
}

static uint32_t address_count(const struct gp_kernel *kernel)
{
    uint32_t count = 0;

    while (count < kernel->arg_count && kernel->args[count].kind == GP_ARG_ADDRESS) {
        count++;
    }
    return count;
}

static void launch(const struct trial *trial, const gp_addr *addresses, gp_addr stamp, int on_host)
{
    struct gp_error err = {0};
    const void *args[ARRAYS_MAX + WORDS_MAX];
    const struct gp_launch what = {
        .kernel = trial->kernel,
        .grid = {trial->grid_x, trial->grid_y, 1},
        .block = {trial->threads, 1, 1},
        .args = args,
        .stamp = stamp,
    };
    uint32_t place_count = address_count(trial->kernel);
    uint32_t lacking = place_count - (uint32_t)array_count(trial);

    for (uint32_t i = 0; i < trial->kernel->arg_count; i++) {
        args[i] = i < place_count ? (const void *)&addresses[i < lacking ? 0 : i - lacking]
                                  : &trial->words[i - place_count];
    }
    if (on_host) {
        trial->kernel->reference(&what);
        return;
    }
    gp_assert_ok(gp_stream_launch(stream, &what, &err), err);
    gp_assert_ok(gp_stream_sync(stream, &err), err);
}

static void move(enum gp_copy_kind kind, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_stream_copy(stream, kind, to, from, bytes, &err), err);
    gp_assert_ok(gp_stream_sync(stream, &err), err);
}

static void compare(const struct trial *trial, size_t array, const float *got, const float *right)
{
    for (size_t i = 0; i < trial->counts[array] + GUARD; i++) {
        if (bits(got[i]) != bits(right[i])) {
            fail_msg("%s: argument %zu, element %zu of %zu: got %g, expected %g",
                     trial->kernel->name, array, i, trial->counts[array], (double)got[i],
                     (double)right[i]);
        }
    }
}

/* Runs it on the device and on the host from the same arrays, and compares all of them. */
static void check(const struct trial *trial, gp_addr stamp)
{
    struct gp_error err = {0};
    float *right[ARRAYS_MAX], *got;
    gp_addr on_device[ARRAYS_MAX] = {0}, on_host[ARRAYS_MAX] = {0};
    size_t arrays = array_count(trial), bytes;

    for (size_t i = 0; i < arrays; i++) {
        bytes = (trial->counts[i] + GUARD) * sizeof(float);
        right[i] = malloc(bytes);
        assert_non_null(right[i]);
        draw(right[i], trial->counts[i], (uint32_t)i + 1);
        on_host[i] = (gp_addr)(uintptr_t)right[i];
        gp_assert_ok(gp_device_mem_alloc(device, bytes, &on_device[i], &err), err);
        move(GP_COPY_H2D, on_device[i], on_host[i], bytes);
    }
    launch(trial, on_device, stamp, 0);
    launch(trial, on_host, 0, 1);
    for (size_t i = 0; i < arrays; i++) {
        bytes = (trial->counts[i] + GUARD) * sizeof(float);
        got = malloc(bytes);
        assert_non_null(got);
        move(GP_COPY_D2H, (uint64_t)(uintptr_t)got, on_device[i], bytes);
        compare(trial, i, got, right[i]);
        gp_assert_ok(gp_device_mem_free(device, on_device[i], &err), err);
        free(got);
        free(right[i]);
    }
}

/* Stamped by the block: each says when it ran and where, and nothing behind the last is touched. */
static void check_blocks(const struct trial *trial)
{
    const uint32_t count = trial->grid_x * trial->grid_y;
    const size_t bytes = (count + 1) * sizeof(struct gp_block_stamp);
    struct gp_block_stamp *stamps = malloc(bytes);
    struct gp_error err = {0};
    gp_addr slot;

    assert_non_null(stamps);
    memset(stamps, 0xa5, bytes);
    gp_assert_ok(gp_device_mem_alloc(device, bytes, &slot, &err), err);
    move(GP_COPY_H2D, slot, (uint64_t)(uintptr_t)stamps, bytes);
    check(trial, slot + GP_STAMP_BLOCKS);
    move(GP_COPY_D2H, (uint64_t)(uintptr_t)stamps, slot, bytes);
    for (uint32_t i = 0; i < count; i++) {
        if (stamps[i].end < stamps[i].begin || stamps[i].end - stamps[0].begin > 60000000000u ||
            stamps[i].sm >= (uint32_t)device->info.sm_count) {
            fail_msg("%s: block %u of %u: from %llu to %llu on SM %u", trial->kernel->name, i,
                     count, (unsigned long long)stamps[i].begin, (unsigned long long)stamps[i].end,
                     stamps[i].sm);
        }
    }
    assert_int_equal(stamps[count].begin, UINT64_C(0xa5a5a5a5a5a5a5a5));
    gp_assert_ok(gp_device_mem_free(device, slot, &err), err);
    free(stamps);
}

/* Once plain, then twice stamped: the second of them is warm, and its duration is shown; and by the
 * block. */
static void check_all_ways(const struct trial *trial)
{
    const struct gp_stamp fresh = {UINT64_MAX, 0};
    struct gp_error err = {0};
    struct gp_stamp stamp;
    gp_addr slot;

    gp_assert_ok(gp_device_kernel_prepare(device, trial->kernel, &err), err);
    check(trial, 0);
    gp_assert_ok(gp_device_mem_alloc(device, sizeof stamp, &slot, &err), err);
    for (int i = 0; i < 2; i++) {
        move(GP_COPY_H2D, slot, (uint64_t)(uintptr_t)&fresh, sizeof fresh);
        check(trial, slot);
        move(GP_COPY_D2H, (uint64_t)(uintptr_t)&stamp, slot, sizeof stamp);
        assert_true(stamp.begin != UINT64_MAX && stamp.end >= stamp.begin);
        /* Wide enough for a kernel under compute-sanitizer. */
        assert_true(stamp.end - stamp.begin < 60000000000u);
    }
    gp_assert_ok(gp_device_mem_free(device, slot, &err), err);
    check_blocks(trial);
    print_message("    %-10s %4u x %-3u blocks of %3u: %.1f us\n", trial->kernel->name,
                  trial->grid_x, trial->grid_y, trial->threads,
                  (double)(stamp.end - stamp.begin) / 1000.0);
}

static void check_gemm(uint32_t m, uint32_t n, uint32_t k)
{
    const struct trial trial = {
        &gp_kernel_gemm, n / 64, m / 64, 256, {(size_t)m * k, (size_t)k * n, (size_t)m * n},
        {m, n, k},
    };

    check_all_ways(&trial);
}

static void test_gemm(void **state)
{
    (void)state;
    check_gemm(64, 64, 64);
    check_gemm(128, 192, 320);
    check_gemm(256, 1024, 1024);
}

static void check_matvec(uint32_t m, uint32_t n)
{
    const struct trial trial = {&gp_kernel_matvec,     (m + 7) / 8, 1, 256,
                                {(size_t)m * n, n, m}, {m, n}};

    check_all_ways(&trial);
}

static void test_matvec(void **state)
{
    (void)state;
    check_matvec(1, 1);
    check_matvec(9, 31);
    check_matvec(17, 132);
    check_matvec(257, 1000);
    check_matvec(256, 1024);
}

static void test_one_element_a_thread(void **state)
{
    static const uint32_t counts[] = {1, 255, 256, 257, 100001};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint32_t n = counts[i], blocks = (n + 255) / 256;

        check_all_ways(&(struct trial){&gp_kernel_relu, blocks, 1, 256, {n, n}, {n}});
        check_all_ways(&(struct trial){&gp_kernel_vector_add, blocks, 1, 256, {n, n, n}, {n}});
    }
}

static void test_triad(void **state)
{
    static const uint32_t counts[] = {1, 3, 4, 1023, 4096, 1048579};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint32_t n = counts[i];

        check_all_ways(&(struct trial){&gp_kernel_triad, 3, 1, 512, {n, n, n}, {n, bits(0.3f)}});
        check_all_ways(&(struct trial){&gp_kernel_triad, 132, 1, 96, {n, n, n}, {n, bits(0.3f)}});
    }
}

static void check_fma(const struct gp_kernel *kernel, uint32_t blocks, uint32_t count,
                      uint32_t iterations, float multiplier)
{
    const struct trial trial = {kernel, blocks,  1,
                                256,    {count}, {count, iterations, bits(multiplier)}};

    check_all_ways(&trial);
}

static void test_fma(void **state)
{
    static const struct gp_kernel *const kernels[] = {&gp_kernel_fma_1, &gp_kernel_fma_2,
                                                      &gp_kernel_fma_4};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        check_fma(kernels[i], 1, 1, 0, 1.0f);
        check_fma(kernels[i], 1, 255, 7, 1.0f);
        check_fma(kernels[i], 2, 2049, 8, 1.0f);
        check_fma(kernels[i], 3, 10007, 61, 0.75f);
        /* Alone on an SM each: the facts' 46, 55 and 92 us. */
        check_fma(kernels[i], 132, (132u * 256) << i, 20000, 1.0f);
    }
    /* The kernel of `mixed`: 4 MiB on 64 blocks. */
    check_fma(&gp_kernel_fma_1, 64, 1 << 20, 540, 1.0f);
}

/* A word and nothing, for a while and at once. */
static void test_spin_and_noop(void **state)
{
    (void)state;
    check_all_ways(&(struct trial){&gp_kernel_spin, 1, 1, 32, {1}, {5, 50000}});
    check_all_ways(&(struct trial){&gp_kernel_spin, 7, 1, 1024, {1}, {5, 0}});
    check_all_ways(&(struct trial){&gp_kernel_spin_uneven, 9, 1, 64, {1}, {5, 20000, 30000}});
    check_all_ways(
        &(struct trial){.kernel = &gp_kernel_noop, .grid_x = 3, .grid_y = 1, .threads = 64});
}

static void test_reduce(void **state)
{
    static const uint32_t counts[] = {1, 255, 4096, 100001};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        check_all_ways(&(struct trial){&gp_kernel_reduce, 5, 1, 256, {counts[i], 5}, {counts[i]}});
    }
}

/* A tile that is not a multiple of a block, and the size of `pipeline`. */
static void test_picture(void **state)
{
    static const uint32_t sides[] = {5, 33, 256};

    (void)state;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        uint32_t side = sides[i], n = side * side, blocks = (n + 255) / 256;

        check_all_ways(&(struct trial){
            &gp_kernel_raymarch, blocks, 1, 256, {n}, {side, side, 0, 2 * side, 96}});
        check_all_ways(&(struct trial){
            &gp_kernel_shade, blocks, 1, 256, {n, n}, {side, side, 0, 2 * side, 96}});
    }
}

/* Smaller than a patch, not a multiple of one, and the size of `pipeline`; with neighbours, and
 * alone: one tile stands for all nine; a block for each patch, and a few for all. */
static void test_denoise(void **state)
{
    static const uint32_t sides[] = {2, 33, 256};

    (void)state;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        uint32_t side = sides[i], across = (side + 15) / 16;
        size_t n = (size_t)side * side;

        for (uint32_t blocks = across * across; blocks > 0; blocks /= 7) {
            check_all_ways(&(struct trial){
                &gp_kernel_denoise, blocks, 1, 256, {n, n, n, n, n, n, n, n, n, 4 * n}, {side}});
            check_all_ways(&(struct trial){&gp_kernel_denoise, blocks, 1, 256, {n, 4 * n}, {side}});
        }
    }
}

static void test_ping(void **state)
{
    struct gp_clock_sample first, second;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_device_clock_sample(device, &first, &err), err);
    gp_assert_ok(gp_device_clock_sample(device, &second, &err), err);
    assert_true(first.host_before_ns <= first.host_after_ns);
    assert_true(first.host_after_ns <= second.host_before_ns);
    assert_true(first.device_ns < second.device_ns);
    print_message("    ping: within %.1f us\n",
                  (double)(second.host_after_ns - second.host_before_ns) / 1000.0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_matvec),
        cmocka_unit_test(test_one_element_a_thread),
        cmocka_unit_test(test_triad),
        cmocka_unit_test(test_fma),
        cmocka_unit_test(test_spin_and_noop),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_denoise),
        cmocka_unit_test(test_ping),
    };
    const struct gp_device_options options = {.clock_kernel = &gp_kernel_ping};
    int code, failed;

    if (argc != 2) {
        (void)fprintf(stderr, "usage: test_launch DEVICE\n");
        return 2;
    }
    code = gp_test_open(argv[1], &options, &device, &stream);
    if (code != 0) {
        return code;
    }
    print_message("%s, %s\n", device->info.name, argv[1]);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_message("image: %s %s\n", device->info.image, device->info.image_note);
    gp_test_close(device, stream);
    return failed;
}
