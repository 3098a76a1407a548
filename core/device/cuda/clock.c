/* The clocks of the CUDA device: the host's, and its relation to the GPU's by ping-pong through
 * mapped memory. */
#include <assert.h>
#include <time.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "core/device/cuda/internal.h"

enum { PING_ROUNDS = 64 };

/* The kernel gives up after 2 s; we wait longer than it does, so that its end is seen. */
static const int64_t patience_ns = 3000000000;

/* Pinned. Each side writes its own cache line. */
struct gp_cuda_ping {
    _Alignas(64) _Atomic uint32_t request;
    _Alignas(64) _Atomic uint32_t ack;
    _Alignas(64) uint64_t times[PING_ROUNDS];
};

/* What a polling loop does between two looks, for the processor's sake. */
#if defined(__x86_64__)
static void relax(void)
{
    _mm_pause();
}
#elif defined(__aarch64__)
static void relax(void)
{
    __asm__ volatile("yield");
}
#else
static void relax(void)
{
}
#endif

static int64_t now_ns(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t gp_cuda_clock_ns(struct gp_device *device)
{
    (void)device;
    return now_ns();
}

void gp_cuda_pause(struct gp_device *device, int64_t until_ns)
{
    (void)device;
    (void)until_ns;
    relax();
}

static int submit_ping(struct gp_cuda *cuda, struct gp_stream *stream, struct gp_error *err)
{
    struct gp_cuda_ping *ping = cuda->ping;
    const gp_addr request = (uintptr_t)&ping->request;
    const gp_addr ack = (uintptr_t)&ping->ack;
    const gp_addr times = (uintptr_t)ping->times;
    const uint32_t rounds = PING_ROUNDS;
    const void *const args[] = {&request, &ack, &times, &rounds};
    const struct gp_launch launch = {
        .kernel = cuda->clock_kernel,
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .args = args,
    };

    assert(cuda->clock_kernel->arg_count == sizeof args / sizeof args[0]);
    atomic_store_explicit(&ping->request, 0, memory_order_relaxed);
    atomic_store_explicit(&ping->ack, 0, memory_order_relaxed);
    return gp_cuda_launch(stream, &launch, err);
}

/* One question and its answer; false when none came. */
static bool ask(struct gp_cuda_ping *ping, uint32_t round, struct gp_clock_sample *out)
{
    const int64_t before = now_ns();

    atomic_store_explicit(&ping->request, round, memory_order_release);
    while (atomic_load_explicit(&ping->ack, memory_order_acquire) < round) {
        relax();
        if (now_ns() - before > patience_ns) {
            return false;
        }
    }
    out->host_before_ns = before;
    out->host_after_ns = now_ns();
    return true;
}

/* All rounds; *best is that of the shortest round trip, 0 when an answer was missing. */
static void ask_all(struct gp_cuda_ping *ping, struct gp_clock_sample *out, uint32_t *best)
{
    int64_t shortest_ns = INT64_MAX;

    *best = 0;
    for (uint32_t round = 1; round <= PING_ROUNDS; round++) {
        struct gp_clock_sample sample;

        if (!ask(ping, round, &sample)) {
            /* Let the kernel run through, should it still begin. */
            atomic_store_explicit(&ping->request, PING_ROUNDS, memory_order_release);
            *best = 0;
            return;
        }
        if (sample.host_after_ns - sample.host_before_ns < shortest_ns) {
            shortest_ns = sample.host_after_ns - sample.host_before_ns;
            *out = sample;
            *best = round;
        }
    }
}

/* The clock's step: the greatest common divisor of the differences, of which there are enough
 * different ones. 0 when the clock stood still. */
static int64_t measure_tick(const uint64_t *times)
{
    uint64_t divisor = 0;

    for (int i = 1; i < PING_ROUNDS; i++) {
        uint64_t rest = times[i] - times[i - 1];

        while (rest != 0) {
            const uint64_t next = divisor % rest;

            divisor = rest;
            rest = next;
        }
    }
    return (int64_t)divisor;
}

/* Caller holds clock_lock. */
static int sample(struct gp_cuda *cuda, struct gp_clock_sample *out, struct gp_error *err)
{
    struct gp_stream *stream = NULL;
    struct gp_clock_sample found = {0};
    uint32_t best = 0;
    int code = gp_cuda_control_stream(cuda, &stream, err);

    if (code == 0) {
        code = gp_cuda_kernel_prepare(&cuda->base, cuda->clock_kernel, err);
    }
    if (code == 0 && cuda->ping == NULL) {
        void *block = NULL;

        code = gp_cuda_host_alloc(&cuda->base, sizeof *cuda->ping, &block, err);
        cuda->ping = block;
    }
    if (code == 0) {
        code = submit_ping(cuda, stream, err);
    }
    if (code != 0) {
        return code;
    }
    ask_all(cuda->ping, &found, &best);
    code = gp_cuda_stream_sync(stream, err);
    if (code != 0) {
        return code;
    }
    if (best == 0) {
        return gp_fail(err, GP_ESTATE,
                       "the clock kernel did not answer: cuda:%d must be idle while its clock is "
                       "read",
                       cuda->base.info.ordinal);
    }
    found.device_ns = (int64_t)cuda->ping->times[best - 1];
    if (cuda->base.info.timer_tick_ns == 0) {
        cuda->base.info.timer_tick_ns = measure_tick(cuda->ping->times);
    }
    *out = found;
    return 0;
}

int gp_cuda_clock_sample(struct gp_device *device, struct gp_clock_sample *out,
                         struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    int code = gp_cuda_enter(cuda, err);

    assert(out != NULL);
    if (code != 0) {
        return code;
    }
    if (cuda->clock_kernel == NULL) {
        return gp_fail(err, GP_EUNSUPPORTED,
                       "the device clock of cuda:%d cannot be read: it was opened without a clock "
                       "kernel",
                       device->info.ordinal);
    }
    if (gp_cuda_thread.capturing != NULL) {
        return gp_fail(err, GP_ESTATE, "the device clock cannot be read during a capture");
    }
    (void)pthread_mutex_lock(&cuda->clock_lock);
    code = sample(cuda, out, err);
    (void)pthread_mutex_unlock(&cuda->clock_lock);
    return code != 0 && err != NULL ? gp_fail_context(err, "clock sample") : code;
}

void gp_cuda_clock_release(struct gp_cuda *cuda)
{
    if (cuda->ping != NULL) {
        (void)cuda->driver.cuMemFreeHost(cuda->ping);
        cuda->ping = NULL;
    }
}
