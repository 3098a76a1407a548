/*
 * Nsight Systems' SQLite exports of every schema from 2021 on: tables and columns are looked for,
 * not assumed, enumerations are built in, and what is missing is empty. See nsight.h.
 */
#include "probe/import/nsight.h"

#include <stdio.h>
#include <string.h>

#include "probe/memory.h"

bool gp_nsight_check_times(struct gp_nsight *nsight, int64_t begin, int64_t end)
{
    enum gp_import_loss loss = GP_IMPORT_LOSS_COUNT;

    if (end < begin) {
        loss = GP_IMPORT_BACKWARDS;
    } else if (begin < nsight->earliest || end > nsight->latest) {
        loss = GP_IMPORT_OUTSIDE;
    }
    if (loss != GP_IMPORT_LOSS_COUNT) {
        nsight->counts->lost[loss]++;
    }
    return loss == GP_IMPORT_LOSS_COUNT;
}

static bool is_null(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL;
}

bool gp_nsight_take_times(struct gp_nsight *nsight, sqlite3_stmt *row, int column, int64_t *begin,
                          int64_t *end)
{
    if (!gp_foreign_int(row, column, begin) || !gp_foreign_int(row, column + 1, end)) {
        bool has_none = is_null(row, column) || is_null(row, column + 1);

        nsight->counts->lost[has_none ? GP_IMPORT_NO_TIME : GP_IMPORT_TYPE]++;
        return false;
    }
    if (*begin == 0 || *end == 0) {
        nsight->counts->lost[GP_IMPORT_NO_TIME]++;
        return false;
    }
    return gp_nsight_check_times(nsight, *begin, *end);
}

void *gp_nsight_half(const struct gp_nsight_run *run, void *rows, size_t row_bytes)
{
    return (char *)rows + (run->fills_second ? GP_NSIGHT_ROWS_AT_ONCE * row_bytes : 0);
}

int gp_nsight_settle(struct gp_nsight_run *run, int code, struct gp_error *err)
{
    int written = gp_pen_wait(&run->pen, code == 0 ? err : NULL);

    return code != 0 ? code : written;
}

uint32_t gp_nsight_thread(struct gp_nsight_run *run, int64_t global)
{
    enum { THREADS_MAX = sizeof run->threads / sizeof run->threads[0] };

    for (uint32_t i = 0; i < run->thread_count; i++) {
        if (run->threads[i] == global) {
            return i;
        }
    }
    if (run->thread_count == THREADS_MAX) {
        return THREADS_MAX - 1;
    }
    run->threads[run->thread_count] = global;
    return run->thread_count++;
}

int64_t gp_nsight_pid(int64_t global)
{
    return global & ~INT64_C(0xffffff);
}

static bool is_main_part(const struct gp_nsight *nsight, uint32_t part, int64_t pid)
{
    return part < nsight->part_count && nsight->parts[part].is_main &&
           nsight->parts[part].pid == pid;
}

uint32_t gp_nsight_main_part(struct gp_nsight *nsight, int64_t pid)
{
    if (is_main_part(nsight, nsight->main_part, pid)) {
        return nsight->main_part;
    }
    for (uint32_t i = 0; i < nsight->part_count; i++) {
        if (is_main_part(nsight, i, pid)) {
            nsight->main_part = i;
            return i;
        }
    }
    return GP_NSIGHT_NONE;
}

/* ---- devices and streams ------------------------------------------------------------------- */

static int64_t positive(sqlite3_stmt *row, int column)
{
    int64_t value = gp_foreign_int_or(row, column, GP_UNKNOWN);

    return value > 0 && value < INT64_MAX / 2 ? value : GP_UNKNOWN;
}

static const char *keep(struct gp_nsight *nsight, const char *text)
{
    return gp_intern_keep(&nsight->texts, text != NULL ? text : "");
}

/* The GPU that the process calls by that number: told apart only since 2025. */
static int find_gpu(struct gp_nsight *nsight, const struct gp_nsight_part *part, int64_t *out,
                    struct gp_error *err)
{
    static const char *const columns[] = {"!gpuId", "!cudaId", "!pid", NULL};
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, "TARGET_INFO_CUDA_DEVICE", columns,
                                 "WHERE c1 = ?1 AND c2 = ?2 LIMIT 1", &row, err);

    *out = part->device;
    if (code == 0 && row != NULL) {
        (void)sqlite3_bind_int64(row, 1, part->device);
        (void)sqlite3_bind_int64(row, 2, part->pid >> 24 & 0xffffff);
        code = gp_db_next(&nsight->source.db, row, err);
        if (code > 0) {
            *out = gp_foreign_int_or(row, 0, part->device);
            code = 0;
        }
    }
    (void)sqlite3_finalize(row);
    return code;
}

