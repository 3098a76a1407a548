/* Descriptors, the image's frame, and host references against the plain definition of each kernel.
 */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/reference.h"

/* ---- arrays of small integers -------------------------------------------------------------- */

static float *integers(size_t count, uint32_t seed)
{
    float *values = malloc((count + 1) * sizeof *values);

    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 28) - 8.0f;
    }
    return values;
}

static gp_addr address(const void *pointer)
{
    return (gp_addr)(uintptr_t)pointer;
}

static uint32_t bits(float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof word);
    return word;
}

static void compare(const float *got, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bits(got[i]) != bits(expected[i])) {
            fail_msg("element %zu: got %g, expected %g", i, (double)got[i], (double)expected[i]);
        }
    }
}

/* Runs the host reference of a launch; for kernels whose work needs no exact grid. */
static void compute(const struct gp_kernel *kernel, const void *const *args)
{
    const struct gp_launch launch = {
        .kernel = kernel, .grid = {1, 1, 1}, .block = {256, 1, 1}, .args = args};

    kernel->reference(&launch);
}

/* ---- references ---------------------------------------------------------------------------- */

static void check_gemm(uint32_t m, uint32_t n, uint32_t k)
{
    float *a = integers((size_t)m * k, 1), *b = integers((size_t)k * n, 2);
    float *c = integers((size_t)m * n, 3), *expected = integers((size_t)m * n, 4);
    gp_addr addresses[] = {address(a), address(b), address(c)};
    const void *args[] = {&addresses[0], &addresses[1], &addresses[2], &m, &n, &k};

    for (uint32_t i = 0; i < m; i++) {
        for (uint32_t j = 0; j < n; j++) {
            float sum = 0.0f;

            for (uint32_t p = 0; p < k; p++) {
                sum += a[i * k + p] * b[p * n + j];
            }
            expected[i * n + j] = sum;
        }
    }
    compute(&gp_kernel_gemm, args);
    compare(c, expected, (size_t)m * n);
    free(a);
    free(b);
    free(c);
    free(expected);
}

static void test_gemm(void **state)
{
    (void)state;
    check_gemm(64, 64, 64);
    check_gemm(128, 64, 192);
    check_gemm(64, 256, 128);
}

static void check_matvec(uint32_t m, uint32_t n)
{
    float *a = integers((size_t)m * n, 5), *x = integers(n, 6);
    float *y = integers(m, 7), *expected = integers(m, 8);
    gp_addr addresses[] = {address(a), address(x), address(y)};
    const void *args[] = {&addresses[0], &addresses[1], &addresses[2], &m, &n};

    for (uint32_t i = 0; i < m; i++) {
        expected[i] = 0.0f;
        for (uint32_t j = 0; j < n; j++) {
            expected[i] += a[i * n + j] * x[j];
        }
    }
    compute(&gp_kernel_matvec, args);
    compare(y, expected, m);
    free(a);
    free(x);
    free(y);
    free(expected);
}

static void test_matvec(void **state)
{
    (void)state;
    check_matvec(1, 1);
    check_matvec(9, 31);
    check_matvec(17, 132);
    check_matvec(64, 1024);
}

static void test_relu(void **state)
{
    const float x[] = {-1.5f, 2.0f, -0.0f, 0.0f, NAN, 7.0f};
    const float expected[] = {0.0f, 2.0f, 0.0f, 0.0f, 0.0f, 7.0f};
    float y[6];
    gp_addr from = address(x), to = address(y);
    uint32_t count = 6;
    const void *args[] = {&from, &to, &count};

    (void)state;
    compute(&gp_kernel_relu, args);
    compare(y, expected, count);
}

static void test_vector_add_and_triad(void **state)
{
    uint32_t count = 1001;
    float s = 0.3f;
    float *b = integers(count, 9), *c = integers(count, 10), *a = integers(count, 11);
    float *expected = integers(count, 12);
    gp_addr to = address(a), first = address(b), second = address(c);
    const void *add_args[] = {&first, &second, &to, &count};
    const void *triad_args[] = {&to, &first, &second, &count, &s};

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        expected[i] = b[i] + c[i];
    }
    compute(&gp_kernel_vector_add, add_args);
    compare(a, expected, count);
    for (uint32_t i = 0; i < count; i++) {
        volatile float product = s * c[i];

        expected[i] = b[i] + product;
    }
    compute(&gp_kernel_triad, triad_args);
    compare(a, expected, count);
    free(a);
    free(b);
    free(c);
    free(expected);
}

