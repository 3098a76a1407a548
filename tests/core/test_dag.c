/* Operations, combinators and freezing. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/dag.h"
#include "fake_device.h"
#include "trees.h"

struct fixture {
    struct gp_builder *builder;
    struct gp_dag *dag;
    struct gp_error err;
};

static int setup(void **state)
{
    static struct fixture fixture;

    memset(&fixture, 0, sizeof fixture);
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

static void test_chain(void **state)
{
    struct fixture *f = *state;

    gp_assert_ok(gp_dag_freeze(f->builder, gp_test_chain(f->builder, "abc"), &f->dag, &f->err),
                 f->err);
    assert_int_equal(f->dag->op_count, 3);
    assert_string_equal(gp_test_chains(f->dag), "abc");
    assert_string_equal(gp_test_edges(f->dag), "a>b chain, b>c chain");
    assert_int_equal(f->dag->level_count, 3);
    assert_int_equal(f->dag->ops[2].level, 2);
    assert_int_equal(f->dag->ops[1].first_in, 0);
    assert_int_equal(f->dag->ops[1].in_count, 1);
    assert_int_equal(f->dag->ops[1].out_count, 1);
}

/* a, then b and c at once, then d: the diamond. */
static void test_diamond(void **state)
{
    struct fixture *f = *state;
    struct gp_op *op = gp_op_and_then(
        f->builder, gp_test_op(f->builder, 'a'),
        gp_test_zip(f->builder, gp_test_op(f->builder, 'b'), gp_test_op(f->builder, 'c')));

    op = gp_op_and_then(f->builder, op, gp_test_op(f->builder, 'd'));
    gp_assert_ok(gp_dag_freeze(f->builder, op, &f->dag, &f->err), f->err);
    assert_string_equal(gp_test_chains(f->dag), "a|bd|c");
    assert_string_equal(gp_test_edges(f->dag), "a>b fork, a>c fork, b>d chain, c>d join");
    assert_int_equal(f->dag->level_count, 3);
    assert_int_equal(f->dag->ops[0].out_count, 2);
    assert_int_equal(f->dag->ops[3].in_count, 2);
}

/* ((a; b) | c) | (d; e), then f: what follows goes on with the first arm of the first arm. */
static void test_zip_in_zip(void **state)
{
    struct fixture *f = *state;
    struct gp_op *inner =
        gp_test_zip(f->builder, gp_test_chain(f->builder, "ab"), gp_test_op(f->builder, 'c'));
    struct gp_op *outer = gp_test_zip(f->builder, inner, gp_test_chain(f->builder, "de"));

    outer = gp_op_and_then(f->builder, outer, gp_test_op(f->builder, 'f'));
    gp_assert_ok(gp_dag_freeze(f->builder, outer, &f->dag, &f->err), f->err);
    assert_string_equal(gp_test_chains(f->dag), "abf|c|de");
    assert_string_equal(gp_test_edges(f->dag),
                        "a>b chain, d>e chain, b>f chain, c>f join, e>f join");
    assert_int_equal(f->dag->level_count, 3);
}

/* (a | b), then (c | d): all of the one before all of the other. */
static void test_zip_then_zip(void **state)
{
    struct fixture *f = *state;
    struct gp_op *op = gp_op_and_then(
        f->builder,
        gp_test_zip(f->builder, gp_test_op(f->builder, 'a'), gp_test_op(f->builder, 'b')),
        gp_test_zip(f->builder, gp_test_op(f->builder, 'c'), gp_test_op(f->builder, 'd')));

    gp_assert_ok(gp_dag_freeze(f->builder, op, &f->dag, &f->err), f->err);
    assert_string_equal(gp_test_chains(f->dag), "a|b|c|d");
    assert_string_equal(gp_test_edges(f->dag), "a>c fork, b>c fork, a>d fork, b>d fork");
}

/* The way in which and_then is nested does not matter. */
static void test_and_then_is_associative(void **state)
{
    struct fixture *f = *state;
    struct gp_op *right =
        gp_op_and_then(f->builder, gp_test_op(f->builder, 'a'), gp_test_chain(f->builder, "bcd"));

    right = gp_op_and_then(f->builder, right, gp_test_chain(f->builder, "ef"));
    gp_assert_ok(gp_dag_freeze(f->builder, right, &f->dag, &f->err), f->err);
    assert_string_equal(gp_test_chains(f->dag), "abcdef");
    assert_int_equal(f->dag->edge_count, 5);
}

