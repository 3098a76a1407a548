/* Texts as UTF-8: see utf8.h. */
#include "probe/export/utf8.h"

#include <string.h>

#include "core/utf8.h"
#include "probe/memory.h"

char *gp_utf8_copy(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *copy = gp_xalloc(strlen(text) * (sizeof replacement - 1) + 1, 1);
    char *to = copy;

    while (*text != '\0') {
        size_t length = gp_utf8_length(text);
        const char *from = length > 0 ? text : replacement;
        size_t bytes = length > 0 ? length : sizeof replacement - 1;

        memcpy(to, from, bytes);
        to += bytes;
        text += length > 0 ? length : 1;
    }
    return copy;
}
