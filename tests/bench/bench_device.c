/*
 * What a device makes of completions, graphs and threads: 2 000 small kernels on 8 streams with a
 * completion each, in every mode; 256 of 50 µs on 32 streams, more than the device has connections;
 * the small ones as 8 branches through streams and as one graph; and 16 threads that choose and
 * launch. Ratios of interleaved pairs, median and 95 % interval of the median by order statistics.
 *
 * Usage: bench_device [DEVICE], default "auto". On the model times are its virtual ones.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/graph_submit.h"
#include "kernels/kernels.h"

enum { STREAMS = 8, KERNELS = 2000, ELEMENTS = 256, PAIRS = 41, THREADS = 16, TURNS = 200 };
enum { MANY_STREAMS = 32, LONG_KERNELS = 256, LONG_ITERATIONS = 20000 };

/* One more than the completion modes: without any. */
enum { WAYS = GP_COMPLETION_COUNT + 1, NO_COMPLETION = GP_COMPLETION_COUNT };

struct bench {
    struct gp_device *device;
    struct gp_pool *pool;
    struct gp_buffer *data;
    struct gp_dag *dag;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_signal signal;
    struct gp_mark (*marks)[KERNELS]; /* by mode */
    bool is_supported[WAYS];
    struct gp_error err;
};

