/* A line of the list of cells: see cell_item.h. */
#include "viewer/cell_item.h"

#include <math.h>

#include "viewer/cell_text.h"
#include "viewer/matrix.h"

struct _GpCellItem {
    GObject parent;
    const struct gp_entry *entry;
    char *title, *subtitle, *makespan, *hint, *folded;
    const char *difference;
};

G_DEFINE_TYPE(GpCellItem, gp_cell_item, G_TYPE_OBJECT)

static void finalize(GObject *object)
{
    GpCellItem *self = GP_CELL_ITEM(object);

    g_free(self->title);
    g_free(self->subtitle);
    g_free(self->makespan);
    g_free(self->hint);
    g_free(self->folded);
    G_OBJECT_CLASS(gp_cell_item_parent_class)->finalize(object);
}

static void gp_cell_item_class_init(GpCellItemClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = finalize;
}

static void gp_cell_item_init(GpCellItem *self)
{
    (void)self;
}

/* What there is of the cell: its pass, or why there are no operations. */
static const char *state_of(const struct gp_cell_row *cell, const struct gp_entry *entry)
{
    if (entry->run != 0) {
        return gp_pass_name(entry->pass);
    }
    return cell->status == GP_STATUS_COMPLETE ? "not traced" : gp_status_name(cell->status);
}

GpCellItem *gp_cell_item_new(const struct gp_document *document, const struct gp_entry *entry)
{
    const struct gp_cell_row *cell = gp_document_cell(document, entry);
    GpCellItem *self = g_object_new(GP_TYPE_CELL_ITEM, NULL);
    g_autofree char *all = NULL;
    char text[32] = "", params[400], manner[100];

    self->entry = entry;
    self->title = g_strdup(cell->policy);
    self->subtitle = g_strdup_printf("%s · %d stream%s · %s", cell->scenario, (int)cell->streams,
                                     cell->streams == 1 ? "" : "s", state_of(cell, entry));
    if (!isnan(entry->median_ns)) {
        gp_matrix_format(entry->median_ns / 1e6, text, sizeof text);
    }
    self->makespan = text[0] != '\0' ? g_strdup_printf("%s ms", text) : g_strdup("");
    self->difference = gp_document_difference(document, entry);
    gp_cell_params_text(cell->params, params, sizeof params);
    gp_cell_manner_text(cell, gp_document_device(document, entry), TRUE, manner, sizeof manner);
    self->hint = g_strdup_printf("%s: %s%s%s", cell->scenario, params,
                                 params[0] != '\0' && manner[0] != '\0' ? ", " : "", manner);
    all = g_strdup_printf("%s %s %s %s", self->title, self->subtitle, self->hint, self->difference);
    self->folded = g_utf8_casefold(all, -1);
    return self;
}

const struct gp_entry *gp_cell_item_entry(GpCellItem *item)
{
    return item->entry;
}

const char *gp_cell_item_title(GpCellItem *item)
{
    return item->title;
}

const char *gp_cell_item_subtitle(GpCellItem *item)
{
    return item->subtitle;
}

const char *gp_cell_item_makespan(GpCellItem *item)
{
    return item->makespan;
}

const char *gp_cell_item_difference(GpCellItem *item)
{
    return item->difference;
}

const char *gp_cell_item_hint(GpCellItem *item)
{
    return item->hint;
}

gboolean gp_cell_item_matches(GpCellItem *item, const char *text)
{
    g_autofree char *folded = g_utf8_casefold(text, -1);
    g_auto(GStrv) words = g_strsplit_set(folded, " \t", -1);

    for (size_t i = 0; words[i] != NULL; i++) {
        if (strstr(item->folded, words[i]) == NULL) {
            return FALSE;
        }
    }
    return TRUE;
}