static void take_gpu(struct gp_nsight *nsight, sqlite3_stmt *row, struct gp_device_row *device)
{
    const char *name = (const char *)sqlite3_column_text(row, 1);
    const char *uuid = (const char *)sqlite3_column_text(row, 2);
    int64_t warps = positive(row, 9);

    device->name = name != NULL && name[0] != '\0' ? keep(nsight, name) : device->name;
    device->uuid = uuid != NULL ? keep(nsight, uuid) : "";
    device->sm_count = positive(row, 3);
    device->memory_bytes = positive(row, 4);
    device->l2_bytes = positive(row, 5);
    device->async_engines = positive(row, 6);
    device->shared_bytes_per_sm = positive(row, 7);
    device->registers_per_sm = positive(row, 8);
    device->threads_per_sm = warps != GP_UNKNOWN ? warps * 32 : GP_UNKNOWN;
    device->blocks_per_sm = positive(row, 10);
    device->compute_major = positive(row, 11);
    device->compute_minor = gp_foreign_int_or(row, 12, GP_UNKNOWN);
}

/* Reads what is told of a GPU, whose number is in that column. */
static int read_gpu(struct gp_nsight *nsight, const char *key, int64_t gpu,
                    struct gp_device_row *device, struct gp_error *err)
{
    const char *const columns[] = {key,
                                   "name",
                                   "uuid",
                                   "smCount",
                                   "totalMemory",
                                   "l2CacheSize",
                                   "asyncEngines",
                                   "maxShmemPerSm",
                                   "maxRegistersPerSm",
                                   "maxWarpsPerSm",
                                   "maxBlocksPerSm",
                                   "computeMajor",
                                   "computeMinor",
                                   NULL};
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, "TARGET_INFO_GPU", columns,
                                 "WHERE c0 = ?1 LIMIT 1", &row, err);

    if (code == 0 && row != NULL) {
        (void)sqlite3_bind_int64(row, 1, gpu);
        code = gp_db_next(&nsight->source.db, row, err);
        if (code > 0) {
            take_gpu(nsight, row, device);
            code = 0;
        }
    }
    (void)sqlite3_finalize(row);
    return code;
}

static int add_device(struct gp_nsight *nsight, uint32_t part, struct gp_error *err)
{
    struct gp_device_row device = {.id = part + 1, .kind = GP_ORIGIN_IMPORTED, .uuid = ""};
    char name[32];
    int64_t gpu;
    int code = find_gpu(nsight, &nsight->parts[part], &gpu, err);

#define X(field) device.field = GP_UNKNOWN;
    GP_DEVICE_NUMBERS(X)
#undef X
    (void)snprintf(name, sizeof name, "GPU %lld", (long long)gpu);
    device.name = name;
    device.image = device.image_note = "";
    device.ordinal = nsight->parts[part].device >= 0 && nsight->parts[part].device < INT32_MAX
                         ? nsight->parts[part].device
                         : GP_UNKNOWN;
    if (code == 0) {
        code = read_gpu(nsight, "!id", gpu, &device, err);
    }
    if (code == 0) {
        code = read_gpu(nsight, "!deviceId", gpu, &device, err); /* until 2021 */
    }
    return code == 0 ? gp_writer_add_device(nsight->writer, &device, err) : code;
}

/* Fills in what table TARGET_INFO_CUDA_STREAM tells of the part's streams, or, with names, what
 * NVTX calls them. */
