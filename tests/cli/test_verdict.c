/* The sentence under a table, for every shape that results can have. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "probe/cli/report.h"

enum { CELLS_MAX = 8 };

/* b best, r recommended, t tied (as summary.h says); x failed, i incomplete; f faster, s slower, =
 * the same as round-robin with as many streams; g submitted as a graph; w issued breadth first; k
 * kept, timed by stamps, e by events. */
struct given {
    const char *policy;
    int32_t streams;
    double ms, speedup;
    const char *flags;
};

static const struct {
    const char *name;
    struct given cells[CELLS_MAX];
    const char *verdict;
    const char *differences; /* NULL: "" */
} cases[] = {
    {"nothing complete",
     {{"single", 1, NAN, NAN, "x"}},
     "No cell is complete, so there is no verdict.",
     NULL},
    {"one cell",
     {{"round-robin", 4, 9.15, NAN, "brt"}},
     "round-robin with 4 streams: 9.150 ms; there is nothing to compare it with.",
     NULL},
    {"single alone",
     {{"single", 1, 9.15, 1, "brt"}},
     "single: 9.150 ms; there is nothing to compare it with.",
     NULL},
    {"the knee before a plateau",
     {{"single", 1, 22.3, 1, ""},
      {"round-robin", 1, 22.3, 1, ""},
      {"round-robin", 2, 11.7, 1.91, ""},
      {"round-robin", 4, 9.15, 2.44, "rt"},
      {"round-robin", 8, 9.07, 2.46, "bt"},
      {"round-robin", 16, 9.08, 2.46, "t"},
      {"round-robin", 32, 9.08, 2.46, "t"}},
     "round-robin with 4 streams: 9.150 ms, 2.44 × single; the smallest pool within 2 % of the "
     "best "
     "(round-robin with 8 streams); not distinguishable from the best: round-robin 8–32.",
     NULL},
    {"the best stands alone",
     {{"single", 1, 6.45, 1, ""}, {"round-robin", 32, 0.326, 19.8, "brt"}},
     "round-robin with 32 streams: 326.0 µs, 19.80 × single; the best.",
     NULL},
    {"single is enough",
     {{"single", 1, 6.45, 1, "brt"},
      {"round-robin", 1, 6.45, 1, "t"},
      {"round-robin", 4, 6.6, 0.98, "t"}},
     "single is enough: 6.450 ms; nothing is faster; not distinguishable from the best: "
     "round-robin 1, 4.",
     NULL},
    {"single is enough though not the best",
     {{"single", 1, 6.45, 1, "r"}, {"round-robin", 4, 6.4, 1.01, "b"}},
     "single is enough: 6.450 ms; within 2 % of the best (round-robin with 4 streams).",
     NULL},
    {"two policies, single among the tied",
     {{"single", 1, 6.5, 1, "t"},
      {"round-robin", 2, 6.4, 1.02, "t"},
      {"level", 1, 6.3, 1.03, "br"},
      {"level", 2, 6.3, 1.03, "t"}},
     "level with 1 stream: 6.300 ms, which is not known to beat single; the best; not "
     "distinguishable from the best: single, round-robin 2, level 2.",
     NULL},
    {"some differ from round-robin",
     {{"round-robin", 1, 22.3, NAN, "="},
      {"round-robin", 2, 11.7, NAN, "br="},
      {"roles", 1, 22.3, NAN, "="},
      {"roles", 2, 30, NAN, "s"},
      {"roles", 4, 30, NAN, "s"},
      {"roles", 8, 30, NAN, "s"},
      {"roles", 16, 11, NAN, "f"},
      {"level", 1, 22, NAN, "f"}},
     "round-robin with 2 streams: 11.70 ms; the best.",
     "Against round-robin with as many streams, beyond the intervals: roles slower 2–8, roles "
     "faster 16, level faster 1."},
    {"graphs are named",
     {{"round-robin", 2, 11.7, NAN, "="},
      {"level", 2, 12, NAN, "="},
      {"round-robin", 2, 9, NAN, "brg="},
      {"level", 2, 10, NAN, "tgs"}},
     "round-robin (graph) with 2 streams: 9.000 ms; the best; not distinguishable from the best: "
     "level (graph) 2.",
     "Against round-robin with as many streams, beyond the intervals: level (graph) slower 2."},
    {"orders of issue are named where they differ",
     {{"single", 1, 24, 1, "k"},
      {"round-robin", 4, 9.1, 2.64, "brtk"},
      {"round-robin", 4, 9.2, 2.6, "tw"},
      {"round-robin", 8, 9.2, 2.6, "t"}},
     "round-robin with 4 streams: 9.100 ms, 2.64 × single; the best; not distinguishable from the "
     "best: round-robin (breadth first) 4, round-robin 8.",
     NULL},
    {"ways of timing are named where they differ",
     {{"single", 1, 16, 1, ""},
      {"round-robin", 8, 3.4, 4.8, "te"},
      {"round-robin", 8, 3.3, 4.9, "brtkgw"}},
     "round-robin (graph, breadth first, stamps) with 8 streams: 3.300 ms, 4.90 × single; the "
     "best; not distinguishable from the best: round-robin (events) 8.",
     NULL},
    {"none differs from round-robin",
     {{"single", 1, 6.5, 1, "="},
      {"round-robin", 1, 6.4, 1.02, "br="},
      {"level", 1, 6.4, 1.02, "="}},
     "round-robin with 1 stream: 6.400 ms, 1.02 × single; the best.",
     "No policy differs from round-robin with as many streams by more than the intervals."},
    {"cut short",
     {{"single", 1, 6.45, 1, "brt"},
      {"round-robin", 1, 6.45, 1, "t"},
      {"round-robin", 4, 2.1, NAN, "i"}},
     "Of the 2 complete cells of 3: single is enough: 6.450 ms; nothing is faster; not "
     "distinguishable from the best: round-robin 1.",
     NULL},
    {"cut short but for one",
     {{"single", 1, 6.45, 1, "brt"}, {"round-robin", 4, 2.1, NAN, "i"}},
     "Of the 1 complete cell of 2: single: 6.450 ms; there is nothing to compare it with.",
     NULL},
    {"the fast ones failed",
     {{"single", 1, 6.45, 1, "brt"},
      {"round-robin", 1, 6.45, 1, "t"},
      {"round-robin", 2, 3.2, NAN, "x"},
      {"round-robin", 4, 1.6, NAN, "x"}},
     "2 cells failed. Of the 2 complete cells of 4: single is enough: 6.450 ms; nothing is faster; "
     "not distinguishable from the best: round-robin 1.",
     NULL},
    {"a pool that may be the best",
     {{"single", 1, 9.0, 1, ""},
      {"round-robin", 2, 3.4, 2.65, "rt"},
      {"round-robin", 4, 3.0, 3.0, "bt"}},
     "round-robin with 2 streams: 3.400 ms, 2.65 × single; the smallest pool that may be the best "
     "(round-robin with 4 streams); not distinguishable from the best: round-robin 4.",
     NULL},
    {"without single there is no speed-up",
     {{"round-robin", 1, 22.3, NAN, ""}, {"round-robin", 2, 11.7, NAN, "brt"}},
     "round-robin with 2 streams: 11.70 ms; the best.",
     NULL},
};

