/*
 * Host calls by process and correlation id, which is unique only inside a process; as many as there
 * are, in bounded memory as long as neighbouring ids are asked for one after the other, as they are
 * in a trace.
 */
#ifndef GP_PROBE_IMPORT_CALLS_H
#define GP_PROBE_IMPORT_CALLS_H

#include "probe/import/spill.h"

/* 32 bytes, so that a page has many. */
struct gp_call_entry {
    int64_t begin, end;
    int32_t name;  /* of StringIds; -1 none */
    uint32_t op;   /* first operation of it, when part is set */
    uint32_t part; /* index + 1 of the part that has its operations; 0 none */
    bool used;
    bool taken; /* its row has been written */
};

/* Where a block of neighbouring ids lies. */
struct gp_calls_block {
    int64_t pid;
    uint64_t ids;    /* their common part */
    uint32_t number; /* + 1; 0: the slot is free */
};

/* Zeroed: empty. */
struct gp_calls {
    struct gp_spill entries;
    struct gp_calls_block *blocks;
    uint32_t slots, block_count;
};

/* The entry of that process and id (above 0), made when there is none; *is_new says which. Valid
 * until the next is asked for. NULL: a temporary file failed, which gp_calls_check tells. */
struct gp_call_entry *gp_calls_add(struct gp_calls *calls, int64_t pid, int64_t correlation,
                                   bool *is_new);

/* NULL: there is none, or a temporary file failed. */
struct gp_call_entry *gp_calls_find(struct gp_calls *calls, int64_t pid, int64_t correlation);

/* 0, or the first failure: GP_EIO. */
int gp_calls_check(const struct gp_calls *calls, struct gp_error *err);

/* Takes a zeroed struct. */
void gp_calls_finish(struct gp_calls *calls);

#endif
