/* Sorting many lines, and work in a thread that is looked at and given up. */
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "probe/memory.h"
#include "viewer/layout/sort.h"
#include "viewer/made.h"

enum { COUNT = 70000 };

static int64_t *make_keys(uint64_t seed)
{
    int64_t *keys = gp_xalloc(COUNT, sizeof *keys);

    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t dice = next_random(&seed);
        int64_t high = (int64_t)(next_random(&seed) << 32), low = (int64_t)next_random(&seed);

        /* Few and many values, on both sides of 0, and what is unknown. */
        keys[i] = dice % 5 == 0 ? INT64_MIN : dice % 5 == 1 ? low % 10 : (low % 2 * 2 - 1) * high;
    }
    return keys;
}

static void test_every_line_is_in_its_place(void **state)
{
    int64_t *keys = make_keys(1);
    uint8_t *seen = gp_xalloc(COUNT, 1);

    (void)state;
    for (int is_descending = 0; is_descending < 2; is_descending++) {
        uint32_t *order = gp_view_sort(keys, COUNT, is_descending != 0, NULL);

        assert_non_null(order);
        for (uint32_t i = 0; i < COUNT; i++) {
            seen[order[i]]++;
            if (i > 0) {
                int64_t before = keys[order[i - 1]], here = keys[order[i]];

                assert_true(is_descending ? before >= here : before <= here);
                assert_true(before != here || order[i - 1] < order[i]);
            }
        }
        gp_free(order);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(seen[i], 2);
    }
    gp_free(seen);
    gp_free(keys);
    gp_free(gp_view_sort(NULL, 0, false, NULL));
}

static void test_texts_by_their_alphabet(void **state)
{
    static const char *const texts[] = {"reduce", "copy", "gemm", "copy", ""};
    int64_t ranks[5];

    (void)state;
    gp_view_sort_texts(texts, 5, ranks);
    assert_int_equal(ranks[4], 0);
    assert_int_equal(ranks[1], 1);
    assert_int_equal(ranks[3], 1);
    assert_int_equal(ranks[2], 2);
    assert_int_equal(ranks[0], 3);
}

/* Goes on until it is given up, or as long as it was told. */
struct walk {
    atomic_uint steps;
    uint32_t steps_max;
    bool was_given_up;
};

static void walk(struct gp_view_job *job, void *user)
{
    struct walk *walk = user;
    const struct timespec pause = {.tv_nsec = 100000};

    while (walk->steps < walk->steps_max && !walk->was_given_up) {
        walk->was_given_up = !gp_view_job_go_on(job, (double)walk->steps / walk->steps_max);
        atomic_fetch_add(&walk->steps, 1);
        (void)nanosleep(&pause, NULL);
    }
}

static void test_work_is_looked_at_and_given_up(void **state)
{
    struct walk endless = {.steps_max = UINT32_MAX}, brief = {.steps_max = 3};
    struct gp_view_job *job = gp_view_job_begin(walk, &endless);
    double share;

    (void)state;
    while (endless.steps < 5) {
        assert_false(gp_view_job_is_over(job, &share));
        assert_true(share < 0.5);
    }
    assert_false(gp_view_job_finish(job, true));
    assert_true(endless.was_given_up);
    job = gp_view_job_begin(walk, &brief);
    while (!gp_view_job_is_over(job, &share)) {
    }
    assert_true(share > 0.5);
    assert_true(gp_view_job_finish(job, false));
    assert_false(brief.was_given_up);
    assert_false(gp_view_job_finish(NULL, true));
}

struct sorted {
    const int64_t *keys;
    uint32_t *order;
};

static void sort(struct gp_view_job *job, void *user)
{
    struct sorted *sorted = user;

    while (gp_view_job_go_on(job, 0)) {
    }
    sorted->order = gp_view_sort(sorted->keys, COUNT, false, job);
}

static void test_sorting_is_given_up(void **state)
{
    int64_t *keys = make_keys(2);
    struct sorted sorted = {keys, NULL};

    (void)state;
    assert_false(gp_view_job_finish(gp_view_job_begin(sort, &sorted), true));
    assert_null(sorted.order);
    gp_free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_line_is_in_its_place),
        cmocka_unit_test(test_texts_by_their_alphabet),
        cmocka_unit_test(test_work_is_looked_at_and_given_up),
        cmocka_unit_test(test_sorting_is_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
