/* Descriptor of watch.cu. */
#include "kernels/descriptor.h"

enum { WORDS, STRIDE, OLD, TIMES, READY };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("words"), GP_WORD_ARG("stride"),   GP_WORD_ARG("old"),
    GP_ADDRESS_ARG("times"), GP_ADDRESS_ARG("ready"),
};

/* No work and no reference: it watches a copy that comes while it runs, which the model, where a
 * copy moves its bytes all at once, does not have. */
const struct gp_kernel gp_kernel_watch = {
    .name = "watch",
    .summary = "says when words of memory changed",
    .symbol = "gp_watch",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 16,
};
