/* SPDX-License-Identifier: MIT */
/* A fuzz target for TIFF. The fuzzer's bytes are the content of a file. */
#include "tests/fuzz/decode.h"
#include "tests/fuzz/ground.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (codec_find(data, size) == &codec_tiff)
        decode_and_rewrite(data, size, FORMAT_TIFF);
    return 0;
}
