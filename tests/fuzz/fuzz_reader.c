/* Recordings that nobody wrote: opened, read, summarised and exported. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "probe/analysis/load.h"
#include "probe/export/export.h"
#include "store/read_all.h"

static void use(const char *path)
{
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;
    struct gp_results results = {0};
    FILE *nothing;

    (void)read_all(path, &err);
    if (gp_reader_open(path, &reader, &err) != 0) {
        return;
    }
    if (gp_results_load(reader, &results, &err) == 0) {
        gp_results_finish(&results);
    }
    nothing = fopen("/dev/null", "w");
    if (nothing != NULL) {
        for (size_t i = 0; i < gp_export_table_count; i++) {
            if (gp_export_table[i]->write != NULL) {
                (void)gp_export_write(gp_export_table[i], reader, NULL, nothing, &err);
            }
        }
        (void)fclose(nothing);
    }
    gp_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char path[64];
    FILE *file;

    (void)snprintf(path, sizeof path, "/tmp/gpuprobe-fuzz-%ld.gpuprobe", (long)getpid());
    file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) {
        perror(path);
        abort();
    }
    use(path);
    (void)unlink(path);
    return 0;
}
