/*
 * pipeline: frames drawn tile by tile: trace (rays that take unequal numbers of steps), shade,
 * denoise, download. With a halo the denoising of a tile needs the tiles around it, so that chains
 * wait for one another; without, each tile is a chain by itself. Two sets of buffers: a tile of the
 * third frame begins when those that read its buffers in the first are done.
 *
 * Tests W15 (stages of different tiles overlap, and a frame takes the time of the slowest stage).
 * By default the stages are within 1.5 of each other, or the longest would hide what a policy does:
 * rays have few steps, a tile is denoised by few blocks, and a pixel is downloaded as four floats.
 * The picture repeats every two tiles and moves from frame to frame, so that few tiles are drawn on
 * the host to compare with.
 */
#include <string.h>

#include "core/memory.h"
#include "kernels/kernels.h"
#include "scenarios/scenarios.h"
#include "scenarios/setup.h"
#include "scenarios/values.h"

enum { TILE, WIDTH, HEIGHT, FRAMES, STEPS, DENOISE_BLOCKS, HALO };

enum {
    BLOCK = 256,
    PATCH = 16,
    SETS = 2,
    PERIOD = 2,
    SHIFT = 8,
    NEIGHBOURS = 9,
    OWN = 4,
    CHANNELS = 4
};

/* Frames that look different; and what a tile's place along one axis tells apart: whether it is
 * even, the first, the last. */
enum { LOOKS = 4, PLACES = 8 };
_Static_assert(PERIOD >= 2, "to the kernel a neighbour at the same address is none");

static const char *const switches[] = {"off", "on", NULL};

static const struct gp_parameter parameters[] = {
    {.name = "tile",
     .summary = "side of a tile in pixels",
     .initial = 256,
     .min = 16,
     .max = 1024,
     .multiple = PATCH},
    {.name = "width", .summary = "pixels of a row", .initial = 3840, .min = 16, .max = 16384},
    {.name = "height", .summary = "rows of a frame", .initial = 2160, .min = 16, .max = 16384},
    {.name = "frames", .summary = "number of frames", .initial = 2, .min = 1, .max = 16},
    {.name = "steps", .summary = "most steps of a ray", .initial = 80, .min = 1, .max = 1024},
    {.name = "denoise_blocks",
     .summary = "blocks of 256 threads that denoise a tile, patch by patch",
     .initial = 12,
     .min = 1,
     .max = 4096},
    {.name = "halo",
     .summary = "whether denoising a tile needs those around it",
     .kind = GP_PARAMETER_WORD,
     .initial = 1,
     .words = switches},
    {.name = NULL},
};

static const struct gp_variant variants[] = {
    {{{"halo", 1}}},
    {{{"halo", 0}}},
    {{{NULL, 0}}},
};

static const uint32_t streams[] = {2, 4, 8, 16, 0};

static const struct gp_claim claims[] = {
    {"stages-overlap", "Stages of different tiles overlap on several streams."},
    {"halo-costs-little", "Waiting for neighbouring tiles on other streams costs little overlap."},
    {NULL, NULL},
};

struct pipeline {
    uint32_t side, columns, rows, frames, steps, denoise_blocks;
    uint32_t view;  /* pixels after which the picture repeats */
    uint32_t count; /* pixels of a tile */
    bool has_halo;
    struct gp_buffer *depth, *color; /* on the device: [sets][tiles][count] */
    struct gp_buffer *pixels;        /* likewise, CHANNELS of each */
    struct gp_buffer *output;        /* pinned: [frames][tiles][count][CHANNELS] */
    /* On the host: brightness of the tiles that differ, [count] each, and the pixels that must come
     * out of those that differ, which depend on their neighbours too; NULL: none such. */
    float *shaded[LOOKS][PERIOD][PERIOD];
    float *right[LOOKS][PLACES][PLACES];
};

/* One tile of one frame. */
struct place {
    uint32_t frame, row, column;
};

/* While operations are built: of each tile of each frame what is shaded, and what is done. Both are
 * shared. */
struct build {
    struct gp_builder *builder;
    struct gp_op **shaded, **done;
};

static uint32_t tiles_of(const struct pipeline *pipeline)
{
    return pipeline->columns * pipeline->rows;
}

static uint64_t divide_up(int64_t value, int64_t by)
{
    return (uint64_t)((value + by - 1) / by);
}

