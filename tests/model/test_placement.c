/* Occupancy of one SM and the choice of the SM for the next block. */
#include "test.h"

#include <string.h>

#include "core/device/model/sm.h"

static const int32_t capabilities[][2] = {{7, 0}, {7, 5}, {8, 0},  {8, 6},
                                          {8, 9}, {9, 0}, {10, 0}, {12, 0}};

static uint32_t occupancy(size_t capability, uint32_t threads, uint32_t registers, uint64_t shared)
{
    const struct gp_sm_used nothing = {0};
    struct gp_sm_limits limits;
    struct gp_footprint footprint;

    gp_occupancy_limits(capabilities[capability][0], capabilities[capability][1], &limits);
    if (!gp_occupancy_footprint(&limits, threads, registers, shared, &footprint)) {
        return 0;
    }
    return gp_occupancy_room(&limits, &nothing, &footprint);
}

/* Computed with cuda_occupancy.h of CUDA 13.0. */
static void test_vectors(void **state)
{
    static const struct {
        uint32_t threads, registers;
        uint64_t shared;
        uint32_t blocks[8];
    } vectors[] = {
        {256, 32, 0, {8, 4, 8, 6, 6, 8, 8, 6}},
        {256, 64, 0, {4, 4, 4, 4, 4, 4, 4, 4}},
        {256, 128, 0, {2, 2, 2, 2, 2, 2, 2, 2}},
        {1024, 32, 0, {2, 1, 2, 1, 1, 2, 2, 1}},
        {1024, 64, 0, {1, 1, 1, 1, 1, 1, 1, 1}},
        {128, 40, 0, {12, 8, 12, 12, 12, 12, 12, 12}},
        {32, 16, 0, {32, 16, 32, 16, 24, 32, 32, 24}},
        {33, 32, 0, {32, 16, 32, 16, 24, 32, 32, 24}},
        {256, 32, 16384, {6, 4, 8, 5, 5, 8, 8, 5}},
        {256, 32, 49152, {2, 1, 3, 2, 2, 4, 4, 2}},
        {96, 255, 0, {2, 2, 2, 2, 2, 2, 2, 2}},
        {512, 37, 10000, {3, 2, 3, 3, 3, 3, 3, 3}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        for (size_t c = 0; c < 8; c++) {
            assert_int_equal(
                occupancy(c, vectors[i].threads, vectors[i].registers, vectors[i].shared),
                vectors[i].blocks[c]);
        }
    }
}

static void test_blocks_that_never_fit(void **state)
{
    (void)state;
    assert_int_equal(occupancy(5, 1024, 65, 0), 0);
    assert_int_equal(occupancy(5, 32, 256, 0), 0);
    assert_int_equal(occupancy(5, 32, 16, 232448), 1);
    assert_int_equal(occupancy(5, 32, 16, 232449), 0);
    assert_int_equal(occupancy(5, 32, 16, UINT64_MAX), 0);
}

static void test_unknown_capabilities(void **state)
{
    struct gp_sm_limits limits;

    (void)state;
    gp_occupancy_limits(9, 9, &limits);
    assert_int_equal(limits.shared_bytes, 228 * 1024);
    gp_occupancy_limits(6, 1, &limits);
    assert_int_equal(limits.blocks, 32);
    gp_occupancy_limits(99, 0, &limits);
    assert_int_equal(limits.threads, 1536);
}

/* A device of `count` SMs with those limits and no others. */
static void init(struct gp_sms *sms, uint32_t count, uint32_t threads, uint32_t blocks)
{
    struct gp_sm_limits limits;

    gp_occupancy_limits(7, 0, &limits);
    limits.threads = threads;
    limits.warps = threads / 32;
    limits.blocks = blocks;
    gp_sms_init(sms, &limits, count);
}

static struct gp_footprint footprint_of(const struct gp_sms *sms, uint32_t threads)
{
    struct gp_footprint footprint;

    assert_true(gp_occupancy_footprint(&sms->limits, threads, 0, 0, &footprint));
    return footprint;
}

static void expect_places(struct gp_sms *sms, uint32_t threads, const int32_t *places, size_t count)
{
    struct gp_footprint footprint = footprint_of(sms, threads);

    for (size_t i = 0; i < count; i++) {
        assert_int_equal(gp_sms_best(sms, &footprint, (struct gp_sm_range){0, sms->count}),
                         places[i]);
        gp_sms_take(sms, (uint32_t)places[i], &footprint, 1);
    }
}

static void fill(struct gp_sms *sms, uint32_t first, uint32_t last, uint32_t threads)
{
    struct gp_footprint footprint = footprint_of(sms, threads);

    for (uint32_t place = first; place <= last; place++) {
        gp_sms_take(sms, place, &footprint, 1);
    }
}

/* T3 and T4 of the collected propositions (Pascal, Gilman et al. 2020). */
static void test_most_room_on_pascal(void **state)
{
    static struct gp_sms sms;

    (void)state;
    init(&sms, 5, 2048, 32);
    fill(&sms, 1, 4, 256);
    expect_places(&sms, 160, (const int32_t[]){0, 0, 1}, 3);

    init(&sms, 5, 2048, 32);
    fill(&sms, 1, 4, 1024);
    expect_places(&sms, 32, (const int32_t[]){0, 0, 1}, 3);

    init(&sms, 5, 2048, 32);
    fill(&sms, 1, 4, 1024);
    expect_places(&sms, 33, (const int32_t[]){0, 0, 0}, 3);
}

/* T5 (Turing): places are in the device's order, evens then odds; SM 67 is the last of them. */
static void test_most_room_on_turing(void **state)
{
    static struct gp_sms sms;

    (void)state;
    init(&sms, 68, 1024, 16);
    fill(&sms, 0, 66, 512);
    expect_places(&sms, 33, (const int32_t[]){67, 67, 67, 67, 67, 67, 67, 67}, 8);

    init(&sms, 68, 1024, 16);
    fill(&sms, 0, 66, 512);
    expect_places(&sms, 32, (const int32_t[]){67, 0, 1, 2, 3, 4, 5, 6}, 8);
}

/* The rule itself, without the bit sets. */
static int32_t best_by_search(const struct gp_sms *sms, const struct gp_footprint *footprint)
{
    uint32_t most = 0;
    int32_t best = -1;

    for (uint32_t place = 0; place < sms->count; place++) {
        uint32_t room = gp_occupancy_room(&sms->limits, &sms->used[place], footprint);

        if (room > most) {
            most = room;
            best = (int32_t)place;
        }
    }
    return best;
}

/* More footprints than are kept up to date at once, taken and given in any order. */
static void test_best_is_what_a_search_finds(void **state)
{
    enum { HELD = 600 };
    static struct gp_sms sms;
    static struct {
        int32_t place;
        struct gp_footprint footprint;
    } held[HELD];
    uint64_t random = 1;

    (void)state;
    gp_occupancy_limits(9, 0, &sms.limits);
    gp_sms_init(&sms, &(struct gp_sm_limits){2048, 64, 32, 65536, 233472, 232448, 1024, 128, 64},
                200);
    memset(held, 0xff, sizeof held);
    for (int i = 0; i < 20000; i++) {
        uint32_t slot;
        struct gp_footprint footprint;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        slot = (uint32_t)(random >> 33) % HELD;
        assert_true(gp_occupancy_footprint(&sms.limits, 32 + (uint32_t)(random >> 40) % 20 * 32,
                                           16 + (uint32_t)(random >> 50) % 3 * 16,
                                           (random >> 20) % 4 * 20000, &footprint));
        if (held[slot].place >= 0) {
            gp_sms_give(&sms, (uint32_t)held[slot].place, &held[slot].footprint, 1);
            held[slot].place = -1;
            continue;
        }
        held[slot].place = gp_sms_best(&sms, &footprint, (struct gp_sm_range){0, sms.count});
        held[slot].footprint = footprint;
        assert_int_equal(held[slot].place, best_by_search(&sms, &footprint));
        if (held[slot].place >= 0) {
            gp_sms_take(&sms, (uint32_t)held[slot].place, &footprint, 1);
        }
    }
}

/* One block per SM of the H200, as read there from %smid. */
static void test_order_of_the_h200(void **state)
{
    static const uint32_t read[] = {124, 125, 126, 127, 128, 129, 130, 131, 0,  1,
                                    16,  17,  32,  33,  48,  49,  2,   3,   18, 19};
    static struct gp_profile profile;
    static struct gp_sms sms;
    struct gp_footprint footprint;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_profile_parse(gp_profile_builtin("h200"), &profile, &err), err);
    init(&sms, 132, 2048, 32);
    footprint = footprint_of(&sms, 128);
    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        int32_t place = gp_sms_best(&sms, &footprint, (struct gp_sm_range){0, sms.count});

        assert_int_equal(profile.sm_order[place], read[i]);
        gp_sms_take(&sms, (uint32_t)place, &footprint, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_blocks_that_never_fit),
        cmocka_unit_test(test_unknown_capabilities),
        cmocka_unit_test(test_most_room_on_pascal),
        cmocka_unit_test(test_most_room_on_turing),
        cmocka_unit_test(test_best_is_what_a_search_finds),
        cmocka_unit_test(test_order_of_the_h200),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
