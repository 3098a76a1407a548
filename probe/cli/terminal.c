/* The terminal: see terminal.h. */
#include "probe/cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_MIN = 40, COLUMNS_MAX = 200, COLUMNS_USUAL = 100 };

static uint32_t find_columns(void)
{
    const char *text = getenv("COLUMNS");
    long columns = text != NULL ? strtol(text, NULL, 10) : 0;
    struct winsize size;

    if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        columns = size.ws_col;
    }
    if (columns <= 0) {
        columns = COLUMNS_USUAL;
    }
    return columns < COLUMNS_MIN   ? COLUMNS_MIN
           : columns > COLUMNS_MAX ? COLUMNS_MAX
                                   : (uint32_t)columns;
}

void gp_terminal_init(struct gp_terminal *out)
{
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    bool dumb = term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0;
    bool wants_color = no_color == NULL || no_color[0] == '\0';

    (void)setlocale(LC_CTYPE, "");
    out->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    out->color = !dumb && wants_color && isatty(STDOUT_FILENO);
    out->columns = find_columns();
    out->redraw = !dumb && isatty(STDERR_FILENO);
}

bool gp_terminal_is_safe(char byte)
{
    return (unsigned char)byte >= ' ' && byte != 0x7f;
}

const char *gp_terminal_times(const struct gp_terminal *terminal)
{
    return terminal->utf8 ? "×" : "x";
}

const char *gp_terminal_dash(const struct gp_terminal *terminal)
{
    return terminal->utf8 ? "–" : "-";
}

const char *gp_terminal_marker(const struct gp_terminal *terminal)
{
    return terminal->utf8 ? "→" : ">";
}

const char *gp_terminal_bold(const struct gp_terminal *terminal)
{
    return terminal->color ? "\033[1m" : "";
}

const char *gp_terminal_red(const struct gp_terminal *terminal)
{
    return terminal->color ? "\033[31m" : "";
}

const char *gp_terminal_plain(const struct gp_terminal *terminal)
{
    return terminal->color ? "\033[0m" : "";
}
