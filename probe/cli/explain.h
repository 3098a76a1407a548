/*
 * What a cell's kept run says, as `explain` and `show --cell` print it: as text for people and as
 * JSON for programs, both from the same struct.
 */
#ifndef GP_PROBE_CLI_EXPLAIN_H
#define GP_PROBE_CLI_EXPLAIN_H

#include <jansson.h>

#include "probe/analysis/advice.h"
#include "probe/analysis/critical.h"
#include "probe/analysis/what_if.h"
#include "probe/cli/report.h"
#include "probe/cli/words.h"

/* A cell with what its run says. */
struct gp_explained {
    const struct gp_result *result; /* borrowed */
    struct gp_run_data run;
    struct gp_causes causes;
    struct gp_what_if what_if;
    struct gp_critical critical;
    struct gp_advices advices; /* about this cell */
};

/* Of cells[place], whose run is read; the cells are of one scenario (gp_results_group).
 * GP_ENOTFOUND: no run's operations were kept. Else the reader's errors. Nothing is left in *out
 * when it fails. */
int gp_explained_load(struct gp_reader *reader, const struct gp_result *cells, uint32_t count,
                      uint32_t place, struct gp_explained *out, struct gp_error *err);
void gp_explained_finish(struct gp_explained *explained);

/* On stdout: what cell it is. */
void gp_explain_print_cell(const struct gp_explained *explained,
                           const struct gp_terminal *terminal);
/* What cell it is and its figures, and the timeline. */
void gp_explain_print_run(const struct gp_explained *explained, const struct gp_terminal *terminal);
/* Causes, critical path and advice. */
void gp_explain_print_why(const struct gp_explained *explained, const struct gp_terminal *terminal);
/* A table with what the time of each stream went to (analysis/stream_use.h). */
void gp_explain_print_streams(const struct gp_explained *explained,
                              const struct gp_terminal *terminal);
/* All that is known of one operation, under the name of its cell. */
void gp_explain_print_op(const struct gp_explained *explained, uint32_t op,
                         const struct gp_terminal *terminal);

enum { GP_STEPS_SHOWN_MAX = 1000 };

/* The same as JSON; of the critical path at most GP_STEPS_SHOWN_MAX steps. Never NULL. */
json_t *gp_explain_json(const struct gp_explained *explained);
/* Parts of it: the streams' use of time; how long how many operations ran at once, and their mean
 * number in each hundredth of the time until the last end. Never NULL. */
json_t *gp_explain_streams_json(const struct gp_explained *explained);
json_t *gp_explain_at_once_json(const struct gp_explained *explained);
/* One operation. Never NULL. */
json_t *gp_explain_op_json(const struct gp_explained *explained, uint32_t op);

/* "h2d 'upload' (operation 12)". */
void gp_explain_say_op(struct gp_words *words, const struct gp_run_data *run, uint32_t op);

/* Why the experiment changes nothing of the cell: a graph is no experiment for a graph, nor 256
 * streams for 128; for another program's run there is none. Half a sentence, static; NULL: it does
 * change something. */
const char *gp_explain_why_not(const struct gp_explained *explained,
                               const struct gp_experiment *experiment);
/* Whether it changes something. */
bool gp_explain_can_try(const struct gp_explained *explained,
                        const struct gp_experiment *experiment);

/* What an experiment changes of a cell, as options of the run verb: " --streams 8"; says nothing
 * for none. */
void gp_explain_say_experiment(struct gp_words *words, const struct gp_cell_row *cell,
                               const struct gp_experiment *experiment);

#endif
