/* Rows for the store's tests: see rows.h. */
#include "store/rows.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct gp_device_row make_device(int64_t id)
{
    return (struct gp_device_row){
        .id = id,
        .kind = GP_ORIGIN_MODEL,
        .name = "model of \"a\" GPU, ünïcode",
        .uuid = "GPU-0",
        .image = "model",
        .image_note = "",
        .profile = "{\"sm\": 4}",
        .ordinal = 0,
        .compute_major = 9,
        .compute_minor = 0,
        .sm_count = 132,
        .driver_version = GP_UNKNOWN,
        .connections = 8,
        .async_engines = 3,
        .priority_least = 0,
        .priority_greatest = -5,
        .threads_per_sm = 2048,
        .blocks_per_sm = 32,
        .registers_per_sm = 65536,
        .shared_bytes_per_sm = 233472,
        .memory_bytes = INT64_C(150000000000),
        .l2_bytes = 62914560,
        .timer_tick_ns = 32,
    };
}

struct gp_cell_row make_cell(int64_t id, int64_t device)
{
    return (struct gp_cell_row){
        .id = id,
        .device = device,
        .scenario = "batch",
        .params = "{\"batches\": 2, \"name\": \"a,b\"}",
        .policy = "round-robin",
        .streams = 2,
        .submit = GP_SUBMIT_STREAMS,
        .order = GP_ORDER_BREADTH,
        .completion = "event-poll",
        .status = GP_STATUS_INCOMPLETE,
        .error = "",
    };
}

static const struct gp_stream_row streams[] = {
    {.id = 0, .priority = 0, .flag = GP_STREAM_NON_BLOCKING, .role = "", .name = "stream 0"},
    {.id = 3, .priority = -2, .flag = GP_STREAM_BLOCKING, .role = "copies", .name = "stream 3"},
};

static const struct gp_clock_row clocks[] = {
    {"ping", 1000, 5000, 12},
    {"event", 2000, 6000, GP_UNKNOWN},
};

static const struct gp_state_row states[] = {
    {0, 1980, 3201, 0, 131202, 36, 0, ""},
    {5000, 1755, GP_UNKNOWN, 4, 699000, 61, 2, "two \"others\""},
};

/* Of the first operation. */
static const struct gp_block_row blocks[] = {
    {0, 80, 0, 0, 131},
    {3, 150, 0, 1, 0},
    {90, 150, 0, 5, 131},
};

static struct gp_op_row make_op(uint32_t id, uint32_t op_count)
{
    int64_t at = (int64_t)id * 100;
    struct gp_op_row op = {
        .begin = at,
        .end = at + 150,
        .begin_lo = at - 1,
        .begin_hi = at + 1,
        .end_lo = at + 149,
        .end_hi = at + 151,
        .ready = at - 10,
        .done = at + 160,
        .stamp_begin = at,
        .stamp_end = at + 150,
        .ref_begin = GP_UNKNOWN,
        .ref_end = GP_UNKNOWN,
        .submit_begin = at / 2,
        .submit_end = at / 2 + 5,
        .bytes = GP_UNKNOWN,
        .rule_detail = id,
        .release = id % 3 == 0 ? at / 2 - 7 : GP_UNKNOWN,
        .name = id % 2 == 0 ? "gemm" : "h2d of \"x\"",
        .rule = "the counter modulo the pool's size",
        .id = id,
        .stream = id % 2,
        .chain = id / 2 % op_count,
        .grid = {16, 4, 1},
        .block = {256, 1, 1},
        .smem = 8192,
        .regs = 40,
        .engine = -1,
        .connection = -1,
        .kind = GP_OP_KERNEL,
        .source = GP_SOURCE_STAMP,
    };

