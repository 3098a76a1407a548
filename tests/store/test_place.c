/* Who may write a recording, and who has to leave it alone. */
#include "test.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/store/place.h"
#include "store/recordings.h"
#include "store/rows.h"

/* A process that has a recording half written, and finishes it when it is told to. */
struct writing {
    pid_t process;
    int go_on; /* to write one byte to */
};

static struct writing start_writing(const char *path)
{
    int go_on[2], ready[2];
    char byte = 0;
    pid_t child;

    assert_int_equal(pipe(go_on), 0);
    assert_int_equal(pipe(ready), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct gp_writer *writer = write_most(path);

        (void)close(go_on[1]);
        _exit(write(ready[1], "x", 1) == 1 && read(go_on[0], &byte, 1) == 1 &&
                      gp_writer_set_key(writer, "seed", "8", NULL) == 0 &&
                      gp_writer_finish(writer, true, NULL) == 0
                  ? 0
                  : 1);
    }
    (void)close(go_on[0]);
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    return (struct writing){child, go_on[1]};
}

static int wait_for(const struct writing *writing)
{
    int status = 1;

    assert_int_equal(waitpid(writing->process, &status, 0), writing->process);
    (void)close(writing->go_on);
    return status;
}

static void test_what_another_writes_is_kept(void **state)
{
    const char *path = make_path("busy.gpuprobe");
    struct writing writing = start_writing(path);
    struct gp_writer *writer = NULL;
    struct gp_writer_ids last;
    struct gp_error err = {0};

    (void)state;
    assert_int_equal(gp_writer_create(path, true, &writer, &err), GP_EEXISTS);
    assert_non_null(strstr(err.text, "is being written"));
    assert_int_equal(gp_writer_open(path, &writer, &last, &err), GP_EEXISTS);
    assert_int_equal(gp_place_check(path, &err), GP_EEXISTS);
    assert_int_equal(write(writing.go_on, "x", 1), 1);
    assert_int_equal(wait_for(&writing), 0);

    gp_assert_ok(gp_place_check(path, &err), err);
    gp_assert_ok(gp_writer_open(path, &writer, &last, &err), err);
    assert_int_equal(last.cell, 1);
    assert_int_equal(gp_place_check(path, &err), GP_EEXISTS);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
}

/* Nobody goes on writing it. */
static void test_what_a_killed_one_wrote_is_replaced(void **state)
{
    const char *path = make_path("killed.gpuprobe");
    struct writing writing = start_writing(path);
    struct gp_writer *writer = NULL;
    struct gp_error err = {0};

    (void)state;
    assert_int_equal(kill(writing.process, SIGKILL), 0);
    (void)wait_for(&writing);
    gp_assert_ok(gp_place_check(path, &err), err);
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
}

static void test_where_there_is_nothing(void **state)
{
    struct gp_error err = {0};
    int hold = 0;

    (void)state;
    gp_assert_ok(gp_place_check(make_path("absent"), &err), err);
    gp_assert_ok(gp_place_hold(make_path("absent"), &hold, &err), err);
    assert_int_equal(hold, -1);
    gp_place_leave(hold);
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
        cmocka_unit_test(test_what_another_writes_is_kept),
        cmocka_unit_test(test_what_a_killed_one_wrote_is_replaced),
        cmocka_unit_test(test_where_there_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, leave);
}