/* The short cuts of the reference against one multiply-add after another. */
static void check_fma(float first, uint32_t iterations, float multiplier)
{
    uint32_t count = 37;
    float *data = integers(count, 13), *expected = integers(count, 13);
    gp_addr at = address(data);
    const void *args[] = {&at, &count, &iterations, &multiplier};

    data[3] = first;
    expected[3] = first;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t n = 0; n < iterations; n++) {
            expected[i] = fmaf(expected[i], multiplier, multiplier);
        }
    }
    compute(&gp_kernel_fma_2, args);
    for (uint32_t i = 0; i < count; i++) {
        if (!isnan(expected[i]) || !isnan(data[i])) {
            compare(data + i, expected + i, 1);
        }
    }
    free(data);
    free(expected);
}

static void test_fma(void **state)
{
    (void)state;
    check_fma(4.0f, 0, 1.0f);
    check_fma(-0.0f, 0, 1.0f);
    check_fma(-0.0f, 1, 1.0f);
    check_fma(4.0f, 543, 1.0f);
    check_fma(-4194304.0f, 1000, 1.0f);
    check_fma(16777215.0f, 7, 1.0f); /* leaves what is exact */
    check_fma(2.5f, 100, 1.0f);
    check_fma(NAN, 100, 1.0f);
    check_fma(INFINITY, 10, 1.0f);
    check_fma(3.0f, 100, 0.25f);
    check_fma(3.0f, 1000, 0.5f);
    check_fma(3.0f, 1000, -1.0f);
    check_fma(3.0f, 50, 1.5f);
}

static void test_spin_shows_the_order(void **state)
{
    uint32_t word = 7, ns = 1000, first = 3, second = 4;
    gp_addr at = address(&word);
    const void *first_args[] = {&at, &first, &ns};
    const void *second_args[] = {&at, &second, &ns};
    uint32_t there;

    (void)state;
    compute(&gp_kernel_spin, first_args);
    assert_int_equal(word, gp_spin_mix(7, 3));
    compute(&gp_kernel_spin, second_args);
    there = word;
    word = 7;
    compute(&gp_kernel_spin, second_args);
    compute(&gp_kernel_spin, first_args);
    assert_int_not_equal(word, there);
}

/* Three blocks see every element once. */
static void test_reduce(void **state)
{
    enum { COUNT = 3 * 256 * 2 + 77, BLOCKS = 3 };
    float *x = integers(COUNT, 14);
    float sums[BLOCKS], expected[BLOCKS] = {0};
    uint32_t count = COUNT;
    gp_addr from = address(x), to = address(sums);
    const void *args[] = {&from, &to, &count};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_reduce, .grid = {BLOCKS, 1, 1}, .block = {256, 1, 1}, .args = args};

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        expected[i / 256 % BLOCKS] += x[i];
    }
    gp_kernel_reduce.reference(&launch);
    compare(sums, expected, BLOCKS);
    free(x);
}

enum { VIEW = 64 };

/* Depth and brightness of a whole small picture. */
static void draw(float *depth, float *color)
{
    uint32_t side = VIEW, at = 0, steps = 400;
    gp_addr depth_at = address(depth), color_at = address(color);
    const void *march_args[] = {&depth_at, &side, &at, &at, &side, &steps};
    const void *shade_args[] = {&depth_at, &color_at, &side, &at, &at, &side, &steps};

    compute(&gp_kernel_raymarch, march_args);
    compute(&gp_kernel_shade, shade_args);
}

/* The second sphere by itself: where a ray meets it, solved instead of walked. */
static void test_rays_meet_spheres_where_they_should(void **state)
{
    static const double center[3] = {0.3, -0.3, 2.9};
    static const double radius = 0.6;
    float depth[VIEW * VIEW], color[VIEW * VIEW];
    uint32_t met = 0;

    (void)state;
    draw(depth, color);
    for (uint32_t i = 0; i < VIEW * VIEW; i++) {
        uint32_t column = i % VIEW, row = i / VIEW;
        double x = (column + 0.5) * 2 / VIEW - 1, y = (row + 0.5) * 2 / VIEW - 1;
        double length = sqrt(x * x + y * y + 1.5 * 1.5);
        double along = (x * center[0] + y * center[1] + 1.5 * center[2]) / length;
        double away = center[0] * center[0] + center[1] * center[1] + center[2] * center[2];
        double root = radius * radius - (away - along * along);

        /* Well inside its outline, where nothing stands before it. */
        if (root > 0.1) {
            assert_true(fabs(depth[i] - (along - sqrt(root))) < 0.01);
            met++;
        }
        assert_true(color[i] >= 16.0f && color[i] <= 255.0f && color[i] == floorf(color[i]));
        assert_true((depth[i] < 9.0f) == (color[i] != 16.0f));
    }
    assert_true(met > 50);
    assert_true(depth[0] == 9.0f);
}

