/* The copy oracle: see oracle.h. */
#include "probe/timing/oracle.h"

#include <assert.h>
#include <string.h>

#include "kernels/kernels.h"
#include "probe/memory.h"
#include "probe/record.h"

enum { OLD_BYTE = 0xff, NEW_BYTE = 0x01, WARP = 32, SLOTS = GP_CLOCK_MARKS };

/* What each of its streams is for. */
enum { STREAM_WATCH, STREAM_COPY, STREAM_BEFORE, STREAM_LOAD, STREAMS };

/* The watched copy is in the first quarter when there are others: then what loads the other
 * direction is in the third and the copy before it in the last. */
static const uint64_t quarter = GP_ORACLE_BYTES_MAX / 4;

static const uint32_t old_word = 0xffffffffu;
static const int64_t patience_ns = INT64_C(2000000000);

struct gp_oracle {
    struct gp_device *device;
    struct gp_stream *helper;
    struct gp_stream *streams[STREAMS];
    struct gp_event *before, *done;
    struct gp_clock clock;
    gp_addr memory;              /* GP_ORACLE_BYTES_MAX */
    uint8_t *source, *landing;   /* pinned, likewise; the source is all new bytes */
    gp_addr times;               /* two a word, on the device */
    uint64_t *host_times;        /* pinned copy */
    uint32_t *ready;             /* pinned */
    gp_addr slots;               /* of the clock's marks */
    struct gp_stamp *host_slots; /* pinned */
};

/* ---- making and releasing ---- */

static int allocate(struct gp_oracle *oracle, struct gp_error *err)
{
    struct gp_device *device = oracle->device;
    const uint64_t times_bytes = sizeof(uint64_t[2 * GP_ORACLE_WORDS]);
    const uint64_t slots_bytes = SLOTS * sizeof(struct gp_stamp);
    void *blocks[5] = {NULL};
    int code = gp_device_mem_alloc(device, GP_ORACLE_BYTES_MAX, &oracle->memory, err);

    code = code == 0 ? gp_device_mem_alloc(device, times_bytes, &oracle->times, err) : code;
    code = code == 0 ? gp_device_mem_alloc(device, slots_bytes, &oracle->slots, err) : code;
    code = code == 0 ? gp_device_host_alloc(device, GP_ORACLE_BYTES_MAX, &blocks[0], err) : code;
    code = code == 0 ? gp_device_host_alloc(device, times_bytes, &blocks[1], err) : code;
    code = code == 0 ? gp_device_host_alloc(device, sizeof(uint32_t), &blocks[2], err) : code;
    code = code == 0 ? gp_device_host_alloc(device, slots_bytes, &blocks[3], err) : code;
    code = code == 0 ? gp_device_host_alloc(device, GP_ORACLE_BYTES_MAX, &blocks[4], err) : code;
    oracle->source = blocks[0];
    oracle->host_times = blocks[1];
    oracle->ready = blocks[2];
    oracle->host_slots = blocks[3];
    oracle->landing = blocks[4];
    if (code == 0) {
        memset(oracle->source, NEW_BYTE, GP_ORACLE_BYTES_MAX);
    }
    return code;
}

int gp_oracle_create(struct gp_device *device, struct gp_stream *stream, struct gp_oracle **out,
                     struct gp_error *err)
{
    struct gp_oracle *oracle;
    int code;

    assert(device != NULL && stream != NULL && out != NULL);
    if (device->info.kind == GP_DEVICE_MODEL) {
        return gp_fail(err, GP_EUNSUPPORTED,
                       "the model's copies move all their bytes at once: nothing to watch");
    }
    oracle = gp_xalloc(1, sizeof *oracle);
    oracle->device = device;
    oracle->helper = stream;
    code = allocate(oracle, err);
    for (int i = 0; i < STREAMS && code == 0; i++) {
        code = gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &oracle->streams[i], err);
    }
    code = code == 0 ? gp_event_create(device, GP_EVENT_TIMED, &oracle->before, err) : code;
    code = code == 0 ? gp_event_create(device, GP_EVENT_TIMED, &oracle->done, err) : code;
    code = code == 0 ? gp_clock_init(&oracle->clock, device, stream, err) : code;
    code = code == 0 ? gp_device_kernel_prepare(device, &gp_kernel_watch, err) : code;
    code = code == 0 ? gp_device_kernel_prepare(device, &gp_kernel_vector_add, err) : code;
    if (code != 0) {
        gp_oracle_destroy(oracle);
        return code;
    }
    *out = oracle;
    return 0;
}

