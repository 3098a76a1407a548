/* What the time of each stream went to, and how many operations ran at once: see explain.h. */
#include "probe/cli/explain.h"

#include <inttypes.h>
#include <stdio.h>

#include "probe/analysis/overlap.h"
#include "probe/analysis/stream_use.h"
#include "probe/cli/json.h"
#include "probe/cli/table.h"
#include "probe/cli/timeline.h"
#include "probe/memory.h"

enum { ROWS_MAX = 16, PROFILE_COLUMNS = 100 };

static enum gp_cause main_cause(const struct gp_stream_use *use)
{
    enum gp_cause most = GP_CAUSE_COUNT;

    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        if (use->idle_by_ns[cause] > (most == GP_CAUSE_COUNT ? 0 : use->idle_by_ns[most])) {
            most = (enum gp_cause)cause;
        }
    }
    return most;
}

static void add_share(struct gp_table *table, int64_t ns, int64_t whole_ns)
{
    gp_table_cell(table, "%.1f %%", whole_ns > 0 ? 100 * (double)ns / (double)whole_ns : 0);
}

static void add_stream(struct gp_table *table, uint32_t stream, const struct gp_stream_use *use,
                       int64_t last_ns)
{
    enum gp_cause most = main_cause(use);

    gp_table_row(table, GP_ROW_PLAIN);
    gp_table_cell(table, "%" PRIu32, stream);
    gp_table_cell(table, "%" PRIu32, use->ops);
    add_share(table, use->busy_ns, last_ns);
    add_share(table, use->idle_ns, last_ns);
    add_share(table, use->done_ns, last_ns);
    if (most == GP_CAUSE_COUNT) {
        gp_table_cell(table, " ");
    } else {
        gp_table_cell(table, "%s (%.0f %%)", gp_cause_name(most),
                      100 * (double)use->idle_by_ns[most] / (double)use->idle_ns);
    }
}

void gp_explain_print_streams(const struct gp_explained *explained,
                              const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {{"stream", true}, {"operations", true},
                                               {"busy", true},   {"idle", true},
                                               {"done", true},   {"idle most of all for", false}};
    struct gp_table table = {.columns = columns, .column_count = 6};
    uint32_t count = explained->run.stream_count;
    struct gp_stream_use *uses = gp_xalloc(count, sizeof *uses);
    int64_t last_ns = gp_stream_use_measure(&explained->causes, uses);
    uint32_t used = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (uses[i].ops > 0 && used++ < ROWS_MAX) {
            add_stream(&table, explained->run.streams[i].id, &uses[i], last_ns);
        }
    }
    if (used > 0) {
        gp_table_print(&table, terminal, 2);
    }
    if (used > ROWS_MAX) {
        printf("  and %" PRIu32 " streams more\n", used - ROWS_MAX);
    }
    gp_table_finish(&table);
    gp_free(uses);
}

static json_t *idle_json(const struct gp_stream_use *use)
{
    json_t *idle = gp_json_need(json_object());

    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        if (use->idle_by_ns[cause] > 0) {
            (void)json_object_set_new(idle, gp_cause_name((enum gp_cause)cause),
                                      json_integer((json_int_t)use->idle_by_ns[cause]));
        }
    }
    return idle;
}

json_t *gp_explain_streams_json(const struct gp_explained *explained)
{
    json_t *list = gp_json_need(json_array());
    uint32_t count = explained->run.stream_count;
    struct gp_stream_use *uses = gp_xalloc(count, sizeof *uses);
    int64_t last_ns = gp_stream_use_measure(&explained->causes, uses);

    for (uint32_t i = 0; i < count; i++) {
        double busy_ns = (double)uses[i].busy_ns;

        (void)json_array_append_new(
            list,
            gp_json_need(json_pack(
                "{s:i, s:i, s:I, s:I, s:I, s:f, s:o}", "stream", (int)explained->run.streams[i].id,
                "ops", (int)uses[i].ops, "busy_ns", (json_int_t)uses[i].busy_ns, "idle_ns",
                (json_int_t)uses[i].idle_ns, "done_ns", (json_int_t)uses[i].done_ns, "utilisation",
                last_ns > 0 ? busy_ns / (double)last_ns : 0.0, "idle_by", idle_json(&uses[i]))));
    }
    gp_free(uses);
    return list;
}

json_t *gp_explain_at_once_json(const struct gp_explained *explained)
{
    json_t *times = gp_json_need(json_array());
    json_t *profile = gp_json_need(json_array());
    struct gp_timeline timeline;
    struct gp_overlap overlap;

    gp_overlap_measure(explained->run.ops, explained->run.op_count, &overlap);
    for (uint32_t i = 0; i <= overlap.most_at_once && i <= GP_AT_ONCE_MAX; i++) {
        (void)json_array_append_new(times, json_integer((json_int_t)overlap.at_once_ns[i]));
    }
    gp_timeline_make(&explained->run, PROFILE_COLUMNS, &timeline);
    for (uint32_t i = 0; i < timeline.columns; i++) {
        (void)json_array_append_new(profile, gp_json_ratio(timeline.together[i]));
    }
    profile = gp_json_need(json_pack("{s:o, s:I, s:o}", "time_ns", times, "end_ns",
                                     (json_int_t)timeline.end_ns, "over_time", profile));
    gp_timeline_finish(&timeline);
    return profile;
}