static void test_long_chains_are_not_deep(void **state)
{
    struct fixture *f = *state;
    struct gp_op *left = gp_test_op(f->builder, 'a');
    struct gp_op *right = gp_test_op(f->builder, 'z');

    for (int i = 0; i < 20000; i++) {
        left = gp_op_and_then(f->builder, left, gp_test_op(f->builder, 'b'));
        right = gp_op_and_then(f->builder, gp_test_op(f->builder, 'y'), right);
    }
    left = gp_op_and_then(f->builder, left, right);
    gp_assert_ok(gp_dag_freeze(f->builder, left, &f->dag, &f->err), f->err);
    assert_int_equal(f->dag->op_count, 40002);
    assert_int_equal(f->dag->chain_count, 1);
    assert_int_equal(f->dag->level_count, 40002);
}

static void test_deep_nesting_is_refused(void **state)
{
    struct fixture *f = *state;
    struct gp_op *op = gp_test_op(f->builder, 'a');

    for (int i = 0; i < 2000; i++) {
        op = gp_test_zip(f->builder, op, gp_test_op(f->builder, 'b'));
    }
    assert_int_equal(gp_dag_freeze(f->builder, op, &f->dag, &f->err), GP_EINVAL);
    assert_non_null(strstr(f->err.text, "nested more than"));
}

/* What a DAG says stays when the builder and the caller's values are gone. */
static void test_dag_owns_what_it_says(void **state)
{
    struct fixture *f = *state;

    gp_assert_ok(gp_dag_freeze(f->builder, gp_test_chain(f->builder, "xy"), &f->dag, &f->err),
                 f->err);
    gp_builder_destroy(f->builder);
    f->builder = NULL;
    assert_string_equal(f->dag->ops[1].name, "y");
    assert_int_equal(GP_ARG(&f->dag->ops[1].launch, 0, uint32_t), 'y');
    assert_ptr_equal(f->dag->ops[1].launch.kernel, &gp_test_kernel);
}

static void test_used_twice_is_refused(void **state)
{
    struct fixture *f = *state;
    struct gp_op *a = gp_test_op(f->builder, 'a');
    struct gp_op *ab = gp_op_and_then(f->builder, a, gp_test_op(f->builder, 'b'));

    assert_non_null(ab);
    assert_null(gp_test_zip(f->builder, ab, a));
    /* Errors stick: what follows is harmless, and the first one is told. */
    assert_null(gp_op_and_then(f->builder, NULL, NULL));
    assert_null(gp_test_op(f->builder, 'c'));
    assert_int_equal(gp_dag_freeze(f->builder, ab, &f->dag, &f->err), GP_EINVAL);
    assert_string_equal(f->err.text,
                        "zip: the operation that begins with 'a' is used already; make another "
                        "one, or share it");
    assert_null(f->dag);
}

static void test_root_must_be_whole(void **state)
{
    struct fixture *f = *state;
    struct gp_op *ab = gp_test_chain(f->builder, "ab");
    struct gp_op *abc = gp_op_and_then(f->builder, ab, gp_test_op(f->builder, 'c'));

    assert_int_equal(gp_dag_freeze(f->builder, ab, &f->dag, &f->err), GP_EINVAL);
    assert_non_null(strstr(f->err.text, "part of another"));
    assert_int_equal(gp_dag_freeze(f->builder, NULL, &f->dag, &f->err), GP_EINVAL);
    gp_assert_ok(gp_dag_freeze(f->builder, abc, &f->dag, &f->err), f->err);
}

