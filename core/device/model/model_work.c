/* Work submitted to the model device: see handles.h and device.h. */
#include "core/device/model/handles.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"

static int fail_memory(struct gp_error *err, const char *what)
{
    return gp_fail(err, GP_ENOMEM, "no memory to submit a %s", what);
}

static int64_t transfer_ns(uint64_t bytes, int64_t rate)
{
    return (int64_t)bytes * 1000 / rate;
}

/* ---- kernels ------------------------------------------------------------------------------------
 */

static int check_launch(const struct gp_launch *launch, struct gp_error *err)
{
    const struct gp_kernel *kernel = launch->kernel;
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t blocks = 1;

    for (int i = 0; i < 3; i++) {
        /* Source: CUDA C++ Programming Guide, technical specifications. */
        if (launch->grid[i] == 0 || launch->grid[i] > (i == 0 ? INT32_MAX : 65535) ||
            launch->block[i] == 0 || launch->block[i] > 1024) {
            return gp_fail(err, GP_EINVAL,
                           "kernel '%s': a grid or block of %u × %u × %u, %u × %u × %u is not "
                           "possible",
                           kernel->name, launch->grid[0], launch->grid[1], launch->grid[2],
                           launch->block[0], launch->block[1], launch->block[2]);
        }
        blocks *= launch->grid[i];
    }
    if (threads > 1024 || blocks == 0) {
        return gp_fail(err, GP_EINVAL, "kernel '%s': %llu threads a block; 1 024 are possible",
                       kernel->name, (unsigned long long)threads);
    }
    if (kernel->arg_count > GP_KERNEL_ARGS_MAX || launch->access_count > GP_ACCESSES_MAX) {
        return gp_fail(err, GP_EINVAL, "kernel '%s': more than %d arguments or %d accesses",
                       kernel->name, GP_KERNEL_ARGS_MAX, GP_ACCESSES_MAX);
    }
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        if (kernel->args[i].bytes > GP_ARG_BYTES_MAX ||
            (kernel->args[i].kind == GP_ARG_ADDRESS && kernel->args[i].bytes != sizeof(gp_addr))) {
            return gp_fail(err, GP_EINVAL, "kernel '%s': argument '%s' cannot have %u bytes",
                           kernel->name, kernel->args[i].name, kernel->args[i].bytes);
        }
    }
    return 0;
}

static int describe_grid(const struct gp_model *model, const struct gp_launch *launch,
                         struct gp_sim_op *op, struct gp_error *err)
{
    const struct gp_kernel *kernel = launch->kernel;
    const struct gp_sm_limits *limits = &model->sim.sms.limits;
    const struct gp_sm_used nothing = {0};
    const uint64_t shared = (uint64_t)kernel->shared_bytes + launch->shared_bytes;
    struct gp_work work = {0};

    if (!gp_occupancy_footprint(limits, gp_launch_threads(launch), kernel->registers, shared,
                                &op->footprint) ||
        gp_occupancy_room(limits, &nothing, &op->footprint) == 0) {
        return gp_fail(err, GP_EINVAL,
                       "kernel '%s': no SM holds a block of %u threads with %u registers each and "
                       "%llu bytes of shared memory",
                       kernel->name, gp_launch_threads(launch), kernel->registers,
                       (unsigned long long)shared);
    }
    if (kernel->work != NULL) {
        kernel->work(launch, &work);
    }
    gp_share_cost(&model->profile, &work, op->footprint.warps, &op->cost);
    op->blocks = gp_launch_blocks(launch);
    op->unassigned = op->blocks;
    op->begin_ns = -1;
    op->kernel = kernel;
    op->stamp = launch->stamp;
    op->is_faulty = !gp_launch_is_valid(&model->memory, launch);
    return 0;
}

static int make_launch(struct gp_model *model, const struct gp_launch *launch,
                       struct gp_sim_op **out, struct gp_error *err)
{
    int code = check_launch(launch, err);
    struct gp_sim_op *op = NULL;

    if (code != 0) {
        return code;
    }
    op = gp_sim_op_create(&model->sim, GP_SIM_KERNEL);
    if (op == NULL) {
        return fail_memory(err, "kernel");
    }
    code = describe_grid(model, launch, op, err);
    if (code == 0 && model->sim.is_executing && launch->kernel->reference != NULL &&
        !op->is_faulty) {
        op->action = gp_action_launch(launch);
        code = op->action != NULL ? 0 : fail_memory(err, "kernel");
    }
    if (code != 0) {
        gp_sim_op_destroy(&model->sim, op);
        return code;
    }
    *out = op;
    return 0;
}

int gp_model_launch(struct gp_stream *stream, const struct gp_launch *launch, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(stream->device);
    const struct gp_profile *profile = &model->profile;
    struct gp_lane *lane = NULL;
    struct gp_sim_op *op = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    code = make_launch(model, launch, &op, err);
    if (code == 0) {
        code = gp_model_submit(gp_model_stream_of(stream), lane, op,
                               profile->host_launch_ns +
                                   profile->host_launch_active_ns * model->sim.busy_streams,
                               err);
    }
    gp_lane_leave(lane, true);
    return code;
}

