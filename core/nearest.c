/* Nearest word: see nearest.h. */
#include "core/nearest.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { WORD_BYTES_MAX = 63 };

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance. */
static unsigned distance(const char *a, const char *b)
{
    static const size_t width = WORD_BYTES_MAX + 1;
    unsigned rows[3][WORD_BYTES_MAX + 1];
    size_t a_length = strnlen(a, WORD_BYTES_MAX);
    size_t b_length = strnlen(b, WORD_BYTES_MAX);

    assert(a_length < width && b_length < width);
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3];
        const unsigned *above_two = rows[(i + 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned cost = a[i - 1] == b[j - 1] ? 0 : 1;

            row[j] = smaller(smaller(above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smaller(row[j], above_two[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

/* Unfinished words are as near as one slip: "round" means "round-robin" though much is missing. */
static unsigned nearness(const char *word, const char *known)
{
    size_t length = strlen(word);

    return length > 0 && strncmp(word, known, length) == 0 && known[length] != '\0'
               ? 1
               : distance(word, known);
}

const char *gp_nearest(const char *word, const char *const *known, size_t count)
{
    const char *best = "";
    unsigned best_distance = UINT32_MAX;

    assert(word != NULL);
    for (size_t i = 0; i < count; i++) {
        unsigned d = nearness(word, known[i]);

        if (d < best_distance) {
            best_distance = d;
            best = known[i];
        }
    }
    return best;
}
