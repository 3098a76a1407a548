/*
 * What tells a cell apart from others of its scenario, in words. Pure; knows no display.
 */
#ifndef GP_VIEWER_CELL_TEXT_H
#define GP_VIEWER_CELL_TEXT_H

#include "probe/analysis/load.h"

/* Parameters, a JSON object, as "k 16, m 2". What does not fit is left out whole, and "…" says so;
 * what is no object is "". size ≥ 8. */
void gp_cell_params_text(const char *params, char *text, size_t size);

/* How its operations were submitted and in which order, where that is not as usual: "graph, breadth
 * first, host-func"; with the number of hardware connections when has_connections asks for it.
 * "": nothing is unusual. size ≥ 8. */
void gp_cell_manner_text(const struct gp_cell_row *cell, const struct gp_device_row *device,
                         bool has_connections, char *text, size_t size);

/* Whether a cell's scenario was also run with another number of connections. Only cells and devices
 * of the results need be known. */
bool gp_cell_connections_vary(const struct gp_results *results, uint32_t cell);

/* For each of the cells, in the order of the array, in what it differs from others of its scenario:
 * "us=2, graph". The array is the caller's to free; devices[i] is the device of cells[i]. */
char (*gp_cell_differences(const struct gp_cell_row *cells,
                           const struct gp_device_row *const *devices,
                           uint32_t count))[2 * GP_VARIANT_BYTES_MAX];

#endif
