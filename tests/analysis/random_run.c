/* Random timelines: see random_run.h. */
#include "analysis/random_run.h"

static int64_t below(struct gp_random *random, uint32_t end)
{
    return (int64_t)gp_random_below(random, end);
}

void random_run(struct hand *hand, struct gp_random *random)
{
    int64_t free_at[RANDOM_RUN_STREAMS] = {0};
    uint32_t count = 1 + (uint32_t)below(random, 120);

    hand_init(hand, RANDOM_RUN_STREAMS);
    for (uint32_t i = 0; i < RANDOM_RUN_STREAMS; i++) {
        hand->streams[i].flag = (enum gp_stream_flag)below(random, 3);
        hand->streams[i].priority = (int32_t)below(random, 3) - 1;
    }
    hand->data.facts.event_timed_ns = 1500;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t stream = (uint32_t)below(random, RANDOM_RUN_STREAMS);
        int64_t begin = free_at[stream] + below(random, 60000);
        int64_t end = begin + below(random, 200000);
        uint32_t op = hand_kernel(hand, stream, 1 + (uint32_t)below(random, 800), begin, end);

        hand->ops[op].kind = (enum gp_op_kind)below(random, GP_OP_KIND_COUNT);
        hand->ops[op].engine = (int32_t)below(random, 4) - 1;
        hand->ops[op].bytes = below(random, 1 << 20);
        hand_submit(hand, op, below(random, 400000), 400000 + below(random, 100000));
        if (below(random, 10) == 0) {
            hand->ops[op].submit_end = GP_UNKNOWN;
        }
        if (below(random, 8) == 0) {
            hand->ops[op].release = below(random, (uint32_t)begin + 1);
        }
        if (below(random, 15) == 0) {
            hand->ops[op].end = GP_UNKNOWN;
        }
        if (i > 0 && below(random, 3) == 0) {
            hand_edge(hand, (uint32_t)below(random, i), i);
        }
        if (hand->data.call_count < HAND_CALLS_MAX && below(random, 4) == 0) {
            hand_call(hand, below(random, 2) == 0 ? "timed record" : "cuMemFree", op,
                      below(random, 100000), 100000 + below(random, 100000));
        }
        free_at[stream] = end;
    }
}
