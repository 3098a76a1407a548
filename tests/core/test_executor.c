/* The executor: spawn and join, thousands in flight on few threads, faults, tasks of several
 * futures, and eight threads on the free-running model. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "core/executor.h"
#include "ones.h"
#include "trees.h"

struct rig {
    struct gp_device *device;
    struct gp_stream *helper;
    struct gp_buffer *buffer;
    struct gp_context context;
    struct gp_executor *executor;
    struct gp_error err;
};

enum { SLICES = 16 };

static void open_rig(struct rig *rig, const char *spec, enum gp_completion completion,
                     uint32_t threads)
{
    const struct gp_context_options options = {.completion = completion, .stream_count = 8};

    memset(rig, 0, sizeof *rig);
    gp_assert_ok(gp_device_open(spec, NULL, &rig->device, &rig->err), rig->err);
    gp_assert_ok(gp_stream_create(rig->device, GP_STREAM_NON_BLOCKING, 0, &rig->helper, &rig->err),
                 rig->err);
    gp_assert_ok(gp_buffer_create(rig->device, GP_SPACE_DEVICE, (uint64_t)SLICES * GP_ONES_BYTES, 0,
                                  "data", &rig->buffer, &rig->err),
                 rig->err);
    gp_assert_ok(gp_buffer_fill(rig->buffer, rig->helper, 0, &rig->err), rig->err);
    gp_assert_ok(gp_context_init(&rig->context, rig->device, &options, &rig->err), rig->err);
    gp_assert_ok(gp_executor_create(rig->device, threads, &rig->executor, &rig->err), rig->err);
}

static void close_rig(struct rig *rig)
{
    gp_executor_destroy(rig->executor);
    gp_assert_ok(gp_context_finish(&rig->context, &rig->err), rig->err);
    gp_buffer_destroy(rig->buffer);
    (void)gp_stream_destroy(rig->helper, NULL);
    gp_device_close(rig->device);
}

static void test_spawn_and_join(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        struct gp_future *future;
        struct gp_task *task;
        struct gp_dag *dag;
        struct rig rig;
        float found[256];

        open_rig(&rig, "model:h200", (enum gp_completion)mode, 1);
        dag = gp_test_ones_dag(rig.buffer, 4, 100);
        gp_assert_ok(gp_context_schedule(&rig.context, dag, &future, &rig.err), rig.err);
        gp_assert_ok(gp_executor_spawn_future(rig.executor, future, &task, &rig.err), rig.err);
        gp_assert_ok(gp_task_join(task, &rig.err), rig.err);
        gp_assert_ok(gp_buffer_read(rig.buffer, rig.helper, UINT64_C(3) * GP_ONES_BYTES, found,
                                    sizeof found, &rig.err),
                     rig.err);
        assert_true(found[255] == 200);
        gp_dag_destroy(dag);
        close_rig(&rig);
    }
}

/* `count` futures in flight at once, one kernel each, spread over the slices. */
static void many(const char *spec, enum gp_completion completion, uint32_t threads, uint32_t count)
{
    struct gp_task **tasks = calloc(count, sizeof(struct gp_task *));
    struct gp_dag *dags[SLICES];
    struct gp_builder *builder;
    struct rig rig;

    assert_non_null(tasks);
    open_rig(&rig, spec, completion, threads);
    for (uint32_t i = 0; i < SLICES; i++) {
        gp_assert_ok(gp_builder_create(&builder, &rig.err), rig.err);
        gp_assert_ok(gp_dag_freeze(
                         builder, gp_test_ones(builder, rig.buffer, (uint64_t)i * GP_ONES_BYTES, 1),
                         &dags[i], &rig.err),
                     rig.err);
        gp_builder_destroy(builder);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct gp_future *future;

        gp_assert_ok(gp_context_schedule(&rig.context, dags[i % SLICES], &future, &rig.err),
                     rig.err);
        gp_assert_ok(gp_executor_spawn_future(rig.executor, future, &tasks[i], &rig.err), rig.err);
    }
    for (uint32_t i = 0; i < count; i++) {
        gp_assert_ok(gp_task_join(tasks[i], &rig.err), rig.err);
    }
    assert_int_equal(gp_context_pending(&rig.context), 0);
    for (uint32_t i = 0; i < SLICES; i++) {
        gp_dag_destroy(dags[i]);
    }
    close_rig(&rig);
    free(tasks);
}

static void test_thousands_on_one_thread(void **state)
{
    (void)state;
    many("model:h200", GP_COMPLETION_EVENT_POLL, 1, 4000);
    many("model:h200", GP_COMPLETION_HOST_FUNC, 1, 2000);
    many("model:h200", GP_COMPLETION_FLAG, 1, 2000);
}

static void test_eight_threads_at_once(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        many("model:h200,free", (enum gp_completion)mode, 8, 300);
        many("model:h200", (enum gp_completion)mode, 8, 100);
    }
}

/* A state machine: ten futures, each scheduled when the one before is done. */
struct machine {
    struct rig *rig;
    struct gp_dag *dag;
    struct gp_future *current;
    int left;
    int dropped;
};

