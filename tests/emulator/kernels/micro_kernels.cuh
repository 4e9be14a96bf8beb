// SPDX-License-Identifier: MIT
// Kernels small enough to count their accesses by hand. Each runs as one warp or one block of 32 x
// 32 threads, on memory that begins at a multiple of 128 bytes.
#ifndef SMOOTHIMG_EMULATED_MICRO_KERNELS_CUH
#define SMOOTHIMG_EMULATED_MICRO_KERNELS_CUH

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

inline __global__ void copy_words(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

inline __global__ void copy_shifted_words(const int *in, int *out)
{
    out[threadIdx.x + 1] = in[threadIdx.x + 1];
}

inline __global__ void copy_lines_apart(const int *in, int *out)
{
    out[32 * threadIdx.x] = in[32 * threadIdx.x];
}

inline __global__ void copy_bytes(const unsigned char *in, unsigned char *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

inline __global__ void copy_quads(const uint4 *in, uint4 *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

// Copies through shared memory, by an asynchronous copy of 16 bytes for each lane.
inline __global__ void copy_through_shared(const uint4 *in, uint4 *out)
{
    __shared__ uint4 memory[32];

    __pipeline_memcpy_async(&memory[threadIdx.x], &in[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = memory[threadIdx.x];
}

inline __global__ void add_one(int *in, int *)
{
    in[threadIdx.x] += 1;
}

// Copies ten rows to shared memory. A row has 40 words and the warp 32 lanes, so only eight lanes
// do the second iteration of the inner loop.
inline __global__ void stage_rows(const int *in, int *out)
{
    __shared__ int tile[10 * 40];

    for (int y = 0; y < 10; y++)
        for (int x = (int)threadIdx.x; x < 40; x += 32)
            tile[y * 40 + x] = in[y * 128 + x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

// Lane i runs i % 4 + 1 iterations.
inline __global__ void uneven_turns(const int *in, int *out)
{
    int sum = 0;

    for (unsigned i = 0; i <= threadIdx.x % 4; i++)
        sum += in[32 * i + threadIdx.x];
    out[threadIdx.x] = sum;
}

inline __global__ void both_ways(const int *in, int *out)
{
    int value;

    if (threadIdx.x < 8)
        value = in[threadIdx.x];
    else
        value = 3 * in[1024 - threadIdx.x];
    out[threadIdx.x] = value;
}

template <typename T, int PITCH> __global__ void turn_tile(const T *in, T *out)
{
    __shared__ T tile[32][PITCH];

    tile[threadIdx.y][threadIdx.x] = in[32 * threadIdx.y + threadIdx.x];
    __syncthreads();
    out[32 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

#endif
