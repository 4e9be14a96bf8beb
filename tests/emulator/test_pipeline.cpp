// SPDX-License-Identifier: MIT
// Tests asynchronous copies to shared memory. A copy arrives when the kernel waits for it. Until
// then its destination holds neither the old data nor the new.
#include <cuda_pipeline_primitives.h>

#include "tests/unit/unit.h"

#include <cstring>

// Copies in[0] and in[1], each in its own group. Waits for all groups but the last `newest` ones.
// Then stores the destinations of both copies in out, whether or not the copies have arrived.
static __global__ void copy_two(const uint4 *in, uint4 *out, int newest)
{
    __shared__ uint4 memory[2];

    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&memory[i], &in[i], 16);
        __pipeline_commit();
    }
    __pipeline_wait_prior((size_t)newest);
    for (int i = 0; i < 2; i++)
        out[i] = memory[i];
}

// Waits before the copy of in[0] is committed to a group, so that this wait does not include the
// copy. Then commits it and waits again. Stores the destination after each wait.
static __global__ void commit_late(const uint4 *in, uint4 *out, int)
{
    __shared__ uint4 memory;

    __pipeline_memcpy_async(&memory, &in[0], 16);
    __pipeline_wait_prior(0);
    out[0] = memory;
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[1] = memory;
}

// Overwrites in[0] by in[1] while in[0] is being copied. Stores the destination before and after
// the wait for the copy.
static __global__ void overwrite(uint4 *in, uint4 *out, int)
{
    __shared__ uint4 memory;

    memory = in[1];
    __pipeline_memcpy_async(&memory, &in[0], 16);
    __pipeline_commit();
    in[0] = in[1];
    out[0] = memory;
    __pipeline_wait_prior(0);
    out[1] = memory;
}

// The first block starts a copy and ends without waiting for it. The second block waits.
static __global__ void leave(const uint4 *in, uint4 *out, int)
{
    __shared__ uint4 memory;

    if (blockIdx.x == 0)
        __pipeline_memcpy_async(&memory, &in[0], 16);
    __pipeline_commit();
    if (blockIdx.x == 1)
        __pipeline_wait_prior(0);
    out[blockIdx.x] = memory;
}

static unsigned char source[32], result[32];
static uint4 *memory; // on the device: in[2], out[2]

// Runs the kernel in one thread of each block.
template <typename T> static void run(void (*kernel)(T *, uint4 *, int), int blocks, int newest)
{
    NEED(cudaMemcpy(memory, source, sizeof source, cudaMemcpyHostToDevice) == cudaSuccess);
    LAUNCH(kernel, blocks, 1, 0, nullptr, memory, memory + 2, newest);
    NEED(cudaMemcpy(result, memory + 2, sizeof result, cudaMemcpyDeviceToHost) == cudaSuccess);
}

static bool is(int i, int wanted)
{
    return memcmp(result + 16 * i, source + 16 * wanted, 16) == 0;
}

// True if every byte of out[i] differs from the byte at the same place in in[other].
static bool is_strange(int i, int other)
{
    int same = 0;

    for (int byte = 0; byte < 16; byte++)
        same += result[16 * i + byte] == source[16 * other + byte];
    return same == 0;
}

int main()
{
    for (unsigned i = 0; i < sizeof source; i++)
        source[i] = (unsigned char)(7 * i);
    NEED(cudaMalloc(&memory, 2 * sizeof source) == cudaSuccess);
    run(copy_two, 1, 0);
    CHECK(is(0, 0) && is(1, 1), "all groups are waited for");
    run(copy_two, 1, 1);
    CHECK(is(0, 0) && is_strange(1, 1), "all but one");
    run(copy_two, 1, 2);
    CHECK(is_strange(0, 0) && is_strange(1, 1), "none");
    run(commit_late, 1, 0);
    CHECK(is_strange(0, 0) && is(1, 0), "only what was committed is waited for");
    run(overwrite, 1, 0);
    CHECK(!is(0, 1), "memory that a copy goes to is of no use any more");
    CHECK(is(1, 1), "a source that is overwritten too early gives what overwrites it");
    run(leave, 2, 0);
    CHECK(is_strange(1, 0), "a copy ends with its block");
    return unit_result();
}
