/* Our copy of the driver's binary interface against the toolkit's own headers (at compile time) and
 * against the symbols that the toolkit's stub library exports. */
#include "test.h"

#include <dlfcn.h>
#include <stdio.h>

/* The types of versions that cuda.h no longer maps to are declared only under this name. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaTypedefs.h>

#include "core/device/cuda/symbols.h"

#define X(name, value) _Static_assert((int)GP_##name == (int)name, #name);
GP_CUDA_RESULTS(X)
GP_CUDA_CONSTANTS(X)
#undef X

_Static_assert(sizeof(gp_cu_result) == sizeof(CUresult), "CUresult");
_Static_assert(sizeof(gp_cu_address) == sizeof(CUdeviceptr), "CUdeviceptr");
_Static_assert(sizeof(int) == sizeof(CUdevice), "CUdevice");
_Static_assert(sizeof(CUuuid) == 16, "CUuuid");

/* One variable of each type; _Generic compares the two function pointer types. */
#define X(symbol, since, base, parameters)                                                         \
    typedef gp_cu_result(*ours_##symbol) parameters;                                               \
    _Static_assert(_Generic((PFN_##base##_v##since)0, ours_##symbol : 1, default : 0), #symbol);
GP_CUDA_REQUIRED(X)
#undef X
#define X(symbol, since, base, purpose, parameters)                                                \
    typedef gp_cu_result(*ours_##symbol) parameters;                                               \
    _Static_assert(_Generic((PFN_##base##_v##since)0, ours_##symbol : 1, default : 0), #symbol);
GP_CUDA_OPTIONAL(X)
#undef X

/* What we cannot do without must be in the oldest driver that we accept. */
#define X(symbol, since, base, parameters)                                                         \
    _Static_assert((since) <= GP_CUDA_DRIVER_MIN, #symbol " is newer than the oldest driver");
GP_CUDA_REQUIRED(X)
#undef X

static void test_stream_handles(void **state)
{
    (void)state;
    assert_ptr_equal(GP_CU_STREAM_LEGACY, CU_STREAM_LEGACY);
    assert_ptr_equal(GP_CU_STREAM_PER_THREAD, CU_STREAM_PER_THREAD);
}

static void test_symbols_are_exported(void **state)
{
    static const char *const names[] = {
#define X(symbol, since, base, parameters) #symbol,
        GP_CUDA_REQUIRED(X)
#undef X
#define X(symbol, since, base, purpose, parameters) #symbol,
            GP_CUDA_OPTIONAL(X)
#undef X
    };
    void *stub = dlopen(GP_TEST_CUDA_STUB, RTLD_LAZY | RTLD_LOCAL);

    (void)state;
    if (stub == NULL) {
        print_message("%s\n", dlerror());
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (dlsym(stub, names[i]) == NULL) {
            fail_msg("%s exports no %s", GP_TEST_CUDA_STUB, names[i]);
        }
    }
    (void)dlclose(stub);
}

static void test_resource(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct gp_cu_resource), sizeof(CUdevResource));
    assert_int_equal(offsetof(struct gp_cu_resource, sm_count),
                     offsetof(CUdevResource, sm.smCount));
    assert_int_equal(offsetof(struct gp_cu_resource, sm_alignment),
                     offsetof(CUdevResource, sm.smCoscheduledAlignment));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream_handles),
        cmocka_unit_test(test_resource),
        cmocka_unit_test(test_symbols_are_exported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
