/* Sorting by numbers, digit by digit from the last: see sort.h. */
#include "viewer/layout/sort.h"

#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"

enum { DIGIT_BITS = 16, DIGITS = 64 / DIGIT_BITS, VALUES = 1 << DIGIT_BITS };

struct line {
    uint64_t key;
    uint32_t number;
};

static uint32_t digit_of(const struct line *line, int digit)
{
    return (uint32_t)(line->key >> (digit * DIGIT_BITS)) & (VALUES - 1);
}

/* Where the lines of each value begin; false: all have the same, so that there is nothing to do. */
static bool count_values(const struct line *lines, uint32_t count, int digit, uint32_t *begins)
{
    uint32_t at = 0;

    memset(begins, 0, VALUES * sizeof *begins);
    for (uint32_t i = 0; i < count; i++) {
        begins[digit_of(&lines[i], digit)]++;
    }
    if (begins[digit_of(&lines[0], digit)] == count) {
        return false;
    }
    for (uint32_t i = 0; i < VALUES; i++) {
        uint32_t here = begins[i];

        begins[i] = at;
        at += here;
    }
    return true;
}

/* Sorts lines, with as much room beside them; returns where they are then, NULL when given up. */
static struct line *sort_lines(struct line *lines, struct line *beside, uint32_t count,
                               struct gp_view_job *job)
{
    uint32_t *begins = gp_xalloc(VALUES, sizeof *begins);

    for (int digit = 0; digit < DIGITS && lines != NULL; digit++) {
        if (!gp_view_job_go_on(job, (1.0 + digit) / (2.0 + DIGITS))) {
            lines = NULL;
        } else if (count_values(lines, count, digit, begins)) {
            struct line *sorted = beside;

            for (uint32_t i = 0; i < count; i++) {
                sorted[begins[digit_of(&lines[i], digit)]++] = lines[i];
            }
            beside = lines;
            lines = sorted;
        }
    }
    gp_free(begins);
    return lines;
}

uint32_t *gp_view_sort(const int64_t *keys, uint32_t count, bool is_descending,
                       struct gp_view_job *job)
{
    struct line *lines = gp_xalloc(count, 2 * sizeof *lines);
    struct line *sorted = lines;
    uint32_t *order = NULL;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = (uint64_t)keys[i] ^ (UINT64_C(1) << 63);

        lines[i] = (struct line){is_descending ? ~key : key, i};
    }
    if (count > 0) {
        sorted = sort_lines(lines, lines + count, count, job);
    }
    if (sorted != NULL) {
        order = gp_xalloc(count, sizeof *order);
        for (uint32_t i = 0; i < count; i++) {
            order[i] = sorted[i].number;
        }
    }
    gp_free(lines);
    return order;
}

/* ---- texts --------------------------------------------------------------------------------- */

struct text {
    const char *text;
    uint32_t index;
};

static int compare_texts(const void *left, const void *right)
{
    const struct text *a = left, *b = right;

    return strcmp(a->text, b->text);
}

void gp_view_sort_texts(const char *const *texts, uint32_t count, int64_t *ranks)
{
    struct text *sorted = gp_xalloc(count, sizeof *sorted);
    int64_t rank = 0;

    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = (struct text){texts[i], i};
    }
    if (count > 0) {
        qsort(sorted, count, sizeof *sorted, compare_texts);
    }
    for (uint32_t i = 0; i < count; i++) {
        rank += i > 0 && strcmp(sorted[i].text, sorted[i - 1].text) != 0;
        ranks[sorted[i].index] = rank;
    }
    gp_free(sorted);
}
