/*
 * The tables of an Nsight Systems SQLite export, as much of schema 3.7.2 (Nsight Systems 2023.4) as
 * a recording can fill, and the enumerations that Nsight's own reports join. Names, columns and
 * values are Nsight's: https://docs.nvidia.com/nsight-systems/AnalysisGuide
 */
#ifndef GP_PROBE_EXPORT_NSYS_SCHEMA_H
#define GP_PROBE_EXPORT_NSYS_SCHEMA_H

#define GP_NSYS_SCHEMA_VERSION "3.7.2"

static const char *const gp_nsys_tables[] = {
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT)",
    "CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT)",
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT,"
    " localTime TEXT)",
    "CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER NOT NULL, duration INTEGER NOT NULL,"
    " startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL)",
    "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT)",
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,"
    " busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER,"
    " memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT,"
    " luid INTEGER, chipName TEXT, cuDevice INTEGER, maxShmemPerSm INTEGER,"
    " maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, asyncEngines INTEGER,"
    " maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, computeMajor INTEGER, computeMinor INTEGER)",
    "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (nullStreamId INTEGER NOT NULL,"
    " hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, processId INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, parentContextId INTEGER,"
    " isGreenContext INTEGER)",
    "CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId INTEGER NOT NULL, hwId INTEGER NOT NULL,"
    " vmId INTEGER NOT NULL, processId INTEGER NOT NULL, contextId INTEGER NOT NULL,"
    " priority INTEGER NOT NULL, flag INTEGER NOT NULL,"
    " PRIMARY KEY (processId, contextId, streamId))",
    "CREATE TABLE TARGET_INFO_NVTX_CUDA_STREAM (streamId INTEGER NOT NULL, hwId INTEGER NOT NULL,"
    " vmId INTEGER NOT NULL, processId INTEGER NOT NULL, contextId INTEGER NOT NULL, name TEXT,"
    " PRIMARY KEY (processId, contextId, streamId))",
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
    " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
    " demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,"
    " launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL,"
    " gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,"
    " blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,"
    " staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,"
    " localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,"
    " gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER,"
    " sharedMemoryLimitConfig INTEGER)",
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
    " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,"
    " copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER,"
    " srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER,"
    " migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER)",
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
    " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER)",
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
    " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
    " graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL)",
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,"
    " nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER)",
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL,"
    " end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,"
    " greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
    " syncType INTEGER NOT NULL, eventId INTEGER NOT NULL)",
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER NOT NULL,"
    " contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL,"
    " correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT NULL)",
    "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,"
    " rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,"
    " endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER,"
    " int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER,"
    " floatValue REAL, jsonTextId INTEGER, jsonText TEXT)",
    "CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)",
    "INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (33,'NvtxCategory','NvtxCategory'),"
    "(34,'NvtxMark','NvtxMark'),(39,'NvtxThread','NvtxThread'),"
    "(59,'NvtxPushPopRange','NvtxPushPopRange'),(60,'NvtxStartEndRange','NvtxStartEndRange'),"
    "(75,'NvtxDomainCreate','NvtxDomainCreate')",
    "CREATE TABLE ENUM_NSYS_EVENT_CLASS (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)",
    "INSERT INTO ENUM_NSYS_EVENT_CLASS VALUES"
    " (0,'TRACE_PROCESS_EVENT_CUDA_RUNTIME','CUDA runtime'),"
    "(1,'TRACE_PROCESS_EVENT_CUDA_DRIVER','CUDA driver')",
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)",
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (0,'CUDA_MEMCPY_KIND_UNKNOWN','Unknown'),"
    "(1,'CUDA_MEMCPY_KIND_HTOD','Host-to-Device'),(2,'CUDA_MEMCPY_KIND_DTOH','Device-to-Host'),"
    "(8,'CUDA_MEMCPY_KIND_DTOD','Device-to-Device')",
    "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)",
    "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0,'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE','Pageable'),"
    "(1,'CUDA_MEMOPR_MEMORY_KIND_PINNED','Pinned'),(2,'CUDA_MEMOPR_MEMORY_KIND_DEVICE','Device')",
    "CREATE TABLE ENUM_CUPTI_SYNC_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)",
    "INSERT INTO ENUM_CUPTI_SYNC_TYPE VALUES"
    " (2,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT','Stream wait sync')",
    "CREATE TABLE ENUM_CUPTI_STREAM_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)",
    "INSERT INTO ENUM_CUPTI_STREAM_TYPE VALUES"
    " (0,'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_UNKNOWN','Unknown stream type'),"
    "(1,'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT','Default stream'),"
    "(2,'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING','Non-blocking stream'),"
    "(3,'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL','Null stream')",
    "CREATE TABLE ENUM_CUDA_KERNEL_LAUNCH_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT,"
    " label TEXT)",
    "INSERT INTO ENUM_CUDA_KERNEL_LAUNCH_TYPE VALUES"
    " (0,'CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN','Unknown'),"
    "(1,'CUDA_KERNEL_LAUNCH_TYPE_REGULAR','Regular')",
};

