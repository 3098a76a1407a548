/* Chrome's events as rows of Nsight's tables: see chrome_stage.h. */
#include "probe/import/chrome_stage.h"

#include <string.h>
#include <strings.h>

#include "core/dag.h"
#include "core/schedule.h"
#include "probe/import/order.h"
#include "probe/memory.h"
#include "probe/record.h"

/* Times are moved on by that much, so that none of them is 0, which Nsight's rows have for "never
 * filled in". */
#define SHIFT_NS INT64_C(3600000000000)
/* Ten years: beyond that a time counts from 1970, and a distance is none of a capture. */
#define FAR_NS (INT64_C(3650) * 86400 * 1000000000)
/* Names of events that are kept; later ones share a name. */
#define NAME_BYTES_MAX (64 << 20)
#define NAMES_MAX (1 << 20)
/* The process of all rows but those that name a run of an exported recording: a trace has ids of
 * devices where others have processes. */
#define PROCESS INT64_C(1)
#define PROCESSES_MAX INT64_C(0xffffff)

#define ACTIVITY_VALUES "?1,?2,?3,?4,?5,?6,?7,?8,?9"

#define CHROME_SQL(X)                                                                              \
    X(KERNEL, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" ACTIVITY_VALUES                    \
              ",?10,?11,?12,?13,?14,?15,0,?16,?17)")                                               \
    X(COPY, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (" ACTIVITY_VALUES ",?10,?11)")         \
    X(SET, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (" ACTIVITY_VALUES ",?10)")              \
    X(OTHER, "INSERT INTO GPUPROBE_ACTIVITY_KIND_OTHER VALUES (" ACTIVITY_VALUES ",?10,?11)")      \
    X(SYNC, "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?,?,?,?,?,?,?,?,?,?,?)")      \
    X(RECORD, "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (?,?,?,?,?)")                     \
    X(CALL, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?)")                          \
    X(RANGE, "INSERT INTO NVTX_EVENTS VALUES (?1,?2,59,?3,?4,?5,?6)")                              \
    X(EDGE, "INSERT OR IGNORE INTO GPUPROBE_EDGE VALUES (?,?,?,?,?,?)")                            \
    X(RUN, "INSERT OR IGNORE INTO PROCESSES VALUES (?1,?2)")                                       \
    X(THREAD, "INSERT INTO GPUPROBE_THREAD VALUES (?1,?2,?3,?4)")                                  \
    X(STRING, "INSERT INTO StringIds VALUES (?1,?2)")                                              \
    X(GPU, "INSERT INTO TARGET_INFO_GPU VALUES (?1,?2,?3,?4,?5,?6)")                               \
    X(START, "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (?1)")

static const char *const statements[] = {
#define X(name, sql) sql,
    CHROME_SQL(X)
#undef X
};

enum statement {
#define X(name, sql) CHROME_##name,
    CHROME_SQL(X)
#undef X
        CHROME_COUNT
};

#define ACTIVITY                                                                                   \
    "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT,"            \
    " globalPid INT, demangledName INT, gpuprobeOp INT"

static const char tables[] =
    "BEGIN;"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" ACTIVITY ", gridX INT, gridY INT, gridZ INT,"
    " blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT,"
    " registersPerThread INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (" ACTIVITY ", bytes INT, copyKind INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (" ACTIVITY ", bytes INT);"
    "CREATE TABLE GPUPROBE_ACTIVITY_KIND_OTHER (" ACTIVITY ", bytes INT, opKind INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,"
    " correlationId INT, nameId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT,"
    " contextId INT, streamId INT, correlationId INT, globalPid INT, eventId INT, hostKind INT,"
    " recordStreamId INT, recordCorrelationId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (contextId INT, streamId INT, correlationId INT,"
    " globalPid INT, eventId INT);"
    "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, globalTid INT, textId INT,"
    " category INT, domainTextId INT);"
    "CREATE TABLE GPUPROBE_EDGE (globalPid INT, deviceId INT, fromOp INT, toOp INT, kind INT,"
    " how INT, PRIMARY KEY (globalPid, deviceId, fromOp, toOp, kind)) WITHOUT ROWID;"
    "CREATE TABLE GPUPROBE_THREAD (globalPid INT, deviceId INT, streamId INT, name TEXT);"
    "CREATE TABLE PROCESSES (globalPid INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, totalMemory INT, smCount INT,"
    " computeMajor INT, computeMinor INT);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INT);";
