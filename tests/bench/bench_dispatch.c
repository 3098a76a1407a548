/*
 * What the scheduling core costs: one choice of round-robin, one schedule, and dispatch over a
 * hand-written loop of the same calls, with and without a sink. Ratios of interleaved pairs, median
 * and 95 % interval of the median by order statistics.
 *
 * Usage: bench_dispatch [DEVICE], default "fake": a device that does nothing, where a call takes a
 * few ns, so that what dispatch adds is seen in ns an operation.
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/dispatch.h"
#include "fake_device.h"
#include "kernels/kernels.h"

enum { STREAMS = 8, CHAINS = 32, LINKS = 60, OPS = CHAINS * LINKS, PAIRS = 201, ELEMENTS = 256 };

struct bench {
    struct gp_fake fake;
    struct gp_device *device;
    struct gp_pool *pool;
    struct gp_buffer *data;
    struct gp_dag *dag;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_error err;
};

static void must(struct bench *bench, int code)
{
    if (code != 0) {
        (void)fprintf(stderr, "bench_dispatch: %s\n", bench->err.text);
        exit(1);
    }
}

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Of runs: the fake device's clock only counts its calls; a model's is its virtual time. */
static int64_t run_ns(struct bench *bench)
{
    return bench->device == &bench->fake.base ? now_ns() : gp_device_clock_ns(bench->device);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_median(const char *what, const char *unit, double *values)
{
    int half = (int)(0.98 * sqrt(PAIRS)); /* of the interval, in ranks */

    qsort(values, PAIRS, sizeof *values, compare);
    (void)printf("%-44s %10.3f  [%.3f, %.3f] %s\n", what, values[PAIRS / 2],
                 values[PAIRS / 2 - half], values[PAIRS / 2 + half], unit);
}

static struct gp_op *relu(struct bench *bench, struct gp_builder *builder)
{
    uint32_t count = ELEMENTS;
    const void *const args[] = {&bench->data->address, &bench->data->address, &count};
    const struct gp_access access = {bench->data, 0, bench->data->bytes, GP_ACCESS_READ_WRITE};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_relu,
        .grid = {1, 1, 1},
        .block = {256, 1, 1},
        .args = args,
        .accesses = &access,
        .access_count = 1,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

static void set_up(struct bench *bench, const char *spec)
{
    struct gp_op *chains[CHAINS];
    struct gp_builder *builder;

    gp_fake_init(&bench->fake);
    bench->fake.is_silent = true;
    bench->device = &bench->fake.base;
    if (strcmp(spec, "fake") != 0) {
        must(bench, gp_device_open(spec, NULL, &bench->device, &bench->err));
        must(bench, gp_device_kernel_prepare(bench->device, &gp_kernel_relu, &bench->err));
    }
    must(bench, gp_pool_create(bench->device, STREAMS, &bench->pool, &bench->err));
    must(bench, gp_buffer_create(bench->device, GP_SPACE_DEVICE, ELEMENTS * sizeof(float), 0,
                                 "data", &bench->data, &bench->err));
    must(bench, gp_builder_create(&builder, &bench->err));
    for (int i = 0; i < CHAINS; i++) {
        chains[i] = relu(bench, builder);
        for (int j = 1; j < LINKS; j++) {
            chains[i] = gp_op_and_then(builder, chains[i], relu(bench, builder));
        }
    }
    must(bench,
         gp_dag_freeze(builder, gp_op_zip(builder, chains, CHAINS), &bench->dag, &bench->err));
    gp_builder_destroy(builder);
    must(bench,
         gp_policy_create(gp_policy_find("round-robin"), STREAMS, &bench->policy, &bench->err));
    must(bench, gp_schedule_create(bench->policy, bench->dag, GP_ORDER_DEPTH, &bench->schedule,
                                   &bench->err));
    must(bench, gp_pool_reserve(bench->pool, bench->schedule->event_count, &bench->err));
}

static void tear_down(struct bench *bench)
{
    gp_schedule_destroy(bench->schedule);
    gp_policy_destroy(bench->policy);
    gp_dag_destroy(bench->dag);
    gp_buffer_destroy(bench->data);
    gp_pool_destroy(bench->pool);
    if (bench->device != &bench->fake.base) {
        gp_device_close(bench->device);
    }
    gp_fake_finish(&bench->fake);
}

static void measure_choose(struct bench *bench)
{
    enum { CHOICES = 10000 };
    double ns[PAIRS];
    struct gp_choice choice = {0};
    uint32_t sum = 0;

    for (int i = 0; i < PAIRS; i++) {
        int64_t begin_ns = now_ns();

        for (int j = 0; j < CHOICES; j++) {
            (void)bench->policy->ops->choose(bench->policy, NULL, bench->dag, 0, &choice, NULL);
            sum += choice.stream;
        }
        ns[i] = (double)(now_ns() - begin_ns) / CHOICES;
    }
    print_median("round-robin: choose", sum > 0 ? "ns" : "", ns);
}

static void measure_schedule(struct bench *bench)
{
    double ns[PAIRS];

    for (int i = 0; i < PAIRS; i++) {
        struct gp_schedule *schedule;
        int64_t begin_ns = now_ns();

        must(bench, gp_schedule_create(bench->policy, bench->dag, GP_ORDER_BREADTH, &schedule,
                                       &bench->err));
        ns[i] = (double)(now_ns() - begin_ns) / OPS;
        gp_schedule_destroy(schedule);
    }
    print_median("schedule, an operation", "ns", ns);
}

/* The same calls as a program without the library would make them. */
static double run_by_hand(struct bench *bench, struct gp_stream *const *streams,
                          const struct gp_launch *const *launches)
{
    int64_t begin_ns = run_ns(bench);
    int64_t submitted_ns;

    for (int i = 0; i < OPS; i++) {
        must(bench, gp_stream_launch(streams[i], launches[i], &bench->err));
    }
    submitted_ns = run_ns(bench);
    for (int i = 0; i < STREAMS; i++) {
        must(bench, gp_stream_sync(bench->pool->streams[i], &bench->err));
    }
    return (double)(submitted_ns - begin_ns);
}

/* Up to the last submitting call; on the fake device the whole, which is hardly more. */
static double run_dispatch(struct bench *bench, struct gp_sink *sink)
{
    const struct gp_dispatch dispatch = {
        .schedule = bench->schedule, .pool = bench->pool, .sink = sink};
    struct gp_run_times times;
    int64_t begin_ns = run_ns(bench);

    must(bench, gp_dispatch_run(&dispatch, &times, &bench->err));
    return (double)(bench->device == &bench->fake.base ? run_ns(bench) - begin_ns
                                                       : times.submitted_ns - times.begin_ns);
}

static void measure_dispatch(struct bench *bench, struct gp_sink *sink, const char *what)
{
    static struct gp_stream *streams[OPS];
    static const struct gp_launch *launches[OPS];
    double ratio[PAIRS];
    double added[PAIRS];
    double hand[PAIRS];
    char line[64];

    for (int i = 0; i < OPS; i++) {
        streams[i] = bench->pool->streams[bench->schedule->choices[i].stream];
        launches[i] = &bench->dag->ops[i].launch;
    }
    for (int i = 0; i < PAIRS; i++) {
        double dispatch_ns;

        hand[i] = run_by_hand(bench, streams, launches);
        dispatch_ns = run_dispatch(bench, sink);
        ratio[i] = dispatch_ns / hand[i];
        added[i] = (dispatch_ns - hand[i]) / OPS;
        hand[i] /= OPS;
    }
    (void)snprintf(line, sizeof line, "%s: by hand, an operation", what);
    print_median(line, "ns", hand);
    (void)snprintf(line, sizeof line, "%s: dispatch adds, an operation", what);
    print_median(line, "ns", added);
    (void)snprintf(line, sizeof line, "%s: dispatch over by hand", what);
    print_median(line, "x", ratio);
}

static void count_end(struct gp_sink *sink, uint32_t op, int64_t begin_ns, int64_t end_ns)
{
    (void)sink;
    (void)op;
    (void)begin_ns;
    (void)end_ns;
}

int main(int argc, char **argv)
{
    static const struct gp_sink_ops sink_ops = {.name = "count", .op_end = count_end};
    static struct bench bench;
    struct gp_sink sink = {&sink_ops};

    set_up(&bench, argc > 1 ? argv[1] : "fake");
    measure_choose(&bench);
    measure_schedule(&bench);
    measure_dispatch(&bench, NULL, "no sink");
    measure_dispatch(&bench, &sink, "a sink");
    tear_down(&bench);
    return 0;
}
