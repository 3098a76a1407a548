/*
 * Whether bytes are UTF-8 (RFC 3629).
 */
#ifndef GP_CORE_UTF8_H
#define GP_CORE_UTF8_H

#include <stddef.h>

/* Bytes of the character that text begins with, 1 to 4; 0 when it begins with no valid one. Reads
 * no further than the terminating NUL, of which it says 1. */
size_t gp_utf8_length(const char *text);

#endif
