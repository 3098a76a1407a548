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
#define gp_assert_ok(call, err) gp_test_ok((call), #call, (err).text, __FILE__, __LINE__)

static inline void gp_test_ok(int code, const char *call, const char *text, const char *file,
                              int line)
{
    if (code != 0) {
        print_error("%s: %s\n", call, text);
        _fail(file, line);
    }
}

#endif
