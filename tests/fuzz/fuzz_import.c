/* Traces that nobody wrote: refused with a reason, or a recording in which every row is accounted
 * for. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "probe/import/import.h"
#include "store/read_all.h"

static void must(int holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "fuzz_import: %s\n", what);
        abort();
    }
}

static void use(const char *path, const char *out)
{
    struct gp_import_counts counts = {0};
    struct gp_error err = {0};
    uint64_t sum;

    if (gp_import_file(path, out, true, &counts, &err) != 0) {
        must(err.text[0] != '\0', "refused without a reason");
        return;
    }
    sum = counts.operations + counts.calls + counts.ranges + counts.dependencies;
    for (int i = 0; i < GP_IMPORT_LOSS_COUNT; i++) {
        sum += counts.lost[i];
    }
    must(sum == counts.in, "rows are missing");
    must(read_all(out, &err) == 0, err.text);
    (void)unlink(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char path[64], out[64];
    FILE *file;

    (void)snprintf(path, sizeof path, "/tmp/gpuprobe-fuzz-%ld.trace", (long)getpid());
    (void)snprintf(out, sizeof out, "/tmp/gpuprobe-fuzz-%ld.gpuprobe", (long)getpid());
    file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) {
        perror(path);
        abort();
    }
    use(path, out);
    (void)unlink(path);
    return 0;
}
