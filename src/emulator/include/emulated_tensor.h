// SPDX-License-Identifier: MIT
// The functions for instructions of tensor cores, asynchronous copies, and barriers in shared
// memory. int8/mma.cuh and copies.cuh in kernels/smooth/fused declare and describe them.
#ifndef SMOOTHIMG_EMULATED_TENSOR_H
#define SMOOTHIMG_EMULATED_TENSOR_H

#include "cuda_runtime.h"

namespace emulated
{

// Sets `result` to c plus the product of the matrices A and B, which are distributed over the lanes
// as the PTX manual says for mma.m16n8k32 of bytes.
void multiply_bytes_32(uint32_t (&result)[4], const uint32_t *a, uint32_t b0, uint32_t b1,
                       const uint32_t (&c)[4], EMULATED_WHERE);

// Addresses of shared memory are 32-bit numbers. shared_memory returns a pointer to the bytes at an
// address, and faults if a copy is pending there.
uint32_t shared_address(const void *pointer, EMULATED_WHERE);
void *shared_memory(uint32_t address, unsigned bytes, place where);

// Functions of barriers (../exec/bulk/barriers.cpp) and of bulk copies (../exec/bulk/bulk.cpp).
void barrier_init(uint32_t barrier, uint32_t arrivals, EMULATED_WHERE);
void barriers_ready(EMULATED_WHERE);
void barrier_arrive(uint32_t barrier, EMULATED_WHERE);
void barrier_expect(uint32_t barrier, uint32_t bytes, EMULATED_WHERE);
void barrier_wait(uint32_t barrier, uint32_t parity, EMULATED_WHERE);
void row_load(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier, EMULATED_WHERE);
void fence_for_tma(EMULATED_WHERE);
// Functions of copies of 16 bytes (../exec/bulk/units.cpp).
void unit_load(uint32_t to, const void *from, EMULATED_WHERE);
void unit_loads_arrive(uint32_t barrier, EMULATED_WHERE);

} // namespace emulated

using emulated::barrier_arrive;
using emulated::barrier_expect;
using emulated::barrier_init;
using emulated::barrier_wait;
using emulated::barriers_ready;
using emulated::fence_for_tma;
using emulated::multiply_bytes_32;
using emulated::row_load;
using emulated::shared_address;
using emulated::unit_load;
using emulated::unit_loads_arrive;

// Accesses are inlined, so that the tracer attributes them to the kernel.
template <typename T> __forceinline__ T load_shared(uint32_t address, EMULATED_WHERE)
{
    return *static_cast<const T *>(emulated::shared_memory(address, sizeof(T), where));
}

template <typename T>
__forceinline__ void store_shared(uint32_t address, const T &value, EMULATED_WHERE)
{
    *static_cast<T *>(emulated::shared_memory(address, sizeof(T), where)) = value;
}

#endif
