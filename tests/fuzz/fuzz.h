/*
 * The entry of a fuzz target, which libFuzzer or driver.c calls. It takes any bytes, never fails
 * and keeps nothing between calls.
 */
#ifndef GP_TESTS_FUZZ_FUZZ_H
#define GP_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Always 0. The bytes are borrowed. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#endif
