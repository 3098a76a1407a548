/* Activity records: see records.h. */
#include "probe/cupti/records.h"

#include <assert.h>
#include <stdlib.h>

#include "probe/memory.h"

/* One piece of work as CUPTI saw it. */
struct activity {
    uint64_t node; /* of a graph; 0 none */
    int64_t begin_ns, end_ns;
    uint32_t correlation;
    enum gp_op_kind kind;
};

struct reading {
    struct activity *activities;
    uint32_t activity_count;
    size_t activity_capacity;
};

static enum gp_op_kind copy_kind(uint32_t detail)
{
    switch (detail & 0xff) {
    case GP_CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
        return GP_OP_H2D;
    case GP_CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
        return GP_OP_D2H;
    default:
        return GP_OP_D2D;
    }
}

static void add_activity(struct reading *r, struct activity activity)
{
    r->activities = gp_xgrow(r->activities, &r->activity_capacity, (size_t)r->activity_count + 1,
                             sizeof r->activities[0]);
    r->activities[r->activity_count++] = activity;
}

static void take_kernel(struct reading *r, const struct gp_cupti_kernel *kernel)
{
    add_activity(r, (struct activity){
                        .node = kernel->graph_node_id,
                        .begin_ns = (int64_t)kernel->start_ns,
                        .end_ns = (int64_t)kernel->end_ns,
                        .correlation = kernel->correlation_id,
                        .kind = GP_OP_KERNEL,
                    });
}

static void take_transfer(struct reading *r, const struct gp_cupti_transfer *transfer)
{
    bool is_set = transfer->kind == GP_CUPTI_ACTIVITY_KIND_MEMSET;

    add_activity(r, (struct activity){
                        .node = transfer->graph_node_id,
                        .begin_ns = (int64_t)transfer->start_ns,
                        .end_ns = (int64_t)transfer->end_ns,
                        .correlation = transfer->correlation_id,
                        .kind = is_set ? GP_OP_MEMSET : copy_kind(transfer->detail),
                    });
}

/* Records of other kinds are CUPTI's own affair. */
static void take(struct reading *r, const struct gp_cupti_record *record)
{
    switch (record->kind) {
    case GP_CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        take_kernel(r, (const struct gp_cupti_kernel *)record);
        break;
    case GP_CUPTI_ACTIVITY_KIND_MEMCPY:
    case GP_CUPTI_ACTIVITY_KIND_MEMSET:
        take_transfer(r, (const struct gp_cupti_transfer *)record);
        break;
    default:
        break;
    }
}

static int read_buffers(struct reading *r, const struct gp_cupti_library *library,
                        const struct gp_cupti_run *run, struct gp_error *err)
{
    for (uint32_t i = 0; i < run->buffer_count; i++) {
        const struct gp_cupti_buffer *buffer = &run->buffers[i];
        struct gp_cupti_record *record = NULL;
        gp_cupti_result result = GP_CUPTI_SUCCESS;

        while (result == GP_CUPTI_SUCCESS && buffer->valid_bytes > 0) {
            result =
                library->cuptiActivityGetNextRecord(buffer->start, buffer->valid_bytes, &record);
            if (result == GP_CUPTI_SUCCESS) {
                take(r, record);
            }
        }
        if (result != GP_CUPTI_SUCCESS && result != GP_CUPTI_ERROR_MAX_LIMIT_REACHED &&
            result != GP_CUPTI_ERROR_INVALID_KIND) {
            return gp_cupti_library_fail(library, result, "cuptiActivityGetNextRecord", err);
        }
    }
    return 0;
}

static int compare_activities(const void *a, const void *b)
{
    const struct activity *left = a;
    const struct activity *right = b;

    if (left->correlation != right->correlation) {
        return left->correlation < right->correlation ? -1 : 1;
    }
    return (left->node > right->node) - (left->node < right->node);
}

/* A time of 0 means that CUPTI had no room to take it. */
static int settle(const struct gp_cupti_run *run, uint32_t op, const struct activity *activity,
                  struct gp_work_times *times, struct gp_error *err)
{
    struct gp_work_times *time = &times[op];

    if (run->kinds[op] != activity->kind) {
        return gp_fail(err, GP_EUNSUPPORTED, "CUPTI says that operation %u is of kind %s; it is %s",
                       op, gp_op_kind_name(activity->kind), gp_op_kind_name(run->kinds[op]));
    }
    if (activity->begin_ns <= 0 || activity->end_ns < activity->begin_ns) {
        return 0;
    }
    if (time->begin_ns == INT64_MIN || activity->begin_ns < time->begin_ns) {
        time->begin_ns = activity->begin_ns;
    }
    if (time->end_ns == INT64_MIN || activity->end_ns > time->end_ns) {
        time->end_ns = activity->end_ns;
    }
    return 0;
}

static bool has_record(enum gp_op_kind kind)
{
    return kind == GP_OP_KERNEL || kind == GP_OP_MEMSET || kind == GP_OP_H2D || kind == GP_OP_D2H ||
           kind == GP_OP_D2D;
}

static int match(struct reading *r, const struct gp_cupti_run *run, struct gp_work_times *times,
                 struct gp_error *err)
{
    const struct activity *activities = r->activities;
    uint32_t next = 0;
    int code = 0;

    if (r->activity_count > 0) {
        qsort(r->activities, r->activity_count, sizeof r->activities[0], compare_activities);
    }
    for (uint32_t i = 0; i < run->op_count && code == 0; i++) {
        uint32_t op = run->submitted[i];
        uint32_t first = next;

        if (!has_record(run->kinds[op])) {
            continue;
        }
        while (code == 0 && next < r->activity_count &&
               compare_activities(&activities[first], &activities[next]) == 0) {
            code = settle(run, op, &activities[next++], times, err);
        }
        if (code == 0 && next == first) {
            return gp_fail(err, GP_EUNSUPPORTED, "CUPTI has no record of operation %u and after",
                           op);
        }
    }
    if (code == 0 && next < r->activity_count) {
        return gp_fail(err, GP_EUNSUPPORTED, "CUPTI has %u records more than the run",
                       r->activity_count - next);
    }
    return code;
}

int gp_cupti_read(const struct gp_cupti_library *library, const struct gp_cupti_run *run,
                  struct gp_work_times *times, struct gp_error *err)
{
    struct reading reading = {0};
    int code;

    assert(run->kinds != NULL && times != NULL);
    for (uint32_t i = 0; i < run->op_count; i++) {
        times[i] = (struct gp_work_times){INT64_MIN, INT64_MIN};
    }
    code = read_buffers(&reading, library, run, err);
    if (code == 0) {
        code = match(&reading, run, times, err);
    }
    gp_free(reading.activities);
    return code;
}
