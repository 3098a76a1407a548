/*
 * Texts made UTF-8, for formats that take nothing else.
 */
#ifndef GP_PROBE_EXPORT_UTF8_H
#define GP_PROBE_EXPORT_UTF8_H

/* A copy in which every byte that is not part of a valid character is U+FFFD; the caller's. */
char *gp_utf8_copy(const char *text);

#endif
