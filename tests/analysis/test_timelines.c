/* Ten small timelines, drawn (not to scale), with the idle time of each cause worked out by hand.
 * Times are in microseconds, letters are operations. The 1 to 3 us between what held an operation
 * and its begin are the device's start, which goes with what held it. */
#include "test.h"

#include "analysis/hand.h"
#include "probe/analysis/causes.h"

enum { LINE_OPS_MAX = 6, LINE_EDGES_MAX = 4, LINE_CAUSES_MAX = 3, LINE_STREAMS_MAX = 3, US = 1000 };

/* How an operation is made. FULL is a kernel of 264 blocks, which are all that the SMs hold. */
enum what { KERNEL, FULL, UP, DOWN, HOST };

struct line_op {
    enum what what;
    uint32_t stream;
    int64_t submit_begin, submit_end, begin, end, release;
};

struct line_idle {
    enum gp_cause cause;
    int64_t us;
};

struct line {
    const char *name;
    uint32_t streams, op_count, edge_count, idle_count;
    struct line_op ops[LINE_OPS_MAX];
    uint32_t edges[LINE_EDGES_MAX][2];
    struct line_idle idle[LINE_CAUSES_MAX]; /* of all streams; other causes have none */
    enum gp_stream_flag flags[LINE_STREAMS_MAX];
};

