/* NVTX without a tool that listens, or built without its headers: nothing happens and nothing
 * costs. */
#include "test.h"

#include <stdlib.h>

#include "core/sink.h"
#include "probe/nvtx/nvtx.h"
#include "probe/nvtx/ranges.h"

static void test_unheard_calls_do_nothing(void **state)
{
    struct gp_error err = {0};
    struct gp_nvtx *nvtx = NULL;
    const struct gp_dag dag = {0};

    (void)state;
    gp_assert_ok(gp_nvtx_create(&nvtx, &err), err);
    assert_int_equal(gp_nvtx_is_built_in(), GP_TEST_NVTX);
    assert_false(gp_nvtx_is_heard(nvtx));
    assert_null(gp_nvtx_sink(nvtx));
    gp_assert_ok(gp_nvtx_prepare(nvtx, &dag, &err), err);
    gp_nvtx_cell_begin(nvtx, "cell");
    gp_nvtx_run_begin(nvtx, "run");
    gp_nvtx_run_end(nvtx);
    gp_nvtx_cell_end(nvtx);
    gp_nvtx_destroy(nvtx);
}

static void test_kinds_have_colors_of_their_own(void **state)
{
    (void)state;
    for (int i = 0; i < GP_OP_KIND_COUNT; i++) {
        uint32_t color = gp_range_op_color((enum gp_op_kind)i);

        assert_int_equal(color >> 24, 0xff);
        for (int j = 0; j < i; j++) {
            assert_int_not_equal(color, gp_range_op_color((enum gp_op_kind)j));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unheard_calls_do_nothing),
        cmocka_unit_test(test_kinds_have_colors_of_their_own),
    };

    if (unsetenv("NVTX_INJECTION64_PATH") != 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
