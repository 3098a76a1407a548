/*
 * The copy oracle: when the bytes of a copy really arrive, seen without any recorder. Sixteen words
 * spread over the destination are watched until they change: those of an upload by a kernel on the
 * device's clock, those of a download by the host on its own. So what events and CUPTI say of
 * copies can be held against something that neither of them had a part in. Only a GPU has it: a
 * copy of the model moves its bytes all at once.
 */
#ifndef GP_PROBE_TIMING_ORACLE_H
#define GP_PROBE_TIMING_ORACLE_H

#include "core/op.h"
#include "probe/record.h"
#include "probe/timing/clock.h"
#include "probe/timing/engines.h"

enum { GP_ORACLE_WORDS = 16, GP_ORACLE_LOADS = 4 /* copies that load the other direction */ };

#define GP_ORACLE_BYTES_MAX (UINT64_C(64) << 20)

/* How busy the engines are while a copy is watched: not at all; it waits behind another copy of its
 * size and direction; likewise, and the other direction copies all the time. */
#define GP_ORACLE_TRAFFICS(X) X(ALONE, "alone") X(BEHIND, "behind") X(LOADED, "loaded")

enum gp_oracle_traffic {
#define X(name, word) GP_ORACLE_##name,
    GP_ORACLE_TRAFFICS(X)
#undef X
        GP_ORACLE_TRAFFIC_COUNT
};

/* One copy, in ns of the host clock. Each change lies in [lo, hi]: between the begin of the last
 * look that did not find it and the end of the first that did. */
struct gp_oracle_sample {
    int64_t submit_begin_ns, submit_end_ns;
    int64_t first_lo_ns, first_hi_ns; /* of the words' changes, the first */
    int64_t last_lo_ns, last_hi_ns;   /* and the last */
    int64_t done_ns;                  /* timed event after the copy, by the clock map */
    int64_t clock_ns;  /* by how much the clock of the changes may be off from that of the events; 0
                          for uploads, which the device watches */
    int64_t before_ns; /* likewise after the one it waited behind; GP_UNKNOWN: there was none */
};

struct gp_oracle_plan {
    int direction;
    uint64_t bytes; /* 64 to a quarter of GP_ORACLE_BYTES_MAX, a multiple of 64; alone all of it */
    enum gp_oracle_traffic traffic;
};

/* What a watched copy submits, for a recorder that looks on: kinds in this order, the copy itself
 * among them. */
enum { GP_ORACLE_OPERATIONS_MAX = 12 };

struct gp_oracle_operations {
    enum gp_op_kind kinds[GP_ORACLE_OPERATIONS_MAX];
    uint32_t count;
    uint32_t copy; /* index of the watched one */
};

struct gp_oracle;

/* Buffers, streams and a clock map of its own; borrows device and helper stream. GP_EUNSUPPORTED on
 * the model. *out is the caller's. */
int gp_oracle_create(struct gp_device *device, struct gp_stream *stream, struct gp_oracle **out,
                     struct gp_error *err);
void gp_oracle_destroy(struct gp_oracle *oracle);

/* The word for it, static. */
const char *gp_oracle_traffic_name(enum gp_oracle_traffic traffic);

/* Samples both clocks again; the device is idle. The map of a sample is the one made last, which is
 * to be no older than a second. */
int gp_oracle_anchor(struct gp_oracle *oracle, struct gp_error *err);

/* What gp_oracle_copy submits of it. */
void gp_oracle_list(const struct gp_oracle_plan *plan, struct gp_oracle_operations *out);

/* One planned copy on an idle device. GP_ESTATE: the words never changed. */
int gp_oracle_copy(struct gp_oracle *oracle, const struct gp_oracle_plan *plan,
                   struct gp_oracle_sample *out, struct gp_error *err);

/* What the resolver says of a watched copy, from what a recording would have of it: when it was
 * submitted, its event, and that of the copy before. Only kind, bytes, begin, end and their
 * intervals of *out mean anything, in ns of the host clock. A pure function. */
void gp_oracle_resolve(const struct gp_oracle_plan *plan, const struct gp_oracle_sample *sample,
                       const struct gp_engines *engines, struct gp_op_row *out);

#endif