static void expect_refused(struct fixture *f, const struct gp_op *op, const char *text)
{
    assert_null(op);
    assert_int_equal(gp_dag_freeze(f->builder, NULL, &f->dag, &f->err), GP_EINVAL);
    if (strstr(f->err.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", f->err.text, text);
    }
    gp_builder_destroy(f->builder);
    gp_assert_ok(gp_builder_create(&f->builder, &f->err), f->err);
}

static void test_bad_kernels_are_refused(void **state)
{
    struct fixture *f = *state;
    struct gp_buffer buffer = {.bytes = 64, .name = "small"};
    struct gp_access access = {&buffer, 32, 33, GP_ACCESS_READ};
    struct gp_access many[GP_ACCESSES_MAX + 1] = {0};
    uint32_t tag = 0;
    const void *args[] = {&tag};
    const struct gp_launch good = {
        .kernel = &gp_test_kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}, .args = args};
    struct gp_launch bad = good;

    bad.accesses = &access;
    bad.access_count = 1;
    expect_refused(f, gp_op_kernel(f->builder, "k", &bad), "outside buffer 'small'");
    access = (struct gp_access){&buffer, UINT64_MAX, 2, GP_ACCESS_READ};
    expect_refused(f, gp_op_kernel(f->builder, "k", &bad), "outside buffer 'small'");
    access = (struct gp_access){&buffer, 0, 0, GP_ACCESS_READ};
    expect_refused(f, gp_op_kernel(f->builder, "k", &bad), "no bytes");
    bad.accesses = many;
    bad.access_count = GP_ACCESSES_MAX + 1;
    expect_refused(f, gp_op_kernel(f->builder, "k", &bad), "accesses; at most 16");
    bad = good;
    bad.grid[1] = 0;
    expect_refused(f, gp_op_kernel(f->builder, "k", &bad), "grid and block");
    bad = good;
    bad.block[0] = 33;
    bad.block[1] = 32;
    expect_refused(f, gp_op_kernel(f->builder, "k", &bad), "at most 1024 threads");
    bad = good;
    bad.args = NULL;
    expect_refused(f, gp_op_kernel(f->builder, "k", &bad), "one is missing");
    args[0] = NULL;
    expect_refused(f, gp_op_kernel(f->builder, "k", &good), "one is missing");
    args[0] = &tag;
    bad = good;
    bad.stamp = 8;
    expect_refused(f, gp_op_kernel(f->builder, "k", &bad), "stamp");
}

static void test_copies(void **state)
{
    struct fixture *f = *state;
    struct gp_buffer device = {.bytes = 64, .address = 1000, .name = "dev"};
    struct gp_buffer pinned = {
        .space = GP_SPACE_PINNED, .bytes = 64, .address = 2000, .name = "host"};
    struct gp_op *arms[4];

    arms[0] = gp_op_copy(f->builder, NULL, &device, 8, &pinned, 16, 32);
    arms[1] = gp_op_copy(f->builder, "back", &pinned, 0, &device, 4, 8);
    arms[2] = gp_op_copy(f->builder, NULL, &device, 0, &device, 32, 32);
    arms[3] = gp_op_memset(f->builder, NULL, &device, 60, 7, 4);
    gp_assert_ok(gp_dag_freeze(f->builder, gp_op_zip(f->builder, arms, 4), &f->dag, &f->err),
                 f->err);
    assert_int_equal(f->dag->ops[0].kind, GP_OP_H2D);
    assert_string_equal(f->dag->ops[0].name, "h2d");
    assert_int_equal(f->dag->ops[0].to, 1008);
    assert_int_equal(f->dag->ops[0].from, 2016);
    assert_int_equal(f->dag->ops[0].bytes, 32);
    assert_int_equal(f->dag->ops[0].access_count, 2);
    assert_ptr_equal(f->dag->ops[0].accesses[0].buffer, &pinned);
    assert_int_equal(f->dag->ops[0].accesses[0].offset, 16);
    assert_int_equal(f->dag->ops[0].accesses[0].mode, GP_ACCESS_READ);
    assert_int_equal(f->dag->ops[0].accesses[1].mode, GP_ACCESS_WRITE);
    assert_int_equal(f->dag->ops[1].kind, GP_OP_D2H);
    assert_string_equal(f->dag->ops[1].name, "back");
    assert_int_equal(f->dag->ops[2].kind, GP_OP_D2D);
    assert_int_equal(f->dag->ops[3].kind, GP_OP_MEMSET);
    assert_int_equal(f->dag->ops[3].to, 1060);
    assert_int_equal(f->dag->ops[3].value, 7);
    gp_dag_destroy(f->dag);

    expect_refused(f, gp_op_copy(f->builder, NULL, &pinned, 0, &pinned, 32, 8), "host memory");
    expect_refused(f, gp_op_copy(f->builder, NULL, &device, 0, &device, 31, 32), "overlap");
    expect_refused(f, gp_op_copy(f->builder, NULL, &device, 33, &pinned, 0, 32), "outside");
    expect_refused(f, gp_op_copy(f->builder, NULL, &device, 0, &pinned, 0, 0), "no bytes");
    expect_refused(f, gp_op_memset(f->builder, NULL, &pinned, 0, 0, 8), "not in device memory");
    expect_refused(f, gp_op_memset(f->builder, NULL, &device, 64, 0, 1), "outside");
    expect_refused(f, gp_op_zip(f->builder, NULL, 0), "at least one");
}

