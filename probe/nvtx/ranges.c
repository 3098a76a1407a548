/* Ranges: see ranges.h. */
#include "probe/nvtx/ranges.h"

#include <assert.h>

/* Okabe and Ito's palette, which people with any kind of colour vision can tell apart. */
static const uint32_t op_colors[GP_OP_KIND_COUNT] = {
    [GP_OP_KERNEL] = 0xff009e73, [GP_OP_H2D] = 0xff56b4e9,    [GP_OP_D2H] = 0xffe69f00,
    [GP_OP_D2D] = 0xff0072b2,    [GP_OP_MEMSET] = 0xffcc79a7, [GP_OP_HOST] = 0xfff0e442,
    [GP_OP_VALUE] = 0xffd55e00,  [GP_OP_ALLOC] = 0xff999999,  [GP_OP_FREE] = 0xff555555,
    [GP_OP_GRAPH] = 0xff000000,
};

/* Greys, so that the operations stand out. */
static const uint32_t level_colors[GP_RANGE_OP] = {
    [GP_RANGE_CELL] = 0xff5e5c64,
    [GP_RANGE_RUN] = 0xff9a9996,
    [GP_RANGE_CHAIN] = 0xffdeddda,
};

const char *gp_range_level_name(enum gp_range_level level)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_RANGE_LEVELS(X)
#undef X
    };

    assert(level < GP_RANGE_LEVEL_COUNT);
    return words[level];
}

uint32_t gp_range_op_color(enum gp_op_kind kind)
{
    assert(kind < GP_OP_KIND_COUNT);
    return op_colors[kind];
}

uint32_t gp_range_level_color(enum gp_range_level level)
{
    assert(level < GP_RANGE_OP);
    return level_colors[level];
}
