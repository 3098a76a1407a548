/* A CUPTI session: see cupti.h. */
#include "probe/cupti/cupti.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "probe/memory.h"

/* A kernel's record takes 224 bytes: room for some 37 thousand operations. */
enum { BUFFERS = 8, BUFFER_BYTES = 1024 * 1024, BUFFER_ALIGNMENT = 8 };

enum buffer_state { BUFFER_FREE, BUFFER_LENT, BUFFER_FULL };

struct gp_cupti {
    struct gp_cupti_library library;
    struct CUpti_Subscriber_st *subscriber;
    bool is_registered;
    bool is_watching;
    pthread_mutex_t lock; /* of the two below, which CUPTI's thread uses too */
    struct gp_cupti_buffer buffers[BUFFERS];
    enum buffer_state states[BUFFERS];
};

/* CUPTI's callbacks have no argument of ours, so the session is found here. */
static _Atomic(struct gp_cupti *) session;

static const unsigned int watched_kinds[] = {
    GP_CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    GP_CUPTI_ACTIVITY_KIND_MEMCPY,
    GP_CUPTI_ACTIVITY_KIND_MEMSET,
};

/* ---- what CUPTI calls ---- */

static uint64_t now_ns(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void hear(void *user, unsigned int domain, unsigned int id, const void *data)
{
    (void)user;
    (void)domain;
    (void)id;
    (void)data;
}

static void request(uint8_t **buffer, size_t *bytes, size_t *records_max)
{
    struct gp_cupti *cupti = atomic_load(&session);

    *buffer = NULL;
    *bytes = 0;
    *records_max = 0;
    if (cupti == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&cupti->lock);
    for (int i = 0; i < BUFFERS; i++) {
        if (cupti->states[i] == BUFFER_FREE) {
            cupti->states[i] = BUFFER_LENT;
            *buffer = cupti->buffers[i].start;
            *bytes = cupti->buffers[i].bytes;
            break;
        }
    }
    (void)pthread_mutex_unlock(&cupti->lock);
}

static void complete(struct CUctx_st *context, uint32_t stream_id, uint8_t *buffer, size_t bytes,
                     size_t valid_bytes)
{
    struct gp_cupti *cupti = atomic_load(&session);

    (void)context;
    (void)stream_id;
    (void)bytes;
    if (cupti == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&cupti->lock);
    for (int i = 0; i < BUFFERS; i++) {
        if (cupti->buffers[i].start == buffer) {
            cupti->states[i] = BUFFER_FULL;
            cupti->buffers[i].valid_bytes = valid_bytes;
        }
    }
    (void)pthread_mutex_unlock(&cupti->lock);
}

/* ---- the session ---- */

/* Touched, so that no page fault comes in the middle of a run. */
static void set_buffers_aside(struct gp_cupti *cupti)
{
    for (int i = 0; i < BUFFERS; i++) {
        uint8_t *start = gp_xalloc(BUFFER_BYTES, 1);

        assert((uintptr_t)start % BUFFER_ALIGNMENT == 0);
        memset(start, 0xff, BUFFER_BYTES);
        cupti->buffers[i] = (struct gp_cupti_buffer){.start = start, .bytes = BUFFER_BYTES};
    }
}

static int subscribe(struct gp_cupti *cupti, struct gp_error *err)
{
    const struct gp_cupti_library *library = &cupti->library;
    const char *call = "cuptiSubscribe";
    gp_cupti_result result = library->cuptiSubscribe(&cupti->subscriber, hear, NULL);

    if (result == GP_CUPTI_SUCCESS) {
        call = "cuptiActivityRegisterTimestampCallback";
        cupti->is_registered = true;
        result = library->cuptiActivityRegisterTimestampCallback(now_ns);
    }
    if (result == GP_CUPTI_SUCCESS) {
        call = "cuptiActivityRegisterCallbacks";
        result = library->cuptiActivityRegisterCallbacks(request, complete);
    }
    return result == GP_CUPTI_SUCCESS ? 0 : gp_cupti_library_fail(library, result, call, err);
}

int gp_cupti_create(struct gp_cupti **out, struct gp_error *err)
{
    struct gp_cupti *cupti = gp_xalloc(1, sizeof *cupti);
    struct gp_cupti *none = NULL;
    int code;

    assert(out != NULL);
    (void)pthread_mutex_init(&cupti->lock, NULL);
    if (!atomic_compare_exchange_strong(&session, &none, cupti)) {
        (void)pthread_mutex_destroy(&cupti->lock);
        gp_free(cupti);
        return gp_fail(err, GP_EUNSUPPORTED, "this process has a CUPTI session; there can be one");
    }
    code = gp_cupti_library_load(&cupti->library, err);
    if (code == 0) {
        set_buffers_aside(cupti);
        code = subscribe(cupti, err);
    }
    if (code != 0) {
        gp_cupti_destroy(cupti);
        return code;
    }
    *out = cupti;
    return 0;
}

void gp_cupti_destroy(struct gp_cupti *cupti)
{
    if (cupti == NULL) {
        return;
    }
    (void)gp_cupti_watch(cupti, false, NULL);
    if (cupti->is_registered) {
        (void)cupti->library.cuptiUnsubscribe(cupti->subscriber);
    }
    atomic_store(&session, NULL);
    gp_cupti_library_unload(&cupti->library);
    for (int i = 0; i < BUFFERS; i++) {
        /* One that CUPTI still has is never seen again, and must stay where it is. */
        if (cupti->states[i] != BUFFER_LENT) {
            gp_free(cupti->buffers[i].start);
        }
    }
    (void)pthread_mutex_destroy(&cupti->lock);
    gp_free(cupti);
}

const char *gp_cupti_path(const struct gp_cupti *cupti)
{
    return cupti->library.path;
}

uint32_t gp_cupti_version(const struct gp_cupti *cupti)
{
    return cupti->library.version;
}

static void forget(struct gp_cupti *cupti)
{
    (void)pthread_mutex_lock(&cupti->lock);
    for (int i = 0; i < BUFFERS; i++) {
        if (cupti->states[i] == BUFFER_FULL) {
            cupti->states[i] = BUFFER_FREE;
        }
    }
    (void)pthread_mutex_unlock(&cupti->lock);
}

/* All records there are come back, and no more are lost. */
static int flush(struct gp_cupti *cupti, size_t *dropped, struct gp_error *err)
{
    const struct gp_cupti_library *library = &cupti->library;
    const char *call = "cuptiActivityFlushAll";
    gp_cupti_result result = library->cuptiActivityFlushAll(GP_CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

    if (result == GP_CUPTI_SUCCESS) {
        call = "cuptiActivityGetNumDroppedRecords";
        result = library->cuptiActivityGetNumDroppedRecords(NULL, 0, dropped);
    }
    return result == GP_CUPTI_SUCCESS ? 0 : gp_cupti_library_fail(library, result, call, err);
}

int gp_cupti_watch(struct gp_cupti *cupti, bool on, struct gp_error *err)
{
    const struct gp_cupti_library *library = &cupti->library;
    size_t dropped = 0;
    int code = 0;

    if (cupti->is_watching != on) {
        for (size_t i = 0; i < sizeof watched_kinds / sizeof watched_kinds[0]; i++) {
            gp_cupti_result result = on ? library->cuptiActivityEnable(watched_kinds[i])
                                        : library->cuptiActivityDisable(watched_kinds[i]);

            if (result != GP_CUPTI_SUCCESS && code == 0) {
                code = gp_cupti_library_fail(
                    library, result, on ? "cuptiActivityEnable" : "cuptiActivityDisable", err);
            }
        }
        /* Also after a failure, so that what was begun can be stopped. */
        cupti->is_watching = on;
    }
    if (code == 0 && cupti->is_registered) {
        code = flush(cupti, &dropped, err);
    }
    forget(cupti);
    return code;
}

/* ---- after a run ---- */

/* Copies of the full buffers' descriptions, and how many there are. */
static uint32_t list_full(struct gp_cupti *cupti, struct gp_cupti_buffer out[BUFFERS])
{
    uint32_t count = 0;

    (void)pthread_mutex_lock(&cupti->lock);
    for (int i = 0; i < BUFFERS; i++) {
        if (cupti->states[i] == BUFFER_FULL) {
            out[count++] = cupti->buffers[i];
        }
    }
    (void)pthread_mutex_unlock(&cupti->lock);
    return count;
}

/* run: but for its buffers. */
static int collect(struct gp_cupti *cupti, struct gp_cupti_run *run, struct gp_work_times *times,
                   struct gp_error *err)
{
    struct gp_cupti_buffer buffers[BUFFERS];
    size_t dropped = 0;
    int code = flush(cupti, &dropped, err);

    assert(cupti->is_watching);
    if (code == 0 && dropped > 0) {
        code = gp_fail(err, GP_EUNSUPPORTED,
                       "CUPTI lost %zu records: %d MiB are not enough for %u operations", dropped,
                       BUFFERS * BUFFER_BYTES / (1024 * 1024), run->op_count);
    }
    if (code == 0) {
        run->buffer_count = list_full(cupti, buffers);
        run->buffers = buffers;
        code = gp_cupti_read(&cupti->library, run, times, err);
    }
    forget(cupti);
    return code;
}

int gp_cupti_collect(struct gp_cupti *cupti, const struct gp_schedule *schedule,
                     struct gp_work_times *times, struct gp_error *err)
{
    const struct gp_dag *dag = schedule->dag;
    enum gp_op_kind *kinds = gp_xalloc(dag->op_count, sizeof kinds[0]);
    uint32_t *submitted = gp_xalloc(dag->op_count, sizeof submitted[0]);
    struct gp_cupti_run run = {.kinds = kinds, .op_count = dag->op_count, .submitted = submitted};
    uint32_t n = 0;
    int code;

    for (uint32_t i = 0; i < dag->op_count; i++) {
        kinds[i] = dag->ops[i].kind;
    }
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        if (schedule->steps[i].kind == GP_STEP_OP) {
            submitted[n++] = schedule->steps[i].op;
        }
    }
    assert(n == dag->op_count);
    code = collect(cupti, &run, times, err);
    gp_free(kinds);
    gp_free(submitted);
    return code;
}

int gp_cupti_collect_kinds(struct gp_cupti *cupti, const enum gp_op_kind *kinds, uint32_t count,
                           struct gp_work_times *times, struct gp_error *err)
{
    uint32_t *submitted = gp_xalloc(count, sizeof submitted[0]);
    struct gp_cupti_run run = {.kinds = kinds, .op_count = count, .submitted = submitted};
    int code;

    for (uint32_t i = 0; i < count; i++) {
        submitted[i] = i;
    }
    code = collect(cupti, &run, times, err);
    gp_free(submitted);
    return code;
}
