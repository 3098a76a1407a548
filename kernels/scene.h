/*
 * The scene of raymarch and shade: some spheres, seen from the origin, lit from above. Compiled for
 * the device and for the host, with the same operations in the same order, each rounded: so both
 * give the same bits. Whoever compiles it for the device says first what its operations are called.
 */
#ifndef GP_KERNELS_SCENE_H
#define GP_KERNELS_SCENE_H

#ifndef SCENE_INLINE
#include <math.h>
#include <stdint.h>

#define SCENE_INLINE static inline
#define SCENE_ADD(a, b) ((a) + (b))
#define SCENE_MUL(a, b) ((a) * (b))
#define SCENE_DIV(a, b) ((a) / (b))
#define SCENE_SQRT(a) sqrtf(a)
typedef uint32_t u32;
#endif

/* Centre and radius. */
#define SCENE_SPHERES(X)                                                                           \
    X(-1.1f, 0.2f, 3.5f, 0.8f)                                                                     \
    X(0.3f, -0.3f, 2.9f, 0.6f)                                                                     \
    X(1.2f, 0.5f, 4.0f, 0.9f)                                                                      \
    X(-0.4f, 0.9f, 4.6f, 0.7f)                                                                     \
    X(0.7f, -1.2f, 4.4f, 0.8f)                                                                     \
    X(-1.0f, -1.1f, 5.0f, 1.0f)

#define SCENE_FAR 9.0f    /* behind everything */
#define SCENE_NEAR 0.002f /* as close to a sphere as on it */
#define SCENE_STEP 0.4f   /* of the distance that is surely free: a careful walk has more steps */
#define SCENE_MISS 16.0f  /* brightness of the background */
#define SCENE_DARK 48.0f  /* of what the light does not reach */

struct scene_point {
    float x, y, z;
};

SCENE_INLINE float scene_dot(struct scene_point a, struct scene_point b)
{
    return SCENE_ADD(SCENE_ADD(SCENE_MUL(a.x, b.x), SCENE_MUL(a.y, b.y)), SCENE_MUL(a.z, b.z));
}

/* from + t · direction */
SCENE_INLINE struct scene_point scene_along(struct scene_point from, struct scene_point direction,
                                            float t)
{
    struct scene_point at;

    at.x = SCENE_ADD(from.x, SCENE_MUL(t, direction.x));
    at.y = SCENE_ADD(from.y, SCENE_MUL(t, direction.y));
    at.z = SCENE_ADD(from.z, SCENE_MUL(t, direction.z));
    return at;
}

/* From the centre of the nearest sphere, by its radius; *distance is how far its surface is. */
SCENE_INLINE struct scene_point scene_nearest(struct scene_point at, float *distance)
{
    struct scene_point normal = {0.0f, 0.0f, 0.0f};

    *distance = SCENE_FAR;
#define X(cx, cy, cz, radius)                                                                      \
    {                                                                                              \
        struct scene_point from = {SCENE_ADD(at.x, -(cx)), SCENE_ADD(at.y, -(cy)),                 \
                                   SCENE_ADD(at.z, -(cz))};                                        \
        float away = SCENE_ADD(SCENE_SQRT(scene_dot(from, from)), -(radius));                      \
                                                                                                   \
        if (away < *distance) {                                                                    \
            *distance = away;                                                                      \
            normal.x = SCENE_MUL(from.x, 1.0f / (radius));                                         \
            normal.y = SCENE_MUL(from.y, 1.0f / (radius));                                         \
            normal.z = SCENE_MUL(from.z, 1.0f / (radius));                                         \
        }                                                                                          \
    }
    SCENE_SPHERES(X)
#undef X
    return normal;
}

/* Walks until it is on a sphere or too far; SCENE_FAR when nothing was met within the steps. */
SCENE_INLINE float scene_march(struct scene_point from, struct scene_point direction, float t,
                               u32 steps)
{
    for (u32 left = steps; left > 0 && t < SCENE_FAR; left--) {
        float distance;

        (void)scene_nearest(scene_along(from, direction, t), &distance);
        if (distance < SCENE_NEAR) {
            return t;
        }
        t = SCENE_ADD(t, SCENE_MUL(distance, SCENE_STEP));
    }
    return SCENE_FAR;
}

/* Where pixel (x, y) of a square picture of `view` pixels looks; of length 1. */
SCENE_INLINE struct scene_point scene_ray(u32 x, u32 y, u32 view)
{
    float scale = SCENE_DIV(2.0f, (float)view);
    struct scene_point ray;
    float length;

    ray.x = SCENE_ADD(SCENE_MUL(SCENE_ADD((float)x, 0.5f), scale), -1.0f);
    ray.y = SCENE_ADD(SCENE_MUL(SCENE_ADD((float)y, 0.5f), scale), -1.0f);
    ray.z = 1.5f;
    length = SCENE_SQRT(scene_dot(ray, ray));
    ray.x = SCENE_DIV(ray.x, length);
    ray.y = SCENE_DIV(ray.y, length);
    ray.z = SCENE_DIV(ray.z, length);
    return ray;
}

/* How bright, 0 … 255, a whole number, what a ray met at `depth` is: lit, unless a sphere is
 * between it and the light. */
SCENE_INLINE float scene_shade(struct scene_point ray, float depth, u32 steps)
{
    struct scene_point eye = {0.0f, 0.0f, 0.0f};
    struct scene_point light = {0.48f, 0.64f, -0.6f};
    struct scene_point at = scene_along(eye, ray, depth);
    float distance;
    float lit;

    if (!(depth < SCENE_FAR)) {
        return SCENE_MISS;
    }
    lit = SCENE_MUL(scene_dot(scene_nearest(at, &distance), light), 207.0f);
    if (!(lit > 0.0f) || scene_march(at, light, 0.05f, steps) < SCENE_FAR) {
        return SCENE_DARK;
    }
    return SCENE_ADD((float)(u32)lit, SCENE_DARK);
}

#endif