/* A tree of every combinator, with the n-th allocation failing. */
static int build_with_memory(uint32_t n)
{
    struct gp_builder *builder = NULL;
    struct gp_dag *dag = NULL;
    struct gp_error err = {0};
    int code;

    gp_test_memory_fail_at(n);
    code = gp_builder_create(&builder, &err);
    if (code == 0) {
        struct gp_op *op =
            gp_test_zip(builder, gp_test_chain(builder, "ab"), gp_test_chain(builder, "cd"));

        op = gp_op_and_then(builder, op, gp_test_op(builder, 'e'));
        code = gp_dag_freeze(builder, op, &dag, &err);
    }
    gp_builder_destroy(builder);
    gp_dag_destroy(dag);
    assert_true(code == 0 || code == GP_ENOMEM);
    assert_true(code == 0 || err.text[0] != '\0');
    assert_int_equal(gp_test_memory_restore(), code != 0);
    return code;
}

static void test_memory_runs_out_anywhere(void **state)
{
    uint32_t n = 1;

    (void)state;
    while (build_with_memory(n) != 0) {
        n++;
    }
    assert_true(n > 15);
}

/* ab and (c | de) f are two parts, with numbers of their own; g is a third. */
static void test_parts(void **state)
{
    struct gp_builder *builder;
    struct gp_dag *dag, **parts;
    struct gp_error err = {0};
    struct gp_op *arms[3];
    uint32_t count;

    (void)state;
    gp_assert_ok(gp_builder_create(&builder, &err), err);
    arms[0] = gp_test_chain(builder, "ab");
    arms[1] = gp_test_zip(builder, gp_test_op(builder, 'c'), gp_test_chain(builder, "de"));
    arms[1] = gp_op_and_then(builder, arms[1], gp_test_op(builder, 'f'));
    arms[2] = gp_test_op(builder, 'g');
    gp_assert_ok(gp_dag_freeze(builder, gp_op_zip(builder, arms, 3), &dag, &err), err);
    gp_builder_destroy(builder);
    gp_assert_ok(gp_dag_split(dag, &parts, &count, &err), err);
    assert_int_equal(count, 3);
    assert_string_equal(gp_test_edges(parts[0]), "a>b chain");
    assert_string_equal(gp_test_chains(parts[0]), "ab");
    assert_string_equal(gp_test_edges(parts[1]), "d>e chain, c>f chain, e>f join");
    assert_string_equal(gp_test_chains(parts[1]), "cf|de");
    assert_int_equal(parts[1]->level_count, 3);
    assert_int_equal(parts[1]->ops[3].in_count, 2);
    assert_int_equal(parts[1]->ops[0].out_count, 1);
    assert_string_equal(gp_test_chains(parts[2]), "g");
    assert_int_equal(parts[2]->edge_count, 0);
    gp_dag_unsplit(parts, count);
    gp_dag_destroy(dag);
}

/* Wherever memory runs out, nothing is left. */
static void test_parts_without_memory(void **state)
{
    struct gp_random random = {5};
    struct gp_dag *dag = gp_test_dag_random(&random);
    uint32_t n = 1;
    int code;

    (void)state;
    do {
        struct gp_dag **parts = NULL;
        struct gp_error err = {0};
        uint32_t count = 0;

        gp_test_memory_fail_at(n++);
        code = gp_dag_split(dag, &parts, &count, &err);
        gp_dag_unsplit(parts, count);
        assert_true(code == 0 || code == GP_ENOMEM);
        assert_int_equal(gp_test_memory_restore(), code != 0);
    } while (code != 0);
    assert_true(n > 4);
    gp_test_dag_destroy(dag);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_chain),
        TEST(test_diamond),
        TEST(test_zip_in_zip),
        TEST(test_zip_then_zip),
        TEST(test_and_then_is_associative),
        TEST(test_long_chains_are_not_deep),
        TEST(test_deep_nesting_is_refused),
        TEST(test_dag_owns_what_it_says),
        TEST(test_used_twice_is_refused),
        TEST(test_root_must_be_whole),
        TEST(test_bad_kernels_are_refused),
        TEST(test_copies),
        cmocka_unit_test(test_memory_runs_out_anywhere),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_parts_without_memory),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
