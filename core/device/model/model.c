/* The model device: opening, clocks, memory, and its operations table. See device.h for the
 * contracts, sim.h for the device's rules, lane.h for the order of the host's threads. */
#include "core/device/model/model.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/model/handles.h"
#include "core/memory.h"
#include "core/nearest.h"

#define GP_OWNER(at, type) ((struct type *)(void *)((char *)(at)-offsetof(struct type, link)))

void gp_model_link(struct gp_model_link *head, struct gp_model_link *link)
{
    link->next = head;
    link->previous = head->previous;
    head->previous->next = link;
    head->previous = link;
}

void gp_model_unlink(struct gp_model_link *link)
{
    link->next->previous = link->previous;
    link->previous->next = link->next;
}

int gp_model_enter(struct gp_model *model, struct gp_lane **out, struct gp_error *err)
{
    int code = gp_lane_enter(&model->lanes, out, err);

    if (code == 0 && model->sim.fault.code != 0) {
        code = model->sim.fault.code;
        if (err != NULL) {
            *err = model->sim.fault;
        }
        gp_lane_leave(*out, false);
    }
    return code;
}

/* ---- opening -----------------------------------------------------------------------------------
 */

/* CUDA_DEVICE_MAX_CONNECTIONS as the driver reads it: 1 … 32, 8 when it is not set. */
static uint32_t choose_connections(const struct gp_device_options *options)
{
    const char *text = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    long value = options->connections;

    if (value <= 0 && text != NULL) {
        value = strtol(text, NULL, 10);
    }
    if (value <= 0) {
        value = GP_CONNECTIONS_DEFAULT;
    }
    return (uint32_t)(value > GP_CONNECTIONS_MAX ? GP_CONNECTIONS_MAX : value);
}

static void fill_info(const struct gp_profile *profile, uint32_t connections,
                      struct gp_device_info *info)
{
    struct gp_sm_limits limits;

    gp_occupancy_limits((int32_t)profile->compute_major, (int32_t)profile->compute_minor, &limits);
    memset(info, 0, sizeof *info);
    info->kind = GP_DEVICE_MODEL;
    (void)snprintf(info->name, sizeof info->name, "model of %s", profile->models);
    (void)snprintf(info->spec, sizeof info->spec, "model:%s", profile->name);
    info->compute_major = (int32_t)profile->compute_major;
    info->compute_minor = (int32_t)profile->compute_minor;
    info->sm_count = (int32_t)profile->sm_count;
    info->connections = (int32_t)connections;
    info->async_engines = (int32_t)profile->async_engines;
    info->priority_least = 0;
    info->priority_greatest = 1 - (int32_t)profile->priority_levels;
    info->threads_per_sm = (int32_t)limits.threads;
    info->blocks_per_sm = (int32_t)limits.blocks;
    info->registers_per_sm = (int32_t)limits.registers;
    info->shared_bytes_per_sm = limits.shared_bytes;
    info->memory_bytes = profile->memory_bytes;
    info->l2_bytes = profile->l2_bytes;
    info->timer_tick_ns = profile->timer_tick_ns;
    (void)snprintf(info->image, sizeof info->image, "model");
}

static int fail_profile(const char *name, struct gp_error *err)
{
    const char *known[8];
    size_t count = 0;

    while (count < 8 && gp_profile_builtin_name(count) != NULL) {
        known[count] = gp_profile_builtin_name(count);
        count++;
    }
    return gp_fail(
        err, GP_EINVAL,
        "no built-in profile '%.60s'; did you mean '%s'? A file is named by its path, as "
        "in model:./mine.profile",
        name, gp_nearest(name, known, count));
}

/* arguments is "", ":PROFILE", ":PROFILE,free" or ",free"; a path may hold commas. */
static int read_spec(const char *arguments, const struct gp_device_options *options,
                     struct gp_profile *profile, bool *is_free, struct gp_error *err)
{
    static const char suffix[] = ",free";
    const char *at = *arguments == ':' ? arguments + 1 : arguments;
    size_t length = strlen(at);
    const char *text = options->profile_text;
    char name[64];

