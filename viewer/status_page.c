/* A page that says one thing: see status_page.h. */
#include "viewer/status_page.h"

struct _GpStatusPage {
    GtkWidget parent;
    GtkWidget *scrolled, *box, *icon, *title, *text, *advice, *buttons;
};

G_DEFINE_TYPE(GpStatusPage, gp_status_page, GTK_TYPE_WIDGET)

static void dispose(GObject *object)
{
    GpStatusPage *self = GP_STATUS_PAGE(object);

    g_clear_pointer(&self->scrolled, gtk_widget_unparent);
    G_OBJECT_CLASS(gp_status_page_parent_class)->dispose(object);
}

static void gp_status_page_class_init(GpStatusPageClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = dispose;
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static GtkWidget *add_label(GpStatusPage *self, const char *css_class)
{
    GtkWidget *label = gtk_label_new(NULL);

    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 72);
    gtk_label_set_justify(GTK_LABEL(label), GTK_JUSTIFY_CENTER);
    gtk_label_set_selectable(GTK_LABEL(label), TRUE);
    gtk_widget_set_focusable(label, FALSE);
    gtk_widget_add_css_class(label, css_class);
    gtk_box_append(GTK_BOX(self->box), label);
    return label;
}

static void gp_status_page_init(GpStatusPage *self)
{
    self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    gtk_widget_add_css_class(self->box, "welcome");
    gtk_widget_set_valign(self->box, GTK_ALIGN_CENTER);
    gtk_widget_set_halign(self->box, GTK_ALIGN_CENTER);
    self->icon = gtk_image_new();
    gtk_image_set_pixel_size(GTK_IMAGE(self->icon), 72);
    gtk_box_append(GTK_BOX(self->box), self->icon);
    self->title = add_label(self, "title");
    self->text = add_label(self, "text");
    self->advice = add_label(self, "advice");
    self->buttons = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_widget_set_halign(self->buttons, GTK_ALIGN_CENTER);
    gtk_widget_set_margin_top(self->buttons, 6);
    gtk_box_append(GTK_BOX(self->box), self->buttons);
    /* In a low window. */
    self->scrolled = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(self->scrolled), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scrolled), self->box);
    gtk_widget_set_parent(self->scrolled, GTK_WIDGET(self));
}

GtkWidget *gp_status_page_new(void)
{
    return g_object_new(GP_TYPE_STATUS_PAGE, NULL);
}

static void say(GtkWidget *label, const char *text)
{
    gtk_label_set_text(GTK_LABEL(label), text);
    gtk_widget_set_visible(label, text[0] != '\0');
}

void gp_status_page_say(GpStatusPage *self, const char *icon, const char *title, const char *text,
                        const char *advice)
{
    GtkWidget *button;

    gtk_image_set_from_icon_name(GTK_IMAGE(self->icon), icon);
    say(self->title, title);
    say(self->text, text);
    say(self->advice, advice);
    while ((button = gtk_widget_get_first_child(self->buttons)) != NULL) {
        gtk_box_remove(GTK_BOX(self->buttons), button);
    }
    gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

void gp_status_page_offer(GpStatusPage *self, const char *label, const char *action)
{
    GtkWidget *button = gtk_button_new_with_mnemonic(label);

    gtk_actionable_set_detailed_action_name(GTK_ACTIONABLE(button), action);
    gtk_widget_add_css_class(button, "pill");
    gtk_box_append(GTK_BOX(self->buttons), button);
}
