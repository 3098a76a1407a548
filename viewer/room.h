/*
 * Whether the machine has the memory that explaining a large run takes.
 */
#ifndef GP_VIEWER_ROOM_H
#define GP_VIEWER_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum {
    GP_ROOM_ROWS = 260,   /* bytes an operation: whole rows of a run, for the figures of its cell */
    GP_ROOM_CAUSES = 640, /* the same with what finding causes and advice takes besides */
    GP_OFFER_BYTES = 200, /* of what gp_room_tell says */
    GP_ROOM_UNASKED = 2000000 /* operations of a run up to which these are looked for unasked */
};

/* Says of more than that why nothing was done yet. `what` begins the sentence: "Causes were". */
void gp_room_tell(const char *what, uint64_t op_count, char *text, size_t size);

/* GP_EUNSUPPORTED, with what to do: so many operations of so many bytes each would take more than
 * half of what is available. `what` begins the sentence: "causes are". */
int gp_room_judge(const char *what, uint64_t op_count, uint64_t op_bytes, uint64_t available,
                  struct gp_error *err);

/* The same, of this machine at this moment; where that cannot be told there is room. */
int gp_room_check(const char *what, uint64_t op_count, uint64_t op_bytes, struct gp_error *err);

#endif
