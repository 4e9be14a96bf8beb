// SPDX-License-Identifier: MIT
// Kernels for test_bulk.cpp. A unit is 16 bytes. A stage is one of the STAGES places in shared
// memory for a row; rows use the stages in turn.
#ifndef SMOOTHIMG_EMULATED_BULK_KERNELS_CUH
#define SMOOTHIMG_EMULATED_BULK_KERNELS_CUH

#include <cuda_runtime.h>
#include <emulated_tensor.h>

constexpr int ROW = 304, STRIDE = 320, STAGES = 2; // bytes of a row, and from a row to the next

struct rows_memory {
    uint4 in[STAGES][ROW / 16];
    uint64_t full[STAGES], freed[STAGES]; // barriers; see copy_rows
};

// Bits of `faults`: the mistakes that copy_rows makes on purpose.
enum : unsigned {
    NO_FENCE_OF_BARRIERS = 1 << 0,
    NO_SYNC_AFTER_INIT = 1 << 1,
    WRONG_PARITY = 1 << 2,
    NO_WAIT = 1 << 3,
    TOO_FEW_BYTES = 1 << 4,
    TOO_MANY_BYTES = 1 << 5,
    ARRIVES_TWICE = 1 << 6,
    ODD_ADDRESS = 1 << 7,
    OVERWRITES_BARRIER = 1 << 8,
    LEAVES_COPY = 1 << 9
};

// Starts the copy of row `number` to its stage.
inline void ask_for_row(rows_memory &memory, const uint8_t *from, int number, unsigned faults)
{
    const uint32_t full = shared_address(&memory.full[number % STAGES]);
    const uint32_t to = shared_address(memory.in[number % STAGES]);

    barrier_expect(full,
                   ROW + (faults & TOO_MANY_BYTES ? 16 : 0) - (faults & TOO_FEW_BYTES ? 16 : 0));
    row_load(faults & ODD_ADDRESS ? to + 8 : to, from + number * STRIDE, ROW, full);
    if (faults & ARRIVES_TWICE)
        barrier_arrive(full);
}

// A block of two warps adds one to each byte of some rows. The first lane of the first warp loads
// the rows; the second warp computes and stores them. A stage's barrier `full` completes when its
// row is loaded, and its barrier `freed` when the row has been read.
inline __global__ void copy_rows(const uint8_t *from, uint8_t *to, int rows, unsigned faults)
{
    __shared__ rows_memory memory;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(shared_address(&memory.full[i]), 1);
            barrier_init(shared_address(&memory.freed[i]), 32);
        }
        if (!(faults & NO_FENCE_OF_BARRIERS))
            barriers_ready();
    }
    if (!(faults & NO_SYNC_AFTER_INIT))
        __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < rows + (faults & LEAVES_COPY ? 1 : 0); i++) {
            const unsigned before = (unsigned)(i / STAGES - 1) % 2;

            if (i >= STAGES)
                barrier_wait(shared_address(&memory.freed[i % STAGES]), before);
            ask_for_row(memory, from, i, faults);
        }
        if (faults & OVERWRITES_BARRIER)
            memory.freed[0] = 0;
        if (faults & OVERWRITES_BARRIER)
            barrier_wait(shared_address(&memory.freed[0]), 0);
    } else if (threadIdx.x >= 32) {
        for (int i = 0; i < rows; i++) {
            const int stage = i % STAGES;
            const unsigned parity = (unsigned)(i / STAGES % 2) ^ (faults & WRONG_PARITY ? 1 : 0);
            const uint32_t row = shared_address(memory.in[stage]);

            if (!(faults & NO_WAIT))
                barrier_wait(shared_address(&memory.full[stage]), parity);
            for (uint32_t x = threadIdx.x - 32; x < ROW; x += 32)
                to[i * STRIDE + (int)x] = (uint8_t)(load_shared<uint8_t>(row + x) + 1);
            barrier_arrive(shared_address(&memory.freed[stage]));
        }
    }
}

// Bits of `faults`: the mistakes that copy_units makes on purpose.
enum : unsigned {
    NO_UNIT_WAIT = 1 << 0,
    NO_ARRIVAL = 1 << 1,
    ARRIVES_FIRST = 1 << 2,
    ODD_UNIT = 1 << 3,
    COPIES_TWICE = 1 << 4,
    BEYOND_SOURCE = 1 << 5,
    LEAVES_UNITS = 1 << 6,
    LEAVES_ARRIVAL = 1 << 7
};

// Each lane of the first warp copies a unit (16 bytes) to shared memory. The second warp waits for
// the 32 units, and stores them in reverse order.
inline __global__ void copy_units(const uint8_t *from, uint4 *to, unsigned faults)
{
    __shared__ uint4 memory[33];
    __shared__ uint64_t full;
    const uint32_t lane = threadIdx.x % 32, at = shared_address(&memory[lane]);
    const uint32_t barrier = shared_address(&full);

    if (threadIdx.x == 0)
        barrier_init(barrier, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        if (faults & ARRIVES_FIRST)
            barrier_arrive(barrier);
        unit_load(faults & ODD_UNIT ? at + 8 : at, from + 16 * lane);
        if (faults & COPIES_TWICE)
            unit_load(at, from + 16 * lane);
        if (!(faults & (NO_ARRIVAL | ARRIVES_FIRST)))
            unit_loads_arrive(barrier);
        if (faults & LEAVES_UNITS)
            return;
    } else if (!(faults & LEAVES_UNITS)) {
        if (!(faults & NO_UNIT_WAIT))
            barrier_wait(barrier, 0);
        to[31 - lane] = load_shared<uint4>(at);
        barrier_wait(barrier, 0);
        if (faults & LEAVES_ARRIVAL && lane == 0)
            barrier_arrive(barrier);
    }
}

// Half a warp copies two rows of 16 units to shared memory, and stores the second row.
inline __global__ void copy_half_rows(const uint4 *from, uint4 *to)
{
    __shared__ uint4 memory[2][32];
    __shared__ uint64_t full;
    const uint32_t lane = threadIdx.x, barrier = shared_address(&full);

    if (lane == 0)
        barrier_init(barrier, 32);
    __syncthreads();
    for (uint32_t row = 0; row < blockDim.x / 16; row++)
        if (lane < 16)
            unit_load(shared_address(&memory[row][lane]), from + 32 * row + lane);
    unit_loads_arrive(barrier);
    barrier_wait(barrier, 0);
    if (lane < 16)
        to[lane] = load_shared<uint4>(shared_address(&memory[1][lane]));
}

// Copies a row to shared memory, and from there to `to`. If `waits` is false, it reads shared
// memory without waiting for the row.
inline __global__ void copy_row(const uint8_t *from, uint8_t *to, int bytes, bool waits)
{
    __shared__ uint4 memory[20];
    __shared__ uint64_t full;

    if (threadIdx.x == 0) {
        barrier_init(shared_address(&full), 1);
        barriers_ready();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(shared_address(&full), (uint32_t)bytes);
        row_load(shared_address(memory), from, (uint32_t)bytes, shared_address(&full));
    }
    if (waits)
        barrier_wait(shared_address(&full), 0);
    for (int i = (int)threadIdx.x; i < bytes; i += 32)
        to[i] = reinterpret_cast<const uint8_t *>(memory)[i];
    barrier_wait(shared_address(&full), 0);
}

#endif