void gp_oracle_destroy(struct gp_oracle *oracle)
{
    if (oracle == NULL) {
        return;
    }
    void *const blocks[] = {oracle->source, oracle->landing, oracle->host_times, oracle->ready,
                            oracle->host_slots};

    gp_clock_finish(&oracle->clock);
    (void)gp_event_destroy(oracle->before, NULL);
    (void)gp_event_destroy(oracle->done, NULL);
    for (int i = 0; i < STREAMS; i++) {
        (void)gp_stream_destroy(oracle->streams[i], NULL);
    }
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (blocks[i] != NULL) {
            (void)gp_device_host_free(oracle->device, blocks[i], NULL);
        }
    }
    (void)gp_device_mem_free(oracle->device, oracle->memory, NULL);
    (void)gp_device_mem_free(oracle->device, oracle->times, NULL);
    (void)gp_device_mem_free(oracle->device, oracle->slots, NULL);
    gp_free(oracle);
}

int gp_oracle_anchor(struct gp_oracle *oracle, struct gp_error *err)
{
    return gp_clock_anchor(&oracle->clock, &gp_kernel_vector_add, oracle->slots, oracle->host_slots,
                           err);
}

/* ---- an upload, watched by the device ---- */

/* The first word and the last are among those watched, the others lie evenly between. */
static uint32_t stride_words(uint64_t bytes)
{
    return (uint32_t)((bytes / sizeof(uint32_t) - 1) / (GP_ORACLE_WORDS - 1));
}

static int launch_watch(struct gp_oracle *oracle, uint64_t bytes, struct gp_error *err)
{
    const uint32_t stride = stride_words(bytes);
    const gp_addr ready = (uintptr_t)oracle->ready;
    const void *const args[] = {&oracle->memory, &stride, &old_word, &oracle->times, &ready};
    const struct gp_launch launch = {.kernel = &gp_kernel_watch,
                                     .grid = {1, 1, 1},
                                     .block = {GP_ORACLE_WORDS * WARP, 1, 1},
                                     .args = args};
    int64_t begin_ns = gp_device_clock_ns(oracle->device);
    int code;

    *oracle->ready = 0;
    code = gp_stream_launch(oracle->streams[STREAM_WATCH], &launch, err);
    while (code == 0 && gp_device_flag_read(oracle->device, oracle->ready) == 0) {
        gp_device_pause(oracle->device, INT64_MAX);
        if (gp_device_clock_ns(oracle->device) - begin_ns > patience_ns) {
            code = gp_fail(err, GP_ESTATE, "the watching kernel did not begin");
        }
    }
    return code;
}

static int copy(struct gp_oracle *oracle, int stream, int direction, uint64_t offset,
                uint64_t bytes, struct gp_error *err)
{
    bool is_upload = direction == GP_DIRECTION_H2D;
    const uint64_t host = (uintptr_t)(is_upload ? oracle->source : oracle->landing) + offset;
    const uint64_t memory = oracle->memory + offset;

    return gp_stream_copy(oracle->streams[stream], is_upload ? GP_COPY_H2D : GP_COPY_D2H,
                          is_upload ? memory : host, is_upload ? host : memory, bytes, err);
}

/* The other traffic, then copy and event, with the host times around the copy's call. */
static int submit_copy(struct gp_oracle *oracle, const struct gp_oracle_plan *plan,
                       struct gp_oracle_sample *out, struct gp_error *err)
{
    int code = 0;

