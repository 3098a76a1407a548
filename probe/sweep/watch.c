/* The machine around each run: see watch.h. */
#include "probe/sweep/watch.h"

#include <stdio.h>
#include <string.h>

static void tell(const struct gp_sweep_options *options, const char *text)
{
    if (options->message != NULL) {
        options->message(options->user, text);
    }
}

void gp_watch_init(struct gp_watch *watch, struct gp_device *device,
                   const struct gp_sweep_options *options)
{
    struct gp_error err = {0};
    struct gp_state_row now;
    char text[sizeof err.text + 128];

    memset(watch, 0, sizeof *watch);
    watch->device = device;
    if (device->info.kind == GP_DEVICE_MODEL) {
        return;
    }
    if (gp_machine_create(&device->info, &watch->machine, &err) != 0) {
        (void)snprintf(text, sizeof text,
                       "clocks, throttling and other processes cannot be watched: %s", err.text);
        tell(options, text);
        return;
    }
    gp_machine_sample(watch->machine, &now);
    if (now.processes != GP_UNKNOWN && now.processes > 0) {
        (void)snprintf(text, sizeof text,
                       "%lld other process%s on this GPU: what runs there delays what is measured",
                       (long long)now.processes,
                       now.processes == 1 ? " has a context" : "es have contexts");
        tell(options, text);
    }
}

void gp_watch_finish(struct gp_watch *watch)
{
    gp_machine_destroy(watch->machine);
    watch->machine = NULL;
}

static void sample(struct gp_watch *watch, int index)
{
    if (watch->machine != NULL) {
        gp_machine_sample(watch->machine, &watch->states[index]);
        watch->states[index].at = gp_device_clock_ns(watch->device);
    }
}

void gp_watch_begin(struct gp_watch *watch)
{
    sample(watch, 0);
}

void gp_watch_end(struct gp_watch *watch)
{
    sample(watch, 1);
}

bool gp_watch_record(struct gp_watch *watch, int64_t epoch_ns, struct gp_run_rows *rows)
{
    bool changed;

    if (watch->machine == NULL) {
        return false;
    }
    changed = gp_machine_changed(&watch->states[0], &watch->states[1], watch->note);
    for (int i = 0; i < 2; i++) {
        watch->states[i].at -= epoch_ns;
    }
    watch->states[1].note = watch->note;
    rows->states = watch->states;
    rows->state_count = 2;
    if (changed) {
        rows->run.status = GP_STATUS_DISTURBED;
    }
    return changed;
}