/* ---- copies and fills ---------------------------------------------------------------------------
 */

/* A copy or fill by SMs as the kernel that it is: enough blocks to fill the device, of which all
 * together reach `rate`; `moved` bytes go through the memory. */
static void describe_as_grid(const struct gp_model *model, struct gp_sim_op *op, uint64_t bytes,
                             uint64_t moved, int64_t rate)
{
    enum { THREADS = 512, BLOCK_BYTES = 16384 };
    const uint64_t wave = (uint64_t)model->profile.sm_count * 2;
    uint64_t blocks = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    struct gp_block_cost *cost = &op->cost;

    blocks = blocks < wave ? blocks : wave;
    (void)gp_occupancy_footprint(&model->sim.sms.limits, THREADS, 32, 0, &op->footprint);
    op->blocks = blocks;
    op->unassigned = blocks;
    op->begin_ns = -1;
    cost->weight_q16 =
        (int64_t)op->footprint.warps * GP_ONE_Q16 / model->profile.memory_block_warps;
    cost->time_q16 = (int64_t)(bytes / blocks + 1) * 1000 / rate * (int64_t)wave * GP_ONE_Q16 +
                     model->profile.block_min_ns * GP_ONE_Q16;
    cost->demand_q16 =
        (int64_t)(moved / blocks + 1) * GP_ONE_Q16 / (cost->time_q16 / GP_ONE_Q16 + 1) + 1;
    cost->is_memory_bound = true;
}

/* Whether the range is device memory. */
static bool is_device(const struct gp_model *model, uint64_t address, uint64_t bytes)
{
    const struct gp_allocation *allocation = gp_memory_find(&model->memory, address, bytes);

    return allocation != NULL && !allocation->is_pinned;
}

static int make_copy(struct gp_model *model, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                     uint64_t bytes, struct gp_sim_op **out)
{
    static const enum gp_sim_kind kinds[] = {GP_SIM_H2D, GP_SIM_D2H, GP_SIM_D2D};
    struct gp_sim_op *op = gp_sim_op_create(&model->sim, kinds[kind]);

    if (op == NULL) {
        return GP_ENOMEM;
    }
    op->bytes = (int64_t)bytes;
    op->is_faulty = (kind != GP_COPY_D2H && !is_device(model, to, bytes)) ||
                    (kind != GP_COPY_H2D && !is_device(model, from, bytes));
    if (kind == GP_COPY_D2D) {
        describe_as_grid(model, op, bytes, 2 * bytes, model->profile.d2d_rate);
    }
    if (model->sim.is_executing && !op->is_faulty) {
        op->action = gp_action_move(to, from, bytes, 0);
        if (op->action == NULL) {
            gp_sim_op_destroy(&model->sim, op);
            return GP_ENOMEM;
        }
    }
    *out = op;
    return 0;
}

/* From pageable memory: the calling thread stages the bytes, so it is busy with them, waits for
 * earlier work of the stream when they are many, and the last chunk is still on its way when the
 * call returns. */
static int stage(struct gp_model *model, struct gp_model_stream *stream, struct gp_lane *lane,
                 struct gp_sim_op *op, struct gp_error *err)
{
    const struct gp_profile *profile = &model->profile;
    const uint64_t bytes = (uint64_t)op->bytes;
    struct gp_sim_stream *sim_stream = NULL;
    int code;

    if (op->action != NULL) {
        op->action->staged = gp_alloc(bytes, 1);
        if (op->action->staged == NULL) {
            return fail_memory(err, "copy from pageable memory");
        }
        memcpy(op->action->staged, (const void *)(uintptr_t)op->action->from, bytes);
    }
    if (op->bytes > profile->pageable_inline_bytes && stream->capture == NULL) {
        code = gp_model_resolve(stream, lane, &sim_stream, err);
        if (code == 0) {
            code = gp_model_drain(sim_stream, lane, 0, err);
        }
        if (code != 0) {
            return code;
        }
        gp_lane_readmit(lane);
    }
    lane->clock_ns += transfer_ns(bytes, profile->pageable_rate);
    op->bytes =
        op->bytes < profile->pageable_chunk_bytes ? op->bytes : profile->pageable_chunk_bytes;
    gp_lane_readmit(lane);
    return 0;
}

/* To pageable memory: the call returns when the bytes are there. */
static int unstage(struct gp_model *model, struct gp_model_stream *stream, struct gp_lane *lane,
                   uint64_t bytes, struct gp_error *err)
{
    const struct gp_profile *profile = &model->profile;
    struct gp_sim_stream *sim_stream = NULL;
    int64_t more_ns =
        transfer_ns(bytes, profile->pageable_d2h_rate) - transfer_ns(bytes, profile->d2h_rate);
    int code = gp_model_resolve(stream, lane, &sim_stream, err);

    if (code == 0) {
        code = gp_model_drain(sim_stream, lane,
                              profile->visible_sync_ns + (more_ns > 0 ? more_ns : 0), err);
    }
    return code;
}