    *is_free =
        length >= sizeof suffix - 1 && strcmp(at + length - (sizeof suffix - 1), suffix) == 0;
    length -= *is_free ? sizeof suffix - 1 : 0;
    if (text == NULL) {
        if (length >= sizeof name || (*arguments != ':' && length > 0)) {
            return gp_fail(err, GP_EINVAL,
                           "'model%.60s': expected model[:PROFILE][,free][,spin|yield|blocking]",
                           arguments);
        }
        memcpy(name, at, length);
        name[length] = '\0';
        text = gp_profile_builtin(length > 0 ? name : gp_profile_builtin_name(0));
        if (text == NULL) {
            return fail_profile(name, err);
        }
    }
    return gp_profile_parse(text, profile, err);
}

static int describe(int32_t index, const struct gp_device_options *options,
                    struct gp_device_info *out, struct gp_error *err)
{
    const char *name = gp_profile_builtin_name((size_t)index);
    struct gp_profile *profile;
    int code;

    if (name == NULL) {
        return gp_fail(err, GP_ENOTFOUND, "no model of number %d", index);
    }
    profile = gp_alloc(1, sizeof *profile);
    if (profile == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for a profile");
    }
    code = gp_profile_parse(gp_profile_builtin(name), profile, err);
    if (code == 0) {
        fill_info(profile, choose_connections(options), out);
        out->ordinal = index;
    }
    gp_free(profile);
    return code;
}

static void free_handles(struct gp_model *model)
{
    while (model->streams.next != &model->streams) {
        struct gp_model_stream *stream = GP_OWNER(model->streams.next, gp_model_stream);

        if (stream->capture != NULL) {
            gp_model_capture_drop(model, stream->capture);
        }
        gp_node_set_finish(&stream->after);
        gp_model_unlink(&stream->link);
        gp_free(stream);
    }
    while (model->events.next != &model->events) {
        struct gp_model_event *event = GP_OWNER(model->events.next, gp_model_event);

        gp_node_set_finish(&event->after);
        gp_model_unlink(&event->link);
        gp_free(event);
    }
    while (model->graphs.next != &model->graphs) {
        struct gp_model_graph *graph = GP_OWNER(model->graphs.next, gp_model_graph);

        gp_graph_body_release(graph->body);
        gp_model_unlink(&graph->link);
        gp_free(graph);
    }
}

static void destroy(struct gp_model *model)
{
    free_handles(model);
    gp_lanes_finish(&model->lanes);
    gp_sim_finish(&model->sim);
    gp_memory_finish(&model->memory);
    gp_free(model->profile_json);
    gp_free(model);
}

static int open_model(const char *arguments, const struct gp_device_options *options,
                      struct gp_device **out, struct gp_error *err)
{
    struct gp_model *model = gp_alloc(1, sizeof *model);
    uint32_t connections = choose_connections(options);
    bool is_free = false;
    int code;

    if (model == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for a model device");
    }
    model->base.ops = &gp_device_model;
    model->streams.next = model->streams.previous = &model->streams;
    model->events.next = model->events.previous = &model->events;
    model->graphs.next = model->graphs.previous = &model->graphs;
    code = read_spec(arguments, options, &model->profile, &is_free, err);
    if (code == 0) {
        code = gp_profile_json(&model->profile, &model->profile_json, err);
    }
    if (code == 0) {
        fill_info(&model->profile, connections, &model->base.info);
        model->base.info.profile_json = model->profile_json;
        model->base.info.scheduling = options->scheduling;
        gp_memory_init(&model->memory, (uint64_t)model->profile.memory_bytes);
        code = gp_sim_init(&model->sim, &model->profile, &model->memory, connections, err);
    }
    if (code == 0) {
        code = gp_lanes_init(&model->lanes, &model->sim, is_free, err);
    }
    if (code == 0) {
        code = gp_lane_attach(&model->lanes, err);
    }
    if (code != 0) {
        destroy(model);
        return code;
    }
    *out = &model->base;
    return 0;
}

/* Waits until the device has nothing to do. */
static int wait_idle(struct gp_lane *lane, struct gp_error *err)
{
    assert(lane != NULL);
    lane->wait = GP_WAIT_IDLE;
    return gp_lane_block(lane, lane->lanes->sim->profile->visible_sync_ns, err);
}

static void close_model(struct gp_device *device)
{
    struct gp_model *model = gp_model_of(device);
    struct gp_lane *lane = NULL;

    (void)gp_lane_attach(&model->lanes,
                         NULL); /* it may be another thread than the one that opened */
    if (gp_lane_enter(&model->lanes, &lane, NULL) == 0) {
        (void)wait_idle(lane, NULL);
        gp_lane_leave(lane, false);
        gp_lane_detach(&model->lanes);
    }
    destroy(model);
}

