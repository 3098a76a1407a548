/* --scenario kernel: a kernel of the user's runs without any C, and what is wrong with it is said
 * before there is a recording. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

#define CUBIN GP_TEST_IMAGES "/scale.cubin"
#define PTX GP_TEST_IMAGES "/scale.ptx"
#define RUN "--scenario kernel -d model -q "
#define SCALE ",name=scale,grid=64,block=128,args=in:32K,out:32K,u32:8192,f32:1.5"

/* The first half of the cubin. */
static void write_cut(const char *path)
{
    static char bytes[3600];
    FILE *from = fopen(CUBIN, "rb");
    FILE *to = fopen(path, "wb");

    assert_non_null(from);
    assert_non_null(to);
    assert_int_equal(fread(bytes, 1, sizeof bytes, from), sizeof bytes);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, to), sizeof bytes);
    assert_int_equal(fclose(from), 0);
    assert_int_equal(fclose(to), 0);
}

static void test_a_cubin_and_ptx_run(void **state)
{
    (void)state;
    process_expect(RUN "--force -o k -p single,round-robin -s 1,4 -r 1 --set image=" CUBIN SCALE, 0,
                   "not checked", NULL);
    process_expect("show k", 0, "name scale", NULL);
    process_expect("explain k", 0, "kernel under round-robin", NULL);
    process_expect("explain k", 0, "hardly known", NULL);
    process_expect("check k", 0, "nothing is wrong", NULL);
    process_expect(RUN "--force -o k -p all -s 4 -r 1 --set copies=on,count=8,image=" PTX SCALE, 0,
                   "not checked", NULL);
    process_expect(RUN "--force -o k --submit graph -s 4 -r 1 --set image=" PTX SCALE, 0,
                   "not checked", NULL);
    process_expect("check k", 0, "nothing is wrong", NULL);
}

static void test_it_is_not_in_all(void **state)
{
    (void)state;
    process_expect("list scenarios", 0, "from PTX or a cubin, many times over (not in 'all')",
                   NULL);
    process_expect("--scenario kernel -d model --dry-run", 2, NULL,
                   "kernel: image is missing: --set image=FILE");
}

static void test_what_is_wrong_is_usage_and_nothing_is_recorded(void **state)
{
    static const struct {
        const char *settings, *message;
    } wrong[] = {
        {"image=absent.cubin,grid=1,block=1", "'absent.cubin' cannot be opened: No such file"},
        {"image=cut.cubin" SCALE, "'cut.cubin': the cubin is cut off or damaged"},
        {"image=" CUBIN ",name=scael,grid=1,block=1", "has no kernel 'scael'; it has 'nothing'"},
        {"image=" CUBIN ",name=scale,grid=1,block=1,args=in:4K", "args has 1, 'scale' takes 4"},
        {"image=" CUBIN SCALE ",count=0", "count is 0, allowed is 1 to 65536"},
        {"imag=" CUBIN, "did you mean 'image'?"},
    };

    (void)state;
    write_cut("cut.cubin");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char words[4096];

        (void)snprintf(words, sizeof words, RUN "-o none --set %s", wrong[i].settings);
        process_expect(words, 2, NULL, wrong[i].message);
        assert_int_not_equal(access("none", F_OK), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cubin_and_ptx_run),
        cmocka_unit_test(test_it_is_not_in_all),
        cmocka_unit_test(test_what_is_wrong_is_usage_and_nothing_is_recorded),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
