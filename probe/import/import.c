/* The importers and what is common to them: see import.h. */
#include "probe/import/import.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/memory.h"
#include "probe/store/db.h"
#include "probe/store/schema.h"

const struct gp_import_ops *const gp_import_table[] = {
    &gp_import_nsight,
    &gp_import_chrome,
    &gp_import_nsys_rep,
};
const size_t gp_import_table_count = sizeof gp_import_table / sizeof gp_import_table[0];

static const char *const loss_keys[] = {
#define X(name, key, words) key,
    GP_IMPORT_LOSSES(X)
#undef X
};

static const char *const loss_words[] = {
#define X(name, key, words) words,
    GP_IMPORT_LOSSES(X)
#undef X
};

/* ---- which importer ------------------------------------------------------------------------ */

/* By the header of SQLite's file: our application id, big-endian at byte 68. */
static bool is_recording(const unsigned char *head, size_t count)
{
    static const char magic[16] = "SQLite format 3";
    uint32_t id = 0;

    for (size_t i = 68; i < 72 && count >= 72; i++) {
        id = id << 8 | head[i];
    }
    return count >= 72 && memcmp(head, magic, sizeof magic) == 0 && id == GP_SCHEMA_APPLICATION;
}

static const struct gp_import_ops *find(const char *path, const unsigned char *head, size_t count)
{
    for (size_t i = 0; i < gp_import_table_count; i++) {
        if (gp_import_table[i]->is_mine(path, head, count)) {
            return gp_import_table[i];
        }
    }
    return NULL;
}

/* ---- importing ----------------------------------------------------------------------------- */

static int set_number(struct gp_writer *writer, const char *key, uint64_t value,
                      struct gp_error *err)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    return gp_writer_set_key(writer, key, text, err);
}

/* What was taken and what not, as keys of the recording. */
static int describe(struct gp_writer *writer, const struct gp_import_ops *ops,
                    const struct gp_import_counts *counts, struct gp_error *err)
{
    char key[64];
    int code = gp_writer_set_key(writer, "import.format", ops->name, err);

    if (code == 0) {
        code = set_number(writer, "import.rows", counts->in, err);
    }
    if (code == 0) {
        code = set_number(writer, "import.dependency_rows", counts->dependencies, err);
    }
    if (code == 0) {
        code = set_number(writer, "import.early", counts->early, err);
    }
    if (code == 0) {
        code = set_number(writer, "import.diagnostics", counts->diagnostics, err);
    }
    if (code == 0 && counts->skips_calls) {
        code = gp_writer_set_key(writer, "import.skips_calls", "yes", err);
    }
    if (code == 0 && counts->breaks_off) {
        code = gp_writer_set_key(writer, "import.breaks_off", "yes", err);
    }
    for (unsigned i = 0; i < GP_IMPORT_LOSS_COUNT && code == 0; i++) {
        if (counts->lost[i] > 0) {
            (void)snprintf(key, sizeof key, "import.lost.%s", loss_keys[i]);
            code = set_number(writer, key, counts->lost[i], err);
        }
    }
    return code;
}

int gp_import_fail_empty(const char *path, const struct gp_import_counts *counts,
                         struct gp_error *err)
{
    char text[GP_IMPORT_TEXT_BYTES_MAX];

    gp_import_describe(counts, text);
    return counts->in == 0 ? gp_fail(err, GP_EFORMAT, "%s has no work of a GPU in it", path)
                           : gp_fail(err, GP_EFORMAT,
                                     "%s has no work of a GPU that could be taken: %s", path, text);
}

static int import_as(const struct gp_import_ops *ops, const char *path, const char *out,
                     struct gp_import_counts *counts, struct gp_error *err)
{
    struct gp_error also = {0};
    struct gp_writer *writer = NULL;
    int code = gp_writer_create(out, false, &writer, err);
    int closed;

    assert(ops != NULL);
    if (code != 0) {
        return code;
    }
    code = gp_writer_hurry(writer, err);
    if (code == 0) {
        code = ops->read(path, writer, counts, err);
    }
    if (code == 0 && counts->operations == 0) {
        code = gp_import_fail_empty(path, counts, err);
    }
    if (code == 0) {
        code = describe(writer, ops, counts, err);
    }
    closed = gp_writer_finish(writer, code == 0, &also);
    if (code == 0 && closed != 0) {
        *err = also;
        code = closed;
    }
    if (code != 0) {
        (void)unlink(out);
    }
    return code;
}

