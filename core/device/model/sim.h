/*
 * The device's side of the model: a discrete-event simulation of streams, connections, front end,
 * SMs, copy engines and host-function thread in virtual time. It knows no host threads (lane.h) and
 * no bytes (execute.h); whoever calls holds the model's lock. Inner parts call one another through
 * this header; each part says which rules it obeys and where they were measured.
 *
 * Time is int64 ns from 0; events happen in (time, sequence) order. All that is due at one moment
 * is done before blocks are placed and speeds are set anew.
 */
#ifndef GP_CORE_DEVICE_MODEL_SIM_H
#define GP_CORE_DEVICE_MODEL_SIM_H

#include <stdbool.h>

#include "core/device/device.h"
#include "core/device/model/heap.h"
#include "core/device/model/share.h"
#include "core/device/model/slab.h"
#include "core/device/model/sm.h"

enum gp_sim_kind {
    GP_SIM_KERNEL,
    GP_SIM_D2D, /* by SMs */
    GP_SIM_SET, /* by SMs when it is large */
    GP_SIM_H2D,
    GP_SIM_D2H,
    GP_SIM_RECORD,
    GP_SIM_WAIT,
    GP_SIM_WRITE,
    GP_SIM_FUNCTION,
    GP_SIM_ALLOC, /* a node of a graph; takes no time, nor does a free */
    GP_SIM_FREE,
    GP_SIM_GRAPH,
};

enum { GP_SIM_PARTS_MAX = 17 }; /* the whole, and 8 splits in two */

/* What the pending event of a heap node is; names its owner. */
enum gp_sim_event {
    GP_SIM_ARRIVE,         /* op: the device sees it */
    GP_SIM_READY,          /* op: the latency after its predecessor is over */
    GP_SIM_FINISH,         /* op: done */
    GP_SIM_FUNCTION_RUN,   /* op */
    GP_SIM_FUNCTION_END,   /* op */
    GP_SIM_FRONT_FREE,     /* front end */
    GP_SIM_ENGINE_FREE,    /* engine */
    GP_SIM_COHORT_END,     /* cohort */
    GP_SIM_MARKER_VISIBLE, /* marker */
    GP_SIM_STREAM_VISIBLE, /* stream */
};

/* Where the next operation of a stream may go; the latency to it depends on what came before. */
enum gp_sim_target { GP_SIM_TO_SM, GP_SIM_TO_H2D, GP_SIM_TO_D2H, GP_SIM_TARGETS };

struct gp_sim_op;

struct gp_sim_queue {
    struct gp_sim_op *head, *tail;
};

/* One record of an event, or the end of something that others wait for. */
struct gp_sim_marker {
    struct gp_heap_node node;
    uint32_t references; /* the event, the record, each wait */
    bool is_done;
    bool is_visible; /* to a query of the host */
    bool is_timed;
    int64_t time_ns;
    int64_t floor_ns[GP_SIM_TARGETS]; /* earliest start of what waits for it */
    struct gp_sim_queue waiters;
};

struct gp_sim_stream {
    struct gp_heap_node node;
    struct gp_sim_stream *next, *previous; /* all of the device */
    struct gp_sim_op *head, *tail;         /* submitted and not complete, in order */
    uint64_t submitted, completed;
    uint32_t launches, commands; /* outstanding */
    uint32_t level;              /* 0 is the highest priority */
    uint32_t part;               /* whose SMs it has: index of sim->parts */
    int32_t connection;          /* leased; -1 when idle */
    bool is_blocking;            /* ordered with the NULL stream */
    bool is_destroyed;           /* freed when idle */
    bool is_watched;             /* the host asked and it was not ready */
    enum gp_sim_kind last_work;  /* of the last submitted that is neither record nor wait */
    bool last_is_timed;          /* the last submitted is a timed record */
    int64_t arrival_ns;          /* of the last submitted */
    int64_t idle_ns;             /* when it last ran dry */
    uint64_t null_order;         /* how far it and the NULL stream are ordered: of a blocking */
    uint64_t null_order_back;    /* stream, what NULL waits for; what it waits for of NULL */
    int64_t floor_ns[GP_SIM_TARGETS];
};

/* A graph in execution; graph.h. */
struct gp_graph_run;
/* What an operation does to bytes; execute.h. */
struct gp_action;

