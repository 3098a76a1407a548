/* Remembered results: see memo.h. */
#include "core/device/model/memo.h"

#include <assert.h>
#include <stddef.h>

#include "core/memory.h"

static struct gp_memo_entry **bucket_of(struct gp_memo *memo, struct gp_hash key)
{
    return &memo->buckets[key.lo % GP_MEMO_BUCKETS];
}

static void unlink_use(struct gp_memo *memo, struct gp_memo_entry *entry)
{
    if (entry->newer != NULL) {
        entry->newer->older = entry->older;
    } else {
        memo->newest = entry->older;
    }
    if (entry->older != NULL) {
        entry->older->newer = entry->newer;
    } else {
        memo->oldest = entry->newer;
    }
}

static void link_newest(struct gp_memo *memo, struct gp_memo_entry *entry)
{
    entry->newer = NULL;
    entry->older = memo->newest;
    if (entry->older != NULL) {
        entry->older->newer = entry;
    } else {
        memo->oldest = entry;
    }
    memo->newest = entry;
}

static void drop_oldest(struct gp_memo *memo)
{
    struct gp_memo_entry *entry = memo->oldest;
    struct gp_memo_entry **link = bucket_of(memo, entry->key);

    while (*link != entry) {
        link = &(*link)->next;
    }
    *link = entry->next;
    unlink_use(memo, entry);
    memo->bytes -= entry->bytes;
    gp_free(entry->data);
    gp_free(entry);
}

void gp_memo_finish(struct gp_memo *memo)
{
    while (memo->oldest != NULL) {
        drop_oldest(memo);
    }
}

struct gp_memo_entry *gp_memo_find(struct gp_memo *memo, struct gp_hash key)
{
    struct gp_memo_entry *entry = *bucket_of(memo, key);

    while (entry != NULL && (entry->key.lo != key.lo || entry->key.hi != key.hi)) {
        entry = entry->next;
    }
    if (entry != NULL) {
        unlink_use(memo, entry);
        link_newest(memo, entry);
    }
    return entry;
}

struct gp_memo_entry *gp_memo_add(struct gp_memo *memo, struct gp_hash key, uint64_t bytes)
{
    struct gp_memo_entry *entry;

    if (bytes > memo->bytes_max / 2) {
        return NULL;
    }
    while (memo->bytes + bytes > memo->bytes_max) {
        drop_oldest(memo);
    }
    entry = gp_alloc(1, sizeof *entry);
    if (entry == NULL) {
        return NULL;
    }
    entry->data = gp_alloc(bytes, 1);
    if (entry->data == NULL) {
        gp_free(entry);
        return NULL;
    }
    entry->key = key;
    entry->bytes = bytes;
    entry->next = *bucket_of(memo, key);
    *bucket_of(memo, key) = entry;
    link_newest(memo, entry);
    memo->bytes += bytes;
    return entry;
}
