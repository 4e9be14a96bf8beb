// SPDX-License-Identifier: MIT
// The product of byte matrices by a warp (mma.m16n8k32): each lane stores its operands, and then
// computes its results from the operands of all lanes.
#include "src/emulator/exec/threads.h"

namespace emulated
{

// A by rows, B by columns: k is contiguous in both.
struct operands {
    uint8_t a[16][32], b[8][32];
};

static operands laid_out[MAX_THREADS / 32];

static void lay_out(uint8_t *bytes, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

static uint32_t product(const uint8_t (&row)[32], const uint8_t (&column)[32])
{
    uint32_t sum = 0;

    for (int k = 0; k < 32; k++)
        sum += (uint32_t)row[k] * column[k];
    return sum;
}

// The layout of mma.m16n8k32 in the PTX manual.
void multiply_bytes(uint32_t (&result)[4], const uint32_t *a, uint32_t b0, uint32_t b1,
                    const uint32_t (&c)[4], place where)
{
    const int lane = current_lane(), group = lane / 4, first = lane % 4 * 4;
    operands &warp = laid_out[current_warp()];
    uint32_t sums[4];

    for (int i = 0; i < 4; i++)
        lay_out(warp.a[group + i % 2 * 8] + i / 2 * 16 + first, a[i]);
    lay_out(warp.b[group] + first, b0);
    lay_out(warp.b[group] + 16 + first, b1);
    wait_for_lanes(warp_op::sync, 0xffffffff, 0, 0, where);
    for (int i = 0; i < 4; i++)
        sums[i] = c[i] + product(warp.a[group + i / 2 * 8], warp.b[lane % 4 * 2 + i % 2]);
    wait_for_lanes(warp_op::sync, 0xffffffff, 0, 0, where); // operands may change now
    for (int i = 0; i < 4; i++)
        result[i] = sums[i];
}

} // namespace emulated