#undef ACTIVITY

int gp_chrome_stage_init(struct gp_chrome_stage *stage, struct gp_foreign *source, const char *path,
                         struct gp_error *err)
{
    int code = gp_foreign_stage(source, path, err);

    *stage = (struct gp_chrome_stage){
        .source = source, .counts = stage->counts, .base = GP_UNKNOWN, .realtime_ns = GP_UNKNOWN};
    if (code == 0) {
        gp_db_use(&source->db, statements, CHROME_COUNT);
        code = gp_db_exec(&source->db, tables, err);
    }
    return code;
}

void gp_chrome_stage_finish(struct gp_chrome_stage *stage)
{
    gp_intern_finish(&stage->names);
}

int gp_chrome_stage_lose(struct gp_chrome_stage *stage, enum gp_import_loss loss)
{
    stage->counts->in++;
    stage->counts->lost[loss]++;
    return 0;
}

/* ---- names --------------------------------------------------------------------------------- */

static int store_text(struct gp_chrome_stage *stage, int64_t id, const char *text,
                      struct gp_error *err)
{
    sqlite3_stmt *statement;
    int code = gp_db_statement(&stage->source->db, CHROME_STRING, &statement, err);

    if (code != 0) {
        return code;
    }
    (void)sqlite3_bind_int64(statement, 1, id);
    (void)sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
    return gp_db_run(&stage->source->db, statement, err);
}

/* The id of a name; a new one is stored. */
static int intern(struct gp_chrome_stage *stage, const char *name, int64_t *out,
                  struct gp_error *err)
{
    size_t before = stage->names.count;

    if (before >= NAMES_MAX || stage->name_bytes >= NAME_BYTES_MAX) {
        name = "one of too many names";
    }
    *out = gp_intern_add(&stage->names, name);
    if (stage->names.count == before) {
        return 0;
    }
    stage->name_bytes += strlen(name);
    return store_text(stage, *out, name, err);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Nsight's number of a direction, by our word or by the name that Kineto gives; 0: not known. */
static int64_t copy_kind(const struct gp_chrome_event *event, const char *name)
{
    static const struct {
        const char *word, *name;
        int64_t kind;
    } kinds[] = {{"h2d", "HtoD", 1}, {"d2h", "DtoH", 2}, {"d2d", "DtoD", 8}, {NULL, "HtoH", 9},
                 {NULL, "PtoP", 10}, {NULL, "DtoA", 7},  {NULL, "HtoA", 3},  {NULL, "AtoH", 4}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        bool is_it = event->kind[0] != '\0'
                         ? kinds[i].word != NULL && strcmp(event->kind, kinds[i].word) == 0
                         : strstr(name, kinds[i].name) != NULL;

        if (is_it) {
            return kinds[i].kind;
        }
    }
    return 0;
}

/* Our own categories that Kineto does not have; GP_OP_KIND_COUNT: another one. */
static enum gp_op_kind other_kind(const struct gp_chrome_event *event)
{
    static const struct {
        const char *category;
        enum gp_op_kind kind;
    } kinds[] = {{"cuda_graph", GP_OP_GRAPH},
                 {"host_function", GP_OP_HOST},
                 {"value", GP_OP_VALUE},
                 {"alloc", GP_OP_ALLOC},
                 {"free", GP_OP_FREE}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(event->category, kinds[i].category) == 0) {
            return kinds[i].kind;
        }
    }
    return GP_OP_KIND_COUNT;
}

static bool is_category(const struct gp_chrome_event *event, const char *a, const char *b)
{
    return strcasecmp(event->category, a) == 0 || strcasecmp(event->category, b) == 0;
}