static void must(struct bench *bench, int code)
{
    if (code != 0) {
        (void)fprintf(stderr, "bench_device: %s\n", bench->err.text);
        exit(1);
    }
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
    (void)printf("%-52s %10.3f  [%.3f, %.3f] %s\n", what, values[PAIRS / 2],
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
        .block = {ELEMENTS, 1, 1},
        .args = args,
        .accesses = &access,
        .access_count = 1,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

/* 8 chains of 250 kernels, which share their data: what they compute does not matter. */
static void build(struct bench *bench)
{
    struct gp_op *chains[STREAMS];
    struct gp_builder *builder;

    must(bench, gp_builder_create(&builder, &bench->err));
    for (int i = 0; i < STREAMS; i++) {
        chains[i] = relu(bench, builder);
        for (int j = 1; j < KERNELS / STREAMS; j++) {
            chains[i] = gp_op_and_then(builder, chains[i], relu(bench, builder));
        }
    }
    must(bench,
         gp_dag_freeze(builder, gp_op_zip(builder, chains, STREAMS), &bench->dag, &bench->err));
    gp_builder_destroy(builder);
}

static void make_marks(struct bench *bench)
{
    void *flags;

    bench->marks = calloc(GP_COMPLETION_COUNT, sizeof *bench->marks);
    if (bench->marks == NULL) {
        exit(1);
    }
    gp_signal_init(&bench->signal, bench->device);
    must(bench,
         gp_device_host_alloc(bench->device, KERNELS * sizeof(uint32_t), &flags, &bench->err));
    bench->is_supported[NO_COMPLETION] = true;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        for (int i = 0; i < KERNELS; i++) {
            must(bench,
                 gp_mark_init(&bench->marks[mode][i], bench->device, (enum gp_completion)mode,
                              (uint32_t *)flags + i, &bench->signal, &bench->err));
        }
        bench->is_supported[mode] =
            gp_mark_set(&bench->marks[mode][0], bench->pool->streams[0], &bench->err) == 0;
        must(bench, gp_stream_sync(bench->pool->streams[0], &bench->err));
        if (!bench->is_supported[mode]) {
            (void)printf("completion '%s': %s\n", gp_completion_name((enum gp_completion)mode),
                         bench->err.text);
        }
    }
}

static void set_up(struct bench *bench, const char *spec)
{
    must(bench, gp_device_open(spec, NULL, &bench->device, &bench->err));
    must(bench, gp_device_kernel_prepare(bench->device, &gp_kernel_relu, &bench->err));
    must(bench, gp_device_kernel_prepare(bench->device, &gp_kernel_fma_1, &bench->err));
    must(bench, gp_pool_create(bench->device, MANY_STREAMS, &bench->pool, &bench->err));
    must(bench, gp_buffer_create(bench->device, GP_SPACE_DEVICE, ELEMENTS * sizeof(float), 0,
                                 "data", &bench->data, &bench->err));
    build(bench);
    must(bench,
         gp_policy_create(gp_policy_find("round-robin"), STREAMS, &bench->policy, &bench->err));
    must(bench, gp_schedule_create(bench->policy, bench->dag, GP_ORDER_BREADTH, &bench->schedule,
                                   &bench->err));
    must(bench, gp_pool_reserve(bench->pool, bench->schedule->event_count, &bench->err));
    make_marks(bench);
    (void)printf("%s\n", bench->device->info.name);
}

/* ---- completion ---- */

/* Kernels that go round the first streams of the pool, and what they are called. */
struct load {
    const struct gp_launch *launch;
    uint32_t kernels, streams;
    const char *name;
};

static void await_all(struct bench *bench, struct gp_mark *marks, uint32_t marks_count)
{
    struct gp_mark *some[GP_STREAMS_MAX];
    uint32_t at;

    for (uint32_t first = 0; first < marks_count; first += GP_STREAMS_MAX) {
        uint32_t count = 0;

        while (count < GP_STREAMS_MAX && first + count < marks_count) {
            some[count] = &marks[first + count];
            count++;
        }
        must(bench, gp_marks_wait(some, count, &at, &bench->err));
    }
}

/* All kernels, each with its completion, until the last is known; one thread. */
static double complete(struct bench *bench, const struct load *load, int way)
{
    int64_t begin_ns = gp_device_clock_ns(bench->device);

    for (uint32_t i = 0; i < load->kernels; i++) {
        struct gp_stream *stream = bench->pool->streams[i % load->streams];

        must(bench, gp_stream_launch(stream, load->launch, &bench->err));
        if (way != NO_COMPLETION) {
            must(bench, gp_mark_set(&bench->marks[way][i], stream, &bench->err));
        }
    }
    if (way != NO_COMPLETION) {
        await_all(bench, bench->marks[way], load->kernels);
    } else {
        for (uint32_t i = 0; i < load->streams; i++) {
            must(bench, gp_stream_sync(bench->pool->streams[i], &bench->err));
        }
    }
    return (double)(gp_device_clock_ns(bench->device) - begin_ns);
}

static void measure_completion(struct bench *bench, const struct load *load)
{
    static double ns[WAYS][PAIRS];
    char line[80];

    for (int pair = -1; pair < PAIRS; pair++) {
        for (int way = 0; way < WAYS; way++) {
            double taken_ns = bench->is_supported[way] ? complete(bench, load, way) : 0;

            if (pair >= 0) {
                ns[way][pair] = taken_ns;
            }
        }
    }
    for (int way = 0; way < WAYS; way++) {
        const char *name =
            way == NO_COMPLETION ? "none" : gp_completion_name((enum gp_completion)way);
        double us[PAIRS];
        double ratio[PAIRS];

        for (int pair = 0; pair < PAIRS; pair++) {
            us[pair] = ns[way][pair] / 1000;
            ratio[pair] = ns[GP_COMPLETION_HOST_FUNC][pair] / ns[way][pair];
        }
        if (bench->is_supported[way]) {
            (void)snprintf(line, sizeof line, "completion %s, %s", name, load->name);
            print_median(line, "us", us);
            (void)snprintf(line, sizeof line, "completion host-func over %s", name);
            print_median(line, "x", ratio);
        }
    }
}

static void measure_completions(struct bench *bench)
{
    const uint32_t count = ELEMENTS, iterations = LONG_ITERATIONS;
    const float multiplier = 1.0f;
    const void *const args[] = {&bench->data->address, &count, &iterations, &multiplier};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_fma_1, .grid = {1, 1, 1}, .block = {ELEMENTS, 1, 1}, .args = args};
    const struct load tiny = {&bench->dag->ops[0].launch, KERNELS, STREAMS, "2000 kernels"};
    const struct load many = {&launch, LONG_KERNELS, MANY_STREAMS, "256 of 50 us, 32 streams"};

    measure_completion(bench, &tiny);
    measure_completion(bench, &many);
}

/* ---- graphs ---- */

static double run(struct bench *bench, struct gp_graph *graph)
{
    const struct gp_dispatch dispatch = {
        .schedule = bench->schedule, .pool = bench->pool, .graph = graph};
    struct gp_run_times times;

    must(bench, gp_dispatch_run(&dispatch, &times, &bench->err));
    return (double)(times.end_ns - times.begin_ns);
}

