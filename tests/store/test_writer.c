/* The writer: what it stores, what it refuses, and what is left after accidents. */
#include "test.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe/store/schema.h"
#include "probe/store/words.h"
#include "probe/store/writer.h"
#include "store/rows.h"

/* The first column of the first row as text; static. "" when there is none. */
static const char *ask(const char *path, const char *sql)
{
    static char answer[512];
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;

    answer[0] = '\0';
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != NULL) {
        (void)snprintf(answer, sizeof answer, "%s", sqlite3_column_text(statement, 0));
    }
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return answer;
}

static bool exists(const char *path, const char *suffix)
{
    char name[300];

    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    return access(name, F_OK) == 0;
}

static void add_base(struct gp_writer *writer)
{
    struct gp_error err = {0};
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);

    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
}

static void add_run(struct gp_writer *writer, int64_t id, uint32_t op_count)
{
    struct gp_error err = {0};
    struct gp_run_rows rows = make_run(id, 1, op_count);

    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    free_run(&rows);
}

static struct gp_writer *create(const char *path)
{
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;

    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    add_base(writer);
    return writer;
}

static void finish(struct gp_writer *writer)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
}

static void test_finished_file_is_clean(void **state)
{
    const char *path = make_path("clean.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = create(path);

    (void)state;
    gp_assert_ok(gp_writer_set_key(writer, "seed", "7", &err), err);
    gp_assert_ok(gp_writer_set_key(writer, "seed", "8", &err), err);
    add_run(writer, 1, 10);
    assert_string_equal(ask(path, "SELECT value FROM recording WHERE key = 'status'"),
                        "incomplete");
    finish(writer);
    assert_false(exists(path, "-wal"));
    assert_false(exists(path, "-shm"));
    assert_string_equal(ask(path, "PRAGMA application_id"), "1196446274");
    assert_string_equal(ask(path, "PRAGMA user_version"), "2");
    assert_string_equal(ask(path, "PRAGMA journal_mode"), "delete");
    assert_string_equal(ask(path, "PRAGMA integrity_check"), "ok");
    assert_string_equal(ask(path, "SELECT value FROM recording WHERE key = 'status'"), "complete");
    assert_string_equal(ask(path, "SELECT value FROM recording WHERE key = 'seed'"), "8");
}

/* integrity_check looks at the CHECK constraints too, which are off while recording. */
static void test_every_word_is_in_the_schema(void **state)
{
    const char *path = make_path("words.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = create(path);
    int64_t id = 10;

    (void)state;
    for (int i = 0; i < GP_SUBMIT_COUNT + 1; i++) {
        struct gp_cell_row cell = make_cell(++id, 1);

        cell.submit = (enum gp_submit)i;
        cell.completion = "";
        gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    }
    for (int i = 0; i < GP_ISSUE_ORDER_COUNT + 1; i++) {
        struct gp_cell_row cell = make_cell(++id, 1);

        cell.order = (enum gp_issue_order)i;
        gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    }
    for (int i = 0; i < GP_COMPLETION_COUNT; i++) {
        static const char *const completions[] = {
#define X(name, word) word,
            GP_COMPLETIONS(X)
#undef X
        };
        struct gp_cell_row cell = make_cell(++id, 1);

        cell.completion = completions[i];
        gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    }
    for (int i = 0; i < 8; i++) {
        struct gp_run_rows rows = make_run(++id, 1, 8);
        struct gp_op_row *ops = (struct gp_op_row *)rows.ops;
        struct gp_edge_row *edges = (struct gp_edge_row *)rows.edges;
        struct gp_stream_row streams[2] = {rows.streams[0], rows.streams[1]};

        rows.run.pass = (enum gp_pass)(i % GP_PASS_COUNT);
        rows.run.trace = (enum gp_trace)(i % GP_TRACE_COUNT);
        rows.run.status = (enum gp_status)(i % GP_STATUS_COUNT);
        rows.run.verified = i % 3 - 1;
        for (int k = 0; k < 7; k++) {
            ops[k].kind = (enum gp_op_kind)((i + k) % GP_OP_KIND_COUNT);
            ops[k].source = (enum gp_source)((i + k) % GP_SOURCE_COUNT);
            edges[k].kind = (enum gp_edge_kind)((i + k) % GP_EDGE_KIND_COUNT);
            edges[k].how = (enum gp_edge_how)((i + k) % GP_EDGE_HOW_COUNT);
        }
        streams[0].flag = (enum gp_stream_flag)(i % 4);
        rows.streams = streams;
        gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
        free_run(&rows);
    }
    finish(writer);
    assert_string_equal(ask(path, "PRAGMA integrity_check"), "ok");
}

static void test_strings_are_stored_once(void **state)
{
    const char *path = make_path("strings.gpuprobe");
    struct gp_writer *writer = create(path);

    (void)state;
    add_run(writer, 1, 50);
    add_run(writer, 2, 50);
    finish(writer);
    assert_string_equal(ask(path, "SELECT count(*) = max(id) FROM string"), "1");
    assert_string_equal(ask(path, "SELECT count(DISTINCT name_id) FROM op"), "2");
    assert_string_equal(ask(path, "SELECT text FROM op JOIN string ON string.id = name_id"
                                  " WHERE run_id = 2 AND op.id = 48"),
                        "gemm");
}

static void test_existing_file_is_kept(void **state)
{
    const char *path = make_path("kept.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = create(path);

    (void)state;
    finish(writer);
    assert_int_equal(gp_writer_create(path, false, &writer, &err), GP_EEXISTS);
    assert_non_null(strstr(err.text, "--force"));
    assert_string_equal(ask(path, "SELECT count(*) FROM cell"), "1");
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    assert_string_equal(ask(path, "SELECT count(*) FROM cell"), "0");
    finish(writer);
}

/* In a child, since there is no way back from being nobody. 0: refused as it should be. */
static int create_as_nobody(const char *path)
{
    pid_t child = fork();
    int status = 1;

    assert_true(child >= 0);
    if (child == 0) {
        struct gp_error err = {0};
        struct gp_writer *writer = NULL;

        if (geteuid() == 0 && setuid(65534) != 0) {
            _exit(2);
        }
        _exit(gp_writer_create(path, false, &writer, &err) == GP_EIO &&
                      strstr(err.text, "Permission denied") != NULL
                  ? 0
                  : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_unwritable_places(void **state)
{
    const char *directory = make_path("dir");
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;

    (void)state;
    assert_int_equal(gp_writer_create(make_path("no/such/x"), false, &writer, &err), GP_EIO);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(mkdir(directory, 0555), 0);
    assert_int_equal(chmod(make_path(""), 0755), 0);
    assert_int_equal(gp_writer_create(directory, true, &writer, &err), GP_EIO);
    assert_non_null(strstr(err.text, "not a file"));
    assert_null(writer);
    assert_int_equal(create_as_nobody(make_path("dir/x")), 0);
}

static void test_odd_names(void **state)
{
    static const char *const names[] = {"a?b#c%20d.gpuprobe", "ü \" '.gpuprobe", ":memory:"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const char *path = make_path(names[i]);

        finish(create(path));
        assert_true(exists(path, ""));
    }
}

static void test_drop_gives_pages_back(void **state)
{
    const char *path = make_path("drop.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = create(path);
    struct stat info;

    (void)state;
    add_run(writer, 1, 20000);
    add_run(writer, 2, 30);
    gp_assert_ok(gp_writer_drop_ops(writer, 1, &err), err);
    add_run(writer, 3, 10);
    assert_int_equal(gp_writer_drop_ops(writer, 99, &err), GP_EINVAL);
    finish(writer);
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size < 300000);
    assert_string_equal(ask(path, "SELECT group_concat(op_count) FROM run"), "0,30,10");
    assert_string_equal(ask(path, "SELECT count(*) FROM op JOIN run ON run.id = run_id"
                                  " WHERE row = op_first + op.id"),
                        "40");
    assert_string_equal(ask(path, "SELECT (SELECT count(*) FROM edge WHERE run_id = 1) +"
                                  " (SELECT count(*) FROM access WHERE run_id = 1) +"
                                  " (SELECT count(*) FROM range WHERE run_id = 1) +"
                                  " (SELECT count(*) FROM stream WHERE run_id = 1) +"
                                  " (SELECT count(*) FROM block WHERE run_id = 1) +"
                                  " (SELECT count(*) FROM call WHERE run_id = 1)"),
                        "0");
    assert_string_equal(ask(path, "PRAGMA integrity_check"), "ok");
}

/* One thing wrong in each; what was stored before stays. */
static void test_rows_that_contradict_themselves(void **state)
{
    const char *path = make_path("wrong.gpuprobe");
    struct gp_writer *writer = create(path);

    (void)state;
    add_run(writer, 1, 4);
    for (int i = 0; i < 11; i++) {
        struct gp_error err = {0};
        struct gp_run_rows rows = make_run(2, 1, 4);
        struct gp_op_row *op = (struct gp_op_row *)&rows.ops[2];
        struct gp_block_row blocks[3] = {rows.blocks[0], rows.blocks[1], rows.blocks[2]};

        rows.blocks = blocks;
        switch (i) {
        case 0:
            op->id = 3;
            break;
        case 1:
            op->stream = 2;
            break;
        case 2:
            op->end = op->begin - 1;
            break;
        case 3:
            op->chain = 4;
            break;
        case 4:
            ((struct gp_edge_row *)rows.edges)[1].to = 4;
            break;
        case 5:
            ((struct gp_access_row *)rows.accesses)[1].op = 4;
            break;
        case 6:
            ((struct gp_call_row *)rows.calls)[1].op = 4;
            break;
        case 7:
            blocks[1].block = blocks[2].block;
            break; /* twice */
        case 8:
            blocks[2].op = 4;
            break;
        case 9:
            blocks[1].end = blocks[1].begin - 1;
            break;
        default:
            rows.run.id = 1;
            break; /* used */
        }
        assert_int_equal(gp_writer_add_run(writer, &rows, &err), GP_EINVAL);
        assert_non_null(strstr(err.text, "wrong.gpuprobe"));
        free_run(&rows);
    }
    add_run(writer, 2, 4);
    finish(writer);
    assert_string_equal(ask(path, "SELECT count(*) FROM op"), "8");
    assert_string_equal(ask(path, "PRAGMA foreign_key_check"), "");
}

/* Rows are stored in blocks: here many, some with facts that the others do not have; what fails
 * in a later block takes the earlier ones and the run along. */
static void test_rows_of_many_blocks(void **state)
{
    enum { OPS = 1000 };
    const char *path = make_path("blocks.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = create(path);
    struct gp_run_rows rows = make_run(1, 1, OPS);
    const struct gp_edge_row *made = rows.edges;
    struct gp_edge_row edges[OPS];

    (void)state;
    for (uint32_t i = 0; i < OPS; i++) {
        struct gp_op_row *op = (struct gp_op_row *)&rows.ops[i];
        bool is_rich = i >= 300 && i % 5 == 0;

        op->ready = is_rich ? op->begin - 10 : GP_UNKNOWN;
        op->done = op->stamp_begin = op->stamp_end = GP_UNKNOWN;
        op->rule = is_rich && i % 2 == 0 ? "some rule" : NULL;
        op->release = i == OPS - 1 ? 7 : GP_UNKNOWN;
        op->rule_detail = GP_UNKNOWN;
        edges[i] = (struct gp_edge_row){.from = i, .to = (i + 1) % OPS, .kind = GP_EDGE_DATA};
    }
    rows.edges = edges;
    rows.edge_count = OPS;
    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    edges[OPS - 1] = edges[3]; /* the same again, in the last block */
    rows.run.id = 2;
    assert_int_equal(gp_writer_add_run(writer, &rows, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "UNIQUE"));
    edges[OPS - 1] = (struct gp_edge_row){.from = OPS - 1, .to = 0, .kind = GP_EDGE_DATA};
    rows.run.id = 3;
    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    finish(writer);
    rows.edges = made;
    free_run(&rows);
    assert_string_equal(ask(path, "SELECT group_concat(id) FROM run"), "1,3");
    assert_string_equal(ask(path, "SELECT count(*) FROM op WHERE run_id = 2"), "0");
    assert_string_equal(ask(path, "SELECT count(*) || ' ' || sum(row = op_first + op.id) || ' ' ||"
                                  " sum(begin = op.id * 100) || ' ' || sum(ready = begin - 10)"
                                  " || ' ' || sum(release) || ' ' || sum(regs = 40)"
                                  " || ' ' || sum(text = 'some rule') || ' ' || count(stamp_begin)"
                                  " FROM op JOIN run ON run.id = run_id"
                                  " LEFT JOIN string ON string.id = rule_id"),
                        "2000 2000 2000 280 14 1000 140 0");
    assert_string_equal(ask(path, "SELECT count(*) || ' ' || sum(dst_op = (src_op + 1) % 1000)"
                                  " FROM edge"),
                        "2000 2000");
}

static void test_streams_of_parts_are_there_in_the_end(void **state)
{
    struct gp_error err = {0};
    struct gp_writer *writer = create(make_path("parts.gpuprobe"));
    struct gp_run_rows rows = make_run(1, 1, 4);

    (void)state;
    gp_assert_ok(gp_writer_begin_run(writer, &err), err);
    gp_assert_ok(gp_writer_add_part(writer, &rows, &err), err);
    rows.stream_count = 1;
    assert_int_equal(gp_writer_end_run(writer, &rows, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "streams"));
    free_run(&rows);
    finish(writer);
    assert_string_equal(ask(make_path("parts.gpuprobe"), "SELECT count(*) FROM op"), "0");
}

static void test_dangling_reference_is_found(void **state)
{
    const char *path = make_path("dangling.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = create(path);
    struct gp_cell_row cell = make_cell(2, 77);

    (void)state;
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    assert_int_equal(gp_writer_finish(writer, true, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "table cell refers to a device"));
    assert_string_equal(ask(path, "SELECT value FROM recording WHERE key = 'status'"),
                        "incomplete");
}

static void test_kill_loses_the_run_in_hand_only(void **state)
{
    const char *path = make_path("killed.gpuprobe");
    static const struct timespec pause = {0, 20000000};
    int ready[2];
    char byte;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(ready), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct gp_writer *writer = NULL;
        struct gp_device_row device = make_device(1);
        struct gp_cell_row cell = make_cell(1, 1);

        if (gp_writer_create(path, true, &writer, NULL) != 0 ||
            gp_writer_add_device(writer, &device, NULL) != 0 ||
            gp_writer_add_cell(writer, &cell, NULL) != 0) {
            _exit(1);
        }
        for (int64_t id = 1;; id++) {
            struct gp_run_rows rows = make_run(id, 1, 500);

            if (gp_writer_add_run(writer, &rows, NULL) != 0) {
                _exit(1);
            }
            free_run(&rows);
            if (id == 5 && write(ready[1], "x", 1) != 1) {
                _exit(1);
            }
        }
    }
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)nanosleep(&pause, NULL); /* to anywhere inside a run */
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(ready[0]);
    assert_string_equal(ask(path, "PRAGMA integrity_check"), "ok");
    assert_string_equal(ask(path, "SELECT value FROM recording WHERE key = 'status'"),
                        "incomplete");
    assert_string_equal(ask(path, "SELECT count(*) >= 5 FROM run"), "1");
    assert_string_equal(ask(path, "SELECT count(*) FROM run WHERE op_count <>"
                                  " (SELECT count(*) FROM op WHERE run_id = run.id)"),
                        "0");
}

/* A file size limit is a disk that is full for this process only. */
static void test_full_disk(void **state)
{
    const char *path = make_path("full.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = create(path);
    struct rlimit old, limit;
    struct gp_run_rows rows;

    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    add_run(writer, 1, 100);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = 2 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    rows = make_run(2, 1, 100000);
    assert_int_equal(gp_writer_add_run(writer, &rows, &err), GP_EIO);
    assert_non_null(strstr(err.text, "full.gpuprobe: "));
    /* Both words are SQLite's, by what the system said. */
    assert_true(strstr(err.text, "disk is full") != NULL || strstr(err.text, "I/O error") != NULL);
    free_run(&rows);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(gp_writer_finish(writer, false, &err), 0);
    assert_string_equal(ask(path, "SELECT count(*) FROM op"), "100");
    assert_string_equal(ask(path, "SELECT value FROM recording WHERE key = 'status'"),
                        "incomplete");
    assert_string_equal(ask(path, "PRAGMA integrity_check"), "ok");
}

static void test_deleted_file_is_noticed(void **state)
{
    const char *path = make_path("deleted.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = create(path);
    struct gp_run_rows rows = make_run(1, 1, 4);

    (void)state;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(gp_writer_add_run(writer, &rows, &err), GP_EIO);
    assert_non_null(strstr(err.text, "deleted or replaced"));
    assert_int_equal(gp_writer_finish(writer, true, &err), GP_EIO);
    free_run(&rows);
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
        cmocka_unit_test(test_finished_file_is_clean),
        cmocka_unit_test(test_every_word_is_in_the_schema),
        cmocka_unit_test(test_strings_are_stored_once),
        cmocka_unit_test(test_existing_file_is_kept),
        cmocka_unit_test(test_unwritable_places),
        cmocka_unit_test(test_odd_names),
        cmocka_unit_test(test_drop_gives_pages_back),
        cmocka_unit_test(test_rows_that_contradict_themselves),
        cmocka_unit_test(test_rows_of_many_blocks),
        cmocka_unit_test(test_streams_of_parts_are_there_in_the_end),
        cmocka_unit_test(test_dangling_reference_is_found),
        cmocka_unit_test(test_kill_loses_the_run_in_hand_only),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_deleted_file_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