struct gp_sim_op {
    struct gp_heap_node node;
    enum gp_sim_kind kind;
    struct gp_sim_stream *stream;      /* NULL for a graph's node */
    struct gp_sim_op *next;            /* in its stream */
    struct gp_sim_op *connection_next; /* in its connection */
    struct gp_sim_op *queue_next;      /* in the one queue where it waits */
    struct gp_sim_op *ready_next;      /* among those to be looked at */
    struct gp_graph_run *run;          /* of a graph's node; of a graph's launch */
    struct gp_action *action;          /* one reference; NULL none */
    const struct gp_kernel *kernel;    /* of launches; for messages */
    struct gp_sim_marker *marker;      /* record: its own; wait: awaited; one reference */
    int32_t connection;                /* that it goes through; -1 none */
    uint32_t run_node;
    bool has_arrived, has_started, is_ready_listed, in_connection;
    bool is_timed, after_copy, after_timed; /* records and writes */
    bool is_faulty;                         /* touches what is not its own: a fault when it ends */
    bool has_waited;                        /* its stream was busy when it was submitted */
    uint32_t level, part;
    uint32_t watched; /* index + 1 in the log; 0: it is in none */
    int64_t bytes;    /* copies */
    /* kernels, and what runs as one */
    struct gp_footprint footprint;
    struct gp_block_cost cost;
    uint64_t age;
    uint64_t blocks; /* of the grid; assigned in the order of their index */
    uint64_t unassigned, running;
    int64_t begin_ns, end_ns;
    gp_addr stamp;
    uint32_t flow; /* index + 1 among those that use the memory */
    gp_host_fn *function;
    void *user;
    uint32_t *flag;
    uint32_t value;
};

/* Blocks of one kernel that began together on one SM. */
struct gp_sim_cohort {
    struct gp_heap_node node;
    struct gp_sim_op *op;
    struct gp_sim_cohort *next, *previous; /* on its SM, the newest first */
    uint32_t place, count;
    uint32_t newest_block; /* index + 1 of its newest that is stamped; the rest, see execute.h */
    int64_t start_ns;
    int64_t spin_ns;   /* it takes at least this long */
    int64_t since_ns;  /* work_q16 and speed_q16 hold from here */
    int64_t work_q16;  /* left, in ns at full speed */
    int64_t speed_q16; /* 0: not set yet */
};

struct gp_sim_engine {
    struct gp_heap_node node;
    struct gp_sim_queue queue;
    struct gp_sim_op *current;
    int64_t since_ns;
    int64_t setup_ns; /* left */
    int64_t left;     /* bytes × 1000, so that a rate in MB/s is what goes in a ns */
    int64_t rate;
};

struct gp_sim_front {
    struct gp_heap_node node;
    struct gp_sim_queue queue;
    struct gp_sim_op *current;
    bool is_busy;
};

struct gp_memory;

struct gp_sim {
    const struct gp_profile *profile;
    struct gp_memory *memory; /* borrowed; where effects go */
    int64_t now_ns;
    uint64_t observations;           /* counts what a polling host could notice */
    bool is_executing;               /* bytes are moved */
    struct gp_work_times *watch_log; /* borrowed; NULL: nobody watches */
    uint32_t watch_count, watch_next;
    struct gp_error fault; /* code 0: none; else the device is lost */
    struct gp_heap heap;
    struct gp_slab ops, markers, streams, cohorts;
    struct gp_sim_stream *first_stream;
    struct gp_sim_stream *null_stream;
    uint32_t busy_streams;
    uint32_t connection_count;
    uint32_t leases[GP_CONNECTIONS_MAX];
    struct gp_sim_queue connections[GP_CONNECTIONS_MAX];
    struct gp_sim_queue ready;
    struct gp_sim_front front;
    uint32_t grids;
    struct gp_sim_queue grid_queue;
    /* Parts of the SMs, the whole first; each has queues of its own. */
    struct gp_sm_range parts[GP_SIM_PARTS_MAX];
    uint32_t part_count;
    struct gp_sim_queue levels[GP_SIM_PARTS_MAX][GP_PRIORITY_LEVELS_MAX];
    bool must_place;
    uint64_t age;
    struct gp_sms sms;
    struct gp_sim_cohort *on_sm[GP_SMS_MAX];
    uint64_t dirty[GP_SM_WORDS]; /* SMs whose speeds must be set anew */
    struct gp_sim_op **flows;    /* kernels that use the memory and run */
    struct gp_share_flow *flow_shares;
    uint32_t flow_count;
    bool must_share;
    int64_t memory_cap_q16;
    struct gp_sim_engine engines[2]; /* H2D, D2H */
    struct gp_sim_queue functions;   /* host functions; the head is being run */
    struct gp_sim_op *due_function;  /* to be called now, see gp_sim_function_done */
};

/* ---- sim.c ---------------------------------------------------------------------------------- */

/* connections: 1 … GP_CONNECTIONS_MAX. GP_ENOMEM. finish is allowed after a failure. */
int gp_sim_init(struct gp_sim *sim, const struct gp_profile *profile, struct gp_memory *memory,
                uint32_t connections, struct gp_error *err);
void gp_sim_finish(struct gp_sim *sim);

/* The time of the next event; INT64_MAX when none is pending. */
int64_t gp_sim_next_ns(const struct gp_sim *sim);

/* Does all that is due at that time. When due_function is set afterwards, it is to be called
 * without the lock and gp_sim_function_done after it, before the next step. */
void gp_sim_step(struct gp_sim *sim);

/* Makes the device lost; the first fault stays. */
void gp_sim_fail(struct gp_sim *sim, const struct gp_error *err);

