/*
 * transfer: copies of one size after those of the next smaller one, each size many times, so that
 * what a copy costs and what its bytes cost come apart. Between sizes a kernel that does nothing
 * waits for all streams; its stamps time each size. Every copy has bytes of its own on both sides.
 *
 * Tests W3 (bandwidth of pinned and of pageable memory by size and direction), W2 and P19 (only
 * pinned memory lets transfers overlap). By default copies are 4 B to 16 MiB, for the sake of time;
 * largest=256M,most_mib=512 is the whole range.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "kernels/kernels.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"
#include "scenarios/values.h"

enum { MEMORY, DIRECTION, SMALLEST, LARGEST, COPIES, MOST_MIB };

enum { PINNED, PAGEABLE };
enum { H2D, D2H, BOTH };

/* From a size to the next; the largest that there can be. */
enum { STEP = 4, SIZE_MAX_BYTES = 256 << 20, SIZES_MAX = 14 };

/* A prime number of floats, so that no two copies have the same bytes at the same place. */
enum { PATTERN_FLOATS = 262139, VALUE_MAX = 1 << 20 };

static const char *const memories[] = {"pinned", "pageable", NULL};
static const char *const directions[] = {"h2d", "d2h", "both", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "memory",
     .summary = "the host's memory",
     .kind = GP_PARAMETER_WORD,
     .initial = PINNED,
     .words = memories},
    {.name = "direction",
     .summary = "where copies go; both: up and down by turns",
     .kind = GP_PARAMETER_WORD,
     .initial = H2D,
     .words = directions},
    {.name = "smallest",
     .summary = "bytes of the smallest copies; each next size is 4 times as large",
     .initial = 4,
     .min = 4,
     .max = SIZE_MAX_BYTES,
     .multiple = 4},
    {.name = "largest",
     .summary = "bytes that no copy exceeds",
     .initial = 16 << 20,
     .min = 4,
     .max = SIZE_MAX_BYTES,
     .multiple = 4},
    {.name = "copies",
     .summary = "copies of each size and direction",
     .initial = 64,
     .min = 1,
     .max = 1024},
    {.name = "most_mib",
     .summary = "MiB that copies of a size are together at most; one is made in any case",
     .initial = 8,
     .min = 1,
     .max = 1024},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"memory", PINNED}, {"direction", H2D}}},   {{{"memory", PINNED}, {"direction", D2H}}},
    {{{"memory", PINNED}, {"direction", BOTH}}},  {{{"memory", PAGEABLE}, {"direction", H2D}}},
    {{{"memory", PAGEABLE}, {"direction", D2H}}}, {{{NULL, 0}}},
};

static const uint32_t streams[] = {8, 0};

static const struct gp_claim claims[] = {
    {"pinned-doubles-bandwidth", "Pinned memory is copied at least twice as fast as pageable."},
    {"directions-overlap", "Copies to the GPU and from it run at the same time."},
    {"pageable-directions-take-turns",
     "Copies of pageable memory wait for each other, on whatever streams."},
    {"one-direction-is-one-engine", "Copies in one direction gain nothing from more streams."},
    {"small-copies-cost-their-number",
     "A copy of 4 bytes takes as long as one of 4 KiB: its price is latency."},
    {NULL, NULL},
};

struct size {
    uint64_t bytes, first; /* of a copy; where the size's first one lies */
    uint32_t copies;
    uint32_t mark; /* the operation that ends the size */
};

struct transfer {
    struct size sizes[SIZES_MAX];
    uint32_t size_count;
    uint64_t bytes;                        /* of a direction */
    struct gp_buffer *up_from, *up_to;     /* NULL: not that direction */
    struct gp_buffer *down_from, *down_to; /* likewise */
    float *pattern, *room;                 /* [PATTERN_FLOATS] */
};

/* ---- sizes --------------------------------------------------------------------------------- */

