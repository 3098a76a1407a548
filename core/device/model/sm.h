/*
 * The SMs: what is taken on each, and which one gets the next block. The rule is "most room": the
 * SM that could hold the most further blocks of this kernel, the first in the profile's order among
 * equals (measured on Pascal and Turing, Gilman et al. 2020; the order on the H200, measured here).
 * Knows blocks' footprints, not kernels or time.
 */
#ifndef GP_CORE_DEVICE_MODEL_SM_H
#define GP_CORE_DEVICE_MODEL_SM_H

#include "core/device/model/occupancy.h"
#include "core/device/model/profile.h"

enum {
    GP_SM_BLOCKS_MAX = 32,
    GP_SM_WORDS = GP_SMS_MAX / 64,
    GP_SM_SHAPES = 8, /* footprints whose room is kept up to date */
};

/* Places of SMs are positions in the profile's order: place 0 wins ties. */
struct gp_sm_shape {
    struct gp_footprint footprint;
    uint64_t used_at; /* 0: free */
    uint64_t stale[GP_SM_WORDS];
    uint8_t room[GP_SMS_MAX];
    uint64_t by_room[GP_SM_BLOCKS_MAX + 1][GP_SM_WORDS];
    uint32_t with_room[GP_SM_BLOCKS_MAX + 1]; /* how many SMs have exactly that room */
};

struct gp_sms {
    struct gp_sm_limits limits;
    uint32_t count;
    struct gp_sm_used used[GP_SMS_MAX];
    struct gp_sm_shape shapes[GP_SM_SHAPES];
    uint64_t clock; /* counts look-ups, for the oldest shape */
};

/* count SMs of those limits, all empty. */
void gp_sms_init(struct gp_sms *sms, const struct gp_sm_limits *limits, uint32_t count);

/* Places [first, end). */
struct gp_sm_range {
    uint32_t first, end;
};

/* The place in the range for the next block; -1 when it fits nowhere there now. */
int32_t gp_sms_best(struct gp_sms *sms, const struct gp_footprint *footprint,
                    struct gp_sm_range range);

/* Takes and gives back `count` blocks' resources on one SM. */
void gp_sms_take(struct gp_sms *sms, uint32_t place, const struct gp_footprint *footprint,
                 uint32_t count);
/* See gp_sms_take. */
void gp_sms_give(struct gp_sms *sms, uint32_t place, const struct gp_footprint *footprint,
                 uint32_t count);

#endif