/* A picture of 3 × 3 tiles, by the plain definition. */
enum { TILE = 7, PICTURE = 3 * TILE };

static float tiles[9][TILE * TILE];

/* Brightness at a place of the picture, as the tile that begins at (left, top) sees it: beyond the
 * picture are its own border's pixels. */
static uint32_t level_at(int left, int top, int x, int y)
{
    if (x < 0 || x >= PICTURE || y < 0 || y >= PICTURE) {
        x = x < left ? left : x < left + TILE ? x : left + TILE - 1;
        y = y < top ? top : y < top + TILE ? y : top + TILE - 1;
    }
    return (uint32_t)tiles[y / TILE * 3 + x / TILE][y % TILE * TILE + x % TILE];
}

static uint32_t filtered(int left, int top, int x, int y)
{
    static const uint32_t weights[5] = {1, 4, 6, 4, 1};
    uint32_t sum = 0;

    for (int dy = 0; dy < 5; dy++) {
        for (int dx = 0; dx < 5; dx++) {
            sum += weights[dx] * weights[dy] * level_at(left, top, x + dx - 2, y + dy - 2);
        }
    }
    return sum / 256;
}

/* The tile at (column, row); what is beyond the picture is the tile itself. */
static void denoise(int column, int row, float *out)
{
    gp_addr addresses[10];
    uint32_t side = TILE;
    const void *args[11] = {[10] = &side};

    for (int i = 0; i < 9; i++) {
        int x = column + i % 3 - 1, y = row + i / 3 - 1;
        bool is_there = x >= 0 && x < 3 && y >= 0 && y < 3;

        addresses[i] = address(tiles[is_there ? y * 3 + x : row * 3 + column]);
        args[i] = &addresses[i];
    }
    addresses[9] = address(out);
    args[9] = &addresses[9];
    compute(&gp_kernel_denoise, args);
}

static void test_denoise_takes_borders_from_neighbours(void **state)
{
    float out[TILE * TILE][4];

    (void)state;
    for (uint32_t i = 0; i < 9 * TILE * TILE; i++) {
        tiles[i / (TILE * TILE)][i % (TILE * TILE)] = (float)(i * 37 % 256);
    }
    for (int tile = 0; tile < 9; tile++) {
        denoise(tile % 3, tile / 3, out[0]);
        for (int i = 0; i < TILE * TILE; i++) {
            int left = tile % 3 * TILE, top = tile / 3 * TILE;
            float level = (float)filtered(left, top, left + i % TILE, top + i / TILE);
            float right[4] = {level, level, level, 255.0f};

            assert_memory_equal(out[i], right, sizeof right);
        }
    }
}

/* ---- descriptors --------------------------------------------------------------------------- */

static void test_table(void **state)
{
    (void)state;
    assert_int_equal(gp_kernel_table_count, 17);
    for (size_t i = 0; i < gp_kernel_table_count; i++) {
        const struct gp_kernel *kernel = gp_kernel_table[i];
        char entry[64];

        assert_ptr_equal(gp_kernel_find(kernel->name), kernel);
        assert_true(kernel->arg_count <= GP_KERNEL_ARGS_MAX);
        assert_true(kernel->stamped);
        assert_ptr_equal(kernel->image, &gp_kernels_image);
        (void)snprintf(entry, sizeof entry, ".visible .entry %s(", kernel->symbol);
        if (strstr(kernel->image->ptx, entry) == NULL) {
            fail_msg("the PTX has no entry %s", kernel->symbol);
        }
        /* One parameter more than the descriptor lists: the stamp slot, an address. */
        (void)snprintf(entry, sizeof entry, ".param .u64 %s_param_%u\n)", kernel->symbol,
                       kernel->arg_count);
        if (strstr(kernel->image->ptx, entry) == NULL) {
            fail_msg("%s: the last parameter is not number %u", kernel->name, kernel->arg_count);
        }
    }
    assert_null(gp_kernel_find("gem"));
}