int gp_model_copy(struct gp_stream *base, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                  uint64_t bytes, struct gp_error *err)
{
    struct gp_model_stream *stream = gp_model_stream_of(base);
    struct gp_model *model = gp_model_of(base->device);
    struct gp_lane *lane = NULL;
    struct gp_sim_op *op = NULL;
    bool is_pageable;
    int code;

    if (bytes == 0 || bytes > INT64_C(1) << 50) {
        return gp_fail(err, GP_EINVAL, "a copy of %llu bytes", (unsigned long long)bytes);
    }
    code = gp_model_enter(model, &lane, err);
    if (code != 0) {
        return code;
    }
    is_pageable = kind != GP_COPY_D2D &&
                  gp_memory_find(&model->memory, kind == GP_COPY_H2D ? from : to, bytes) == NULL;
    code = make_copy(model, kind, to, from, bytes, &op);
    if (code != 0) {
        (void)fail_memory(err, "copy");
    } else if (is_pageable && kind == GP_COPY_H2D && !op->is_faulty) {
        code = stage(model, stream, lane, op, err);
        if (code != 0) {
            gp_sim_op_destroy(&model->sim, op);
        }
    }
    if (code == 0) {
        code = gp_model_submit(stream, lane, op, model->profile.host_copy_ns, err);
    }
    if (code == 0 && is_pageable && kind == GP_COPY_D2H && stream->capture == NULL) {
        code = unstage(model, stream, lane, bytes, err);
    }
    gp_lane_leave(lane, true);
    return code;
}

int gp_model_set(struct gp_stream *stream, gp_addr to, uint8_t value, uint64_t bytes,
                 struct gp_error *err)
{
    struct gp_model *model = gp_model_of(stream->device);
    const struct gp_profile *profile = &model->profile;
    struct gp_lane *lane = NULL;
    struct gp_sim_op *op = NULL;
    int code;

    if (bytes == 0 || bytes > INT64_C(1) << 50) {
        return gp_fail(err, GP_EINVAL, "a fill of %llu bytes", (unsigned long long)bytes);
    }
    code = gp_model_enter(model, &lane, err);
    if (code != 0) {
        return code;
    }
    op = gp_sim_op_create(&model->sim, GP_SIM_SET);
    if (op != NULL) {
        op->bytes = (int64_t)bytes;
        op->is_faulty = !is_device(model, to, bytes);
        if (op->bytes >= profile->memset_sm_bytes) {
            describe_as_grid(model, op, bytes, bytes, profile->memset_rate);
        }
        if (model->sim.is_executing && !op->is_faulty) {
            op->action = gp_action_move(to, 0, bytes, value);
        }
    }
    if (op == NULL || (model->sim.is_executing && !op->is_faulty && op->action == NULL)) {
        code = fail_memory(err, "fill");
        if (op != NULL) {
            gp_sim_op_destroy(&model->sim, op);
        }
    } else {
        code = gp_model_submit(gp_model_stream_of(stream), lane, op, profile->host_set_ns, err);
    }
    gp_lane_leave(lane, true);
    return code;
}

/* ---- host functions and flags
 * ---------------------------------------------------------------- */

int gp_model_host_function(struct gp_stream *stream, gp_host_fn *fn, void *user,
                           struct gp_error *err)
{
    struct gp_model *model = gp_model_of(stream->device);
    struct gp_lane *lane = NULL;
    struct gp_sim_op *op = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    code = gp_lanes_start_thread(&model->lanes, err);
    if (code == 0) {
        op = gp_sim_op_create(&model->sim, GP_SIM_FUNCTION);
        if (op == NULL) {
            code = fail_memory(err, "host function");
        } else {
            op->function = fn;
            op->user = user;
            code = gp_model_submit(gp_model_stream_of(stream), lane, op,
                                   model->profile.host_function_ns, err);
        }
    }
    gp_lane_leave(lane, true);
    return code;
}

int gp_model_flag_write(struct gp_stream *stream, uint32_t *flag, uint32_t value,
                        struct gp_error *err)
{
    struct gp_model *model = gp_model_of(stream->device);
    const struct gp_allocation *allocation;
    struct gp_lane *lane = NULL;
    struct gp_sim_op *op = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    allocation = gp_memory_find(&model->memory, (uint64_t)(uintptr_t)flag, sizeof *flag);
    if (allocation == NULL || !allocation->is_pinned) {
        code = gp_fail(err, GP_EINVAL, "a flag must lie in pinned memory of the device");
    } else {
        op = gp_sim_op_create(&model->sim, GP_SIM_WRITE);
        if (op == NULL) {
            code = fail_memory(err, "flag write");
        } else {
            op->flag = flag;
            op->value = value;
            code = gp_model_submit(gp_model_stream_of(stream), lane, op,
                                   model->profile.host_flag_write_ns, err);
        }
    }
    gp_lane_leave(lane, true);
    return code;
}
