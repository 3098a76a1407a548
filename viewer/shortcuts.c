/* The window that lists all keys: see shortcuts.h. */
#include "viewer/shortcuts.h"

#include "viewer/commands.h"

/* Keys that are no commands of the timeline. */
static const struct {
    const char *title, *keys;
} others[] = {
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

static const char frame[] =
    "<interface><object class='GtkShortcutsWindow' id='window'><property name='modal'>1</property>"
    "<child><object class='GtkShortcutsSection'><property name='section-name'>keys</property>"
    "<property name='max-height'>14</property>%s</object></child></object></interface>";

static void add_group(GString *xml, const char *title)
{
    g_string_append_printf(
        xml, "<child><object class='GtkShortcutsGroup'><property name='title'>%s</property>",
        title);
}

static void add_key(GString *xml, const char *title, const char *keys)
{
    g_autofree char *text = g_markup_printf_escaped(
        "<child><object class='GtkShortcutsShortcut'><property name='title'>%s</property>"
        "<property name='accelerator'>%s</property></object></child>",
        title, keys);

    g_string_append(xml, text);
}

static void end_group(GString *xml)
{
    g_string_append(xml, "</object></child>");
}

/* The first two keys of a command: the others stand for keyboards that lack these. */
static void add_command(GString *xml, const struct gp_command *command)
{
    g_auto(GStrv) keys = g_strsplit(command->keys, " ", 3);
    g_autofree char *shown = g_strjoin(" ", keys[0], keys[1] != NULL ? keys[1] : NULL, NULL);

    add_key(xml, command->title, shown);
}

static char *describe_all(void)
{
    g_autoptr(GString) xml = g_string_new(NULL);

    for (int group = 0; group < GP_COMMAND_GROUP_COUNT; group++) {
        add_group(xml, gp_command_group_title((enum gp_command_group)group));
        for (size_t i = 0; i < gp_command_count; i++) {
            if ((int)gp_command_table[i].group == group) {
                add_command(xml, &gp_command_table[i]);
            }
        }
        end_group(xml);
    }
    add_group(xml, "Window");
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        add_key(xml, others[i].title, others[i].keys);
    }
    end_group(xml);
    return g_strdup_printf(frame, xml->str);
}

void gp_shortcuts_present(GtkWindow *parent)
{
    g_autofree char *xml = describe_all();
    g_autoptr(GtkBuilder) builder = gtk_builder_new_from_string(xml, -1);
    GtkWindow *window = GTK_WINDOW(gtk_builder_get_object(builder, "window"));

    gtk_window_set_transient_for(window, parent);
    gtk_window_present(window);
}

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
