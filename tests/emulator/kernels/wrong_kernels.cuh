// SPDX-License-Identifier: MIT
// Kernels with one fault each that the emulated device must find, and correct ones to compare.
#ifndef SMOOTHIMG_EMULATED_WRONG_KERNELS_CUH
#define SMOOTHIMG_EMULATED_WRONG_KERNELS_CUH

#include <cuda_pipeline_primitives.h>
#include <emulated_tensor.h>

inline __global__ void fill(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = (int)threadIdx.x;
}

inline __global__ void barrier_in_both_arms(int *out)
{
    if (threadIdx.x % 2 == 0)
        __syncthreads(); // line 17, which test_faults.cpp expects in the report
    else
        __syncthreads(); // line 19, which the test expects, too
    out[threadIdx.x] = 1;
}

inline __global__ void returns_before_barrier(int *out)
{
    if (threadIdx.x >= 40)
        return;
    __syncthreads();
    out[threadIdx.x] = 1;
}

inline __global__ void half_awaits(int *out)
{
    if (threadIdx.x < 32)
        await_kernel_before();
    out[threadIdx.x] = 1;
}

inline __global__ void half_a_warp_shuffles(int *out)
{
    int value = __shfl_xor_sync(0xffffffff, (int)threadIdx.x, 1);

    if (threadIdx.x % 32 < 16)
        value = __shfl_xor_sync(0xffffffff, value, 1);
    __syncthreads();
    out[threadIdx.x] = value;
}

// The masks differ: lane 0 waits only for lane 1, but lane 1 waits for lane 2, too.
inline __global__ void masks_differ(int *out)
{
    if (threadIdx.x < 3)
        out[threadIdx.x] = __shfl_sync(threadIdx.x == 0 ? 3 : 7, (int)threadIdx.x, 0);
}

inline __global__ void shuffles_from_outside(int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0x0000ffff, (int)threadIdx.x, 20);
}

// In each round, each thread gets its neighbour's value through shared memory. BARRIERS is a sum of
// the flags below; a right kernel has BARRIERS 3.
//
//   1: __syncthreads() between writing and reading
//   2: __syncthreads() between reading and the next write
//   4: __syncwarp() between writing and reading, in place of flag 1; not enough for several warps
template <int BARRIERS> __global__ void rotate(int *out)
{
    __shared__ int values[256];
    int value = (int)threadIdx.x;

    for (int round = 0; round < 3; round++) {
        values[threadIdx.x] = value;
        if (BARRIERS & 4)
            __syncwarp();
        else if (BARRIERS & 1)
            __syncthreads();
        value = values[(threadIdx.x + 1) % blockDim.x];
        if (BARRIERS & 2)
            __syncthreads();
    }
    out[threadIdx.x] = value;
}

inline __global__ void two_write_one(int *out)
{
    __shared__ int values[64];

    values[threadIdx.x / 2] = 5;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x / 2];
}

inline __global__ void reads_unwritten(int *out)
{
    __shared__ int values[64];

    if (threadIdx.x > 0)
        values[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x];
}

// Threads 0 and 40, which are in different warps, read the value; then thread 40 overwrites it.
// This write races with the read of thread 0: the tracer, which looks for races, must remember that
// read, although thread 40 also reads.
inline __global__ void reads_while_another_writes(int *out)
{
    __shared__ int value;
    int mine = 0;

    if (threadIdx.x == 0)
        value = 5;
    __syncthreads();
    if (threadIdx.x % 40 == 0)
        mine = value;
    if (threadIdx.x == 40)
        value = mine + 1;
    out[threadIdx.x] = mine;
}

inline __global__ void first_block_writes(int *out)
{
    __shared__ int values[64];

    if (blockIdx.x == 0)
        values[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x];
}

inline __global__ void writes_misaligned(int *out)
{
    if (threadIdx.x == 0)
        *reinterpret_cast<double *>(out + 1) = 0;
}

