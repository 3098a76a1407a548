/*
 * Every symbol of libcupti that we call. All are needed; the newest, the timestamp function, has
 * been there since CUDA 11.6.
 *
 * X(symbol, parameters)
 */
#ifndef GP_PROBE_CUPTI_SYMBOLS_H
#define GP_PROBE_CUPTI_SYMBOLS_H

#include "probe/cupti/abi.h"

/* Gives CUPTI an empty buffer, or NULL: what would have gone there is dropped. records_max 0: as
 * many as fit. */
typedef void gp_cupti_request_fn(uint8_t **buffer, size_t *bytes, size_t *records_max);
/* Takes a buffer back, valid_bytes of which are records. */
typedef void gp_cupti_complete_fn(struct CUctx_st *context, uint32_t stream_id, uint8_t *buffer,
                                  size_t bytes, size_t valid_bytes);
typedef void gp_cupti_callback_fn(void *user, unsigned int domain, unsigned int id,
                                  const void *data);
typedef uint64_t gp_cupti_clock_fn(void);

#define GP_CUPTI_SYMBOLS(X)                                                                        \
    X(cuptiGetVersion, (uint32_t * version))                                                       \
    X(cuptiGetResultString, (gp_cupti_result result, const char **text))                           \
    X(cuptiSubscribe,                                                                              \
      (struct CUpti_Subscriber_st * *subscriber, gp_cupti_callback_fn * callback, void *user))     \
    X(cuptiUnsubscribe, (struct CUpti_Subscriber_st * subscriber))                                 \
    X(cuptiActivityRegisterCallbacks,                                                              \
      (gp_cupti_request_fn * request, gp_cupti_complete_fn * complete))                            \
    X(cuptiActivityRegisterTimestampCallback, (gp_cupti_clock_fn * clock))                         \
    X(cuptiActivityEnable, (unsigned int kind))                                                    \
    X(cuptiActivityDisable, (unsigned int kind))                                                   \
    X(cuptiActivityFlushAll, (uint32_t flag))                                                      \
    X(cuptiActivityGetNextRecord,                                                                  \
      (uint8_t * buffer, size_t valid_bytes, struct gp_cupti_record * *record))                    \
    X(cuptiActivityGetNumDroppedRecords,                                                           \
      (struct CUctx_st * context, uint32_t stream_id, size_t * dropped))

#endif
