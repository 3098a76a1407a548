/* How much processor time it takes to say why each of a million operations waited; one thread, no
 * file. A figure, not a test: bench_causes [operations]. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/random.h"
#include "probe/analysis/causes.h"
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
        struct gp_causes causes;
        double begin_s = now_s();
        struct watch watched = {.last_s = begin_s};

        run.heed = (struct gp_heed){watch, &watched};
        (void)gp_causes_measure(&run, &causes);
        (void)printf(
            "%u operations: %u pieces of waits in %.3f s, at most %.3f s from giving it up to "
            "its end\n",
            (unsigned)op_count, (unsigned)causes.first[op_count], now_s() - begin_s,
            watched.longest_s);
        gp_causes_finish(&causes);
    }
    gp_run_finish(&run);
    return 0;
}
