// SPDX-License-Identifier: MIT
// Products of matrices by a warp (mma.sync): each lane stores its operands in `laid_out`, and then
// computes its results from the operands of all lanes. A row of A, and a column of B, has 16 or 32
// bytes: 16 or 32 integers of one byte, or 8 or 16 half floats.
#include "src/emulator/exec/threads.h"
#include "src/emulator/tensor_sums.h"

#include <cmath>
#include <cstring>

namespace emulated
{

// A warp's matrices. A is stored by rows and B by columns, so the elements that are multiplied and
// summed are contiguous in both.
struct operands {
    uint32_t a[16][8], b[8][8];
};

static operands laid_out[MAX_THREADS / 32];
static tensor_cores cores; // the model of the tensor cores of the launch's device

void products_begin_grid()
{
    const int how = word_from("EMULATED_SUMS", {"published", "least", "greatest"});

    cores = tensor_cores_of(capability(), (cuts)how); // enum cuts: tensor_sums.h
}

// Adds the products of a row and a column to sum, 16 bytes at a time. The inner loop has a constant
// length, so that compilers vectorise it; tests spend much of their time here.
static void add_product(uint32_t &sum, const uint32_t *row, const uint32_t *column, int words)
{
    for (int first = 0; first < words; first += 4) {
        uint8_t a[16], b[16];

        memcpy(a, row + first, sizeof a);
        memcpy(b, column + first, sizeof b);
        for (int k = 0; k < 16; k++)
            sum += (uint32_t)a[k] * b[k];
    }
}

static void add_product(float &sum, const uint32_t *row, const uint32_t *column, int words)
{
    uint16_t a[16], b[16];

    for (int k = 0; k < 2 * words; k++) {
        a[k] = (uint16_t)(row[k / 2] >> (k % 2 * 16));
        b[k] = (uint16_t)(column[k / 2] >> (k % 2 * 16));
    }
    sum = add_products(cores, a, b, 2 * words, sum);
}

// Operands are distributed over the lanes as the PTX manual says for mma.m16n8k32 and similar
// instructions. `words` is the number of 32-bit words in a row of A.
template <typename Sum>
static void multiply(Sum (&result)[4], const uint32_t *a, const uint32_t *b, int words,
                     const Sum (&c)[4], place where)
{
    const int lane = current_lane(), group = lane / 4, word = lane % 4;
    operands &warp = laid_out[current_warp()];
    Sum sums[4] = {c[0], c[1], c[2], c[3]};

    need_capability(8, "a product of matrices", where);
    for (int i = 0; i < words / 2; i++)
        warp.a[group + i % 2 * 8][i / 2 * 4 + word] = a[i];
    for (int i = 0; i < words / 4; i++)
        warp.b[group][4 * i + word] = b[i];
    wait_for_lanes(warp_op::product, 0xffffffff, 0, 0, where);
    for (int i = 0; i < 4; i++)
        add_product(sums[i], warp.a[group + i / 2 * 8], warp.b[word * 2 + i % 2], words);
    // Waits until all lanes have read the operands, since the next product overwrites them.
    wait_for_lanes(warp_op::product, 0xffffffff, 0, 0, where);
    for (int i = 0; i < 4; i++)
        result[i] = sums[i];
}

void multiply_words(uint32_t (&result)[4], const uint32_t *a, const uint32_t *b, int words,
                    const uint32_t (&c)[4], place where)
{
    multiply(result, a, b, words, c, where);
}

void multiply_words(float (&result)[4], const uint32_t *a, const uint32_t *b, int words,
                    const float (&c)[4], place where)
{
    multiply(result, a, b, words, c, where);
}

} // namespace emulated
