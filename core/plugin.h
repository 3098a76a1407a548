/*
 * Extensions from a shared object: loading it and checking what it exports, for every kind of
 * extension that there is. A kind's own header (policy/plugin.h) has the struct that is exported
 * and the macro that defines it. What the object calls of this library it links itself. It knows no
 * devices and no programs.
 */
#ifndef GP_CORE_PLUGIN_H
#define GP_CORE_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

/* What every exported struct begins with. Read before anything else is believed, so it does not
 * change. */
struct gp_plugin_head {
    uint32_t abi;   /* the kind's version when it was compiled */
    uint32_t bytes; /* of the structs that it shares with its user, likewise */
};

/* One kind of extension. */
struct gp_plugin_kind {
    const char *word;           /* "policy", for messages */
    const char *symbol;         /* what the object exports: a struct that begins with the head */
    const char *macro;          /* what defines it, for messages */
    struct gp_plugin_head head; /* what it must begin with */
    /* What is wrong with it, to follow the path in a message ("has no name"); NULL: nothing. The
     * head is right already. */
    const char *(*find_fault)(const struct gp_plugin_head *exported);
};

/* Whether an extension may have this name: of the characters of the built-in ones (a-z, 0-9, - and
 * _), as others would need quoting somewhere, and short. NULL allowed. */
bool gp_plugin_is_name(const char *name);

/* Zeroed: nothing loaded. */
struct gp_plugin {
    void *library;
    const struct gp_plugin_head *exported; /* of the kind's own type; valid until unload */
};

/* Loads it and checks what it exports; a path without a slash is of the working directory.
 * GP_EINVAL with the path and what is wrong: no such file, no symbol, another version, or what
 * find_fault says. Any thread. */
int gp_plugin_load(const struct gp_plugin_kind *kind, const char *path, struct gp_plugin *out,
                   struct gp_error *err);

/* Nothing made of it may exist any more. A zeroed one is left alone. */
void gp_plugin_unload(struct gp_plugin *plugin);

#endif