static int describe_streams(struct gp_nsight_run *run, bool names, struct gp_error *err)
{
    static const char *const numbers[] = {"!streamId", "!processId", "!contextId",
                                          "priority",  "flag",       NULL};
    static const char *const texts[] = {"!streamId", "!processId", "!contextId", "name", NULL};
    struct gp_nsight *nsight = run->nsight;
    const struct gp_nsight_part *part = &nsight->parts[run->part];
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source,
                                 names ? "TARGET_INFO_NVTX_CUDA_STREAM" : "TARGET_INFO_CUDA_STREAM",
                                 names ? texts : numbers, "WHERE c1 = ?1", &row, err);

    if (code == 0 && row != NULL) {
        (void)sqlite3_bind_int64(row, 1, part->pid >> 24 & 0xffffff);
    }
    while (code == 0 && row != NULL && (code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        const struct gp_nsight_stream key = {.pid = part->pid,
                                             .device = part->device,
                                             .number = gp_foreign_int_or(row, 0, 0),
                                             .context = gp_foreign_int_or(row, 2, 0)};
        uint32_t found = gp_nsight_find_stream(nsight, &key);
        struct gp_stream_row *stream;

        code = 0;
        if (found == GP_NSIGHT_NONE) {
            continue;
        }
        stream = &run->streams[found - part->stream_first];
        if (names) {
            const char *name = (const char *)sqlite3_column_text(row, 3);

            stream->name = name != NULL && name[0] != '\0' ? keep(nsight, name) : stream->name;
        } else {
            int64_t flag = gp_foreign_int_or(row, 4, 0);

            /* −5 is stored as 4294967291. */
            stream->priority = (int32_t)(uint32_t)gp_foreign_int_or(row, 3, 0);
            stream->flag = flag == 2   ? GP_STREAM_NON_BLOCKING
                           : flag == 3 ? GP_STREAM_NULL
                                       : GP_STREAM_BLOCKING;
        }
    }
    (void)sqlite3_finalize(row);
    return code;
}

/* Calls the part's streams what other importers stage as names of threads, by their numbers, as far
 * as that says more. */
static void name_streams(struct gp_nsight_run *run, const struct gp_id_map *names)
{
    struct gp_nsight *nsight = run->nsight;
    const struct gp_nsight_part *part = &nsight->parts[run->part];
    char plain[64], both[512];

    for (uint32_t i = 0; i < part->stream_count; i++) {
        const struct gp_nsight_stream *stream = &nsight->streams[part->stream_first + i];
        uint32_t name = gp_id_map_get(names, stream->number, UINT32_MAX);
        bool has_contexts = stream->context != nsight->streams[part->stream_first].context;

        (void)snprintf(plain, sizeof plain, "stream %lld", (long long)stream->number);
        if (name == UINT32_MAX || stream->is_unified ||
            strcmp(nsight->texts.texts[name], plain) == 0) {
            continue;
        }
        (void)snprintf(both, sizeof both, has_contexts ? "%s of context %lld" : "%s",
                       nsight->texts.texts[name], (long long)stream->context);
        run->streams[i].name = keep(nsight, both);
    }
}

static int read_thread_names(struct gp_nsight_run *run, struct gp_error *err)
{
    static const char *const columns[] = {"!globalPid", "!deviceId", "!streamId", "!name", NULL};
    struct gp_nsight *nsight = run->nsight;
    const struct gp_nsight_part *part = &nsight->parts[run->part];
    struct gp_id_map names = {0};
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, "GPUPROBE_THREAD", columns,
                                 "WHERE c0 = ?1 AND c1 = ?2", &row, err);

    if (code == 0 && row != NULL) {
        (void)sqlite3_bind_int64(row, 1, part->pid);
        (void)sqlite3_bind_int64(row, 2, part->device);
    }
    while (code == 0 && row != NULL && (code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        const char *name = (const char *)sqlite3_column_text(row, 3);

        code = 0;
        if (name != NULL) {
            gp_id_map_set(&names, gp_foreign_int_or(row, 2, -1),
                          gp_intern_add(&nsight->texts, name) - 1);
        }
    }
    (void)sqlite3_finalize(row);
    name_streams(run, &names);
    gp_id_map_finish(&names);
    return code;
}

static int make_streams(struct gp_nsight_run *run, struct gp_error *err)
{
    struct gp_nsight *nsight = run->nsight;
    const struct gp_nsight_part *part = &nsight->parts[run->part];
    int code;

    run->streams = gp_xalloc(part->stream_count, sizeof *run->streams);
    for (uint32_t i = 0; i < part->stream_count; i++) {
        const struct gp_nsight_stream *stream = &nsight->streams[part->stream_first + i];
        bool has_contexts = stream->context != nsight->streams[part->stream_first].context;
        char name[64];

        if (stream->is_unified) {
            (void)snprintf(name, sizeof name, "Unified Memory");
        } else if (has_contexts) {
            (void)snprintf(name, sizeof name, "stream %lld of context %lld",
                           (long long)stream->number, (long long)stream->context);
        } else {
            (void)snprintf(name, sizeof name, "stream %lld", (long long)stream->number);
        }
        run->streams[i] = (struct gp_stream_row){.id = i,
                                                 .flag = GP_STREAM_BLOCKING,
                                                 .role = stream->is_unified ? "unified memory" : "",
                                                 .name = keep(nsight, name)};
    }
    run->rows.streams = run->streams;
    run->rows.stream_count = part->stream_count;
    code = describe_streams(run, false, err);
    if (code == 0) {
        code = describe_streams(run, true, err);
    }
    return code == 0 ? read_thread_names(run, err) : code;
}

