/* Descriptor of denoise.cu. */
#include "kernels/descriptor.h"

enum { TILES = 9, OWN = 4, OUT = TILES, SIDE };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("north_west"), GP_ADDRESS_ARG("north"), GP_ADDRESS_ARG("north_east"),
    GP_ADDRESS_ARG("west"),       GP_ADDRESS_ARG("own"),   GP_ADDRESS_ARG("east"),
    GP_ADDRESS_ARG("south_west"), GP_ADDRESS_ARG("south"), GP_ADDRESS_ARG("south_east"),
    GP_ADDRESS_ARG("out"),        GP_WORD_ARG("side"),
};

/* Two pixels to fetch, each with the choice of its tile, then 25 loads and multiply-adds that
 * follow one another. On an H200
 * a tile of 256² takes 1.6 µs, two blocks an SM, and one block alone 0.75. */
enum { FETCH_ISSUE = 2 * 120, SUM_ISSUE = 25 * 5 + 60, SUM_CYCLES = 25 * 4 + 60 };

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    out->issue = gp_warps(launch) * (FETCH_ISSUE + SUM_ISSUE);
    out->latency_cycles = GP_CYCLES_START + 2 * GP_CYCLES_LOAD + SUM_CYCLES;
    out->read_bytes = gp_launch_threads(launch) * sizeof(float);
    out->write_bytes = out->read_bytes;
}

/* A coordinate beyond [0, side) as the one in that neighbour, or as the border's. */
static int64_t inside(int64_t at, int64_t side, int is_own)
{
    if (at < 0) {
        return is_own ? 0 : at + side;
    }
    if (at >= side) {
        return is_own ? side - 1 : at - side;
    }
    return at;
}

static float pixel(const float *const *tiles, int64_t side, int64_t x, int64_t y)
{
    int64_t row = y < 0 ? 0 : y < side ? 1 : 2;
    int64_t column = x < 0 ? 0 : x < side ? 1 : 2;
    const float *tile = tiles[row * 3 + column];
    int is_own = tile == tiles[OWN];

    return tile[inside(y, side, is_own) * side + inside(x, side, is_own)];
}

static void reference(const struct gp_launch *launch)
{
    static const int weights[5] = {1, 4, 6, 4, 1};
    const float *tiles[TILES];
    uint32_t *out = gp_launch_pointer(launch, OUT);
    int64_t side = GP_ARG(launch, SIDE, uint32_t);

    for (uint32_t i = 0; i < TILES; i++) {
        tiles[i] = gp_launch_pointer(launch, i);
    }
    for (int64_t i = 0; i < side * side; i++) {
        float sum = 0.0f;
        uint32_t level;

        for (int y = 0; y < 5; y++) {
            for (int x = 0; x < 5; x++) {
                sum += (float)(weights[x] * weights[y]) *
                       pixel(tiles, side, i % side + x - 2, i / side + y - 2);
            }
        }
        level = (uint32_t)(sum > 0.0f ? sum : 0.0f) / 256;
        out[i] = 0xff000000u | level << 16 | level << 8 | level;
    }
}

const struct gp_kernel gp_kernel_denoise = {
    .name = "denoise",
    .summary = "5 × 5 binomial filter over a tile and its neighbours' borders",
    .symbol = "gp_denoise",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 27,
    .shared_bytes = 1672,
    .work = work,
    .reference = reference,
};
