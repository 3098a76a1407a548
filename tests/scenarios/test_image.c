/* Files of compiled kernels: what is read of them, and that nothing broken is. The files are in
 * images/. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/image.h"

static const char *const cubin = GP_TEST_IMAGES "/scale.cubin";
static const char *const ptx = GP_TEST_IMAGES "/scale.ptx";

static void load(const char *path, struct gp_image_file *file)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_image_load(path, file, &err), err);
}

static void check_args(const struct gp_image_file *file, const char *name, const uint32_t *bytes,
                       uint32_t count)
{
    const struct gp_image_entry *entry = gp_image_find(file, name);

    assert_non_null(entry);
    assert_int_equal(entry->arg_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(entry->arg_bytes[i], bytes[i]);
    }
}

static void check_kernels(const struct gp_image_file *file)
{
    static const uint32_t of_scale[] = {8, 8, 4, 4};
    static const uint32_t of_pick[] = {20, 8};

    assert_int_equal(file->entry_count, 3);
    check_args(file, "scale", of_scale, 4);
    check_args(file, "pick", of_pick, 2);
    check_args(file, "nothing", NULL, 0);
    assert_null(gp_image_find(file, "twice"));
    assert_int_equal(gp_image_find(file, "scale")->shared_bytes, 256);
    assert_int_equal(gp_image_find(file, "pick")->shared_bytes, 0);
}

static void test_a_cubin(void **state)
{
    struct gp_image_file file;

    (void)state;
    load(cubin, &file);
    assert_int_equal(file.kind, GP_IMAGE_CUBIN);
    assert_int_equal(file.sm, 90);
    check_kernels(&file);
    assert_in_range(gp_image_find(&file, "scale")->registers, 8, 64);
    gp_image_release(&file);
}

static void test_ptx(void **state)
{
    struct gp_image_file file;

    (void)state;
    load(ptx, &file);
    assert_int_equal(file.kind, GP_IMAGE_PTX);
    assert_int_equal(file.sm, 75);
    check_kernels(&file);
    assert_int_equal(gp_image_find(&file, "scale")->registers, 0);
    gp_image_release(&file);
}

/* A declaration is no kernel; what is in comments and strings is nothing. */
static void test_only_what_is_there_counts(void **state)
{
    static const char text[] =
        ".version 6.3\n.target sm_70\n.file 1 \".entry a() {}\"\n"
        "// .entry b() {}\n/* .entry c() {} */\n.entry later(.param .u64 x);\n"
        ".visible .entry d(.param .u64 x) { .shared .b8 s[4]; {} }\n";
    struct gp_image_file file;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_image_read("text", text, sizeof text - 1, &file, &err), err);
    assert_int_equal(file.entry_count, 1);
    assert_string_equal(file.entries[0].name, "d");
    assert_int_equal(file.entries[0].shared_bytes, 4);
    gp_image_release(&file);
}

static void refuse(const void *bytes, size_t count, const char *text)
{
    struct gp_image_file file;
    struct gp_error err = {0};

    assert_int_equal(gp_image_read("file", bytes, count, &file, &err), GP_EPARSE);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
    gp_image_release(&file);
}

static void test_broken_text_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } broken[] = {
        {"", "is empty"},
        {"hello", "neither PTX text"},
        {"// .version 6.3\n", "neither PTX text"},
        {".version 6.3\n.target sm_70\n", "has no kernel"},
        {".version 6.3\n.entry a() {}", "no .target"},
        {".version 6.3\n.target sm_70\n.entry", "after an .entry"},
        {".version 6.3\n.target sm_70\n.entry a", "within kernel 'a'"},
        {".version 6.3\n.target sm_70\n.entry a(.param .u64 x", "within kernel 'a'"},
        {".version 6.3\n.target sm_70\n.entry a(.param .u64 x {", "within kernel 'a'"},
        {".version 6.3\n.target sm_70\n.entry a(.param .u64 x) { {}", "within kernel 'a'"},
        {".version 6.3\n.target sm_70\n.entry a(.param .texref x) {}",
         "parameter 1 of kernel 'a' is of a type"},
        {".version 6.3\n.target sm_70\n.entry a(.param .b8 x[99999]) {}", "is of a type"},
        {".version 6.3\n.target sm_70\n.entry a(.param .b8 x[", "is of a type"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        refuse(broken[i].text, strlen(broken[i].text), broken[i].message);
    }
    refuse("\x50\xed\x55\xba\x01", 5, "is a fatbin");
    refuse("\x7f"
           "ELF\x02",
           5, "cut off");
    refuse(".version\0", 9, "neither PTX text nor a cubin");
}

/* Its last bytes are its table of segments, so that a cubin that was cut anywhere is noticed. */
static void test_a_cut_cubin_is_refused(void **state)
{
    struct gp_image_file file;

    (void)state;
    load(cubin, &file);
    for (size_t count = 4; count < file.byte_count; count++) {
        refuse(file.bytes, count, "cut off or damaged");
    }
    gp_image_release(&file);
}

/* Each byte of the head and of the tables bent in turn: refused, or read as something whole. */
static void test_a_bent_cubin_does_no_harm(void **state)
{
    struct gp_image_file file, bent;

    (void)state;
    load(cubin, &file);
    for (size_t i = 0; i < file.byte_count; i++) {
        struct gp_error err = {0};

        file.bytes[i] = (char)(file.bytes[i] ^ 0xff);
        (void)gp_image_read("bent", file.bytes, file.byte_count, &bent, &err);
        gp_image_release(&bent);
        file.bytes[i] = (char)(file.bytes[i] ^ 0xff);
    }
    gp_image_release(&file);
}

static void test_no_file(void **state)
{
    struct gp_image_file file;
    struct gp_error err = {0};

    (void)state;
    assert_int_equal(gp_image_load("/nowhere/x.cubin", &file, &err), GP_EIO);
    assert_non_null(strstr(err.text, "'/nowhere/x.cubin' cannot be opened: No such file"));
    assert_int_equal(gp_image_load("/", &file, &err), GP_EIO);
    assert_non_null(strstr(err.text, "'/' is not a file"));
    assert_int_equal(gp_image_load("/dev/zero", &file, &err), GP_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cubin),
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_only_what_is_there_counts),
        cmocka_unit_test(test_broken_text_is_refused),
        cmocka_unit_test(test_a_cut_cubin_is_refused),
        cmocka_unit_test(test_a_bent_cubin_does_no_harm),
        cmocka_unit_test(test_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
