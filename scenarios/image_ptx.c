/* Kernels in PTX text: its directives .version, .target, .entry, .param and .shared; what else
 * there is belongs to the driver's compiler. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/image_parts.h"

/* One word, number or sign of the text; length 0: its end. */
struct token {
    const char *at;
    size_t length;
};

struct scan {
    const char *next;
    struct token token; /* the current one */
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || c == '%';
}

static const char *skip_blanks(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n\v\f");
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");

            at = end != NULL ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

static void advance(struct scan *scan)
{
    const char *at = skip_blanks(scan->next);
    size_t length = 0;

    if (*at == '"') {
        length = 1 + strcspn(at + 1, "\"\n");
        length += at[length] == '"';
    } else if (*at != '\0') {
        while (is_word(at[length])) {
            length++;
        }
        length = length == 0 ? 1 : length;
    }
    scan->token = (struct token){at, length};
    scan->next = at + length;
}

static bool is(const struct scan *scan, const char *text)
{
    return scan->token.length == strlen(text) &&
           memcmp(scan->token.at, text, scan->token.length) == 0;
}

/* A number of up to 9 digits, decimal; false: it is none. */
static bool read_count(const struct token *token, uint32_t *out)
{
    uint32_t value = 0;

    if (token->length == 0 || token->length > 9) {
        return false;
    }
    for (size_t i = 0; i < token->length; i++) {
        if (token->at[i] < '0' || token->at[i] > '9') {
            return false;
        }
        value = 10 * value + (uint32_t)(token->at[i] - '0');
    }
    *out = value;
    return true;
}

/* The bytes of one of a type such as .u64, .b8 or .f32; 0: that is no type. */
static uint32_t type_bytes(const struct token *token)
{
    struct token bits = {token->at + 2, token->length > 2 ? token->length - 2 : 0};
    uint32_t count = 0;

    if (token->length < 3 || token->at[0] != '.' || strchr("usbf", token->at[1]) == NULL ||
        !read_count(&bits, &count) || count > 128 || count % 8 != 0) {
        return 0;
    }
    return count / 8;
}

/* Of a declaration, from after .param or .shared up to a sign that ends it; leaves that as the
 * current token. 0: its size is not said (a texture, say), or it is none. */
static uint64_t read_declared_bytes(struct scan *scan)
{
    uint64_t bytes = 0;
    uint32_t count = 0;

    while (scan->token.length > 0 && !is(scan, ",") && !is(scan, ")") && !is(scan, ";") &&
           !is(scan, "{") && !is(scan, "}") && !is(scan, "=")) {
        if (is(scan, ".align")) {
            advance(scan);
        } else if (is(scan, "[")) {
            advance(scan);
            bytes = read_count(&scan->token, &count) ? bytes * count : 0;
        } else if (bytes == 0) {
            bytes = type_bytes(&scan->token);
        }
        advance(scan);
    }
    return bytes;
}

static int fail_cut(const struct gp_image_entry *entry, struct gp_error *err)
{
    return gp_fail(err, GP_EPARSE, "its text ends, or is broken, within kernel '%.100s'",
                   entry->name);
}

/* From its "(" to after its ")". */
static int read_params(struct scan *scan, struct gp_image_entry *entry, struct gp_error *err)
{
    advance(scan);
    while (is(scan, ".param")) {
        uint64_t bytes = read_declared_bytes(scan);

        if (bytes == 0 || bytes > UINT16_MAX) {
            return gp_fail(err, GP_EPARSE,
                           "parameter %u of kernel '%.100s' is of a type that is not known here",
                           entry->arg_count + 1, entry->name);
        }
        if (entry->arg_count < GP_KERNEL_ARGS_MAX) {
            entry->arg_bytes[entry->arg_count] = (uint32_t)bytes;
        }
        entry->arg_count++;
        if (is(scan, ",")) {
            advance(scan);
        }
    }
    if (!is(scan, ")")) {
        return fail_cut(entry, err);
    }
    advance(scan);
    return 0;
}

/* Its "{…}", in which other pairs may be. */
static int read_body(struct scan *scan, struct gp_image_entry *entry, struct gp_error *err)
{
    uint32_t depth = 0;

    do {
        if (scan->token.length == 0) {
            return fail_cut(entry, err);
        }
        if (is(scan, ".shared")) {
            uint64_t bytes = read_declared_bytes(scan);

            entry->shared_bytes += bytes < UINT16_MAX * 4 ? (uint32_t)bytes : 0;
            continue;
        }
        depth += is(scan, "{");
        depth -= is(scan, "}");
        advance(scan);
    } while (depth > 0);
    return 0;
}

/* From after .entry to after its body; a declaration without one is no kernel of this file. */
static int read_entry(struct scan *scan, struct gp_image_file *file, struct gp_error *err)
{
    struct gp_image_entry *entry;
    int code = 0;

    advance(scan);
    if (scan->token.length == 0 || !is_word(*scan->token.at)) {
        return gp_fail(err, GP_EPARSE, "its text ends, or is broken, after an .entry");
    }
    entry = gp_image_add(file, scan->token.at, scan->token.length, err);
    if (entry == NULL) {
        return err->code;
    }
    advance(scan);
    if (is(scan, "(")) {
        code = read_params(scan, entry, err);
    }
    while (code == 0 && scan->token.length > 0 && !is(scan, "{") && !is(scan, ";")) {
        advance(scan);
    }
    if (code == 0 && is(scan, ";")) {
        gp_image_drop_last(file);
        return 0;
    }
    return code == 0 ? read_body(scan, entry, err) : code;
}

/* "sm_90", "sm_90a"; others of the list are modes. */
static void read_target(struct scan *scan, struct gp_image_file *file)
{
    advance(scan);
    if (scan->token.length > 3 && memcmp(scan->token.at, "sm_", 3) == 0) {
        unsigned long sm = strtoul(scan->token.at + 3, NULL, 10);

        file->sm = sm < 1000 ? (uint32_t)sm : 0;
    }
}

int gp_image_read_ptx(struct gp_image_file *file, struct gp_error *err)
{
    struct scan scan = {.next = file->bytes};
    int code = 0;

    advance(&scan);
    if (!is(&scan, ".version")) {
        return gp_fail(err, GP_EPARSE,
                       "it is neither PTX text, which begins with .version, nor a "
                       "cubin");
    }
    while (scan.token.length > 0 && code == 0) {
        if (is(&scan, ".target")) {
            read_target(&scan, file);
        } else if (is(&scan, ".entry")) {
            code = read_entry(&scan, file, err);
            continue;
        }
        advance(&scan);
    }
    if (code == 0 && file->sm == 0) {
        code = gp_fail(err, GP_EPARSE, "its text has no .target sm_NN");
    }
    return code;
}
