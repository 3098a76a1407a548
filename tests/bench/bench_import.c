/* How long it takes to import traces of other tools, on the clock and in processor time (reading
 * and writing have a thread each), and how much memory; page cache warm. Figures, no test:
 * bench_import [operations]. Nsight's database has a launch for each kernel and NVTX ranges; the
 * JSON is as Kineto writes it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "probe/import/import.h"
#include "store/rows.h"

enum { OPS = 1000000, STREAMS = 16 };

static double now_s(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *text = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK) {
        (void)fprintf(stderr, "bench_import: %s\n", text);
        exit(1);
    }
}

static void write_nsight(const char *path, unsigned count)
{
    char sql[2048];
    sqlite3 *db = NULL;

    if (sqlite3_open(path, &db) != SQLITE_OK) {
        exit(1);
    }
    run_sql(db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;"
                "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                "INSERT INTO StringIds VALUES (1,'void kernel<float>(float*)'),"
                "(2,'cudaLaunchKernel_v7000');"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId,"
                " streamId, correlationId, globalPid, demangledName, shortName, gridX, gridY,"
                " gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory,"
                " registersPerThread);"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid,"
                " correlationId, nameId, returnValue);"
                "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId,"
                " domainId);");
    (void)snprintf(sql, sizeof sql,
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %u) "
                   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 1000 + 500, i * 1000 + 4000,"
                   " 0, 1, i %% %d + 7, i, 281474993487872, 1, 1, 128, 1, 1, 256, 1, 1, 0, 0, 32"
                   " FROM n;",
                   count, STREAMS);
    run_sql(db, sql);
    run_sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 400, start - 100, 0,"
                " 281474993487873, correlationId, 2, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL;"
                "INSERT INTO NVTX_EVENTS SELECT start - 450, start - 50, 59, 'step', "
                "281474993487873, NULL, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId % 4 "
                "= 0;");
    (void)sqlite3_close(db);
}

/* As many streams that wait for one another: of every eight kernels one is recorded, and the next
 * stream waits for that. */
static void add_waits(const char *path)
{
    sqlite3 *db = NULL;

    if (sqlite3_open(path, &db) != SQLITE_OK) {
        exit(1);
    }
    run_sql(db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, contextId, streamId,"
                " correlationId, globalPid, eventId);"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId,"
                " streamId, correlationId, globalPid, syncType, eventId);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT SELECT deviceId, contextId, streamId,"
                " correlationId, globalPid, correlationId % 1000 FROM CUPTI_ACTIVITY_KIND_KERNEL"
                " WHERE correlationId % 8 = 0;"
                "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT k.start - 90, k.start - 80,"
                " k.deviceId, k.contextId, (k.correlationId + 1) % 16 + 7, NULL, k.globalPid, 2,"
                " k.correlationId % 1000 FROM CUPTI_ACTIVITY_KIND_KERNEL k"
                " WHERE k.correlationId % 8 = 0;");
    (void)sqlite3_close(db);
}

static void write_kineto(const char *path, unsigned count)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        exit(1);
    }
    (void)fprintf(file, "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n");
    for (unsigned i = 0; i < count; i++) {
        (void)fprintf(file,
                      "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
                      "\"cudaLaunchKernel\", \"pid\": 4711, \"tid\": 4711,\n"
                      "    \"ts\": %u.100, \"dur\": 0.300,\n    \"args\": {\n      "
                      "\"External id\": %u,\"cbid\": 211, \"correlation\": %u\n    }\n  },\n"
                      "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
                      "kernel<float>(float*)\", \"pid\": 0, \"tid\": %u,\n"
                      "    \"ts\": %u.500, \"dur\": 3.500,\n    \"args\": {\n      "
                      "\"External id\": %u,\"queued\": 0, \"device\": 0, \"context\": 1,\n      "
                      "\"stream\": %u, \"correlation\": %u,\n      "
                      "\"registers per thread\": 32,\n      \"shared memory\": 0,\n      "
                      "\"blocks per SM\": 1.185185,\n      \"warps per SM\": 9.481482,\n      "
                      "\"grid\": [128, 1, 1],\n      \"block\": [256, 1, 1],\n      "
                      "\"est. achieved occupancy %%\": 15\n    }\n  }%s\n",
                      i + 1, i, i + 1, i % STREAMS + 7, i + 1, i, i % STREAMS + 7, i + 1,
                      i + 1 < count ? "," : "");
    }
    (void)fprintf(file, "  ]\n}\n");
    if (fclose(file) != 0) {
        exit(1);
    }
}

/* In a process of its own, so that its largest memory is its own. */
static void measure(const char *what, const char *path)
{
    const char *out = make_path("bench.gpuprobe");
    struct rusage usage;
    struct stat info;
    int status;

    if (stat(path, &info) != 0) {
        exit(1);
    }
    (void)fflush(stdout);
    if (fork() == 0) {
        struct gp_import_counts counts;
        struct gp_error err = {0};
        double begin_s = now_s(CLOCK_MONOTONIC);
        double cpu_begin_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
        double cpu_s, clock_s;

        if (gp_import_file(path, out, true, &counts, &err) != 0) {
            (void)fprintf(stderr, "bench_import: %s\n", err.text);
            exit(1);
        }
        clock_s = now_s(CLOCK_MONOTONIC) - begin_s;
        cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin_s;
        (void)getrusage(RUSAGE_SELF, &usage);
        (void)printf("%s: %" PRIu64 " rows, %.0f MB: %.0f k rows/s, %.0f MB/s on the clock; "
                     "%.0f k rows/s, %.0f MB/s of processor time; at most %ld MB of memory\n",
                     what, counts.in, (double)info.st_size / 1e6, (double)counts.in / clock_s / 1e3,
                     (double)info.st_size / clock_s / 1e6, (double)counts.in / cpu_s / 1e3,
                     (double)info.st_size / cpu_s / 1e6, usage.ru_maxrss / 1024);
        exit(0);
    }
    (void)wait(&status);
    if (status != 0) {
        exit(1);
    }
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : OPS;
    char path[256];

    for (unsigned part = 4; part >= 1; part /= 2) {
        (void)snprintf(path, sizeof path, "%s", make_path("bench.sqlite"));
        (void)unlink(path);
        write_nsight(path, count / part);
        measure("Nsight's database", path);
        add_waits(path);
        measure("Nsight's database with waits", path);
        (void)unlink(path);
        (void)snprintf(path, sizeof path, "%s", make_path("bench.json"));
        write_kineto(path, count / part);
        measure("Kineto's JSON", path);
        (void)unlink(path);
    }
    remove_directory();
    return 0;
}
