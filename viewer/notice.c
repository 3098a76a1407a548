/* A notice: see notice.h. */
#include "viewer/notice.h"

#define TEXT_KEY "text"

GtkWidget *gp_notice_new(void)
{
    GtkWidget *notice = gtk_info_bar_new(), *text = gtk_label_new(NULL);

    gtk_label_set_wrap(GTK_LABEL(text), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(text), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_xalign(GTK_LABEL(text), 0);
    gtk_info_bar_set_message_type(GTK_INFO_BAR(notice), GTK_MESSAGE_WARNING);
    gtk_info_bar_add_child(GTK_INFO_BAR(notice), text);
    gtk_info_bar_set_show_close_button(GTK_INFO_BAR(notice), TRUE);
    gtk_info_bar_set_revealed(GTK_INFO_BAR(notice), FALSE);
    g_signal_connect(notice, "response", G_CALLBACK(gp_notice_hide), NULL);
    g_object_set_data(G_OBJECT(notice), TEXT_KEY, text);
    return notice;
}

void gp_notice_say(GtkWidget *notice, const char *text)
{
    gtk_label_set_text(g_object_get_data(G_OBJECT(notice), TEXT_KEY), text);
    gtk_info_bar_set_revealed(GTK_INFO_BAR(notice), TRUE);
}

void gp_notice_hide(GtkWidget *notice)
{
    gtk_info_bar_set_revealed(GTK_INFO_BAR(notice), FALSE);
}
