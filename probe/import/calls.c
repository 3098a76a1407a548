/* Host calls by correlation: see calls.h. */
#include "probe/import/calls.h"

#include <assert.h>

#include "probe/memory.h"

enum { BLOCK = 32 };

_Static_assert(GP_SPILL_FRAME_BYTES % sizeof(struct gp_call_entry) == 0, "frames hold whole calls");

/* The slot of the block that has the id, or the free one where it belongs. */
static struct gp_calls_block *slot_of(const struct gp_calls *calls, int64_t pid, uint64_t ids)
{
    uint64_t hash =
        ((uint64_t)pid * UINT64_C(0x9e3779b97f4a7c15) + ids) * UINT64_C(0xff51afd7ed558ccd);
    uint32_t slot = (uint32_t)(hash >> 32) & (calls->slots - 1);

    while (calls->blocks[slot].number != 0 &&
           (calls->blocks[slot].pid != pid || calls->blocks[slot].ids != ids)) {
        slot = (slot + 1) & (calls->slots - 1);
    }
    return &calls->blocks[slot];
}

static void grow(struct gp_calls *calls)
{
    struct gp_calls old = *calls;

    calls->slots = old.slots == 0 ? 256 : old.slots * 2;
    calls->blocks = gp_xalloc(calls->slots, sizeof *calls->blocks);
    for (uint32_t i = 0; i < old.slots; i++) {
        if (old.blocks[i].number != 0) {
            *slot_of(calls, old.blocks[i].pid, old.blocks[i].ids) = old.blocks[i];
        }
    }
    gp_free(old.blocks);
}

static struct gp_call_entry *entry_of(struct gp_calls *calls, const struct gp_calls_block *block,
                                      int64_t correlation)
{
    if (calls->entries.record_bytes == 0) {
        calls->entries.record_bytes = sizeof(struct gp_call_entry);
    }
    return gp_spill_at(&calls->entries,
                       (uint64_t)(block->number - 1) * BLOCK + (uint64_t)correlation % BLOCK);
}

struct gp_call_entry *gp_calls_add(struct gp_calls *calls, int64_t pid, int64_t correlation,
                                   bool *is_new)
{
    uint64_t ids = (uint64_t)correlation / BLOCK;
    struct gp_calls_block *block;
    struct gp_call_entry *entry;

    assert(correlation > 0);
    if (calls->block_count * 2 >= calls->slots) {
        grow(calls);
    }
    block = slot_of(calls, pid, ids);
    if (block->number == 0) {
        *block = (struct gp_calls_block){pid, ids, ++calls->block_count};
    }
    entry = entry_of(calls, block, correlation);
    *is_new = entry != NULL && !entry->used;
    if (entry != NULL) {
        entry->used = true;
    }
    return entry;
}

struct gp_call_entry *gp_calls_find(struct gp_calls *calls, int64_t pid, int64_t correlation)
{
    const struct gp_calls_block *block =
        calls->slots > 0 ? slot_of(calls, pid, (uint64_t)correlation / BLOCK) : NULL;
    struct gp_call_entry *entry =
        block != NULL && block->number != 0 ? entry_of(calls, block, correlation) : NULL;

    return entry != NULL && entry->used ? entry : NULL;
}

int gp_calls_check(const struct gp_calls *calls, struct gp_error *err)
{
    return gp_spill_check(&calls->entries, err);
}

void gp_calls_finish(struct gp_calls *calls)
{
    gp_spill_finish(&calls->entries);
    gp_free(calls->blocks);
    *calls = (struct gp_calls){0};
}
