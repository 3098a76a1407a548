/*
 * The verb check finds what is planted: one recording, in which one thing after the other is
 * broken, each found under its name with the operations that are to blame; and in the recordings
 * that come with the program it finds nothing.
 */
#include "test.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "cli/process.h"

/* Of the recording below: chains of upload (0, 3, 6 …), kernel (1, 4, …) and download on two
 * streams in turn. `kept` is the run whose operations are kept. */
#define KEPT "(SELECT id FROM run WHERE pass = 'reference' AND op_count > 0)"

struct planted {
    const char *sql;      /* what is broken */
    const char *found[2]; /* what check says of it; the second may be NULL */
};

static const struct planted planted[] = {
    /* Data and hazards. */
    {"UPDATE run SET verified = 0 WHERE id = " KEPT,
     {"data: its output differs from the reference", NULL}},
    {"UPDATE edge SET how = 'missing' WHERE run_id = " KEPT " AND dst_op = 5;"
     "UPDATE op SET stream_id = 1 - stream_id WHERE run_id = " KEPT " AND id = 5",
     {"hazard: d2h", "(operation 5)"}},
    /* A stream's order: the upload of a chain before the download of the one before it ended. */
    {"UPDATE op SET begin = 10000, begin_lo = 10000, begin_hi = 10031, submit_begin = 9000 WHERE "
     "run_id = " KEPT " AND id = 6",
     {"stream-order: h2d",
      "(operation 6): it begins before the operation before it on the stream ends: d2h"}},
    /* Engines, by what was resolved, by raw end events, and by the reference. */
    {"UPDATE op SET begin = 60000, begin_lo = 60000, begin_hi = 60031, end = 70000, "
     "end_lo = 70000, end_hi = 70031 WHERE run_id = " KEPT " AND id IN (6, 9)",
     {"engine: h2d", "(operation 9): it runs at the same time as another copy on the same engine: "
                     "h2d"}},
    {"UPDATE op SET done = 200000 + id WHERE run_id = " KEPT " AND id IN (6, 9)",
     {"engine-rate: h2d", "(operation 9): its end event follows that of the copy before it"}},
    {"UPDATE op SET ref_end = ref_end + 20000 WHERE run_id = " KEPT " AND id = 6",
     {"reference: h2d", "(operation 9): by the reference it begins before the copy before it"}},
    /* More grids than are resident at once. */
    {"UPDATE op SET begin = 500000, begin_lo = 500000, begin_hi = 500031, end = 900000, "
     "end_lo = 900000, end_hi = 900031 WHERE run_id = " KEPT " AND kind = 'kernel'",
     {"resident: kernel", "it runs beside more kernels than the device can hold at once"}},
    /* Before its submission, before its dependency, outside the run. */
    {"UPDATE op SET submit_begin = begin_hi + 5000, submit_end = begin_hi + 6000 WHERE run_id "
     "= " KEPT " AND id = 4",
     {"submitted: kernel", "(operation 4): it begins before the host submits it, by 5.000"}},
    {"UPDATE op SET begin = submit_begin, begin_lo = submit_begin, begin_hi = submit_begin WHERE "
     "run_id = " KEPT " AND id = 4",
     {"dependency: kernel", "(operation 4): it begins before what it depends on ends: h2d"}},
    {"UPDATE op SET end = end + 9000000, end_lo = end_lo + 9000000, end_hi = end_hi + 9000000 "
     "WHERE run_id = " KEPT " AND id = 101",
     {"inside-run: d2h", "(operation 101): it ends after the run did"}},
    /* Intervals. */
    {"UPDATE op SET begin_lo = begin + 1000 WHERE run_id = " KEPT " AND id = 4",
     {"interval: kernel", "(operation 4): its begin lies before the interval of it"}},
    {"UPDATE op SET stamp_begin = stamp_end + 1000 WHERE run_id = " KEPT " AND id = 4",
     {"interval: kernel", "(operation 4): its last stamp is before its first"}},
};

