/* Stream-ordered memory of the model device, and what other memory costs: see handles.h and
 * device.h. */
#include "core/device/model/handles.h"

#include "core/memory.h"

/* ---- memory that is there, or gone, when the call returns ------------------------------------ */

static uint64_t round_to_chunks(const struct gp_model *model, uint64_t bytes)
{
    const uint64_t chunk = (uint64_t)model->profile.alloc_chunk_bytes;

    return (bytes + chunk - 1) / chunk * chunk;
}

int64_t gp_model_chunk_take(struct gp_model *model, uint64_t bytes)
{
    const struct gp_profile *profile = &model->profile;

    if (bytes < (uint64_t)profile->alloc_chunk_bytes) {
        model->chunk_used += bytes;
        if (model->chunk_used <= model->chunk_bytes) {
            return profile->host_alloc_ns;
        }
        model->chunk_bytes = round_to_chunks(model, model->chunk_used);
    }
    return profile->host_alloc_ns + profile->host_alloc_chunk_ns;
}

int64_t gp_model_chunk_give(struct gp_model *model, uint64_t bytes)
{
    const struct gp_profile *profile = &model->profile;

    if (bytes < (uint64_t)profile->alloc_chunk_bytes) {
        uint64_t kept;

        /* Memory of the pool may be freed at once, too. */
        model->chunk_used -= bytes < model->chunk_used ? bytes : model->chunk_used;
        kept = round_to_chunks(model, model->chunk_used);
        if (kept == model->chunk_bytes) {
            return profile->host_free_ns;
        }
        model->chunk_bytes = kept;
    }
    return profile->host_free_ns + profile->host_free_chunk_ns;
}

/* ---- memory in stream order ------------------------------------------------------------------ */

static int fail_memory(struct gp_error *err, const char *what)
{
    return gp_fail(err, GP_ENOMEM, "no memory to submit a %s", what);
}

/* A node of the graph, whose memory it is. */
static int capture_alloc(struct gp_model_stream *stream, struct gp_lane *lane, uint64_t bytes,
                         gp_addr *out, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(stream->base.device);
    struct gp_sim_op *op = gp_sim_op_create(&model->sim, GP_SIM_ALLOC);
    int code;

    if (op == NULL) {
        return fail_memory(err, "allocation");
    }
    code = gp_graph_body_allocate(stream->capture->body, bytes, out, err);
    if (code != 0) {
        gp_sim_op_destroy(&model->sim, op);
        return code;
    }
    return gp_model_submit(stream, lane, op, 0, err);
}

/* What the call costs: the pool keeps what it ever had, and grows by whole chunks. */
static int64_t take_from_pool(struct gp_model *model, uint64_t bytes)
{
    const uint64_t chunk = (uint64_t)model->profile.alloc_pool_bytes;

    model->pool_used += bytes;
    if (model->pool_used <= model->pool_bytes) {
        return model->profile.host_alloc_async_ns;
    }
    model->pool_bytes = (model->pool_used + chunk - 1) / chunk * chunk;
    return model->profile.host_alloc_async_ns + model->profile.host_alloc_grow_ns;
}

/* Otherwise the memory is there at once, which is before any work of the stream that could use it.
 */
int gp_model_mem_alloc_async(struct gp_stream *base, uint64_t bytes, gp_addr *out,
                             struct gp_error *err)
{
    struct gp_model_stream *stream = gp_model_stream_of(base);
    struct gp_model *model = gp_model_of(base->device);
    struct gp_lane *lane = NULL;
    int code = bytes > 0 ? gp_model_enter(model, &lane, err)
                         : gp_fail(err, GP_EINVAL, "an allocation of 0 bytes");

    if (code != 0) {
        return code;
    }
    if (stream->capture != NULL) {
        code = capture_alloc(stream, lane, bytes, out, err);
    } else {
        code = gp_memory_add(&model->memory, bytes, false, out, err);
        gp_lane_charge(lane, code == 0 ? take_from_pool(model, bytes)
                                       : model->profile.host_alloc_async_ns);
    }
    gp_lane_leave(lane, false);
    return code;
}

/* Memory of other origin, and of graphs, is not the pool's. */
static void give_to_pool(struct gp_model *model, struct gp_stream *stream, uint64_t bytes)
{
    if (gp_model_stream_of(stream)->capture == NULL && bytes <= model->pool_used) {
        model->pool_used -= bytes;
    }
}

int gp_model_mem_free_async(struct gp_stream *stream, gp_addr address, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(stream->device);
    const struct gp_allocation *allocation;
    struct gp_lane *lane = NULL;
    struct gp_sim_op *op = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    allocation = gp_memory_find(&model->memory, address, 0);
    if (allocation == NULL || allocation->address != address || allocation->is_pinned) {
        code = gp_fail(err, GP_EINVAL, "address 0x%llx is not the beginning of an allocation",
                       (unsigned long long)address);
    } else {
        op = gp_sim_op_create(&model->sim, GP_SIM_FREE);
        if (op != NULL) {
            op->action = gp_action_move(address, 0, 0, 0);
        }
        if (op == NULL || op->action == NULL) {
            code = fail_memory(err, "free");
            if (op != NULL) {
                gp_sim_op_destroy(&model->sim, op);
            }
        } else {
            give_to_pool(model, stream, allocation->bytes);
            code = gp_model_submit(gp_model_stream_of(stream), lane, op,
                                   model->profile.host_free_async_ns, err);
        }
    }
    gp_lane_leave(lane, true);
    return code;
}
