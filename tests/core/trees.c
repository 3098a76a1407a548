/* Helpers of the core tests: see trees.h. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "trees.h"

static const struct gp_kernel_arg tag_arg[] = {{"tag", GP_ARG_VALUE, sizeof(uint32_t)}};

const struct gp_kernel gp_test_kernel = {
    .name = "tagged",
    .symbol = "tagged",
    .args = tag_arg,
    .arg_count = 1,
    .stamped = 1,
};

struct gp_op *gp_test_op(struct gp_builder *builder, char letter)
{
    const char name[] = {letter, '\0'};
    uint32_t tag = (unsigned char)letter;
    const void *const args[] = {&tag};
    const struct gp_launch launch = {
        .kernel = &gp_test_kernel, .grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args};

    return gp_op_kernel(builder, name, &launch);
}

struct gp_op *gp_test_chain(struct gp_builder *builder, const char *letters)
{
    struct gp_op *op = gp_test_op(builder, letters[0]);

    for (size_t i = 1; letters[i] != '\0'; i++) {
        op = gp_op_and_then(builder, op, gp_test_op(builder, letters[i]));
    }
    return op;
}

struct gp_op *gp_test_zip(struct gp_builder *builder, struct gp_op *a, struct gp_op *b)
{
    struct gp_op *const arms[] = {a, b};

    return gp_op_zip(builder, arms, 2);
}

const char *gp_test_edges(const struct gp_dag *dag)
{
    static char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t e = 0; e < dag->edge_count; e++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s>%s %s", e > 0 ? ", " : "",
                                 dag->ops[dag->edges[e].from].name, dag->ops[dag->edges[e].to].name,
                                 gp_edge_kind_name(dag->edges[e].kind));
        assert_true(used < sizeof text);
    }
    return text;
}

const char *gp_test_chains(const struct gp_dag *dag)
{
    static char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t chain = 0; chain < dag->chain_count; chain++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", chain > 0 ? "|" : "");
        for (uint32_t i = dag->chain_first[chain]; i < dag->chain_first[chain + 1]; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                     dag->ops[dag->chain_ops[i]].name);
            assert_true(used < sizeof text);
        }
    }
    return text;
}

static void *must(void *block)
{
    assert_non_null(block);
    return block;
}

static void add_edge(struct gp_dag *dag, uint32_t from, uint32_t to)
{
    dag->edges[dag->edge_count++] = (struct gp_edge){from, to, GP_EDGE_FORK};
    dag->ops[from].out_count++;
    dag->ops[to].in_count++;
    if (dag->ops[to].level <= dag->ops[from].level) {
        dag->ops[to].level = dag->ops[from].level + 1;
    }
}

struct gp_dag *gp_test_dag_create(uint32_t count,
                                  int (*has)(void *user, uint32_t from, uint32_t to), void *user)
{
    struct gp_dag *dag = must(calloc(1, sizeof *dag));

    dag->ops = must(calloc(count, sizeof *dag->ops));
    dag->edges = must(calloc((size_t)count * count, sizeof *dag->edges));
    dag->chain_first = must(calloc((size_t)count + 1, sizeof *dag->chain_first));
    dag->chain_ops = must(calloc(count, sizeof *dag->chain_ops));
    dag->op_count = count;
    dag->chain_count = count;
    for (uint32_t to = 0; to < count; to++) {
        struct gp_dag_op *op = &dag->ops[to];

        *op = (struct gp_dag_op){
            .kind = GP_OP_MEMSET, .name = "x", .chain = to, .first_in = dag->edge_count};
        for (uint32_t from = 0; from < to; from++) {
            if (has(user, from, to)) {
                add_edge(dag, from, to);
            }
        }
        if (dag->level_count <= op->level) {
            dag->level_count = op->level + 1;
        }
        dag->chain_first[to + 1] = to + 1;
        dag->chain_ops[to] = to;
    }
    return dag;
}

void gp_test_dag_destroy(struct gp_dag *dag)
{
    free(dag->ops);
    free(dag->edges);
    free(dag->chain_first);
    free(dag->chain_ops);
    free(dag);
}

struct chance {
    struct gp_random *random;
    uint64_t percent;
};

static int has_edge(void *user, uint32_t from, uint32_t to)
{
    struct chance *chance = user;

    (void)from;
    (void)to;
    return gp_random_below(chance->random, 100) < chance->percent;
}

struct gp_dag *gp_test_dag_random(struct gp_random *random)
{
    struct chance chance = {random, 5 + gp_random_below(random, 60)};
    uint32_t count = 1 + (uint32_t)gp_random_below(random, GP_TEST_OPS_MAX);
    struct gp_dag *dag = gp_test_dag_create(count, has_edge, &chance);

    for (uint32_t op = 0; op < count; op++) {
        dag->ops[op].bytes = 1000 * gp_random_below(random, 8000);
    }
    return dag;
}

static int choose_fixed(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                        struct gp_choice *out, struct gp_error *err)
{
    const uint32_t *streams = policy->state;

    (void)plan;
    (void)dag;
    (void)err;
    *out = (struct gp_choice){.stream = streams[op]};
    return 0;
}

void gp_test_policy_fixed(struct gp_policy *policy, const uint32_t *streams, uint32_t stream_count)
{
    static const char *const rules[] = {"as the test says", NULL};
    static const struct gp_policy_ops ops = {
        .name = "fixed", .unit = GP_UNIT_OP, .rules = rules, .choose = choose_fixed};

    policy->ops = &ops;
    policy->stream_count = stream_count;
    policy->state = (void *)(uintptr_t)streams;
}

static struct {
    uint32_t calls, fail_at, live;
} memory;

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    if (++memory.calls == memory.fail_at) {
        return NULL;
    }
    memory.live++;
    return malloc(bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    memory.live -= block != NULL ? 1 : 0;
    free(block);
}

void gp_test_memory_fail_at(uint32_t n)
{
    static const struct gp_memory_hook hook = {allocate, release, NULL};

    memset(&memory, 0, sizeof memory);
    memory.fail_at = n;
    gp_memory_set_hook(&hook);
}

int gp_test_memory_restore(void)
{
    gp_memory_set_hook(NULL);
    assert_int_equal(memory.live, 0);
    return memory.fail_at != 0 && memory.calls >= memory.fail_at;
}
