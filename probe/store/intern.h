/*
 * Texts, each kept once: text → id 1, 2, 3, … in order of first use, and a pointer that stays valid
 * until the table is finished. One thread at a time.
 */
#ifndef GP_PROBE_STORE_INTERN_H
#define GP_PROBE_STORE_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct gp_intern {
    char **texts; /* texts[id − 1] */
    size_t count, text_capacity;
    uint32_t *slots; /* ids by hash, 0 free; slot_count is a power of two */
    size_t slot_count;
    uint32_t last; /* the id that was given last, which is often asked for again; 0 none */
};

/* Takes a zeroed struct; nothing to do before first use. */
void gp_intern_finish(struct gp_intern *table);

/* The id of text (not NULL), which is copied when it is new. */
uint32_t gp_intern_add(struct gp_intern *table, const char *text);

/* The kept copy of text; NULL for NULL. */
const char *gp_intern_keep(struct gp_intern *table, const char *text);

/* Forgets every text but the first count ones. */
void gp_intern_truncate(struct gp_intern *table, size_t count);

#endif