    for (int i = 0; plan->traffic == GP_ORACLE_LOADED && i < GP_ORACLE_LOADS && code == 0; i++) {
        code = copy(oracle, STREAM_LOAD, plan->direction ^ 1, 2 * quarter, quarter, err);
    }
    if (plan->traffic != GP_ORACLE_ALONE && code == 0) {
        code = copy(oracle, STREAM_BEFORE, plan->direction, 3 * quarter, plan->bytes, err);
        code =
            code == 0 ? gp_event_record(oracle->before, oracle->streams[STREAM_BEFORE], err) : code;
    }
    out->submit_begin_ns = gp_device_clock_ns(oracle->device);
    code = code == 0 ? copy(oracle, STREAM_COPY, plan->direction, 0, plan->bytes, err) : code;
    out->submit_end_ns = gp_device_clock_ns(oracle->device);
    return code == 0 ? gp_event_record(oracle->done, oracle->streams[STREAM_COPY], err) : code;
}

static int sync(struct gp_oracle *oracle, struct gp_error *err)
{
    int code = 0;

    for (int i = 0; i < STREAMS && code == 0; i++) {
        code = gp_stream_sync(oracle->streams[i], err);
    }
    return code;
}

/* The sample's first and last change, of each word's [lo, hi] in times. */
static void take_changes(const int64_t times[2 * GP_ORACLE_WORDS], struct gp_oracle_sample *out)
{
    out->first_lo_ns = INT64_MAX;
    out->first_hi_ns = INT64_MAX;
    out->last_lo_ns = INT64_MIN;
    out->last_hi_ns = INT64_MIN;
    for (int i = 0; i < GP_ORACLE_WORDS; i++) {
        int64_t lo = times[2 * (size_t)i];
        int64_t hi = times[2 * (size_t)i + 1];

        out->first_lo_ns = lo < out->first_lo_ns ? lo : out->first_lo_ns;
        out->first_hi_ns = hi < out->first_hi_ns ? hi : out->first_hi_ns;
        out->last_lo_ns = lo > out->last_lo_ns ? lo : out->last_lo_ns;
        out->last_hi_ns = hi > out->last_hi_ns ? hi : out->last_hi_ns;
    }
}

static int watch_upload(struct gp_oracle *oracle, const struct gp_oracle_plan *plan,
                        struct gp_oracle_sample *out, struct gp_error *err)
{
    int64_t times[2 * GP_ORACLE_WORDS];
    int code =
        gp_stream_set(oracle->streams[STREAM_WATCH], oracle->memory, OLD_BYTE, plan->bytes, err);

    code = code == 0 ? launch_watch(oracle, plan->bytes, err) : code;
    code = code == 0 ? submit_copy(oracle, plan, out, err) : code;
    code = code == 0 ? sync(oracle, err) : code;
    if (code == 0) {
        code = gp_stream_copy(oracle->streams[STREAM_WATCH], GP_COPY_D2H,
                              (uintptr_t)oracle->host_times, oracle->times, sizeof times, err);
    }
    code = code == 0 ? sync(oracle, err) : code;
    for (int i = 0; i < 2 * GP_ORACLE_WORDS && code == 0; i++) {
        times[i] = gp_clock_host_ns(&oracle->clock, (int64_t)oracle->host_times[i]);
    }
    if (code == 0) {
        take_changes(times, out);
    }
    return code;
}

/* ---- a download, watched by the host ---- */

/* One look at a word: before the change `times[0]` moves on, at it `times[1]` is set. Whether it
 * has changed. */
static bool look(struct gp_oracle *oracle, const uint32_t *word, int64_t times[2])
{
    int64_t now_ns = gp_device_clock_ns(oracle->device);

    if (gp_device_flag_read(oracle->device, word) == old_word) {
        times[0] = now_ns;
        return false;
    }
    times[1] = gp_device_clock_ns(oracle->device);
    return true;
}

static int watch_words(struct gp_oracle *oracle, uint64_t bytes, int64_t times[2 * GP_ORACLE_WORDS],
                       struct gp_error *err)
{
    const uint32_t *words = (const uint32_t *)(const void *)oracle->landing;
    const uint32_t stride = stride_words(bytes);
    int64_t begin_ns = gp_device_clock_ns(oracle->device);
    uint32_t open = (UINT32_C(1) << GP_ORACLE_WORDS) - 1;

