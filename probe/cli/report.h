/*
 * The results of a recording as `run` and `show` print them: as text for people and as JSON for
 * programs. Both are made from the same struct, which is read back from the file. No SQL here.
 */
#ifndef GP_PROBE_CLI_REPORT_H
#define GP_PROBE_CLI_REPORT_H

#include "probe/analysis/load.h"
#include "probe/cli/terminal.h"

/* A recording with its summaries. Zero: nothing loaded. */
struct gp_report {
    const char *path; /* as given; borrowed */
    struct gp_reader *reader;
    struct gp_results results; /* by cell id, so that cells of one scenario stand together */
    const struct gp_device_row *device; /* the first; NULL none was recorded */
    struct gp_verdict_row *verdicts;
    uint32_t verdict_count;
};

/* Reads a recording into *out, which is to be finished in every case. GP_EFORMAT: it is none, or
 * damaged; GP_EIO: it cannot be read. */
int gp_report_load(const char *path, struct gp_report *out, struct gp_error *err);
void gp_report_finish(struct gp_report *report);

/* Whether what was checked is wrong: some cell computed wrong data or has a hazard. */
bool gp_report_is_wrong(const struct gp_results *results);

/* Prints on stdout: the device, one table and one sentence a scenario, the file's name; or, with
 * json, the JSON text below. */
void gp_report_print(const struct gp_report *report, const struct gp_terminal *terminal, bool json);

/* The same of the answers to claims alone. */
void gp_report_print_verdicts(const struct gp_report *report, const struct gp_terminal *terminal,
                              bool json);

/* Prints one JSON object on stdout. Names are stable; what is unknown is null. */
void gp_report_print_json(const struct gp_report *report);
void gp_report_print_verdicts_json(const struct gp_report *report);

/* Ways to run a cell other than by policy and pool size. */
struct gp_ways {
    bool submit, order;
    bool trace; /* of those whose operations are kept */
};

/* In which of them the cells differ. */
struct gp_ways gp_report_ways(const struct gp_result *cells, uint32_t count);

/* Whether they may stand under one name. */
bool gp_report_is_same_way(const struct gp_result *a, const struct gp_result *b,
                           const struct gp_ways *ways);

enum { GP_WAY_BYTES_MAX = 64 };

/* " (graph, breadth first)": of these ways what is not as usual in the cell; "" nothing. */
void gp_report_way(const struct gp_result *cell, const struct gp_ways *ways,
                   char out[GP_WAY_BYTES_MAX]);

enum { GP_VERDICT_BYTES_MAX = 1024 };

/* One sentence of what the cells of one group say. */
void gp_report_verdict(const struct gp_result *cells, uint32_t count,
                       const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX]);

/* One or two sentences: what the recommended cell comes up against, if there is such a thing, and
 * how close it comes to the bounds; "" where they are not known. */
void gp_report_knee(const struct gp_result *cells, uint32_t count,
                    const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX]);

/* Cells that a recorder makes this much slower are not what they are without it. */
#define GP_DISTURBED_FROM 1.10

/* One sentence: which cell the recorder disturbs most, from GP_DISTURBED_FROM on, how, and how many
 * others; "" where it disturbs none. */
void gp_report_disturbance(const struct gp_result *cells, uint32_t count,
                           const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX]);

/* One sentence: which policies differ from round-robin with the same pool size by more than the
 * intervals; "" where there is no other policy than it and single to hold against it. */
void gp_report_differences(const struct gp_result *cells, uint32_t count,
                           const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX]);

/* Prints the figures that the scenario of one group computes, a row each; nothing when it has none.
 */
void gp_report_measures(const struct gp_result *cells, uint32_t count,
                        const struct gp_terminal *terminal);

enum { GP_TIME_BYTES_MAX = 32 };

/* "12.3 ms": a time in the unit that suits it. */
void gp_report_time(double ns, const struct gp_terminal *terminal, char out[GP_TIME_BYTES_MAX]);

#endif
