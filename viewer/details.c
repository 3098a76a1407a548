/* The tabs below the timeline: see details.h. */
#include "viewer/details.h"

#include "viewer/advice_list.h"
#include "viewer/layout/ticks.h"
#include "viewer/op_story.h"
#include "viewer/op_table.h"
#include "viewer/range_tab.h"
#include "viewer/why_table.h"

#define SELECTION "Selection"
#define RANGE "Range"

enum { STORY_COLUMNS = 3, WRAP_FROM = 26, TIME_BYTES = 40 };

struct _GpDetails {
    GtkWidget parent;
    GtkWidget *box, *pages, *story, *hint, *columns[STORY_COLUMNS];
    GtkWidget *range, *ops, *causes, *cause_hint, *cause_button, *advice;
    const struct gp_why *why; /* NULL: not known */
    const struct gp_navigator *navigator;
    struct gp_reader *reader;
    struct gp_view_pick told; /* the selection that the story is of */
};

G_DEFINE_TYPE(GpDetails, gp_details, GTK_TYPE_WIDGET)

/* ---- the story of the selection ------------------------------------------------------------ */

static void clear_grid(GtkWidget *grid)
{
    GtkWidget *child;

    while ((child = gtk_widget_get_first_child(grid)) != NULL) {
        gtk_grid_remove(GTK_GRID(grid), child);
    }
}

static void add_line(GtkWidget *grid, int row, const struct gp_op_story_line *line)
{
    GtkWidget *name = gtk_label_new(line->name);
    GtkWidget *text = gtk_label_new(line->text);

    gtk_label_set_xalign(GTK_LABEL(name), 0);
    gtk_label_set_yalign(GTK_LABEL(name), 0);
    gtk_widget_add_css_class(name, "key");
    gtk_label_set_xalign(GTK_LABEL(text), 0);
    gtk_label_set_wrap(GTK_LABEL(text), TRUE);
    gtk_label_set_width_chars(GTK_LABEL(text), (int)MIN(g_utf8_strlen(line->text, -1), WRAP_FROM));
    gtk_label_set_selectable(GTK_LABEL(text), TRUE);
    gtk_widget_set_focusable(text, FALSE);
    gtk_widget_add_css_class(text, "figure");
    gtk_grid_attach(GTK_GRID(grid), name, 0, row, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), text, 1, row, 1, 1);
}

/* Reads what the columns in memory do not have. */
static int tell(GpDetails *self, struct gp_op_story *story, struct gp_error *err)
{
    const struct gp_navigator *navigator = self->navigator;
    struct gp_op_row op;

    if (navigator->selected.table != GP_VIEW_OPS) {
        gp_op_story_tell_span(navigator->timeline, navigator->selected.table,
                              navigator->selected.span, story);
        return 0;
    }
    if (gp_reader_ops(self->reader, navigator->timeline->run, navigator->selected.span, 1, &op,
                      err) != 0) {
        return err->code;
    }
    gp_op_story_tell(navigator->timeline, navigator->edges, &op, story);
    if (self->why != NULL && op.id < self->why->op_count) {
        gp_op_story_tell_cause(navigator->timeline, (enum gp_cause)self->why->causes[op.id],
                               self->why->on[op.id], story);
    }
    return 0;
}

static void show_story(GpDetails *self)
{
    struct gp_error err = {0};
    struct gp_op_story story = {.count = 0};
    int rows[STORY_COLUMNS] = {0};
    gboolean has_story = self->navigator != NULL && self->navigator->selected.span != GP_VIEW_NONE;

    for (int i = 0; i < STORY_COLUMNS; i++) {
        clear_grid(self->columns[i]);
    }
    if (has_story && tell(self, &story, &err) != 0) {
        gtk_label_set_text(GTK_LABEL(self->hint), err.text);
        has_story = FALSE;
    } else if (!has_story) {
        gtk_label_set_text(
            GTK_LABEL(self->hint),
            self->navigator != NULL
                ? "Click an operation, or use the arrow keys, to see its whole story here."
                : "Operations are told of here as soon as all of them are read.");
    }
    gtk_widget_set_visible(self->hint, !has_story);
    for (size_t i = 0; has_story && i < story.count; i++) {
        int column = story.lines[i].column;

        add_line(self->columns[column], rows[column]++, &story.lines[i]);
    }
}

