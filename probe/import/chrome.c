/*
 * Chrome's trace-event JSON as Kineto (PyTorch) and our own export write it, also compressed: read
 * event by event into the stage (chrome_stage.h), from which the Nsight importer goes on.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "probe/import/chrome_pairs.h"
#include "probe/import/chrome_stage.h"
#include "probe/import/json_scan.h"
#include "probe/import/nsight.h"
#include "probe/memory.h"

enum { GZ_BUFFER_BYTES = 1 << 17 };

struct chrome {
    struct gp_json_scan scan;
    struct gp_chrome_stage stage;
    gzFile file;
    const char *path;
    bool has_begun, is_cut; /* the file; its compressed bytes */
    struct gp_chrome_pairs pairs;
    char name[GP_JSON_TEXT_BYTES_MAX + 8];
    char label[256]; /* argument "name" of what names something */
    char phase;
    uint64_t lane; /* of the event's process and thread, whatever they are called */
};

/* Where the members of an object go. Takes the value that begins with `token`, all of it; 0 or
 * negative. */
typedef int take_fn(struct chrome *chrome, const char *name, int token, void *to,
                    struct gp_error *err);

/* A member that is a whole number, and where it goes in a struct. */
struct field {
    const char *name;
    size_t offset;
};

/* ---- values -------------------------------------------------------------------------------- */

static long read_bytes(void *user, char *buffer, size_t bytes, struct gp_error *err)
{
    struct chrome *chrome = user;
    static const char mark[] = "\xef\xbb\xbf"; /* that some put before UTF-8 */
    int got = gzread(chrome->file, buffer, (unsigned)bytes);
    int code = Z_OK;

    if (got <= 0) {
        const char *text = gzerror(chrome->file, &code);

        /* A compressed file that is cut off is a text that breaks off. */
        if (code == Z_BUF_ERROR) {
            chrome->is_cut = true;
            return 0;
        }
        if (code != Z_OK && code != Z_STREAM_END) {
            return gp_fail(err, code == Z_ERRNO ? GP_EIO : GP_EFORMAT, "%s", text);
        }
    }
    if (!chrome->has_begun && got > 3 && memcmp(buffer, mark, 3) == 0) {
        got -= 3;
        memmove(buffer, buffer + 3, (size_t)got);
    }
    chrome->has_begun = true;
    return got;
}

/* Microseconds with decimals as nanoseconds, exactly; GP_UNKNOWN what is no such number. */
static int64_t parse_micros(const char *text)
{
    bool negative = text[0] == '-';
    const char *at = text + (negative ? 1 : 0);
    int64_t value = 0;
    int decimals = 0;

    if (strpbrk(text, "eE") != NULL) {
        double ns = strtod(text, NULL) * 1000;

        return fabs(ns) < 9e18 ? (int64_t)llround(ns) : GP_UNKNOWN;
    }
    for (; isdigit((unsigned char)*at) && value < INT64_MAX / 20000; at++) {
        value = value * 10 + (*at - '0');
    }
    if (*at == '.') {
        for (at++; isdigit((unsigned char)*at) && decimals < 3; at++, decimals++) {
            value = value * 10 + (*at - '0');
        }
        for (; decimals < 3; decimals++) {
            value *= 10;
        }
        value += *at >= '5' && *at <= '9';
        at += strspn(at, "0123456789");
    } else {
        value *= 1000;
    }
    if (*at != '\0' || at == text) {
        return GP_UNKNOWN;
    }
    return negative ? -value : value;
}

/* A whole number, also as text ("stream 7" is 7). */
static int64_t parse_whole(const char *text)
{
    char *end;
    long long value;

    text += strncmp(text, "stream ", 7) == 0 ? 7 : 0;
    value = strtoll(text, &end, 10);
    return end == text || value <= INT64_MIN / 4 || value >= INT64_MAX / 4 ? GP_UNKNOWN : value;
}