/* What every row of a GPU begins with, and what may follow. */
enum {
    BEGIN,
    END,
    DEVICE,
    CONTEXT,
    STREAM,
    CORRELATION,
    PROCESS_ID,
    NAME,
    OP,
    COMMON,
    VALUES_MAX = COMMON + 8
};

static int store_activity(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                          const char *name, int64_t *values, struct gp_error *err)
{
    enum gp_op_kind other = other_kind(event);
    int64_t *rest = values + COMMON;
    struct gp_db *db = &stage->source->db;

    if (event->is_open) {
        return gp_chrome_stage_lose(stage, GP_IMPORT_NO_TIME);
    }
    if (is_category(event, "kernel", "concurrent_kernel")) {
        memcpy(rest, event->grid, sizeof event->grid);
        memcpy(rest + 3, event->block, sizeof event->block);
        rest[6] = event->shared;
        rest[7] = event->registers;
        return gp_db_run_ints(db, CHROME_KERNEL, values, COMMON + 8, err);
    }
    rest[0] = event->bytes;
    if (is_category(event, "gpu_memcpy", "memcpy")) {
        rest[1] = copy_kind(event, name);
        return gp_db_run_ints(db, CHROME_COPY, values, COMMON + 2, err);
    }
    if (is_category(event, "gpu_memset", "memset")) {
        return gp_db_run_ints(db, CHROME_SET, values, COMMON + 1, err);
    }
    if (other != GP_OP_KIND_COUNT) {
        rest[1] = other;
        return gp_db_run_ints(db, CHROME_OTHER, values, COMMON + 2, err);
    }
    return gp_chrome_stage_lose(stage, GP_IMPORT_UNKNOWN);
}

/* The global id of the process that stands for a run; 0: there cannot be one. */
static int64_t process_of(int64_t run)
{
    if (run == GP_UNKNOWN) {
        return PROCESS << 24;
    }
    return run > 0 && run < PROCESSES_MAX - PROCESS ? (PROCESS + run) << 24 : 0;
}

/* Kineto's cuda_sync, whose name says what waited; the number is none where it says nothing. */
static int store_sync(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                      const char *name, const int64_t *values, struct gp_error *err)
{
    static const struct {
        const char *name;
        enum gp_host_kind kind;
    } kinds[] = {{"Wait Event", GP_HOST_WAIT},
                 {"Event", GP_HOST_SYNC_EVENT},
                 {"Stream", GP_HOST_SYNC_STREAM},
                 {"Context", GP_HOST_SYNC_ALL},
                 {"Device", GP_HOST_SYNC_ALL}};
    int64_t sync[] = {
        values[BEGIN],  values[END],          values[DEVICE],           values[CONTEXT],
        values[STREAM], values[CORRELATION],  values[PROCESS_ID],       event->event,
        GP_UNKNOWN,     event->record_stream, event->record_correlation};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && sync[8] == GP_UNKNOWN; i++) {
        sync[8] = strstr(name, kinds[i].name) != NULL ? (int64_t)kinds[i].kind : GP_UNKNOWN;
    }
    return gp_db_run_ints(&stage->source->db, CHROME_SYNC, sync, 11, err);
}

/* Kineto's cuda_event: when an event was recorded is what its call says; without a time of the
 * device the row has 0 for one. */
static int store_record(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                        struct gp_error *err)
{
    const int64_t record[] = {event->context, event->stream, event->correlation,
                              process_of(event->run), event->event};

    return event->event == GP_UNKNOWN || event->stream == GP_UNKNOWN || record[3] == 0
               ? gp_chrome_stage_lose(stage, GP_IMPORT_UNKNOWN)
               : gp_db_run_ints(&stage->source->db, CHROME_RECORD, record, 5, err);
}

