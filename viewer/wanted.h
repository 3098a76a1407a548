/*
 * What a thread of the window's asks now and then: whether its result is still wanted.
 */
#ifndef GP_VIEWER_WANTED_H
#define GP_VIEWER_WANTED_H

#include <gio/gio.h>

#include "probe/heed.h"

/* What a gp_heed calls: user is the cancellable, borrowed. Any thread. */
static inline bool gp_wanted_go_on(void *user)
{
    return !g_cancellable_is_cancelled(user);
}

/* The cancellable must stay as long as the work does; NULL: always wanted. */
static inline struct gp_heed gp_wanted(GCancellable *cancellable)
{
    return (struct gp_heed){cancellable != NULL ? gp_wanted_go_on : NULL, cancellable};
}

#endif
