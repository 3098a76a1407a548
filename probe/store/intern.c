/* Texts, each kept once: see intern.h. Open addressing, at most half full. */
#include "probe/store/intern.h"

#include <assert.h>
#include <string.h>

#include "probe/memory.h"

/* FNV-1a, 64 bit. */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        hash = (hash ^ *at) * 0x100000001b3u;
    }
    return hash ^ (hash >> 32);
}

/* The slot that holds text, or the free one where it belongs. */
static uint32_t *find_slot(const struct gp_intern *table, const char *text)
{
    size_t mask = table->slot_count - 1;
    size_t i = (size_t)hash_text(text) & mask;

    while (table->slots[i] != 0 && strcmp(table->texts[table->slots[i] - 1], text) != 0) {
        i = (i + 1) & mask;
    }
    return &table->slots[i];
}

static void rebuild(struct gp_intern *table, size_t slot_count)
{
    gp_free(table->slots);
    table->slots = gp_xalloc(slot_count, sizeof *table->slots);
    table->slot_count = slot_count;
    for (size_t i = 0; i < table->count; i++) {
        *find_slot(table, table->texts[i]) = (uint32_t)(i + 1);
    }
}

void gp_intern_finish(struct gp_intern *table)
{
    if (table == NULL) {
        return;
    }
    for (size_t i = 0; i < table->count; i++) {
        gp_free(table->texts[i]);
    }
    gp_free(table->texts);
    gp_free(table->slots);
    *table = (struct gp_intern){0};
}

uint32_t gp_intern_add(struct gp_intern *table, const char *text)
{
    uint32_t *slot;

    assert(table != NULL && text != NULL);
    if (table->last != 0 && strcmp(table->texts[table->last - 1], text) == 0) {
        return table->last;
    }
    if (table->count >= table->slot_count / 2) {
        rebuild(table, table->slot_count == 0 ? 64 : table->slot_count * 2);
    }
    slot = find_slot(table, text);
    if (*slot == 0) {
        assert(table->count < UINT32_MAX);
        table->texts =
            gp_xgrow(table->texts, &table->text_capacity, table->count + 1, sizeof *table->texts);
        table->texts[table->count++] = gp_xcopy(text);
        *slot = (uint32_t)table->count;
    }
    table->last = *slot;
    return *slot;
}

const char *gp_intern_keep(struct gp_intern *table, const char *text)
{
    uint32_t id;

    if (text == NULL) {
        return NULL;
    }
    id = gp_intern_add(table, text); /* may move the array */
    return table->texts[id - 1];
}

void gp_intern_truncate(struct gp_intern *table, size_t count)
{
    assert(table != NULL);
    if (count >= table->count) {
        return;
    }
    table->last = 0;
    while (table->count > count) {
        gp_free(table->texts[--table->count]);
    }
    rebuild(table, table->slot_count);
}
