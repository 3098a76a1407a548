/* Statistics of a range, against adding up every ns. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "probe/memory.h"
#include "viewer/layout/range.h"
#include "viewer/made.h"

enum { COUNT = 400, STREAMS_USED = 3 };

struct world {
    struct gp_view_timeline *timeline;
    struct gp_view_rows *rows;
};

static int set_up(void **state)
{
    struct world *world = gp_xalloc(1, sizeof *world);
    struct made_op *ops = make_random_ops(COUNT, STREAMS_USED, 60, 21);

    world->timeline = make_timeline(ops, COUNT, STREAMS_USED);
    world->rows = gp_view_rows_create(world->timeline);
    gp_free(ops);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    gp_view_rows_destroy(world->rows);
    gp_view_timeline_destroy(world->timeline);
    gp_free(world);
    return 0;
}

static void sum(const struct world *world, int64_t from, int64_t to, struct gp_view_range *out)
{
    struct gp_view_range_query *query = gp_view_range_ask(world->timeline, world->rows, from, to);

    assert_true(gp_view_range_sum(query, NULL, out));
    gp_view_range_finish(query);
}

static uint32_t sum_names(const struct world *world, int64_t from, int64_t to,
                          struct gp_view_name_range **out)
{
    struct gp_view_range_query *query = gp_view_range_ask(world->timeline, world->rows, from, to);
    uint32_t count = gp_view_range_names(query, NULL, out);

    gp_view_range_finish(query);
    return count;
}

static bool meets(const struct gp_view_spans *spans, uint32_t span, int64_t from, int64_t to)
{
    int64_t begin = spans->begin_ns[span], end = gp_view_end_ns(spans, span);

    return begin < to && (begin == end ? begin >= from : end > from);
}

/* How many run in each ns of [from, to). */
static uint32_t *count_running(const struct gp_view_timeline *timeline, int64_t from, int64_t to)
{
    const struct gp_view_spans *spans = &timeline->tables[GP_VIEW_OPS];
    uint32_t *running = gp_xalloc((size_t)(to - from), sizeof *running);

    for (uint32_t i = 0; i < COUNT; i++) {
        int64_t end = gp_view_end_ns(spans, i);

        for (int64_t at = spans->begin_ns[i]; at < end; at++) {
            if (at >= from && at < to) {
                running[at - from]++;
            }
        }
    }
    return running;
}

static void test_sums_are_those_of_every_ns(void **state)
{
    const struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;
    int64_t length_ns = timeline->end_ns - timeline->begin_ns;
    uint64_t seed = 8;

    for (int round = 0; round < 100; round++) {
        int64_t from = timeline->begin_ns - 50 + (int64_t)next_random(&seed) % length_ns;
        int64_t to = from + 1 + (int64_t)next_random(&seed) % (round % 2 == 0 ? 60 : length_ns);
        uint32_t *running = count_running(timeline, from, to);
        struct gp_view_range range;
        int64_t busy = 0, some = 0, gap = 0, longest = 0;
        uint64_t count = 0;

        for (int64_t i = 0; i < to - from; i++) {
            busy += running[i];
            some += running[i] > 0;
            gap = running[i] > 0 ? 0 : gap + 1;
            longest = gap > longest ? gap : longest;
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            count += meets(&timeline->tables[GP_VIEW_OPS], i, from, to);
        }
        sum(world, from, to, &range);
        assert_int_equal(range.count, count);
        assert_int_equal(range.busy_ns, busy);
        assert_int_equal(range.running_ns, some);
        /* An operation without duration may part a gap. */
        assert_true(range.longest_gap_ns <= longest && range.longest_gap_ns * 4 >= longest);
        assert_true(some == 0 ? isnan(range.concurrency)
                              : fabs(range.concurrency - (double)busy / (double)some) < 1e-9);
        gp_free(running);
    }
}

static int compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static void test_names_are_exact(void **state)
{
    const struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;
    const struct gp_view_spans *spans = &timeline->tables[GP_VIEW_OPS];
    int64_t from = timeline->begin_ns + 500, to = timeline->end_ns - 700;
    struct gp_view_name_range *names;
    uint32_t count = sum_names(world, from, to, &names);

    assert_int_equal(count, MADE_NAMES);
    for (uint32_t i = 0; i < count; i++) {
        int64_t durations[COUNT], total = 0;
        uint64_t found = 0;

        for (uint32_t k = 0; k < COUNT; k++) {
            if (spans->name[k] == names[i].name && meets(spans, k, from, to)) {
                durations[found] = gp_view_end_ns(spans, k) - spans->begin_ns[k];
                total += durations[found++];
            }
        }
        qsort(durations, found, sizeof *durations, compare);
        assert_int_equal(names[i].count, found);
        assert_int_equal(names[i].total_ns, total);
        assert_int_equal(names[i].min_ns, durations[0]);
        assert_int_equal(names[i].max_ns, durations[found - 1]);
        assert_int_equal(names[i].p50_ns, durations[(found + 1) / 2 - 1]);
        assert_int_equal(names[i].p95_ns, durations[(uint64_t)ceil(0.95 * (double)found) - 1]);
        assert_true(i == 0 || names[i - 1].total_ns >= names[i].total_ns);
    }
    gp_free(names);
}

static void test_hidden_rows_do_not_count(void **state)
{
    const struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;
    struct gp_view_name_range *names;
    struct gp_view_range range;

    gp_view_rows_hide(world->rows, 0, true);
    sum(world, timeline->begin_ns, timeline->end_ns, &range);
    assert_int_equal(range.count, 0);
    assert_true(isnan(range.concurrency));
    assert_int_equal(range.longest_gap_ns, timeline->end_ns - timeline->begin_ns);
    assert_int_equal(sum_names(world, timeline->begin_ns, timeline->end_ns, &names), 0);
    assert_null(names);
}

struct given_up {
    struct gp_view_range_query *query;
    struct gp_view_range range;
    struct gp_view_name_range *names;
    bool is_summed;
    uint32_t name_count;
};

static void measure(struct gp_view_job *job, void *user)
{
    struct given_up *given_up = user;

    while (gp_view_job_go_on(job, 0)) {
    }
    given_up->is_summed = gp_view_range_sum(given_up->query, job, &given_up->range);
    given_up->name_count = gp_view_range_names(given_up->query, job, &given_up->names);
}

/* Rows that are hidden after it was asked count as they did; a job that is given up says so. */
static void test_asked_once_and_given_up(void **state)
{
    const struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;
    struct given_up given_up = {.is_summed = true, .name_count = 1};
    struct gp_view_range range;

    given_up.query = gp_view_range_ask(timeline, world->rows, timeline->begin_ns, timeline->end_ns);
    gp_view_rows_hide(world->rows, 0, true);
    assert_true(gp_view_range_sum(given_up.query, NULL, &range));
    assert_int_equal(range.count, COUNT);
    assert_false(gp_view_job_finish(gp_view_job_begin(measure, &given_up), true));
    assert_false(given_up.is_summed);
    assert_int_equal(given_up.name_count, 0);
    assert_null(given_up.names);
    gp_view_range_finish(given_up.query);
    gp_view_range_finish(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sums_are_those_of_every_ns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hidden_rows_do_not_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_asked_once_and_given_up, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