/* ---- parts --------------------------------------------------------------------------------- */

/* The name of a program without its folder; names that are no paths (a scenario, "a/b of c") are
 * left as they are. */
static const char *without_folder(const char *name)
{
    static const char *const begins[] = {"/", "./", "../"};
    bool is_path = strchr(name, ' ') == NULL;

    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        is_path |= strncmp(name, begins[i], strlen(begins[i])) == 0;
    }
    return is_path && strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
}

/* The process's name. */
static int find_process(struct gp_nsight *nsight, int64_t pid, const char **out,
                        struct gp_error *err)
{
    static const char *const columns[] = {"!globalPid", "name", NULL};
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, "PROCESSES", columns, "WHERE c0 = ?1 LIMIT 1",
                                 &row, err);

    *out = "imported";
    if (code == 0 && row != NULL) {
        (void)sqlite3_bind_int64(row, 1, pid);
        code = gp_db_next(&nsight->source.db, row, err);
        if (code > 0) {
            const char *name = (const char *)sqlite3_column_text(row, 1);

            name = name != NULL ? without_folder(name) : NULL;
            *out = name != NULL && name[0] != '\0' ? keep(nsight, name) : *out;
            code = 0;
        }
    }
    (void)sqlite3_finalize(row);
    return code;
}

static int add_cell(struct gp_nsight *nsight, uint32_t part, struct gp_error *err)
{
    uint32_t streams = nsight->parts[part].stream_count;
    struct gp_cell_row cell = {
        .id = part + 1,
        .device = part + 1,
        .params = "{}",
        .policy = "imported",
        .streams = (int32_t)(streams < GP_STREAMS_MAX ? streams : GP_STREAMS_MAX),
        .submit = GP_SUBMIT_COUNT,
        .order = GP_ISSUE_ORDER_COUNT,
        .completion = "",
        .status = GP_STATUS_COMPLETE,
        .error = "",
    };
    int code = find_process(nsight, nsight->parts[part].pid, &cell.scenario, err);

    return code == 0 ? gp_writer_add_cell(nsight->writer, &cell, err) : code;
}

static const char note[] =
    "imported: operations are as CUPTI timed them; operations of one stream keep their order; an "
    "edge of kind event is a stream's wait for an event, of kind join a wait of the host; policy, "
    "rules, buffers, engines, connections and verification cannot be told, so that nobody knows "
    "which operations of one stream need each other";

static int write_rows(struct gp_nsight_run *run, struct gp_error *err)
{
    int code = gp_nsight_write_ops(run, err);

    if (code == 0) {
        code = gp_nsight_write_edges(run, err);
    }
    if (code == 0) {
        code = gp_nsight_write_calls(run, err);
    }
    return code == 0 ? gp_nsight_write_ranges(run, err) : code;
}

/* A wait or a synchronisation is there that operations may depend on. */
static int find_whether_items(struct gp_nsight_run *run, struct gp_error *err)
{
    static const char *const columns[] = {"!start", NULL};
    struct gp_foreign *source = &run->nsight->source;
    sqlite3_stmt *row;
    int code = gp_foreign_select(source, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns, "LIMIT 1",
                                 &row, err);

    if (code == 0 && row != NULL) {
        code = gp_db_next(&source->db, row, err);
        run->keeps_items = code > 0;
    }
    (void)sqlite3_finalize(row);
    return code < 0 ? code : 0;
}