/* Of one number a pixel, both sets. */
static uint64_t plane_bytes(const int64_t *values)
{
    uint64_t tiles =
        divide_up(values[WIDTH], values[TILE]) * divide_up(values[HEIGHT], values[TILE]);
    uint64_t sets = values[FRAMES] < SETS ? (uint64_t)values[FRAMES] : SETS;

    return sets * tiles * (uint64_t)(values[TILE] * values[TILE]) * sizeof(float);
}

static uint64_t data_bytes(const int64_t *values)
{
    return (2 + CHANNELS) * plane_bytes(values);
}

/* Where a tile of a buffer with so many sets lies. */
static struct gp_access part(const struct pipeline *pipeline, const struct gp_buffer *buffer,
                             struct place at, enum gp_access_mode mode)
{
    bool is_picture = buffer == pipeline->pixels || buffer == pipeline->output;
    uint64_t bytes = (uint64_t)pipeline->count * sizeof(float) * (is_picture ? CHANNELS : 1);
    uint32_t sets = (uint32_t)(buffer->bytes / bytes / tiles_of(pipeline));
    uint32_t index = at.frame % sets * tiles_of(pipeline) + at.row * pipeline->columns + at.column;

    return (struct gp_access){buffer, index * bytes, bytes, mode};
}

static gp_addr address(const struct gp_access *access)
{
    return access->buffer->address + access->offset;
}

/* The tiles from the upper left to the lower right neighbour; where there is none, the tile itself.
 */
static void find_neighbours(const struct pipeline *pipeline, struct place at,
                            struct place out[NEIGHBOURS])
{
    for (uint32_t i = 0; i < NEIGHBOURS; i++) {
        struct place next = {at.frame, at.row + i / 3 - 1, at.column + i % 3 - 1};
        bool is_there = pipeline->has_halo && next.row < pipeline->rows &&
                        next.column < pipeline->columns; /* -1 is large */

        out[i] = is_there ? next : at;
    }
}

/* ---- what must come out ------------------------------------------------------------------------
 */

/* The frame moves along both axes. */
static uint32_t left_of(const struct pipeline *pipeline, struct place at)
{
    return at.column % PERIOD * pipeline->side + at.frame % LOOKS * (pipeline->side / SHIFT);
}

static uint32_t top_of(const struct pipeline *pipeline, struct place at)
{
    return at.row % PERIOD * pipeline->side + at.frame % LOOKS * (pipeline->side / SHIFT);
}

static float **shaded_of(struct pipeline *pipeline, struct place at)
{
    return &pipeline->shaded[at.frame % LOOKS][at.row % PERIOD][at.column % PERIOD];
}

static uint32_t kind_of_place(uint32_t index, uint32_t count)
{
    return index % PERIOD + (index == 0 ? 2 : 0) + (index == count - 1 ? 4 : 0);
}

static float **right_of(struct pipeline *pipeline, struct place at)
{
    return &pipeline->right[at.frame % LOOKS][kind_of_place(at.row, pipeline->rows)]
                           [kind_of_place(at.column, pipeline->columns)];
}

static gp_addr host_address(const void *pointer)
{
    return (gp_addr)(uintptr_t)pointer;
}

/* Traces and shades on the host. */
static int draw_tile(struct gp_workload *workload, struct place at, struct gp_error *err)
{
    struct pipeline *pipeline = workload->state;
    float **shaded = shaded_of(pipeline, at);
    float *depth = gp_alloc(pipeline->count, sizeof *depth);
    uint32_t left = left_of(pipeline, at), top = top_of(pipeline, at);

    *shaded = gp_alloc(pipeline->count, sizeof **shaded);
    if (depth != NULL && *shaded != NULL) {
        const gp_addr from = host_address(depth), to = host_address(*shaded);
        const void *const args[] = {
            &from, &to, &pipeline->side, &left, &top, &pipeline->view, &pipeline->steps,
        };
        const void *const trace_args[] = {
            &from, &pipeline->side, &left, &top, &pipeline->view, &pipeline->steps,
        };

        gp_kernel_raymarch.reference(&(struct gp_launch){.args = trace_args});
        gp_kernel_shade.reference(&(struct gp_launch){.args = args});
    }
    gp_free(depth);
    return depth != NULL && *shaded != NULL ? 0 : gp_setup_fail_memory(workload, err);
}

