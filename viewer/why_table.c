/* What the tab of causes holds: see why_table.h. */
#include "viewer/why_table.h"

#include "viewer/layout/sort.h"
#include "viewer/layout/ticks.h"

enum { WHY_CAUSE, WHY_IDLE, WHY_SHARE, WHY_WAITED, WHY_OPS, WHY_SUMMARY, WHY_REMEDY };

static const struct gp_table_column columns[] = {
    [WHY_CAUSE] = {"Cause", 150, FALSE},
    [WHY_IDLE] = {"Streams idle", 104, TRUE},
    [WHY_SHARE] = {"Share", 66, TRUE},
    [WHY_WAITED] = {"Waited in all", 108, TRUE},
    [WHY_OPS] = {"Operations", 92, TRUE},
    [WHY_SUMMARY] = {"What held them", 0, FALSE},
    [WHY_REMEDY] = {"What would remove it", 0, FALSE},
};

static void write_text(gpointer user, guint32 line, guint column, char *text, gsize size)
{
    const struct gp_why *why = user;
    const struct gp_why_total *it = &why->totals[line];

    switch (column) {
    case WHY_CAUSE:
        (void)g_strlcpy(text, gp_cause_name(it->cause), size);
        break;
    case WHY_IDLE:
        gp_view_format_time(it->total.idle_ns, 0, text, size);
        break;
    case WHY_SHARE:
        (void)g_snprintf(text, size, "%.1f %%",
                         why->idle_ns > 0 ? 100.0 * (double)it->total.idle_ns / (double)why->idle_ns
                                          : 0.0);
        break;
    case WHY_WAITED:
        gp_view_format_time((gint64)it->total.waited_ns, 0, text, size);
        break;
    case WHY_OPS:
        (void)g_snprintf(text, size, "%u", it->total.ops);
        break;
    case WHY_SUMMARY:
        (void)g_strlcpy(text, gp_cause_table[it->cause].summary, size);
        break;
    default:
        (void)g_strlcpy(text, gp_cause_table[it->cause].remedy, size);
        break;
    }
}

static gint64 key_of(const struct gp_cause_total *total, guint column)
{
    switch (column) {
    case WHY_IDLE:
    case WHY_SHARE:
        return total->idle_ns;
    case WHY_WAITED:
        return (gint64)total->waited_ns;
    default:
        return total->ops;
    }
}

static void write_keys(gpointer user, guint column, gint64 *keys, guint32 count)
{
    const struct gp_why *why = user;
    const char *names[GP_CAUSE_COUNT];

    for (guint32 i = 0; i < count; i++) {
        names[i] = gp_cause_name(why->totals[i].cause);
        keys[i] = key_of(&why->totals[i].total, column);
    }
    if (column == WHY_CAUSE || column == WHY_SUMMARY || column == WHY_REMEDY) {
        gp_view_sort_texts(names, count, keys);
    }
}

const struct gp_table_source gp_why_table = {"Causes of waiting", columns, G_N_ELEMENTS(columns),
                                             write_text, write_keys};
