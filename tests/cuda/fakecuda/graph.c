/* Capture and graphs of the test driver. */
#include "fake.h"

static gp_cu_result run_begin(struct fake_call *call)
{
    struct gp_stream *stream = fake_stream(call->handle);

    return stream == NULL ? (gp_cu_result)GP_CUDA_ERROR_INVALID_HANDLE
                          : fake_result(gp_stream_capture_begin(stream, NULL));
}

gp_cu_result cuStreamBeginCapture_v2(struct CUstream_st *stream, unsigned int mode)
{
    struct fake_call call = {.name = "cuStreamBeginCapture_v2", .run = run_begin, .handle = stream};

    return mode == GP_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ? fake_ask(&call)
                                                          : GP_CUDA_ERROR_INVALID_VALUE;
}

static gp_cu_result run_end(struct fake_call *call)
{
    struct gp_stream *stream = fake_stream(call->handle);
    struct gp_graph *graph = NULL;
    int code;

    if (stream == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    code = gp_stream_capture_end(stream, &graph, NULL);
    if (code == 0) {
        struct CUgraph_st *handle = fake_handle_add(FAKE_GRAPH, sizeof *handle);

        handle->graph = graph;
        *call->out = handle;
    }
    return code == GP_ESTATE ? (gp_cu_result)GP_CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                             : fake_result(code);
}

gp_cu_result cuStreamEndCapture(struct CUstream_st *stream, struct CUgraph_st **graph)
{
    void *handle = NULL;
    struct fake_call call = {
        .name = "cuStreamEndCapture", .run = run_end, .handle = stream, .out = &handle};
    gp_cu_result result = fake_ask(&call);

    *graph = handle;
    return result;
}

static gp_cu_result run_nodes(struct fake_call *call)
{
    struct CUgraph_st *graph = fake_handle_get(call->handle, FAKE_GRAPH);

    if (graph == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    call->bytes = graph->graph->node_count;
    return 0;
}

gp_cu_result cuGraphGetNodes(struct CUgraph_st *graph, struct CUgraphNode_st **nodes, size_t *count)
{
    struct fake_call call = {.name = "cuGraphGetNodes", .run = run_nodes, .handle = graph};
    gp_cu_result result = fake_ask(&call);

    (void)nodes;
    *count = call.bytes;
    return result;
}

static gp_cu_result run_instantiate(struct fake_call *call)
{
    struct CUgraph_st *graph = fake_handle_get(call->handle, FAKE_GRAPH);
    int code;

    if (graph == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    code = gp_graph_instantiate(graph->graph, NULL);
    if (code == 0) {
        struct CUgraphExec_st *exec = fake_handle_add(FAKE_EXEC, sizeof *exec);

        exec->graph = graph->graph;
        *call->out = exec;
    }
    return fake_result(code);
}

gp_cu_result cuGraphInstantiate(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                struct CUgraphNode_st **node, char *log, size_t log_bytes)
{
    void *handle = NULL;
    struct fake_call call = {
        .name = "cuGraphInstantiate", .run = run_instantiate, .handle = graph, .out = &handle};
    gp_cu_result result = fake_ask(&call);

    (void)node;
    if (log_bytes > 0) {
        log[0] = '\0';
    }
    *exec = handle;
    return result;
}

static gp_cu_result run_launch(struct fake_call *call)
{
    struct CUgraphExec_st *exec = fake_handle_get(call->handle, FAKE_EXEC);
    struct gp_stream *stream = fake_stream(call->other);

    if (exec == NULL || stream == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    return fake_result(gp_graph_launch(exec->graph, stream, NULL));
}

gp_cu_result cuGraphLaunch(struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    struct fake_call call = {
        .name = "cuGraphLaunch", .run = run_launch, .handle = exec, .other = stream};

    return fake_ask(&call);
}

static gp_cu_result run_exec_destroy(struct fake_call *call)
{
    struct CUgraphExec_st *exec = fake_handle_get(call->handle, FAKE_EXEC);

    if (exec == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    fake_handle_remove(exec);
    return 0;
}

gp_cu_result cuGraphExecDestroy(struct CUgraphExec_st *exec)
{
    struct fake_call call = {.name = "cuGraphExecDestroy", .run = run_exec_destroy, .handle = exec};

    return fake_ask(&call);
}

static gp_cu_result run_destroy(struct fake_call *call)
{
    struct CUgraph_st *graph = fake_handle_get(call->handle, FAKE_GRAPH);
    int code;

    if (graph == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    code = gp_graph_destroy(graph->graph, NULL);
    fake_handle_remove(graph);
    return fake_result(code);
}

gp_cu_result cuGraphDestroy(struct CUgraph_st *graph)
{
    struct fake_call call = {.name = "cuGraphDestroy", .run = run_destroy, .handle = graph};

    return fake_ask(&call);
}
