/* See trial.h. */
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"

const struct gp_setting trial_small_batch[4] = {
    {"batches", "24"}, {"m", "64"}, {"n", "128"}, {"k", "128"}};

void trial_start(struct trial *trial, const struct gp_scenario_ops *const *scenario)
{
    static const uint32_t streams[] = {1, 4};
    static const struct gp_policy_ops *policies[2];
    struct gp_device_options none = {0};

    memset(trial, 0, sizeof *trial);
    (void)snprintf(trial->path, sizeof trial->path, "test_sweep-%ld.gpuprobe", (long)getpid());
    policies[0] = gp_policy_find("single");
    policies[1] = gp_policy_find("round-robin");
    trial->options = (struct gp_sweep_options){
        .scenarios = scenario,
        .scenario_count = 1,
        .policies = policies,
        .policy_count = 2,
        .streams = streams,
        .stream_count = 2,
        .trace = GP_TRACE_STAMPS,
        .output = trial->path,
        .force = true,
        .command_line = "test",
    };
    gp_assert_ok(gp_device_open("model", &none, &trial->device, &trial->err), trial->err);
}

void trial_run(struct trial *trial)
{
    trial->code = gp_sweep_run(trial->device, &trial->options, &trial->err);
    gp_device_close(trial->device);
    trial->device = NULL;
}

void trial_read_back(struct trial *trial)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_reader_open(trial->path, &trial->reader, &err), err);
    trial->cells = gp_reader_cells(trial->reader, &trial->cell_count);
}

void trial_finish(struct trial *trial)
{
    gp_reader_close(trial->reader);
    (void)unlink(trial->path);
}

double trial_metric(struct trial *trial, int64_t cell, const char *name)
{
    struct gp_metric_row *rows = NULL;
    uint32_t count = 0;
    double value = NAN;

    gp_assert_ok(gp_reader_metrics(trial->reader, &rows, &count, &trial->err), trial->err);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].cell == cell && strcmp(rows[i].name, name) == 0) {
            assert_true(isnan(value));
            value = rows[i].value;
        }
    }
    gp_free(rows);
    return value;
}