static GtkWidget *new_story(GpDetails *self)
{
    GtkWidget *scrolled = gtk_scrolled_window_new();
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);

    self->story = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 36);
    gtk_widget_add_css_class(box, "story");
    for (int i = 0; i < STORY_COLUMNS; i++) {
        self->columns[i] = gtk_grid_new();
        gtk_grid_set_column_spacing(GTK_GRID(self->columns[i]), 14);
        gtk_grid_set_row_spacing(GTK_GRID(self->columns[i]), 1);
        gtk_widget_set_valign(self->columns[i], GTK_ALIGN_START);
        gtk_widget_set_hexpand(self->columns[i], i == STORY_COLUMNS - 1);
        gtk_box_append(GTK_BOX(self->story), self->columns[i]);
    }
    self->hint = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(self->hint), 0);
    gtk_label_set_wrap(GTK_LABEL(self->hint), TRUE);
    gtk_widget_add_css_class(self->hint, "dim-label");
    gtk_box_append(GTK_BOX(box), self->hint);
    gtk_box_append(GTK_BOX(box), self->story);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), box);
    return scrolled;
}

/* ---- causes -------------------------------------------------------------------------------- */

static void cause_chosen(GpTable *table, guint line, GpDetails *self)
{
    (void)table;
    if (self->why != NULL && self->why->totals[line].total.worst_op != GP_NO_OP) {
        g_signal_emit_by_name(self, "chosen", self->why->totals[line].total.worst_op);
    }
}

static GtkWidget *new_causes(GpDetails *self)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);

    self->cause_hint = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(self->cause_hint), 0);
    gtk_label_set_wrap(GTK_LABEL(self->cause_hint), TRUE);
    gtk_widget_add_css_class(self->cause_hint, "story");
    gtk_box_append(GTK_BOX(box), self->cause_hint);
    self->cause_button = gtk_button_new_with_mnemonic("_Look for causes");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(self->cause_button), "page.explain");
    gtk_widget_set_halign(self->cause_button, GTK_ALIGN_START);
    gtk_widget_set_margin_start(self->cause_button, 12);
    gtk_widget_set_margin_bottom(self->cause_button, 8);
    gtk_widget_set_visible(self->cause_button, FALSE);
    gtk_box_append(GTK_BOX(box), self->cause_button);
    self->causes = gp_table_new(&gp_why_table);
    g_signal_connect(self->causes, "chosen", G_CALLBACK(cause_chosen), self);
    gtk_widget_set_vexpand(self->causes, TRUE);
    gtk_box_append(GTK_BOX(box), self->causes);
    return box;
}

void gp_details_explain(GpDetails *self, const struct gp_why *why, const char *reason)
{
    char idle[TIME_BYTES];
    g_autofree char *text = NULL;

    self->why = why;
    gp_table_fill(GP_TABLE(self->causes), (gpointer)why, why != NULL ? why->total_count : 0);
    if (why != NULL) {
        gp_view_format_time(why->idle_ns, 0, idle, sizeof idle);
        text = g_strdup_printf("All streams together were idle for %s before their operations. A "
                               "line selects the operation that its cause held longest.",
                               idle);
    }
    gtk_label_set_text(GTK_LABEL(self->cause_hint), why != NULL ? text : reason);
    gtk_widget_set_visible(self->cause_button, FALSE);
    show_story(self);
}

void gp_details_offer_causes(GpDetails *self, const char *text)
{
    gp_details_explain(self, NULL, text);
    gtk_widget_set_visible(self->cause_button, TRUE);
}

void gp_details_offer_advice(GpDetails *self, const char *text)
{
    gp_advice_list_offer(GP_ADVICE_LIST(self->advice), text);
}

void gp_details_advise(GpDetails *self, const struct gp_advices *advices, const char *reason)
{
    gp_advice_list_show(GP_ADVICE_LIST(self->advice), advices, reason);
}

/* ---- turning to what was done -------------------------------------------------------------- */

