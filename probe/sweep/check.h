/*
 * The check of a cell's schedule, once and outside the measured runs: does it order everything that
 * uses the same bytes, and which waits did nothing need? Internal to probe/sweep.
 */
#ifndef GP_PROBE_SWEEP_CHECK_H
#define GP_PROBE_SWEEP_CHECK_H

#include "core/hazard.h"
#include "probe/recorder/recorder.h"

/* What the report says in figures; those that are not of the schedule are NAN. */
void gp_check_count(const struct gp_schedule *schedule, const struct gp_hazard_report *report,
                    struct gp_cell_metrics *out);

/* Records the known ones of a cell's figures. */
int gp_check_record(struct gp_recorder *recorder, int64_t cell,
                    const struct gp_cell_metrics *metrics, struct gp_error *err);

/* 0, or, when there are hazards, GP_EVERIFY with the first of them and how many more there are. */
int gp_check_result(const struct gp_schedule *schedule, const struct gp_hazard_report *report,
                    struct gp_error *err);

/* Writes one edge for each pair of operations that a hazard is between, how = missing, into out
 * (room for report->hazard_count), and returns how many. */
uint32_t gp_check_edges(const struct gp_hazard_report *report, struct gp_edge_row *out);

#endif
