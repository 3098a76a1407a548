/* The reader: every table comes back as it was written, and nothing damaged or foreign is believed.
 */
#include "test.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/memory.h"
#include "probe/store/reader.h"
#include "probe/store/writer.h"
#include "store/recordings.h"
#include "store/rows.h"

static struct gp_reader *open_file(const char *path)
{
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;

    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    return reader;
}

/* ---- round trips --------------------------------------------------------------------------- */

static void test_small_tables_come_back(void **state)
{
    const char *path = make_path("small.gpuprobe");
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);
    struct gp_error err = {0};
    struct gp_metric_row *metrics;
    struct gp_calibration_row *calibrations;
    struct gp_verdict_row *verdicts;
    struct gp_reader *reader;
    const struct gp_device_row *devices;
    const struct gp_cell_row *cells;
    const struct gp_key_row *keys;
    uint32_t count;

    (void)state;
    write_file(path);
    reader = open_file(path);
    assert_true(gp_reader_is_complete(reader));
    assert_string_equal(gp_reader_key(reader, "seed"), "7");
    assert_null(gp_reader_key(reader, "nothing"));
    keys = gp_reader_keys(reader, &count);
    assert_int_equal(count, 2);
    assert_string_equal(keys[1].key, "status");
    devices = gp_reader_devices(reader, &count);
    assert_int_equal(count, 1);
    assert_ptr_equal(devices, gp_reader_device(reader, 1));
    assert_int_equal(devices->kind, GP_ORIGIN_MODEL);
    assert_string_equal(devices->name, device.name);
    assert_string_equal(devices->profile, device.profile);
#define X(name) assert_int_equal(devices->name, device.name);
    GP_DEVICE_NUMBERS(X)
#undef X
    cells = gp_reader_cells(reader, &count);
    assert_int_equal(count, 1);
    assert_int_equal(cells->device, 1);
    assert_string_equal(cells->scenario, cell.scenario);
    assert_string_equal(cells->params, cell.params);
    assert_string_equal(cells->policy, cell.policy);
    assert_int_equal(cells->streams, cell.streams);
    assert_int_equal(cells->submit, cell.submit);
    assert_int_equal(cells->order, cell.order);
    assert_string_equal(cells->completion, cell.completion);
    assert_int_equal(cells->status, cell.status);
    assert_string_equal(cells->error, "");
    gp_assert_ok(gp_reader_metrics(reader, &metrics, &count, &err), err);
    assert_int_equal(count, 1);
    assert_int_equal(metrics->cell, 1);
    assert_int_equal(metrics->run, 0);
    assert_true(metrics->value == 1.5 && isnan(metrics->lo) && metrics->hi == 2);
    gp_assert_ok(gp_reader_calibrations(reader, &calibrations, &count, &err), err);
    assert_int_equal(count, 1);
    assert_string_equal(calibrations->unit, "ns");
    assert_true(calibrations->value == 32 && isnan(calibrations->hi));
    gp_free(metrics);
    gp_free(calibrations);
    gp_assert_ok(gp_reader_verdicts(reader, &verdicts, &count, &err), err);
    assert_int_equal(count, 1);
    assert_int_equal(verdicts->device, 1);
    assert_string_equal(verdicts->claim, "chain-needs-none");
    assert_int_equal(verdicts->answer, GP_VERDICT_FAILS);
    assert_string_equal(verdicts->evidence, "{\"lo\":1.5}");
    gp_free(verdicts);
    gp_reader_close(reader);
}

static void test_outlines_are_parts_of_operations(void **state)
{
    const char *path = make_path("outlines.gpuprobe");
    struct gp_error err = {0};
    struct gp_op_outline outlines[OPS];
    struct gp_op_row ops[OPS];
    const char *const *strings;
    struct gp_reader *reader;
    uint32_t count;

    (void)state;
    write_file(path);
    reader = open_file(path);
    strings = gp_reader_strings(reader, &count);
    gp_assert_ok(gp_reader_ops(reader, 2, 0, OPS, ops, &err), err);
    gp_assert_ok(gp_reader_outlines(reader, 2, 0, 2, outlines, &err), err);
    gp_assert_ok(gp_reader_outlines(reader, 2, 2, OPS - 2, &outlines[2], &err), err);
    for (uint32_t i = 0; i < OPS; i++) {
        const struct gp_op_outline expected = {ops[i].begin,    ops[i].end,       ops[i].begin_lo,
                                               ops[i].begin_hi, ops[i].end_lo,    ops[i].end_hi,
                                               ops[i].ready,    outlines[i].name, ops[i].stream,
                                               ops[i].engine,   ops[i].kind,      ops[i].source};

        assert_in_range(outlines[i].name, 0, count - 1);
        assert_ptr_equal(strings[outlines[i].name], ops[i].name);
        assert_memory_equal(&outlines[i], &expected, offsetof(struct gp_op_outline, source));
        assert_int_equal(outlines[i].source, expected.source);
    }
    gp_reader_close(reader);
}

