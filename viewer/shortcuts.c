/* The window that lists all keys: see shortcuts.h. */
#include "viewer/shortcuts.h"

#include <string.h>

#include "viewer/commands.h"

struct line {
    const char *title, *keys;
};

/* Keys that are no commands of the timeline. */
static const struct line window_keys[] = {
    {"Open a recording", "<Control>o"},
    {"Reload", "<Control>r F5"},
    {"Matrix, timeline", "<Alt>1 <Alt>2"},
    {"Show or hide the cells", "F9"},
    {"Search names", "slash <Control>f"},
    {"Back from the search", "Escape"},
    {"Export what is seen", "<Control>e"},
    {"These keys", "question F1"},
    {"Close the window, quit", "<Control>w <Control>q"},
};

static const struct line gestures[] = {
    {"Select; at a row's head, fold it", "click"},
    {"Select and fit", "double click"},
    {"Measure, snapping to edges", "drag"},
    {"Move", "middle drag"},
    {"Choose, move or stretch the window", "minimap drag"},
    {"Scroll the rows", "wheel"},
    {"Zoom, about the pointer", "Ctrl+wheel"},
    {"Earlier, later", "Shift+wheel"},
};

enum { HELP_WIDTH = 1180, HELP_HEIGHT = 575, COLUMNS_MAX = 3, KEYS_SHOWN = 2 };

/* ---- the list ------------------------------------------------------------------------------ */

/* The first keys of those: the others stand for keyboards that lack these, as a shifted digit's
 * sign does for the digit. */
static GtkWidget *new_keys(const char *keys)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 5);
    g_auto(GStrv) names = g_strsplit(keys, " ", -1);
    int count = strstr(names[0], "<Shift>") != NULL ? 1 : KEYS_SHOWN;

    for (int i = 0; names[i] != NULL && i < count; i++) {
        if (i > 0) {
            GtkWidget * or = gtk_label_new("/");

            gtk_widget_add_css_class(or, "dim-label");
            gtk_box_append(GTK_BOX(box), or);
        }
        gtk_box_append(GTK_BOX(box), gtk_shortcut_label_new(names[i]));
    }
    return box;
}

static GtkWidget *new_group(const char *title)
{
    GtkWidget *grid = gtk_grid_new(), *label = gtk_label_new(title);

    gtk_grid_set_column_spacing(GTK_GRID(grid), 10);
    gtk_grid_set_row_spacing(GTK_GRID(grid), 2);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_widget_add_css_class(label, "heading");
    gtk_grid_attach(GTK_GRID(grid), label, 0, 0, 2, 1);
    return grid;
}

static void add_line(GtkWidget *grid, int *row, const char *keys, const char *title)
{
    GtkWidget *label = gtk_label_new(title);

    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_grid_attach(GTK_GRID(grid), new_keys(keys), 0, *row, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), label, 1, *row, 1, 1);
    (*row)++;
}

static GtkWidget *new_commands(enum gp_command_group group)
{
    GtkWidget *grid = new_group(gp_command_group_title(group));
    int row = 1;

    for (size_t i = 0; i < gp_command_count; i++) {
        if (gp_command_table[i].group == group && gp_command_table[i].title != NULL) {
            add_line(grid, &row, gp_command_table[i].keys, gp_command_table[i].title);
        }
    }
    return grid;
}

static GtkWidget *new_lines(const char *title, const struct line *lines, size_t count)
{
    GtkWidget *grid = new_group(title);
    int row = 1;

    for (size_t i = 0; i < count; i++) {
        add_line(grid, &row, lines[i].keys, lines[i].title);
    }
    return grid;
}

