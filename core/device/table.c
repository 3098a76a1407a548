/* The devices, in the order in which `auto` tries them, and the choice by name. */
#include "core/device/device.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/device/cuda/cuda.h"
#include "core/device/model/model.h"
#include "core/nearest.h"

const struct gp_device_ops *const gp_device_table[] = {
    &gp_device_cuda,
    &gp_device_model,
    NULL,
};
const size_t gp_device_table_count = sizeof gp_device_table / sizeof gp_device_table[0] - 1;

enum { SPEC_BYTES_MAX = 4200 }; /* a profile's path and what goes around it */

static const struct gp_device_options no_options;

/* Takes ",spin" or the like from the end of a device's arguments. */
static void take_scheduling(char *arguments, struct gp_device_options *options)
{
    char *comma = strrchr(arguments, ',');

    for (int i = 0; i < GP_SCHEDULING_COUNT && comma != NULL; i++) {
        if (strcmp(comma + 1, gp_scheduling_name((enum gp_scheduling)i)) == 0) {
            options->scheduling = (enum gp_scheduling)i;
            *comma = '\0';
            return;
        }
    }
}

static int open_with(const struct gp_device_ops *ops, const char *arguments,
                     const struct gp_device_options *given, struct gp_device **out,
                     struct gp_error *err)
{
    struct gp_device_options options = *given;
    char own[SPEC_BYTES_MAX];
    int code;

    if (strlen(arguments) >= sizeof own) {
        return gp_fail(err, GP_EINVAL, "device longer than %zu bytes", sizeof own - 1);
    }
    memcpy(own, arguments, strlen(arguments) + 1);
    take_scheduling(own, &options);
    code = ops->open(own, &options, out, err);
    if (code == 0 && options.scheduling != GP_SCHEDULING_AUTO) {
        struct gp_device_info *info = &(*out)->info;
        size_t length = strlen(info->spec);

        (void)snprintf(info->spec + length, sizeof info->spec - length, ",%s",
                       gp_scheduling_name(options.scheduling));
    }
    return code;
}

/* The first device that opens; *err keeps why the earlier ones did not. */
static int open_auto(const struct gp_device_options *options, struct gp_device **out,
                     struct gp_error *err)
{
    struct gp_error last = {0};
    int code = GP_ENODEVICE;

    if (gp_device_table_count == 0) {
        return gp_fail(err, GP_ENODEVICE, "this build has no devices");
    }
    for (size_t i = 0; i < gp_device_table_count; i++) {
        code = open_with(gp_device_table[i], "", options, out, &last);
        if (code != GP_ENODEVICE) {
            break;
        }
        if (err != NULL && err->text[0] == '\0') {
            *err = last;
        }
    }
    if (code != 0 && err != NULL) {
        *err = last;
    } else if (err != NULL) {
        err->code = 0;
    }
    return code;
}

static int fail_unknown(const char *name, struct gp_error *err)
{
    const char *known[GP_DEVICES_MAX] = {"auto"};
    size_t count = 1;

    for (size_t i = 0; i < gp_device_table_count; i++) {
        known[count++] = gp_device_table[i]->name;
    }
    if (strcmp(name, known[0]) == 0) {
        return gp_fail(err, GP_EINVAL, "'%s' stands alone; a choice follows only a device's name",
                       name);
    }
    return gp_fail(err, GP_EINVAL, "unknown device '%s'; did you mean '%s'?", name,
                   gp_nearest(name, known, count));
}

int gp_device_open(const char *spec, const struct gp_device_options *options,
                   struct gp_device **out, struct gp_error *err)
{
    char name[GP_NAME_BYTES_MAX];
    size_t length;

    assert(spec != NULL && out != NULL);
    if (options == NULL) {
        options = &no_options;
    }
    if (err != NULL) {
        err->text[0] = '\0';
    }
    length = strcspn(spec, ":,");
    if (length >= sizeof name) {
        return gp_fail(err, GP_EINVAL, "device name longer than %zu bytes", sizeof name - 1);
    }
    memcpy(name, spec, length);
    name[length] = '\0';
    if (strcmp(spec, "auto") == 0) {
        return open_auto(options, out, err);
    }
    for (size_t i = 0; i < gp_device_table_count; i++) {
        if (strcmp(name, gp_device_table[i]->name) == 0) {
            return open_with(gp_device_table[i], spec + length, options, out, err);
        }
    }
    return fail_unknown(name, err);
}