static int poll_machine(void *user, const struct gp_waker *waker, struct gp_error *err)
{
    struct machine *machine = user;

    while (machine->left > 0) {
        int code = 0;

        if (machine->current == NULL) {
            code =
                gp_context_schedule(&machine->rig->context, machine->dag, &machine->current, err);
        }
        code = code == 0 ? gp_future_poll(machine->current, waker, err) : code;
        if (code != 0) {
            return code;
        }
        gp_future_drop(machine->current);
        machine->current = NULL;
        machine->left--;
    }
    return 0;
}

static void drop_machine(void *user)
{
    ((struct machine *)user)->dropped++;
}

static void test_tasks_await_several_futures(void **state)
{
    struct machine machines[4];
    struct gp_task *tasks[4];
    struct gp_dag *dag;
    struct rig rig;

    (void)state;
    open_rig(&rig, "model:h200", GP_COMPLETION_EVENT_POLL, 2);
    dag = gp_test_ones_dag(rig.buffer, 2, 10);
    for (int i = 0; i < 4; i++) {
        const struct gp_pollable pollable = {poll_machine, drop_machine, &machines[i]};

        machines[i] = (struct machine){.rig = &rig, .dag = dag, .left = 10};
        gp_assert_ok(
            gp_executor_spawn(rig.executor, &pollable, i != 3 ? &tasks[i] : NULL, &rig.err),
            rig.err);
    }
    for (int i = 0; i < 3; i++) {
        gp_assert_ok(gp_task_join(tasks[i], &rig.err), rig.err);
        assert_int_equal(machines[i].dropped, 1);
    }
    /* The one that nobody joins is waited for at the end. */
    gp_executor_destroy(rig.executor);
    rig.executor = NULL;
    assert_int_equal(machines[3].left, 0);
    assert_int_equal(machines[3].dropped, 1);
    gp_dag_destroy(dag);
    close_rig(&rig);
}

static void test_a_fault_fails_all_tasks(void **state)
{
    (void)state;
    for (int mode = 0; mode < GP_COMPLETION_COUNT; mode++) {
        struct gp_buffer stranger = {
            .space = GP_SPACE_DEVICE, .bytes = GP_ONES_BYTES, .address = 64};
        struct gp_task *tasks[20];
        struct gp_dag *good;
        struct gp_dag *bad;
        struct rig rig;
        int failed = 0;

        open_rig(&rig, "model:h200", (enum gp_completion)mode, 2);
        stranger.device = rig.device;
        good = gp_test_ones_dag(rig.buffer, 4, 100000);
        bad = gp_test_ones_dag(&stranger, 1, 4);
        for (int i = 0; i < 20; i++) {
            struct gp_future *future;

            gp_assert_ok(gp_context_schedule(&rig.context, i == 5 ? bad : good, &future, &rig.err),
                         rig.err);
            gp_assert_ok(gp_executor_spawn_future(rig.executor, future, &tasks[i], &rig.err),
                         rig.err);
        }
        for (int i = 0; i < 20; i++) {
            int code = gp_task_join(tasks[i], &rig.err);

            assert_true(code == 0 || code == GP_EFAULT);
            failed += code == GP_EFAULT ? 1 : 0;
        }
        assert_true(failed > 5);
        gp_dag_destroy(good);
        gp_dag_destroy(bad);
        close_rig(&rig);
    }
}

static void test_bad_sizes(void **state)
{
    struct gp_executor *executor;
    struct gp_task *task;
    struct machine machine = {.left = 0};
    const struct gp_pollable pollable = {poll_machine, NULL, &machine};
    struct rig rig;

    (void)state;
    open_rig(&rig, "model:h200", GP_COMPLETION_EVENT_POLL, 0);
    assert_int_equal(
        gp_executor_create(rig.device, GP_EXECUTOR_THREADS_MAX + 1, &executor, &rig.err),
        GP_EINVAL);
    assert_null(executor);
    /* The model takes 64 threads, and has this one, one of the executor already. */
    assert_int_equal(gp_executor_create(rig.device, GP_EXECUTOR_THREADS_MAX, &executor, &rig.err),
                     GP_ESTATE);
    assert_non_null(strstr(rig.err.text, "a thread of the executor: no more than 64"));
    gp_executor_destroy(NULL);
    gp_test_memory_fail_at(1);
    assert_int_equal(gp_executor_spawn(rig.executor, &pollable, &task, &rig.err), GP_ENOMEM);
    assert_true(gp_test_memory_restore());
    gp_test_memory_fail_at(1);
    assert_int_equal(gp_executor_create(rig.device, 1, &executor, &rig.err), GP_ENOMEM);
    assert_true(gp_test_memory_restore());
    close_rig(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spawn_and_join),
        cmocka_unit_test(test_thousands_on_one_thread),
        cmocka_unit_test(test_eight_threads_at_once),
        cmocka_unit_test(test_tasks_await_several_futures),
        cmocka_unit_test(test_a_fault_fails_all_tasks),
        cmocka_unit_test(test_bad_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
