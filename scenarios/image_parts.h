/* The parts of the reader of kernel files (image.h). Private to it. */
#ifndef GP_SCENARIOS_IMAGE_PARTS_H
#define GP_SCENARIOS_IMAGE_PARTS_H

#include "scenarios/image.h"

/* Each fills in sm and entries from file->bytes. Errors do not name the file. */
int gp_image_read_ptx(struct gp_image_file *file, struct gp_error *err);
int gp_image_read_cubin(struct gp_image_file *file, struct gp_error *err);

/* A new entry without parameters; NULL: too many, or no memory. The name has `length` bytes. */
struct gp_image_entry *gp_image_add(struct gp_image_file *file, const char *name, size_t length,
                                    struct gp_error *err);

/* Takes back what was added last. */
void gp_image_drop_last(struct gp_image_file *file);

#endif
