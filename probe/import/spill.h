/*
 * An array of fixed-size records that may be larger than the memory it takes: parts of it that have
 * not been used lately lie in a temporary file that nobody else sees. Best for whoever uses
 * neighbours one after the other.
 */
#ifndef GP_PROBE_IMPORT_SPILL_H
#define GP_PROBE_IMPORT_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum {
    GP_SPILL_FRAMES = 16,
    GP_SPILL_FRAME_BYTES = 1 << 18,
};

/* A part of the array that lies in memory. */
struct gp_spill_frame {
    unsigned char *bytes;
    uint64_t part;
    uint64_t used; /* when, by count */
    bool is_taken;
};

/* Zeroed but for record_bytes, which divides GP_SPILL_FRAME_BYTES: empty. */
struct gp_spill {
    size_t record_bytes;
    struct gp_spill_frame frames[GP_SPILL_FRAMES];
    uint32_t last; /* the frame that was used last */
    uint64_t clock;
    uint64_t part_count; /* parts that ever were in memory: later ones are zero */
    int file;            /* + 1; 0: none yet */
    struct gp_error failure;
};

/* The record of that index, zeroed when it is new; valid until the next is asked for. NULL: the
 * file cannot be written or read, which gp_spill_check tells; all later ones are NULL too. */
void *gp_spill_at(struct gp_spill *spill, uint64_t index);

/* 0, or the first failure: GP_EIO. */
int gp_spill_check(const struct gp_spill *spill, struct gp_error *err);

/* Takes a zeroed struct. */
void gp_spill_finish(struct gp_spill *spill);

#endif
