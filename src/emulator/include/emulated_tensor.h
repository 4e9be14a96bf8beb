// SPDX-License-Identifier: MIT
// The functions for instructions of tensor cores and of the copy unit (TMA). int8/mma.cuh and
// fp16/mma.cuh in kernels/smooth/fused declare and describe them.
#ifndef SMOOTHIMG_EMULATED_TENSOR_H
#define SMOOTHIMG_EMULATED_TENSOR_H

#include "cuda.h"
#include "cuda_runtime.h"

namespace emulated
{

// These functions set `result` to c plus the product of the matrices A and B. `words` is the number
// of 32-bit words in a row of A and in a column of B. The matrices are distributed over the lanes
// as the PTX manual says. Bytes are multiplied as integers, half floats as tensor_sums.h describes.
void multiply_words(uint32_t (&result)[4], const uint32_t *a, const uint32_t *b, int words,
                    const uint32_t (&c)[4], place where);
void multiply_words(float (&result)[4], const uint32_t *a, const uint32_t *b, int words,
                    const float (&c)[4], place where);

// Addresses of shared memory are 32-bit numbers. shared_memory returns a pointer to the bytes at an
// address, for a read or a write, and faults if a copy is pending there.
uint32_t shared_address(const void *pointer, EMULATED_WHERE);
void *shared_memory(uint32_t address, unsigned bytes, bool writes, place where);
char *matrix_row(uint32_t address, bool writes, place where); // the 16 bytes of a matrix row
void wait_for_named(int id, unsigned threads, place where);   // PTX: bar.sync id, threads

// Functions of barriers (../exec/bulk/barriers.cpp) and of bulk copies (../exec/bulk/bulk.cpp).
void barrier_init(uint32_t barrier, uint32_t arrivals, EMULATED_WHERE);
void barriers_ready(EMULATED_WHERE);
void barrier_arrive(uint32_t barrier, EMULATED_WHERE);
void barrier_expect(uint32_t barrier, uint32_t bytes, EMULATED_WHERE);
void barrier_wait(uint32_t barrier, uint32_t parity, EMULATED_WHERE);
void row_load(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier, EMULATED_WHERE);
void tile_load(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t barrier, EMULATED_WHERE);
void tile_store(const CUtensorMap *map, int x, int y, uint32_t from, EMULATED_WHERE);
void tile_stores_commit();
void wait_for_reads(unsigned newest);
void tile_stores_done();
void fence_for_tma(EMULATED_WHERE);
// Functions of copies of 16 bytes (../exec/bulk/units.cpp).
void unit_load(uint32_t to, const void *from, bool zeros, EMULATED_WHERE);
void unit_loads_arrive(uint32_t barrier, EMULATED_WHERE);

} // namespace emulated

using emulated::barrier_arrive;
using emulated::barrier_expect;
using emulated::barrier_init;
using emulated::barrier_wait;
using emulated::barriers_ready;
using emulated::fence_for_tma;
using emulated::row_load;
using emulated::shared_address;
using emulated::tile_load;
using emulated::tile_store;
using emulated::tile_stores_commit;
using emulated::tile_stores_done;
using emulated::unit_load;
using emulated::unit_loads_arrive;

template <int LEFT> void tile_stores_read()
{
    emulated::wait_for_reads(LEFT);
}

template <int ID, int THREADS> void named_barrier(EMULATED_WHERE)
{
    emulated::wait_for_named(ID, THREADS, where);
}

// Returns the lesser of a and the absolute value of b; if one of them is a NaN, the other. Both
// arguments and the result are the bits of half floats.
inline uint32_t min_half_with_absolute(uint32_t a, uint32_t b)
{
    constexpr uint32_t infinity = 0x7c00, no_number = 0x7fff;
    const uint32_t absolute = b & 0x7fff;

    if ((a & 0x7fff) > infinity)
        return absolute > infinity ? no_number : absolute;
    return a >> 15 != 0 || a < absolute ? a : absolute;
}

inline uint32_t min_with_absolute(uint32_t a, uint32_t b)
{
    return min_half_with_absolute(a & 0xffff, b & 0xffff) | min_half_with_absolute(a >> 16, b >> 16)
                                                                << 16;
}

inline void multiply_bytes_32(uint32_t (&result)[4], const uint32_t *a, uint32_t b0, uint32_t b1,
                              const uint32_t (&c)[4], EMULATED_WHERE)
{
    const uint32_t b[2] = {b0, b1};

    emulated::multiply_words(result, a, b, 8, c, where);
}

inline void add_bytes_16(uint32_t (&sum)[4], const uint32_t *a, uint32_t b, EMULATED_WHERE)
{
    emulated::multiply_words(sum, a, &b, 4, sum, where);
}

inline void multiply_halves_16(float (&result)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                               const float (&c)[4], EMULATED_WHERE)
{
    const uint32_t b[2] = {b0, b1};

    emulated::multiply_words(result, a, b, 8, c, where);
}

inline void add_halves_8(float (&sum)[4], uint32_t a0, uint32_t a1, uint32_t b, EMULATED_WHERE)
{
    const uint32_t a[2] = {a0, a1};

    emulated::multiply_words(sum, a, &b, 4, sum, where);
}

// Accesses are inlined, so that the tracer attributes them to the kernel.
template <typename T> __forceinline__ T load_shared(uint32_t address, EMULATED_WHERE)
{
    return *static_cast<const T *>(emulated::shared_memory(address, sizeof(T), false, where));
}

template <typename T>
__forceinline__ void store_shared(uint32_t address, const T &value, EMULATED_WHERE)
{
    *static_cast<T *>(emulated::shared_memory(address, sizeof(T), true, where)) = value;
}

// Lanes first..first+7 pass the addresses of the 8 rows of a matrix. Returns word lane % 4 of the
// matrix's row lane / 4.
__forceinline__ uint32_t load_word_of_matrix(uint32_t address, int first, EMULATED_WHERE)
{
    const int lane = emulated::current_lane();
    const uint32_t row = __shfl_sync(0xffffffff, address, first + lane / 4, 32, where);

    return *reinterpret_cast<const uint32_t *>(emulated::matrix_row(row, false, where) +
                                               lane % 4 * 4);
}

__forceinline__ void load_matrix(uint32_t &out, uint32_t address, EMULATED_WHERE)
{
    out = load_word_of_matrix(address, 0, where);
}

__forceinline__ void load_matrices(uint32_t (&out)[4], uint32_t address, EMULATED_WHERE)
{
    for (int i = 0; i < 4; i++)
        out[i] = load_word_of_matrix(address, 8 * i, where);
}

// Stores four matrices. Lane 8 * m + r passes the address of row r of matrix m. in[m] of a lane
// holds two elements, of 16 bits each, of column lane / 4 of matrix m: those in rows lane % 4 * 2
// and lane % 4 * 2 + 1.
__forceinline__ void store_matrices_transposed(uint32_t address, const uint32_t (&in)[4],
                                               EMULATED_WHERE)
{
    const int lane = emulated::current_lane();

    for (int i = 0; i < 8; i++) {
        const int row = i / 2 * 8 + lane % 4 * 2 + i % 2;
        const uint32_t at = __shfl_sync(0xffffffff, address, row, 32, where);

        *reinterpret_cast<uint16_t *>(emulated::matrix_row(at, true, where) + lane / 4 * 2) =
            (uint16_t)(in[i / 2] >> (i % 2 * 16));
    }
}

#endif