static void copy_text(char *to, size_t bytes, const char *from)
{
    size_t length = strlen(from);

    length = length < bytes ? length : bytes - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* The number of that name into the struct; false: it has none. */
static bool take_field(const struct field *fields, const char *name, int token, const char *text,
                       void *to)
{
    if (token != GP_JSON_NUMBER && token != GP_JSON_STRING) {
        return false;
    }
    for (; fields->name != NULL; fields++) {
        if (strcmp(name, fields->name) == 0) {
            int64_t value = parse_whole(text);

            memcpy((char *)to + fields->offset, &value, sizeof value);
            return true;
        }
    }
    return false;
}

/* Mixes what a process or thread is called into the lane. */
static void add_lane(struct chrome *chrome, const char *text, uint64_t factor)
{
    uint64_t hash = factor;

    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    chrome->lane += hash * factor;
}

/* ---- objects ------------------------------------------------------------------------------- */

/* The members of an object whose bracket has been taken. 0, also where it breaks off. */
static int take_members(struct chrome *chrome, take_fn *take, void *to, struct gp_error *err)
{
    char name[40];
    int token;
    int code = 0;

    while (code == 0 && (token = gp_json_scan_next(&chrome->scan, err)) == GP_JSON_NAME) {
        copy_text(name, sizeof name, chrome->scan.text);
        token = gp_json_scan_next(&chrome->scan, err);
        code = token > 0 ? take(chrome, name, token, to, err) : token;
        if (token == GP_JSON_END) {
            return 0;
        }
    }
    return code == 0 && token < 0 ? token : code;
}

static int take_shape(struct chrome *chrome, int token, int64_t *shape, struct gp_error *err)
{
    unsigned outside = chrome->scan.depth - 1;

    if (token != GP_JSON_OPEN_ARRAY) {
        return gp_json_scan_skip(&chrome->scan, token, err);
    }
    for (int i = 0; chrome->scan.depth > outside && token > 0; i++) {
        token = gp_json_scan_next(&chrome->scan, err);
        if (token == GP_JSON_NUMBER && i < 3) {
            shape[i] = parse_whole(chrome->scan.text);
        }
    }
    return token < 0 ? token : 0;
}

/* Words of our own exports; false: it is none. */
static bool take_word(const char *name, const char *text, struct gp_chrome_event *event)
{
    if (strcmp(name, "kind") == 0) {
        copy_text(event->kind, sizeof event->kind, text);
    } else if (strcmp(name, "how") == 0) {
        copy_text(event->how, sizeof event->how, text);
    } else if (strcmp(name, "domain") == 0) {
        copy_text(event->domain, sizeof event->domain, text);
    } else if (strcmp(name, "end") == 0) {
        event->is_open = strcmp(text, "never closed") == 0;
    } else {
        return false;
    }
    return true;
}

static int take_argument(struct chrome *chrome, const char *name, int token, void *to,
                         struct gp_error *err)
{
    static const struct field fields[] = {
        {"device", offsetof(struct gp_chrome_event, device)},
        {"context", offsetof(struct gp_chrome_event, context)},
        {"stream", offsetof(struct gp_chrome_event, stream)},
        {"correlation", offsetof(struct gp_chrome_event, correlation)},
        {"bytes", offsetof(struct gp_chrome_event, bytes)},
        {"registers per thread", offsetof(struct gp_chrome_event, registers)},
        {"shared memory", offsetof(struct gp_chrome_event, shared)},
        {"run", offsetof(struct gp_chrome_event, run)},
        {"op", offsetof(struct gp_chrome_event, op)},
        {"from", offsetof(struct gp_chrome_event, from)},
        {"to", offsetof(struct gp_chrome_event, to)},
        {"category", offsetof(struct gp_chrome_event, level)},
        {"wait_on_stream", offsetof(struct gp_chrome_event, record_stream)},
        {"wait_on_cuda_event_record_corr_id", offsetof(struct gp_chrome_event, record_correlation)},
        {"wait_on_cuda_event_id", offsetof(struct gp_chrome_event, event)},
        {"event_id", offsetof(struct gp_chrome_event, event)},
        {NULL, 0},
    };
    struct gp_chrome_event *event = to;

    if (strcmp(name, "grid") == 0) {
        return take_shape(chrome, token, event->grid, err);
    }
    if (strcmp(name, "block") == 0) {
        return take_shape(chrome, token, event->block, err);
    }
    if (token == GP_JSON_STRING && strcmp(name, "name") == 0) {
        copy_text(chrome->label, sizeof chrome->label, chrome->scan.text);
        return 0;
    }
    if (token == GP_JSON_STRING && take_word(name, chrome->scan.text, event)) {
        return 0;
    }
    if (take_field(fields, name, token, chrome->scan.text, event)) {
        return 0;
    }
    return gp_json_scan_skip(&chrome->scan, token, err);
}

static int take_member(struct chrome *chrome, const char *name, int token, void *to,
                       struct gp_error *err)
{
    static const struct field fields[] = {
        {"pid", offsetof(struct gp_chrome_event, pid)},
        {"tid", offsetof(struct gp_chrome_event, tid)},
        {NULL, 0},
    };
    struct gp_chrome_event *event = to;
    const char *text = chrome->scan.text;

    if (token == GP_JSON_OPEN_OBJECT && strcmp(name, "args") == 0) {
        return take_members(chrome, take_argument, event, err);
    }
    if (token != GP_JSON_STRING && token != GP_JSON_NUMBER) {
        return gp_json_scan_skip(&chrome->scan, token, err);
    }
    if (strcmp(name, "ph") == 0) {
        chrome->phase = text[0];
    } else if (strcmp(name, "cat") == 0) {
        copy_text(event->category, sizeof event->category, text);
    } else if (strcmp(name, "name") == 0) {
        memcpy(chrome->name, text, chrome->scan.length + 1);
    } else if (strcmp(name, "ts") == 0) {
        event->begin = parse_micros(text);
    } else if (strcmp(name, "dur") == 0) {
        event->duration = parse_micros(text);
    } else if (take_field(fields, name, token, text, event)) {
        add_lane(chrome, text, name[0] == 'p' ? 3 : 5);
    }
    return 0;
}

/* ---- events -------------------------------------------------------------------------------- */

static const struct gp_chrome_event nothing_known = {
    .begin = GP_UNKNOWN,
    .duration = GP_UNKNOWN,
    .pid = GP_UNKNOWN,
    .tid = GP_UNKNOWN,
    .device = GP_UNKNOWN,
    .context = GP_UNKNOWN,
    .stream = GP_UNKNOWN,
    .correlation = GP_UNKNOWN,
    .bytes = GP_UNKNOWN,
    .registers = GP_UNKNOWN,
    .shared = GP_UNKNOWN,
    .run = GP_UNKNOWN,
    .op = GP_UNKNOWN,
    .from = GP_UNKNOWN,
    .to = GP_UNKNOWN,
    .level = GP_UNKNOWN,
    .record_stream = GP_UNKNOWN,
    .record_correlation = GP_UNKNOWN,
    .event = GP_UNKNOWN,
};

/* The end of what began last on its lane makes an event of both. */
static int take_end(struct chrome *chrome, const struct gp_chrome_event *end, struct gp_error *err)
{
    struct gp_chrome_open begun;
    int code;

    if (!gp_chrome_pairs_end(&chrome->pairs, chrome->lane, &begun)) {
        return gp_chrome_stage_lose(&chrome->stage, GP_IMPORT_MARK);
    }
    begun.event.duration = begun.event.begin != GP_UNKNOWN && end->begin != GP_UNKNOWN
                               ? end->begin - begun.event.begin
                               : GP_UNKNOWN;
    code = gp_chrome_stage_add(&chrome->stage, &begun.event, begun.name, err);
    gp_free(begun.name);
    return code;
}

/* What never ended. */
static int take_open(struct chrome *chrome, struct gp_error *err)
{
    int code = 0;

    for (size_t i = 0; i < chrome->pairs.count && code == 0; i++) {
        struct gp_chrome_open *open = &chrome->pairs.open[i];

        open->event.is_open = true;
        code = gp_chrome_stage_add(&chrome->stage, &open->event, open->name, err);
    }
    return code;
}

/* What names something is no row of a recording; threads may be streams. */
static int take_name(struct chrome *chrome, const struct gp_chrome_event *event,
                     struct gp_error *err)
{
    (void)gp_chrome_stage_lose(&chrome->stage, GP_IMPORT_NO_RANGE);
    return strcmp(chrome->name, "thread_name") == 0
               ? gp_chrome_stage_thread(&chrome->stage, event, chrome->label, err)
               : 0;
}

static int take_phase(struct chrome *chrome, const struct gp_chrome_event *event,
                      struct gp_error *err)
{
    switch (chrome->phase) {
    case 'X':
        return gp_chrome_stage_add(&chrome->stage, event, chrome->name, err);
    case 'B':
        return gp_chrome_pairs_begin(&chrome->pairs, chrome->lane, event, chrome->name)
                   ? 0
                   : gp_chrome_stage_lose(&chrome->stage, GP_IMPORT_LIMIT);
    case 'E':
        return take_end(chrome, event, err);
    case 'M':
        return take_name(chrome, event, err);
    case 'f':
        if (strcmp(event->category, "edge") == 0) {
            return gp_chrome_stage_edge(&chrome->stage, event, err);
        }
        return gp_chrome_stage_lose(&chrome->stage, GP_IMPORT_MARK);
    default:
        return gp_chrome_stage_lose(&chrome->stage, GP_IMPORT_MARK);
    }
}

/* One that breaks off is counted as lost. */
static int take_event(struct chrome *chrome, struct gp_error *err)
{
    struct gp_chrome_event event = nothing_known;
    unsigned outside = chrome->scan.depth - 1;
    int code;

    chrome->name[0] = '\0';
    chrome->label[0] = '\0';
    chrome->phase = '\0';
    chrome->lane = 0;
    code = take_members(chrome, take_member, &event, err);
    if (code == 0 && chrome->scan.depth > outside) {
        return gp_chrome_stage_lose(&chrome->stage, GP_IMPORT_CUT);
    }
    return code != 0 ? code : take_phase(chrome, &event, err);
}

/* The objects of an array whose bracket has been taken; of events, what else is there is counted.
 */
static int take_objects(struct chrome *chrome,
                        int (*take)(struct chrome *chrome, struct gp_error *err),
                        struct gp_error *err)
{
    int token;

    while ((token = gp_json_scan_next(&chrome->scan, err)) > 0 && token != GP_JSON_CLOSE_ARRAY) {
        int code;

        if (token == GP_JSON_OPEN_OBJECT) {
            code = take(chrome, err);
        } else {
            code = gp_json_scan_skip(&chrome->scan, token, err);
            if (code == 0 && take == take_event) {
                code = gp_chrome_stage_lose(&chrome->stage, GP_IMPORT_TYPE);
            }
        }
        if (code != 0) {
            return code;
        }
    }
    return token < 0 ? token : 0;
}

/* ---- the file ------------------------------------------------------------------------------ */

static int take_property(struct chrome *chrome, const char *name, int token, void *to,
                         struct gp_error *err)
{
    static const struct field fields[] = {
        {"id", offsetof(struct gp_chrome_gpu, id)},
        {"totalGlobalMem", offsetof(struct gp_chrome_gpu, memory_bytes)},
        {"numSms", offsetof(struct gp_chrome_gpu, sm_count)},
        {"computeMajor", offsetof(struct gp_chrome_gpu, compute_major)},
        {"computeMinor", offsetof(struct gp_chrome_gpu, compute_minor)},
        {NULL, 0},
    };
    struct gp_chrome_gpu *gpu = to;

    if (token == GP_JSON_STRING && strcmp(name, "name") == 0) {
        copy_text(gpu->name, sizeof gpu->name, chrome->scan.text);
        return 0;
    }
    return take_field(fields, name, token, chrome->scan.text, gpu)
               ? 0
               : gp_json_scan_skip(&chrome->scan, token, err);
}

static int take_gpu(struct chrome *chrome, struct gp_error *err)
{
    struct gp_chrome_gpu gpu = {"", GP_UNKNOWN, GP_UNKNOWN, GP_UNKNOWN, GP_UNKNOWN, GP_UNKNOWN};
    int code = take_members(chrome, take_property, &gpu, err);

    return code == 0 ? gp_chrome_stage_gpu(&chrome->stage, &gpu, err) : code;
}

/* A run of a recording that was exported. */
struct run {
    int64_t run;
    char name[160];
};

static int take_run_member(struct chrome *chrome, const char *name, int token, void *to,
                           struct gp_error *err)
{
    static const struct field fields[] = {{"run", offsetof(struct run, run)}, {NULL, 0}};
    struct run *run = to;

    if (token == GP_JSON_STRING && strcmp(name, "name") == 0) {
        copy_text(run->name, sizeof run->name, chrome->scan.text);
        return 0;
    }
    return take_field(fields, name, token, chrome->scan.text, run)
               ? 0
               : gp_json_scan_skip(&chrome->scan, token, err);
}

static int take_run(struct chrome *chrome, struct gp_error *err)
{
    struct run run = {GP_UNKNOWN, ""};
    int code = take_members(chrome, take_run_member, &run, err);

    return code == 0 ? gp_chrome_stage_run(&chrome->stage, run.run, run.name, err) : code;
}

static int take_top(struct chrome *chrome, const char *name, int token, void *to,
                    struct gp_error *err)
{
    (void)to;
    if (token == GP_JSON_OPEN_ARRAY && strcmp(name, "traceEvents") == 0) {
        return take_objects(chrome, take_event, err);
    }
    if (token == GP_JSON_OPEN_ARRAY && strcmp(name, "deviceProperties") == 0) {
        return take_objects(chrome, take_gpu, err);
    }
    if (token == GP_JSON_OPEN_ARRAY && strcmp(name, "gpuprobeRuns") == 0) {
        return take_objects(chrome, take_run, err);
    }
    if (token == GP_JSON_NUMBER && strcmp(name, "baseTimeNanoseconds") == 0) {
        chrome->stage.realtime_ns = parse_whole(chrome->scan.text);
    }
    return gp_json_scan_skip(&chrome->scan, token, err);
}

/* All of it, and nothing behind it. */
static int take_file(struct chrome *chrome, struct gp_error *err)
{
    int code = gp_json_scan_next(&chrome->scan, err);
    /* An array of events need not have its last bracket. */
    unsigned open_max = code == GP_JSON_OPEN_ARRAY ? 1 : 0;

    if (code == GP_JSON_OPEN_ARRAY) {
        code = take_objects(chrome, take_event, err);
    } else if (code == GP_JSON_OPEN_OBJECT) {
        code = take_members(chrome, take_top, NULL, err);
    } else if (code >= 0) {
        code = gp_fail(err, GP_EFORMAT, "neither an array nor an object");
    }
    if (code == 0) {
        code = gp_json_scan_next(&chrome->scan, err);
        chrome->stage.counts->breaks_off =
            chrome->is_cut || (code == GP_JSON_END && chrome->scan.depth > open_max);
    }
    return code;
}

static int read_all(struct chrome *chrome, struct gp_nsight *nsight, struct gp_error *err)
{
    int code;

    chrome->stage.counts = nsight->counts;
    code = gp_chrome_stage_init(&chrome->stage, &nsight->source, chrome->path, err);
    if (code == 0) {
        code = take_file(chrome, err);
        if (code < 0) {
            (void)gp_fail_context(err, "%s", chrome->path);
        }
    }
    if (code == 0) {
        code = take_open(chrome, err);
    }
    if (code == 0) {
        code = gp_chrome_stage_commit(&chrome->stage, err);
    }
    return code == 0 ? gp_nsight_read(nsight, err) : code;
}

static int read_chrome(const char *path, struct gp_writer *writer, struct gp_import_counts *counts,
                       struct gp_error *err)
{
    struct gp_nsight *nsight = gp_xalloc(1, sizeof *nsight);
    struct chrome *chrome = gp_xalloc(1, sizeof *chrome);
    int code;

    nsight->writer = writer;
    nsight->counts = counts;
    chrome->path = path;
    chrome->scan.read = read_bytes;
    chrome->scan.user = chrome;
    chrome->file = gzopen(path, "rb");
    if (chrome->file == NULL) {
        code = gp_fail(err, GP_EIO, "%s cannot be read", path);
    } else {
        (void)gzbuffer(chrome->file, GZ_BUFFER_BYTES);
        code = read_all(chrome, nsight, err);
        (void)gzclose_r(chrome->file);
    }
    gp_chrome_pairs_finish(&chrome->pairs);
    gp_chrome_stage_finish(&chrome->stage);
    gp_free(chrome);
    gp_nsight_finish(nsight);
    gp_free(nsight);
    return code;
}

/* Compressed, or an array or object. */
static bool is_mine(const char *path, const unsigned char *head, size_t count)
{
    size_t at = count >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    (void)path;
    if (count >= 2 && head[0] == 0x1f && head[1] == 0x8b) {
        return true;
    }
    while (at < count && head[at] != 0 && strchr(" \t\r\n", head[at]) != NULL) {
        at++;
    }
    return at < count && (head[at] == '{' || head[at] == '[');
}

const struct gp_import_ops gp_import_chrome = {
    .name = "chrome",
    .summary = "trace-event JSON as Kineto (PyTorch) and export --format chrome write it, also .gz",
    .is_mine = is_mine,
    .read = read_chrome,
};