/* What is done without keys; the words stand where the keys do elsewhere. */
static GtkWidget *new_gestures(void)
{
    GtkWidget *grid = new_group("Pointer");

    for (int i = 0; i < (int)G_N_ELEMENTS(gestures); i++) {
        GtkWidget *what = gtk_label_new(gestures[i].keys);
        GtkWidget *title = gtk_label_new(gestures[i].title);

        gtk_label_set_xalign(GTK_LABEL(what), 0);
        gtk_label_set_xalign(GTK_LABEL(title), 0);
        gtk_widget_add_css_class(what, "key");
        gtk_grid_attach(GTK_GRID(grid), what, 0, i + 1, 1, 1);
        gtk_grid_attach(GTK_GRID(grid), title, 1, i + 1, 1, 1);
    }
    return grid;
}

static GtkWidget *new_column(GtkWidget *first, GtkWidget *second)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 18);

    gtk_widget_set_valign(box, GTK_ALIGN_START);
    gtk_box_append(GTK_BOX(box), first);
    gtk_box_append(GTK_BOX(box), second);
    return box;
}

/* As many columns as there is room for. */
static GtkWidget *new_list(void)
{
    /* For a screen reader it is no table. */
    GtkWidget *flow =
        g_object_new(GTK_TYPE_FLOW_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, NULL);
    GtkWidget *scrolled = gtk_scrolled_window_new();
    GtkWidget *columns[] = {
        new_column(new_commands(GP_COMMAND_LOOK), new_commands(GP_COMMAND_MEASURE)),
        new_column(new_commands(GP_COMMAND_SELECT), new_commands(GP_COMMAND_ROWS)),
        new_column(new_lines("Window", window_keys, G_N_ELEMENTS(window_keys)), new_gestures()),
    };

    gtk_flow_box_set_selection_mode(GTK_FLOW_BOX(flow), GTK_SELECTION_NONE);
    gtk_flow_box_set_max_children_per_line(GTK_FLOW_BOX(flow), COLUMNS_MAX);
    gtk_flow_box_set_column_spacing(GTK_FLOW_BOX(flow), 20);
    gtk_flow_box_set_row_spacing(GTK_FLOW_BOX(flow), 18);
    gtk_widget_set_valign(flow, GTK_ALIGN_START);
    gtk_widget_add_css_class(flow, "page");
    gtk_widget_add_css_class(flow, "keys");
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
        gtk_flow_box_insert(GTK_FLOW_BOX(flow), columns[i], -1);
        gtk_widget_set_focusable(gtk_widget_get_parent(columns[i]), FALSE);
    }
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_AUTOMATIC,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), flow);
    return scrolled;
}

/* ---- the window ---------------------------------------------------------------------------- */

void gp_shortcuts_present(GtkWindow *parent)
{
    GtkWidget *window = gtk_window_new(), *header = gtk_header_bar_new();
    GtkEventController *keys = gtk_shortcut_controller_new();

    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(keys), gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Escape"),
                                                        gtk_named_action_new("window.close")));
    gtk_widget_add_controller(window, keys);
    gtk_window_set_titlebar(GTK_WINDOW(window), header);
    gtk_window_set_title(GTK_WINDOW(window), "Keys");
    gtk_window_set_transient_for(GTK_WINDOW(window), parent);
    gtk_window_set_modal(GTK_WINDOW(window), TRUE);
    gtk_window_set_default_size(GTK_WINDOW(window), HELP_WIDTH, HELP_HEIGHT);
    gtk_window_set_child(GTK_WINDOW(window), new_list());
    gtk_window_present(GTK_WINDOW(window));
}

/* ---- the application's keys ---------------------------------------------------------------- */

void gp_shortcuts_add(GtkApplication *application)
{
    static const struct {
        const char *action;
        const char *keys[4]; /* NULL ends them */
    } table[] = {
        {"win.open", {"<Control>o"}},
        {"win.reload", {"<Control>r", "F5"}},
        {"win.page('matrix')", {"<Alt>1"}},
        {"win.page('timeline')", {"<Alt>2"}},
        {"win.cells", {"F9"}},
        {"win.export", {"<Control>e"}},
        {"win.help", {"question", "<Control>question", "F1"}},
        {"window.close", {"<Control>w"}},
        {"app.quit", {"<Control>q"}},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        gtk_application_set_accels_for_action(application, table[i].action, table[i].keys);
    }
}
