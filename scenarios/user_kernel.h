/*
 * Descriptors of kernels that come from files. A device keeps what it loaded by the descriptor's
 * address (core/kernel.h), so that one stays for as long as the process: the same for the same
 * kernel. Private to scenarios/.
 */
#ifndef GP_SCENARIOS_USER_KERNEL_H
#define GP_SCENARIOS_USER_KERNEL_H

#include "core/kernel.h"
#include "scenarios/image.h"
#include "scenarios/launch_spec.h"

/* The descriptor of that kernel of the file with arguments of those kinds. On the model each of its
 * blocks takes `us` and leaves its buffers as they are. Any thread. NULL: out of memory. */
const struct gp_kernel *gp_user_kernel(const struct gp_image_file *file,
                                       const struct gp_image_entry *entry,
                                       const struct gp_launch_spec *spec, uint32_t us);

#endif
