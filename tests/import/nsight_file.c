/* Small Nsight databases: see nsight_file.h. */
#include "test.h"

#include "import/nsight_file.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/rows.h"

const char nsight_tables[] =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1,'kernel_a'),(2,'cudaLaunchKernel'),(3,'cudaStreamWaitEvent'),"
    "(4,'cudaEventRecord'),(5,'registered'),(6,'cudaDeviceSynchronize'),(7,'cudaGraphLaunch');"
    "CREATE TABLE ANALYSIS_DETAILS (globalVid, duration, startTime, stopTime);"
    "INSERT INTO ANALYSIS_DETAILS VALUES (0, 1000000000, 0, 0);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs, utcTime, localTime);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, '', '');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY,"
    " blockZ, staticSharedMemory, dynamicSharedMemory, registersPerThread, graphNodeId);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, bytes, copyKind);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId,"
    " nameId, returnValue);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, syncType, eventId);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, contextId, streamId, correlationId,"
    " globalPid, eventId);"
    "CREATE TABLE NVTX_EVENTS (start, end, eventType, rangeId, category, color, text, globalTid,"
    " endGlobalTid, textId, domainId);";

void make_database(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *text = NULL;

    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK) {
        fail_msg("%s", text);
    }
    (void)sqlite3_close(db);
}

const char *make_nsight(const char *rows)
{
    static char path[256];
    size_t bytes = strlen(nsight_tables) + strlen(rows) + 1;
    char *sql = malloc(bytes);

    assert_non_null(sql);
    (void)snprintf(sql, bytes, "%s%s", nsight_tables, rows);
    (void)snprintf(path, sizeof path, "%s", make_path("nsight.sqlite"));
    make_database(path, sql);
    free(sql);
    return path;
}

struct gp_reader *import_and_open(const char *path, struct gp_import_counts *counts)
{
    const char *out = make_path("imported.gpuprobe");
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;

    gp_assert_ok(gp_import_file(path, out, true, counts, &err), err);
    gp_assert_ok(gp_reader_open(out, &reader, &err), err);
    return reader;
}

uint64_t sum_of(const struct gp_import_counts *counts)
{
    uint64_t sum = counts->operations + counts->calls + counts->ranges + counts->dependencies;

    for (int i = 0; i < GP_IMPORT_LOSS_COUNT; i++) {
        sum += counts->lost[i];
    }
    return sum;
}

int64_t query(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    int64_t value = 0;

    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        value = sqlite3_column_int64(statement, 0);
    }
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return value;
}
