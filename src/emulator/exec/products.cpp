// SPDX-License-Identifier: MIT
// Products of matrices by a warp (mma.sync): each lane stores its operands in `laid_out`, and then
// computes its results from the operands of all lanes. A row of A, and a column of B, has 32 bytes.
#include "src/emulator/exec/threads.h"

#include <cstring>
#include <emulated_tensor.h>

namespace emulated
{

// A warp's matrices. A is stored by rows and B by columns, so the elements that are multiplied and
// summed are contiguous in both.
struct operands {
    uint8_t a[16][32], b[8][32];
};

static operands laid_out[MAX_THREADS / 32];

// Adds the products of a row and a column to sum.
static void add_product(uint32_t &sum, const uint8_t *row, const uint8_t *column)
{
    for (int k = 0; k < 32; k++)
        sum += (uint32_t)row[k] * column[k];
}

void multiply_bytes_32(uint32_t (&result)[4], const uint32_t *a, uint32_t b0, uint32_t b1,
                       const uint32_t (&c)[4], place where)
{
    const int lane = current_lane(), group = lane / 4, word = lane % 4;
    operands &warp = laid_out[current_warp()];
    uint32_t sums[4] = {c[0], c[1], c[2], c[3]};

    need_capability(8, "a product of matrices", where);
    for (int i = 0; i < 4; i++)
        memcpy(&warp.a[group + i % 2 * 8][i / 2 * 16 + 4 * word], &a[i], sizeof a[i]);
    memcpy(&warp.b[group][4 * word], &b0, sizeof b0);
    memcpy(&warp.b[group][16 + 4 * word], &b1, sizeof b1);
    wait_for_lanes(warp_op::product, 0xffffffff, 0, 0, where);
    for (int i = 0; i < 4; i++)
        add_product(sums[i], warp.a[group + i / 2 * 8], warp.b[word * 2 + i % 2]);
    // Waits until all lanes have read the operands, since the next product overwrites them.
    wait_for_lanes(warp_op::product, 0xffffffff, 0, 0, where);
    for (int i = 0; i < 4; i++)
        result[i] = sums[i];
}

} // namespace emulated