    for (size_t i = 0; i < GP_ORACLE_WORDS; i++) {
        times[2 * i] = begin_ns;
    }
    while (open != 0) {
        for (size_t i = 0; i < GP_ORACLE_WORDS; i++) {
            uint32_t bit = UINT32_C(1) << i;

            if ((open & bit) != 0 && look(oracle, &words[i * stride], &times[2 * i])) {
                open &= ~bit;
            }
        }
        if (open != 0 && gp_device_clock_ns(oracle->device) - begin_ns > patience_ns) {
            return gp_fail(err, GP_ESTATE, "the watched words never changed");
        }
    }
    return 0;
}

static int watch_download(struct gp_oracle *oracle, const struct gp_oracle_plan *plan,
                          struct gp_oracle_sample *out, struct gp_error *err)
{
    int64_t times[2 * GP_ORACLE_WORDS];
    struct gp_stream *stream = oracle->streams[STREAM_COPY];
    int code = gp_stream_set(stream, oracle->memory, OLD_BYTE, plan->bytes, err);

    /* By the engine and not by the host, whose cache then would have to give the lines back. */
    code = code == 0 ? copy(oracle, STREAM_COPY, GP_DIRECTION_D2H, 0, plan->bytes, err) : code;
    code = code == 0 ? gp_stream_set(stream, oracle->memory, NEW_BYTE, plan->bytes, err) : code;
    code = code == 0 ? sync(oracle, err) : code;
    code = code == 0 ? submit_copy(oracle, plan, out, err) : code;
    code = code == 0 ? watch_words(oracle, plan->bytes, times, err) : code;
    if (code == 0) {
        take_changes(times, out);
        code = sync(oracle, err);
    }
    return code;
}

const char *gp_oracle_traffic_name(enum gp_oracle_traffic traffic)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_ORACLE_TRAFFICS(X)
#undef X
    };

    return (unsigned)traffic < GP_ORACLE_TRAFFIC_COUNT ? words[traffic] : "unknown";
}

void gp_oracle_list(const struct gp_oracle_plan *plan, struct gp_oracle_operations *out)
{
    bool is_upload = plan->direction == GP_DIRECTION_H2D;
    enum gp_op_kind kind = is_upload ? GP_OP_H2D : GP_OP_D2H;

    memset(out, 0, sizeof *out);
    out->kinds[out->count++] = GP_OP_MEMSET;
    if (is_upload) {
        out->kinds[out->count++] = GP_OP_KERNEL;
    } else {
        out->kinds[out->count++] = GP_OP_D2H;
        out->kinds[out->count++] = GP_OP_MEMSET;
    }
    for (int i = 0; plan->traffic == GP_ORACLE_LOADED && i < GP_ORACLE_LOADS; i++) {
        out->kinds[out->count++] = is_upload ? GP_OP_D2H : GP_OP_H2D;
    }
    if (plan->traffic != GP_ORACLE_ALONE) {
        out->kinds[out->count++] = kind;
    }
    out->copy = out->count;
    out->kinds[out->count++] = kind;
    if (is_upload) {
        out->kinds[out->count++] = GP_OP_D2H; /* the kernel's times */
    }
    assert(out->count <= GP_ORACLE_OPERATIONS_MAX);
}

int gp_oracle_copy(struct gp_oracle *oracle, const struct gp_oracle_plan *plan,
                   struct gp_oracle_sample *out, struct gp_error *err)
{
    int code;

    assert(plan->bytes >= 64 && plan->bytes % 64 == 0);
    assert(plan->bytes <= (plan->traffic == GP_ORACLE_ALONE ? GP_ORACLE_BYTES_MAX : quarter));
    memset(out, 0, sizeof *out);
    code = plan->direction == GP_DIRECTION_H2D ? watch_upload(oracle, plan, out, err)
                                               : watch_download(oracle, plan, out, err);
    out->clock_ns = plan->direction == GP_DIRECTION_D2H ? gp_clock_residual_ns(&oracle->clock) : 0;
    out->before_ns = GP_UNKNOWN;
    if (code == 0 && plan->traffic != GP_ORACLE_ALONE) {
        code = gp_clock_event_ns(&oracle->clock, oracle->before, &out->before_ns, err);
    }
    return code == 0 ? gp_clock_event_ns(&oracle->clock, oracle->done, &out->done_ns, err) : code;
}
