/* Schedules: see schedule.h. Asks the policy, and writes the steps; submits nothing. */
#include "core/schedule.h"

#include <assert.h>
#include <inttypes.h>

#include "core/issue.h"
#include "core/memory.h"
#include "core/waits.h"

static const char *const how_names[] = {
#define X(name, word) word,
    GP_EDGE_HOWS(X)
#undef X
};

const char *gp_edge_how_name(enum gp_edge_how how)
{
    assert((unsigned)how < GP_EDGE_HOW_COUNT);
    return how_names[how];
}

static int fail_memory(struct gp_error *err)
{
    return gp_fail(err, GP_ENOMEM, "out of host memory for a schedule");
}

static uint32_t count_rules(const struct gp_policy_ops *ops)
{
    uint32_t count = 0;

    while (ops->rules != NULL && ops->rules[count] != NULL) {
        count++;
    }
    return count;
}

/* One choice, checked: policies may come from elsewhere. */
static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    int code = policy->ops->choose(policy, plan, dag, op, out, err);

    if (code != 0) {
        (void)gp_fail_context(err, "policy '%s' for operation %" PRIu32 " '%s'", policy->ops->name,
                              op, dag->ops[op].name);
        return code;
    }
    if (out->stream >= policy->stream_count) {
        return gp_fail(err, GP_EINVAL,
                       "policy '%s' chose stream %" PRIu32 " of a pool of %" PRIu32
                       " for operation %" PRIu32 " '%s'",
                       policy->ops->name, out->stream, policy->stream_count, op, dag->ops[op].name);
    }
    if (out->rule >= count_rules(policy->ops)) {
        return gp_fail(err, GP_EINVAL,
                       "policy '%s' gave rule %u for operation %" PRIu32 " '%s', but has %" PRIu32,
                       policy->ops->name, out->rule, op, dag->ops[op].name,
                       count_rules(policy->ops));
    }
    return 0;
}

static int choose_all(struct gp_schedule *schedule, struct gp_policy *policy, void *plan,
                      const uint32_t *issue, struct gp_error *err)
{
    const struct gp_dag *dag = schedule->dag;

    for (uint32_t i = 0; i < dag->op_count; i++) {
        uint32_t op = issue[i];
        uint32_t first = dag->chain_ops[dag->chain_first[dag->ops[op].chain]];

        if (policy->ops->unit == GP_UNIT_CHAIN && first != op) {
            schedule->choices[op] = schedule->choices[first];
        } else {
            int code = choose(policy, plan, dag, op, &schedule->choices[op], err);

            if (code != 0) {
                return code;
            }
        }
    }
    return 0;
}

/* With the policy's look at the whole DAG, if it wants one. */
static int ask_policy(struct gp_schedule *schedule, struct gp_policy *policy, const uint32_t *issue,
                      struct gp_error *err)
{
    void *plan = NULL;
    int code;

    if (policy->ops->plan != NULL) {
        code = policy->ops->plan(policy, schedule->dag, &plan, err);
        if (code != 0) {
            (void)gp_fail_context(err, "policy '%s'", policy->ops->name);
            return code;
        }
    }
    code = choose_all(schedule, policy, plan, issue, err);
    if (policy->ops->unplan != NULL) {
        policy->ops->unplan(policy, plan);
    }
    return code;
}

static int list_streams(struct gp_schedule *schedule, const struct gp_policy *policy,
                        struct gp_error *err)
{
    schedule->streams = gp_alloc(schedule->stream_count, sizeof *schedule->streams);
    if (schedule->streams == NULL) {
        return fail_memory(err);
    }
    for (uint32_t i = 0; i < schedule->stream_count; i++) {
        schedule->streams[i] = gp_policy_stream(policy, i);
    }
    schedule->needs_pool = gp_policy_needs_pool(policy);
    return 0;
}

static int list_used(struct gp_schedule *schedule, struct gp_error *err)
{
    bool is_used[GP_STREAMS_MAX] = {false};

    schedule->used = gp_alloc(schedule->stream_count, sizeof *schedule->used);
    if (schedule->used == NULL) {
        return fail_memory(err);
    }
    for (uint32_t op = 0; op < schedule->dag->op_count; op++) {
        is_used[schedule->choices[op].stream] = true;
    }
    for (uint32_t stream = 0; stream < schedule->stream_count; stream++) {
        if (is_used[stream]) {
            schedule->used[schedule->used_count++] = stream;
        }
    }
    return 0;
}

