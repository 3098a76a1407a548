/*
 * What the listening tool offers the test, by dlsym.
 */
#ifndef GP_TESTS_NVTX_LISTENER_H
#define GP_TESTS_NVTX_LISTENER_H

/* "listener_log": all lines so far. */
typedef const char *listener_log_fn(void);

#endif