static void test_verdicts(void **state)
{
    const struct gp_terminal terminal = {.utf8 = true};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gp_result cells[CELLS_MAX] = {0};
        struct gp_cell_row rows[CELLS_MAX] = {0};
        char verdict[GP_VERDICT_BYTES_MAX];
        uint32_t count = 0;

        for (; count < CELLS_MAX && cases[i].cells[count].policy != NULL; count++) {
            const struct given *given = &cases[i].cells[count];

            cells[count].cell = &rows[count];
            rows[count].policy = given->policy;
            rows[count].streams = given->streams;
            rows[count].status = strchr(given->flags, 'x') != NULL   ? GP_STATUS_FAILED
                                 : strchr(given->flags, 'i') != NULL ? GP_STATUS_INCOMPLETE
                                                                     : GP_STATUS_COMPLETE;
            cells[count].summary.makespan_ns.median = given->ms * 1e6;
            cells[count].summary.speedup = given->speedup;
            cells[count].summary.is_best = strchr(given->flags, 'b') != NULL;
            cells[count].summary.is_recommended = strchr(given->flags, 'r') != NULL;
            rows[count].submit =
                strchr(given->flags, 'g') != NULL ? GP_SUBMIT_GRAPH : GP_SUBMIT_STREAMS;
            rows[count].order =
                strchr(given->flags, 'w') != NULL ? GP_ORDER_BREADTH : GP_ORDER_DEPTH;
            cells[count].kept_run = strpbrk(given->flags, "ke") != NULL ? 1 : 0;
            cells[count].trace = strchr(given->flags, 'k') != NULL   ? GP_TRACE_STAMPS
                                 : strchr(given->flags, 'e') != NULL ? GP_TRACE_EVENTS
                                                                     : GP_TRACE_OFF;
            cells[count].summary.versus_round_robin =
                strchr(given->flags, 'f') != NULL   ? GP_VERSUS_FASTER
                : strchr(given->flags, 's') != NULL ? GP_VERSUS_SLOWER
                : strchr(given->flags, '=') != NULL ? GP_VERSUS_SAME
                                                    : GP_VERSUS_UNKNOWN;
            cells[count].summary.is_tied = strchr(given->flags, 't') != NULL;
        }
        gp_report_verdict(cells, count, &terminal, verdict);
        if (strcmp(verdict, cases[i].verdict) != 0) {
            fail_msg("%s:\n%s\nexpected:\n%s", cases[i].name, verdict, cases[i].verdict);
        }
        gp_report_differences(cells, count, &terminal, verdict);
        assert_string_equal(verdict, cases[i].differences != NULL ? cases[i].differences : "");
    }
}

