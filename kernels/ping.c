/* Descriptor of ping.cu. */
#include "kernels/descriptor.h"

enum { REQUEST, ACK, TIMES, ROUNDS };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("request"),
    GP_ADDRESS_ARG("ack"),
    GP_ADDRESS_ARG("times"),
    GP_WORD_ARG("rounds"),
};

/* No work and no reference: it computes nothing, it talks to a host that must be there at the same
 * time. The model knows both of its clocks without it. */
const struct gp_kernel gp_kernel_ping = {
    .name = "ping",
    .summary = "answers the host with the device's clock",
    .symbol = "gp_ping",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 14,
};