inline __global__ void last_one_wins(int *out)
{
    out[threadIdx.x] = 0;
    out[0] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

// Each lane gets its neighbour's value. ORDER() is called between writing and reading, and between
// reading and the next write. There is no race if ORDER() is a barrier of all lanes. There is one
// if ORDER() only exchanges registers, as a shuffle does.
template <void (*ORDER)()> __global__ void rotate_within_warps(int *out)
{
    __shared__ int values[64];
    const unsigned lane = threadIdx.x % 32;

    for (int round = 0; round < 2; round++) {
        values[threadIdx.x] = (int)threadIdx.x + round;
        ORDER();
        out[threadIdx.x] = values[threadIdx.x - lane + (lane + 1) % 32];
        ORDER();
    }
}

// The two lanes of a pair exchange values through global memory. ORDER() is as in
// rotate_within_warps().
template <void (*ORDER)()> __global__ void rotate_in_global_memory(int *out)
{
    out[threadIdx.x] = (int)threadIdx.x;
    ORDER();
    const int value = out[threadIdx.x ^ 1];
    ORDER();
    out[threadIdx.x] = value;
}

inline __device__ void warp_barrier()
{
    __syncwarp();
}

inline __device__ void barrier_of_pairs()
{
    __syncwarp(3u << (threadIdx.x % 32 & ~1u));
}

inline __device__ void barrier_of_halves()
{
    __syncwarp(threadIdx.x % 32 < 16 ? 0x0000ffff : 0xffff0000);
}

inline __device__ void shuffle()
{
    __shfl_sync(0xffffffff, 0, 0);
}

inline __device__ void vote()
{
    __ballot_sync(0xffffffff, 1);
}

inline __device__ void product()
{
    const uint32_t a[4] = {0, 0, 0, 0};
    uint32_t sum[4] = {0, 0, 0, 0};

    multiply_bytes_32(sum, a, 0, 0, sum);
}

// All threads write a value. Every second thread then ends before the warp's barrier, so the
// barrier does not order this thread's write and its neighbour's read.
inline __global__ void half_a_warp_ends(int *out)
{
    __shared__ int values[64];

    values[threadIdx.x] = (int)threadIdx.x;
    if (threadIdx.x % 2 != 0)
        return;
    __syncwarp();
    out[threadIdx.x] = values[threadIdx.x + 1];
}

enum class copy_fault { none, barrier_before_wait };

// Each thread reads the value that its neighbour has copied asynchronously.
template <copy_fault FAULT> __global__ void copies_for_neighbour(int *out)
{
    __shared__ int values[64];

    __pipeline_memcpy_async(&values[threadIdx.x], &out[threadIdx.x], sizeof(int));
    __pipeline_commit();
    if (FAULT == copy_fault::barrier_before_wait)
        __syncthreads();
    __pipeline_wait_prior(0);
    if (FAULT == copy_fault::none)
        __syncthreads();
    const int value = values[(threadIdx.x + 1) % 64];

    out[threadIdx.x] = value;
}

inline __global__ void counts_atomically(int *out)
{
    __shared__ int sum;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    out[threadIdx.x] = sum;
}

inline __global__ void writes_at(char *memory, long offset)
{
    memory[offset] = 0;
}

inline __global__ void writes_dynamic(int *out, int index)
{
    DYN_SHARED(int, values);

    values[index] = 1;
    out[0] = values[index];
}

// Stores the value that the block finds in shared memory. Leaves a 1 there, which the next block
// must not find.
inline __global__ void finds_shared(int *out)
{
    DYN_SHARED(int, values);

    out[blockIdx.x] = values[0];
    values[0] = 1;
}

inline __global__ void writes_static(int *out, int index)
{
    __shared__ int values[16];

    values[index] = 1;
    out[0] = values[index];
}

inline __global__ void too_much_static(int *out)
{
    __shared__ int values[12289]; // 48 KiB and 4 bytes: 4 too many for a block

    values[threadIdx.x] = 1;
    __syncthreads();
    out[0] = values[threadIdx.x + 1];
}

enum class hand_over_fault { none, no_wait, writes_late };

// The first warp passes values to the second one through shared memory. A barrier in shared memory
// orders their accesses, unless FAULT breaks this.
template <hand_over_fault FAULT> __global__ void hand_over(int *out)
{
    __shared__ int values[32];
    __shared__ uint64_t barrier;
    const uint32_t full = shared_address(&barrier), lane = threadIdx.x % 32;

    if (threadIdx.x == 0)
        barrier_init(full, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        if (FAULT != hand_over_fault::writes_late)
            values[lane] = (int)lane;
        barrier_arrive(full);
        if (FAULT == hand_over_fault::writes_late)
            values[lane] = (int)lane;
        out[threadIdx.x] = 0;
    } else {
        if (FAULT != hand_over_fault::no_wait)
            barrier_wait(full, 0);
        out[threadIdx.x] = values[31 - lane];
    }
}

#endif
