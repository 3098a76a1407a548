/* Sharing, unzip, values, functions of handles and of the device, host functions. */
#include "test.h"

#include <string.h>

#include "core/dispatch.h"
#include "fake_device.h"
#include "trees.h"

struct fixture {
    struct gp_builder *builder;
    struct gp_dag *dag;
    struct gp_buffer x, y;
    struct gp_error err;
};

static int setup(void **state)
{
    static struct fixture fixture;

    memset(&fixture, 0, sizeof fixture);
    fixture.x = (struct gp_buffer){.bytes = 64, .name = "x"};
    fixture.y = (struct gp_buffer){.bytes = 64, .name = "y"};
    *state = &fixture;
    return gp_builder_create(&fixture.builder, &fixture.err);
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    gp_builder_destroy(f->builder);
    gp_dag_destroy(f->dag);
    return 0;
}

static void freeze(struct fixture *f, struct gp_op *root)
{
    gp_assert_ok(gp_dag_freeze(f->builder, root, &f->dag, &f->err), f->err);
}

static void refuse(struct fixture *f, struct gp_op *root, const char *text)
{
    assert_int_equal(gp_dag_freeze(f->builder, root, &f->dag, &f->err), GP_EINVAL);
    assert_null(f->dag);
    if (strstr(f->err.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", f->err.text, text);
    }
}

/* One upload, three users: it runs once, and all of them follow it. */
static void test_share(void **state)
{
    struct fixture *f = *state;
    struct gp_op *shared = gp_op_share(f->builder, gp_test_chain(f->builder, "uv"));
    struct gp_op *arms[3];

    arms[0] = gp_op_and_then(f->builder, shared, gp_test_op(f->builder, 'a'));
    arms[1] = gp_op_and_then(f->builder, shared, gp_test_chain(f->builder, "bc"));
    /* What is shared does not follow the place where it is used: d is first, uv does not wait. */
    arms[2] = gp_op_and_then(f->builder, gp_test_op(f->builder, 'd'), shared);
    arms[2] = gp_op_and_then(f->builder, arms[2], gp_test_op(f->builder, 'e'));
    freeze(f, gp_op_zip(f->builder, arms, 3));
    assert_string_equal(gp_test_chains(f->dag), "uv|a|bc|d|e");
    assert_string_equal(gp_test_edges(f->dag),
                        "u>v chain, v>a data, v>b data, b>c chain, v>e data, d>e fork");
}

/* A DAG that no nesting of zip and and_then gives: a>c, b>c, b>d. */
static void test_share_makes_any_dag(void **state)
{
    struct fixture *f = *state;
    struct gp_op *b = gp_op_share(f->builder, gp_test_op(f->builder, 'b'));
    struct gp_op *c = gp_test_zip(f->builder, gp_test_op(f->builder, 'a'), b);
    struct gp_op *d;

    c = gp_op_and_then(f->builder, c, gp_test_op(f->builder, 'c'));
    d = gp_op_and_then(f->builder, b, gp_test_op(f->builder, 'd'));
    freeze(f, gp_test_zip(f->builder, c, d));
    assert_string_equal(gp_test_chains(f->dag), "ac|b|d");
    assert_string_equal(gp_test_edges(f->dag), "a>c chain, b>c data, b>d data");
}

/* The same end reached twice is one edge. */
static void test_an_edge_is_there_once(void **state)
{
    struct fixture *f = *state;
    struct gp_op *a = gp_op_share(f->builder, gp_test_op(f->builder, 'a'));
    struct gp_op *op = gp_test_zip(f->builder, a, a);

    assert_ptr_equal(gp_op_share(f->builder, a), a);
    op = gp_op_and_then(f->builder, op, a);
    freeze(f, gp_op_and_then(f->builder, op, gp_test_op(f->builder, 'b')));
    assert_string_equal(gp_test_edges(f->dag), "a>b data");
    assert_string_equal(gp_test_chains(f->dag), "a|b");
}

/* Long dependencies through shares are not deep when met in order. */
static void test_many_shares(void **state)
{
    enum { COUNT = 5000 };
    struct fixture *f = *state;
    static struct gp_op *shared[COUNT];

    shared[0] = gp_op_share(f->builder, gp_test_op(f->builder, 'a'));
    for (int i = 1; i < COUNT; i++) {
        struct gp_op *op = gp_op_and_then(f->builder, shared[i - 1], gp_test_op(f->builder, 'b'));

        shared[i] = gp_op_share(f->builder, op);
    }
    freeze(f, gp_op_zip(f->builder, shared, COUNT));
    assert_int_equal(f->dag->op_count, COUNT);
    assert_int_equal(f->dag->edge_count, COUNT - 1);
    assert_int_equal(f->dag->level_count, COUNT);
}

/* Frozen twice, a tree gives the same DAG. */
static void test_freeze_again(void **state)
{
    struct fixture *f = *state;
    struct gp_op *a = gp_op_share(f->builder, gp_test_op(f->builder, 'a'));
    struct gp_op *op = gp_op_and_then(f->builder, a, gp_test_op(f->builder, 'b'));
    struct gp_op *root = gp_test_zip(f->builder, a, op);

    freeze(f, root);
    gp_dag_destroy(f->dag);
    freeze(f, root);
    assert_string_equal(gp_test_edges(f->dag), "a>b data");
}

static struct gp_op *split(struct fixture *f)
{
    const struct gp_access accesses[] = {
        {&f->x, 0, 8, GP_ACCESS_WRITE},
        {&f->y, 0, 8, GP_ACCESS_READ},
        {&f->y, 8, 8, GP_ACCESS_READ_WRITE},
    };
    uint32_t tag = 's';
    const void *const args[] = {&tag};
    const struct gp_launch launch = {.kernel = &gp_test_kernel,
                                     .grid = {1, 1, 1},
                                     .block = {1, 1, 1},
                                     .args = args,
                                     .accesses = accesses,
                                     .access_count = 3};

    return gp_op_kernel(f->builder, "s", &launch);
}

/* Names the operation that it makes after the buffer that it is given. */
static struct gp_op *use_buffer(struct gp_builder *builder, const struct gp_handle *handles,
                                uint32_t count, void *user)
{
    (void)user;
    assert_int_equal(count, 1);
    assert_null(handles[0].value);
    return gp_test_op(builder, handles[0].buffer->name[0]);
}

/* One kernel writes two buffers; each goes its own way, and the kernel runs once. */
static void test_unzip(void **state)
{
    struct fixture *f = *state;
    struct gp_op *parts[2];
    struct gp_op *arms[2];

    gp_op_unzip(f->builder, split(f), 2, parts);
    arms[0] = gp_op_and_then_with(f->builder, parts[1], use_buffer, NULL);
    arms[1] = gp_op_and_then_with(f->builder, parts[0], use_buffer, NULL);
    freeze(f, gp_op_zip(f->builder, arms, 2));
    assert_string_equal(gp_test_chains(f->dag), "s|y|x");
    assert_string_equal(gp_test_edges(f->dag), "s>y data, s>x data");
}

static void test_unzip_must_fit(void **state)
{
    struct fixture *f = *state;
    struct gp_op *parts[3];

    gp_op_unzip(f->builder, split(f), 3, parts);
    refuse(f, gp_op_zip(f->builder, parts, 3), "unzip of 's' into 3, but it gives 2");
    gp_op_unzip(f->builder, NULL, 3, parts);
    assert_null(parts[0]);
    assert_null(parts[2]);
    refuse(f, NULL, "share: one of its operations is missing");
}

static struct gp_op *count_handles(struct gp_builder *builder, const struct gp_handle *handles,
                                   uint32_t count, void *user)
{
    struct gp_handle *out = user;

    assert_true(count <= 4);
    memcpy(out, handles, count * sizeof *handles);
    out[count] = (struct gp_handle){0};
    return gp_test_op(builder, (char)('0' + count));
}

/* Handles come from a value, a kernel and, of a chain, its last; zip puts them one behind another.
 */
static void test_handles(void **state)
{
    struct fixture *f = *state;
    struct gp_handle seen[5];
    int number = 7;
    struct gp_op *arms[3];
    struct gp_op *op;

    arms[0] = gp_op_value(f->builder, "v", &number);
    arms[1] = gp_op_and_then(f->builder, gp_op_value(f->builder, "w", NULL), split(f));
    arms[2] = gp_test_op(f->builder, 'n');
    op = gp_op_zip(f->builder, arms, 3);
    freeze(f, gp_op_and_then_with(f->builder, op, count_handles, seen));
    assert_string_equal(gp_test_chains(f->dag), "v3|ws|n");
    assert_ptr_equal(seen[0].value, &number);
    assert_ptr_equal(seen[1].buffer, &f->x);
    assert_ptr_equal(seen[2].buffer, &f->y);
    assert_int_equal(f->dag->ops[0].kind, GP_OP_VALUE);
    assert_string_equal(gp_test_edges(f->dag), "w>s chain, v>3 chain, s>3 join, n>3 join");
}

static void test_zip_in_turn(void **state)
{
    struct fixture *f = *state;
    struct gp_handle seen[5];
    struct gp_op *arms[3];
    struct gp_op *op;

    arms[0] = gp_test_chain(f->builder, "ab");
    arms[1] = split(f);
    arms[2] = gp_test_op(f->builder, 'c');
    op = gp_op_zip_in_turn(f->builder, arms, 3);
    freeze(f, gp_op_and_then_with(f->builder, op, count_handles, seen));
    assert_string_equal(gp_test_chains(f->dag), "absc2");
    assert_ptr_equal(seen[1].buffer, &f->y);
}

static struct gp_op *use_device(struct gp_builder *builder, struct gp_device *device, void *user)
{
    *(struct gp_device **)user = device;
    return gp_test_chain(builder, "de");
}

static void test_with_context(void **state)
{
    struct fixture *f = *state;
    struct gp_device device = {0};
    struct gp_device *seen = NULL;
    struct gp_op *op = gp_op_with_context(f->builder, use_device, &seen);

    op = gp_op_and_then(f->builder, gp_test_op(f->builder, 'a'), op);
    assert_int_equal(gp_dag_freeze(f->builder, op, &f->dag, &f->err), GP_ESTATE);
    assert_non_null(strstr(f->err.text, "gp_builder_set_device"));
    gp_builder_set_device(f->builder, &device);
    freeze(f, op);
    assert_ptr_equal(seen, &device);
    assert_string_equal(gp_test_chains(f->dag), "ade");
}

static struct gp_op *give(struct gp_builder *builder, const struct gp_handle *handles,
                          uint32_t count, void *user)
{
    (void)builder;
    (void)handles;
    (void)count;
    return user;
}

static struct gp_op *give_bad(struct gp_builder *builder, const struct gp_handle *handles,
                              uint32_t count, void *user)
{
    (void)handles;
    (void)count;
    (void)user;
    return gp_op_zip(builder, NULL, 0);
}

static void test_functions_that_fail(void **state)
{
    struct fixture *f = *state;
    struct gp_op *used = gp_test_op(f->builder, 'u');

    assert_non_null(gp_op_and_then(f->builder, used, gp_test_op(f->builder, 'v')));
    refuse(f, gp_op_and_then_with(f->builder, gp_test_op(f->builder, 'a'), give, NULL),
           "gave no operation");
    refuse(f, gp_op_and_then_with(f->builder, gp_test_op(f->builder, 'a'), give, used),
           "begins with 'u', which is used already");
    refuse(f, gp_op_and_then_with(f->builder, gp_test_op(f->builder, 'a'), give_bad, NULL),
           "zip needs at least one");
}

/* A shared operation that a function makes need itself. */
struct late {
    struct gp_op *op;
};

static struct gp_op *give_late(struct gp_builder *builder, const struct gp_handle *handles,
                               uint32_t count, void *user)
{
    (void)builder;
    (void)handles;
    (void)count;
    return ((struct late *)user)->op;
}

static void test_cycle_is_refused(void **state)
{
    struct fixture *f = *state;
    struct late late = {0};
    struct gp_op *op =
        gp_op_and_then_with(f->builder, gp_test_op(f->builder, 'a'), give_late, &late);

    late.op = gp_op_share(f->builder, op);
    refuse(f, late.op, "a cycle: the shared operation that begins with 'a' needs itself");
}

static struct gp_op *give_again(struct gp_builder *builder, const struct gp_handle *handles,
                                uint32_t count, void *user)
{
    (void)handles;
    (void)count;
    return gp_op_and_then_with(builder, gp_test_op(builder, 'r'), give_again, user);
}

/* A function that makes itself again without end. */
static void test_endless_functions_are_refused(void **state)
{
    struct fixture *f = *state;

    refuse(f, gp_op_and_then_with(f->builder, gp_test_op(f->builder, 'a'), give_again, NULL),
           "nested more than");
}

static void count_call(void *user)
{
    ++*(int *)user;
}

/* Host functions and values reach the device as what they are: a call, and nothing. */
static void test_dispatch_of_the_others(void **state)
{
    struct fixture *f = *state;
    struct gp_fake fake;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_pool *pool;
    struct gp_dispatch dispatch = {0};
    struct gp_run_times times;
    int calls = 0;
    struct gp_op *op = gp_op_and_then(f->builder, gp_op_value(f->builder, NULL, NULL),
                                      gp_op_host(f->builder, "count", count_call, &calls, NULL, 0));

    freeze(f, op);
    assert_int_equal(f->dag->ops[1].kind, GP_OP_HOST);
    gp_fake_init(&fake);
    gp_assert_ok(gp_policy_create(gp_policy_find("round-robin-op"), 2, &policy, &f->err), f->err);
    gp_assert_ok(gp_schedule_create(policy, f->dag, GP_ORDER_DEPTH, &schedule, &f->err), f->err);
    gp_assert_ok(gp_pool_create(&fake.base, 2, &pool, &f->err), f->err);
    gp_assert_ok(gp_pool_reserve(pool, schedule->event_count, &f->err), f->err);
    (void)gp_fake_take_log(&fake);
    dispatch.schedule = schedule;
    dispatch.pool = pool;
    gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f->err), f->err);
    assert_string_equal(gp_fake_take_log(&fake),
                        "record s0 e2; wait s1 e2; host s1; record s0 e0; record s1 e1");
    assert_int_equal(calls, 1);
    gp_pool_destroy(pool);
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    gp_fake_finish(&fake);
}

