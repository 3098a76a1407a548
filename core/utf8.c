/* UTF-8: see utf8.h. */
#include "core/utf8.h"

#include <stdint.h>

static int is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

size_t gp_utf8_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    uint32_t value = at[0];
    size_t length;

    if (at[0] < 0x80) {
        return 1;
    }
    if (at[0] < 0xc2 || at[0] > 0xf4) {
        return 0;
    }
    length = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    value &= 0x7fu >> length;
    for (size_t i = 1; i < length; i++) {
        if (!is_continuation(at[i])) {
            return 0;
        }
        value = value << 6 | (at[i] & 0x3fu);
    }
    if ((length == 3 && (value < 0x800 || (value >= 0xd800 && value < 0xe000))) ||
        (length == 4 && (value < 0x10000 || value > 0x10ffff))) {
        return 0;
    }
    return length;
}
