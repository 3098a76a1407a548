/* See orders.h. */
#include "orders.h"

#include <stdlib.h>

void order(const char *orders)
{
    assert_int_equal(setenv("GPUPROBE_FAKE_CUDA", orders, 1), 0);
}

int forget_orders(void **state)
{
    (void)state;
    (void)unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
    (void)unsetenv("CUDA_VISIBLE_DEVICES");
    return unsetenv("GPUPROBE_FAKE_CUDA");
}