/* The importer of the file, or an error that says what there is. */
static int choose(const char *path, const struct gp_import_ops **out, bool *recording,
                  struct gp_error *err)
{
    unsigned char head[GP_IMPORT_HEAD_BYTES];
    int64_t file_bytes;
    size_t count = 0;
    int code = gp_db_file_head(path, head, sizeof head, &count, &file_bytes, err);

    if (code != 0) {
        return code;
    }
    *recording = is_recording(head, count);
    *out = *recording ? NULL : find(path, head, count);
    if (*out == NULL && !*recording) {
        return gp_fail(
            err, GP_EFORMAT,
            "%s is neither a recording nor a trace that gpuprobe imports ('gpuprobe list "
            "imports' names them)",
            path);
    }
    return 0;
}

/* Waits until the file is on the disk: the writer was in a hurry. */
static int settle(const char *path, struct gp_error *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int code = file >= 0 && fsync(file) == 0
                   ? 0
                   : gp_fail(err, GP_EIO, "%s cannot be written: %s", path, strerror(errno));

    if (file >= 0) {
        (void)close(file);
    }
    return code;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* "out.part", which is ours alone; the caller's. */
static char *make_part(const char *out)
{
    char *part = gp_xalloc(strlen(out) + 32, 1);

    (void)sprintf(part, "%s.%ld.part", out, (long)getpid());
    return part;
}

int gp_import_file(const char *path, const char *out, bool force, struct gp_import_counts *counts,
                   struct gp_error *err)
{
    const struct gp_import_ops *ops;
    bool recording;
    char *part;
    int code = choose(path, &ops, &recording, err);

    assert(counts != NULL);
    *counts = (struct gp_import_counts){0};
    if (code == 0 && recording) {
        code = gp_fail(err, GP_EINVAL, "%s is a recording already", path);
    }
    if (code == 0 && is_same_file(path, out)) {
        code = gp_fail(err, GP_EINVAL, "%s is the trace itself; name another file", out);
    }
    if (code == 0 && !force && access(out, F_OK) == 0) {
        code = gp_fail(err, GP_EEXISTS,
                       "%s exists already; choose another file or replace it with --force", out);
    }
    if (code != 0) {
        return code;
    }
    /* Becomes whole beside its place: what --force replaces is kept until then. */
    part = make_part(out);
    code = import_as(ops, path, part, counts, err);
    if (code == 0) {
        code = settle(part, err);
    }
    if (code == 0 && rename(part, out) != 0) {
        code = gp_fail(err, GP_EIO, "%s cannot be replaced: %s", out, strerror(errno));
    }
    if (code != 0) {
        (void)unlink(part);
    }
    gp_free(part);
    return code;
}

/* ---- opening ------------------------------------------------------------------------------- */

static bool is_called_recording(const char *path)
{
    static const char end[] = ".gpuprobe";
    size_t length = strlen(path);

    return length >= sizeof end && strcmp(path + length - (sizeof end - 1), end) == 0;
}

int gp_import_resolve(const char *path, struct gp_scratch *scratch, const char **out,
                      struct gp_error *err)
{
    const struct gp_import_ops *ops = NULL;
    struct gp_import_counts counts = {0};
    bool recording = false;
    int code = choose(path, &ops, &recording, err);

    *scratch = (struct gp_scratch){0};
    *out = path;
    /* The reader knows better what is wrong with what cannot be opened or is called a recording. */
    if (code != 0 || recording) {
        return recording || code != GP_EFORMAT || is_called_recording(path) ? 0 : code;
    }
    code = gp_scratch_init(scratch, "imported.gpuprobe", err);
    if (code == 0) {
        *out = scratch->file;
        code = import_as(ops, path, scratch->file, &counts, err);
    }
    if (code != 0) {
        gp_scratch_finish(scratch);
    }
    return code;
}

int gp_import_open(const char *path, struct gp_reader **out, struct gp_error *err)
{
    struct gp_scratch scratch;
    const char *recording;
    int code = gp_import_resolve(path, &scratch, &recording, err);

    if (code == 0) {
        code = gp_reader_open(recording, out, err);
    }
    /* Whoever has it open keeps it. */
    gp_scratch_finish(&scratch);
    return code;
}

/* ---- words --------------------------------------------------------------------------------- */

/* "; 12 have no time, or 0", where it says how many. */
static int add_count(char *out, int used, uint64_t count, const char *words)
{
    return count == 0 ? used
                      : used + snprintf(out + used, GP_IMPORT_TEXT_BYTES_MAX - (size_t)used,
                                        "; %" PRIu64 " %s", count, words);
}

static int add_words(char *out, int used, bool is_so, const char *words)
{
    return !is_so ? used
                  : used + snprintf(out + used, GP_IMPORT_TEXT_BYTES_MAX - (size_t)used, "; %s",
                                    words);
}

static int add_warnings(char *out, int used, uint64_t count)
{
    return count == 0 ? used
                      : used + snprintf(out + used, GP_IMPORT_TEXT_BYTES_MAX - (size_t)used,
                                        "; the recorder gave %" PRIu64
                                        " warnings: it may have missed something",
                                        count);
}

static const char early_words[] = "operations begin before their call: the clocks disagree";
static const char cut_words[] = "the file breaks off: what came after is missing";
static const char skips_words[] = "the recorder left out some calls (CUDA_SKIP_SOME_API_CALLS)";

void gp_import_describe(const struct gp_import_counts *counts, char out[GP_IMPORT_TEXT_BYTES_MAX])
{
    int used = snprintf(out, GP_IMPORT_TEXT_BYTES_MAX,
                        "%" PRIu64 " rows: %" PRIu64 " operations, %" PRIu64 " host calls, %" PRIu64
                        " ranges, %" PRIu64 " events and waits",
                        counts->in, counts->operations, counts->calls, counts->ranges,
                        counts->dependencies);

    for (unsigned i = 0; i < GP_IMPORT_LOSS_COUNT; i++) {
        used = add_count(out, used, counts->lost[i], loss_words[i]);
    }
    used = add_count(out, used, counts->early, early_words);
    used = add_warnings(out, used, counts->diagnostics);
    used = add_words(out, used, counts->breaks_off, cut_words);
    (void)add_words(out, used, counts->skips_calls, skips_words);
}

/* Rows that have nothing to tell where they are not taken: names, arrows, what is told twice, and
 * programs that used no GPU. */
static bool is_no_loss(unsigned loss)
{
    return loss == GP_IMPORT_NO_RANGE || loss == GP_IMPORT_MARK || loss == GP_IMPORT_DUPLICATE ||
           loss == GP_IMPORT_NO_DEVICE;
}

static uint64_t key_number(const struct gp_reader *reader, const char *key)
{
    const char *text = gp_reader_key(reader, key);

    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

bool gp_import_lacks(const struct gp_reader *reader, char out[GP_IMPORT_TEXT_BYTES_MAX])
{
    char key[64];
    int head, used;

    out[0] = '\0';
    if (gp_reader_key(reader, "import.rows") == NULL) {
        return false;
    }
    head = used =
        snprintf(out, GP_IMPORT_TEXT_BYTES_MAX, "not all of the trace is here: of %" PRIu64 " rows",
                 key_number(reader, "import.rows"));
    for (unsigned i = 0; i < GP_IMPORT_LOSS_COUNT; i++) {
        (void)snprintf(key, sizeof key, "import.lost.%s", loss_keys[i]);
        used = is_no_loss(i) ? used : add_count(out, used, key_number(reader, key), loss_words[i]);
    }
    used = add_count(out, used, key_number(reader, "import.early"), early_words);
    used = add_warnings(out, used, key_number(reader, "import.diagnostics"));
    used = add_words(out, used, gp_reader_key(reader, "import.breaks_off") != NULL, cut_words);
    used = add_words(out, used, gp_reader_key(reader, "import.skips_calls") != NULL, skips_words);
    if (used > head) {
        out[head] = ':'; /* instead of the first semicolon */
    }
    return used > head;
}
