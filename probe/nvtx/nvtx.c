/* Ranges through NVTX: see nvtx.h. The only file that sees NVTX's headers. */
#include "probe/nvtx/nvtx.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <nvtx3/nvToolsExt.h>

#include "core/memory.h"
#include "probe/nvtx/ranges.h"

struct gp_nvtx {
    struct gp_sink base;
    nvtxDomainHandle_t domain; /* NULL: no tool listens */
    nvtxStringHandle_t chain_message;
    const struct gp_dag *dag;     /* prepared for; NULL none */
    nvtxStringHandle_t *messages; /* per operation */
    nvtxRangeId_t *chain_ranges;  /* per chain; 0: not open */
    uint32_t *chain_left;         /* per chain: operations that have not ended */
    bool running;                 /* between run_begin and run_end of the sink */
    bool op_open;
};

struct named_op {
    const char *name;
    uint32_t op;
};

static nvtxEventAttributes_t attributes(enum gp_range_level level, uint32_t color)
{
    nvtxEventAttributes_t event = {
        .version = NVTX_VERSION,
        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
        .category = (uint32_t)level + 1,
        .colorType = NVTX_COLOR_ARGB,
        .color = color,
    };

    return event;
}

static void push_text(struct gp_nvtx *nvtx, enum gp_range_level level, const char *text)
{
    nvtxEventAttributes_t event = attributes(level, gp_range_level_color(level));

    if (nvtx->domain == NULL) {
        return;
    }
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = text;
    nvtxDomainRangePushEx(nvtx->domain, &event);
}

static void pop(struct gp_nvtx *nvtx)
{
    if (nvtx->domain != NULL) {
        nvtxDomainRangePop(nvtx->domain);
    }
}

static uint32_t chain_length(const struct gp_dag *dag, uint32_t chain)
{
    return dag->chain_first[chain + 1] - dag->chain_first[chain];
}

/* NVTX gives no range the id 0. */
static void end_chain(struct gp_nvtx *nvtx, uint32_t chain)
{
    if (nvtx->chain_ranges[chain] != 0) {
        nvtxDomainRangeEnd(nvtx->domain, nvtx->chain_ranges[chain]);
        nvtx->chain_ranges[chain] = 0;
    }
}

/* What a failed run did not end: it is not told of operations that were never submitted. */
static void close_open(struct gp_nvtx *nvtx)
{
    if (nvtx->op_open) {
        nvtxDomainRangePop(nvtx->domain);
        nvtx->op_open = false;
    }
    for (uint32_t chain = 0; nvtx->running && chain < nvtx->dag->chain_count; chain++) {
        end_chain(nvtx, chain);
    }
    nvtx->running = false;
}

static struct gp_nvtx *from_sink(struct gp_sink *sink)
{
    return (struct gp_nvtx *)sink;
}

static void on_run_begin(struct gp_sink *sink, const struct gp_schedule *schedule)
{
    struct gp_nvtx *nvtx = from_sink(sink);

    close_open(nvtx);
    if (schedule->dag != nvtx->dag) {
        return;
    }
    for (uint32_t chain = 0; chain < nvtx->dag->chain_count; chain++) {
        nvtx->chain_left[chain] = chain_length(nvtx->dag, chain);
    }
    nvtx->running = true;
}

static void on_op_begin(struct gp_sink *sink, uint32_t op, int64_t at_ns)
{
    struct gp_nvtx *nvtx = from_sink(sink);
    nvtxEventAttributes_t event;
    uint32_t chain;

    (void)at_ns;
    if (!nvtx->running) {
        return;
    }
    chain = nvtx->dag->ops[op].chain;
    if (nvtx->chain_ranges[chain] == 0) {
        event = attributes(GP_RANGE_CHAIN, gp_range_level_color(GP_RANGE_CHAIN));
        event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        event.message.registered = nvtx->chain_message;
        event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        event.payload.ullValue = chain;
        nvtx->chain_ranges[chain] = nvtxDomainRangeStartEx(nvtx->domain, &event);
    }
    event = attributes(GP_RANGE_OP, gp_range_op_color(nvtx->dag->ops[op].kind));
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = nvtx->messages[op];
    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = op;
    nvtxDomainRangePushEx(nvtx->domain, &event);
    nvtx->op_open = true;
}

static void on_op_end(struct gp_sink *sink, uint32_t op, int64_t begin_ns, int64_t end_ns)
{
    struct gp_nvtx *nvtx = from_sink(sink);
    uint32_t chain;

    (void)begin_ns;
    (void)end_ns;
    if (!nvtx->op_open) {
        return;
    }
    nvtxDomainRangePop(nvtx->domain);
    nvtx->op_open = false;
    chain = nvtx->dag->ops[op].chain;
    assert(nvtx->chain_left[chain] > 0);
    if (--nvtx->chain_left[chain] == 0) {
        end_chain(nvtx, chain);
    }
}

