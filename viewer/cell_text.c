/* Cells in words: see cell_text.h. */
#include "viewer/cell_text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "core/schedule.h"
#include "probe/analysis/variant.h"
#include "probe/memory.h"

static const char cut[] = ", …";

/* Adds a part after a comma; false: it does not fit, and "…" stands for all that follows. */
static bool add(char *text, size_t size, const char *part)
{
    size_t used = strlen(text), length = strlen(part);
    const char *comma = used > 0 ? ", " : "";
    /* So that the ellipsis always fits. */
    size_t room = size - used - sizeof cut;

    if (used + sizeof cut >= size || strlen(comma) + length > room) {
        (void)snprintf(text + used, size - used, "%s", used > 0 ? cut : "…");
        return false;
    }
    (void)snprintf(text + used, size - used, "%s%s", comma, part);
    return true;
}

void gp_cell_params_text(const char *params, char *text, size_t size)
{
    json_t *object = json_loads(params, 0, NULL);
    const char *key;
    json_t *value;

    assert(size >= 8);
    text[0] = '\0';
    json_object_foreach(object, key, value)
    {
        char part[512];

        if (json_is_string(value)) {
            (void)snprintf(part, sizeof part, "%s %s", key, json_string_value(value));
        } else if (json_is_number(value)) {
            (void)snprintf(part, sizeof part, "%s %.15g", key, json_number_value(value));
        } else {
            continue;
        }
        if (!add(text, size, part)) {
            break;
        }
    }
    json_decref(object);
}

void gp_cell_manner_text(const struct gp_cell_row *cell, const struct gp_device_row *device,
                         bool has_connections, char *text, size_t size)
{
    char part[64];
    bool fits = true;

    assert(size >= 8);
    text[0] = '\0';
    if (cell->submit == GP_SUBMIT_GRAPH) {
        fits = add(text, size, "graph");
    }
    if (fits && cell->order != GP_ORDER_DEPTH && cell->order != GP_ISSUE_ORDER_COUNT) {
        (void)snprintf(part, sizeof part, "%s first", gp_issue_order_name(cell->order));
        fits = add(text, size, part);
    }
    if (fits && cell->completion[0] != '\0' && strcmp(cell->completion, "event-poll") != 0) {
        fits = add(text, size, cell->completion);
    }
    if (fits && has_connections && device->connections != GP_UNKNOWN) {
        (void)snprintf(part, sizeof part, "%lld connection%s", (long long)device->connections,
                       device->connections == 1 ? "" : "s");
        (void)add(text, size, part);
    }
}

bool gp_cell_connections_vary(const struct gp_results *results, uint32_t cell)
{
    const struct gp_result *it = &results->cells[cell];

    for (uint32_t i = 0; i < results->count; i++) {
        const struct gp_result *other = &results->cells[i];

        if (other->device->connections != it->device->connections &&
            strcmp(other->cell->scenario, it->cell->scenario) == 0) {
            return true;
        }
    }
    return false;
}

char (*gp_cell_differences(const struct gp_cell_row *cells,
                           const struct gp_device_row *const *devices,
                           uint32_t count))[2 * GP_VARIANT_BYTES_MAX]
{
    char(*texts)[2 * GP_VARIANT_BYTES_MAX] = gp_xalloc(count, sizeof *texts);
    struct gp_results results = {gp_xalloc(count, sizeof *results.cells), count};

    for (uint32_t i = 0; i < count; i++) {
        results.cells[i].cell = &cells[i];
        results.cells[i].device = devices[i];
    }
    gp_variants_name(&results);
    for (uint32_t i = 0; i < count; i++) {
        char manner[GP_VARIANT_BYTES_MAX];

        gp_cell_manner_text(&cells[i], devices[i], gp_cell_connections_vary(&results, i), manner,
                            sizeof manner);
        (void)snprintf(texts[i], sizeof texts[i], "%s%s%s", results.cells[i].variant,
                       results.cells[i].variant[0] != '\0' && manner[0] != '\0' ? ", " : "",
                       manner);
    }
    gp_free(results.cells);
    return texts;
}
