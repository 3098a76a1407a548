/* The window's header: see header.h. */
#include "viewer/header.h"

#include "viewer/document.h"
#include "viewer/menu.h"

/* Made anew each time, so that it knows what was opened in the meantime. */
static void fill_menu(GtkMenuButton *button, gpointer data)
{
    g_autoptr(GMenuModel) model = gp_menu_new();
    GtkWidget *popover = gtk_popover_menu_new_from_model(model);

    (void)data;
    gtk_menu_button_set_popover(button, popover);
}

static GtkWidget *new_open(void)
{
    GtkWidget *open = gtk_button_new_with_mnemonic("_Open…");

    gtk_actionable_set_action_name(GTK_ACTIONABLE(open), "win.open");
    gtk_widget_set_tooltip_text(open, "Open a recording (Ctrl+O)");
    gtk_accessible_update_property(GTK_ACCESSIBLE(open), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   "Open a recording", -1);
    return open;
}

GtkWidget *gp_header_init(struct gp_header *header)
{
    GtkHeaderBar *bar = GTK_HEADER_BAR(gtk_header_bar_new());

    *header = (struct gp_header){.bar = GTK_WIDGET(bar)};
    header->open = new_open();
    gtk_header_bar_pack_start(bar, header->open);
    header->name = gtk_label_new(NULL);
    gtk_label_set_ellipsize(GTK_LABEL(header->name), PANGO_ELLIPSIZE_MIDDLE);
    gtk_widget_add_css_class(header->name, "title");
    gtk_header_bar_pack_start(bar, header->name);
    header->origin = gtk_label_new(NULL);
    gtk_label_set_ellipsize(GTK_LABEL(header->origin), PANGO_ELLIPSIZE_END);
    gtk_widget_add_css_class(header->origin, "origin");
    gtk_widget_set_valign(header->origin, GTK_ALIGN_CENTER);
    gtk_header_bar_pack_start(bar, header->origin);
    header->switcher = gtk_stack_switcher_new();
    gtk_header_bar_set_title_widget(bar, header->switcher);
    header->menu_button = gtk_menu_button_new();
    gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(header->menu_button), "open-menu-symbolic");
    gtk_menu_button_set_primary(GTK_MENU_BUTTON(header->menu_button), TRUE);
    gtk_menu_button_set_create_popup_func(GTK_MENU_BUTTON(header->menu_button), fill_menu, NULL,
                                          NULL);
    gtk_widget_set_tooltip_text(header->menu_button, "Menu (F10)");
    gtk_header_bar_pack_end(bar, header->menu_button);
    return GTK_WIDGET(bar);
}

void gp_header_finish(struct gp_header *header)
{
    g_clear_pointer(&header->origin_text, g_free);
    g_clear_pointer(&header->origin_short, g_free);
}

void gp_header_set_pages(struct gp_header *header, GtkStack *pages)
{
    gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(header->switcher), pages);
}

void gp_header_show_content(struct gp_header *header, gboolean has_content)
{
    gtk_widget_set_visible(header->switcher, has_content);
    gtk_widget_set_visible(header->origin, has_content);
}

void gp_header_say_file(struct gp_header *header, const char *name)
{
    gtk_label_set_text(GTK_LABEL(header->name), name);
    gtk_widget_set_tooltip_text(header->name, name);
}

static void say_origin(struct gp_header *header)
{
    const char *text = header->is_narrow ? header->origin_short : header->origin_text;

    gtk_label_set_text(GTK_LABEL(header->origin), text != NULL ? text : "");
    gtk_widget_set_tooltip_text(header->origin, header->origin_text);
}

void gp_header_say_device(struct gp_header *header, const struct gp_device_row *device)
{
    const char *origin = gp_document_origin(device);

    gp_header_finish(header);
    header->origin_text = g_strdup_printf("%s · %s", origin, device->name);
    header->origin_short = g_strdup(origin);
    say_origin(header);
    if (device->kind == GP_ORIGIN_MODEL) {
        gtk_widget_add_css_class(header->origin, "modelled");
    } else {
        gtk_widget_remove_css_class(header->origin, "modelled");
    }
}

void gp_header_be_narrow(struct gp_header *header, gboolean is_narrow)
{
    header->is_narrow = is_narrow;
    gtk_widget_set_visible(header->name, !is_narrow);
    say_origin(header);
    if (is_narrow) {
        gtk_button_set_icon_name(GTK_BUTTON(header->open), "document-open-symbolic");
        gtk_widget_add_css_class(header->bar, "narrow");
    } else {
        gtk_button_set_label(GTK_BUTTON(header->open), "_Open…");
        gtk_widget_remove_css_class(header->bar, "narrow");
    }
}