static const struct line lines[] = {
    /* 1. A chain on one stream.
     *
     *   0  |....aaaaaaaa...bbbbbbbb...cccccccc         a 4-24, b 27-47, c 50-70
     *
     * 0-4 the host submits a. 24-27 and 47-50 each needs the one before it. */
    {.name = "chain",
     .streams = 1,
     .op_count = 3,
     .ops = {{KERNEL, 0, 0, 4, 4, 24, 0},
             {KERNEL, 0, 4, 8, 27, 47, 0},
             {KERNEL, 0, 8, 12, 50, 70, 0}},
     .edge_count = 2,
     .edges = {{0, 1}, {1, 2}},
     .idle_count = 2,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 4}, {GP_CAUSE_DEPENDENCY, 3 + 3}}},

    /* 2. The same, and none needs another: it is the stream that orders them. */
    {.name = "one stream",
     .streams = 1,
     .op_count = 3,
     .ops = {{KERNEL, 0, 0, 4, 4, 24, 0},
             {KERNEL, 0, 4, 8, 27, 47, 0},
             {KERNEL, 0, 8, 12, 50, 70, 0}},
     .idle_count = 2,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 4}, {GP_CAUSE_SAME_STREAM, 3 + 3}}},

    /* 3. b needs a, on another stream; c comes late.
     *
     *   0  |....aaaaaaaa.......cccc                    a 4-24, c 35-45
     *   1  |...............bbbbbbbb                    b 27-47
     *
     * Stream 0: 0-4 a is submitted; 24-34 c is, and begins at 35. Stream 1: 0-24 b needs a, and
     * begins at 27; that it was submitted at 8 does not matter. */
    {.name = "fork",
     .streams = 2,
     .op_count = 3,
     .ops = {{KERNEL, 0, 0, 4, 4, 24, 0},
             {KERNEL, 1, 4, 8, 27, 47, 0},
             {KERNEL, 0, 30, 34, 35, 45, 0}},
     .edge_count = 1,
     .edges = {{0, 1}},
     .idle_count = 2,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 4 + 11}, {GP_CAUSE_DEPENDENCY, 27}}},

    /* 4. A launch takes twice as long as a kernel.
     *
     *   0  |...........aaaaa...............ccccc       a 11-16, c 31-36
     *   1  |.....................bbbbb.....         ddddd     b 21-26, d 41-46
     *
     * Nobody is held by anything else. Stream 0: 0-11, 16-31. Stream 1: 0-21, 26-41. */
    {.name = "slow host",
     .streams = 2,
     .op_count = 4,
     .ops = {{KERNEL, 0, 0, 10, 11, 16, 0},
             {KERNEL, 1, 10, 20, 21, 26, 0},
             {KERNEL, 0, 20, 30, 31, 36, 0},
             {KERNEL, 1, 30, 40, 41, 46, 0}},
     .idle_count = 1,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 11 + 15 + 21 + 15}}},

    /* 5. Three uploads on three streams, and one engine.
     *
     *   0  |...aaaaaaaaaa                              a 3-23
     *   1  |............bbbbbbbbbb                     b 24-44
     *   2  |......................cccccccccc           c 45-65
     *
     * Submitted at 2, 4, 6. Stream 0: 0-3 the host. Stream 1: 0-4 the host, 4-24 a is copied.
     * Stream 2: 0-6 the host, 6-45 a and b are. */
    {.name = "one engine",
     .streams = 3,
     .op_count = 3,
     .ops = {{UP, 0, 0, 2, 3, 23, 0}, {UP, 1, 2, 4, 24, 44, 0}, {UP, 2, 4, 6, 45, 65, 0}},
     .idle_count = 2,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 3 + 4 + 6}, {GP_CAUSE_ENGINE_BUSY, 20 + 39}}},

    /* 6. Two chains of upload, kernel, download; an engine for each direction.
     *
     *   0  |..aaaaaaaaaa..bbbbbbbbbb..cccccccccc                  a 2-22,  b 24-44, c 46-66
     *   1  |............dddddddddd..eeeeeeeeee..ffffffffff        d 23-43, e 45-65, f 67-87
     *
     * Submitted at 1, 2, … 6. Stream 0: 0-2 the host; 22-24 and 44-46 the chain. Stream 1: 0-4 the
     * host, 4-23 a is copied; 43-45 the chain; 65-67 f has all that it needs, but c is copied. */
    {.name = "pipeline",
     .streams = 2,
     .op_count = 6,
     .ops = {{UP, 0, 0, 1, 2, 22, 0},
             {KERNEL, 0, 1, 2, 24, 44, 0},
             {DOWN, 0, 2, 3, 46, 66, 0},
             {UP, 1, 3, 4, 23, 43, 0},
             {KERNEL, 1, 4, 5, 45, 65, 0},
             {DOWN, 1, 5, 6, 67, 87, 0}},
     .edge_count = 4,
     .edges = {{0, 1}, {1, 2}, {3, 4}, {4, 5}},
     .idle_count = 3,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 2 + 4},
              {GP_CAUSE_DEPENDENCY, 2 + 2 + 2},
              {GP_CAUSE_ENGINE_BUSY, 19 + 2}}},

    /* 7. a has all SMs, and b needs some.
     *
     *   0  |....aaaaaaaaaaaaaaaaaaaa                   a 4-104
     *   1  |.........................bbbbbbbbbb        b 105-205
     *
     * Stream 0: 0-4 the host. Stream 1: 0-8 the host, 8-105 a. */
    {.name = "full device",
     .streams = 2,
     .op_count = 2,
     .ops = {{FULL, 0, 0, 4, 4, 104, 0}, {FULL, 1, 4, 8, 105, 205, 0}},
     .idle_count = 2,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 4 + 8}, {GP_CAUSE_SM_FULL, 97}}},

    /* 8. A host function h between two kernels; streams idle while it runs.
     *
     *   0  |....aaaaa........hhhhh..........bbbbb      a 4-14, h 30-40, b 60-70
     *
     * 0-4 the host's thread submits; 14-60 for h, before it and after it too. */
    {.name = "host function",
     .streams = 1,
     .op_count = 3,
     .ops = {{KERNEL, 0, 0, 4, 4, 14, 0}, {HOST, 0, 4, 5, 30, 40, 0}, {KERNEL, 0, 5, 6, 60, 70, 0}},
     .edge_count = 2,
     .edges = {{0, 1}, {1, 2}},
     .idle_count = 2,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 4}, {GP_CAUSE_HOST_FUNCTION, 46}}},

    /* 9. a is on the NULL stream, b on a blocking one, c on one that is not.
     *
     *   0  |....aaaaaaaaaaaaaaaaaaaaaaaaa              a 4-54
     *   1  |...............................bbbbbbb     b 56-106
     *   2  |.............cccccccccccccccc              c 13-63
     *
     * Submitted at 4, 8, 12. Stream 1: 0-8 the host, 8-56 a. */
    {.name = "NULL stream",
     .streams = 3,
     .op_count = 3,
     .ops = {{KERNEL, 0, 0, 4, 4, 54, 0},
             {KERNEL, 1, 4, 8, 56, 106, 0},
             {KERNEL, 2, 8, 12, 13, 63, 0}},
     .idle_count = 2,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 4 + 8 + 13}, {GP_CAUSE_NULL_STREAM, 48}},
     .flags = {GP_STREAM_NULL, GP_STREAM_BLOCKING, GP_STREAM_NON_BLOCKING}},

    /* 10. Two requests; b arrives at 100.
     *
     *   0  |.....aaaaa ............................... .....bbbbb     a 5-15, b 105-115
     *
     * 0-5 the host submits a. 15-100 there is nothing to do: what b needs, its arrival, is not
     * there. 100-105 the host submits b. */
    {.name = "arrival",
     .streams = 1,
     .op_count = 2,
     .ops = {{KERNEL, 0, 0, 4, 5, 15, 0}, {KERNEL, 0, 100, 104, 105, 115, 100}},
     .idle_count = 2,
     .idle = {{GP_CAUSE_NOT_SUBMITTED, 5 + 5}, {GP_CAUSE_DEPENDENCY, 85}}},
};

