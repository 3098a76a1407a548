/* Sorting more than memory holds: see order_sort.h. */
#include "probe/import/order_sort.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/import/scratch.h"
#include "probe/memory.h"

static int by_time(const void *a, const void *b)
{
    const struct gp_order_item *x = a;
    const struct gp_order_item *y = b;

    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return x->op < y->op ? -1 : x->op > y->op;
}

/* ---- the file ------------------------------------------------------------------------------ */

static void fail(struct gp_order_sort *sort, const char *what)
{
    if (sort->failure.code == 0) {
        (void)gp_fail(&sort->failure, GP_EIO, "a temporary file cannot be %s: %s", what,
                      errno != 0 ? strerror(errno) : "it ends too early");
    }
}

static void write_items(struct gp_order_sort *sort)
{
    const char *bytes = (const char *)sort->items;
    size_t total = sort->item_count * sizeof *sort->items;
    off_t place = (off_t)(sort->in_file * sizeof *sort->items);
    size_t done = 0;

    if (sort->file == 0) {
        int file = gp_scratch_file(&sort->failure);

        sort->file = file >= 0 ? file + 1 : 0;
    }
    while (sort->failure.code == 0 && done < total) {
        ssize_t got = pwrite(sort->file - 1, bytes + done, total - done, place + (off_t)done);

        if (got > 0) {
            done += (size_t)got;
        } else if (errno != EINTR) {
            fail(sort, "written");
        }
    }
    sort->in_file += sort->item_count;
    sort->item_count = 0;
}

/* The next items of the part into memory; none at its end. */
static void read_items(struct gp_order_sort *sort, struct gp_order_part *part)
{
    uint64_t left = part->end - part->next;
    uint32_t count = left < GP_ORDER_READ_ITEMS ? (uint32_t)left : GP_ORDER_READ_ITEMS;
    size_t total = count * sizeof *part->items;
    size_t done = 0;

    while (done < total && sort->failure.code == 0) {
        ssize_t got = pread(sort->file - 1, (char *)part->items + done, total - done,
                            (off_t)(part->next * sizeof *part->items + done));

        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            errno = got == 0 ? 0 : errno;
            fail(sort, "read");
        }
    }
    part->next += count;
    part->at = 0;
    part->count = sort->failure.code == 0 ? count : 0;
}

/* ---- merging ------------------------------------------------------------------------------- */

/* Of equal items, that of the earlier part comes first, so that they keep their order. */
static bool is_before(const struct gp_order_part *a, const struct gp_order_part *b)
{
    int order = by_time(&a->items[a->at], &b->items[b->at]);

    return order != 0 ? order < 0 : a->end < b->end;
}

/* Moves the part at that place of the heap down to where it belongs. */
static void sift(struct gp_order_sort *sort, uint32_t place)
{
    struct gp_order_part **parts = sort->parts;

    for (;;) {
        uint32_t first = place;
        struct gp_order_part *moved = parts[place];

        for (uint32_t child = 2 * place + 1; child <= 2 * place + 2; child++) {
            if (child < sort->part_count && is_before(parts[child], parts[first])) {
                first = child;
            }
        }
        if (first == place) {
            return;
        }
        parts[place] = parts[first];
        parts[first] = moved;
        place = first;
    }
}

static void start_merging(struct gp_order_sort *sort)
{
    uint64_t parts = (sort->in_file + GP_ORDER_PART_ITEMS - 1) / GP_ORDER_PART_ITEMS;

    gp_free(sort->items);
    sort->items = NULL;
    sort->parts = gp_xalloc((size_t)parts, sizeof(struct gp_order_part *));
    for (uint64_t at = 0; at < sort->in_file; at += GP_ORDER_PART_ITEMS) {
        struct gp_order_part *part = gp_xalloc(1, sizeof *part);

        part->next = at;
        part->end =
            at + GP_ORDER_PART_ITEMS < sort->in_file ? at + GP_ORDER_PART_ITEMS : sort->in_file;
        sort->parts[sort->part_count++] = part;
        read_items(sort, part);
    }
    for (uint32_t i = sort->part_count / 2; i > 0 && sort->failure.code == 0; i--) {
        sift(sort, i - 1);
    }
}

static void take_first(struct gp_order_sort *sort, struct gp_order_item *out)
{
    struct gp_order_part *first = sort->parts[0];

    *out = first->items[first->at++];
    if (first->at == first->count) {
        read_items(sort, first);
    }
    if (first->count == 0 && sort->failure.code == 0) {
        sort->parts[0] = sort->parts[--sort->part_count];
        gp_free(first);
    }
    if (sort->part_count > 0 && sort->failure.code == 0) {
        sift(sort, 0);
    }
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* The part in hand is in order and, unless there is no other, in the file. */
static void end_part(struct gp_order_sort *sort, bool is_last)
{
    if (sort->item_count > 0) {
        qsort(sort->items, sort->item_count, sizeof *sort->items, by_time);
    }
    if (sort->item_count > 0 && (!is_last || sort->in_file > 0)) {
        write_items(sort);
    }
}

void gp_order_sort_add(struct gp_order_sort *sort, const struct gp_order_item *item)
{
    assert(!sort->is_read);
    if (sort->item_count == GP_ORDER_PART_ITEMS) {
        end_part(sort, false);
    }
    sort->items =
        gp_xgrow(sort->items, &sort->item_capacity, sort->item_count + 1, sizeof *sort->items);
    sort->items[sort->item_count++] = *item;
    sort->count++;
}

int gp_order_sort_next(struct gp_order_sort *sort, struct gp_order_item *out, struct gp_error *err)
{
    int code = 0;

    if (!sort->is_read) {
        sort->is_read = true;
        end_part(sort, true);
        if (sort->in_file > 0 && sort->failure.code == 0) {
            start_merging(sort);
        }
    }
    if (sort->failure.code == 0 && sort->part_count > 0) {
        take_first(sort, out);
        code = 1;
    } else if (sort->item_next < sort->item_count) {
        *out = sort->items[sort->item_next++];
        code = 1;
    }
    if (sort->failure.code != 0) {
        if (err != NULL) {
            *err = sort->failure;
        }
        code = sort->failure.code;
    }
    return code;
}

void gp_order_sort_finish(struct gp_order_sort *sort)
{
    for (uint32_t i = 0; i < sort->part_count; i++) {
        gp_free(sort->parts[i]);
    }
    gp_free(sort->parts);
    gp_free(sort->items);
    if (sort->file != 0) {
        (void)close(sort->file - 1);
    }
    *sort = (struct gp_order_sort){0};
}
