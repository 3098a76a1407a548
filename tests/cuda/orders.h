/*
 * Orders to the test driver (fakecuda/fake.h), for tests that run on it only.
 */
#ifndef GP_TESTS_CUDA_ORDERS_H
#define GP_TESTS_CUDA_ORDERS_H

#include "fixture.h"

/* Holds from the next cuInit on, so from the next open. */
void order(const char *orders);

/* cmocka teardown: no orders, and no variables that the driver reads. */
int forget_orders(void **state);

/* The refusals, as a group. Returns the number of failures. */
int refusals_run(void);

#endif