static void test_image(void **state)
{
    const struct gp_image *image = &gp_kernels_image;

    (void)state;
    assert_string_equal(image->name, "kernels");
    assert_int_equal(strlen(image->ptx) + 1, image->ptx_bytes);
    assert_non_null(strstr(image->ptx, ".version 6.3\n.target sm_70\n"));
    if (image->fatbin == NULL) {
        assert_int_equal(image->fatbin_bytes, 0);
    } else {
        uint32_t magic;

        assert_true(image->fatbin_bytes > 1000);
        memcpy(&magic, image->fatbin, sizeof magic);
        assert_int_equal(magic, 0xba55ed50u);
    }
}

/* Microseconds of one block of 256 threads among `per_sm` alike on an SM of an H200, by its work.
 */
static double modelled_us(const struct gp_kernel *kernel, uint32_t per_sm)
{
    uint32_t blocks = per_sm * 132, iterations = 20000;
    uint32_t chains = kernel == &gp_kernel_fma_4 ? 4 : kernel == &gp_kernel_fma_2 ? 2 : 1;
    uint32_t count = blocks * 256 * chains;
    gp_addr data = 0;
    float multiplier = 1.0f;
    const void *args[] = {&data, &count, &iterations, &multiplier};
    const struct gp_launch launch = {
        .kernel = kernel, .grid = {blocks, 1, 1}, .block = {256, 1, 1}, .args = args};
    struct gp_work work = {0};
    double cycles;

    kernel->work(&launch, &work);
    cycles = (double)work.issue * per_sm / 4.0;
    if (cycles < (double)work.latency_cycles) {
        cycles = (double)work.latency_cycles;
    }
    return cycles / 1980.0;
}

static void check_curve(const struct gp_kernel *kernel, const double *measured_us)
{
    for (uint32_t i = 0; i < 4; i++) {
        double us = modelled_us(kernel, 1u << i);

        if (fabs(us / measured_us[i] - 1.0) > 0.15) {
            fail_msg("%s, %u blocks an SM: %.1f us, measured %.1f", kernel->name, 1u << i, us,
                     measured_us[i]);
        }
    }
}

/* The measured issue-rate curve: 20 000 iterations, 1, 2, 4, 8 blocks an SM. Where latency and
 * issue add up (one block, two chains) the model's larger of both is below it, so within 15 %. */
static void test_fma_work_follows_the_measured_curve(void **state)
{
    (void)state;
    check_curve(&gp_kernel_fma_1, (const double[]){45.8, 53.8, 106.5, 205.2});
    check_curve(&gp_kernel_fma_2, (const double[]){49.1, 92.5, 181.9, 360.8});
    check_curve(&gp_kernel_fma_4, (const double[]){83.7, 170.3, 338.6, 680.0});
}

static void test_gemm_work(void **state)
{
    uint32_t m = 256, n = 1024, k = 1024;
    gp_addr none = 0;
    const void *args[] = {&none, &none, &none, &m, &n, &k};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_gemm, .grid = {16, 4, 1}, .block = {256, 1, 1}, .args = args};
    struct gp_work work = {0};

    (void)state;
    gp_kernel_gemm.work(&launch, &work);
    /* 16 multiply-adds a thread and step of k at the least, and the block's share of the traffic.
     */
    assert_true(work.issue >= 8ull * 1024 * 16);
    assert_int_equal(work.read_bytes * 64, 4ull * (256 * 1024 + 1024 * 1024));
    assert_int_equal(work.write_bytes, 64 * 64 * 4);
    assert_in_range(work.latency_cycles, work.issue / 4, 60 * 1980);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_matvec),
        cmocka_unit_test(test_relu),
        cmocka_unit_test(test_vector_add_and_triad),
        cmocka_unit_test(test_fma),
        cmocka_unit_test(test_spin_shows_the_order),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_rays_meet_spheres_where_they_should),
        cmocka_unit_test(test_denoise_takes_borders_from_neighbours),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_image),
        cmocka_unit_test(test_fma_work_follows_the_measured_curve),
        cmocka_unit_test(test_gemm_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
