/* A paragraph: see words.h. */
#include "probe/cli/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PROSE_COLUMNS = 100 };

void gp_words_say(struct gp_words *words, const char *format, ...)
{
    va_list arguments;
    int written;

    va_start(arguments, format);
    written =
        vsnprintf(words->text + words->used, sizeof words->text - words->used, format, arguments);
    va_end(arguments);
    words->used += written > 0 ? (size_t)written : 0;
    if (words->used >= sizeof words->text) {
        words->used = sizeof words->text - 1;
    }
}

/* Letters of UTF-8, not bytes. */
static uint32_t letters(const char *text, size_t length)
{
    uint32_t count = 0;

    for (size_t i = 0; i < length; i++) {
        count += ((unsigned char)text[i] & 0xc0) != 0x80 ? 1 : 0;
    }
    return count;
}

static void print_word(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        putchar(gp_terminal_is_safe(text[i]) ? text[i] : '?');
    }
}

void gp_words_print(struct gp_words *words, const struct gp_terminal *terminal, uint32_t indent,
                    uint32_t hang)
{
    uint32_t edge = terminal->columns < PROSE_COLUMNS ? terminal->columns : PROSE_COLUMNS;
    const char *text = words->text;
    uint32_t column = indent;
    const char *before = "";

    printf("%*s", (int)indent, "");
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        uint32_t wide = letters(text, length);

        if (before[0] != '\0' && column + 1 + wide > edge) {
            printf("\n%*s", (int)hang, "");
            column = hang;
            before = "";
        }
        printf("%s", before);
        print_word(text, length);
        column += wide + (before[0] != '\0' ? 1 : 0);
        before = " ";
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
    words->text[0] = '\0';
    words->used = 0;
}
