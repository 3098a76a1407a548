/* An array with parts in a file: see spill.h. */
#include "probe/import/spill.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/import/scratch.h"
#include "probe/memory.h"

static void fail(struct gp_spill *spill, const char *what)
{
    if (spill->failure.code == 0) {
        (void)gp_fail(&spill->failure, GP_EIO, "a temporary file cannot be %s: %s", what,
                      errno != 0 ? strerror(errno) : "it ends too early");
    }
}

static bool write_part(struct gp_spill *spill, const struct gp_spill_frame *frame)
{
    size_t done = 0;

    if (spill->file == 0) {
        int file = gp_scratch_file(&spill->failure);

        spill->file = file >= 0 ? file + 1 : 0;
    }
    while (spill->failure.code == 0 && done < GP_SPILL_FRAME_BYTES) {
        ssize_t got = pwrite(spill->file - 1, frame->bytes + done, GP_SPILL_FRAME_BYTES - done,
                             (off_t)(frame->part * GP_SPILL_FRAME_BYTES + done));

        if (got > 0) {
            done += (size_t)got;
        } else if (errno != EINTR) {
            fail(spill, "written");
        }
    }
    return spill->failure.code == 0;
}

static bool read_part(struct gp_spill *spill, struct gp_spill_frame *frame)
{
    size_t done = 0;

    while (done < GP_SPILL_FRAME_BYTES) {
        ssize_t got = pread(spill->file - 1, frame->bytes + done, GP_SPILL_FRAME_BYTES - done,
                            (off_t)(frame->part * GP_SPILL_FRAME_BYTES + done));

        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            errno = got == 0 ? 0 : errno;
            fail(spill, "read");
            return false;
        }
    }
    return true;
}

/* The frame that was not used for the longest time. */
static uint32_t find_oldest(const struct gp_spill *spill)
{
    uint32_t oldest = 0;

    for (uint32_t i = 1; i < GP_SPILL_FRAMES; i++) {
        if (spill->frames[i].used < spill->frames[oldest].used) {
            oldest = i;
        }
    }
    return oldest;
}

/* Brings a part into memory. */
static bool load(struct gp_spill *spill, uint64_t part)
{
    struct gp_spill_frame *frame;

    spill->last = find_oldest(spill);
    frame = &spill->frames[spill->last];
    if (frame->is_taken && !write_part(spill, frame)) {
        return false;
    }
    if (frame->bytes == NULL) {
        frame->bytes = gp_xalloc(GP_SPILL_FRAME_BYTES, 1);
    }
    frame->part = part;
    frame->is_taken = true;
    if (part < spill->part_count) {
        return read_part(spill, frame);
    }
    memset(frame->bytes, 0, GP_SPILL_FRAME_BYTES);
    return true;
}

static bool is_there(const struct gp_spill *spill, uint32_t index, uint64_t part)
{
    return spill->frames[index].is_taken && spill->frames[index].part == part;
}

void *gp_spill_at(struct gp_spill *spill, uint64_t index)
{
    uint64_t each = GP_SPILL_FRAME_BYTES / spill->record_bytes;
    uint64_t part = index / each;
    struct gp_spill_frame *frame;

    /* Parts come into being one after the other, so that those in the file are whole. */
    assert(part <= spill->part_count);
    for (uint32_t i = 0; i < GP_SPILL_FRAMES && !is_there(spill, spill->last, part); i++) {
        spill->last = is_there(spill, i, part) ? i : spill->last;
    }
    if (spill->failure.code != 0 || (!is_there(spill, spill->last, part) && !load(spill, part))) {
        return NULL;
    }
    spill->part_count += part == spill->part_count;
    frame = &spill->frames[spill->last];
    frame->used = ++spill->clock;
    return frame->bytes + index % each * spill->record_bytes;
}

int gp_spill_check(const struct gp_spill *spill, struct gp_error *err)
{
    if (spill->failure.code != 0 && err != NULL) {
        *err = spill->failure;
    }
    return spill->failure.code;
}

void gp_spill_finish(struct gp_spill *spill)
{
    for (uint32_t i = 0; i < GP_SPILL_FRAMES; i++) {
        gp_free(spill->frames[i].bytes);
    }
    if (spill->file != 0) {
        (void)close(spill->file - 1);
    }
    *spill = (struct gp_spill){0};
}
