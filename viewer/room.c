/* Memory for explaining a run: see room.h. */
#include "viewer/room.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gp_room_judge(const char *what, uint64_t op_count, uint64_t op_bytes, uint64_t available,
                  struct gp_error *err)
{
    uint64_t bytes = op_count * op_bytes;

    /* Another such thing may be looked for at the same time. */
    if (bytes <= available / 2) {
        return 0;
    }
    return gp_fail(err, GP_EUNSUPPORTED,
                   "%s not looked for: among %" PRIu64 " operations that takes about %.1f GB of "
                   "memory, and %.1f GB are free. Close other programs and open the file again, or "
                   "record fewer operations.",
                   what, op_count, (double)bytes / 1e9, (double)available / 1e9);
}

void gp_room_tell(const char *what, uint64_t op_count, char *text, size_t size)
{
    (void)snprintf(text, size,
                   "%s not looked for yet: among %" PRIu64 " operations that takes a while and "
                   "about %.1f GB of memory.",
                   what, op_count, (double)(op_count * GP_ROOM_CAUSES) / 1e9);
}

/* What Linux says can be had without swapping; UINT64_MAX where it does not say. */
static uint64_t find_available(void)
{
    static const char key[] = "MemAvailable:";
    FILE *file = fopen("/proc/meminfo", "r");
    uint64_t available = UINT64_MAX;
    char line[128];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, sizeof key - 1) == 0) {
            available = strtoull(line + sizeof key - 1, NULL, 10) * 1024; /* in kB */
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return available;
}

int gp_room_check(const char *what, uint64_t op_count, uint64_t op_bytes, struct gp_error *err)
{
    return gp_room_judge(what, op_count, op_bytes, find_available(), err);
}