static struct hand hand;

static void make_op(const struct line_op *op)
{
    int64_t begin = op->begin * US, end = op->end * US;
    uint32_t id = 0;

    switch (op->what) {
    case KERNEL:
        id = hand_op(&hand, GP_OP_KERNEL, op->stream, begin, end);
        break;
    case FULL:
        id = hand_kernel(&hand, op->stream, 264, begin, end);
        break;
    case UP:
        id = hand_copy(&hand, GP_OP_H2D, op->stream, begin, end);
        break;
    case DOWN:
        id = hand_copy(&hand, GP_OP_D2H, op->stream, begin, end);
        break;
    case HOST:
        id = hand_op(&hand, GP_OP_HOST, op->stream, begin, end);
        break;
    }
    hand_submit(&hand, id, op->submit_begin * US, op->submit_end * US);
    hand.ops[id].release = op->release * US;
}

static void make(const struct line *line)
{
    hand_init(&hand, line->streams);
    for (uint32_t i = 0; i < line->streams; i++) {
        hand.streams[i].flag = line->flags[i];
    }
    for (uint32_t i = 0; i < line->op_count; i++) {
        make_op(&line->ops[i]);
    }
    for (uint32_t i = 0; i < line->edge_count; i++) {
        hand_edge(&hand, line->edges[i][0], line->edges[i][1]);
    }
}

static void check(const struct line *line)
{
    int64_t expected_us[GP_CAUSE_COUNT] = {0};
    int64_t all_us = 0;
    struct gp_causes causes;

    for (uint32_t i = 0; i < line->idle_count; i++) {
        expected_us[line->idle[i].cause] = line->idle[i].us;
        all_us += line->idle[i].us;
    }
    gp_causes_measure(&hand.data, &causes);
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        int64_t found_ns = causes.totals[cause].idle_ns;

        if (found_ns != expected_us[cause] * US) {
            fail_msg("%s: idle for %s %lld ns, not %lld us", line->name,
                     gp_cause_name((enum gp_cause)cause), (long long)found_ns,
                     (long long)expected_us[cause]);
        }
    }
    assert_int_equal(causes.idle_ns, all_us * US);
    gp_causes_finish(&causes);
}

static void test_timelines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        make(&lines[i]);
        check(&lines[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timelines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
