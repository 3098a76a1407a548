/* Profiles that nobody wrote: refused with a reason, or whole: written as JSON, and a model with it
 * works. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/device.h"
#include "core/device/model/profile.h"
#include "core/memory.h"
#include "fuzz/fuzz.h"

static void must(int holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "fuzz_profile: %s\n", what);
        abort();
    }
}

static void compute(const struct gp_launch *launch, struct gp_work *out)
{
    (void)launch;
    out->issue = 1000000;
    out->latency_cycles = 300000;
    out->read_bytes = 1000;
}

static void stream(const struct gp_launch *launch, struct gp_work *out)
{
    (void)launch;
    out->read_bytes = 1000000;
}

/* Kernels that share SMs and memory, copies both ways, and a fill. */
static void work(struct gp_device *device)
{
    static const struct gp_kernel kernels[] = {
        {.name = "compute", .registers = 32, .work = compute},
        {.name = "stream", .registers = 32, .work = stream},
    };
    enum { BYTES = 100000 };
    struct gp_error err = {0};
    struct gp_stream *streams[2] = {NULL};
    gp_addr address = 0;
    void *pinned = NULL;

    must(gp_device_mem_alloc(device, BYTES, &address, &err) == 0, err.text);
    must(gp_device_host_alloc(device, BYTES, &pinned, &err) == 0, err.text);
    for (int i = 0; i < 2; i++) {
        const uint64_t host = (uint64_t)(uintptr_t)pinned;

        must(gp_stream_create(device, GP_STREAM_NON_BLOCKING, -i, &streams[i], &err) == 0,
             err.text);
        for (int k = 0; k < 4; k++) {
            const struct gp_launch launch = {
                .kernel = &kernels[(i + k) % 2], .grid = {700, 1, 1}, .block = {128, 1, 1}};

            must(gp_stream_launch(streams[i], &launch, &err) == 0, err.text);
        }
        must(gp_stream_copy(streams[i], GP_COPY_H2D, address, host, BYTES, &err) == 0, err.text);
        must(gp_stream_copy(streams[i], GP_COPY_D2H, host, address, BYTES, &err) == 0, err.text);
        must(gp_stream_set(streams[i], address, 1, BYTES, &err) == 0, err.text);
    }
    for (int i = 0; i < 2; i++) {
        must(gp_stream_sync(streams[i], &err) == 0, err.text);
    }
}

static void use(const char *text, const struct gp_profile *profile)
{
    const struct gp_device_options options = {.profile_text = text};
    struct gp_device *device = NULL;
    struct gp_error err = {0};
    char *json = NULL;

    must(gp_profile_json(profile, &json, &err) == 0, err.text);
    gp_free(json);
    must(gp_device_open("model:x", &options, &device, &err) == 0, err.text);
    work(device);
    gp_device_close(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static struct gp_profile profile;
    struct gp_error err = {0};
    char *text = malloc(count + 1);
    int code;

    must(text != NULL, "no memory");
    if (count > 0) {
        memcpy(text, bytes, count);
    }
    text[count] = '\0';
    code = gp_profile_parse(text, &profile, &err);
    if (code == 0) {
        use(text, &profile);
    } else {
        must(code == GP_EPARSE && err.text[0] != '\0', "refused without a reason");
    }
    free(text);
    return 0;
}
