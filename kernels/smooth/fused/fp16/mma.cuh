/* SPDX-License-Identifier: MIT */
/* Instructions that CUDA C++ has no functions for: matrix products; asynchronous copies, with the
 * tensor memory accelerator (TMA) of sm_90 or without it; and the barriers that wait for copies.
 * All need sm_80; the TMA's instructions and store_matrices_transposed() need sm_90. NVIDIA's PTX
 * manual defines the instructions, and how matrices are distributed over a warp's lanes. Addresses
 * in shared memory have 32 bits. The addresses and the byte counts of copies, and the addresses of
 * a matrix's rows, are multiples of 16. */
#ifndef SMOOTHIMG_FP16_MMA_CUH
#define SMOOTHIMG_FP16_MMA_CUH

#include "kernels/smooth/fused/int8/mma.cuh"

#include <cuda.h>

#ifdef __NVCC__
/* sum += a * b, each element a sum of 16 products of bytes. */
__device__ __forceinline__ void add_bytes_16(uint32_t (&sum)[4], const uint32_t *a, uint32_t b)
{
    asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(b));
}

/* result = a * b + c, each element a sum of 16 products of half floats. */
__device__ __forceinline__ void multiply_halves_16(float (&result)[4], const uint32_t (&a)[4],
                                                   uint32_t b0, uint32_t b1, const float (&c)[4])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
        "{%10,%11,%12,%13};"
        : "=f"(result[0]), "=f"(result[1]), "=f"(result[2]), "=f"(result[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(c[0]), "f"(c[1]),
          "f"(c[2]), "f"(c[3]));
}

/* sum += a * b, each element a sum of 8 products of half floats. */
__device__ __forceinline__ void add_halves_8(float (&sum)[4], uint32_t a0, uint32_t a1, uint32_t b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},"
        "{%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a0), "r"(a1), "r"(b));
}

/* Loads one matrix. load_matrices() (int8/mma.cuh) loads four. */
__device__ __forceinline__ void load_matrix(uint32_t &out, uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];"
                 : "=r"(out)
                 : "r"(address)
                 : "memory");
}

/* Stores four matrices, transposed, to shared memory. */
__device__ __forceinline__ void store_matrices_transposed(uint32_t address, const uint32_t (&in)[4])
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0],{%1,%2,%3,%4};" ::"r"(address),
        "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3])
        : "memory");
}

__device__ __forceinline__ void barrier_init(uint32_t barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* Makes initialized barriers visible to the TMA. */
__device__ __forceinline__ void barriers_ready()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _,[%0];" ::"r"(barrier) : "memory");
}

/* Arrives at the barrier. The barrier's current phase then does not end before copies that count at
 * this barrier have written `bytes` bytes more. */
__device__ __forceinline__ void barrier_expect(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/* Waits as long as the barrier's current phase has this parity. Phases have the parities 0, 1, 0,
 * ... in turn, so a wait for parity 1 returns at once during the first phase. */
__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again%=:\n"
#if __CUDA_ARCH__ >= 900 /* try_wait sleeps for a while before it fails */
                 "mbarrier.try_wait.parity.shared::cta.b64 done,[%0],%1;\n"
#else
                 "mbarrier.test_wait.parity.shared::cta.b64 done,[%0],%1;\n"
#endif
                 "@!done bra again%=;\n"
                 "}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* Starts a copy of 16 bytes to shared memory. If `zeros`, writes zeros instead, and reads
 * nothing. */
__device__ __forceinline__ void unit_load(uint32_t to, const void *from, bool zeros)
{
    asm volatile("{\n"
                 ".reg .pred zeros;\n"
                 "setp.ne.b32 zeros,%2,0;\n"
                 "cp.async.cg.shared.global [%0],[%1],16,zeros;\n"
                 "}" ::"r"(to),
                 "l"(from), "r"((int)zeros)
                 : "memory");
}

/* Arrives at the barrier when all of this thread's unit_load() copies have arrived. */
__device__ __forceinline__ void unit_loads_arrive(uint32_t barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/* For each half of a word, returns the lesser of a and |b| as half floats; if one of them is NaN,
 * returns the other one. */
__device__ __forceinline__ uint32_t min_with_absolute(uint32_t a, uint32_t b)
{
    uint32_t result;

    asm("{\n"
        ".reg .b32 absolute;\n"
        "abs.f16x2 absolute,%2;\n"
        "min.f16x2 %0,%1,absolute;\n"
        "}"
        : "=r"(result)
        : "r"(a), "r"(b));
    return result;
}

/* Starts a copy of `bytes` bytes to shared memory. The barrier counts them. */
__device__ __forceinline__ void row_load(uint32_t to, const void *from, uint32_t bytes,
                                         uint32_t barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0],[%1],%2,[%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

/* Starts a copy to shared memory of the box at (x, y) of the image that the tensor map describes.
 * The barrier counts its bytes. If the address of (x, y) is not a multiple of 16, the kernel fails
 * with an illegal instruction. */
__device__ __forceinline__ void tile_load(uint32_t to, const CUtensorMap *map, int x, int y,
                                          uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0],[%1,{%2,%3}],[%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

/* Starts a copy of a box from shared memory to (x, y) of the image that the tensor map describes.
 * The copy writes nothing outside the image, except the rest of a 16-byte unit that is partly
 * inside (observed on an H200; NVIDIA's manuals do not say). */
__device__ __forceinline__ void tile_store(const CUtensorMap *map, int x, int y, uint32_t from)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0,{%1,%2}],[%3];" ::"l"(map),
        "r"(x), "r"(y), "r"(from)
        : "memory");
}

/* Ends this thread's current group of stores; its next store begins another group. */
__device__ __forceinline__ void tile_stores_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until all groups of stores, except the last LEFT ones, have read their shared memory. */
template <int LEFT> __device__ __forceinline__ void tile_stores_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

/* Waits until all groups of stores have written their data. */
__device__ __forceinline__ void tile_stores_done()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* A barrier for THREADS threads of the block, which are whole warps. ID is not 0. */
template <int ID, int THREADS> __device__ __forceinline__ void named_barrier()
{
    asm volatile("bar.sync %0,%1;" ::"n"(ID), "n"(THREADS) : "memory");
}

/* Makes this thread's writes to shared memory visible to the TMA. */
__device__ __forceinline__ void fence_for_tma()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

template <typename T> __device__ __forceinline__ void store_shared(uint32_t address, const T &value)
{
    *static_cast<T *>(__cvta_shared_to_generic(address)) = value;
}
#endif

#endif
