/* What is said on stderr while a sweep runs: on a terminal, elsewhere, quietly and verbosely. */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/cli/progress.h"

static const struct gp_sweep_progress half = {.runs_done = 10,
                                              .runs_total = 20,
                                              .scenario = "batch",
                                              .policy = "round-robin",
                                              .streams = 8,
                                              .pass = GP_PASS_TRACED};

static char said[1024];

/* stderr goes to a file between these two. */
static int redirect(FILE *file)
{
    int kept = dup(STDERR_FILENO);

    assert_true(kept >= 0);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    return kept;
}

static const char *restore(FILE *file, int kept)
{
    size_t length;

    (void)fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    (void)close(kept);
    rewind(file);
    length = fread(said, 1, sizeof said - 1, file);
    said[length] = '\0';
    (void)fclose(file);
    return said;
}

/* Two reports in a row, a warning, and the end. */
static const char *listen_to(struct gp_progress progress)
{
    FILE *file = tmpfile();
    int kept;

    assert_non_null(file);
    kept = redirect(file);
    gp_progress_show(&progress, &half);
    gp_progress_show(&progress, &half);
    gp_progress_message(&progress, "clocks changed");
    gp_progress_clear(&progress);
    return restore(file, kept);
}

static void test_a_terminal_gets_one_line(void **state)
{
    const struct gp_terminal terminal = {.redraw = true};

    (void)state;
    /* The second report comes too soon to be drawn; the warning takes the line away first. */
    assert_string_equal(listen_to((struct gp_progress){.terminal = &terminal}),
                        "\r\033[K[############............] 10/20  batch round-robin 8"
                        "\r\033[Kgpuprobe: clocks changed\n");
}

static void test_elsewhere_only_warnings_are_said(void **state)
{
    const struct gp_terminal terminal = {0};

    (void)state;
    assert_string_equal(listen_to((struct gp_progress){.terminal = &terminal}),
                        "gpuprobe: clocks changed\n");
}

static void test_quiet_says_nothing(void **state)
{
    const struct gp_terminal terminal = {.redraw = true};

    (void)state;
    assert_string_equal(listen_to((struct gp_progress){.terminal = &terminal, .quiet = true}), "");
}

static void test_verbose_says_every_run(void **state)
{
    const struct gp_terminal terminal = {.redraw = true};

    (void)state;
    assert_string_equal(listen_to((struct gp_progress){.terminal = &terminal, .verbose = true}),
                        "gpuprobe: run 11 of 20: batch round-robin 8 traced\n"
                        "gpuprobe: run 11 of 20: batch round-robin 8 traced\n"
                        "gpuprobe: clocks changed\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_terminal_gets_one_line),
        cmocka_unit_test(test_elsewhere_only_warnings_are_said),
        cmocka_unit_test(test_quiet_says_nothing),
        cmocka_unit_test(test_verbose_says_every_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