static void turn(GpDetails *self, const char *from, const char *to)
{
    if (g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->pages)), from) == 0) {
        gtk_stack_set_visible_child_name(GTK_STACK(self->pages), to);
    }
}

void gp_details_turn_to_range(GpDetails *self)
{
    turn(self, SELECTION, RANGE);
}

void gp_details_turn_to_selection(GpDetails *self)
{
    turn(self, RANGE, SELECTION);
}

/* ---- all of it ----------------------------------------------------------------------------- */

void gp_details_refresh(GpDetails *self)
{
    const struct gp_view_pick *selected;

    if (self->navigator == NULL) {
        return;
    }
    selected = &self->navigator->selected;
    if (selected->span != self->told.span || selected->table != self->told.table) {
        self->told = *selected;
        show_story(self);
        gp_table_select(GP_TABLE(self->ops),
                        selected->table == GP_VIEW_OPS ? selected->span : G_MAXUINT32);
    }
    gp_range_tab_refresh(GP_RANGE_TAB(self->range));
}

void gp_details_show(GpDetails *self, const struct gp_navigator *navigator,
                     struct gp_reader *reader)
{
    guint32 count = navigator != NULL ? navigator->timeline->tables[GP_VIEW_OPS].count : 0;

    gp_range_tab_show(GP_RANGE_TAB(self->range), navigator);
    self->navigator = navigator;
    self->reader = reader;
    self->told = (struct gp_view_pick){GP_VIEW_OPS, GP_VIEW_NONE, GP_VIEW_NONE};
    gp_table_fill(GP_TABLE(self->ops), navigator != NULL ? (gpointer)navigator->timeline : NULL,
                  count);
    show_story(self);
    gp_details_refresh(self);
}

static void op_chosen(GpTable *table, guint op, GpDetails *self)
{
    (void)table;
    g_signal_emit_by_name(self, "chosen", op);
}

static void dispose(GObject *object)
{
    GpDetails *self = GP_DETAILS(object);

    self->navigator = NULL;
    g_clear_pointer(&self->box, gtk_widget_unparent);
    G_OBJECT_CLASS(gp_details_parent_class)->dispose(object);
}

static void gp_details_class_init(GpDetailsClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = dispose;
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
    (void)g_signal_new("chosen", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 1, G_TYPE_UINT);
}

/* A notebook's tabs have neither names nor actions for a screen reader (GTK 4.8); a switcher's do.
 */
static GtkWidget *new_tabs(GpDetails *self)
{
    GtkWidget *scrolled = gtk_scrolled_window_new(), *tabs = gtk_stack_switcher_new();

    gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(tabs), GTK_STACK(self->pages));
    gtk_widget_set_halign(tabs, GTK_ALIGN_START);
    gtk_widget_add_css_class(tabs, "tabs");
    /* A narrow window cuts them off, and the keyboard brings them back. */
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_EXTERNAL,
                                   GTK_POLICY_NEVER);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), tabs);
    return scrolled;
}

static void add_page(GpDetails *self, GtkWidget *page, const char *title)
{
    gtk_widget_set_vexpand(page, TRUE);
    (void)gtk_stack_add_titled(GTK_STACK(self->pages), page, title, title);
}

static void gp_details_init(GpDetails *self)
{
    self->pages = gtk_stack_new();
    self->ops = gp_table_new(&gp_op_table);
    g_signal_connect(self->ops, "chosen", G_CALLBACK(op_chosen), self);
    add_page(self, new_story(self), SELECTION);
    self->range = gp_range_tab_new();
    add_page(self, self->range, RANGE);
    add_page(self, new_causes(self), "Causes");
    self->advice = gp_advice_list_new();
    add_page(self, self->advice, "Advice");
    add_page(self, self->ops, "Operations");
    self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(self->box), new_tabs(self));
    gtk_box_append(GTK_BOX(self->box), self->pages);
    gtk_widget_set_parent(self->box, GTK_WIDGET(self));
    gtk_widget_set_size_request(GTK_WIDGET(self), -1, 60);
}

GtkWidget *gp_details_new(void)
{
    return g_object_new(GP_TYPE_DETAILS, NULL);
}
