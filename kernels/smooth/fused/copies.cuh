/* SPDX-License-Identifier: MIT */
/* Accesses to shared memory by addresses of 32 bits, and instructions that CUDA C++ has no
 * functions for: asynchronous copies to shared memory, and the barriers in shared memory that wait
 * for them. The instructions need sm_80, those of the copy unit (TMA, tensor memory accelerator)
 * sm_90. NVIDIA's PTX manual defines them. The addresses and the byte counts of copies are
 * multiples of 16. */
#ifndef SMOOTHIMG_FUSED_COPIES_CUH
#define SMOOTHIMG_FUSED_COPIES_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#ifdef __NVCC__
__device__ __forceinline__ uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

template <typename T> __device__ __forceinline__ T load_shared(uint32_t address)
{
    return *static_cast<const T *>(__cvta_shared_to_generic(address));
}

template <typename T> __device__ __forceinline__ void store_shared(uint32_t address, const T &value)
{
    *static_cast<T *>(__cvta_shared_to_generic(address)) = value;
}

__device__ __forceinline__ void barrier_init(uint32_t barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _,[%0];" ::"r"(barrier) : "memory");
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

/* Starts a copy of 16 bytes to shared memory. */
__device__ __forceinline__ void unit_load(uint32_t to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
}

/* Arrives at the barrier when all of this thread's unit_load() copies have arrived. */
__device__ __forceinline__ void unit_loads_arrive(uint32_t barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/* --- The copy unit of sm_90. */

/* Makes initialized barriers visible to the TMA. */
__device__ __forceinline__ void barriers_ready()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives at the barrier. The barrier's current phase then does not end before copies that count at
 * this barrier have written `bytes` bytes more. */
__device__ __forceinline__ void barrier_expect(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
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

/* Makes this thread's writes to shared memory visible to the TMA. */
__device__ __forceinline__ void fence_for_tma()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
#else
#include "emulated_tensor.h"
#endif

/* A slot of a ring of COUNT buffers, and the parity of its barrier's phase: the parity changes
 * whenever the ring begins anew. */
template <int COUNT> struct ring_slot {
    int index;
    uint32_t parity;

    __device__ __forceinline__ void advance()
    {
        if (++index == COUNT) {
            index = 0;
            parity ^= 1;
        }
    }
};

#endif