static int store_range(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                       const int64_t *values, int64_t thread, struct gp_error *err)
{
    int64_t range[] = {values[BEGIN], values[END], thread, values[NAME], event->level, GP_UNKNOWN};
    int code = 0;

    if (event->domain[0] != '\0') {
        code = intern(stage, event->domain, &range[5], err);
    }
    return code == 0 ? gp_db_run_ints(&stage->source->db, CHROME_RANGE, range, 6, err) : code;
}

static int store_host(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                      const int64_t *values, struct gp_error *err)
{
    int64_t thread = values[PROCESS_ID] | (event->tid != GP_UNKNOWN ? event->tid & 0xffffff : 0);
    const int64_t call[] = {values[BEGIN], values[END], thread, event->correlation, values[NAME]};

    if (is_category(event, "user_annotation", "cpu_op")) {
        return store_range(stage, event, values, thread, err);
    }
    if (is_category(event, "cuda_runtime", "cuda_driver") ||
        is_category(event, "runtime", "driver")) {
        return event->is_open ? gp_chrome_stage_lose(stage, GP_IMPORT_NO_TIME)
                              : gp_db_run_ints(&stage->source->db, CHROME_CALL, call, 5, err);
    }
    return gp_chrome_stage_lose(stage, GP_IMPORT_UNKNOWN);
}

/* Whether the times can be those of a capture; the first event says what its clock is. */
static bool check_times(struct gp_chrome_stage *stage, const struct gp_chrome_event *event)
{
    enum gp_import_loss loss = GP_IMPORT_LOSS_COUNT;

    if (event->begin == GP_UNKNOWN || (event->duration == GP_UNKNOWN && !event->is_open)) {
        loss = GP_IMPORT_NO_TIME;
    } else if (event->duration < 0 && !event->is_open) {
        loss = GP_IMPORT_BACKWARDS;
    } else {
        if (stage->base == GP_UNKNOWN) {
            stage->base = event->begin > FAR_NS ? event->begin : 0;
        }
        if ((event->duration > FAR_NS && !event->is_open) || event->begin < stage->base - FAR_NS ||
            event->begin > stage->base + FAR_NS) {
            loss = GP_IMPORT_OUTSIDE;
        }
    }
    if (loss != GP_IMPORT_LOSS_COUNT) {
        (void)gp_chrome_stage_lose(stage, loss);
    }
    return loss == GP_IMPORT_LOSS_COUNT;
}

int gp_chrome_stage_add(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                        const char *name, struct gp_error *err)
{
    int64_t values[VALUES_MAX] = {0};
    int code;

    if (is_category(event, "cuda_event", "cuda_event") && !event->is_open) {
        return store_record(stage, event, err);
    }
    if (!check_times(stage, event)) {
        return 0;
    }
    code = intern(stage, name, &values[NAME], err);
    if (code != 0) {
        return code;
    }
    values[BEGIN] = event->begin - stage->base + SHIFT_NS;
    values[END] = event->is_open ? GP_UNKNOWN : values[BEGIN] + event->duration;
    /* Kineto's process is the device; where it is a text, the arguments say which. */
    values[DEVICE] = event->pid != GP_UNKNOWN ? event->pid : event->device;
    values[CONTEXT] = event->context;
    values[STREAM] = event->stream;
    values[CORRELATION] = event->correlation;
    values[PROCESS_ID] = process_of(event->run);
    values[OP] = event->op;
    if (values[PROCESS_ID] == 0) {
        return gp_chrome_stage_lose(stage, GP_IMPORT_LIMIT);
    }
    if (is_category(event, "cuda_sync", "synchronization") && !event->is_open) {
        return store_sync(stage, event, name, values, err);
    }
    return event->stream != GP_UNKNOWN ? store_activity(stage, event, name, values, err)
                                       : store_host(stage, event, values, err);
}

