/* Answers, from recordings made by hand. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "probe/store/writer.h"
#include "probe/verdict/judge.h"
#include "store/rows.h"

enum { CELLS = 4, RUNS = 5 };

/* Makespans in microseconds of `single`, of round-robin/4 and /16, and of a cell that failed. */
struct made {
    int64_t plain_us[CELLS][RUNS];
    uint32_t run_count;
};

static const struct gp_claim_test chain = {.claim = "chain-needs-none",
                                           .scenario = "chain",
                                           .source = "a test",
                                           .over = {.streams = {4, 16}},
                                           .under = {.policy = "single"},
                                           .at_least = 0.97};

static void add_cell(struct gp_writer *writer, const struct made *made, int64_t id)
{
    static const int32_t streams[CELLS] = {1, 4, 16, 8};
    struct gp_cell_row cell = make_cell(id, 1);
    struct gp_error err = {0};

    cell.scenario = "chain";
    cell.params = "{\"blocks\":16,\"links\":240,\"us\":10,\"width\":1}";
    cell.policy = id == 1 ? "single" : "round-robin";
    cell.streams = streams[id - 1];
    cell.submit = GP_SUBMIT_STREAMS;
    cell.order = GP_ORDER_DEPTH;
    cell.completion = "event-poll";
    cell.status = id == CELLS ? GP_STATUS_FAILED : GP_STATUS_COMPLETE;
    cell.error = id == CELLS ? "it fell over" : "";
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    for (uint32_t i = 0; i < made->run_count; i++) {
        struct gp_run_rows run = {.run = {.id = id * 100 + i,
                                          .cell = id,
                                          .pass = GP_PASS_PLAIN,
                                          .trace_note = "",
                                          .repeat = (int32_t)i,
                                          .makespan_ns = made->plain_us[id - 1][i] * 1000,
                                          .submit_ns = 1,
                                          .verified = -1,
                                          .status = GP_STATUS_COMPLETE}};

        gp_assert_ok(gp_writer_add_run(writer, &run, &err), err);
        /* The twin takes a fifth more. */
        run.run.id += 50;
        run.run.pass = GP_PASS_TRACED;
        run.run.trace = GP_TRACE_EVENTS;
        run.run.makespan_ns = run.run.makespan_ns / 5 * 6;
        gp_assert_ok(gp_writer_add_run(writer, &run, &err), err);
    }
}

