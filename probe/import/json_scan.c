/* Tokens of JSON: see json_scan.h. */
#include "probe/import/json_scan.h"

#include <string.h>

enum { AT_END = -1, READ_FAILED = -2 };

/* What may come next. */
enum state {
    VALUE, /* also the first of all */
    VALUE_OR_CLOSE,
    NAME,
    NAME_OR_CLOSE,
    COLON,
    COMMA_OR_CLOSE,
    NOTHING, /* the outermost value is complete */
};

/* ---- bytes --------------------------------------------------------------------------------- */

static int fill(struct gp_json_scan *scan, struct gp_error *err)
{
    long got = scan->read(scan->user, scan->buffer, sizeof scan->buffer, err);

    scan->at = 0;
    scan->count = got > 0 ? (size_t)got : 0;
    if (got < 0) {
        return READ_FAILED;
    }
    return got == 0 ? AT_END : (unsigned char)scan->buffer[0];
}

/* The next byte, not taken; AT_END or READ_FAILED. */
static int peek(struct gp_json_scan *scan, struct gp_error *err)
{
    return scan->at < scan->count ? (unsigned char)scan->buffer[scan->at] : fill(scan, err);
}

/* What a token that does not end is. */
static int broken_off(int byte, const struct gp_error *err)
{
    return byte == READ_FAILED ? err->code : GP_JSON_END;
}

static void put(struct gp_json_scan *scan, char byte)
{
    if (scan->length < GP_JSON_TEXT_BYTES_MAX && byte != '\0') {
        scan->text[scan->length++] = byte;
    }
}

/* ---- strings ------------------------------------------------------------------------------- */

static void put_character(struct gp_json_scan *scan, uint32_t code)
{
    if (code < 0x80) {
        put(scan, (char)code);
        return;
    }
    if (code < 0x800) {
        put(scan, (char)(0xc0 | code >> 6));
    } else {
        put(scan, (char)(0xe0 | code >> 12));
        put(scan, (char)(0x80 | (code >> 6 & 0x3f)));
    }
    put(scan, (char)(0x80 | (code & 0x3f)));
}