static void test_long_verdicts_are_cut(void **state)
{
    static char policies[2][400];
    const struct gp_terminal terminal = {0};
    struct gp_result cells[CELLS_MAX] = {0};
    struct gp_cell_row rows[CELLS_MAX] = {0};
    char verdict[GP_VERDICT_BYTES_MAX];

    (void)state;
    memset(policies[0], 'p', sizeof policies[0] - 1);
    memset(policies[1], 'q', sizeof policies[1] - 1);
    for (int i = 0; i < CELLS_MAX; i++) {
        cells[i].cell = &rows[i];
        rows[i].policy = policies[i % 2];
        rows[i].status = GP_STATUS_COMPLETE;
        rows[i].streams = i + 1;
        cells[i].summary.is_tied = true;
        cells[i].summary.is_best = cells[i].summary.is_recommended = i == 3;
    }
    gp_report_verdict(cells, CELLS_MAX, &terminal, verdict);
    assert_int_equal(strlen(verdict), GP_VERDICT_BYTES_MAX - 1);
}

static void test_what_the_recorder_spoils_is_said(void **state)
{
    const struct gp_terminal terminal = {0};
    struct gp_cell_row rows[3] = {{.policy = "single", .streams = 1},
                                  {.policy = "round-robin", .streams = 16},
                                  {.policy = "round-robin", .streams = 32}};
    struct gp_result cells[3] = {
        {.cell = &rows[0], .summary.perturbation.median = 1.05},
        {.cell = &rows[1], .summary.perturbation.median = 1.5},
        {.cell = &rows[2], .summary.perturbation.median = 3.58, .trace_note = "events hold"}};
    char text[GP_VERDICT_BYTES_MAX];

    (void)state;
    gp_report_disturbance(cells, 3, &terminal, text);
    assert_string_equal(text, "Recording makes round-robin with 32 streams take 3.6 x as long "
                              "(events hold), so that its operations are not those of a run "
                              "without a recorder; it disturbs 1 more.");
    gp_report_disturbance(cells, 1, &terminal, text);
    assert_string_equal(text, "");
    cells[0].summary.perturbation.median = NAN;
    gp_report_disturbance(cells, 1, &terminal, text);
    assert_string_equal(text, "");
}

static void test_wrong_data_and_hazards_are_wrong(void **state)
{
    struct gp_result cells[2] = {{.verified = 1, .metrics.hazards = NAN},
                                 {.verified = -1, .metrics.hazards = 0}};
    const struct gp_results results = {cells, 2};

    (void)state;
    assert_false(gp_report_is_wrong(&results));
    cells[1].metrics.hazards = 1;
    assert_true(gp_report_is_wrong(&results));
    cells[1].metrics.hazards = 0;
    cells[0].verified = 0;
    assert_true(gp_report_is_wrong(&results));
}

static void test_times_have_four_digits(void **state)
{
    static const struct {
        double ns;
        const char *text;
    } times[] = {
        {0, "0 ns"},          {950, "950 ns"},       {1500, "1.500 us"},     {99900, "99.90 us"},
        {123456, "123.5 us"}, {1234567, "1.235 ms"}, {12345678, "12.35 ms"}, {999.9e6, "999.9 ms"},
        {2.5e9, "2.500 s"}};
    const struct gp_terminal terminal = {0};
    char text[GP_TIME_BYTES_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        gp_report_time(times[i].ns, &terminal, text);
        assert_string_equal(text, times[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_long_verdicts_are_cut),
        cmocka_unit_test(test_what_the_recorder_spoils_is_said),
        cmocka_unit_test(test_wrong_data_and_hazards_are_wrong),
        cmocka_unit_test(test_times_have_four_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