static void measure_graphs(struct bench *bench)
{
    const struct gp_dispatch dispatch = {.schedule = bench->schedule, .pool = bench->pool};
    double streams_us[PAIRS];
    double graph_us[PAIRS];
    double ratio[PAIRS];
    struct gp_graph *graph;
    int64_t instantiate_ns;

    must(bench, gp_graph_submit_create(&dispatch, &graph, &instantiate_ns, &bench->err));
    (void)run(bench, graph);
    for (int pair = 0; pair < PAIRS; pair++) {
        streams_us[pair] = run(bench, NULL) / 1000;
        graph_us[pair] = run(bench, graph) / 1000;
        ratio[pair] = streams_us[pair] / graph_us[pair];
    }
    (void)printf("%-52s %10.3f  us, once\n", "graph of 2000 kernels: instantiate",
                 (double)instantiate_ns / 1000);
    print_median("2000 kernels on 8 branches: streams", "us", streams_us);
    print_median("2000 kernels on 8 branches: graph", "us", graph_us);
    print_median("streams over graph", "x", ratio);
    must(bench, gp_graph_destroy(graph, &bench->err));
}

/* ---- threads ---- */

struct thread {
    struct bench *bench;
    pthread_t id;
    double choose_ns[PAIRS], launch_ns[PAIRS];
};

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Choosing is timed as a whole: reading the clock around each choice would cost as much as it. The
 * launches of one turn follow its choices. */
static void take_turns(struct thread *self, int pair)
{
    struct bench *bench = self->bench;
    uint32_t streams[TURNS];
    struct gp_choice choice = {0};
    struct gp_error err = {0};
    int64_t begin_ns = now_ns();
    int64_t chosen_ns;

    for (int i = 0; i < TURNS; i++) {
        (void)bench->policy->ops->choose(bench->policy, NULL, bench->dag, 0, &choice, NULL);
        streams[i] = choice.stream;
    }
    chosen_ns = now_ns();
    for (int i = 0; i < TURNS; i++) {
        if (gp_stream_launch(bench->pool->streams[streams[i]], &bench->dag->ops[0].launch, &err) !=
            0) {
            (void)fprintf(stderr, "bench_device: %s\n", err.text);
            exit(1);
        }
    }
    self->choose_ns[pair] = (double)(chosen_ns - begin_ns) / TURNS;
    self->launch_ns[pair] = (double)(now_ns() - chosen_ns) / TURNS;
}

static void *work(void *user)
{
    struct thread *self = user;
    struct gp_error err = {0};

    if (gp_device_attach(self->bench->device, &err) != 0) {
        (void)fprintf(stderr, "bench_device: %s\n", err.text);
        exit(1);
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        take_turns(self, pair);
    }
    gp_device_detach(self->bench->device);
    return NULL;
}

/* On the real clock, also on the model, whose calls then take what the model itself takes. */
static void measure_threads(struct bench *bench)
{
    static struct thread threads[THREADS];
    double choose_ns[PAIRS] = {0};
    double launch_ns[PAIRS] = {0};
    double percent[PAIRS];

    gp_device_detach(bench->device);
    for (int i = 0; i < THREADS; i++) {
        threads[i].bench = bench;
        if (pthread_create(&threads[i].id, NULL, work, &threads[i]) != 0) {
            exit(1);
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i].id, NULL);
    }
    must(bench, gp_device_attach(bench->device, &bench->err));
    for (int pair = 0; pair < PAIRS; pair++) {
        for (int i = 0; i < THREADS; i++) {
            choose_ns[pair] += threads[i].choose_ns[pair] / THREADS;
            launch_ns[pair] += threads[i].launch_ns[pair] / THREADS;
        }
        percent[pair] = 100 * choose_ns[pair] / launch_ns[pair];
    }
    print_median("16 threads: choose", "ns", choose_ns);
    print_median("16 threads: launch", "ns", launch_ns);
    print_median("16 threads: choose, of the launch", "%", percent);
}

static void tear_down(struct bench *bench)
{
    for (int i = 0; i < STREAMS; i++) {
        must(bench, gp_stream_sync(bench->pool->streams[i], &bench->err));
    }
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        for (int i = 0; i < KERNELS; i++) {
            gp_mark_finish(&bench->marks[mode][i]);
        }
    }
    free(bench->marks);
    gp_signal_finish(&bench->signal);
    gp_schedule_destroy(bench->schedule);
    gp_policy_destroy(bench->policy);
    gp_dag_destroy(bench->dag);
    gp_buffer_destroy(bench->data);
    gp_pool_destroy(bench->pool);
    gp_device_close(bench->device);
}

int main(int argc, char **argv)
{
    static struct bench bench;

    set_up(&bench, argc > 1 ? argv[1] : "auto");
    measure_completions(&bench);
    measure_graphs(&bench);
    measure_threads(&bench);
    tear_down(&bench);
    return 0;
}
