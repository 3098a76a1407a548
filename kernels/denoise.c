/* Descriptor of denoise.cu. */
#include "kernels/descriptor.h"

enum { TILES = 9, OWN = 4, OUT = TILES, SIDE };

enum { PATCH = 16, CHANNELS = 4 };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("north_west"), GP_ADDRESS_ARG("north"), GP_ADDRESS_ARG("north_east"),
    GP_ADDRESS_ARG("west"),       GP_ADDRESS_ARG("own"),   GP_ADDRESS_ARG("east"),
    GP_ADDRESS_ARG("south_west"), GP_ADDRESS_ARG("south"), GP_ADDRESS_ARG("south_east"),
    GP_ADDRESS_ARG("out"),        GP_WORD_ARG("side"),
};

/* Two pixels to fetch, each with the choice of its tile, then 25 loads and multiply-adds that
 * follow one another. Measured on an H200 at 1.98 GHz, tiles of 256²: 16, 32 and 64 patches a block
 * take 15.9, 31.4 and 61.9 µs, and a block for each patch 1.5. */
enum { FETCH_ISSUE = 2 * 120, SUM_ISSUE = 25 * 5 + 60, PATCH_CYCLES = 1900 };

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    uint64_t across = gp_divide_up(GP_ARG(launch, SIDE, uint32_t), PATCH);
    uint64_t patches = gp_divide_up(across * across, gp_launch_blocks(launch));

    out->issue = patches * gp_warps(launch) * (FETCH_ISSUE + SUM_ISSUE);
    out->latency_cycles = GP_CYCLES_START + patches * PATCH_CYCLES;
    out->read_bytes = patches * PATCH * PATCH * sizeof(float);
    out->write_bytes = CHANNELS * out->read_bytes;
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
    float(*out)[CHANNELS] = gp_launch_pointer(launch, OUT);
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
        for (int channel = 0; channel < CHANNELS; channel++) {
            out[i][channel] = channel < CHANNELS - 1 ? (float)level : 255.0f;
        }
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
    .registers = 24,
    .shared_bytes = 1672,
    .work = work,
    .reference = reference,
};
