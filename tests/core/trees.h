/*
 * Small operations, DAGs made by hand, and a memory that runs out, for the tests of core.
 */
#ifndef GP_TESTS_CORE_TREES_H
#define GP_TESTS_CORE_TREES_H

#include "core/random.h"
#include "core/schedule.h"

/* A kernel whose only argument is the letter that names it. */
extern const struct gp_kernel gp_test_kernel;

/* The operation of that letter. */
struct gp_op *gp_test_op(struct gp_builder *builder, char letter);

/* and_then of the operations of all letters. */
struct gp_op *gp_test_chain(struct gp_builder *builder, const char *letters);

/* zip of two. */
struct gp_op *gp_test_zip(struct gp_builder *builder, struct gp_op *a, struct gp_op *b);

/* "0>1 chain, 0>2 fork": all edges in order. Valid until the next call. */
const char *gp_test_edges(const struct gp_dag *dag);

/* "ab|c": names by chain. Valid until the next call. */
const char *gp_test_chains(const struct gp_dag *dag);

/* A DAG of `count` operations, each a chain of its own, with edge i>j for i < j as `has` says.
 * Released by gp_test_dag_destroy. */
struct gp_dag *gp_test_dag_create(uint32_t count,
                                  int (*has)(void *user, uint32_t from, uint32_t to), void *user);
void gp_test_dag_destroy(struct gp_dag *dag);

/* 1 to GP_TEST_OPS_MAX memsets of 1.5 to 9.5 µs by estimate, with few to many edges. */
enum { GP_TEST_OPS_MAX = 24 };
struct gp_dag *gp_test_dag_random(struct gp_random *random);

/* Which operations are complete before each begins, as bits, by the rules of streams and events
 * alone; without the step `skipped` (UINT32_MAX: with all). before: one an operation. */
void gp_test_happens_before(const struct gp_schedule *schedule, uint32_t skipped, uint32_t *before);

/* Fails the test unless the order of streams, records and waits alone keeps every edge of the DAG
 * (of at most GP_TEST_OPS_MAX operations), and no wait can be left out. */
void gp_test_check_schedule(const struct gp_schedule *schedule);

/* Fills in a policy that puts operation i on streams[i]; unit op. */
void gp_test_policy_fixed(struct gp_policy *policy, const uint32_t *streams, uint32_t stream_count);

/* Makes the n-th allocation of core from now on fail, and counts what lives; 0: none fails. */
void gp_test_memory_fail_at(uint32_t n);
/* True when the failing allocation was reached. Restores malloc; fails the test on a leak. */
int gp_test_memory_restore(void);

#endif
