/*
 * A field of numbers that kernels add to: the data of scenarios in which only the order and the
 * length of operations matter. Each operation adds a whole number to every element of a range, by
 * that many dependent multiply-adds, so that it takes a known time and a lost or early one shows in
 * the sum. What must come out adds up while operations are built. Private to scenarios/.
 */
#ifndef GP_SCENARIOS_FIELD_H
#define GP_SCENARIOS_FIELD_H

#include "scenarios/scenario.h"

/* Sums stay exact up to 2^24; below 2^22 the host reference is quick. */
enum { GP_FIELD_SUM_MAX = 1 << 22, GP_FIELD_FIRST_MAX = 15 };

struct gp_field {
    struct gp_buffer *data; /* on the device: [count] */
    uint32_t count;         /* floats */
    float *first;           /* [count]: what a run begins with */
    float *right;           /* [count]: what it must end with */
    float *room;            /* [count] */
};

/* One operation: `blocks` of `threads` on the floats [at, at + count), each `iterations` times. */
struct gp_field_work {
    uint32_t at, count;
    uint32_t blocks, threads;
    uint32_t iterations;
};

/* The multiply-adds that take a thread that long, in µs on an H200 at 1.98 GHz; at least 1. */
uint32_t gp_field_iterations(int64_t us);

/* GP_EINVAL when `operations` on the same element, each of `us`, do not add up exactly. `owner` is
 * the scenario. */
int gp_field_check(const char *owner, int64_t operations, int64_t us, struct gp_error *err);

/* Makes a field of `count` small numbers. */
int gp_field_init(struct gp_field *field, struct gp_workload *workload, uint64_t count,
                  struct gp_error *err);

/* Builds one operation, and counts it in what must come out: build each once. name NULL: the
 * kernel's. */
struct gp_op *gp_field_add(const struct gp_field *field, struct gp_builder *builder,
                           const char *name, const struct gp_field_work *work);

/* reset, verify and teardown of a scenario whose state begins with its struct gp_field. */
int gp_field_reset(struct gp_workload *workload, struct gp_error *err);
int gp_field_verify(struct gp_workload *workload, struct gp_error *err);
void gp_field_teardown(struct gp_workload *workload);

#endif
