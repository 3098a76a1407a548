/* Stream capture and graphs of the CUDA device. */
#include <assert.h>
#include <string.h>

#include "core/device/cuda/internal.h"
#include "core/memory.h"

int gp_cuda_capture_begin(struct gp_stream *stream, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter(cuda, err);

    if (code != 0) {
        return code;
    }
    if (gp_cuda_thread.capturing != NULL) {
        return gp_fail(err, GP_ESTATE, "this thread captures already: end that capture first");
    }
    code = gp_cuda_done(cuda,
                        cuda->driver.cuStreamBeginCapture_v2(
                            gp_cuda_stream_handle(stream), GP_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                        "cuStreamBeginCapture_v2", err);
    if (code == 0) {
        gp_cuda_thread.capturing = stream;
    }
    return code;
}

/* The driver keeps a broken capture on its stream until it is ended, and refuses the stream's work
 * meanwhile. */
void gp_cuda_capture_abandon(struct gp_cuda *cuda)
{
    struct gp_stream *stream = gp_cuda_thread.capturing;
    struct CUgraph_st *graph = NULL;

    if (stream == NULL) {
        return;
    }
    gp_cuda_thread.capturing = NULL;
    (void)cuda->driver.cuStreamEndCapture(gp_cuda_stream_handle(stream), &graph);
    if (graph != NULL) {
        (void)cuda->driver.cuGraphDestroy(graph);
    }
}

/* Takes over `handle`, also when it fails. */
static int wrap_graph(struct gp_cuda *cuda, struct CUgraph_st *handle, struct gp_graph **out,
                      struct gp_error *err)
{
    struct gp_cuda_graph *graph = gp_alloc(1, sizeof *graph);
    size_t node_count = 0;
    int code;

    if (graph == NULL) {
        (void)cuda->driver.cuGraphDestroy(handle);
        return gp_fail(err, GP_ENOMEM, "no memory for a graph");
    }
    code = gp_cuda_done(cuda, cuda->driver.cuGraphGetNodes(handle, NULL, &node_count),
                        "cuGraphGetNodes", err);
    if (code != 0) {
        (void)cuda->driver.cuGraphDestroy(handle);
        gp_free(graph);
        return code;
    }
    graph->base.device = &cuda->base;
    graph->base.node_count = (uint32_t)node_count;
    graph->graph = handle;
    *out = &graph->base;
    return 0;
}

int gp_cuda_capture_end(struct gp_stream *stream, struct gp_graph **out, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    struct CUgraph_st *handle = NULL;
    gp_cu_result result;
    int code = gp_cuda_enter(cuda, err);

    assert(out != NULL);
    if (code != 0) {
        return code;
    }
    if (gp_cuda_thread.capturing != stream) {
        return gp_fail(err, GP_ESTATE,
                       "this thread captures nothing on this stream: no capture was begun here, or "
                       "an earlier failure ended it");
    }
    gp_cuda_thread.capturing = NULL;
    result = cuda->driver.cuStreamEndCapture(gp_cuda_stream_handle(stream), &handle);
    if (result != 0) {
        return gp_cuda_fail(cuda, result, "cuStreamEndCapture", err);
    }
    return wrap_graph(cuda, handle, out, err);
}

int gp_cuda_graph_instantiate(struct gp_graph *graph, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(graph->device);
    struct gp_cuda_graph *own = (struct gp_cuda_graph *)graph;
    char log[256] = "";
    gp_cu_result result;
    int code = gp_cuda_enter(cuda, err);

    if (code != 0) {
        return code;
    }
    if (own->exec != NULL) {
        return gp_fail(err, GP_ESTATE, "this graph is instantiated already");
    }
    result = cuda->driver.cuGraphInstantiate(&own->exec, own->graph, NULL, log, sizeof log);
    if (result == 0) {
        return 0;
    }
    own->exec = NULL;
    code = gp_cuda_fail(cuda, result, "cuGraphInstantiate", err);
    log[strcspn(log, "\r\n")] = '\0';
    return log[0] != '\0' ? gp_cuda_fail_append(err, code, "%s", log) : code;
}

int gp_cuda_graph_launch(struct gp_graph *graph, struct gp_stream *stream, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(graph->device);
    struct gp_cuda_graph *own = (struct gp_cuda_graph *)graph;
    int code = gp_cuda_enter(cuda, err);

    if (code != 0) {
        return code;
    }
    if (own->exec == NULL) {
        return gp_fail(err, GP_ESTATE, "this graph is not instantiated");
    }
    return gp_cuda_done(cuda, cuda->driver.cuGraphLaunch(own->exec, gp_cuda_stream_handle(stream)),
                        "cuGraphLaunch", err);
}

int gp_cuda_graph_destroy(struct gp_graph *graph, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(graph->device);
    struct gp_cuda_graph *own = (struct gp_cuda_graph *)graph;
    int code = gp_cuda_enter_release(cuda, err);

    if (code != 0) {
        return code;
    }
    if (own->exec != NULL) {
        code = gp_cuda_released(cuda, cuda->driver.cuGraphExecDestroy(own->exec),
                                "cuGraphExecDestroy", err);
    }
    if (code == 0) {
        code =
            gp_cuda_released(cuda, cuda->driver.cuGraphDestroy(own->graph), "cuGraphDestroy", err);
    } else {
        (void)cuda->driver.cuGraphDestroy(own->graph);
    }
    gp_free(own);
    return code;
}
