/*
 * How fast the model is: operations of a swarm of independent small kernels on 32 streams in one
 * second of one core, how long a million of them take, and what memory that needs.
 *
 * Usage: bench_model [KERNELS [BLOCKS [BYTES]]], default 1 000 000 kernels of 4 blocks that touch
 * no memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/device/device.h"

enum { STREAMS = 32 };

static uint64_t bytes_per_block;

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    (void)launch;
    out->issue = 4000;
    out->latency_cycles = 8000;
    out->read_bytes = bytes_per_block;
}

static const struct gp_kernel kernel = {
    .name = "small", .summary = "a small kernel", .registers = 32, .work = work};

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long resident_kib(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void must(int code, const struct gp_error *err)
{
    if (code != 0) {
        (void)fprintf(stderr, "bench_model: %s\n", err->text);
        exit(1);
    }
}

/* A device that waits for its host, and one whose streams are always full. */
static const char *const texts[] = {
    "gpuprobe-profile 1\nname host-bound\nmodels H200\nbase h200\n",
    "gpuprobe-profile 1\nname device-bound\nmodels H200\nbase h200\n"
    "host_launch_ns 0 ns assumed bench\nhost_launch_active_ns 0 ns assumed bench\n"
    "host_between_ns 0 ns assumed bench\n",
};

static void run(const char *text, uint64_t kernels, uint32_t blocks)
{
    struct gp_launch launch = {.kernel = &kernel, .grid = {blocks, 1, 1}, .block = {128, 1, 1}};
    const struct gp_device_options options = {.profile_text = text};
    struct gp_stream *streams[STREAMS] = {NULL};
    struct gp_device *device = NULL;
    struct gp_error err = {0};
    int64_t begin_ns;
    int64_t virtual_ns;
    int64_t took_ns;

    must(gp_device_open("model:bench", &options, &device, &err), &err);
    gp_device_set_execute(device, false);
    for (int i = 0; i < STREAMS; i++) {
        must(gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &streams[i], &err), &err);
    }
    virtual_ns = gp_device_clock_ns(device);
    begin_ns = now_ns();
    for (uint64_t i = 0; i < kernels; i++) {
        must(gp_stream_launch(streams[i % STREAMS], &launch, &err), &err);
    }
    for (int i = 0; i < STREAMS; i++) {
        must(gp_stream_sync(streams[i], &err), &err);
    }
    took_ns = now_ns() - begin_ns;
    virtual_ns = gp_device_clock_ns(device) - virtual_ns;
    (void)printf("%s: %.3f s of one core, %.2f million operations a second; %.3f s of virtual "
                 "time; %ld KiB resident at most\n",
                 strstr(device->info.profile_json, "host-bound") != NULL ? "host-bound"
                                                                         : "device-bound",
                 (double)took_ns / 1e9, (double)kernels * 1e3 / (double)took_ns,
                 (double)virtual_ns / 1e9, resident_kib());
    gp_device_close(device);
}

int main(int argc, char **argv)
{
    const uint64_t kernels = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    const uint32_t blocks = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 4;

    bytes_per_block = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    (void)printf("%llu kernels of %u blocks, %llu bytes each\n", (unsigned long long)kernels,
                 blocks, (unsigned long long)bytes_per_block);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        run(texts[i], kernels, blocks);
    }
    return 0;
}
