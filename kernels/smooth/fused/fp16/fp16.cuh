/* SPDX-License-Identifier: MIT */
/* The code of the computing warps of the kernel fused_fp16. These warps sum, and convert the totals
 * of a step (8 rows of outputs) to samples in image order and to fractions. fp16/shape.cuh
 * describes how a thread block works.
 *
 * A plane is one channel whose bytes are gathered from between the bytes of the other channels. A
 * tile is 16 columns of outputs, or, with planes, 16 pixels of one channel. A round is 32 rows of
 * outputs. A sample is unresolved if the error bound does not prove its rounding. */
#ifndef SMOOTHIMG_FUSED_FP16_CUH
#define SMOOTHIMG_FUSED_FP16_CUH

#include "kernels/smooth/fused/fp16/operands.cuh"
#include "kernels/smooth/fused/fp16/shape.cuh"

/* Packs two neighbouring samples of each of two rows into a word. a, c: the totals of the first
 * row; b, d: the totals of the second row. */
__device__ __forceinline__ uint32_t round_pair(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    /* Bits 22..15 of a total are the sample, and bits 23..16 are byte 2: a shift to the left by one
     * bit puts the sample into a byte. */
    return __byte_perm(__byte_perm(a, c, 0x6521) << 1, __byte_perm(b, d, 0x6521) << 1, 0x7531);
}

/* Rounds a lane's totals of eight rows of outputs. packed: each word has two neighbouring samples
 * of a row and the two samples below them, in image order. fractions: for each tile two words, one
 * for each of the lane's two outputs in a row; a word has the fractions of two rows. */
template <class Shape>
__device__ __forceinline__ void round_step(uint32_t (&packed)[Shape::tiles],
                                           uint32_t (&fractions)[Shape::tiles][2],
                                           const float (&totals)[Shape::tiles][4])
{
    constexpr int planes = Shape::planes;
    uint32_t bits[Shape::tiles][4];

#pragma unroll
    for (int tile = 0; tile < Shape::tiles; tile++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            bits[tile][i] = __float_as_uint(totals[tile][i]);
        fractions[tile][0] = __byte_perm(bits[tile][0], bits[tile][1], 0x5410);
        fractions[tile][1] = __byte_perm(bits[tile][2], bits[tile][3], 0x5410);
    }
#pragma unroll
    for (int i = 0; i < Shape::tiles; i++) {
        const int tile = i / planes * planes, first = 2 * (i % planes), second = first + 1;
        const uint32_t *a = &bits[tile + first % planes][first / planes * 2];
        const uint32_t *c = &bits[tile + second % planes][second / planes * 2];

        packed[i] = round_pair(a[0], a[1], c[0], c[1]);
    }
}

/* Returns the address at which a lane writes its outputs in the first step of the first buffer. */
template <class Shape>
__device__ __forceinline__ uint32_t output_of_lane(const fp16_memory<Shape> &memory, int warp,
                                                   int lane)
{
    const int left = Shape::warp_columns * warp;

    /* store_matrices_transposed() needs from each lane the address of a row of a matrix. */
    if (Shape::planes == 1 && Shape::bulk)
        return shared_address(memory.out) +
               place_of_output<Shape>((uint32_t)(left + lane / 8 * 16), (uint32_t)(lane % 8));
    return shared_address(memory.out) +
           place_of_output<Shape>((uint32_t)(left + lane / 4 * 2 * Shape::planes),
                                  (uint32_t)(lane % 4 * 2));
}

/* Writes a lane's outputs. With swizzling, the lane's second row is in the next line (128 bytes) of
 * shared memory, with bit 4 of the address inverted. With one plane, XORing i into bits 4 and 5 of
 * the address gives the address of tile i; with two planes, inverting bit 5 gives the address of
 * the second 16 pixels. */
template <class Shape>
__device__ __forceinline__ void store_packed(uint32_t to, const uint32_t (&packed)[Shape::tiles])
{
    const uint32_t below = (to + ROW_BYTES) ^ 16;

    if constexpr (Shape::planes == 1 && Shape::bulk) {
        store_matrices_transposed(to, packed);
    } else if constexpr (Shape::planes == 1) {
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile++) {
            store_shared(to ^ (16 * (uint32_t)tile), (uint16_t)packed[tile]);
            store_shared(below ^ (16 * (uint32_t)tile), (uint16_t)(packed[tile] >> 16));
        }
    } else if constexpr (Shape::planes == 2) {
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile += 2) {
            store_shared(to ^ (16 * (uint32_t)tile),
                         __byte_perm(packed[tile], packed[tile + 1], 0x5410));
            store_shared(below ^ (16 * (uint32_t)tile),
                         __byte_perm(packed[tile], packed[tile + 1], 0x7632));
        }
    } else if constexpr (Shape::planes == 3) {
#pragma unroll
        for (uint32_t i = 0; i < 3; i++) {
            store_shared(to + 2 * i, (uint16_t)packed[i]);
            store_shared(to + Shape::out_box + 2 * i, (uint16_t)(packed[i] >> 16));
        }
    } else {
        store_shared(to, make_uint2(__byte_perm(packed[0], packed[1], 0x5410),
                                    __byte_perm(packed[2], packed[3], 0x5410)));
        store_shared(below, make_uint2(__byte_perm(packed[0], packed[1], 0x7632),
                                       __byte_perm(packed[2], packed[3], 0x7632)));
    }
}

