// SPDX-License-Identifier: MIT
// The functions for instructions of int8/mma.cuh and fp16/mma.cuh (kernels/smooth/fused), which say
// what they do.
#ifndef SMOOTHIMG_EMULATED_TENSOR_H
#define SMOOTHIMG_EMULATED_TENSOR_H

#include "cuda_runtime.h"

#define EMULATED_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define EMULATED_HERE                                                                              \
    {                                                                                              \
        file, line                                                                                 \
    }

namespace emulated
{

// words: of 32 bits, in a row of A and a column of B, which the warp's lanes hold as the PTX manual
// says. Bytes are multiplied as integers, half floats as tensor_sums.h has it.
void multiply_words(uint32_t (&result)[4], const uint32_t *a, const uint32_t *b, int words,
                    const uint32_t (&c)[4], place where);
void multiply_words(float (&result)[4], const uint32_t *a, const uint32_t *b, int words,
                    const float (&c)[4], place where);

} // namespace emulated

inline void multiply_bytes_32(uint32_t (&result)[4], const uint32_t *a, uint32_t b0, uint32_t b1,
                              const uint32_t (&c)[4], EMULATED_PLACE)
{
    const uint32_t b[2] = {b0, b1};

    emulated::multiply_words(result, a, b, 8, c, EMULATED_HERE);
}

inline void add_bytes_16(uint32_t (&sum)[4], const uint32_t *a, uint32_t b, EMULATED_PLACE)
{
    emulated::multiply_words(sum, a, &b, 4, sum, EMULATED_HERE);
}

inline void multiply_halves_16(float (&result)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                               const float (&c)[4], EMULATED_PLACE)
{
    const uint32_t b[2] = {b0, b1};

    emulated::multiply_words(result, a, b, 8, c, EMULATED_HERE);
}

inline void add_halves_8(float (&sum)[4], uint32_t a0, uint32_t a1, uint32_t b, EMULATED_PLACE)
{
    const uint32_t a[2] = {a0, a1};

    emulated::multiply_words(sum, a, &b, 4, sum, EMULATED_HERE);
}

#undef EMULATED_PLACE
#undef EMULATED_HERE

#endif