static int write_part(struct gp_nsight *nsight, uint32_t part, struct gp_error *err)
{
    struct gp_nsight_run *run = gp_xalloc(1, sizeof *run);
    int64_t realtime = nsight->realtime_ns;
    int code;

    run->nsight = nsight;
    run->part = part;
    run->epoch = nsight->parts[part].epoch;
    run->rows.run = (struct gp_run_row){
        .id = part + 1,
        .cell = part + 1,
        .pass = GP_PASS_TRACED,
        .trace = GP_TRACE_OFF,
        .trace_note = note,
        .makespan_ns = GP_UNKNOWN,
        .submit_ns = GP_UNKNOWN,
        .epoch_realtime_ns =
            realtime > 0 && realtime < INT64_MAX / 2 ? realtime + run->epoch : GP_UNKNOWN,
        .verified = -1,
        .status = GP_STATUS_COMPLETE,
    };
    code = make_streams(run, err);
    if (code == 0) {
        code = find_whether_items(run, err);
    }
    if (code == 0) {
        code = gp_writer_begin_run(nsight->writer, err);
    }
    if (code == 0) {
        gp_pen_start(&run->pen, nsight->writer);
        code = write_rows(run, err);
        gp_pen_stop(&run->pen);
        if (code != 0) {
            gp_writer_abandon_run(nsight->writer);
        }
    }
    if (code == 0) {
        run->rows.run.makespan_ns = run->op_count > 0 ? run->last_end : GP_UNKNOWN;
        code = gp_writer_end_run(nsight->writer, &run->rows, err);
    }
    gp_order_sort_finish(&run->items);
    gp_id_map_finish(&run->op_ids);
    gp_free(run->streams);
    gp_free(run);
    return code;
}

/* The parts that do not have their process's other calls come first: then it is known which calls
 * have operations elsewhere. */
static int write_parts(struct gp_nsight *nsight, struct gp_error *err)
{
    int code = 0;

    for (uint32_t i = 0; i < nsight->part_count && code == 0; i++) {
        code = add_device(nsight, i, err);
        if (code == 0) {
            code = add_cell(nsight, i, err);
        }
    }
    for (unsigned is_main = 0; is_main < 2; is_main++) {
        for (uint32_t i = 0; i < nsight->part_count && code == 0; i++) {
            if (nsight->parts[i].is_main == (is_main == 1)) {
                code = write_part(nsight, i, err);
            }
        }
    }
    /* Rows of processes and devices that are too many to have a part. */
    nsight->counts->in += nsight->row_count - nsight->rows_met;
    nsight->counts->lost[GP_IMPORT_LIMIT] += nsight->row_count - nsight->rows_met;
    return code;
}

/* What a process does on several devices has one clock. */
static void share_epochs(struct gp_nsight *nsight)
{
    for (uint32_t i = 0; i < nsight->part_count; i++) {
        struct gp_nsight_part *part = &nsight->parts[i];
        struct gp_nsight_part *main = &nsight->parts[gp_nsight_main_part(nsight, part->pid)];

        main->epoch = part->epoch < main->epoch ? part->epoch : main->epoch;
    }
    for (uint32_t i = 0; i < nsight->part_count; i++) {
        struct gp_nsight_part *part = &nsight->parts[i];

        part->epoch = nsight->parts[gp_nsight_main_part(nsight, part->pid)].epoch;
        part->epoch = part->epoch == INT64_MAX ? 0 : part->epoch;
    }
}

int gp_nsight_read(struct gp_nsight *nsight, struct gp_error *err)
{
    int code = gp_nsight_find_capture(nsight, err);

    if (code == 0) {
        code = gp_foreign_load_strings(&nsight->source, err);
    }
    if (code == 0) {
        code = gp_nsight_find_streams(nsight, err);
    }
    if (code == 0 && nsight->part_count == 0) {
        code = gp_import_fail_empty(nsight->source.db.path, nsight->counts, err);
    }
    if (code == 0) {
        code = gp_nsight_load_calls(nsight, err);
    }
    if (code == 0) {
        share_epochs(nsight);
        code = write_parts(nsight, err);
    }
    return code;
}

void gp_nsight_finish(struct gp_nsight *nsight)
{
    gp_free(nsight->streams);
    gp_calls_finish(&nsight->calls);
    gp_intern_finish(&nsight->texts);
    gp_foreign_close(&nsight->source);
}

static bool is_mine(const char *path, const unsigned char *head, size_t count)
{
    static const char magic[16] = "SQLite format 3";

    (void)path;
    return count >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

static int read_nsight(const char *path, struct gp_writer *writer, struct gp_import_counts *counts,
                       struct gp_error *err)
{
    struct gp_nsight *nsight = gp_xalloc(1, sizeof *nsight);
    int code;

    nsight->writer = writer;
    nsight->counts = counts;
    code = gp_foreign_open(&nsight->source, path, err);
    if (code == 0) {
        code = gp_nsight_read(nsight, err);
    }
    gp_nsight_finish(nsight);
    gp_free(nsight);
    return code;
}

const struct gp_import_ops gp_import_nsight = {
    .name = "nsys-sqlite",
    .summary = "a database exported by Nsight Systems, of any schema since 2021",
    .is_mine = is_mine,
    .read = read_nsight,
};
