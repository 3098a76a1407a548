/*
 * What every test file includes first: cmocka with what it needs before it, in the order it needs.
 */
#ifndef GP_TESTS_TEST_H
#define GP_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* ctest's "skipped" (SKIP_RETURN_CODE). */
enum { GP_TEST_SKIPPED = 77 };

/* A call that must succeed; shows the error's text when it does not. */
#define gp_assert_ok(call, err)                                                                    \
    do {                                                                                           \
        if ((call) != 0) {                                                                         \
            fail_msg("%s: %s", #call, (err).text);                                                 \
        }                                                                                          \
    } while (0)

#endif
