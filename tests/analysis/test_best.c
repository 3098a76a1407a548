/* Which samples may be the best one. */
#include "test.h"

#include "core/random.h"
#include "probe/analysis/best.h"

enum { CELLS = 5, REPEATS = 8, ROUNDS = 150 };

static void test_clear(void **state)
{
    static const double best[] = {100, 101, 99, 100, 102, 98},
                        alike[] = {101, 99, 100, 103, 100, 99},
                        worse[] = {200, 201, 199, 200, 202, 198};
    const struct gp_sample samples[] = {{worse, 6}, {best, 6}, {alike, 6}};
    bool in[3];

    (void)state;
    gp_best_find(samples, 3, in);
    assert_false(in[0]);
    assert_true(in[1] && in[2]);
}

/* Without any spread the smallest alone is the best, or all that equal it. */
static void test_exact(void **state)
{
    static const double a[] = {5, 5, 5}, b[] = {4, 4, 4}, c[] = {4, 4, 4};
    const struct gp_sample samples[] = {{a, 3}, {b, 3}, {c, 3}};
    bool in[3];

    (void)state;
    gp_best_find(samples, 3, in);
    assert_false(in[0]);
    assert_true(in[1] && in[2]);
}

/* One value says nothing, neither of itself nor of others. */
static void test_too_few(void **state)
{
    static const double one[] = {1}, a[] = {5, 5}, b[] = {4, 4};
    const struct gp_sample samples[] = {{one, 1}, {a, 2}, {NULL, 0}, {b, 2}};
    bool in[4];

    (void)state;
    gp_best_find(samples, 4, in);
    assert_true(in[0] && in[2] && in[3]);
    assert_false(in[1]);
    gp_best_find(NULL, 0, NULL);
}

/* What disturbs all repeats of a round alike hides no difference; taken apart it would. */
static void test_interleaved(void **state)
{
    static const double drift[] = {0, 40, 10, 80, 20, 60},
                        longer[] = {100, 140, 110, 180, 120, 160, 130};
    double slower[6];
    struct gp_sample samples[] = {{drift, 6}, {slower, 6}};
    bool in[2];

    (void)state;
    for (int i = 0; i < 6; i++) {
        slower[i] = drift[i] + 1;
    }
    gp_best_find(samples, 2, in);
    assert_true(in[0] && !in[1]);
    for (int i = 0; i < 6; i++) {
        slower[i] = drift[i] + 101;
    }
    samples[0] = (struct gp_sample){longer, 7};
    gp_best_find(samples, 2, in);
    assert_true(in[0] && in[1]);
}

/* About normal: the sum of four draws, of standard deviation 1 000 or so. */
static double draw(struct gp_random *random)
{
    double sum = 0;

    for (int i = 0; i < 4; i++) {
        sum += (double)gp_random_below(random, 1733);
    }
    return sum;
}

/* Of equal ones each is in nearly always, however many they are compared with; what is worse by far
 * never is. */
static void test_confidence(void **state)
{
    struct gp_random random = {7};
    int first_in = 0, worst_in = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        double values[CELLS][REPEATS];
        struct gp_sample samples[CELLS];
        bool in[CELLS];

        for (int cell = 0; cell < CELLS; cell++) {
            for (int i = 0; i < REPEATS; i++) {
                values[cell][i] = draw(&random) + (cell == CELLS - 1 ? 6000 : 0);
            }
            samples[cell] = (struct gp_sample){values[cell], REPEATS};
        }
        gp_best_find(samples, CELLS, in);
        first_in += in[0];
        worst_in += in[CELLS - 1];
    }
    assert_in_range(first_in, ROUNDS * 90 / 100, ROUNDS);
    assert_in_range(worst_in, 0, ROUNDS * 2 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear),      cmocka_unit_test(test_exact),
        cmocka_unit_test(test_too_few),    cmocka_unit_test(test_interleaved),
        cmocka_unit_test(test_confidence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
