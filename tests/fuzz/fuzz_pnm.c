/* SPDX-License-Identifier: MIT */
/* PBM, PGM, PPM and PAM, raw and plain, with one image or several; compiled as fuzz_npy, NPY. The
 * input is the file. */
#include "tests/fuzz/decode.h"
#include "tests/fuzz/ground.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode_both_ways(data, size);
    return 0;
}