static void list_sizes(const int64_t *values, struct transfer *out)
{
    uint64_t most = (uint64_t)values[MOST_MIB] << 20;
    uint64_t largest = (uint64_t)values[LARGEST];

    for (uint64_t bytes = (uint64_t)values[SMALLEST]; bytes <= largest; bytes *= STEP) {
        struct size *size = &out->sizes[out->size_count++];

        assert(out->size_count <= SIZES_MAX);
        *size = (struct size){bytes, out->bytes, (uint32_t)values[COPIES], 0};
        if (size->copies > most / bytes) {
            size->copies = most / bytes > 1 ? (uint32_t)(most / bytes) : 1;
        }
        out->bytes += size->copies * bytes;
    }
}

static uint64_t data_bytes(const int64_t *values)
{
    struct transfer all = {.size_count = 0};

    list_sizes(values, &all);
    return values[DIRECTION] == BOTH ? 2 * all.bytes : all.bytes;
}

static int check(const struct gp_device_info *info, const int64_t *values, struct gp_error *err)
{
    (void)info;
    if (values[SMALLEST] > values[LARGEST]) {
        return gp_fail(err, GP_EINVAL,
                       "transfer: smallest is %" PRId64 " and largest %" PRId64
                       "; allowed is a smallest up to the largest",
                       values[SMALLEST], values[LARGEST]);
    }
    return 0;
}

/* ---- data ---------------------------------------------------------------------------------- */

static uint64_t floats_of(const struct gp_buffer *buffer)
{
    return buffer->bytes / sizeof(float);
}

/* How much of a pattern that begins at float `at` lies in the buffer. */
static uint32_t part_floats(const struct gp_buffer *buffer, uint64_t at)
{
    uint64_t left = floats_of(buffer) - at;

    return left < PATTERN_FLOATS ? (uint32_t)left : PATTERN_FLOATS;
}

static int fill(struct gp_workload *workload, struct gp_buffer *buffer, struct gp_error *err)
{
    const struct transfer *transfer = workload->state;
    int code = 0;

    for (uint64_t at = 0; at < floats_of(buffer) && code == 0; at += PATTERN_FLOATS) {
        code = gp_buffer_write(buffer, workload->stream, at * sizeof(float), transfer->pattern,
                               part_floats(buffer, at) * sizeof(float), err);
    }
    return code;
}

/* Says which copy the wrong float belongs to. */
static int fail_at(const struct transfer *transfer, const struct gp_buffer *buffer, uint64_t at,
                   float got, struct gp_error *err)
{
    const struct size *size = &transfer->sizes[transfer->size_count - 1];
    uint64_t bytes = at * sizeof(float);

    while (size->first > bytes) {
        size--;
    }
    bytes -= size->first;
    return gp_values_fail(err, got, transfer->pattern[at % PATTERN_FLOATS],
                          "transfer: %s[%" PRIu64 "] of copy %" PRIu64 " of %" PRIu64 " bytes",
                          buffer->name, bytes % size->bytes / sizeof(float), bytes / size->bytes,
                          size->bytes);
}

static int check_part(struct gp_workload *workload, const struct gp_buffer *buffer, uint64_t at,
                      struct gp_error *err)
{
    const struct transfer *transfer = workload->state;
    uint32_t count = part_floats(buffer, at);
    const float *got = transfer->room;
    size_t wrong;
    int code = 0;

    if (buffer->space == GP_SPACE_DEVICE) {
        code = gp_buffer_read(buffer, workload->stream, at * sizeof(float), transfer->room,
                              count * sizeof(float), err);
    } else {
        got = (const float *)gp_buffer_host(buffer) + at;
    }
    if (code != 0 || memcmp(got, transfer->pattern, count * sizeof(float)) == 0) {
        return code;
    }
    wrong = gp_values_differ(got, transfer->pattern, count);
    return fail_at(transfer, buffer, at + wrong, got[wrong], err);
}

static int check_buffer(struct gp_workload *workload, const struct gp_buffer *buffer,
                        struct gp_error *err)
{
    int code = 0;