/* The statements that fill them; parameters in the order of the columns. */
#define GP_NSYS_SQL(X)                                                                             \
    X(STRING, "INSERT INTO StringIds VALUES (?,?)")                                                \
    X(EXPORT, "INSERT INTO META_DATA_EXPORT VALUES (?,?)")                                         \
    X(CAPTURE, "INSERT INTO META_DATA_CAPTURE VALUES (?,?)")                                       \
    X(START_TIME, "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES"                              \
                  " (?1, strftime('%Y-%m-%dT%H:%M:%S', ?1 / 1000000000, 'unixepoch'),"             \
                  " strftime('%Y-%m-%dT%H:%M:%S', ?1 / 1000000000, 'unixepoch'))")                 \
    X(DETAILS, "INSERT INTO ANALYSIS_DETAILS VALUES (281474976710656, ?1, 0, ?1)")                 \
    X(PROCESS, "INSERT INTO PROCESSES VALUES (?,?,?)")                                             \
    X(GPU, "INSERT INTO TARGET_INFO_GPU (vmId, id, name, isDiscrete, l2CacheSize, totalMemory,"    \
           " smCount, uuid, cuDevice, maxShmemPerSm, maxRegistersPerSm, threadsPerWarp,"           \
           " asyncEngines, maxWarpsPerSm, maxBlocksPerSm, computeMajor, computeMinor)"             \
           " VALUES (281474976710656, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, 32, ?, ?, ?, ?, ?)")           \
    X(CONTEXT, "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (?,0,1,?,?,?,0,0)")               \
    X(STREAM, "INSERT OR IGNORE INTO TARGET_INFO_CUDA_STREAM VALUES (?,0,1,?,?,?,?)")              \
    X(STREAM_NAME, "INSERT OR IGNORE INTO TARGET_INFO_NVTX_CUDA_STREAM VALUES (?,0,1,?,?,?)")      \
    X(KERNEL, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"                                      \
              " (?,?,?,?,NULL,?,?,?,?8,?8,?8,1,0,?,?,?,?,?,?,?,?,?,0,0,?,NULL,NULL,NULL)")         \
    X(COPY, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,?,?,NULL,?,?,?,?,?,NULL,?,?,"      \
            "NULL,NULL,NULL,NULL,NULL,NULL,NULL)")                                                 \
    X(SET, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (?,?,?,?,NULL,?,?,?,0,?,NULL,2)")        \
    X(GRAPH, "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (?,?,?,?,NULL,?,?,?,1,1)")        \
    X(CALL, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,1,?,?,?,0,NULL)")                 \
    X(WAIT, "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?,?,?,?,NULL,?,?,?,2,?)")     \
    X(EVENT, "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (?,?,NULL,?,?,?,?)")               \
    X(RANGE, "INSERT INTO NVTX_EVENTS (start, end, eventType, rangeId, category, color, text,"     \
             " globalTid, domainId) VALUES (?,?,?,?,?,?,?,?,?)")

#endif