/* A lane's words of fp16_tables, in registers. threshold: fp16_tables.unresolved; a sample whose
 * fraction is below it is unresolved. */
template <class Shape> struct fp16_weights {
    uint32_t along[FP16_DIGITS][Shape::registers];
    uint32_t down[Shape::blocks][3];
    float offset;
    uint32_t mask, threshold;
};

template <class Shape>
__device__ __forceinline__ void load_weights(fp16_weights<Shape> &weights,
                                             const volatile fp16_tables *tables, int lane)
{
#pragma unroll
    for (int digit = 0; digit < FP16_DIGITS; digit++)
#pragma unroll
        for (int i = 0; i < Shape::registers; i++)
            weights.along[digit][i] = tables->along[digit][i][lane];
#pragma unroll
    for (int block = 0; block < Shape::blocks; block++)
#pragma unroll
        for (int i = 0; i < 3; i++)
            weights.down[block][i] = tables->down[block][i][lane];
    weights.offset = tables->offset;
    weights.mask = tables->mask;
}

/* Computes the sums along eight rows of a tile. sums[0] and [1]: output 2 (lane / 4) in row 2 (lane
 * % 4) and in the next row; [2] and [3]: the output to its right. */
template <class Shape>
__device__ __forceinline__ void sum_along(uint32_t (&sums)[4], const fp16_weights<Shape> &weights,
                                          const uint32_t (&operand)[3])
{
    const uint32_t none[4] = {};
    uint32_t products[FP16_DIGITS][4];

#pragma unroll
    for (int digit = 0; digit < FP16_DIGITS; digit++) {
        multiply_bytes_32(products[digit], weights.along[digit], operand[0], operand[1], none);
        if constexpr (Shape::wide)
            add_bytes_16(products[digit], weights.along[digit] + 4, operand[2]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        sums[i] = (products[0][i] << (16 - Shape::shift)) +
                  ((products[1][i] << (8 - Shape::shift)) + (products[2][i] >> Shape::shift));
}

/* Adds the sums of eight more rows to the running totals of one tile; the oldest totals are then
 * complete. running[i] has the totals to which i + 1 blocks of eight rows have been added. The
 * product that adds the next block writes its result to running[i + 1], so no instruction copies a
 * total. */
template <class Shape>
__device__ __forceinline__ void
sum_down(float (&complete)[4], float (&running)[Shape::blocks - 1][4], const uint32_t (&sums)[4],
         const fp16_weights<Shape> &weights)
{
    const uint32_t digits[4] = {__byte_perm(sums[0], sums[1], 0x7632),
                                __byte_perm(sums[2], sums[3], 0x7632),
                                __byte_perm(sums[0], sums[1], 0x5410) >> 5 & weights.mask,
                                __byte_perm(sums[2], sums[3], 0x5410) >> 5 & weights.mask};

    const float none[4] = {};
    float(&last)[4] = running[Shape::blocks - 2];

    multiply_halves_16(complete, digits, weights.down[Shape::blocks - 1][0],
                       weights.down[Shape::blocks - 1][1], last);
    add_halves_8(complete, digits[0], digits[1], weights.down[Shape::blocks - 1][2]);
#pragma unroll
    for (int block = Shape::blocks - 2; block > 0; block--) {
        multiply_halves_16(running[block], digits, weights.down[block][0], weights.down[block][1],
                           running[block - 1]);
        add_halves_8(running[block], digits[0], digits[1], weights.down[block][2]);
    }
    multiply_halves_16(running[0], digits, weights.down[0][0], weights.down[0][1], none);
    add_halves_8(running[0], digits[0], digits[1], weights.down[0][2]);
#pragma unroll
    for (int i = 0; i < 4; i++)
        complete[i] += weights.offset;
}

/* Compares the fractions in both halves of a word, in bits 14..0 of each half, with the fractions
 * in the halves of `threshold`. In the result, the top bit of each half (bit 15 or 31) is set if
 * the fraction in that half is below the threshold. */
__device__ __forceinline__ uint32_t below(uint32_t fractions, uint32_t threshold)
{
    return ~((fractions | 0x80008000u) - threshold) & 0x80008000u;
}

/* True if any fraction is below the threshold. Fractions are compared as half floats, which have
 * the same order as their bits. A fraction whose upper bits are all 1 is a NaN as a half float. The
 * minimum of a NaN and a number is the number, which is also the lesser fraction. */
template <int TILES>
__device__ __forceinline__ bool any_unresolved(const uint32_t (&fractions)[TILES][2],
                                               uint32_t threshold)
{
    uint32_t lowest[2] = {0x7fff7fff, 0x7fff7fff}; /* two independent minima: half the latency */

#pragma unroll
    for (int tile = 0; tile < TILES; tile++)
#pragma unroll
        for (int i = 0; i < 2; i++)
            lowest[i] = min_with_absolute(lowest[i], fractions[tile][i]);
    return below(min_with_absolute(lowest[0], lowest[1]), threshold) != 0;
}

/* Queues a warp's unresolved samples among eight rows of outputs. Each lane has the fractions of
 * its own samples. */
template <class Shape>
__device__ __forceinline__ void queue_step(fp16_queue &queue,
                                           const uint32_t (&fractions)[Shape::tiles][2],
                                           uint32_t threshold, int warp, int lane, int step)
{
    /* Bit 15 - i or 31 - i of `which` is set if the lower or upper fraction of word i is
     * unresolved. Bit l of `lanes` is set while lane l has such fractions. */
    uint32_t which = 0, lanes;

#pragma unroll
    for (int i = 0; i < 2 * Shape::tiles; i++)
        which |= below(fractions[i / 2][i % 2], threshold) >> i;
#pragma unroll 1
    while ((lanes = __ballot_sync(0xffffffff, which != 0)) != 0) {
        const int bit = 31 - __clz((int)which), word = 15 - bit % 16;
        const int tile = word / 2, plane = tile % Shape::planes;
        const int row = STEP_ROWS * step + lane % 4 * 2 + bit / 16;
        const int column = Shape::warp_columns * warp + 16 * (tile - plane) +
                           (lane / 4 * 2 + word % 2) * Shape::planes + plane;
        uint32_t at = 0;

        if (lane == 0)
            at = atomicAdd(&queue.count, (uint32_t)__popc(lanes));
        at = __shfl_sync(0xffffffff, at, 0);
        if (at >= MAX_REPAIRS)
            break;
        at += (uint32_t)__popc(lanes & ((1u << lane) - 1));
        if (which && at < MAX_REPAIRS)
            queue.samples[at] = (uint16_t)(row << 10 | column);
        which &= which ? ~(1u << bit) : 0;
    }
}

template <class Shape>
__device__ __forceinline__ void compute(fp16_memory<Shape> &memory, uint32_t threshold,
                                        const fp16_work &work, int warp, int lane)
{
    constexpr int lag = Shape::blocks - 1; /* how many steps only fill the window */
    const fp16_window<Shape> window = window_of_lane(memory, warp, lane);
    const uint32_t out = output_of_lane(memory, warp, lane);
    fp16_weights<Shape> weights;
    float running[Shape::tiles][lag][4] = {};
    uint32_t to = out;
    ring_slot<Shape::groups> slot = {0, 0};
    ring_slot<Shape::rounds> buffer = {0, 1};

    load_weights(weights, reinterpret_cast<const volatile fp16_tables *>(memory.out), lane);
    named_barrier<2, 32 * COMPUTING>(); /* outputs will overwrite the tables */
    weights.threshold = threshold;
#pragma unroll 1
    for (int group = 0; 2 * group < work.steps; group++) {
        const fp16_window<Shape> here = window_in_slot(window, slot.index);

        barrier_wait(shared_address(&memory.full[slot.index]), slot.parity);
        slot.advance();
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int step = 2 * group + half - lag; /* negative: the window still fills */
            const int in_round = step & (ROUND_STEPS - 1);
            uint32_t operands[Shape::tiles][3], fractions[Shape::tiles][2];
            uint32_t packed[Shape::tiles];
            float totals[Shape::tiles][4];

            if (half == 1 && 2 * group + half >= work.steps)
                break;
            load_operands<Shape>(operands, here, half);
#pragma unroll
            for (int tile = 0; tile < Shape::tiles; tile++) {
                uint32_t sums[4];

                sum_along(sums, weights, operands[tile]);
                sum_down<Shape>(totals[tile], running[tile], sums, weights);
            }
            round_step<Shape>(packed, fractions, totals);
            if (step < 0)
                continue;
            if (in_round == 0)
                barrier_wait(shared_address(&memory.freed[buffer.index]), buffer.parity);
            store_packed<Shape>(to, packed);
            to += STEP_ROWS * Shape::out_box;
            if (__any_sync(0xffffffff, any_unresolved(fractions, weights.threshold)))
                queue_step<Shape>(memory.queue[buffer.index][warp % Shape::helpers], fractions,
                                  weights.threshold, warp, lane, in_round);
            if (in_round == ROUND_STEPS - 1) {
                if constexpr (Shape::bulk)
                    fence_for_tma();
                barrier_arrive(shared_address(&memory.done[buffer.index]));
                buffer.advance();
                to = out + (uint32_t)(buffer.index * Shape::out_bytes);
            }
        }
    }
}

#endif
