/*
 * The results of a recording as `run` and `show` print them: as text for people and as JSON for
 * programs. Both are made from the same struct, which is read back from the file. No SQL here.
 */
#ifndef GP_PROBE_CLI_REPORT_H
#define GP_PROBE_CLI_REPORT_H

#include "probe/analysis/summary.h"
#include "probe/cli/terminal.h"

/* One cell: what was run and its figures. Borrowed texts. */
struct gp_report_cell {
    const char *scenario;
    const char *params; /* JSON object text */
    const char *policy;
    const char *submit, *order, *completion;
    const char *error; /* "" none */
    int32_t streams;
    int32_t connections;
    int32_t verified; /* 1 right, 0 wrong, -1 not checked */
    enum gp_status status;
    struct gp_cell_summary summary;
};

struct gp_report {
    const char *path; /* of the recording */
    bool is_complete; /* false: the run that made it was interrupted or ended */
    enum gp_device_kind kind;
    const char *device_name;
    int32_t driver_version; /* 13000 for 13.0 */
    int32_t connections;
    const struct gp_report_cell
        *cells; /* in recorded order: cells of one scenario stand together */
    uint32_t cell_count;
};

/* Reads a recording; *out is the caller's. GP_EFORMAT: it is none, or damaged; GP_EIO,
 * GP_ENOTFOUND. */
int gp_report_load(const char *path, struct gp_report **out, struct gp_error *err);
void gp_report_destroy(struct gp_report *report);

/* How many cells from `first` on are compared with each other: those of one scenario with the same
 * parameters on the same connections. */
uint32_t gp_report_group(const struct gp_report *report, uint32_t first);

/* Prints on stdout: the device, one table and one sentence a scenario, the file's name; or, with
 * json, the JSON text below. */
void gp_report_print(const struct gp_report *report, const struct gp_terminal *terminal, bool json);

/* Prints one JSON object on stdout. Names are stable; what is unknown is null. */
void gp_report_print_json(const struct gp_report *report);

enum { GP_VERDICT_BYTES_MAX = 1024 };

/* One sentence of what the cells of one group say. */
void gp_report_verdict(const struct gp_report_cell *cells, uint32_t count,
                       const struct gp_terminal *terminal, char out[GP_VERDICT_BYTES_MAX]);

enum { GP_TIME_BYTES_MAX = 32 };

/* "12.3 ms": a time in the unit that suits it. */
void gp_report_time(double ns, const struct gp_terminal *terminal, char out[GP_TIME_BYTES_MAX]);

#endif