/* ---- threads and clocks
 * -------------------------------------------------------------------------- */

static int attach(struct gp_device *device, struct gp_error *err)
{
    return gp_lane_attach(&gp_model_of(device)->lanes, err);
}

static void detach(struct gp_device *device)
{
    gp_lane_detach(&gp_model_of(device)->lanes);
}

static struct gp_lane *park(struct gp_device *device)
{
    return gp_lane_park(&gp_model_of(device)->lanes);
}

static void unpark(struct gp_device *device, struct gp_lane *lane)
{
    gp_lane_unpark(&gp_model_of(device)->lanes, lane);
}

static void resume(struct gp_device *device, struct gp_lane *lane)
{
    gp_lane_resume(&gp_model_of(device)->lanes, lane);
}

static int64_t clock_ns(struct gp_device *device)
{
    return gp_lane_clock(&gp_model_of(device)->lanes);
}

static void pause_lane(struct gp_device *device, int64_t until_ns)
{
    struct gp_lane *lane = NULL;

    if (gp_lane_enter(&gp_model_of(device)->lanes, &lane, NULL) == 0) {
        gp_lane_pause(lane, until_ns);
        gp_lane_leave(lane, false);
    }
}

/* The device's clock is the virtual time itself, so the sample is exact; its width is what a round
 * trip takes on the hardware. */
static int clock_sample(struct gp_device *device, struct gp_clock_sample *out, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(device);
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    code = wait_idle(lane, err);
    if (code == 0) {
        out->host_before_ns = lane->clock_ns;
        out->device_ns = lane->clock_ns + model->profile.clock_round_ns / 2;
        lane->clock_ns += model->profile.clock_round_ns;
        out->host_after_ns = lane->clock_ns;
    }
    gp_lane_leave(lane, false);
    return code;
}

static void set_execute(struct gp_device *device, bool on)
{
    struct gp_lane *lane = NULL;

    if (gp_lane_enter(&gp_model_of(device)->lanes, &lane, NULL) == 0) {
        gp_model_of(device)->sim.is_executing = on;
        gp_lane_leave(lane, false);
    }
}

static void watch(struct gp_device *device, struct gp_work_times *log, uint32_t count)
{
    struct gp_sim *sim = &gp_model_of(device)->sim;
    struct gp_lane *lane = NULL;

    if (gp_lane_enter(&gp_model_of(device)->lanes, &lane, NULL) == 0) {
        sim->watch_log = log;
        sim->watch_count = count;
        sim->watch_next = 0;
        gp_lane_leave(lane, false);
    }
}

static bool is_lost(struct gp_device *device)
{
    struct gp_model *model = gp_model_of(device);
    bool lost;

    (void)pthread_mutex_lock(&model->lanes.mutex);
    lost = model->sim.fault.code != 0;
    (void)pthread_mutex_unlock(&model->lanes.mutex);
    return lost;
}

static int check(struct gp_device *device, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(device);
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    gp_lane_charge(lane, model->profile.host_query_ns);
    if (model->lanes.is_stuck) {
        code =
            gp_fail(err, GP_EDEADLOCK,
                    "deadlock: nothing is pending on the device, and no other thread is at work");
    }
    gp_lane_leave(lane, false);
    return code;
}

/* ---- memory
 * -------------------------------------------------------------------------------------- */

static int allocate(struct gp_model *model, uint64_t bytes, bool is_pinned, uint64_t *out,
                    struct gp_error *err)
{
    const struct gp_profile *profile = &model->profile;
    struct gp_lane *lane = NULL;
    int code = bytes > 0 ? gp_model_enter(model, &lane, err)
                         : gp_fail(err, GP_EINVAL, "an allocation of 0 bytes");

    if (code != 0) {
        return code;
    }
    if (profile->alloc_synchronises) {
        code = wait_idle(lane, err);
    }
    if (code == 0) {
        code = gp_memory_add(&model->memory, bytes, is_pinned, out, err);
        gp_lane_charge(lane, is_pinned   ? profile->host_pinned_ns
                             : code == 0 ? gp_model_chunk_take(model, bytes)
                                         : profile->host_alloc_ns);
    }
    gp_lane_leave(lane, true);
    return code;
}

