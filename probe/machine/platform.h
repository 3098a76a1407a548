/*
 * What of this machine changes how measurements are to be read: only what is really detected.
 */
#ifndef GP_PROBE_MACHINE_PLATFORM_H
#define GP_PROBE_MACHINE_PLATFORM_H

#include <stddef.h>

enum { GP_PLATFORM_NOTES_MAX = 8 };

/* Static texts, one sentence each; returns how many. uuid is the device's, "" none. */
size_t gp_platform_notes(const char *uuid, const char *notes[GP_PLATFORM_NOTES_MAX]);

#endif
