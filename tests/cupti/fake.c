/*
 * A libcupti for tests: keeps records of what it is told and hands them over at a flush, in the
 * buffers that it asks for. Its records are as long as those of CUDA 13, longer than what we read.
 */
#include "cupti/fake.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOG_BYTES = 8 * 1024 * 1024 };

#define X(symbol, parameters) gp_cupti_result symbol parameters;
GP_CUPTI_SYMBOLS(X)
#undef X

static void add(const void *record, size_t bytes);
static void call(enum gp_op_kind kind);
static void add_node(enum gp_op_kind kind);

struct fake_cupti fake_cupti = {.add = add, .call = call, .node = add_node};

static uint8_t records[LOG_BYTES];
static size_t record_bytes;
static uint32_t correlation = 100;
static uint64_t node = 7;
static gp_cupti_request_fn *request_buffer;
static gp_cupti_complete_fn *complete_buffer;
static gp_cupti_clock_fn *read_clock;

static void add(const void *record, size_t bytes)
{
    if (record_bytes + bytes <= sizeof records) {
        memcpy(records + record_bytes, record, bytes);
        record_bytes += bytes;
    }
}

static size_t size_of(uint32_t kind)
{
    return kind == GP_CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? FAKE_CUPTI_KERNEL_BYTES
                                                            : FAKE_CUPTI_TRANSFER_BYTES;
}

static void add_kernel(uint64_t in_graph)
{
    union {
        struct gp_cupti_kernel kernel;
        uint8_t bytes[FAKE_CUPTI_KERNEL_BYTES];
    } record = {.kernel = {
                    .kind = GP_CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                    .start_ns = read_clock(),
                    .correlation_id = correlation,
                    .graph_node_id = in_graph,
                }};

    record.kernel.end_ns = record.kernel.start_ns + 1000;
    add(&record, sizeof record);
}

static void add_transfer(enum gp_op_kind kind, uint64_t in_graph)
{
    static const uint32_t details[] = {
        [GP_OP_H2D] = GP_CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
        [GP_OP_D2H] = GP_CUPTI_ACTIVITY_MEMCPY_KIND_DTOH,
        [GP_OP_D2D] = GP_CUPTI_ACTIVITY_MEMCPY_KIND_DTOD,
    };
    union {
        struct gp_cupti_transfer transfer;
        uint8_t bytes[FAKE_CUPTI_TRANSFER_BYTES];
    } record = {.transfer = {
                    .kind = GP_CUPTI_ACTIVITY_KIND_MEMCPY,
                    .start_ns = read_clock(),
                    .correlation_id = correlation,
                    .graph_node_id = in_graph,
                }};

    record.transfer.end_ns = record.transfer.start_ns + 2000;
    if (kind == GP_OP_MEMSET) {
        record.transfer.kind = GP_CUPTI_ACTIVITY_KIND_MEMSET;
    } else {
        record.transfer.detail = details[kind] | 0x0101u << 8; /* from and to kinds beside it */
    }
    add(&record, sizeof record);
}

static void add_work(enum gp_op_kind kind, uint64_t in_graph)
{
    if (fake_cupti.enabled == 0) {
        return;
    }
    if (kind == GP_OP_KERNEL) {
        add_kernel(in_graph);
    } else {
        add_transfer(kind, in_graph);
    }
}

static void call(enum gp_op_kind kind)
{
    correlation++;
    add_work(kind, 0);
}

static void add_node(enum gp_op_kind kind)
{
    add_work(kind, node++);
}

gp_cupti_result cuptiGetVersion(uint32_t *version)
{
    *version = 130001;
    return GP_CUPTI_SUCCESS;
}

gp_cupti_result cuptiGetResultString(gp_cupti_result result, const char **text)
{
    *text = result == GP_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                : "CUPTI_ERROR_OTHER";
    return GP_CUPTI_SUCCESS;
}

gp_cupti_result cuptiSubscribe(struct CUpti_Subscriber_st **subscriber,
                               gp_cupti_callback_fn *callback, void *user)
{
    (void)callback;
    (void)user;
    *subscriber = NULL;
    if (fake_cupti.subscribe == GP_CUPTI_SUCCESS) {
        fake_cupti.subscribers++;
    }
    return fake_cupti.subscribe;
}

gp_cupti_result cuptiUnsubscribe(struct CUpti_Subscriber_st *subscriber)
{
    (void)subscriber;
    fake_cupti.subscribers--;
    return GP_CUPTI_SUCCESS;
}

gp_cupti_result cuptiActivityRegisterCallbacks(gp_cupti_request_fn *request,
                                               gp_cupti_complete_fn *complete)
{
    request_buffer = request;
    complete_buffer = complete;
    return GP_CUPTI_SUCCESS;
}

gp_cupti_result cuptiActivityRegisterTimestampCallback(gp_cupti_clock_fn *clock)
{
    read_clock = clock;
    return GP_CUPTI_SUCCESS;
}

gp_cupti_result cuptiActivityEnable(unsigned int kind)
{
    (void)kind;
    if (fake_cupti.enable == GP_CUPTI_SUCCESS) {
        fake_cupti.enabled++;
        fake_cupti.clock_ns = read_clock();
    }
    return fake_cupti.enable;
}

gp_cupti_result cuptiActivityDisable(unsigned int kind)
{
    (void)kind;
    fake_cupti.enabled--;
    return GP_CUPTI_SUCCESS;
}

/* CUPTI hands buffers back from a thread of its own. */
static void *hand_over(void *user)
{
    size_t taken = 0;

    (void)user;
    while (taken < record_bytes) {
        uint8_t *buffer = NULL;
        size_t bytes = 0;
        size_t most = 0;
        size_t used = 0;

        request_buffer(&buffer, &bytes, &most);
        if (buffer == NULL) {
            fake_cupti.dropped++;
            break;
        }
        while (taken < record_bytes) {
            uint32_t kind;
            size_t size;

            memcpy(&kind, records + taken, sizeof kind);
            size = size_of(kind);
            if (used + size > bytes) {
                break;
            }
            memcpy(buffer + used, records + taken, size);
            used += size;
            taken += size;
        }
        complete_buffer(NULL, 0, buffer, bytes, used);
    }
    record_bytes = 0;
    return NULL;
}

gp_cupti_result cuptiActivityFlushAll(uint32_t flag)
{
    pthread_t thread;

    (void)flag;
    if (pthread_create(&thread, NULL, hand_over, NULL) == 0) {
        (void)pthread_join(thread, NULL);
    }
    return GP_CUPTI_SUCCESS;
}

gp_cupti_result cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes,
                                           struct gp_cupti_record **record)
{
    uint8_t *at = *record == NULL ? buffer : (uint8_t *)*record + size_of((*record)->kind);

    if (at >= buffer + valid_bytes) {
        return GP_CUPTI_ERROR_MAX_LIMIT_REACHED;
    }
    *record = (struct gp_cupti_record *)(void *)at;
    return GP_CUPTI_SUCCESS;
}

gp_cupti_result cuptiActivityGetNumDroppedRecords(struct CUctx_st *context, uint32_t stream_id,
                                                  size_t *dropped)
{
    (void)context;
    (void)stream_id;
    *dropped = fake_cupti.dropped;
    fake_cupti.dropped = 0;
    return GP_CUPTI_SUCCESS;
}