    if (id % 2 == 1) {
        op.kind = GP_OP_H2D;
        op.source = GP_SOURCE_BOUNDED;
        op.bytes = 4096;
        op.engine = 0;
        op.connection = 3;
        op.smem = -1;
        op.regs = -1;
        op.stamp_begin = op.stamp_end = GP_UNKNOWN;
        op.rule = NULL;
        op.rule_detail = GP_UNKNOWN;
        memset(op.grid, 0, sizeof op.grid);
        memset(op.block, 0, sizeof op.block);
    }
    return op;
}

struct gp_run_rows make_run(int64_t id, int64_t cell, uint32_t op_count)
{
    uint32_t edge_count = op_count > 0 ? op_count - 1 : 0;
    struct gp_op_row *ops = calloc(op_count + 1, sizeof *ops);
    struct gp_edge_row *edges = calloc(op_count + 1, sizeof *edges);
    struct gp_access_row *accesses = calloc(op_count + 1, sizeof *accesses);
    struct gp_range_row *ranges = calloc(op_count + 1, sizeof *ranges);
    struct gp_call_row *calls = calloc(op_count + 1, sizeof *calls);

    for (uint32_t i = 0; i < op_count; i++) {
        int64_t at = (int64_t)i * 50;

        ops[i] = make_op(i, op_count);
        accesses[i] = (struct gp_access_row){i, (enum gp_access_mode)(i % 3 + 1),
                                             i % 2 == 0 ? "a" : "b", 64 * (int64_t)i, 64};
        ranges[i] = (struct gp_range_row){
            "op, \"quoted\"\nline", at, at + 40, NULL, i, 0, i % 2, 1, 0xff336699};
        calls[i] =
            (struct gp_call_row){"launch", at, at + 5, 0, i % 2 == 0 ? (int64_t)i : GP_UNKNOWN};
    }
    for (uint32_t i = 0; i < edge_count; i++) {
        edges[i] = (struct gp_edge_row){i, i + 1, i % 2 == 0 ? GP_EDGE_CHAIN : GP_EDGE_JOIN,
                                        i % 2 == 0 ? GP_HOW_STREAM : GP_HOW_EVENT};
    }
    if (op_count > 1) {
        ranges[1].domain = "gpuprobe";
        ranges[1].color = GP_UNKNOWN;
        ranges[1].end = GP_UNKNOWN;
    }
    return (struct gp_run_rows){
        .run = {.id = id,
                .cell = cell,
                .pass = GP_PASS_TRACED,
                .trace = GP_TRACE_STAMPS,
                .trace_note = "no events",
                .repeat = 1,
                .makespan_ns = 123456,
                .submit_ns = 2345,
                .epoch_realtime_ns = 0,
                .verified = 1,
                .status = GP_STATUS_COMPLETE},
        .ops = ops,
        .edges = edges,
        .accesses = accesses,
        .ranges = ranges,
        .calls = calls,
        .streams = streams,
        .clocks = clocks,
        .states = states,
        .blocks = blocks,
        .op_count = op_count,
        .edge_count = edge_count,
        .access_count = op_count,
        .range_count = op_count,
        .call_count = op_count,
        .stream_count = 2,
        .clock_count = 2,
        .state_count = 2,
        .block_count = op_count > 0 ? 3 : 0,
    };
}

void free_run(struct gp_run_rows *rows)
{
    free((void *)rows->ops);
    free((void *)rows->edges);
    free((void *)rows->accesses);
    free((void *)rows->ranges);
    free((void *)rows->calls);
}

static char directory[64];

const char *make_path(const char *name)
{
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];

    if (directory[0] == '\0') {
        (void)snprintf(directory, sizeof directory, "/tmp/gpuprobe-test-%ld", (long)getpid());
        if (mkdir(directory, 0700) != 0) {
            perror(directory);
            abort();
        }
    }
    (void)snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void remove_tree(const char *path)
{
    DIR *entries = opendir(path);
    struct dirent *entry;
    char name[600];

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            remove_tree(name);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    (void)remove(path);
}

void remove_directory(void)
{
    if (directory[0] != '\0') {
        remove_tree(directory);
        directory[0] = '\0';
    }
}
