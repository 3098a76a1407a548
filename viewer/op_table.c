/* What the tables below the timeline hold: see op_table.h. */
#include "viewer/op_table.h"

#include "probe/memory.h"
#include "viewer/layout/sort.h"
#include "viewer/layout/ticks.h"

static void time_text(gint64 ns, char *text, gsize size)
{
    if (ns == GP_UNKNOWN) {
        (void)g_strlcpy(text, "–", size);
    } else {
        gp_view_format_time(ns, 0, text, size);
    }
}

/* ---- operations ---------------------------------------------------------------------------- */

enum { OP_ID, OP_NAME, OP_KIND, OP_STREAM, OP_BEGIN, OP_DURATION, OP_WAITED, OP_SOURCE };

static const struct gp_table_column op_columns[] = {
    [OP_ID] = {"Operation", 92, TRUE},  [OP_NAME] = {"Name", 0, FALSE},
    [OP_KIND] = {"Kind", 76, FALSE},    [OP_STREAM] = {"Stream", 76, TRUE},
    [OP_BEGIN] = {"Begin", 116, TRUE},  [OP_DURATION] = {"Duration", 96, TRUE},
    [OP_WAITED] = {"Waited", 96, TRUE}, [OP_SOURCE] = {"Known by", 96, FALSE},
};

static gint64 duration_of(const struct gp_view_spans *ops, guint32 line)
{
    gint64 begin = gp_view_begin_ns(ops, line);

    return begin == GP_UNKNOWN ? GP_UNKNOWN : gp_view_end_ns(ops, line) - begin;
}

static const char *op_name(const struct gp_view_timeline *timeline, guint32 line)
{
    return timeline->names[timeline->tables[GP_VIEW_OPS].name[line]];
}

static guint32 op_stream(const struct gp_view_timeline *timeline, guint32 line)
{
    return timeline->streams[timeline->tables[GP_VIEW_OPS].stream[line]].id;
}

static void op_text(gpointer user, guint32 line, guint column, char *text, gsize size)
{
    const struct gp_view_timeline *timeline = user;
    const struct gp_view_spans *ops = &timeline->tables[GP_VIEW_OPS];

    switch (column) {
    case OP_ID:
        (void)g_snprintf(text, size, "%u", line);
        break;
    case OP_NAME:
        (void)g_strlcpy(text, op_name(timeline, line), size);
        break;
    case OP_KIND:
        (void)g_strlcpy(text, gp_op_kind_name((enum gp_op_kind)ops->kind[line]), size);
        break;
    case OP_STREAM:
        (void)g_snprintf(text, size, "%u", op_stream(timeline, line));
        break;
    case OP_BEGIN:
        time_text(gp_view_begin_ns(ops, line), text, size);
        break;
    case OP_DURATION:
        time_text(duration_of(ops, line), text, size);
        break;
    case OP_WAITED:
        time_text(gp_view_narrow_get(&ops->waiting_ns, line), text, size);
        break;
    default:
        (void)g_strlcpy(text, gp_source_name((enum gp_source)ops->source[line]), size);
        break;
    }
}

/* Of all lines, by the alphabet of their names. */
static void name_keys(const struct gp_view_timeline *timeline, gint64 *keys, guint32 count)
{
    gint64 *ranks = gp_xalloc(timeline->name_count, sizeof *ranks);

    gp_view_sort_texts((const char *const *)timeline->names, timeline->name_count, ranks);
    for (guint32 i = 0; i < count; i++) {
        keys[i] = ranks[timeline->tables[GP_VIEW_OPS].name[i]];
    }
    gp_free(ranks);
}

static gint64 op_key(const struct gp_view_timeline *timeline, guint column, guint32 line)
{
    const struct gp_view_spans *ops = &timeline->tables[GP_VIEW_OPS];

    switch (column) {
    case OP_KIND:
        return ops->kind[line];
    case OP_STREAM:
        return op_stream(timeline, line);
    case OP_BEGIN:
        return gp_view_begin_ns(ops, line);
    case OP_DURATION:
        return duration_of(ops, line);
    case OP_WAITED:
        return gp_view_narrow_get(&ops->waiting_ns, line);
    case OP_SOURCE:
        return ops->source[line];
    default:
        return line;
    }
}

static void op_keys(gpointer user, guint column, gint64 *keys, guint32 count)
{
    if (column == OP_NAME) {
        name_keys(user, keys, count);
        return;
    }
    for (guint32 i = 0; i < count; i++) {
        keys[i] = op_key(user, column, i);
    }
}

const struct gp_table_source gp_op_table = {"Operations", op_columns, G_N_ELEMENTS(op_columns),
                                            op_text, op_keys};

/* ---- names of a range ---------------------------------------------------------------------- */

enum { NAME_NAME, NAME_COUNT, NAME_TOTAL, NAME_SHORTEST, NAME_P50, NAME_P95, NAME_LONGEST };

static const struct gp_table_column name_columns[] = {
    [NAME_NAME] = {"Name", 0, FALSE},       [NAME_COUNT] = {"Count", 80, TRUE},
    [NAME_TOTAL] = {"Total", 96, TRUE},     [NAME_SHORTEST] = {"Shortest", 96, TRUE},
    [NAME_P50] = {"Median", 96, TRUE},      [NAME_P95] = {"p95", 96, TRUE},
    [NAME_LONGEST] = {"Longest", 96, TRUE},
};

static gint64 figure_of(const struct gp_view_name_range *name, guint column)
{
    switch (column) {
    case NAME_COUNT:
        return (gint64)name->count;
    case NAME_TOTAL:
        return name->total_ns;
    case NAME_SHORTEST:
        return name->min_ns;
    case NAME_P50:
        return name->p50_ns;
    case NAME_P95:
        return name->p95_ns;
    default:
        return name->max_ns;
    }
}

static void name_text(gpointer user, guint32 line, guint column, char *text, gsize size)
{
    const struct gp_name_lines *lines = user;
    const struct gp_view_name_range *name = &lines->names[line];

    if (column == NAME_NAME) {
        (void)g_strlcpy(text, lines->timeline->names[name->name], size);
    } else if (column == NAME_COUNT) {
        (void)g_snprintf(text, size, "%" G_GUINT64_FORMAT, name->count);
    } else {
        time_text(figure_of(name, column), text, size);
    }
}

static void range_keys(gpointer user, guint column, gint64 *keys, guint32 count)
{
    const struct gp_name_lines *lines = user;
    const char **texts = gp_xalloc(count, sizeof *texts);

    for (guint32 i = 0; i < count; i++) {
        texts[i] = lines->timeline->names[lines->names[i].name];
        keys[i] = figure_of(&lines->names[i], column);
    }
    if (column == NAME_NAME) {
        gp_view_sort_texts(texts, count, keys);
    }
    gp_free(texts);
}

const struct gp_table_source gp_name_table = {"Names in the range", name_columns,
                                              G_N_ELEMENTS(name_columns), name_text, range_keys};