static int build_with_memory(struct fixture *f, uint32_t n)
{
    struct gp_device device = {0};
    struct gp_device *seen;
    struct gp_dag *dag = NULL;
    struct gp_op *arms[4];
    int code;

    gp_builder_destroy(f->builder);
    f->builder = NULL;
    gp_test_memory_fail_at(n);
    code = gp_builder_create(&f->builder, &f->err);
    if (code == 0) {
        gp_builder_set_device(f->builder, &device);
        gp_op_unzip(f->builder, split(f), 2, arms);
        arms[0] = gp_op_and_then_with(f->builder, arms[0], use_buffer, NULL);
        arms[2] = gp_op_share(f->builder, gp_op_with_context(f->builder, use_device, &seen));
        arms[3] = arms[2];
        code = gp_dag_freeze(f->builder, gp_op_zip(f->builder, arms, 4), &dag, &f->err);
    }
    gp_dag_destroy(dag);
    gp_builder_destroy(f->builder);
    f->builder = NULL;
    assert_true(code == 0 || code == GP_ENOMEM);
    assert_int_equal(gp_test_memory_restore(), code != 0);
    return code;
}

static void test_memory_runs_out_anywhere(void **state)
{
    uint32_t n = 1;

    while (build_with_memory(*state, n) != 0) {
        n++;
    }
    assert_true(n > 15);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_share),
        TEST(test_share_makes_any_dag),
        TEST(test_an_edge_is_there_once),
        TEST(test_many_shares),
        TEST(test_freeze_again),
        TEST(test_unzip),
        TEST(test_unzip_must_fit),
        TEST(test_handles),
        TEST(test_zip_in_turn),
        TEST(test_with_context),
        TEST(test_functions_that_fail),
        TEST(test_cycle_is_refused),
        TEST(test_endless_functions_are_refused),
        TEST(test_dispatch_of_the_others),
        TEST(test_memory_runs_out_anywhere),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