/* The same of a recording with blocks: kernels that fill the GPU, eight blocks an SM. */
static const struct planted planted_blocks[] = {
    {"UPDATE block SET begin = begin - 5000 WHERE op_id = 4 AND block = 1",
     {"block: kernel", "(operation 4): a block of it begins before it does: block 1, by 5.0"}},
    {"UPDATE block SET end = end + 5000 WHERE op_id = 4 AND block = 1",
     {"block: kernel", "(operation 4): a block of it ends after it does: block 1, by 4.9"}},
    {"UPDATE block SET sm = 132 WHERE op_id = 4 AND block = 1",
     {"block: kernel", "(operation 4): a block of it ran on an SM that there is not: block 1"}},
    {"UPDATE block SET block = 7000 WHERE op_id = 4 AND block = 1",
     {"block: kernel", "(operation 4): a block is none of its grid: block 7000"}},
    {"DELETE FROM block WHERE op_id = 4 AND block = 1",
     {"block: kernel", "(operation 4): blocks of its grid are missing among those that were"}},
    {"UPDATE block SET sm = 5 WHERE op_id = 4",
     {"block-room: kernel",
      "(operation 4): a block of it runs on an SM that has no room for it: block "}},
};

static void change(const char *sql)
{
    char *text = NULL;
    sqlite3 *db;

    assert_int_equal(sqlite3_open("p.gpuprobe", &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK) {
        fail_msg("%s: %s", sql, text);
    }
    assert_true(sqlite3_changes(db) > 0);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void copy_file(const char *from, const char *to)
{
    char bytes[4096];
    size_t count;
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");

    assert_true(in != NULL && out != NULL);
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0) {
        assert_int_equal(fwrite(bytes, 1, count, out), count);
    }
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

static int record(void **state)
{
    if (process_enter(state) != 0) {
        return -1;
    }
    process_expect("--scenario mixed --set chunks=150,chunk_kib=256 -p round-robin -s 2 -r 1 -d "
                   "model --reference model -q -o good.gpuprobe",
                   0, NULL, NULL);
    process_expect("--scenario saturate --set kernels=8,waves=1,bound=compute -p round-robin -s 2 "
                   "-r 1 -d model "
                   "--trace blocks -q -o blocks.gpuprobe",
                   0, NULL, NULL);
    return 0;
}

static void test_nothing_is_wrong_with_it(void **state)
{
    (void)state;
    process_expect("check good.gpuprobe", 0, "2 runs checked, nothing is wrong", NULL);
    process_expect("check blocks.gpuprobe", 0, "1 run checked, nothing is wrong", NULL);
}

static void plant(const char *good, const struct planted *what)
{
    copy_file(good, "p.gpuprobe");
    change(what->sql);
    process_expect("check p.gpuprobe", 3, what->found[0], NULL);
    process_expect("check p.gpuprobe", 3, what->found[1], NULL);
}

static void test_each_planted_violation_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++) {
        plant("good.gpuprobe", &planted[i]);
    }
    for (size_t i = 0; i < sizeof planted_blocks / sizeof planted_blocks[0]; i++) {
        plant("blocks.gpuprobe", &planted_blocks[i]);
    }
}

static void test_samples_are_sound(void **state)
{
    DIR *samples = opendir(GP_TEST_SAMPLES);
    struct dirent *entry;
    int count = 0;

    (void)state;
    assert_non_null(samples);
    while ((entry = readdir(samples)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');

        if (dot != NULL && strcmp(dot, ".gpuprobe") == 0) {
            char from[1024];

            (void)snprintf(from, sizeof from, "%s/%s", GP_TEST_SAMPLES, entry->d_name);
            copy_file(from, "sample.gpuprobe");
            process_expect("check sample.gpuprobe", 0, "nothing is wrong", NULL);
            count++;
        }
    }
    (void)closedir(samples);
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_wrong_with_it),
        cmocka_unit_test(test_each_planted_violation_is_found),
        cmocka_unit_test(test_samples_are_sound),
    };

    return cmocka_run_group_tests(tests, record, process_leave);
}
