/*
 * The frozen DAG: what a tree of operations expands to. Immutable, so any number of threads may
 * read it. An operation's index is its id: construction order, the same for every policy, pool
 * size, issue order, pass and repeat; ids are a topological order.
 */
#ifndef GP_CORE_DAG_H
#define GP_CORE_DAG_H

#include "core/op.h"

/* Why one operation comes before another; the words of edge.kind. chain: both are of one chain;
 * data: the earlier one's result is shared (share, unzip); fork: the later one begins its chain;
 * join: the later one goes on with another chain. event: in recordings of other tools. */
#define GP_EDGE_KINDS(X)                                                                           \
    X(DATA, "data") X(CHAIN, "chain") X(FORK, "fork") X(JOIN, "join") X(EVENT, "event")

enum gp_edge_kind {
#define X(name, word) GP_EDGE_##name,
    GP_EDGE_KINDS(X)
#undef X
        GP_EDGE_KIND_COUNT
};

/* The list's word, static. */
const char *gp_edge_kind_name(enum gp_edge_kind kind);

struct gp_edge {
    uint32_t from, to; /* from < to */
    enum gp_edge_kind kind;
};

struct gp_dag_op {
    enum gp_op_kind kind;
    uint32_t chain;
    const char *name;                 /* owned by the DAG */
    struct gp_launch launch;          /* kernels; pointers owned by the DAG */
    uint64_t to, from, bytes;         /* copies and memset */
    struct gp_buffer *transient;      /* alloc and free: whose memory; borrowed */
    gp_host_fn *host;                 /* host functions */
    void *user;                       /* its argument */
    const struct gp_access *accesses; /* of every kind */
    uint32_t access_count;
    bool has_stand_ins; /* uses a transient buffer: addresses are put in when it is submitted */
    struct gp_attributes attributes; /* release_ns: no earlier than of those before it */
    uint32_t level;                  /* edges on the longest path from a source */
    /* edges[first_in .. first_in + in_count): those that end here */
    uint32_t first_in, in_count;
    uint32_t out_count;
    uint8_t value; /* memset */
};

struct gp_dag {
    struct gp_dag_op *ops;
    uint32_t op_count;
    struct gp_edge *edges; /* sorted by (to, from); no two alike */
    uint32_t edge_count;
    /* chain c holds chain_ops[chain_first[c] .. chain_first[c + 1]), ascending */
    uint32_t *chain_first;
    uint32_t *chain_ops;
    uint32_t chain_count;
    uint32_t level_count;
};

/* Expands `root`; *out is the caller's and borrows kernels and buffers, nothing of the builder. An
 * earlier failure of the builder is reported here. */
int gp_dag_freeze(struct gp_builder *builder, struct gp_op *root, struct gp_dag **out,
                  struct gp_error *err);
void gp_dag_destroy(struct gp_dag *dag);

/*
 * The parts of a DAG that nothing connects, as DAGs of their own, in the order of their first
 * operations: for who submits them one by one. They borrow names, arguments and accesses of `dag`,
 * which outlives them. (*out)[*count], 0 after a failure, is the caller's, to be released by
 * gp_dag_unsplit.
 */
int gp_dag_split(const struct gp_dag *dag, struct gp_dag ***out, uint32_t *count,
                 struct gp_error *err);
/* parts NULL allowed. */
void gp_dag_unsplit(struct gp_dag **parts, uint32_t count);

#endif