static int denoise_tile(struct gp_workload *workload, struct place at, struct gp_error *err)
{
    struct pipeline *pipeline = workload->state;
    struct place around[NEIGHBOURS];
    gp_addr addresses[NEIGHBOURS + 1];
    const void *args[NEIGHBOURS + 2];
    float **right = right_of(pipeline, at);

    *right = gp_alloc((size_t)pipeline->count * CHANNELS, sizeof **right);
    if (*right == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    find_neighbours(pipeline, at, around);
    for (uint32_t i = 0; i <= NEIGHBOURS; i++) {
        addresses[i] =
            host_address(i < NEIGHBOURS ? (void *)*shaded_of(pipeline, around[i]) : (void *)*right);
        args[i] = &addresses[i];
    }
    args[NEIGHBOURS + 1] = &pipeline->side;
    gp_kernel_denoise.reference(&(struct gp_launch){.args = args});
    return 0;
}

/* Calls fn for each tile of each frame until it fails. */
static int for_each_tile(struct gp_workload *workload,
                         int (*fn)(struct gp_workload *, struct place, struct gp_error *),
                         struct gp_error *err)
{
    const struct pipeline *pipeline = workload->state;
    uint32_t count = pipeline->frames * tiles_of(pipeline);
    int code = 0;

    for (uint32_t i = 0; i < count && code == 0; i++) {
        uint32_t tile = i % tiles_of(pipeline);

        code = fn(workload,
                  (struct place){i / tiles_of(pipeline), tile / pipeline->columns,
                                 tile % pipeline->columns},
                  err);
    }
    return code;
}

static int draw_new_tile(struct gp_workload *workload, struct place at, struct gp_error *err)
{
    return *shaded_of(workload->state, at) != NULL ? 0 : draw_tile(workload, at, err);
}

static int denoise_new_tile(struct gp_workload *workload, struct place at, struct gp_error *err)
{
    return *right_of(workload->state, at) != NULL ? 0 : denoise_tile(workload, at, err);
}

/* ---- operations --------------------------------------------------------------------------------
 */

static struct gp_op *trace(const struct pipeline *pipeline, struct gp_builder *builder,
                           struct place at)
{
    const struct gp_access access = part(pipeline, pipeline->depth, at, GP_ACCESS_WRITE);
    const gp_addr depth = address(&access);
    const uint32_t left = left_of(pipeline, at), top = top_of(pipeline, at);
    const void *const args[] = {&depth, &pipeline->side, &left,
                                &top,   &pipeline->view, &pipeline->steps};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_raymarch,
        .grid = {(pipeline->count + BLOCK - 1) / BLOCK, 1, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = &access,
        .access_count = 1,
    };

    return gp_op_kernel(builder, "trace", &launch);
}

static struct gp_op *shade(const struct pipeline *pipeline, struct gp_builder *builder,
                           struct place at)
{
    const struct gp_access accesses[] = {part(pipeline, pipeline->depth, at, GP_ACCESS_READ),
                                         part(pipeline, pipeline->color, at, GP_ACCESS_WRITE)};
    const gp_addr depth = address(&accesses[0]), color = address(&accesses[1]);
    const uint32_t left = left_of(pipeline, at), top = top_of(pipeline, at);
    const void *const args[] = {&depth, &color,          &pipeline->side, &left,
                                &top,   &pipeline->view, &pipeline->steps};
    const struct gp_launch launch = {
        .kernel = &gp_kernel_shade,
        .grid = {(pipeline->count + BLOCK - 1) / BLOCK, 1, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
        .access_count = 2,
    };

    return gp_op_kernel(builder, NULL, &launch);
}

static struct gp_op *denoise(const struct pipeline *pipeline, struct gp_builder *builder,
                             struct place at)
{
    struct gp_access accesses[NEIGHBOURS + 1];
    struct place around[NEIGHBOURS];
    gp_addr addresses[NEIGHBOURS + 1];
    const void *args[NEIGHBOURS + 2];
    struct gp_launch launch = {
        .kernel = &gp_kernel_denoise,
        .grid = {pipeline->denoise_blocks, 1, 1},
        .block = {BLOCK, 1, 1},
        .args = args,
        .accesses = accesses,
    };

    find_neighbours(pipeline, at, around);
    for (uint32_t i = 0; i < NEIGHBOURS; i++) {
        struct gp_access access = part(pipeline, pipeline->color, around[i], GP_ACCESS_READ);

        addresses[i] = address(&access);
        args[i] = &addresses[i];
        if (i == OWN || memcmp(&around[i], &at, sizeof at) != 0) {
            accesses[launch.access_count++] = access;
        }
    }
    accesses[launch.access_count] = part(pipeline, pipeline->pixels, at, GP_ACCESS_WRITE);
    addresses[NEIGHBOURS] = address(&accesses[launch.access_count++]);
    args[NEIGHBOURS] = &addresses[NEIGHBOURS];
    args[NEIGHBOURS + 1] = &pipeline->side;
    return gp_op_kernel(builder, NULL, &launch);
}

static uint32_t index_of(const struct pipeline *pipeline, struct place at)
{
    return at.frame * tiles_of(pipeline) + at.row * pipeline->columns + at.column;
}

/* All of `ops` at the tiles around a tile, each once; of the tile itself first. */
static struct gp_op *join_neighbours(const struct pipeline *pipeline, const struct build *build,
                                     struct gp_op *const *ops, struct place at)
{
    struct place around[NEIGHBOURS];
    struct gp_op *arms[NEIGHBOURS];
    uint32_t count = 0;

    find_neighbours(pipeline, at, around);
    arms[count++] = ops[index_of(pipeline, at)];
    for (uint32_t i = 0; i < NEIGHBOURS; i++) {
        if (memcmp(&around[i], &at, sizeof at) != 0) {
            arms[count++] = ops[index_of(pipeline, around[i])];
        }
    }
    return gp_op_zip(build->builder, arms, count);
}

/* Trace and shade, after whoever reads the buffers of two frames before. */
static struct gp_op *build_shaded(const struct pipeline *pipeline, const struct build *build,
                                  struct place at)
{
    struct gp_op *first = trace(pipeline, build->builder, at);

    if (at.frame >= SETS) {
        struct place before = {at.frame - SETS, at.row, at.column};

        first = gp_op_and_then(build->builder,
                               join_neighbours(pipeline, build, build->done, before), first);
    }
    return gp_op_and_then(build->builder, first, shade(pipeline, build->builder, at));
}

static struct gp_op *build_done(const struct pipeline *pipeline, const struct build *build,
                                struct place at)
{
    const struct gp_access to = part(pipeline, pipeline->output, at, GP_ACCESS_WRITE);
    const struct gp_access from = part(pipeline, pipeline->pixels, at, GP_ACCESS_READ);
    struct gp_op *shaded = pipeline->has_halo ? join_neighbours(pipeline, build, build->shaded, at)
                                              : build_shaded(pipeline, build, at);
    struct gp_op *denoised =
        gp_op_and_then(build->builder, shaded, denoise(pipeline, build->builder, at));

    return gp_op_and_then(build->builder, denoised,
                          gp_op_copy(build->builder, "download", to.buffer, to.offset, from.buffer,
                                     from.offset, from.bytes));
}

/* Frame by frame, because a frame waits for one before. */
static void build_frame(const struct pipeline *pipeline, const struct build *build, uint32_t frame)
{
    for (int is_second = pipeline->has_halo ? 0 : 1; is_second < 2; is_second++) {
        for (uint32_t i = 0; i < tiles_of(pipeline); i++) {
            struct place at = {frame, i / pipeline->columns, i % pipeline->columns};
            uint32_t index = index_of(pipeline, at);

            if (is_second == 0) {
                build->shaded[index] =
                    gp_op_share(build->builder, build_shaded(pipeline, build, at));
            } else {
                build->done[index] = gp_op_share(build->builder, build_done(pipeline, build, at));
            }
        }
    }
}

static int build(struct gp_workload *workload, struct gp_error *err)
{
    const struct pipeline *pipeline = workload->state;
    uint32_t count = pipeline->frames * tiles_of(pipeline);
    struct build build = {
        .shaded = gp_alloc(count, sizeof(struct gp_op *)),
        .done = gp_alloc(count, sizeof(struct gp_op *)),
    };
    int code = build.shaded != NULL && build.done != NULL ? 0 : gp_setup_fail_memory(workload, err);

    if (code == 0) {
        code = gp_builder_create(&build.builder, err);
    }
    if (code == 0) {
        for (uint32_t frame = 0; frame < pipeline->frames; frame++) {
            build_frame(pipeline, &build, frame);
        }
        code = gp_dag_freeze(build.builder, gp_op_zip(build.builder, build.done, count),
                             &workload->dag, err);
    }
    gp_builder_destroy(build.builder);
    gp_free((void *)build.shaded);
    gp_free((void *)build.done);
    return code;
}

/* ---- the scenario ------------------------------------------------------------------------------
 */

static int allocate(struct gp_workload *workload, struct gp_error *err)
{
    struct pipeline *pipeline = workload->state;
    uint64_t bytes = plane_bytes(workload->values);
    const struct gp_setup_buffer wanted[] = {
        {&pipeline->depth, "depth", GP_SPACE_DEVICE, bytes},
        {&pipeline->color, "color", GP_SPACE_DEVICE, bytes},
        {&pipeline->pixels, "pixels", GP_SPACE_DEVICE, CHANNELS * bytes},
        {&pipeline->output, "output", GP_SPACE_PINNED,
         (uint64_t)pipeline->frames * tiles_of(pipeline) * pipeline->count * CHANNELS *
             sizeof(float)},
    };

    return gp_setup_buffers(workload, wanted, sizeof wanted / sizeof wanted[0], err);
}

static int setup(struct gp_workload *workload, struct gp_error *err)
{
    struct pipeline *pipeline = gp_setup_state(workload, sizeof *pipeline, err);
    const int64_t *values = workload->values;
    int code;

    if (pipeline == NULL) {
        return err->code;
    }
    pipeline->side = (uint32_t)values[TILE];
    pipeline->columns = (uint32_t)divide_up(values[WIDTH], values[TILE]);
    pipeline->rows = (uint32_t)divide_up(values[HEIGHT], values[TILE]);
    pipeline->frames = (uint32_t)values[FRAMES];
    pipeline->steps = (uint32_t)values[STEPS];
    pipeline->denoise_blocks = (uint32_t)values[DENOISE_BLOCKS];
    pipeline->has_halo = values[HALO] != 0;
    pipeline->view = PERIOD * pipeline->side;
    pipeline->count = pipeline->side * pipeline->side;
    code = allocate(workload, err);
    if (code == 0) {
        code = for_each_tile(workload, draw_new_tile, err);
    }
    if (code == 0) {
        code = for_each_tile(workload, denoise_new_tile, err);
    }
    return code == 0 ? build(workload, err) : code;
}

static int reset(struct gp_workload *workload, struct gp_error *err)
{
    struct pipeline *pipeline = workload->state;
    struct gp_buffer *const outputs[] = {pipeline->depth, pipeline->color, pipeline->pixels,
                                         pipeline->output};

    return gp_setup_poison(workload, outputs, sizeof outputs / sizeof outputs[0], err);
}

static int verify_tile(struct gp_workload *workload, struct place at, struct gp_error *err)
{
    struct pipeline *pipeline = workload->state;
    const struct gp_access access = part(pipeline, pipeline->output, at, GP_ACCESS_READ);
    const float *got =
        (const float *)gp_buffer_host(pipeline->output) + access.offset / sizeof *got;
    const float *right = *right_of(pipeline, at);
    size_t count = access.bytes / sizeof *got;
    size_t wrong = gp_values_differ(got, right, count);
    uint32_t pixel = (uint32_t)(wrong / CHANNELS);

    return wrong == count ? 0
                          : gp_values_fail(err, got[wrong], right[wrong],
                                           "pipeline: pixel (%u, %u) of tile (%u, %u) of frame %u",
                                           pixel % pipeline->side, pixel / pipeline->side,
                                           at.column, at.row, at.frame);
}

static int verify(struct gp_workload *workload, struct gp_error *err)
{
    return for_each_tile(workload, verify_tile, err);
}

static void free_host(struct pipeline *pipeline)
{
    for (uint32_t look = 0; look < LOOKS; look++) {
        for (uint32_t i = 0; i < PERIOD * PERIOD; i++) {
            gp_free(pipeline->shaded[look][i / PERIOD][i % PERIOD]);
        }
        for (uint32_t i = 0; i < PLACES * PLACES; i++) {
            gp_free(pipeline->right[look][i / PLACES][i % PLACES]);
        }
    }
}

static void teardown(struct gp_workload *workload)
{
    struct pipeline *pipeline = workload->state;

    if (pipeline == NULL) {
        return;
    }
    gp_buffer_destroy(pipeline->depth);
    gp_buffer_destroy(pipeline->color);
    gp_buffer_destroy(pipeline->pixels);
    gp_buffer_destroy(pipeline->output);
    free_host(pipeline);
    gp_free(pipeline);
}

const struct gp_scenario_ops gp_scenario_pipeline = {
    .name = "pipeline",
    .summary = "frames drawn tile by tile: trace, shade, denoise, download",
    .expect =
        "The four stages take 19 to 28 us each, three on a part of the SMs and one on the engine, "
        "so streams help until tiles come as fast as the longest stage lets them, at about 8. "
        "Waiting for the tiles around holds back what stands behind in the same streams, which "
        "costs 5 to 20 %.",
    .parameters = parameters,
    .variants = variants,
    .streams = streams,
    .claims = claims,
    .bytes = data_bytes,
    .setup = setup,
    .reset = reset,
    .verify = verify,
    .teardown = teardown,
};
