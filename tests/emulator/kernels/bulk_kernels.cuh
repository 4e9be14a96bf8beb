// SPDX-License-Identifier: MIT
// Kernels for test_bulk.cpp. A box is the part of an image that one copy with a tensor map moves. A
// unit is 16 bytes. A stage is one of the STAGES places in shared memory for a box; boxes use the
// stages in turn.
#ifndef SMOOTHIMG_EMULATED_BULK_KERNELS_CUH
#define SMOOTHIMG_EMULATED_BULK_KERNELS_CUH

#include <cuda_runtime.h>
#include <emulated_tensor.h>

constexpr int BOX_WIDTH = 128, BOX_ROWS = 8, STAGES = 2;

struct boxes_memory {
    uint8_t in[STAGES][BOX_ROWS][BOX_WIDTH], out[STAGES][BOX_ROWS][BOX_WIDTH];
    uint64_t full[STAGES], done[STAGES]; // barriers; see copy_boxes
};

// Bits of `faults`: the mistakes that copy_boxes makes on purpose.
enum : unsigned {
    NO_FENCE_OF_BARRIERS = 1 << 0,
    NO_SYNC_AFTER_INIT = 1 << 1,
    WRONG_PARITY = 1 << 2,
    NO_WAIT = 1 << 3,
    TOO_FEW_BYTES = 1 << 4,
    TOO_MANY_BYTES = 1 << 5,
    ARRIVES_TWICE = 1 << 6,
    ODD_COLUMN = 1 << 7,
    ODD_ADDRESS = 1 << 8,
    NO_FENCE_OF_WRITES = 1 << 9,
    NO_READ_WAIT = 1 << 10,
    NO_END = 1 << 11,
    OVERWRITES_BARRIER = 1 << 12,
    LEAVES_COPY = 1 << 13,
    NO_SWIZZLE = 1 << 14
};

// Starts the copy of box `number` from the image to its stage.
inline void ask_for_box(boxes_memory &memory, const CUtensorMap &from, int x, int number,
                        unsigned faults)
{
    const uint32_t full = shared_address(&memory.full[number % STAGES]);
    const uint32_t to = shared_address(memory.in[number % STAGES]);

    barrier_expect(full, BOX_ROWS * BOX_WIDTH + (faults & TOO_MANY_BYTES ? 16 : 0) -
                             (faults & TOO_FEW_BYTES ? 16 : 0));
    tile_load(faults & ODD_ADDRESS ? to + 16 : to, &from, faults & ODD_COLUMN ? x + 8 : x,
              number * BOX_ROWS, full);
    if (faults & ARRIVES_TWICE)
        barrier_arrive(full);
}

// Adds one to the samples of the stage's box, 16 bytes at a time, and stores the sums in `out`.
inline void add_one(boxes_memory &memory, int stage, unsigned faults)
{
    for (uint32_t i = 16 * (threadIdx.x - 32); i < BOX_ROWS * BOX_WIDTH; i += 512) {
        const uint32_t in = shared_address(memory.in[stage]) + i;
        uint4 four = load_shared<uint4>(in);
        uint8_t bytes[16];

        memcpy(bytes, &four, 16);
        for (uint8_t &byte : bytes)
            byte++;
        memcpy(&four, bytes, 16);
        store_shared(shared_address(memory.out[stage]) + (faults & NO_SWIZZLE ? i ^ 16 : i), four);
    }
    if (!(faults & NO_FENCE_OF_WRITES))
        fence_for_tma();
}

// A block of two warps adds one to each sample of BOX_WIDTH columns, box by box; a box has BOX_ROWS
// rows. The first lane of the first warp loads the boxes and stores the results; the second warp
// computes them. A stage's barrier `full` completes when its box is loaded, and its barrier `done`
// when the result is computed.
inline __global__ void copy_boxes(const CUtensorMap from, const CUtensorMap to, int height,
                                  unsigned faults)
{
    boxes_memory &memory = *static_cast<boxes_memory *>(emulated::dynamic_shared());
    const int x = (int)blockIdx.x * BOX_WIDTH, boxes = (height + BOX_ROWS - 1) / BOX_ROWS;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(shared_address(&memory.full[i]), 1);
            barrier_init(shared_address(&memory.done[i]), 32);
        }
        if (!(faults & NO_FENCE_OF_BARRIERS))
            barriers_ready();
    }
    if (!(faults & NO_SYNC_AFTER_INIT))
        __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++)
            ask_for_box(memory, from, x, i, faults);
        for (int i = 0; i < boxes; i++) {
            const int stage = i % STAGES;

            barrier_wait(shared_address(&memory.done[stage]), (unsigned)(i / STAGES % 2));
            tile_store(&to, x, i * BOX_ROWS, shared_address(memory.out[stage]));
            tile_stores_commit();
            if (!(faults & (i + 1 < boxes ? NO_READ_WAIT : NO_END)))
                tile_stores_read<0>();
            if (i + STAGES < boxes + (faults & LEAVES_COPY ? 1 : 0))
                ask_for_box(memory, from, x, i + STAGES, faults);
        }
        if (faults & OVERWRITES_BARRIER)
            memory.done[0] = 0;
        if (faults & OVERWRITES_BARRIER)
            barrier_wait(shared_address(&memory.done[0]), 0);
        if (!(faults & NO_END))
            tile_stores_done();
    } else if (threadIdx.x >= 32) {
        for (int i = 0; i < boxes; i++) {
            const int stage = i % STAGES;
            const unsigned parity = (unsigned)(i / STAGES % 2) ^ (faults & WRONG_PARITY ? 1 : 0);

            if (!(faults & NO_WAIT))
                barrier_wait(shared_address(&memory.full[stage]), parity);
            add_one(memory, stage, faults);
            barrier_arrive(shared_address(&memory.done[stage]));
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
    LEAVES_UNITS = 1 << 6
};

// Each lane of the first warp copies a unit (16 bytes) to shared memory, or writes 16 zeros there
// if `zeros`. The second warp waits for the 32 units, and stores them in reverse order.
inline __global__ void copy_units(const uint8_t *from, uint4 *to, bool zeros, unsigned faults)
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
        unit_load(faults & ODD_UNIT ? at + 8 : at, from + 16 * lane, zeros);
        if (faults & COPIES_TWICE)
            unit_load(at, from + 16 * lane, zeros);
        if (!(faults & (NO_ARRIVAL | ARRIVES_FIRST)))
            unit_loads_arrive(barrier);
        if (faults & LEAVES_UNITS)
            return;
    } else if (!(faults & LEAVES_UNITS)) {
        if (!(faults & NO_UNIT_WAIT))
            barrier_wait(barrier, 0);
        to[31 - lane] = load_shared<uint4>(at);
        barrier_wait(barrier, 0);
    }
}

// A warp copies two rows of 16 units to shared memory, and fills each up to 32 units with zeros.
// Then it stores the second row.
inline __global__ void copy_half_rows(const uint4 *from, uint4 *to)
{
    __shared__ uint4 memory[2][32];
    __shared__ uint64_t full;
    const uint32_t lane = threadIdx.x, barrier = shared_address(&full);

    if (lane == 0)
        barrier_init(barrier, 32);
    __syncthreads();
    for (uint32_t row = 0; row < blockDim.x / 16; row++)
        unit_load(shared_address(&memory[row][lane]), from + 32 * row + lane, lane >= 16);
    unit_loads_arrive(barrier);
    barrier_wait(barrier, 0);
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