    for (uint64_t at = 0; at < floats_of(buffer) && code == 0; at += PATTERN_FLOATS) {
        code = check_part(workload, buffer, at, err);
    }
    return code;
}

static int create_buffers(struct gp_workload *workload, struct gp_error *err)
{
    struct transfer *transfer = workload->state;
    enum gp_space host = workload->values[MEMORY] == PINNED ? GP_SPACE_PINNED : GP_SPACE_PAGEABLE;
    const struct gp_setup_buffer wanted[] = {
        {&transfer->up_from, "source", host, transfer->bytes},
        {&transfer->up_to, "up", GP_SPACE_DEVICE, transfer->bytes},
        {&transfer->down_from, "device source", GP_SPACE_DEVICE, transfer->bytes},
        {&transfer->down_to, "down", host, transfer->bytes},
    };
    bool goes_up = workload->values[DIRECTION] != D2H;
    bool goes_down = workload->values[DIRECTION] != H2D;
    int code = gp_setup_buffers(workload, goes_up ? wanted : wanted + 2,
                                goes_up && goes_down ? 4 : 2, err);

    if (code == 0 && goes_up) {
        code = fill(workload, transfer->up_from, err);
    }
    return code == 0 && goes_down ? fill(workload, transfer->down_from, err) : code;
}

/* ---- operations ---------------------------------------------------------------------------- */

static struct gp_op *build_mark(struct gp_builder *builder)
{
    const struct gp_launch launch = {
        .kernel = &gp_kernel_noop, .grid = {1, 1, 1}, .block = {1, 1, 1}};

    return gp_op_kernel(builder, "mark", &launch);
}

/* All copies of a size; in both directions by turns, so that streams taken in turn have copies of
 * either. */
static struct gp_op *build_size(const struct transfer *transfer, struct gp_builder *builder,
                                const struct size *size, struct gp_op **room)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < size->copies; i++) {
        uint64_t at = size->first + i * size->bytes;

        if (transfer->up_to != NULL) {
            room[count++] =
                gp_op_copy(builder, "up", transfer->up_to, at, transfer->up_from, at, size->bytes);
        }
        if (transfer->down_to != NULL) {
            room[count++] = gp_op_copy(builder, "down", transfer->down_to, at, transfer->down_from,
                                       at, size->bytes);
        }
    }
    return gp_op_zip(builder, room, count);
}

