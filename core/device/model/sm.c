/* Block placement: see sm.h. Room is kept per footprint in bit sets by value, and only for SMs that
 * changed is it computed again, so that placing one block costs the same on any device. */
#include "core/device/model/sm.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* Index of the lowest set bit; word ≠ 0. A de Bruijn sequence tells the isolated bits apart. */
static uint32_t lowest_bit(uint64_t word)
{
    static const uint8_t index[64] = {
        0,  1,  2,  53, 3,  7,  54, 27, 4,  38, 41, 8,  34, 55, 48, 28, 62, 5,  39, 46, 44, 42,
        22, 9,  24, 35, 59, 56, 49, 18, 29, 11, 63, 52, 6,  26, 37, 40, 33, 47, 61, 45, 43, 21,
        23, 58, 17, 10, 51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15, 30, 14, 13, 12};

    assert(word != 0);
    return index[((word & (~word + 1)) * UINT64_C(0x022fdd63cc95386d)) >> 58];
}

void gp_sms_init(struct gp_sms *sms, const struct gp_sm_limits *limits, uint32_t count)
{
    assert(count >= 1 && count <= GP_SMS_MAX && limits->blocks <= GP_SM_BLOCKS_MAX);
    memset(sms, 0, sizeof *sms);
    sms->limits = *limits;
    sms->count = count;
}

static void set_room(struct gp_sm_shape *shape, uint32_t place, uint32_t room)
{
    const uint32_t w = place / 64;
    const uint64_t mask = UINT64_C(1) << place % 64;

    shape->by_room[shape->room[place]][w] &= ~mask;
    shape->with_room[shape->room[place]]--;
    shape->by_room[room][w] |= mask;
    shape->with_room[room]++;
    shape->room[place] = (uint8_t)room;
}

static void refresh(struct gp_sms *sms, struct gp_sm_shape *shape)
{
    for (uint32_t w = 0; w < GP_SM_WORDS; w++) {
        while (shape->stale[w] != 0) {
            uint32_t place = w * 64 + lowest_bit(shape->stale[w]);

            shape->stale[w] &= shape->stale[w] - 1;
            set_room(shape, place,
                     gp_occupancy_room(&sms->limits, &sms->used[place], &shape->footprint));
        }
    }
}

static bool is_of(const struct gp_sm_shape *shape, const struct gp_footprint *footprint)
{
    return shape->used_at > 0 && memcmp(&shape->footprint, footprint, sizeof *footprint) == 0;
}

static struct gp_sm_shape *find_shape(struct gp_sms *sms, const struct gp_footprint *footprint)
{
    struct gp_sm_shape *oldest = &sms->shapes[0];

    sms->clock++;
    for (uint32_t i = 0; i < GP_SM_SHAPES; i++) {
        struct gp_sm_shape *shape = &sms->shapes[i];

        if (shape->used_at > 0 && memcmp(&shape->footprint, footprint, sizeof *footprint) == 0) {
            shape->used_at = sms->clock;
            return shape;
        }
        if (shape->used_at < oldest->used_at) {
            oldest = shape;
        }
    }
    memset(oldest, 0, sizeof *oldest);
    oldest->footprint = *footprint;
    oldest->used_at = sms->clock;
    for (uint32_t place = 0; place < sms->count; place++) {
        uint64_t mask = UINT64_C(1) << place % 64;

        oldest->stale[place / 64] |= mask;
        oldest->by_room[0][place / 64] |= mask;
    }
    oldest->with_room[0] = sms->count;
    return oldest;
}

/* Bits of word `w` whose places lie in the range. */
static uint64_t range_mask(struct gp_sm_range range, uint32_t w)
{
    const uint32_t begin = w * 64;
    uint64_t mask = ~UINT64_C(0);

    if (range.end <= begin || range.first >= begin + 64) {
        return 0;
    }
    if (range.first > begin) {
        mask <<= range.first - begin;
    }
    if (range.end < begin + 64) {
        mask &= (UINT64_C(1) << (range.end - begin)) - 1;
    }
    return mask;
}

int32_t gp_sms_best(struct gp_sms *sms, const struct gp_footprint *footprint,
                    struct gp_sm_range range)
{
    struct gp_sm_shape *shape = find_shape(sms, footprint);

    refresh(sms, shape);
    for (uint32_t room = sms->limits.blocks; room > 0; room--) {
        if (shape->with_room[room] == 0) {
            continue;
        }
        for (uint32_t w = 0; w < GP_SM_WORDS; w++) {
            uint64_t word = shape->by_room[room][w] & range_mask(range, w);

            if (word != 0) {
                return (int32_t)(w * 64 + lowest_bit(word));
            }
        }
    }
    return -1;
}

/* `taken` more blocks of that footprint lie on the SM, fewer when it is negative. For blocks of its
 * own footprint a shape's room changes by just as many; for others it must be computed. */
static void change_room(struct gp_sms *sms, uint32_t place, const struct gp_footprint *footprint,
                        int32_t taken)
{
    const uint64_t mask = UINT64_C(1) << place % 64;

    for (uint32_t i = 0; i < GP_SM_SHAPES; i++) {
        struct gp_sm_shape *shape = &sms->shapes[i];

        if (is_of(shape, footprint) && (shape->stale[place / 64] & mask) == 0) {
            set_room(shape, place, (uint32_t)(shape->room[place] - taken));
        } else {
            shape->stale[place / 64] |= mask;
        }
    }
}

/* Nothing is over its limit with `count` more. */
static bool fits(const struct gp_sm_limits *limits, const struct gp_sm_used *used,
                 const struct gp_footprint *footprint, uint32_t count)
{
    return used->blocks + count <= limits->blocks &&
           used->warps + count * footprint->warps <= limits->warps &&
           used->registers + count * footprint->warps * footprint->warp_registers <=
               limits->registers &&
           used->shared_bytes + count * footprint->shared_bytes <= limits->shared_bytes &&
           used->barriers + count * footprint->barriers <= limits->barriers;
}

void gp_sms_take(struct gp_sms *sms, uint32_t place, const struct gp_footprint *footprint,
                 uint32_t count)
{
    struct gp_sm_used *used = &sms->used[place];

    assert(place < sms->count && fits(&sms->limits, used, footprint, count));
    used->blocks += count;
    used->warps += count * footprint->warps;
    used->registers += count * footprint->warps * footprint->warp_registers;
    used->shared_bytes += count * footprint->shared_bytes;
    used->barriers += count * footprint->barriers;
    change_room(sms, place, footprint, (int32_t)count);
}

void gp_sms_give(struct gp_sms *sms, uint32_t place, const struct gp_footprint *footprint,
                 uint32_t count)
{
    struct gp_sm_used *used = &sms->used[place];

    assert(place < sms->count && used->blocks >= count);
    used->blocks -= count;
    used->warps -= count * footprint->warps;
    used->registers -= count * footprint->warps * footprint->warp_registers;
    used->shared_bytes -= count * footprint->shared_bytes;
    used->barriers -= count * footprint->barriers;
    change_room(sms, place, footprint, -(int32_t)count);
}
