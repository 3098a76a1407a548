/* Files of kernels that nobody compiled: refused with a reason, or with kernels that have names. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "scenarios/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct gp_image_file file;
    struct gp_error err = {0};
    int code = gp_image_read("fuzz", bytes, count, &file, &err);

    if (code != 0 ? err.text[0] == '\0' : file.entry_count == 0 || file.sm == 0) {
        (void)fprintf(stderr, "fuzz_image: refused without a reason, or read without a kernel\n");
        abort();
    }
    for (uint32_t i = 0; code == 0 && i < file.entry_count; i++) {
        if (file.entries[i].name[0] == '\0' || gp_image_find(&file, file.entries[i].name) == NULL) {
            (void)fprintf(stderr, "fuzz_image: a kernel without a name\n");
            abort();
        }
    }
    gp_image_release(&file);
    return 0;
}
