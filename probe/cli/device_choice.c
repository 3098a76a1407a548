/* Opening the device: see device_choice.h. */
#include "probe/cli/device_choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernels.h"
#include "probe/memory.h"

enum { PROFILE_BYTES_MAX = 1 << 20, PATH_BYTES_MAX = 4096 };

/* All of a text file, with a NUL at its end; the caller's. */
static char *read_text(const char *path, struct gp_error *err)
{
    FILE *file = fopen(path, "r");
    char *text;
    size_t length;

    if (file == NULL) {
        (void)gp_fail(err, GP_EINVAL, "profile %s: %s", path, strerror(errno));
        return NULL;
    }
    text = gp_xalloc(PROFILE_BYTES_MAX, 1);
    length = fread(text, 1, PROFILE_BYTES_MAX, file);
    if (ferror(file) != 0) {
        (void)gp_fail(err, GP_EINVAL, "profile %s: %s", path, strerror(errno));
        gp_free(text);
        text = NULL;
    } else if (length == PROFILE_BYTES_MAX || strlen(text) != length) {
        (void)gp_fail(err, GP_EINVAL, "profile %s: not a text of less than 1 MiB", path);
        gp_free(text);
        text = NULL;
    }
    (void)fclose(file);
    return text;
}

/* "model:./mine.profile,free" names a file: a built-in profile's name has no slash. */
static int read_profile(const char *spec, char **out, struct gp_error *err)
{
    static const char model[] = "model:";
    char path[PATH_BYTES_MAX];
    size_t length;

    if (strncmp(spec, model, sizeof model - 1) != 0) {
        return 0;
    }
    spec += sizeof model - 1;
    length = strcspn(spec, ",");
    if (memchr(spec, '/', length) == NULL || length >= sizeof path) {
        return 0;
    }
    (void)snprintf(path, sizeof path, "%.*s", (int)length, spec);
    *out = read_text(path, err);
    return *out != NULL ? 0 : err->code;
}

int gp_device_choose(const char *spec, uint32_t connections, bool quiet,
                     struct gp_chosen_device *out, struct gp_error *err)
{
    struct gp_device_options options = {.clock_kernel = &gp_kernel_ping,
                                        .connections = (int32_t)connections};
    int code = read_profile(spec, &out->profile, err);

    if (code != 0) {
        return code;
    }
    options.profile_text = out->profile;
    code = gp_device_open(spec, &options, &out->device, err);
    if (code != 0 && out->profile != NULL) {
        return gp_fail_context(err, "%s", spec);
    }
    if (code == 0 && !quiet && err->text[0] != '\0') {
        (void)fprintf(stderr, "gpuprobe: %s; using %s\n", err->text, out->device->info.spec);
    }
    return code;
}

void gp_device_unchoose(struct gp_chosen_device *chosen)
{
    gp_device_close(chosen->device);
    gp_free(chosen->profile);
}