int gp_chrome_stage_edge(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                         struct gp_error *err)
{
    int64_t kind = 0, how = 0;
    int code;

    while (kind < GP_EDGE_KIND_COUNT &&
           strcmp(gp_edge_kind_name((enum gp_edge_kind)kind), event->kind) != 0) {
        kind++;
    }
    while (how < GP_EDGE_HOW_COUNT &&
           strcmp(gp_edge_how_name((enum gp_edge_how)how), event->how) != 0) {
        how++;
    }
    if (event->from == GP_UNKNOWN || event->to == GP_UNKNOWN || event->pid == GP_UNKNOWN ||
        kind == GP_EDGE_KIND_COUNT || how == GP_EDGE_HOW_COUNT || process_of(event->run) == 0) {
        return gp_chrome_stage_lose(stage, GP_IMPORT_MARK);
    }
    code = gp_db_run_ints(
        &stage->source->db, CHROME_EDGE,
        (const int64_t[]){process_of(event->run), event->pid, event->from, event->to, kind, how}, 6,
        err);
    if (code == 0 && sqlite3_changes(stage->source->db.handle) == 0) {
        return gp_chrome_stage_lose(stage, GP_IMPORT_DUPLICATE);
    }
    return code;
}

int gp_chrome_stage_run(struct gp_chrome_stage *stage, int64_t run, const char *name,
                        struct gp_error *err)
{
    int64_t process = process_of(run);
    sqlite3_stmt *statement;
    int code = gp_db_statement(&stage->source->db, CHROME_RUN, &statement, err);

    if (code != 0 || process == 0 || run == GP_UNKNOWN) {
        return code;
    }
    (void)sqlite3_bind_int64(statement, 1, process);
    (void)sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    return gp_db_run(&stage->source->db, statement, err);
}

int gp_chrome_stage_thread(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                           const char *name, struct gp_error *err)
{
    int64_t process = process_of(event->run);
    size_t length = strlen(name);
    sqlite3_stmt *statement;
    int code;

    /* Kineto ends them with a blank. */
    while (length > 0 && name[length - 1] == ' ') {
        length--;
    }
    if (length == 0 || process == 0 || event->pid == GP_UNKNOWN || event->tid == GP_UNKNOWN) {
        return 0;
    }
    code = gp_db_statement(&stage->source->db, CHROME_THREAD, &statement, err);
    if (code != 0) {
        return code;
    }
    (void)sqlite3_bind_int64(statement, 1, process);
    (void)sqlite3_bind_int64(statement, 2, event->pid);
    (void)sqlite3_bind_int64(statement, 3, event->tid);
    (void)sqlite3_bind_text(statement, 4, name, (int)length, SQLITE_STATIC);
    return gp_db_run(&stage->source->db, statement, err);
}

int gp_chrome_stage_gpu(struct gp_chrome_stage *stage, const struct gp_chrome_gpu *gpu,
                        struct gp_error *err)
{
    const int64_t numbers[] = {gpu->memory_bytes, gpu->sm_count, gpu->compute_major,
                               gpu->compute_minor};
    sqlite3_stmt *statement;
    int code;

    if (gpu->id == GP_UNKNOWN) {
        return 0;
    }
    code = gp_db_statement(&stage->source->db, CHROME_GPU, &statement, err);
    if (code != 0) {
        return code;
    }
    (void)sqlite3_bind_int64(statement, 1, gpu->id);
    (void)sqlite3_bind_text(statement, 2, gpu->name, -1, SQLITE_STATIC);
    for (int i = 0; i < 4; i++) {
        (void)sqlite3_bind_int64(statement, 3 + i, numbers[i]);
    }
    return gp_db_run(&stage->source->db, statement, err);
}

int gp_chrome_stage_commit(struct gp_chrome_stage *stage, struct gp_error *err)
{
    bool counts_from_1970 = stage->base != GP_UNKNOWN && stage->base != 0;
    int64_t zero = counts_from_1970 ? stage->base : stage->realtime_ns;
    int64_t start = zero != GP_UNKNOWN && zero > SHIFT_NS ? zero - SHIFT_NS : GP_UNKNOWN;
    int code = gp_db_run_ints(&stage->source->db, CHROME_START, &start, 1, err);

    return code == 0 ? gp_db_exec(&stage->source->db, "COMMIT", err) : code;
}
