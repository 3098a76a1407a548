/* Cells of a recording, and a search among them: see cells.h. */
#include "probe/verdict/cells.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "probe/memory.h"
#include "scenarios/workload.h"

/* ---- loading ------------------------------------------------------------------------------- */

static bool counts(const struct gp_run_row *run, enum gp_pass pass)
{
    return run->pass == pass && run->status == GP_STATUS_COMPLETE &&
           run->makespan_ns != GP_UNKNOWN && run->makespan_ns > 0;
}

/* The plain run of the same repeat; NULL: none that counts. */
static const struct gp_run_row *find_twin(const struct gp_run_row *runs, uint32_t count,
                                          const struct gp_run_row *traced)
{
    for (uint32_t i = 0; i < count; i++) {
        if (counts(&runs[i], GP_PASS_PLAIN) && runs[i].repeat == traced->repeat) {
            return &runs[i];
        }
    }
    return NULL;
}

static int load_cell(struct gp_reader *reader, struct gp_judged_cell *cell, struct gp_error *err)
{
    struct gp_run_row *runs = NULL;
    uint32_t count = 0;
    int code = gp_reader_runs(reader, cell->row->id, &runs, &count, err);

    if (code != 0) {
        return code;
    }
    cell->device = gp_reader_device(reader, cell->row->device);
    cell->params = json_loads(cell->row->params, 0, NULL);
    cell->plain_ns = gp_xalloc(count, sizeof cell->plain_ns[0]);
    cell->perturbed = gp_xalloc(count, sizeof cell->perturbed[0]);
    for (uint32_t i = 0; i < count; i++) {
        if (counts(&runs[i], GP_PASS_PLAIN)) {
            cell->plain_ns[cell->plain_count++] = (double)runs[i].makespan_ns;
        } else if (counts(&runs[i], GP_PASS_TRACED)) {
            const struct gp_run_row *twin = find_twin(runs, count, &runs[i]);

            cell->trace = runs[i].trace;
            if (twin != NULL) {
                cell->perturbed[cell->pair_count++] =
                    (double)runs[i].makespan_ns / (double)twin->makespan_ns;
            }
        }
    }
    gp_free(runs);
    return 0;
}

int gp_judged_cells_load(struct gp_reader *reader, struct gp_judged_cells *out,
                         struct gp_error *err)
{
    uint32_t device_count = 0;
    const struct gp_device_row *devices = gp_reader_devices(reader, &device_count);
    const struct gp_cell_row *rows;
    int code = 0;

    *out = (struct gp_judged_cells){.first_device = device_count > 0 ? devices[0].id : 0};
    rows = gp_reader_cells(reader, &out->count);
    out->cells = gp_xalloc(out->count, sizeof out->cells[0]);
    for (uint32_t i = 0; i < out->count && code == 0; i++) {
        out->cells[i].row = &rows[i];
        code = load_cell(reader, &out->cells[i], err);
    }
    return code == 0 ? gp_reader_metrics(reader, &out->metrics, &out->metric_count, err) : code;
}

void gp_judged_cells_finish(struct gp_judged_cells *cells)
{
    for (uint32_t i = 0; i < cells->count && cells->cells != NULL; i++) {
        json_decref(cells->cells[i].params);
        gp_free(cells->cells[i].plain_ns);
        gp_free(cells->cells[i].perturbed);
    }
    gp_free(cells->cells);
    gp_free(cells->metrics);
    *cells = (struct gp_judged_cells){0};
}

/* ---- searching ----------------------------------------------------------------------------- */

/* What the claim sets a parameter to; NULL: nothing. */
static const char *find_setting(const struct gp_claim_test *test, const struct gp_claim_side *side,
                                const char *name)
{
    for (int i = 0; i < GP_CLAIM_SETTINGS_MAX && side->settings[i].name != NULL; i++) {
        if (strcmp(side->settings[i].name, name) == 0) {
            return side->settings[i].text;
        }
    }
    for (int i = 0; i < GP_CLAIM_SETTINGS_MAX && test->settings[i].name != NULL; i++) {
        if (strcmp(test->settings[i].name, name) == 0) {
            return test->settings[i].text;
        }
    }
    return NULL;
}

/* Whether the recorded value is that one, as the sweep writes it. */
static bool has_value(const json_t *params, const struct gp_parameter *parameter, int64_t value)
{
    const json_t *recorded = json_object_get(params, parameter->name);
    char text[GP_PARAMETER_BYTES_MAX];

    gp_parameter_write(parameter, value, text);
    if (json_is_string(recorded)) {
        return strcmp(json_string_value(recorded), text) == 0;
    }
    return json_is_integer(recorded) ? json_integer_value(recorded) == value
                                     : fabs(json_real_value(recorded) * 10 - (double)value) < 0.5;
}

/* What adapts to the device is taken as it is. */
static bool has_params(const struct gp_judged_cell *cell, const struct gp_claim_test *test,
                       const struct gp_claim_side *side)
{
    const struct gp_parameter *parameter = gp_scenario_find(test->scenario)->parameters;

    for (; parameter->name != NULL; parameter++) {
        const char *text = find_setting(test, side, parameter->name);
        int64_t value = parameter->initial;

        if (text != NULL && gp_parameter_read(test->scenario, parameter, text, &value, NULL) != 0) {
            return false;
        }
        if (value != GP_AUTO && !has_value(cell->params, parameter, value)) {
            return false;
        }
    }
    return true;
}

static bool has_connections(const struct gp_judged_cells *cells, const struct gp_judged_cell *cell,
                            uint32_t connections)
{
    return connections == 0 ? cell->row->device == cells->first_device
                            : cell->device->connections == connections;
}

const struct gp_judged_cell *gp_judged_cells_find(const struct gp_judged_cells *cells,
                                                  const struct gp_claim_test *test,
                                                  const struct gp_claim_side *side, uint32_t index)
{
    enum gp_trace trace = gp_claim_trace(test, side);

    for (uint32_t i = 0; i < cells->count; i++) {
        const struct gp_judged_cell *cell = &cells->cells[i];
        const struct gp_cell_row *row = cell->row;

        if (strcmp(row->scenario, test->scenario) == 0 &&
            strcmp(row->policy, gp_claim_policy(side)) == 0 &&
            (side->streams[index] == 0 || row->streams == (int32_t)side->streams[index]) &&
            row->submit == side->submit && row->order == side->order &&
            strcmp(row->completion, gp_completion_name(side->completion)) == 0 &&
            (trace == GP_TRACE_OFF || trace == cell->trace || row->status != GP_STATUS_COMPLETE) &&
            has_connections(cells, cell, side->connections) && has_params(cell, test, side)) {
            return cell;
        }
    }
    return NULL;
}

struct gp_figure gp_judged_cells_metric(const struct gp_judged_cells *cells, int64_t cell,
                                        const char *name)
{
    struct gp_figure figure = {NAN, NAN, NAN};

    for (uint32_t i = 0; i < cells->metric_count; i++) {
        const struct gp_metric_row *metric = &cells->metrics[i];

        if (metric->cell == cell && strcmp(metric->name, name) == 0) {
            figure = (struct gp_figure){metric->value, metric->lo, metric->hi};
        }
    }
    return figure;
}
