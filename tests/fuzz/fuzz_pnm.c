/* SPDX-License-Identifier: MIT */
/* A fuzz target for PBM, PGM, PPM and PAM. The same source is also built as fuzz_npy, the target
 * for NPY, which gets other seeds. The fuzzer's bytes are the content of a file. */
#include "tests/fuzz/decode.h"
#include "tests/fuzz/ground.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode_both_ways(data, size);
    return 0;
}
