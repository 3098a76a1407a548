/*
 * A program that uses the library: it defines a policy, schedules copies there and back for several
 * requests at once, and awaits them on an executor.
 *
 *   cc -std=c17 user_program.c $(pkg-config --static --cflags --libs gpuprobe-core)
 *   ./a.out            on a GPU, or on the model where there is none
 *   ./a.out model      on the model
 */
#include <stdio.h>

#include "core/executor.h"

enum { REQUESTS = 6, WORDS = 1024 };

/* ---- a policy: requests to even and odd streams by their first operation ---- */

static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    (void)plan;
    (void)err;
    *out = (struct gp_choice){dag->ops[op].accesses[0].buffer->id % policy->stream_count, 0, 0};
    return 0;
}

static const char *const rules[] = {"the stream of its first buffer's number", NULL};

static const struct gp_policy_ops by_buffer = {
    .name = "by-buffer",
    .summary = "the stream follows from the buffer",
    .source = "an example",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .choose = choose,
};

/* ---- one request: to the device and back ---- */

struct request {
    struct gp_buffer *in, *data, *out;
    struct gp_dag *dag;
    struct gp_task *task;
};

static int make_request(struct request *request, struct gp_device *device, uint32_t number,
                        struct gp_error *err)
{
    const uint64_t bytes = WORDS * sizeof(uint32_t);
    struct gp_builder *builder = NULL;
    struct gp_op *op;
    int code = gp_buffer_create(device, GP_SPACE_PINNED, bytes, number, "in", &request->in, err);

    if (code == 0) {
        code =
            gp_buffer_create(device, GP_SPACE_DEVICE, bytes, number, "data", &request->data, err);
    }
    if (code == 0) {
        code = gp_buffer_create(device, GP_SPACE_PINNED, bytes, number, "out", &request->out, err);
    }
    if (code == 0) {
        code = gp_builder_create(&builder, err);
    }
    if (code != 0) {
        return code;
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        ((uint32_t *)gp_buffer_host(request->in))[i] = number + i;
    }
    op = gp_op_and_then(builder, gp_op_copy(builder, "in", request->data, 0, request->in, 0, bytes),
                        gp_op_copy(builder, "out", request->out, 0, request->data, 0, bytes));
    code = gp_dag_freeze(builder, op, &request->dag, err);
    gp_builder_destroy(builder);
    return code;
}

static void free_request(struct request *request)
{
    gp_dag_destroy(request->dag);
    gp_buffer_destroy(request->in);
    gp_buffer_destroy(request->data);
    gp_buffer_destroy(request->out);
}

static int spawn(struct request *request, struct gp_context *context, struct gp_executor *executor,
                 struct gp_error *err)
{
    struct gp_future *future;
    int code = gp_context_schedule(context, request->dag, &future, err);

    if (code == 0) {
        code = gp_executor_spawn_future(executor, future, &request->task, err);
        if (code != 0) {
            gp_future_drop(future);
        }
    }
    return code;
}

static int run(struct gp_device *device, struct request *requests, struct gp_error *err)
{
    const struct gp_context_options options = {.policy = &by_buffer, .stream_count = 3};
    struct gp_context context = {0};
    struct gp_executor *executor = NULL;
    int code = gp_context_init(&context, device, &options, err);

    if (code == 0) {
        code = gp_executor_create(device, 2, &executor, err);
    }
    for (uint32_t i = 0; i < REQUESTS && code == 0; i++) {
        code = make_request(&requests[i], device, i, err);
    }
    for (uint32_t i = 0; i < REQUESTS && code == 0; i++) {
        code = spawn(&requests[i], &context, executor, err);
    }
    for (uint32_t i = 0; i < REQUESTS; i++) {
        int joined =
            requests[i].task != NULL ? gp_task_join(requests[i].task, code == 0 ? err : NULL) : 0;

        code = code != 0 ? code : joined;
    }
    gp_executor_destroy(executor);
    (void)gp_context_finish(&context, NULL);
    return code;
}

static int check(const struct request *requests)
{
    for (uint32_t r = 0; r < REQUESTS; r++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            if (((const uint32_t *)gp_buffer_host(requests[r].out))[i] != r + i) {
                return -1;
            }
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct request requests[REQUESTS] = {{0}};
    struct gp_device *device = NULL;
    struct gp_error err = {0};
    int code = gp_device_open(argc > 1 ? argv[1] : "auto", NULL, &device, &err);

    if (code != 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    code = run(device, requests, &err);
    if (code != 0) {
        (void)fprintf(stderr, "%s\n", err.text);
    } else if (check(requests) != 0) {
        (void)fprintf(stderr, "wrong data came back\n");
        code = 1;
    } else {
        printf("%d requests came back from %s\n", REQUESTS, device->info.name);
    }
    for (uint32_t i = 0; i < REQUESTS; i++) {
        free_request(&requests[i]);
    }
    gp_device_close(device);
    return code == 0 ? 0 : 1;
}