static int build(struct gp_workload *workload, struct gp_error *err)
{
    struct transfer *transfer = workload->state;
    uint32_t directions_count = workload->values[DIRECTION] == BOTH ? 2 : 1;
    struct gp_op **room =
        gp_alloc((size_t)directions_count * (size_t)workload->values[COPIES], sizeof *room);
    struct gp_builder *builder = NULL;
    uint32_t op_count = 1;
    int code;

    if (room == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    code = gp_builder_create(&builder, err);
    if (code == 0) {
        struct gp_op *all = build_mark(builder);

        for (uint32_t i = 0; i < transfer->size_count; i++) {
            struct size *size = &transfer->sizes[i];

            all = gp_op_and_then(builder, all, build_size(transfer, builder, size, room));
            all = gp_op_and_then(builder, all, build_mark(builder));
            size->mark = op_count + directions_count * size->copies;
            op_count = size->mark + 1;
        }
        code = gp_dag_freeze(builder, all, &workload->dag, err);
        assert(code != 0 || workload->dag->op_count == op_count);
    }
    gp_builder_destroy(builder);
    gp_free((void *)room);
    return code;
}

/* ---- the scenario -------------------------------------------------------------------------- */

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct transfer *transfer = gp_setup_state(workload, sizeof *transfer, err);
    struct gp_random random = {workload->seed};
    int code;

    if (transfer == NULL) {
        return err->code;
    }
    list_sizes(workload->values, transfer);
    transfer->pattern = gp_alloc(PATTERN_FLOATS, sizeof(float));
    transfer->room = gp_alloc(PATTERN_FLOATS, sizeof(float));
    if (transfer->pattern == NULL || transfer->room == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    gp_values_draw(transfer->pattern, PATTERN_FLOATS, &random, 0, VALUE_MAX);
    code = create_buffers(workload, err);
    return code == 0 ? build(workload, err) : code;
}

static int reset(struct gp_workload *workload, struct gp_error *err)
{
    const struct transfer *transfer = workload->state;
    struct gp_buffer *const written[] = {transfer->up_to, transfer->down_to};
    int code = 0;

    for (int i = 0; i < 2 && code == 0; i++) {
        code = written[i] != NULL ? gp_setup_poison(workload, &written[i], 1, err) : 0;
    }
    return code;
}

static int verify(struct gp_workload *workload, struct gp_error *err)
{
    const struct transfer *transfer = workload->state;
    const struct gp_buffer *const written[] = {transfer->up_to, transfer->down_to};
    int code = 0;

    for (int i = 0; i < 2 && code == 0; i++) {
        code = written[i] != NULL ? check_buffer(workload, written[i], err) : 0;
    }
    return code;
}

static void teardown(struct gp_workload *workload)
{
    struct transfer *transfer = workload->state;

    if (transfer == NULL) {
        return;
    }
    gp_buffer_destroy(transfer->up_from);
    gp_buffer_destroy(transfer->up_to);
    gp_buffer_destroy(transfer->down_from);
    gp_buffer_destroy(transfer->down_to);
    gp_free(transfer->pattern);
    gp_free(transfer->room);
    gp_free(transfer);
}

/* ---- measures ------------------------------------------------------------------------------ */

/* "4b", "16k", "64m" */
static void write_size(uint64_t bytes, char *out, size_t room)
{
    static const char units[] = "bkm";
    int unit = 0;

    while (unit < 2 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    (void)snprintf(out, room, "%" PRIu64 "%c", bytes, units[unit]);
}

/* From the end of the mark before to the begin of that after; NAN: not known. */
static double size_ns(const struct gp_op_times *times, uint32_t before, uint32_t after)
{
    int64_t begin_ns = times[before].end_ns, end_ns = times[after].begin_ns;

    return begin_ns == GP_NO_TIME || end_ns == GP_NO_TIME || end_ns <= begin_ns
               ? NAN
               : (double)(end_ns - begin_ns);
}

/* The rate of each size, of both directions together, and what a copy of the smallest takes. */
static uint32_t measure(const struct gp_workload *workload, const struct gp_op_times *times,
                        struct gp_measure *out)
{
    const struct transfer *transfer = workload->state;
    uint32_t before = 0;
    uint32_t count = 0;
    char text[24];

    for (uint32_t i = 0; i < transfer->size_count; i++) {
        const struct size *size = &transfer->sizes[i];
        uint32_t copies = size->mark - before - 1;
        double ns = size_ns(times, before, size->mark);

        write_size(size->bytes, text, sizeof text);
        if (i == 0) {
            out[count].value = ns / copies;
            (void)snprintf(out[count++].name, sizeof out->name, "copy_%s_ns", text);
        }
        out[count].value = (double)(copies * size->bytes) / ns;
        (void)snprintf(out[count++].name, sizeof out->name, "copies_%s_gb_per_s", text);
        before = size->mark;
    }
    return count;
}

const struct gp_scenario_ops gp_scenario_transfer = {
    .name = "transfer",
    .summary = "copies from 4 bytes to 16 MiB, of pinned and of pageable memory, up and down",
    .expect = "One direction is one engine, so streams gain nothing but where copies go both ways, "
              "which pinned memory lets overlap; copies of pageable memory keep the host's thread "
              "and take turns. A copy costs some 3 us whatever its size, so that rates rise until "
              "about 1 MiB.",
    .parameters = parameters,
    .variants = variants,
    .claims = claims,
    .streams = streams,
    .bytes = data_bytes,
    .check = check,
    .setup = setup,
    .reset = reset,
    .verify = verify,
    .teardown = teardown,
    .measure = measure,
};
