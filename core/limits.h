/*
 * Every bound of the library in one place. A bound is checked where its input comes in; the rest of
 * the code may assert it.
 */
#ifndef GP_CORE_LIMITS_H
#define GP_CORE_LIMITS_H

enum {
    GP_STREAMS_MAX = 128,          /* pool size; also what the hardware keeps resident (measured) */
    GP_STREAMS_DEFAULT = 4,        /* the pool size of the origins */
    GP_CONNECTIONS_MAX = 32,       /* CUDA_DEVICE_MAX_CONNECTIONS, CUDA Programming Guide */
    GP_CONNECTIONS_DEFAULT = 8,    /* when the environment says nothing, likewise */
    GP_KERNEL_ARGS_MAX = 16,       /* without the stamp slot */
    GP_ARG_BYTES_MAX = 64,         /* one argument */
    GP_ACCESSES_MAX = 16,          /* declared buffer ranges of one operation */
    GP_TRANSIENT_ID_MAX = 1 << 22, /* a transient buffer's stand-in address is made of its id */
    GP_OPS_MAX = 1 << 24,          /* one frozen DAG */
    GP_EDGES_MAX = 1 << 26,        /* one frozen DAG */
    GP_HAZARDS_MAX = 10000,        /* reported of one schedule */
    GP_NESTING_MAX = 1024,   /* combinators inside one another; expansion recurses that deep */
    GP_NAME_BYTES_MAX = 128, /* names of streams, buffers, operations, with the final NUL */
    GP_DEVICES_MAX = 64,     /* device ordinals */
    GP_LANES_MAX = 64,       /* threads attached to one model device */
    GP_PRIORITY_LEVELS_MAX = 8,
};

_Static_assert(GP_STREAMS_DEFAULT <= GP_STREAMS_MAX, "the default pool must be allowed");
_Static_assert(GP_CONNECTIONS_DEFAULT <= GP_CONNECTIONS_MAX, "the default must be allowed");

#endif
