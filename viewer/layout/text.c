/* Looking for a text in another: see text.h. */
#include "viewer/layout/text.h"

static int lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

static bool begins_with(const char *text, const char *part)
{
    while (*part != '\0' && lower(*text) == lower(*part)) {
        text++;
        part++;
    }
    return *part == '\0';
}

bool gp_view_text_contains(const char *text, const char *part)
{
    do {
        if (begins_with(text, part)) {
            return true;
        }
    } while (*text++ != '\0');
    return false;
}