/* The answer to one claim; *evidence is the caller's (gp_free). */
static enum gp_verdict judge(const struct made *made, const struct gp_claim_test *test,
                             const char *missing, char **evidence)
{
    const char *path = make_path("judged.gpuprobe");
    const struct gp_metric_row metric = {1, 0, "hazards", 0, NAN, NAN};
    struct gp_device_row device = make_device(1);
    struct gp_verdicts verdicts = {0};
    struct gp_writer *writer = NULL;
    struct gp_reader *reader = NULL;
    struct gp_error err = {0};
    enum gp_verdict answer;

    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    for (int64_t id = 1; id <= CELLS; id++) {
        add_cell(writer, made, id);
    }
    gp_assert_ok(gp_writer_add_metrics(writer, &metric, 1, &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    gp_assert_ok(gp_verdicts_judge(reader, &test, 1, missing, &verdicts, &err), err);
    assert_int_equal(verdicts.count, 1);
    assert_string_equal(verdicts.rows->claim, test->claim);
    answer = verdicts.rows->answer;
    *evidence = (char *)(uintptr_t)verdicts.rows->evidence;
    verdicts.rows->evidence = NULL;
    gp_verdicts_finish(&verdicts);
    gp_reader_close(reader);
    (void)unlink(path);
    return answer;
}

static void expect(const struct made *made, const struct gp_claim_test *test,
                   enum gp_verdict answer, const char *in_evidence)
{
    char *evidence = NULL;

    assert_int_equal(judge(made, test, "they are not ours to choose", &evidence), answer);
    if (strstr(evidence, in_evidence) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", evidence, in_evidence);
    }
    gp_free(evidence);
}

static const struct made same = {
    {{1000, 1001, 999, 1000, 1002},
     {1001, 1000, 1000, 999, 1003},
     {2000, 2001, 1999, 2000, 2001},
     {1, 1, 1, 1, 1}},
    RUNS,
};

/* The faster of two pools speaks for them, unless the slower is asked for. */
static void test_holds_and_does_not(void **state)
{
    struct gp_claim_test test = chain;

    (void)state;
    expect(&same, &test, GP_VERDICT_HOLDS,
           "round-robin/4 takes 1.00 times (1.00 to 1.00) as long as single: 1.00 ms against 1.00 "
           "ms; the claim needs at least 0.97");
    test.at_least = 1.5;
    expect(&same, &test, GP_VERDICT_FAILS, "\"at_least\":1.5,\"at_most\":null");
    test.over.pick = GP_PICK_SLOWEST;
    expect(&same, &test, GP_VERDICT_HOLDS, "round-robin/16 takes 2.00 times");
    test.at_least = 0;
    test.at_most = 1.1;
    expect(&same, &test, GP_VERDICT_FAILS, "the claim allows at most 1.10");
    test.at_most = 2.1;
    expect(&same, &test, GP_VERDICT_HOLDS, "\"over\":{\"label\":\"round-robin/16\",\"cell\":3");
}

static void test_interval_across_the_limit(void **state)
{
    struct made made = same;

    (void)state;
    for (uint32_t i = 0; i < RUNS; i++) {
        made.plain_us[1][i] = 900 + 50 * i;
    }
    expect(&made, &chain, GP_VERDICT_UNKNOWN, "the interval reaches to both sides of that");
    made.run_count = 1;
    expect(&made, &chain, GP_VERDICT_UNKNOWN, "one run has no interval");
}

static void test_cells_that_are_not_there(void **state)
{
    struct gp_claim_test test = chain;

    (void)state;
    test.over.streams[1] = 8;
    expect(&same, &test, GP_VERDICT_UNKNOWN, "round-robin/8 is failed: it fell over");
    test.over.streams[1] = 32;
    expect(&same, &test, GP_VERDICT_UNKNOWN, "a cell that decides it was not run");
    test.over.streams[1] = 0;
    test.over.connections = 31;
    expect(&same, &test, GP_VERDICT_UNKNOWN, "they are not ours to choose");
    test.over.connections = 0;
    test.settings[0] = (struct gp_setting){"width", "2"};
    expect(&same, &test, GP_VERDICT_UNKNOWN, "a cell that decides it was not run");
    test.settings[0].text = "1";
    expect(&same, &test, GP_VERDICT_HOLDS, "\"median\":1.0");
}

static void test_figures_of_one_cell(void **state)
{
    struct gp_claim_test test = {.claim = "chain-needs-none",
                                 .scenario = "chain",
                                 .source = "a test",
                                 .over = {.streams = {4}, .trace = GP_TRACE_EVENTS},
                                 .is_absolute = true,
                                 .quantity = GP_QUANTITY_PERTURBATION,
                                 .at_least = 1.1};

    (void)state;
    expect(&same, &test, GP_VERDICT_HOLDS,
           "traced runs of round-robin/4 take 1.200 times (1.200 to 1.200) as long as plain ones");
    test.over.trace = GP_TRACE_STAMPS;
    expect(&same, &test, GP_VERDICT_UNKNOWN, "was not run");
    test.quantity = GP_QUANTITY_HAZARDS;
    test.at_least = 0;
    expect(&same, &test, GP_VERDICT_UNKNOWN, "hazards is not known");
    test.over = (struct gp_claim_side){.policy = "single"};
    expect(&same, &test, GP_VERDICT_HOLDS, "hazards of single are 0; the claim allows at most 0");
}

static int leave(void **state)
{
    (void)state;
    remove_directory();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_and_does_not),
        cmocka_unit_test(test_interval_across_the_limit),
        cmocka_unit_test(test_cells_that_are_not_there),
        cmocka_unit_test(test_figures_of_one_cell),
    };

    return cmocka_run_group_tests(tests, NULL, leave);
}
