/* The columns of one run: see timeline.h. */
#include "viewer/layout/timeline.h"

#include <assert.h>
#include <sys/mman.h>

#include "probe/memory.h"

static void finish_spans(struct gp_view_spans *spans)
{
    gp_free(spans->begin_ns);
    gp_view_narrow_finish(&spans->duration_ns);
    gp_free(spans->name);
    gp_view_narrow_finish(&spans->waiting_ns);
    gp_view_narrow_finish(&spans->begin_early_ns);
    gp_view_narrow_finish(&spans->begin_late_ns);
    gp_view_narrow_finish(&spans->end_early_ns);
    gp_view_narrow_finish(&spans->end_late_ns);
    gp_free(spans->stream);
    gp_free(spans->kind);
    gp_free(spans->source);
    gp_free(spans->engine);
    gp_free(spans->thread);
    gp_free(spans->op);
    gp_free(spans->weight);
}

void gp_view_timeline_destroy(struct gp_view_timeline *timeline)
{
    if (timeline == NULL) {
        return;
    }
    if (timeline->mapping != NULL) {
        (void)munmap(timeline->mapping, timeline->mapping_bytes);
        gp_free(timeline);
        return;
    }
    for (int i = 0; i < GP_VIEW_TABLE_COUNT; i++) {
        finish_spans(&timeline->tables[i]);
    }
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        gp_free(timeline->lanes[i].order);
        gp_free(timeline->lanes[i].busy_ns);
        gp_free(timeline->lanes[i].waits_ns);
        gp_view_pyramid_finish(&timeline->lanes[i].pyramid);
    }
    gp_free(timeline->lanes);
    for (uint32_t i = 0; i < timeline->name_count; i++) {
        gp_free(timeline->names[i]);
    }
    for (uint32_t i = 0; i < timeline->stream_count; i++) {
        gp_free(timeline->streams[i].name);
        gp_free(timeline->streams[i].role);
    }
    gp_free(timeline->names);
    gp_free(timeline->streams);
    gp_free(timeline->threads);
    gp_free(timeline->device);
    gp_free(timeline);
}

static size_t spans_bytes(const struct gp_view_spans *spans)
{
    size_t each = sizeof *spans->begin_ns + sizeof *spans->name;

    each += spans->stream != NULL ? 4 * sizeof *spans->stream : 0;
    each += spans->thread != NULL ? sizeof *spans->thread : 0;
    each += spans->op != NULL ? sizeof *spans->op : 0;
    each += spans->weight != NULL ? sizeof *spans->weight : 0;
    return spans->count * each + gp_view_narrow_bytes(&spans->duration_ns) +
           gp_view_narrow_bytes(&spans->waiting_ns) + gp_view_narrow_bytes(&spans->begin_early_ns) +
           gp_view_narrow_bytes(&spans->begin_late_ns) +
           gp_view_narrow_bytes(&spans->end_early_ns) + gp_view_narrow_bytes(&spans->end_late_ns);
}

size_t gp_view_timeline_bytes(const struct gp_view_timeline *timeline)
{
    size_t bytes = sizeof *timeline + timeline->lane_count * sizeof *timeline->lanes;

    for (int i = 0; i < GP_VIEW_TABLE_COUNT; i++) {
        bytes += spans_bytes(&timeline->tables[i]);
    }
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        const struct gp_view_lane *lane = &timeline->lanes[i];
        size_t blocks = lane->count / GP_VIEW_BLOCK + 1;

        bytes += lane->count * sizeof *lane->order + gp_view_pyramid_bytes(&lane->pyramid) +
                 blocks * sizeof *lane->busy_ns * (lane->waits_ns != NULL ? 2 : 1);
    }
    return bytes;
}
