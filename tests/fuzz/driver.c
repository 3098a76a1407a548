/* Runs a fuzz target on every file of a folder, and on copies that are cut or have bytes changed;
 * seeded, so that each run does the same: fuzz_NAME FOLDER. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "fuzz/fuzz.h"

enum { BYTES_MAX = 1 << 22, BENT_COPIES = 60, CHANGES_MAX = 8 };

static void run_bent(const uint8_t *seed, size_t count, struct gp_random *random)
{
    uint8_t *copy = malloc(count + 1);
    size_t kept = count;

    if (copy == NULL) {
        abort();
    }
    memcpy(copy, seed, count);
    if (gp_random_below(random, 4) == 0) {
        kept = gp_random_below(random, count + 1);
    }
    for (uint64_t i = gp_random_below(random, CHANGES_MAX); i > 0 && kept > 0; i--) {
        copy[gp_random_below(random, kept)] = (uint8_t)gp_random_next(random);
    }
    (void)LLVMFuzzerTestOneInput(copy, kept);
    free(copy);
}

static int run_file(const char *path)
{
    struct gp_random random = {1};
    uint8_t *bytes = malloc(BYTES_MAX);
    FILE *file = fopen(path, "rb");
    size_t count;

    if (file == NULL || bytes == NULL) {
        perror(path);
        free(bytes);
        return 1;
    }
    count = fread(bytes, 1, BYTES_MAX, file);
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(bytes, count);
    for (int i = 0; i < BENT_COPIES; i++) {
        run_bent(bytes, count, &random);
    }
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    int files = 0;

    if (folder == NULL) {
        (void)fprintf(stderr, "usage: %s FOLDER of seeds\n", argv[0]);
        return 2;
    }
    while ((entry = readdir(folder)) != NULL) {
        char path[4096];

        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (run_file(path) != 0) {
            return 1;
        }
        files++;
    }
    (void)closedir(folder);
    (void)printf("%d seeds, %d bent copies each\n", files, BENT_COPIES);
    return files > 0 ? 0 : 1;
}