/* Appends, and takes the first; NULL when empty. */
void gp_sim_push(struct gp_sim_queue *queue, struct gp_sim_op *op);
/* See gp_sim_push. */
struct gp_sim_op *gp_sim_pop(struct gp_sim_queue *queue);
/* What is pending for the node happens at at_ns ≥ now. */
void gp_sim_schedule(struct gp_sim *sim, struct gp_heap_node *node, enum gp_sim_event event,
                     int64_t at_ns);

/* ---- stream.c: order inside and between streams, connections --------------------------------- */

/* GP_ENOMEM. level < the profile's priority_levels. */
int gp_sim_stream_create(struct gp_sim *sim, uint32_t level, bool is_blocking,
                         struct gp_sim_stream **out, struct gp_error *err);
/* Its kernels run on those SMs only, from the first submission on. GP_EUNSUPPORTED: there are too
 * many different parts. */
int gp_sim_stream_restrict(struct gp_sim *sim, struct gp_sim_stream *stream,
                           struct gp_sm_range range, struct gp_error *err);
/* Its work goes on. */
void gp_sim_stream_destroy(struct gp_sim *sim, struct gp_sim_stream *stream);
/* Everything that was submitted is complete. */
bool gp_sim_stream_is_idle(const struct gp_sim_stream *stream);

/* A blank one; NULL without memory. */
struct gp_sim_op *gp_sim_op_create(struct gp_sim *sim, enum gp_sim_kind kind);
/* Only before it is submitted. */
void gp_sim_op_destroy(struct gp_sim *sim, struct gp_sim_op *op);

/* Puts the operation at the stream's end; the device sees it at at_ns. The sim owns it then. */
void gp_sim_submit(struct gp_sim *sim, struct gp_sim_stream *stream, struct gp_sim_op *op,
                   int64_t at_ns);

/* Gives it its place in the log of who watches; see gp_device_watch. */
void gp_sim_watch(struct gp_sim *sim, struct gp_sim_op *op);

/* To be looked at: perhaps it can start. */
void gp_sim_consider(struct gp_sim *sim, struct gp_sim_op *op);
/* Looks at them. */
void gp_sim_settle(struct gp_sim *sim);

/* Begins an operation that has its turn, not before the floors of its kind. */
void gp_sim_start(struct gp_sim *sim, struct gp_sim_op *op, const int64_t *floor_ns);

/* The operation is over: its effect, those who wait, the stream's next. */
void gp_sim_complete(struct gp_sim *sim, struct gp_sim_op *op);

/* Raises the earliest starts of what follows `op`, which ends now. */
void gp_sim_floors_after(const struct gp_sim *sim, const struct gp_sim_op *op, int64_t *floor_ns);

/* Its connection may serve the next. */
void gp_sim_leave_connection(struct gp_sim *sim, struct gp_sim_op *op);

/* One reference is the caller's; NULL without memory. */
struct gp_sim_marker *gp_sim_marker_create(struct gp_sim *sim, bool is_timed);
/* NULL allowed. */
void gp_sim_marker_release(struct gp_sim *sim, struct gp_sim_marker *marker);

/* ---- front.c: front end, resident grids, priorities -------------------------------------------
 */

/* The command's turn at the front end comes after those already there. */
void gp_sim_front_request(struct gp_sim *sim, struct gp_sim_op *op);
/* Its current command is through. */
void gp_sim_front_free(struct gp_sim *sim);
/* Gives blocks of the queues' heads to SMs. */
void gp_sim_place(struct gp_sim *sim);
/* All its blocks have ended. */
void gp_sim_grid_done(struct gp_sim *sim, struct gp_sim_op *op);

/* ---- block.c: blocks on SMs and their speed -------------------------------------------------- */

/* Assigns blocks while they fit; true when none is left to assign. */
bool gp_sim_assign(struct gp_sim *sim, struct gp_sim_op *op);
/* Its blocks have ended. */
void gp_sim_cohort_end(struct gp_sim *sim, struct gp_sim_cohort *cohort);
/* Re-times the blocks whose share has changed. */
void gp_sim_set_speeds(struct gp_sim *sim);

/* ---- engine.c: copies ------------------------------------------------------------------------ */

/* H2D, D2H; and a timed record behind one. */
void gp_sim_engine_request(struct gp_sim *sim, struct gp_sim_op *op);
/* Its current copy is over. */
void gp_sim_engine_free(struct gp_sim *sim, struct gp_sim_engine *engine);

/* ---- function.c: host functions ---------------------------------------------------------------
 */

/* The host function's turn comes after those already waiting. */
void gp_sim_function_request(struct gp_sim *sim, struct gp_sim_op *op);
/* It is due: gp_sim_step returns so that it be called. */
void gp_sim_function_run(struct gp_sim *sim, struct gp_sim_op *op);
/* Its time is over. */
void gp_sim_function_end(struct gp_sim *sim, struct gp_sim_op *op);
/* The due function has returned. */
void gp_sim_function_done(struct gp_sim *sim);

#endif