static int hex_digit(int byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The four digits after \u; halves of surrogate pairs become U+FFFD each. */
static int take_code(struct gp_json_scan *scan, struct gp_error *err)
{
    uint32_t code = 0;

    for (int i = 0; i < 4; i++) {
        int byte = peek(scan, err);

        if (byte < 0) {
            return byte;
        }
        if (hex_digit(byte) < 0) {
            (void)gp_fail(err, GP_EFORMAT, "no JSON: \\u without four digits");
            return READ_FAILED;
        }
        scan->at++;
        code = code << 4 | (uint32_t)hex_digit(byte);
    }
    put_character(scan, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    return 0;
}

/* What follows a backslash. */
static int take_escape(struct gp_json_scan *scan, struct gp_error *err)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    int byte = peek(scan, err);
    const char *found;

    if (byte < 0) {
        return byte;
    }
    scan->at++;
    if (byte == 'u') {
        return take_code(scan, err);
    }
    found = byte != 0 ? strchr(from, byte) : NULL;
    if (found == NULL) {
        (void)gp_fail(err, GP_EFORMAT, "no JSON: an escape that there is not (0x%02x)",
                      (unsigned)byte);
        return READ_FAILED;
    }
    put(scan, to[found - from]);
    return 0;
}

/* Copies bytes up to a quote or backslash; those below a blank are taken as they are, because some
 * tools forget to escape them. */
static void take_plain(struct gp_json_scan *scan)
{
    const char *from = scan->buffer + scan->at;
    size_t left = scan->count - scan->at;
    size_t taken = 0;

    while (taken < left && from[taken] != '"' && from[taken] != '\\') {
        put(scan, from[taken]);
        taken++;
    }
    scan->at += taken;
}

/* After the opening quote. `token`, END or an error. */
static int take_string(struct gp_json_scan *scan, int token, struct gp_error *err)
{
    int byte;

    while ((byte = peek(scan, err)) >= 0 && byte != '"') {
        if (byte == '\\') {
            scan->at++;
            byte = take_escape(scan, err);
            if (byte < 0) {
                return broken_off(byte, err);
            }
        } else {
            take_plain(scan);
        }
    }
    scan->text[scan->length] = '\0';
    if (byte < 0) {
        return broken_off(byte, err);
    }
    scan->at++;
    return token;
}

/* ---- numbers and words --------------------------------------------------------------------- */

static bool is_word_byte(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '+' || byte == '.';
}

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

static bool is_number(const char *text)
{
    size_t digits;

    text += text[0] == '-';
    digits = count_digits(text);
    if (digits == 0 || (digits > 1 && text[0] == '0')) {
        return false;
    }
    text += digits;
    if (text[0] == '.') {
        digits = count_digits(text + 1);
        if (digits == 0) {
            return false;
        }
        text += 1 + digits;
    }
    if (text[0] == 'e' || text[0] == 'E') {
        text += text[1] == '-' || text[1] == '+' ? 2 : 1;
        digits = count_digits(text);
        if (digits == 0) {
            return false;
        }
        text += digits;
    }
    return text[0] == '\0';
}

static bool is_word(const char *text)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int take_word(struct gp_json_scan *scan, struct gp_error *err)
{
    int byte;

    while ((byte = peek(scan, err)) >= 0 && is_word_byte(byte)) {
        put(scan, (char)byte);
        scan->at++;
    }
    scan->text[scan->length] = '\0';
    if (byte < 0 && scan->depth > 0) {
        return broken_off(byte, err);
    }
    if (is_number(scan->text)) {
        return GP_JSON_NUMBER;
    }
    return is_word(scan->text)
               ? GP_JSON_WORD
               : gp_fail(err, GP_EFORMAT, "no JSON: '%.40s' is neither a number nor a word of it",
                         scan->text);
}

/* ---- the order of tokens ------------------------------------------------------------------- */

static int fail_byte(int byte, struct gp_error *err)
{
    return gp_fail(err, GP_EFORMAT, "no JSON: byte 0x%02x in a wrong place", (unsigned)byte);
}

static void value_ends(struct gp_json_scan *scan)
{
    scan->state = scan->depth > 0 ? COMMA_OR_CLOSE : NOTHING;
}

static int take_open(struct gp_json_scan *scan, bool is_object, struct gp_error *err)
{
    scan->at++;
    if (scan->depth == GP_JSON_DEPTH_MAX) {
        return gp_fail(err, GP_EFORMAT, "JSON that is nested deeper than %d", GP_JSON_DEPTH_MAX);
    }
    scan->is_object[scan->depth++] = is_object;
    scan->state = is_object ? NAME_OR_CLOSE : VALUE_OR_CLOSE;
    return is_object ? GP_JSON_OPEN_OBJECT : GP_JSON_OPEN_ARRAY;
}

static int take_close(struct gp_json_scan *scan, int byte, struct gp_error *err)
{
    if (scan->is_object[scan->depth - 1] != (byte == '}')) {
        return fail_byte(byte, err);
    }
    scan->at++;
    scan->depth--;
    value_ends(scan);
    return byte == '}' ? GP_JSON_CLOSE_OBJECT : GP_JSON_CLOSE_ARRAY;
}

static int take_value(struct gp_json_scan *scan, int byte, struct gp_error *err)
{
    int token;

    if (byte == '{' || byte == '[') {
        return take_open(scan, byte == '{', err);
    }
    if (byte == '"') {
        scan->at++;
        token = take_string(scan, GP_JSON_STRING, err);
    } else if (is_word_byte(byte)) {
        token = take_word(scan, err);
    } else {
        return fail_byte(byte, err);
    }
    value_ends(scan);
    return token;
}

static int take_name(struct gp_json_scan *scan, int byte, struct gp_error *err)
{
    if (byte != '"') {
        return fail_byte(byte, err);
    }
    scan->at++;
    scan->state = COLON;
    return take_string(scan, GP_JSON_NAME, err);
}

/* The next byte that is no white space. */
static int pass_blanks(struct gp_json_scan *scan, struct gp_error *err)
{
    int byte;

    while ((byte = peek(scan, err)) == ' ' || byte == '\n' || byte == '\r' || byte == '\t') {
        scan->at++;
    }
    return byte;
}

/* Takes the colon or comma that has to be between what was and what comes. */
static int pass_mark(struct gp_json_scan *scan, int byte, struct gp_error *err)
{
    if (scan->state == COLON && byte == ':') {
        scan->state = VALUE;
    } else if (scan->state == COMMA_OR_CLOSE && byte == ',') {
        scan->state = scan->is_object[scan->depth - 1] ? NAME : VALUE;
    } else {
        return byte;
    }
    scan->at++;
    return pass_blanks(scan, err);
}

int gp_json_scan_next(struct gp_json_scan *scan, struct gp_error *err)
{
    int byte = pass_mark(scan, pass_blanks(scan, err), err);

    scan->length = 0;
    scan->text[0] = '\0';
    if (byte < 0) {
        return broken_off(byte, err);
    }
    switch ((enum state)scan->state) {
    case VALUE_OR_CLOSE:
    case NAME_OR_CLOSE:
    case COMMA_OR_CLOSE:
        if (byte == '}' || byte == ']') {
            return take_close(scan, byte, err);
        }
        break;
    default:
        break;
    }
    switch ((enum state)scan->state) {
    case VALUE:
    case VALUE_OR_CLOSE:
        return take_value(scan, byte, err);
    case NAME:
    case NAME_OR_CLOSE:
        return take_name(scan, byte, err);
    default:
        return fail_byte(byte, err);
    }
}

int gp_json_scan_skip(struct gp_json_scan *scan, int token, struct gp_error *err)
{
    unsigned outside = scan->depth - 1;

    if (token < 0) {
        return token;
    }
    if (token != GP_JSON_OPEN_OBJECT && token != GP_JSON_OPEN_ARRAY) {
        return 0;
    }
    while (scan->depth > outside && token != GP_JSON_END) {
        token = gp_json_scan_next(scan, err);
        if (token < 0) {
            return token;
        }
    }
    return 0;
}
