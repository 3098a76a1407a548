/* The model with the profile of an H200 against makespans recorded on one: the same cells of batch
 * and mixed, pools of 1 to 32 streams. argv[1]: the recording. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/analysis/load.h"
#include "probe/sweep/sweep.h"
#include "scenarios/workload.h"

static const char *recorded_path;
static const char modelled_path[] = "test_makespans.gpuprobe";

/* What the model must keep to, before anything is calibrated. */
static const double within = 0.10;

static void sweep_model(void)
{
    static const uint32_t streams[] = {1, 2, 4, 8, 16, 32};
    const struct gp_scenario_ops *scenarios[] = {gp_scenario_find("batch"),
                                                 gp_scenario_find("mixed")};
    const struct gp_policy_ops *policies[] = {gp_policy_find("single"),
                                              gp_policy_find("round-robin")};
    static const struct gp_setting whole = {"chunk_kib", "4096"};
    const struct gp_sweep_options options = {
        .scenarios = scenarios,
        .scenario_count = 2,
        .policies = policies,
        .policy_count = 2,
        .streams = streams,
        .stream_count = 6,
        .settings = &whole,
        .setting_count = 1,
        .trace = GP_TRACE_OFF,
        .verify_off = true,
        .repeats = 1,
        .output = modelled_path,
        .force = true,
    };
    struct gp_device_options none = {0};
    struct gp_device *device = NULL;
    struct gp_error err = {0};

    gp_assert_ok(gp_device_open("model:h200", &none, &device, &err), err);
    gp_assert_ok(gp_sweep_run(device, &options, &err), err);
    gp_device_close(device);
}

static void load(const char *path, struct gp_reader **reader, struct gp_results *out)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_reader_open(path, reader, &err), err);
    gp_assert_ok(gp_results_load(*reader, out, &err), err);
}

static void test_model_is_near_the_h200(void **state)
{
    struct gp_results recorded = {0}, modelled = {0};
    struct gp_reader *readers[2];
    double worst = 0;

    (void)state;
    sweep_model();
    load(recorded_path, &readers[0], &recorded);
    load(modelled_path, &readers[1], &modelled);
    assert_int_equal(recorded.count, 14);
    assert_int_equal(modelled.count, recorded.count);
    for (uint32_t i = 0; i < recorded.count; i++) {
        const struct gp_cell_row *cell = recorded.cells[i].cell;
        double ratio = modelled.cells[i].summary.makespan_ns.median /
                       recorded.cells[i].summary.makespan_ns.median;

        assert_string_equal(cell->scenario, modelled.cells[i].cell->scenario);
        assert_string_equal(cell->params, modelled.cells[i].cell->params);
        assert_string_equal(cell->policy, modelled.cells[i].cell->policy);
        assert_int_equal(cell->streams, modelled.cells[i].cell->streams);
        print_message("%-6s %-12s %2d  modelled ÷ measured %.3f\n", cell->scenario, cell->policy,
                      cell->streams, ratio);
        worst = fmax(worst, fabs(ratio - 1.0));
    }
    assert_true(worst <= within);
    gp_results_finish(&recorded);
    gp_results_finish(&modelled);
    gp_reader_close(readers[0]);
    gp_reader_close(readers[1]);
    (void)unlink(modelled_path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_model_is_near_the_h200)};

    if (argc != 2) {
        return 2;
    }
    recorded_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
