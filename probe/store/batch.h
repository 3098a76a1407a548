/*
 * Rows in memory that SQL reads as table gp_batch, whose columns are c0, c1, …: many rows go into a
 * table with one "INSERT … SELECT" instead of one statement and one binding of each value apiece.
 * For the writer only. One thread at a time.
 */
#ifndef GP_PROBE_STORE_BATCH_H
#define GP_PROBE_STORE_BATCH_H

#include <assert.h>

#include "probe/record.h"
#include "probe/store/db.h"

enum { GP_BATCH_ROWS_MAX = 64, GP_BATCH_COLUMNS_MAX = 35 };

struct gp_batch_value {
    const char *text; /* not the batch's; NULL: it is the number */
    int64_t number;   /* GP_UNKNOWN is NULL */
};

struct gp_batch {
    uint32_t row_count;
    uint32_t column;       /* of the last row: the next one to be put */
    uint32_t column_count; /* no row has a value in this column or a later one */
    struct gp_batch_value values[GP_BATCH_ROWS_MAX][GP_BATCH_COLUMNS_MAX];
};

/* Makes the batch readable to the statements of db; it must not go before db is closed. */
int gp_batch_attach(struct gp_batch *batch, struct gp_db *db, struct gp_error *err);

/* A full batch must be stored and cleared before another row. */
static inline bool gp_batch_is_full(const struct gp_batch *batch)
{
    return batch->row_count == GP_BATCH_ROWS_MAX;
}

/* Forgets all rows. */
static inline void gp_batch_clear(struct gp_batch *batch)
{
    batch->row_count = 0;
    batch->column_count = 0;
}

/* Begins a row, whose values follow from left to right; what is not put is of no use. */
static inline void gp_batch_start_row(struct gp_batch *batch)
{
    assert(!gp_batch_is_full(batch));
    batch->row_count++;
    batch->column = 0;
}

/* The next value of the last row: a text, as for gp_batch_put_text, or NULL and a number. */
static inline void gp_batch_put(struct gp_batch *batch, const char *text, int64_t number)
{
    assert(batch->column < GP_BATCH_COLUMNS_MAX);
    batch->values[batch->row_count - 1][batch->column++] = (struct gp_batch_value){text, number};
    if (number != GP_UNKNOWN && batch->column > batch->column_count) {
        batch->column_count = batch->column;
    }
}

/* GP_UNKNOWN is NULL. */
static inline void gp_batch_put_int(struct gp_batch *batch, int64_t number)
{
    gp_batch_put(batch, NULL, number);
}

/* −1 is unknown. */
static inline void gp_batch_put_small(struct gp_batch *batch, int32_t number)
{
    gp_batch_put_int(batch, number < 0 ? GP_UNKNOWN : number);
}

/* The text must live until the batch is stored. */
static inline void gp_batch_put_text(struct gp_batch *batch, const char *text)
{
    assert(text != NULL);
    gp_batch_put(batch, text, 0);
}

#endif
