/*
 * Whole exports of a recording for tests, as text or file.
 */
#ifndef GP_TESTS_EXPORT_WHOLE_H
#define GP_TESTS_EXPORT_WHOLE_H

#include "probe/export/export.h"

/* All bytes of an export that must succeed, with a NUL behind them; the caller's to free. */
char *export_bytes(const char *recording, const char *format,
                   const struct gp_export_options *options, size_t *count);

/* The same into the file `out`. */
void export_to(const char *recording, const char *format, const struct gp_export_options *options,
               const char *out);

/* Writes a recording of one traced run on two streams, with all kinds of operations and of names:
 * quotes, control characters, bad UTF-8, 10 kB long; operations without times; operations that
 * overlap partly on one stream. */
void write_nasty(const char *path);

/* What write_nasty writes: operations, those without times, those that Nsight knows. */
enum { NASTY_OPS = 14, NASTY_UNTIMED = 1, NASTY_ON_HOST = 2, NASTY_KERNELS = 6 };

#endif
