/* Hardware connections: see connections.h. */
#include "probe/timing/connections.h"

#include <assert.h>

#include "kernels/kernels.h"

enum {
    STREAMS = GP_CONNECTIONS_MAX + 1,
    ROUNDS = 3,
    /* Launching takes some 100 us, and all streams must have work at once. */
    FIRST_NS = 6000000,  /* what stream 0 is kept busy for */
    OTHERS_NS = 1000000, /* and each of the others */
    LOOK_NS = 3000000,   /* when it is looked whose work is over */
};

struct probe {
    struct gp_device *device;
    struct gp_stream *streams[STREAMS];
    gp_addr word;
};

static int spin(struct probe *probe, int stream, uint32_t ns, struct gp_error *err)
{
    uint32_t value = 0;
    const void *const args[] = {&probe->word, &value, &ns};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_spin, .grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args};

    return gp_stream_launch(probe->streams[stream], &launch, err);
}

static int launch_all(struct probe *probe, struct gp_error *err)
{
    int code = spin(probe, 0, FIRST_NS, err);

    code = code == 0 ? spin(probe, 0, 0, err) : code;
    for (int i = 1; i < STREAMS && code == 0; i++) {
        code = spin(probe, i, OTHERS_NS, err);
    }
    return code;
}

static int sync_all(struct probe *probe, struct gp_error *err)
{
    int code = 0;

    for (int i = 0; i < STREAMS && code == 0; i++) {
        code = gp_stream_sync(probe->streams[i], err);
    }
    return code;
}

/* Whether the work of stream i still waits, for all of them. */
static int look(struct probe *probe, bool waits[STREAMS], struct gp_error *err)
{
    for (int i = STREAMS; i > 0; i--) {
        int code = gp_stream_query(probe->streams[i - 1], err);

        if (code != 0 && code != GP_ENOTREADY) {
            return code;
        }
        waits[i - 1] = code == GP_ENOTREADY;
    }
    return 0;
}

/* The distance of the streams that wait; 0: they are not those of one connection. */
static int32_t period_of(const bool waits[STREAMS])
{
    int32_t period = 1;

    while (period < STREAMS && !waits[period]) {
        period++;
    }
    for (int i = 0; i < STREAMS; i++) {
        if (waits[i] != (i % period == 0)) {
            return 0;
        }
    }
    return period < STREAMS ? period : 0;
}

static int try_once(struct probe *probe, int32_t *out, struct gp_error *err)
{
    bool waits[STREAMS];
    int64_t begin_ns = gp_device_clock_ns(probe->device);
    int code = launch_all(probe, err);

    if (code == 0) {
        while (gp_device_clock_ns(probe->device) < begin_ns + LOOK_NS) {
            gp_device_pause(probe->device, begin_ns + LOOK_NS);
        }
        code = look(probe, waits, err);
    }
    if (code == 0) {
        *out = period_of(waits);
        code = sync_all(probe, err);
    }
    return code;
}

static int open_probe(struct probe *probe, struct gp_error *err)
{
    int code = gp_device_kernel_prepare(probe->device, &gp_kernel_spin, err);

    code =
        code == 0 ? gp_device_mem_alloc(probe->device, sizeof(uint32_t), &probe->word, err) : code;
    for (int i = 0; i < STREAMS && code == 0; i++) {
        code = gp_stream_create(probe->device, GP_STREAM_NON_BLOCKING, 0, &probe->streams[i], err);
    }
    return code;
}

static void close_probe(struct probe *probe)
{
    for (int i = 0; i < STREAMS; i++) {
        (void)gp_stream_destroy(probe->streams[i], NULL);
    }
    (void)gp_device_mem_free(probe->device, probe->word, NULL);
}

int gp_connections_measure(struct gp_device *device, int32_t *out, struct gp_error *err)
{
    struct probe probe = {.device = device};
    int code;

    assert(device != NULL && out != NULL);
    *out = 0;
    code = open_probe(&probe, err);
    /* What another program does in between is not seen again. */
    for (int round = 0; round < ROUNDS && *out == 0 && code == 0; round++) {
        code = try_once(&probe, out, err);
    }
    close_probe(&probe);
    return code;
}
