/* The state of the machine, on an NVML made for tests. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "probe/machine/machine.h"

static const struct gp_device_info gpu = {.kind = GP_DEVICE_CUDA, .name = "a GPU", .uuid = "GPU-1"};

static struct gp_machine *open_machine(const char *plan)
{
    struct gp_machine *machine;
    struct gp_error err = {0};

    (void)setenv("GPUPROBE_FAKE_NVML", plan, 1);
    gp_assert_ok(gp_machine_create(&gpu, &machine, &err), err);
    return machine;
}

static void test_a_sample_has_what_nvml_tells_and_nothing_else(void **state)
{
    struct gp_machine *machine = open_machine("from=2,to=3,processes=4,throttle=0x85,sm=345");
    struct gp_state_row first, second;

    (void)state;
    gp_machine_sample(machine, &first);
    assert_int_equal(first.sm_clock_mhz, 1980);
    assert_int_equal(first.memory_clock_mhz, 3201);
    assert_int_equal(first.throttle, 0);
    assert_int_equal(first.power_mw, 131202);
    assert_int_equal(first.temperature_c, GP_UNKNOWN);
    assert_int_equal(first.processes, 0);
    gp_machine_sample(machine, &second);
    assert_int_equal(second.sm_clock_mhz, 345);
    assert_int_equal(second.throttle, 0x85);
    assert_int_equal(second.processes, 3);
    gp_machine_destroy(machine);
}

static void test_why_nothing_is_known(void **state)
{
    struct gp_device_info nameless = gpu;
    struct gp_machine *machine;
    struct gp_error err = {0};

    (void)state;
    (void)setenv("GPUPROBE_FAKE_NVML", "absent=1", 1);
    assert_int_equal(gp_machine_create(&gpu, &machine, &err), GP_EUNSUPPORTED);
    assert_string_equal(err.text, "no NVML: nvmlInit_v2: Not Supported");
    assert_null(machine);
    (void)setenv("GPUPROBE_FAKE_NVML", "uuid=GPU-2", 1);
    assert_int_equal(gp_machine_create(&gpu, &machine, &err), GP_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "NVML does not know GPU-1"));
    nameless.uuid[0] = '\0';
    assert_int_equal(gp_machine_create(&nameless, &machine, &err), GP_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "no UUID"));
    gp_machine_destroy(NULL);
}

static struct gp_state_row steady(void)
{
    return (struct gp_state_row){.sm_clock_mhz = 1980,
                                 .memory_clock_mhz = 3201,
                                 .throttle = 0,
                                 .power_mw = 131000,
                                 .temperature_c = 36,
                                 .processes = 0,
                                 .note = ""};
}

static void test_what_counts_as_a_change(void **state)
{
    char text[GP_MACHINE_TEXT_BYTES];
    struct gp_state_row before = steady(), after = steady();

    (void)state;
    after.power_mw = 690000;
    after.temperature_c = 60;
    after.sm_clock_mhz = 1965;
    assert_false(gp_machine_changed(&before, &after, text));
    assert_string_equal(text, "");
    after.sm_clock_mhz = 1755;
    after.throttle = 0x4;
    after.processes = 1;
    assert_true(gp_machine_changed(&before, &after, text));
    assert_string_equal(text,
                        "the SM clock went from 1980 to 1755 MHz, reasons to slow down went "
                        "from none to power cap, other processes on the GPU went from 0 to 1");
    assert_false(gp_machine_changed(&after, &after, text));
    after = steady();
    after.memory_clock_mhz = 2619;
    assert_true(gp_machine_changed(&after, &before, text));
    assert_string_equal(text, "the memory clock went from 2619 to 3201 MHz");
}

static void test_what_does_not(void **state)
{
    char text[GP_MACHINE_TEXT_BYTES];
    struct gp_state_row idle = steady(), busy = steady(), unknown = steady();

    (void)state;
    idle.sm_clock_mhz = 345;
    idle.throttle = 0x1; /* idle is no reason that spoils anything */
    assert_false(gp_machine_changed(&idle, &busy, text));
    busy.throttle = 0x2; /* nor are clocks that the user set */
    assert_false(gp_machine_changed(&idle, &busy, text));
    unknown.sm_clock_mhz = unknown.memory_clock_mhz = GP_UNKNOWN;
    unknown.throttle = unknown.processes = GP_UNKNOWN;
    assert_false(gp_machine_changed(&unknown, &busy, text));
    assert_false(gp_machine_changed(&busy, &unknown, text));
}

static void test_reasons_in_words(void **state)
{
    char text[GP_MACHINE_TEXT_BYTES];

    (void)state;
    gp_machine_throttle_text(GP_UNKNOWN, text);
    assert_string_equal(text, "");
    gp_machine_throttle_text(0x1 | 0x100, text);
    assert_string_equal(text, "");
    gp_machine_throttle_text(0x40 | 0x4, text);
    assert_string_equal(text, "power cap, thermal slowdown by hardware");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sample_has_what_nvml_tells_and_nothing_else),
        cmocka_unit_test(test_why_nothing_is_known),
        cmocka_unit_test(test_what_counts_as_a_change),
        cmocka_unit_test(test_what_does_not),
        cmocka_unit_test(test_reasons_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