/* Allowed on a lost device, which is not waited for. */
static int release(struct gp_model *model, uint64_t address, bool is_pinned, struct gp_error *err)
{
    const struct gp_profile *profile = &model->profile;
    const struct gp_allocation *allocation;
    struct gp_lane *lane = NULL;
    int64_t ns = is_pinned ? profile->host_pinned_ns : profile->host_free_ns;
    int code = gp_lane_enter(&model->lanes, &lane, err);

    if (code != 0) {
        return code;
    }
    code = wait_idle(lane, err);
    if (code == 0) {
        allocation = gp_memory_find(&model->memory, address, 0);
        if (allocation != NULL && allocation->address == address && !allocation->is_pinned &&
            !is_pinned) {
            ns = gp_model_chunk_give(model, allocation->bytes);
        }
        gp_lane_charge(lane, ns);
        code = address != 0 ? gp_memory_remove(&model->memory, address, is_pinned, err) : 0;
    }
    gp_lane_leave(lane, true);
    return code;
}

static int mem_alloc(struct gp_device *device, uint64_t bytes, gp_addr *out, struct gp_error *err)
{
    return allocate(gp_model_of(device), bytes, false, out, err);
}

static int mem_free(struct gp_device *device, gp_addr address, struct gp_error *err)
{
    return release(gp_model_of(device), address, false, err);
}

static int host_alloc(struct gp_device *device, uint64_t bytes, void **out, struct gp_error *err)
{
    uint64_t address = 0;
    int code = allocate(gp_model_of(device), bytes, true, &address, err);

    *out = (void *)(uintptr_t)address;
    return code;
}

static int host_free(struct gp_device *device, void *block, struct gp_error *err)
{
    return release(gp_model_of(device), (uint64_t)(uintptr_t)block, true, err);
}

static int kernel_prepare(struct gp_device *device, const struct gp_kernel *kernel,
                          struct gp_error *err)
{
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(gp_model_of(device), &lane, err);

    (void)kernel; /* there is nothing to load */
    if (code == 0) {
        gp_lane_leave(lane, false);
    }
    return code;
}

static uint32_t flag_read(struct gp_device *device, const uint32_t *flag)
{
    struct gp_lane *lane = NULL;
    uint32_t value;

    if (gp_lane_enter(&gp_model_of(device)->lanes, &lane, NULL) != 0) {
        return *(const volatile uint32_t *)flag;
    }
    lane->clock_ns += gp_model_of(device)->profile.host_flag_read_ns;
    value = *(const volatile uint32_t *)flag;
    gp_lane_leave(lane, false);
    return value;
}

const struct gp_device_ops gp_device_model = {
    .name = "model",
    .summary = "a deterministic model of a GPU in virtual time; needs no hardware",
    .options = "[:PROFILE][,free][,spin|yield|blocking]",
    .kind = GP_DEVICE_MODEL,
    .describe = describe,
    .open = open_model,
    .close = close_model,
    .attach = attach,
    .detach = detach,
    .park = park,
    .unpark = unpark,
    .resume = resume,
    .clock_ns = clock_ns,
    .pause = pause_lane,
    .clock_sample = clock_sample,
    .set_execute = set_execute,
    .watch = watch,
    .check = check,
    .is_lost = is_lost,
    .mem_alloc = mem_alloc,
    .mem_free = mem_free,
    .mem_alloc_async = gp_model_mem_alloc_async,
    .mem_free_async = gp_model_mem_free_async,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .stream_create = gp_model_stream_create,
    .stream_create_on = gp_model_stream_create_on,
    .stream_destroy = gp_model_stream_destroy,
    .stream_query = gp_model_stream_query,
    .stream_sync = gp_model_stream_sync,
    .stream_wait = gp_model_stream_wait,
    .event_create = gp_model_event_create,
    .event_destroy = gp_model_event_destroy,
    .event_record = gp_model_event_record,
    .event_query = gp_model_event_query,
    .event_sync = gp_model_event_sync,
    .event_elapsed = gp_model_event_elapsed,
    .kernel_prepare = kernel_prepare,
    .launch = gp_model_launch,
    .copy = gp_model_copy,
    .set = gp_model_set,
    .host_function = gp_model_host_function,
    .flag_write = gp_model_flag_write,
    .flag_read = flag_read,
    .capture_begin = gp_model_capture_begin,
    .capture_end = gp_model_capture_end,
    .graph_instantiate = gp_model_graph_instantiate,
    .graph_launch = gp_model_graph_launch,
    .graph_destroy = gp_model_graph_destroy,
};
