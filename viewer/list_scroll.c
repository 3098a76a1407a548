/* Scrolling of lists: see list_scroll.h. */
#include "viewer/list_scroll.h"

enum { SETTLED_FRAMES = 3 };

/* Of a view of columns, the list inside it, which knows how to scroll. */
static GtkWidget *find_list(GtkWidget *view)
{
    if (!GTK_IS_COLUMN_VIEW(view)) {
        return view;
    }
    for (GtkWidget *child = gtk_widget_get_first_child(view); child != NULL;
         child = gtk_widget_get_next_sibling(child)) {
        if (g_str_equal(G_OBJECT_TYPE_NAME(child), "GtkColumnListView")) {
            return child;
        }
    }
    return NULL;
}

static gboolean frame_begins(GtkWidget *view, GdkFrameClock *clock, gpointer data)
{
    struct gp_list_scroll *scroll = data;
    GtkWidget *list = find_list(view);

    (void)clock;
    if (list == NULL || gtk_widget_get_height(list) == 0 || ++scroll->frames < SETTLED_FRAMES) {
        return G_SOURCE_CONTINUE;
    }
    scroll->tick = 0;
    (void)gtk_widget_activate_action(list, "list.scroll-to-item", "u", scroll->line);
    scroll->line = G_MAXUINT;
    return G_SOURCE_REMOVE;
}

static void scroll_soon(struct gp_list_scroll *scroll)
{
    if (scroll->line != G_MAXUINT && scroll->tick == 0) {
        scroll->frames = 0;
        scroll->tick = gtk_widget_add_tick_callback(scroll->view, frame_begins, scroll, NULL);
    }
}

void gp_list_scroll_init(struct gp_list_scroll *scroll, GtkWidget *view)
{
    *scroll = (struct gp_list_scroll){.view = view, .line = G_MAXUINT};
}

void gp_list_scroll_to(struct gp_list_scroll *scroll, guint line)
{
    scroll->line = line;
    if (line == G_MAXUINT && scroll->tick != 0) {
        gtk_widget_remove_tick_callback(scroll->view, scroll->tick);
        scroll->tick = 0;
    }
    scroll_soon(scroll);
}

void gp_list_scroll_finish(struct gp_list_scroll *scroll)
{
    if (scroll->view != NULL) {
        gp_list_scroll_to(scroll, G_MAXUINT);
        scroll->view = NULL;
    }
}
