/*
 * Whether bytes are UTF-8 (RFC 3629), for formats that take nothing else.
 */
#ifndef GP_PROBE_EXPORT_UTF8_H
#define GP_PROBE_EXPORT_UTF8_H

#include <stddef.h>

/* Bytes of the character that text begins with, 1 to 4; 0 when it begins with no valid one. Reads
 * no further than the terminating NUL, of which it says 1. */
size_t gp_utf8_length(const char *text);

/* A copy in which every byte that is not part of a valid character is U+FFFD; the caller's. */
char *gp_utf8_copy(const char *text);

#endif
