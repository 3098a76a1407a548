/* NVTX ranges as a tool receives them: domain, names once, chains that interleave, failed runs. */
#include "test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "nvtx/listener.h"
#include "probe/nvtx/nvtx.h"

/* Two chains of two operations; ids in chain order, names shared between the chains. */
static char copy_name[] = "copy in";
static char other_copy_name[] = "copy in";
static char kernel_name[] = "gemm";
static struct gp_dag_op ops[] = {
    {.kind = GP_OP_H2D, .chain = 0, .name = copy_name},
    {.kind = GP_OP_KERNEL, .chain = 0, .name = kernel_name},
    {.kind = GP_OP_H2D, .chain = 1, .name = other_copy_name},
    {.kind = GP_OP_KERNEL, .chain = 1, .name = kernel_name},
};
static uint32_t chain_first[] = {0, 2, 4};
static uint32_t chain_ops[] = {0, 1, 2, 3};
static const struct gp_dag dag = {.ops = ops,
                                  .op_count = 4,
                                  .chain_first = chain_first,
                                  .chain_ops = chain_ops,
                                  .chain_count = 2};
static const struct gp_schedule schedule = {.dag = &dag};

static listener_log_fn *listener_log;

/* What the listener heard since the last call. */
static const char *heard(void)
{
    static size_t before;
    const char *text = listener_log() + before;

    before += strlen(text);
    return text;
}

static int load_listener(void **state)
{
    void *library;
    void *symbol;

    (void)state;
    if (setenv("NVTX_INJECTION64_PATH", GP_TEST_LISTENER, 1) != 0) {
        return -1;
    }
    library = dlopen(GP_TEST_LISTENER, RTLD_NOW);
    symbol = library != NULL ? dlsym(library, "listener_log") : NULL;
    memcpy(&listener_log, &symbol, sizeof symbol);
    return listener_log != NULL ? 0 : -1;
}

static struct gp_nvtx *make(void)
{
    struct gp_error err = {0};
    struct gp_nvtx *nvtx = NULL;

    gp_assert_ok(gp_nvtx_create(&nvtx, &err), err);
    assert_true(gp_nvtx_is_heard(nvtx));
    gp_assert_ok(gp_nvtx_prepare(nvtx, &dag, &err), err);
    return nvtx;
}

static void run_op(struct gp_sink *sink, uint32_t op)
{
    sink->ops->op_begin(sink, op, 0);
    sink->ops->op_end(sink, op, 0, 1);
}

static void test_domain_and_names_are_registered_once(void **state)
{
    struct gp_nvtx *nvtx = make();

    (void)state;
    assert_string_equal(heard(), "domain gpuprobe\n"
                                 "category 1 cell\ncategory 2 run\ncategory 3 chain\n"
                                 "category 4 operation\n"
                                 "string chain\nstring copy in\nstring gemm\n");
    gp_nvtx_destroy(nvtx);
}

static void test_breadth_first_interleaves_chains(void **state)
{
    struct gp_nvtx *nvtx = make();
    struct gp_sink *sink = gp_nvtx_sink(nvtx);

    (void)state;
    (void)heard();
    gp_nvtx_cell_begin(nvtx, "batch round-robin 2");
    gp_nvtx_run_begin(nvtx, "traced 0");
    sink->ops->run_begin(sink, &schedule);
    run_op(sink, 0);
    run_op(sink, 2);
    run_op(sink, 1);
    run_op(sink, 3);
    sink->ops->run_end(sink, 0, 1, 2);
    gp_nvtx_run_end(nvtx);
    gp_nvtx_cell_end(nvtx);
    assert_string_equal(heard(), "push 0 batch round-robin 2 category=1 payload=0\n"
                                 "push 0 traced 0 category=2 payload=0\n"
                                 "start 1 chain category=3 payload=0\n"
                                 "push 0 copy in category=4 payload=0\npop 0\n"
                                 "start 2 chain category=3 payload=1\n"
                                 "push 0 copy in category=4 payload=2\npop 0\n"
                                 "push 0 gemm category=4 payload=1\npop 0\nend 1\n"
                                 "push 0 gemm category=4 payload=3\npop 0\nend 2\n"
                                 "pop 0\npop 0\n");
    gp_nvtx_destroy(nvtx);
}

static void test_a_failed_run_leaves_nothing_open(void **state)
{
    struct gp_nvtx *nvtx = make();
    struct gp_sink *sink = gp_nvtx_sink(nvtx);

    (void)state;
    (void)heard();
    gp_nvtx_run_begin(nvtx, "traced 1");
    sink->ops->run_begin(sink, &schedule);
    sink->ops->op_begin(sink, 0, 0);
    gp_nvtx_run_end(nvtx);
    assert_string_equal(heard(), "push 0 traced 1 category=2 payload=0\n"
                                 "start 3 chain category=3 payload=0\n"
                                 "push 0 copy in category=4 payload=0\n"
                                 "pop 0\nend 3\npop 0\n");
    gp_nvtx_destroy(nvtx);
}

static void test_a_run_of_another_dag_is_silent(void **state)
{
    struct gp_nvtx *nvtx = make();
    struct gp_sink *sink = gp_nvtx_sink(nvtx);
    const struct gp_dag other = dag;
    const struct gp_schedule of_other = {.dag = &other};

    (void)state;
    (void)heard();
    sink->ops->run_begin(sink, &of_other);
    run_op(sink, 0);
    sink->ops->run_end(sink, 0, 1, 2);
    assert_string_equal(heard(), "");
    gp_nvtx_destroy(nvtx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_domain_and_names_are_registered_once),
        cmocka_unit_test(test_breadth_first_interleaves_chains),
        cmocka_unit_test(test_a_failed_run_leaves_nothing_open),
        cmocka_unit_test(test_a_run_of_another_dag_is_silent),
    };

    return cmocka_run_group_tests(tests, load_listener, NULL);
}