static void on_run_end(struct gp_sink *sink, int64_t begin_ns, int64_t submitted_ns, int64_t end_ns)
{
    (void)begin_ns;
    (void)submitted_ns;
    (void)end_ns;
    close_open(from_sink(sink));
}

static const struct gp_sink_ops sink_ops = {
    .name = "nvtx",
    .run_begin = on_run_begin,
    .op_begin = on_op_begin,
    .op_end = on_op_end,
    .run_end = on_run_end,
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named_op *)a)->name, ((const struct named_op *)b)->name);
}

/* Each name once, however many operations have it. */
static int register_names(struct gp_nvtx *nvtx, const struct gp_dag *dag)
{
    struct named_op *named = gp_alloc(dag->op_count, sizeof *named);
    nvtxStringHandle_t message = NULL;

    if (named == NULL) {
        return -1;
    }
    for (uint32_t op = 0; op < dag->op_count; op++) {
        named[op].name = dag->ops[op].name;
        named[op].op = op;
    }
    qsort(named, dag->op_count, sizeof *named, by_name);
    for (uint32_t i = 0; i < dag->op_count; i++) {
        if (i == 0 || strcmp(named[i].name, named[i - 1].name) != 0) {
            message = nvtxDomainRegisterStringA(nvtx->domain, named[i].name);
        }
        nvtx->messages[named[i].op] = message;
    }
    gp_free(named);
    return 0;
}

static void forget_dag(struct gp_nvtx *nvtx)
{
    gp_free(nvtx->messages);
    gp_free(nvtx->chain_ranges);
    gp_free(nvtx->chain_left);
    nvtx->messages = NULL;
    nvtx->chain_ranges = NULL;
    nvtx->chain_left = NULL;
    nvtx->dag = NULL;
}

bool gp_nvtx_is_built_in(void)
{
    return true;
}

int gp_nvtx_create(struct gp_nvtx **out, struct gp_error *err)
{
    struct gp_nvtx *nvtx = gp_alloc(1, sizeof *nvtx);

    assert(out != NULL);
    if (nvtx == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for NVTX's state");
    }
    nvtx->base.ops = &sink_ops;
    nvtx->domain = nvtxDomainCreateA(GP_RANGE_DOMAIN);
    if (nvtx->domain != NULL) {
        for (unsigned level = 0; level < GP_RANGE_LEVEL_COUNT; level++) {
            nvtxDomainNameCategoryA(nvtx->domain, level + 1,
                                    gp_range_level_name((enum gp_range_level)level));
        }
        nvtx->chain_message = nvtxDomainRegisterStringA(nvtx->domain, "chain");
    }
    *out = nvtx;
    return 0;
}

void gp_nvtx_destroy(struct gp_nvtx *nvtx)
{
    if (nvtx == NULL) {
        return;
    }
    if (nvtx->domain != NULL) {
        close_open(nvtx);
        nvtxDomainDestroy(nvtx->domain);
    }
    forget_dag(nvtx);
    gp_free(nvtx);
}

bool gp_nvtx_is_heard(const struct gp_nvtx *nvtx)
{
    return nvtx->domain != NULL;
}

int gp_nvtx_prepare(struct gp_nvtx *nvtx, const struct gp_dag *dag, struct gp_error *err)
{
    assert(dag != NULL);
    if (nvtx->domain == NULL) {
        return 0;
    }
    close_open(nvtx);
    forget_dag(nvtx);
    nvtx->messages = gp_alloc(dag->op_count, sizeof(nvtxStringHandle_t));
    nvtx->chain_ranges = gp_alloc(dag->chain_count, sizeof *nvtx->chain_ranges);
    nvtx->chain_left = gp_alloc(dag->chain_count, sizeof *nvtx->chain_left);
    if (nvtx->messages == NULL || nvtx->chain_ranges == NULL || nvtx->chain_left == NULL ||
        register_names(nvtx, dag) != 0) {
        forget_dag(nvtx);
        return gp_fail(err, GP_ENOMEM, "no memory for the NVTX ranges of %u operations",
                       dag->op_count);
    }
    nvtx->dag = dag;
    return 0;
}

struct gp_sink *gp_nvtx_sink(struct gp_nvtx *nvtx)
{
    return nvtx->domain != NULL ? &nvtx->base : NULL;
}

void gp_nvtx_cell_begin(struct gp_nvtx *nvtx, const char *text)
{
    push_text(nvtx, GP_RANGE_CELL, text);
}

void gp_nvtx_cell_end(struct gp_nvtx *nvtx)
{
    pop(nvtx);
}

void gp_nvtx_run_begin(struct gp_nvtx *nvtx, const char *text)
{
    push_text(nvtx, GP_RANGE_RUN, text);
}

void gp_nvtx_run_end(struct gp_nvtx *nvtx)
{
    close_open(nvtx);
    pop(nvtx);
}