static void test_unknown_cell_words_come_back(void **state)
{
    const char *path = make_path("unknown.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = write_most(path);
    struct gp_cell_row cell = make_cell(2, 1);
    struct gp_reader *reader;
    const struct gp_cell_row *cells;
    uint32_t count;

    (void)state;
    cell.submit = GP_SUBMIT_COUNT;
    cell.order = GP_ISSUE_ORDER_COUNT;
    cell.completion = "";
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    gp_assert_ok(gp_writer_update_cell(writer, 2, GP_STATUS_UNSUPPORTED, "no", &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    reader = open_file(path);
    cells = gp_reader_cells(reader, &count);
    assert_int_equal(count, 2);
    assert_int_equal(cells[1].submit, GP_SUBMIT_COUNT);
    assert_string_equal(gp_submit_name(cells[1].submit), "unknown");
    assert_int_equal(cells[1].order, GP_ISSUE_ORDER_COUNT);
    assert_string_equal(cells[1].completion, "");
    assert_int_equal(cells[1].status, GP_STATUS_UNSUPPORTED);
    assert_string_equal(cells[1].error, "no");
    gp_reader_close(reader);
}

static void assert_text_equal(const char *a, const char *b)
{
    if (a == NULL || b == NULL) {
        assert_ptr_equal(a, b);
    } else {
        assert_string_equal(a, b);
    }
}

static void assert_op_equal(const struct gp_op_row *a, const struct gp_op_row *b)
{
    struct gp_op_row left = *a, right = *b;

    assert_text_equal(left.name, right.name);
    assert_text_equal(left.rule, right.rule);
    left.name = right.name = left.rule = right.rule = NULL;
    /* Without the padding behind the last member. */
    assert_memory_equal(&left, &right, offsetof(struct gp_op_row, source) + sizeof left.source);
}

static void test_ops_come_back(void **state)
{
    const char *path = make_path("ops.gpuprobe");
    struct gp_error err = {0};
    struct gp_run_rows rows = make_run(2, 1, OPS);
    struct gp_run_row *runs;
    struct gp_op_row ops[OPS];
    struct gp_reader *reader;
    uint32_t count;

    (void)state;
    write_file(path);
    reader = open_file(path);
    gp_assert_ok(gp_reader_runs(reader, 1, &runs, &count, &err), err);
    assert_int_equal(count, 2);
    assert_int_equal(runs[0].op_count, 0);
    assert_int_equal(runs[0].makespan_ns, GP_UNKNOWN);
    assert_int_equal(runs[0].verified, -1);
    assert_string_equal(runs[1].trace_note, "no events");
    assert_int_equal(runs[1].op_count, OPS);
    assert_int_equal(runs[1].id, 2);
    assert_int_equal(runs[1].cell, 1);
    assert_int_equal(runs[1].pass, rows.run.pass);
    assert_int_equal(runs[1].trace, rows.run.trace);
    assert_int_equal(runs[1].repeat, rows.run.repeat);
    assert_int_equal(runs[1].makespan_ns, rows.run.makespan_ns);
    assert_int_equal(runs[1].submit_ns, rows.run.submit_ns);
    assert_int_equal(runs[1].epoch_realtime_ns, 0);
    assert_int_equal(runs[1].verified, 1);
    assert_int_equal(runs[1].status, GP_STATUS_COMPLETE);
    memset(ops, 0, sizeof ops);
    gp_assert_ok(gp_reader_ops(reader, 2, 0, OPS, ops, &err), err);
    for (uint32_t i = 0; i < OPS; i++) {
        assert_op_equal(&ops[i], &rows.ops[i]);
    }
    memset(ops, 0, sizeof ops);
    gp_assert_ok(gp_reader_ops(reader, 2, 3, 2, ops, &err), err);
    assert_op_equal(&ops[0], &rows.ops[3]);
    assert_op_equal(&ops[1], &rows.ops[4]);
    gp_assert_ok(gp_reader_ops(reader, 2, OPS, 0, NULL, &err), err);
    assert_int_equal(gp_reader_ops(reader, 5, 0, 0, NULL, &err), GP_ENOTFOUND);
    gp_free(runs);
    free_run(&rows);
    gp_reader_close(reader);
}

/* Recordings of schema 1 have no release. */
static void test_schema_1_is_read(void **state)
{
    const char *path = make_path("one.gpuprobe");
    struct gp_op_row ops[OPS];
    struct gp_error err = {0};
    struct gp_reader *reader;
    sqlite3 *db = NULL;

    (void)state;
    write_file(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "ALTER TABLE op DROP COLUMN release; PRAGMA user_version = 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    (void)sqlite3_close(db);
    reader = open_file(path);
    gp_assert_ok(gp_reader_ops(reader, 2, 0, OPS, ops, &err), err);
    assert_int_equal(ops[3].begin, 300);
    assert_int_equal(ops[3].release, GP_UNKNOWN);
    gp_reader_close(reader);
}

static void test_host_rows_come_back(void **state)
{
    const char *path = make_path("host.gpuprobe");
    struct gp_error err = {0};
    struct gp_run_rows rows = make_run(2, 1, OPS);
    struct gp_range_row *ranges;
    struct gp_call_row *calls;
    struct gp_reader *reader;
    uint32_t count;

    (void)state;
    write_file(path);
    reader = open_file(path);
    gp_assert_ok(gp_reader_ranges(reader, 2, &ranges, &count, &err), err);
    assert_int_equal(count, OPS);
    for (uint32_t i = 0; i < OPS; i++) {
        assert_text_equal(ranges[i].text, rows.ranges[i].text);
        assert_text_equal(ranges[i].domain, rows.ranges[i].domain);
        assert_int_equal(ranges[i].begin, rows.ranges[i].begin);
        assert_int_equal(ranges[i].end, rows.ranges[i].end);
        assert_int_equal(ranges[i].color, rows.ranges[i].color);
        assert_int_equal(ranges[i].category, rows.ranges[i].category);
        assert_int_equal(ranges[i].level, rows.ranges[i].level);
    }
    gp_assert_ok(gp_reader_calls(reader, 2, &calls, &count, &err), err);
    assert_int_equal(count, OPS);
    for (uint32_t i = 0; i < OPS; i++) {
        assert_text_equal(calls[i].name, rows.calls[i].name);
        assert_int_equal(calls[i].op, rows.calls[i].op);
        assert_int_equal(calls[i].end, rows.calls[i].end);
    }
    gp_free(ranges);
    gp_free(calls);
    free_run(&rows);
    gp_reader_close(reader);
}

static void test_blocks_come_back(void **state)
{
    const char *path = make_path("blocks.gpuprobe");
    struct gp_error err = {0};
    struct gp_run_rows rows = make_run(2, 1, OPS);
    struct gp_block_row *blocks;
    struct gp_reader *reader;
    uint32_t count;

    (void)state;
    write_file(path);
    reader = open_file(path);
    gp_assert_ok(gp_reader_blocks(reader, 2, &blocks, &count, &err), err);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(blocks[i].op, rows.blocks[i].op);
        assert_int_equal(blocks[i].block, rows.blocks[i].block);
        assert_int_equal(blocks[i].sm, rows.blocks[i].sm);
        assert_int_equal(blocks[i].begin, rows.blocks[i].begin);
        assert_int_equal(blocks[i].end, rows.blocks[i].end);
    }
    gp_free(blocks);
    free_run(&rows);
    gp_reader_close(reader);
}

static void test_other_rows_come_back(void **state)
{
    const char *path = make_path("rest.gpuprobe");
    struct gp_error err = {0};
    struct gp_run_rows rows = make_run(2, 1, OPS);
    struct gp_stream_row *streams;
    struct gp_edge_row *edges;
    struct gp_access_row *accesses;
    struct gp_clock_row *clocks;
    struct gp_state_row *states;
    struct gp_reader *reader;
    uint32_t count;

    (void)state;
    write_file(path);
    reader = open_file(path);
    gp_assert_ok(gp_reader_streams(reader, 2, &streams, &count, &err), err);
    assert_int_equal(count, 2);
    assert_int_equal(streams[1].id, 3);
    assert_int_equal(streams[1].device, 1);
    assert_int_equal(streams[1].priority, -2);
    assert_int_equal(streams[1].flag, GP_STREAM_BLOCKING);
    assert_string_equal(streams[1].role, "copies");
    assert_string_equal(streams[1].name, "stream 3");
    gp_assert_ok(gp_reader_edges(reader, 2, &edges, &count, &err), err);
    assert_int_equal(count, OPS - 1);
    assert_memory_equal(edges, rows.edges, count * sizeof *edges);
    gp_assert_ok(gp_reader_accesses(reader, 2, &accesses, &count, &err), err);
    assert_int_equal(count, OPS);
    for (uint32_t i = 0; i < OPS; i++) {
        assert_int_equal(accesses[i].op, i);
        assert_int_equal(accesses[i].mode, rows.accesses[i].mode);
        assert_string_equal(accesses[i].buffer, rows.accesses[i].buffer);
        assert_int_equal(accesses[i].offset, rows.accesses[i].offset);
        assert_int_equal(accesses[i].bytes, rows.accesses[i].bytes);
    }
    gp_assert_ok(gp_reader_clocks(reader, 2, &clocks, &count, &err), err);
    assert_int_equal(count, 2);
    assert_string_equal(clocks[1].kind, "event");
    assert_int_equal(clocks[1].device, 6000);
    assert_int_equal(clocks[0].residual, 12);
    assert_int_equal(clocks[1].residual, GP_UNKNOWN);
    gp_assert_ok(gp_reader_states(reader, 2, &states, &count, &err), err);
    assert_int_equal(count, 2);
    assert_int_equal(states[0].sm_clock_mhz, 1980);
    assert_int_equal(states[0].power_mw, 131202);
    assert_string_equal(states[0].note, "");
    assert_int_equal(states[1].at, 5000);
    assert_int_equal(states[1].memory_clock_mhz, GP_UNKNOWN);
    assert_int_equal(states[1].throttle, 4);
    assert_int_equal(states[1].temperature_c, 61);
    assert_int_equal(states[1].processes, 2);
    assert_string_equal(states[1].note, "two \"others\"");
    gp_free(streams);
    gp_free(edges);
    gp_free(accesses);
    gp_free(clocks);
    gp_free(states);
    gp_assert_ok(gp_reader_edges(reader, 1, &edges, &count, &err), err);
    assert_int_equal(count, 0);
    assert_null(edges);
    free_run(&rows);
    gp_reader_close(reader);
}

/* ---- logs beside the file ------------------------------------------------------------------ */

/* What a kill leaves behind: the file and its log as they are before the writer finishes. */
static void write_killed(const char *path)
{
    const char *live = make_path("live.gpuprobe");
    char from[300], to[300];
    struct gp_error err = {0};
    struct gp_writer *writer = write_most(live);

    copy_file(live, path);
    (void)snprintf(from, sizeof from, "%s-wal", live);
    (void)snprintf(to, sizeof to, "%s-wal", path);
    copy_file(from, to);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
}

static void test_killed_recording_is_incomplete(void **state)
{
    const char *path = make_path("killed.gpuprobe");
    struct gp_op_row ops[OPS];
    struct gp_error err = {0};
    struct gp_reader *reader;

    (void)state;
    write_killed(path);
    reader = open_file(path);
    assert_false(gp_reader_is_complete(reader));
    gp_assert_ok(gp_reader_ops(reader, 2, 0, OPS, ops, &err), err);
    gp_reader_close(reader);
}

/* A kill while the file itself was being changed: half of the change is in it, and the journal that
 * takes it back lies beside it. */
static void test_journal_is_rolled_back(void **state)
{
    const char *live = make_path("changing.gpuprobe");
    const char *path = make_path("journal.gpuprobe");
    struct gp_op_row ops[OPS];
    struct gp_error err = {0};
    struct gp_reader *reader;
    sqlite3 *db = NULL;
    char from[300], to[300];

    (void)state;
    write_file(live);
    assert_int_equal(sqlite3_open(live, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA cache_size = 1; BEGIN; UPDATE op SET begin = begin - 7;"
                                  "UPDATE edge SET how = 'missing'; UPDATE call SET end = end + 7",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_db_cacheflush(db), SQLITE_OK);
    (void)snprintf(from, sizeof from, "%s-journal", live);
    (void)snprintf(to, sizeof to, "%s-journal", path);
    copy_file(live, path);
    copy_file(from, to);
    (void)sqlite3_close(db);
    reader = open_file(path);
    gp_assert_ok(gp_reader_ops(reader, 2, 0, OPS, ops, &err), err);
    assert_int_equal(ops[3].begin, 300);
    gp_reader_close(reader);
}

static void test_recording_in_progress_is_readable(void **state)
{
    const char *path = make_path("progress.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = write_most(path);
    struct gp_reader *reader = open_file(path);
    uint32_t count;

    (void)state;
    assert_false(gp_reader_is_complete(reader));
    (void)gp_reader_cells(reader, &count);
    assert_int_equal(count, 1);
    gp_reader_close(reader);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
}

/* Opens as a user who may only read; in a child, since there is no way back. 0: fine. */
static int open_as_nobody(const char *path)
{
    pid_t child = fork();
    int status = 1;

    assert_true(child >= 0);
    if (child == 0) {
        struct gp_error err = {0};
        struct gp_reader *reader = NULL;
        struct gp_op_row ops[OPS];

        if ((geteuid() == 0 && setuid(65534) != 0) || access(path, W_OK) == 0) {
            _exit(2);
        }
        if (gp_reader_open(path, &reader, &err) != 0 ||
            gp_reader_ops(reader, 2, 0, OPS, ops, &err) != 0) {
            (void)fprintf(stderr, "%s\n", err.text);
            _exit(3);
        }
        gp_reader_close(reader);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_log_in_an_unwritable_directory(void **state)
{
    char directory[256], path[300], log[300], temporary[256];

    (void)state;
    (void)snprintf(directory, sizeof directory, "%s", make_path("readonly"));
    (void)snprintf(temporary, sizeof temporary, "%s", make_path("temporary"));
    (void)snprintf(path, sizeof path, "%s/x.gpuprobe", directory);
    (void)snprintf(log, sizeof log, "%s-wal", path);
    assert_int_equal(mkdir(directory, 0755), 0);
    assert_int_equal(mkdir(temporary, 0755), 0);
    assert_int_equal(chmod(temporary, 0777), 0);
    assert_int_equal(setenv("TMPDIR", temporary, 1), 0);
    write_killed(path);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(log, 0444), 0);
    assert_int_equal(chmod(directory, 0555), 0);
    assert_int_equal(chmod(make_path(""), 0755), 0);
    assert_int_equal(open_as_nobody(path), 0);
    assert_int_equal(rmdir(temporary), 0); /* nothing was left in it */
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(chmod(directory, 0755), 0);
}

static void test_reading_leaves_no_trace(void **state)
{
    const char *path = make_path("trace.gpuprobe");
    struct stat before, after;
    char name[300];

    (void)state;
    write_file(path);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(stat(path, &before), 0);
    gp_reader_close(open_file(path));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_equal(before.st_size, after.st_size);
    (void)snprintf(name, sizeof name, "%s-wal", path);
    assert_int_not_equal(access(name, F_OK), 0);
    (void)snprintf(name, sizeof name, "%s-shm", path);
    assert_int_not_equal(access(name, F_OK), 0);
}

static void test_deleted_while_open(void **state)
{
    const char *path = make_path("unlinked.gpuprobe");
    struct gp_op_row ops[OPS];
    struct gp_error err = {0};
    struct gp_reader *reader;

    (void)state;
    write_file(path);
    reader = open_file(path);
    assert_int_equal(unlink(path), 0);
    gp_assert_ok(gp_reader_ops(reader, 2, 0, OPS, ops, &err), err);
    gp_reader_close(reader);
}

static int remove_all(void **state)
{
    (void)state;
    remove_directory();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_tables_come_back),
        cmocka_unit_test(test_outlines_are_parts_of_operations),
        cmocka_unit_test(test_unknown_cell_words_come_back),
        cmocka_unit_test(test_ops_come_back),
        cmocka_unit_test(test_schema_1_is_read),
        cmocka_unit_test(test_host_rows_come_back),
        cmocka_unit_test(test_blocks_come_back),
        cmocka_unit_test(test_other_rows_come_back),
        cmocka_unit_test(test_killed_recording_is_incomplete),
        cmocka_unit_test(test_journal_is_rolled_back),
        cmocka_unit_test(test_recording_in_progress_is_readable),
        cmocka_unit_test(test_log_in_an_unwritable_directory),
        cmocka_unit_test(test_reading_leaves_no_trace),
        cmocka_unit_test(test_deleted_while_open),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
