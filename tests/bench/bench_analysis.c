/* How much processor time the analysis of a million operations takes: overlap, bounds, causes, what
 * would have been without each, critical path, use of the streams; one thread, no file. Figures,
 * not a test: bench_analysis [operations]. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/random.h"
#include "probe/analysis/bounds.h"
#include "probe/analysis/critical.h"
#include "probe/analysis/stream_use.h"
#include "probe/analysis/summary.h"
#include "probe/analysis/what_if.h"
#include "probe/memory.h"

enum { OPS = 1000000, ROUNDS = 5, STREAMS = 32 };

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Chains of a copy up, two kernels and a copy down, on streams in turn. */
static void fill(struct gp_run_data *run)
{
    static const enum gp_op_kind kinds[] = {GP_OP_H2D, GP_OP_KERNEL, GP_OP_KERNEL, GP_OP_D2H};
    struct gp_random random = {1};
    int64_t free_at[STREAMS] = {0};

    for (uint32_t i = 0; i < run->op_count; i++) {
        uint32_t stream = i / 4 % STREAMS;
        int64_t begin = free_at[stream] + 1000 + (int64_t)gp_random_below(&random, 4000);
        int64_t end = begin + 2000 + (int64_t)gp_random_below(&random, 20000);

        run->ops[i] = (struct gp_op_row){
            .id = i,
            .stream = stream,
            .kind = kinds[i % 4],
            .name = "op",
            .begin = begin,
            .end = end,
            .begin_lo = begin,
            .submit_begin = 3000 * (int64_t)i / STREAMS,
            .submit_end = 3000 * (int64_t)i / STREAMS + 80,
            .bytes = 1 << 20,
            .grid = {1 + i % 300, 1, 1},
            .block = {256, 1, 1},
            .regs = 32,
            .engine = i % 4 == 0   ? 0
                      : i % 4 == 3 ? 1
                                   : -1,
            .connection = -1,
        };
        free_at[stream] = end;
        if (i % 4 != 0) {
            run->edges[run->edge_count++] =
                (struct gp_edge_row){i - 1, i, GP_EDGE_CHAIN, GP_HOW_STREAM};
        }
    }
}

/* How long who gives the work up has to wait for it at most. */
struct watch {
    double last_s, longest_s;
};

static bool watch(void *user)
{
    struct watch *watch = user;
    double at_s = now_s();

    watch->longest_s =
        at_s - watch->last_s > watch->longest_s ? at_s - watch->last_s : watch->longest_s;
    watch->last_s = at_s;
    return true;
}

/* A line of seconds: what each part took, and all. */
static void analyse(struct gp_run_data *run)
{
    struct watch watched = {0};
    struct gp_cell_data data = {.ops = run->ops, .op_count = run->op_count, .verified = -1};
    struct gp_cell_summary summary;
    struct gp_floor floor = {0};
    struct gp_bounds bounds;
    struct gp_causes causes;
    struct gp_what_if what_if;
    struct gp_critical critical;
    struct gp_stream_use uses[STREAMS];
    double at[7] = {now_s()};

    gp_summary_cell(&data, &summary);
    at[1] = now_s();
    if (!gp_floor_note(&floor, run)) {
        (void)fprintf(stderr, "bench_analysis: the run has no bounds\n");
        exit(1);
    }
    gp_bounds_measure(&floor, &bounds);
    gp_floor_finish(&floor);
    at[2] = now_s();
    watched.last_s = at[2];
    run->heed = (struct gp_heed){watch, &watched};
    (void)gp_causes_measure(run, &causes);
    run->heed = (struct gp_heed){0};
    at[3] = now_s();
    gp_what_if_measure(&causes, &what_if);
    at[4] = now_s();
    gp_critical_find(&causes, &critical);
    at[5] = now_s();
    (void)gp_stream_use_measure(&causes, uses);
    at[6] = now_s();
    (void)printf("%u operations: overlap %.3f, bounds %.3f, causes %.3f, without each %.3f, "
                 "critical path %.3f, streams %.3f, all %.3f s; who "
                 "gives up the causes waits %.3f s at most\n",
                 (unsigned)run->op_count, at[1] - at[0], at[2] - at[1], at[3] - at[2],
                 at[4] - at[3], at[5] - at[4], at[6] - at[5], at[6] - at[0], watched.longest_s);
    gp_critical_finish(&critical);
    gp_causes_finish(&causes);
}

int main(int argc, char **argv)
{
    uint32_t op_count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : OPS;
    struct gp_device_row device = {
        .id = 1, .kind = GP_ORIGIN_CUDA, .compute_major = 9, .sm_count = 132, .connections = 8};
    struct gp_cell_row cell = {.id = 1};
    struct gp_run_data run = {.device = &device, .cell = &cell, .op_count = op_count};

    run.ops = gp_xalloc(op_count, sizeof *run.ops);
    run.edges = gp_xalloc(op_count, sizeof *run.edges);
    run.streams = gp_xalloc(STREAMS, sizeof *run.streams);
    run.stream_count = STREAMS;
    gp_facts_collect(&device, NULL, 0, &run.facts);
    fill(&run);
    for (int round = 0; round < ROUNDS; round++) {
        analyse(&run);
    }
    gp_run_finish(&run);
    return 0;
}
