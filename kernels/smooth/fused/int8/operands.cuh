/* SPDX-License-Identifier: MIT */
/* The weights of fused_int8 as operands. Each thread block makes them in its shared memory, while
 * the previous kernel may still be running.
 *
 * Weights, samples and the sums V along the rows are split into digits of a byte (plan.cuh). The
 * product of digit d of a weight and digit e of another number has the place value 2^(8 (d + e)).
 * All products with the same d + e are added to one sum. A, the operand along the rows, has one
 * matrix for each block of 32 bytes of a row and each of these sums. B, the operand down the
 * columns, has one matrix for each block of 8 rows and each sum. A tile is 16 samples. */
#ifndef SMOOTHIMG_FUSED_INT8_OPERANDS_CUH
#define SMOOTHIMG_FUSED_INT8_OPERANDS_CUH

#include "kernels/smooth/fused/int8/plan.cuh"

/* The weights as operands, in the layout of int8/mma.cuh. */
struct int8_tables {
    uint32_t (*along)[32][4]; /* [block of 32 bytes * along_sums + sum][lane][word]: operand A, for
                                 16 samples */
    uint32_t (*down)[32][2];  /* [block of 8 rows * SUMS + sum][lane][word]: operand B */
};

/* Returns how many words a string has. A string is the digits of the taps for one sum, with zeros
 * before, after, and between them. Each row of A's matrices for that sum is a part of the string;
 * the row of the next output begins one sample earlier. */
__device__ __forceinline__ int string_words(const int8_plan &plan)
{
    return 8 * plan.along_blocks + 24;
}

/* Zero bytes before a string's first digit: room for `lead`, and for 15 samples of up to 2 bytes,
 * the distance from the first to the last output of a tile. */
#define STRING_BEFORE 48

/* Fills the strings (string_words()) with the digits of the taps. Each thread writes the digits of
 * some taps. BYTES: the size of a sample. */
template <int BYTES>
__device__ __forceinline__ void lay_out_strings(uint32_t *strings, const int8_filter &filter,
                                                int thread, int threads)
{
    const int words = string_words(filter), taps = 2 * filter.halo_x + 1;
    const int apart = (filter.planes > 1 ? 1 : filter.channels) * BYTES;
    char *bytes = reinterpret_cast<char *>(strings) + STRING_BEFORE;

    for (int i = thread; i < filter.along_sums * words; i += threads)
        strings[i] = 0;
    __syncthreads();
    for (int tap = thread; tap < taps; tap += threads) {
        const uint32_t weight = filter.x.weights[abs(tap - filter.halo_x)];

        for (int sum = 0; sum < filter.along_sums; sum++)
            for (int byte = 0; byte < BYTES; byte++) {
                const int digit = sum + first_along(filter, BYTES) - byte;

                if (digit >= 0 && digit < WEIGHT_DIGITS)
                    bytes[4 * words * sum + tap * apart + byte] =
                        (char)digit_of_weight(weight, digit);
            }
    }
    __syncthreads();
}

/* Returns the four bytes of a string from index `byte` on. */
__device__ __forceinline__ uint32_t word_of_string(const uint32_t *string, int byte)
{
    return __funnelshift_r(string[byte / 4], string[byte / 4 + 1], byte % 4 * 8);
}

/* Fills the matrix of operand A for one block of 32 bytes and one sum. A warp calls it. Row r of
 * the matrix is for sample 2 (r % 8) + r / 8 of the tile, so that a lane of the result has two
 * neighbouring samples. */
template <int BYTES>
__device__ __forceinline__ void lay_out_along(uint32_t (&to)[32][4], const uint32_t *string,
                                              int first, int lane)
{
    const int byte = first + 4 * (lane % 4) - BYTES * 2 * (lane / 4);

    *reinterpret_cast<uint4 *>(to[lane]) =
        make_uint4(word_of_string(string, byte), word_of_string(string, byte - BYTES),
                   word_of_string(string, byte + 16), word_of_string(string, byte + 16 - BYTES));
}

/* Fills operand B for one block of 8 rows; a warp calls it. A word has the digits of a weight in
 * the order in which they are multiplied by the four bytes of one V (a sum along a row). */
__device__ __forceinline__ void lay_out_down(uint32_t (*to)[32][2], const int8_filter &filter,
                                             int block, int lane)
{
    uint32_t digits[2];

#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int tap = 8 * block + 2 * (lane % 4) + i - lane / 4;
        const bool none = tap < 0 || tap > 2 * filter.halo_y;

        digits[i] = none ? 0 : __byte_perm(filter.y.weights[abs(tap - filter.halo_y)], 0, 0x0123);
    }
#pragma unroll
    for (int sum = 0; sum < SUMS; sum++)
        *reinterpret_cast<uint2 *>(to[sum][lane]) =
            make_uint2(digits[0] << (8 * sum), digits[1] << (8 * sum));
}

/* Fills the tables; all threads of the thread block call this function. strings: memory for the
 * strings (digits of the taps, string_words()), which the caller may reuse after its next
 * barrier. */
template <int BYTES>
__device__ __forceinline__ void lay_out_operands(const int8_tables &tables, uint32_t *strings,
                                                 const int8_filter &filter, int warp, int lane)
{
    lay_out_strings<BYTES>(strings, filter, 32 * warp + lane, 32 * INT8_BLOCK_WARPS);
    for (int i = warp; i < filter.along_blocks * filter.along_sums; i += INT8_BLOCK_WARPS)
        lay_out_along<BYTES>(tables.along[i],
                             strings + i % filter.along_sums * string_words(filter),
                             STRING_BEFORE + 32 * (i / filter.along_sums) -
                                 (filter.lead - filter.start) / filter.planes,
                             lane);
    for (int block = warp; block < filter.down_blocks; block += INT8_BLOCK_WARPS)
        lay_out_down(tables.down + block * SUMS, filter, block, lane);
}

#endif
