/*
 * The instrumentation of traced runs: which operation gets a stamp slot or a timed event, and what
 * they said afterwards. Least disturbance first, by what was measured on an H200:
 *
 * - Kernels are stamped and no event stands near them (one after each small kernel triples a
 * swarm's time).
 * - A copy gets an event when that takes at most 4 % of the copy on its engine (of 4 MiB on an
 * H200; it costs 3 to 4 % of `mixed`). Of the others, those whose end no stamped kernel bounds
 * closely get one as far as 1 % of the run goes, evenly spread: events also take the host's time.
 * - Where streams outnumber connections, nothing that would hold a connection gets one.
 *
 * With BLOCKS the kernels' blocks stamp themselves instead, each where it ran; the rest is the
 * same.
 */
#ifndef GP_PROBE_TIMING_TRACER_H
#define GP_PROBE_TIMING_TRACER_H

#include "probe/record.h"
#include "probe/timing/clock.h"
#include "probe/timing/engines.h"

struct gp_tracer;

/* Blocks of a run that are stamped, 24 MiB of them; kernels beyond are stamped as a whole. */
enum { GP_TRACED_BLOCKS_MAX = 1 << 20 };

/* `stream` is a helper stream, borrowed; `mark` see gp_clock_anchor, prepared here. */
int gp_tracer_create(struct gp_device *device, struct gp_stream *stream,
                     const struct gp_kernel *mark, struct gp_tracer **out, struct gp_error *err);
void gp_tracer_destroy(struct gp_tracer *tracer);

struct gp_trace_plan {
    enum gp_trace trace; /* STAMPS, BLOCKS, or EVENTS (the naive recorder: events everywhere) */
    /* The run is a graph's launch: no events inside it, so only kernels are timed, by stamps, and
     * copies are bounded by them. */
    bool is_graph;
    const struct gp_engines *engines; /* borrowed */
    int64_t plain_ns;                 /* makespan of the plain twin; 0 unknown */
};

/*
 * Before a traced run on an idle device: decides per operation, clears the slots, samples the
 * clocks. *probes is borrowed until the next arm.
 */
int gp_tracer_arm(struct gp_tracer *tracer, const struct gp_schedule *schedule,
                  const struct gp_trace_plan *plan, const struct gp_probe **probes,
                  struct gp_error *err);

/* How the armed run is traced: the plan's, but STAMPS for EVENTS in a graph. */
enum gp_trace gp_tracer_trace(const struct gp_tracer *tracer);

/* Where the slots of stamps are. They move when a run of more operations is armed than any before;
 * a graph that was captured with them is then of no use. */
gp_addr gp_tracer_slots(const struct gp_tracer *tracer);

/* What was left out or does harm in the armed run, "" nothing; borrowed until the next arm. */
const char *gp_tracer_note(const struct gp_tracer *tracer);

/*
 * After the run: fills ready, done, stamp_begin and stamp_end of rows (one an operation; GP_UNKNOWN
 * where there is none), in ns from epoch_ns of the host clock.
 */
int gp_tracer_collect(struct gp_tracer *tracer, const struct gp_schedule *schedule,
                      int64_t epoch_ns, struct gp_op_row *rows, struct gp_error *err);

/* The blocks of the run collected last, by (op, block); borrowed until the next arm. */
const struct gp_block_row *gp_tracer_blocks(const struct gp_tracer *tracer, uint32_t *count);

/* The clock map of the run collected last. */
const struct gp_clock *gp_tracer_clock(const struct gp_tracer *tracer);

#endif
