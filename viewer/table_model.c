/* A list of numbered lines: see table_model.h. */
#include "viewer/table_model.h"

#include "probe/memory.h"

struct _GpTableLine {
    GObject parent;
    guint32 number;
};

G_DEFINE_TYPE(GpTableLine, gp_table_line, G_TYPE_OBJECT)

static void gp_table_line_class_init(GpTableLineClass *klass)
{
    (void)klass;
}

static void gp_table_line_init(GpTableLine *self)
{
    (void)self;
}

GpTableLine *gp_table_line_new(guint32 number)
{
    GpTableLine *line = g_object_new(GP_TYPE_TABLE_LINE, NULL);

    line->number = number;
    return line;
}

guint32 gp_table_line_number(GpTableLine *line)
{
    return line->number;
}

struct _GpTableModel {
    GObject parent;
    guint32 *order;
    guint32 count;
};

static GType item_type(GListModel *model)
{
    (void)model;
    return GP_TYPE_TABLE_LINE;
}

static guint item_count(GListModel *model)
{
    return GP_TABLE_MODEL(model)->count;
}

static gpointer item_at(GListModel *model, guint position)
{
    GpTableModel *self = GP_TABLE_MODEL(model);

    return position < self->count ? gp_table_line_new(self->order[position]) : NULL;
}

static void list_init(GListModelInterface *list)
{
    list->get_item_type = item_type;
    list->get_n_items = item_count;
    list->get_item = item_at;
}

G_DEFINE_TYPE_WITH_CODE(GpTableModel, gp_table_model, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_init))

static void finalize(GObject *object)
{
    gp_free(GP_TABLE_MODEL(object)->order);
    G_OBJECT_CLASS(gp_table_model_parent_class)->finalize(object);
}

static void gp_table_model_class_init(GpTableModelClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = finalize;
}

static void gp_table_model_init(GpTableModel *self)
{
    (void)self;
}

GpTableModel *gp_table_model_new(void)
{
    return g_object_new(GP_TYPE_TABLE_MODEL, NULL);
}

/* Takes the order over. All lines go before all come: GTK looks for each widget's line among those
 * that come in one step with it, by making them one after the other. */
static void replace(GpTableModel *self, guint32 *order, guint32 count)
{
    guint32 before = self->count;

    self->count = 0;
    g_list_model_items_changed(G_LIST_MODEL(self), 0, before, 0);
    gp_free(self->order);
    self->order = order;
    self->count = count;
    g_list_model_items_changed(G_LIST_MODEL(self), 0, 0, count);
}

void gp_table_model_fill(GpTableModel *self, guint32 count)
{
    guint32 *order = gp_xalloc(count, sizeof *order);

    for (guint32 i = 0; i < count; i++) {
        order[i] = i;
    }
    replace(self, order, count);
}

void gp_table_model_arrange(GpTableModel *self, guint32 *order)
{
    replace(self, order, self->count);
}

guint gp_table_model_find(GpTableModel *self, guint32 number)
{
    for (guint32 i = 0; i < self->count; i++) {
        if (self->order[i] == number) {
            return i;
        }
    }
    return G_MAXUINT;
}
