// SPDX-License-Identifier: MIT
// The product of matrices of bytes that a warp makes together: every lane lays its operands out,
// and takes from the others' what its own results are made of.
#include "threads.h"

namespace emulated
{

struct operands {
    uint32_t a[4], b[2];
};

static operands laid_out[MAX_THREADS];

static uint32_t byte_of(uint32_t word, int byte)
{
    return word >> (8 * byte) & 255;
}

// Byte k of row `row` of A, or of column `column` of B: the layout of mma.m16n8k32 in the PTX
// manual.
static uint32_t a_at(const operands *lanes, int row, int k)
{
    return byte_of(lanes[row % 8 * 4 + k % 16 / 4].a[row / 8 + k / 16 * 2], k % 4);
}

static uint32_t b_at(const operands *lanes, int column, int k)
{
    return byte_of(lanes[column * 4 + k % 16 / 4].b[k / 16], k % 4);
}

void multiply_bytes(uint32_t (&result)[4], const uint32_t *a, uint32_t b0, uint32_t b1,
                    const uint32_t (&c)[4], place where)
{
    const int lane = current_lane();
    operands *lanes = laid_out + current_warp() * 32;
    uint32_t sums[4];

    lanes[lane] = {{a[0], a[1], a[2], a[3]}, {b0, b1}};
    wait_for_lanes(warp_op::sync, 0xffffffff, 0, 0, where);
    for (int i = 0; i < 4; i++) {
        sums[i] = c[i];
        for (int k = 0; k < 32; k++)
            sums[i] += a_at(lanes, lane / 4 + i / 2 * 8, k) * b_at(lanes, lane % 4 * 2 + i % 2, k);
    }
    wait_for_lanes(warp_op::sync, 0xffffffff, 0, 0, where); // before the next operands come
    for (int i = 0; i < 4; i++)
        result[i] = sums[i];
}

} // namespace emulated
