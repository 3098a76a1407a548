/* Chrome's events as rows of Nsight's tables: see chrome_stage.h. */
#include "probe/import/chrome_stage.h"

#include <string.h>
#include <strings.h>

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
/* The process of all rows: a trace has ids of devices where others have processes. */
#define PROCESS "16777216"

#define CHROME_SQL(X)                                                                              \
    X(KERNEL, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1,?2,?3,?4,?5,?6," PROCESS          \
              ",?7,?8,?9,?10,?11,?12,?13,0,?14,?15)")                                              \
    X(COPY,                                                                                        \
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?1,?2,?3,?4,?5,?6," PROCESS ",?7,?8,?9)")    \
    X(SET, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (?1,?2,?3,?4,?5,?6," PROCESS ",?7,?8)")  \
    X(OTHER,                                                                                       \
      "INSERT INTO GPUPROBE_ACTIVITY_KIND_OTHER VALUES (?1,?2,?3,?4,?5,?6," PROCESS ",?7,?8,?9)")  \
    X(CALL, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1,?2,?3,?4,?5)")                     \
    X(RANGE, "INSERT INTO NVTX_EVENTS VALUES (?1,?2,59,?4,?3)")                                    \
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
    " globalPid INT, demangledName INT"

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
    "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, textId INT, globalTid INT);"
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
enum { COMMON = 7, VALUES_MAX = COMMON + 8 };

static int store_activity(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                          const char *name, int64_t *values, struct gp_error *err)
{
    enum gp_op_kind other = other_kind(event);
    int64_t *rest = values + COMMON;
    struct gp_db *db = &stage->source->db;

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

static int store_host(struct gp_chrome_stage *stage, const struct gp_chrome_event *event,
                      const int64_t *values, struct gp_error *err)
{
    int64_t thread = (INT64_C(1) << 24) | (event->tid != GP_UNKNOWN ? event->tid & 0xffffff : 0);
    const int64_t call[] = {values[0], values[1], thread, event->correlation, values[6]};
    const int64_t range[] = {values[0], values[1], thread, values[6]};

    if (is_category(event, "cuda_runtime", "cuda_driver") ||
        is_category(event, "runtime", "driver")) {
        return gp_db_run_ints(&stage->source->db, CHROME_CALL, call, 5, err);
    }
    if (is_category(event, "user_annotation", "cpu_op")) {
        return gp_db_run_ints(&stage->source->db, CHROME_RANGE, range, 4, err);
    }
    return gp_chrome_stage_lose(stage, GP_IMPORT_UNKNOWN);
}

/* Whether the times can be those of a capture; the first event says what its clock is. */
static bool check_times(struct gp_chrome_stage *stage, const struct gp_chrome_event *event)
{
    enum gp_import_loss loss = GP_IMPORT_LOSS_COUNT;

    if (event->begin == GP_UNKNOWN || event->duration == GP_UNKNOWN) {
        loss = GP_IMPORT_NO_TIME;
    } else if (event->duration < 0) {
        loss = GP_IMPORT_BACKWARDS;
    } else {
        if (stage->base == GP_UNKNOWN) {
            stage->base = event->begin > FAR_NS ? event->begin : 0;
        }
        if (event->duration > FAR_NS || event->begin < stage->base - FAR_NS ||
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

    if (!check_times(stage, event)) {
        return 0;
    }
    code = intern(stage, name, &values[6], err);
    if (code != 0) {
        return code;
    }
    values[0] = event->begin - stage->base + SHIFT_NS;
    values[1] = values[0] + event->duration;
    /* Kineto's process is the device; where it is a text, the arguments say which. */
    values[2] = event->pid != GP_UNKNOWN ? event->pid : event->device;
    values[3] = event->context;
    values[4] = event->stream;
    values[5] = event->correlation;
    return event->stream != GP_UNKNOWN ? store_activity(stage, event, name, values, err)
                                       : store_host(stage, event, values, err);
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
