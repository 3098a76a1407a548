/*
 * How fast blocks run beside others: issue slots of an SM and bandwidth of the memory. Pure
 * functions of the profile's curves; integer arithmetic, scaled by 2^16 (…_q16).
 *
 * Measured on an H200: compute-bound blocks slow down by their SM's issue demand (issue_curve) and
 * the older kernel gets more; memory-bound blocks leave compute-bound ones alone but are slowed by
 * their issue demand (memory_slowdown_curve); the memory serves blocks in equal parts, of a total
 * that grows with their number (memory_curve).
 */
#ifndef GP_CORE_DEVICE_MODEL_SHARE_H
#define GP_CORE_DEVICE_MODEL_SHARE_H

#include <stdbool.h>

#include "core/device/model/profile.h"
#include "core/kernel.h"

#define GP_ONE_Q16 INT64_C(65536)

/* What a block wants when it is alone on its SM. */
struct gp_block_cost {
    int64_t time_q16;     /* ns that it takes then */
    int64_t spin_ns;      /* and at least this, whatever else is resident */
    uint32_t spread_ns;   /* and of that, blocks up to this much more, each its own */
    int64_t pressure_q16; /* part of its SM's issue slots, at that speed */
    int64_t weight_q16;   /* blocks of memory_curve that it stands for; 0: no memory */
    int64_t demand_q16;   /* bytes a ns, at that speed */
    bool is_memory_bound;
};

/* From a kernel's work per block of `warps` ≥ 1 warps. */
void gp_share_cost(const struct gp_profile *profile, const struct gp_work *work, uint32_t warps,
                   struct gp_block_cost *out);

/* One kernel's blocks on one SM. */
struct gp_share_user {
    int64_t pressure_q16; /* of all of them */
    bool is_memory_bound;
    int64_t speed_q16; /* result: 2^16 is as fast as alone */
};

/* Fills the speeds that the issue slots allow; users are sorted from the oldest kernel. */
void gp_share_sm(const struct gp_profile *profile, struct gp_share_user *users, uint32_t count);

/* One kernel's blocks on the whole device. */
struct gp_share_flow {
    int64_t weight_q16;
    int64_t demand_q16;
    bool is_satisfied; /* result: gets all that it wants */
};

/* Bytes a ns that the memory gives to each unit of weight of those who are not satisfied; INT64_MAX
 * when all are. */
int64_t gp_share_memory(const struct gp_profile *profile, struct gp_share_flow *flows,
                        uint32_t count);

/* The speed that this leaves to a block of that cost. */
int64_t gp_share_memory_speed(const struct gp_block_cost *cost, int64_t cap_q16);

#endif