static void write_steps(struct gp_schedule *schedule, const uint32_t *issue, uint32_t *events)
{
    const struct gp_dag *dag = schedule->dag;
    struct gp_step *step = schedule->steps;

    for (uint32_t i = 0; i < dag->op_count; i++) {
        uint32_t op = issue[i];
        uint32_t stream = schedule->choices[op].stream;
        uint32_t first = dag->ops[op].first_in;

        for (uint32_t e = first; e < first + dag->ops[op].in_count; e++) {
            if (schedule->hows[e] == GP_HOW_EVENT) {
                *step++ = (struct gp_step){GP_STEP_WAIT, op, stream, events[dag->edges[e].from]};
            }
        }
        *step++ = (struct gp_step){GP_STEP_OP, op, stream, 0};
        if (events[op] != UINT32_MAX) {
            events[op] = schedule->event_count++;
            *step++ = (struct gp_step){GP_STEP_RECORD, op, stream, events[op]};
        }
    }
    assert(step == schedule->steps + schedule->step_count);
}

/* The steps of chosen streams and decided edges. */
static int make_steps(struct gp_schedule *schedule, const uint32_t *issue, struct gp_error *err)
{
    const struct gp_dag *dag = schedule->dag;
    uint32_t *events = gp_alloc(dag->op_count, sizeof *events);

    if (events == NULL) {
        return fail_memory(err);
    }
    for (uint32_t op = 0; op < dag->op_count; op++) {
        events[op] = UINT32_MAX;
    }
    schedule->step_count = dag->op_count;
    for (uint32_t e = 0; e < dag->edge_count; e++) {
        if (schedule->hows[e] == GP_HOW_EVENT) {
            schedule->step_count += events[dag->edges[e].from] == UINT32_MAX ? 2 : 1;
            events[dag->edges[e].from] = 0;
        }
    }
    schedule->steps = gp_alloc(schedule->step_count, sizeof *schedule->steps);
    if (schedule->steps != NULL) {
        write_steps(schedule, issue, events);
    }
    gp_free(events);
    return schedule->steps != NULL ? 0 : fail_memory(err);
}

static int fill(struct gp_schedule *schedule, struct gp_policy *policy, uint32_t *issue,
                struct gp_error *err)
{
    int code = gp_issue_order_fill(schedule->dag, schedule->order, issue, err);

    if (code == 0) {
        code = ask_policy(schedule, policy, issue, err);
    }
    if (code == 0) {
        code = list_streams(schedule, policy, err);
    }
    if (code == 0) {
        code = list_used(schedule, err);
    }
    if (code == 0) {
        code = gp_waits_derive(schedule, issue, err);
    }
    if (code == 0) {
        code = make_steps(schedule, issue, err);
    }
    return code;
}

int gp_schedule_create(struct gp_policy *policy, const struct gp_dag *dag,
                       enum gp_issue_order order, struct gp_schedule **out, struct gp_error *err)
{
    struct gp_schedule *schedule;
    uint32_t *issue;
    int code;

    assert(policy != NULL && dag != NULL && out != NULL);
    assert(policy->stream_count > 0 && policy->stream_count <= GP_STREAMS_MAX);
    *out = NULL;
    schedule = gp_alloc(1, sizeof *schedule);
    issue = gp_alloc(dag->op_count, sizeof *issue);
    if (schedule == NULL || issue == NULL) {
        gp_free(schedule);
        gp_free(issue);
        return fail_memory(err);
    }
    schedule->dag = dag;
    schedule->policy = policy->ops;
    schedule->stream_count = policy->stream_count;
    schedule->order = order;
    schedule->choices = gp_alloc(dag->op_count, sizeof *schedule->choices);
    schedule->hows = gp_alloc(dag->edge_count, sizeof *schedule->hows);
    if (schedule->choices == NULL || schedule->hows == NULL) {
        code = fail_memory(err);
    } else {
        code = fill(schedule, policy, issue, err);
    }
    gp_free(issue);
    if (code != 0) {
        gp_schedule_destroy(schedule);
        return code;
    }
    *out = schedule;
    return 0;
}

void gp_schedule_destroy(struct gp_schedule *schedule)
{
    if (schedule == NULL) {
        return;
    }
    gp_free(schedule->streams);
    gp_free(schedule->choices);
    gp_free(schedule->hows);
    gp_free(schedule->steps);
    gp_free(schedule->used);
    gp_free(schedule);
}
