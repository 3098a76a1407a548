/* What a cell's run says, as JSON: see explain.h. The names are the program's contract (man page).
 */
#include "probe/cli/explain.h"

#include "probe/analysis/what_if.h"
#include "probe/cli/advice_print.h"
#include "probe/cli/json.h"

static json_t *op_or_null(uint32_t op)
{
    return op == GP_NO_OP ? json_null() : json_integer(op);
}

static json_t *causes_json(const struct gp_what_if *what_if)
{
    const struct gp_causes *causes = what_if->causes;
    json_t *list = gp_json_need(json_array());

    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        const struct gp_cause_total *total = &causes->totals[cause];
        double idle_ns = (double)total->idle_ns;

        if (total->ops == 0) {
            continue;
        }
        (void)json_array_append_new(
            list,
            gp_json_need(json_pack(
                "{s:s, s:o, s:I, s:f, s:i, s:o, s:I}", "cause", gp_cause_name((enum gp_cause)cause),
                "waited_ns", gp_json_whole(total->waited_ns), "idle_ns", (json_int_t)total->idle_ns,
                "share", causes->idle_ns > 0 ? idle_ns / (double)causes->idle_ns : 0.0, "ops",
                (int)total->ops, "worst_op", op_or_null(total->worst_op), "without_ns",
                (json_int_t)what_if->without_ns[cause])));
    }
    return list;
}

static json_t *path_json(const struct gp_critical *critical)
{
    uint32_t count =
        critical->count < GP_STEPS_SHOWN_MAX ? critical->count : (uint32_t)GP_STEPS_SHOWN_MAX;
    json_t *list = gp_json_need(json_array());

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_critical_step *step = &critical->steps[i];

        (void)json_array_append_new(
            list, gp_json_need(json_pack("{s:i, s:I, s:I, s:b, s:o}", "op", (int)step->op,
                                         "from_ns", (json_int_t)step->from, "to_ns",
                                         (json_int_t)step->to, "runs", (int)step->is_run, "cause",
                                         step->cause == GP_CAUSE_COUNT
                                             ? json_null()
                                             : json_string(gp_cause_name(step->cause)))));
    }
    return list;
}

json_t *gp_explain_json(const struct gp_explained *explained)
{
    const struct gp_cell_row *cell = explained->result->cell;

    return gp_json_need(
        json_pack("{s:I, s:o, s:o, s:o, s:o, s:i, s:o, s:I, s:o, s:o, s:o, s:o, s:i, s:o, s:o}",
                  "cell", (json_int_t)cell->id, "scenario", gp_json_text(cell->scenario), "params",
                  gp_json_params(cell->params), "connections",
                  gp_json_number(explained->result->device->connections), "policy",
                  gp_json_text(cell->policy), "streams", (int)cell->streams, "note",
                  gp_json_text_or_null(explained->result->device->kind == GP_ORIGIN_IMPORTED
                                           ? explained->run.run.trace_note
                                           : NULL),
                  "idle_ns", (json_int_t)explained->causes.idle_ns, "makespan_ns",
                  gp_json_number(explained->run.run.makespan_ns), "causes",
                  causes_json(&explained->what_if), "by_stream", gp_explain_streams_json(explained),
                  "at_once", gp_explain_at_once_json(explained), "critical_path_steps",
                  (int)explained->critical.count, "critical_path", path_json(&explained->critical),
                  "advice", gp_advice_json(&explained->advices)));
}
