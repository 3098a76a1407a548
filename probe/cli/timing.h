/*
 * doctor --timing: how far times can be trusted on this machine. Fixed cells are run with both
 * recorders while a witness watches, CUPTI or the model itself; on a GPU the copy oracle is asked
 * beside it. Everything printed is in the recording, or was measured beside it.
 */
#ifndef GP_PROBE_CLI_TIMING_H
#define GP_PROBE_CLI_TIMING_H

#include "probe/analysis/accuracy.h"
#include "probe/cli/report.h"
#include "probe/timing/oracle.h"

enum {
    GP_TIMING_CELLS_MAX = 16,
    GP_TIMING_ROWS_MAX = GP_ACCURACY_METHOD_COUNT * GP_ACCURACY_ROWS_MAX,
    GP_TIMING_SIZES = 8, /* of copies: 4 KiB, 16 KiB, … 64 MiB */
    GP_TIMING_COPIES = 21,
    GP_TIMING_COPIES_MAX = GP_DIRECTION_COUNT * GP_ORACLE_TRAFFIC_COUNT * GP_TIMING_SIZES,
};

/* What recorders cost on one cell: makespans with and without, as ratios; NAN unknown. */
struct gp_timing_cost {
    char name[96];
    struct gp_figure stamps, events;
    double reference; /* with the reference watching, and our stamps beside it */
};

/* Medians over GP_TIMING_COPIES copies of one size, in ns; spreads are the 95th percentile of the
 * distance from them. NAN: there was no reference. */
struct gp_timing_copy {
    struct gp_oracle_plan plan;
    double span_ns;  /* from the first word's change to the last one's */
    double look_ns;  /* between two looks at a word: what the oracle cannot tell */
    double gap_ns;   /* from the event after the copy before it to its first change; NAN: alone */
    double event_ns; /* timed event − last change */
    double event_spread_ns;
    double reference_end_ns; /* the reference's end − last change, clocks as they are */
    double reference_end_spread_ns;
    double reference_begin_ns; /* the reference's begin − first change */
    double clock_ns; /* how far off the clock of the changes may be; 0: it is that of the events */
    double inside;   /* of the copies: the last change lies in the interval of the end that a
                        recording would state, and the first not before that of the begin */
    double width_ns; /* of the end's interval */
};

struct gp_timing {
    char reference[320]; /* what the recording says of the witness */
    bool is_modelled;
    double drift; /* of the reference's clock in a run, see gp_accuracy_drift */
    struct gp_accuracy_row rows[GP_TIMING_ROWS_MAX];
    uint32_t row_count;
    struct gp_timing_cost costs[GP_TIMING_CELLS_MAX];
    uint32_t cost_count;
    struct gp_timing_copy copies[GP_TIMING_COPIES_MAX];
    uint32_t copy_count;
    char note[512]; /* what could not be measured and why; "" nothing */
};

/* Measures on an open device, whose thread calls, and keeps the recording with table accuracy at
 * `path`, which is free or to be replaced. Takes some seconds. */
int gp_timing_measure(struct gp_device *device, const char *path, struct gp_timing *out,
                      struct gp_error *err);

/* The part of it that asks the copy oracle, without CUPTI and then with it. What cannot be measured
 * leaves the rest as it is, and is in the note. */
void gp_timing_measure_copies(struct gp_device *device, struct gp_timing *out);

/* Prints tables, or one JSON object, on stdout. */
void gp_timing_print(const struct gp_timing *timing, const struct gp_terminal *terminal);
void gp_timing_print_json(const struct gp_timing *timing);

#endif
