/* SPDX-License-Identifier: MIT */
/* The filter as fp16/fp16.cuh needs it: the operands of matrix products, distributed over the lanes
 * of a warp.
 *
 * A plane is one channel whose bytes are gathered from between the bytes of the other channels. A
 * tile is 16 columns of outputs, or, with planes, 16 pixels of one channel. A weight along the rows
 * has three digits, each of one byte. A sample is unresolved if the error bound does not prove its
 * rounding. */
#ifndef SMOOTHIMG_FUSED_FP16_TABLES_CUH
#define SMOOTHIMG_FUSED_FP16_TABLES_CUH

#include "kernels/common/weights.cuh"
#include "kernels/smooth/fused/fp16/bound.cuh"

#define FP16_MAX_HALO 16
/* Without planes: how many samples the taps may reach at most along the row on each side. */
#define FP16_MAX_REACH 16
#define FP16_BLOCKS 5 /* 8 rows of outputs need at most this many blocks of 8 image rows */
/* Greatest share of unresolved samples; with more of them other kernels are faster. */
#define MAX_UNRESOLVED 0.004
#define REPAIR_DIGITS 4 /* bytes of a 32-bit weight */
#define REPAIR_WORDS 33 /* words of four bytes: 33 taps of four channels at most */
#define TOTAL_BITS 23   /* fraction bits of a total, when an unresolved sample is computed again */

struct fp16_tables {
    uint32_t along[FP16_DIGITS][6]
                  [32]; /* [digit][register][lane]: left operands, rows of weights */
    /* [block of 8 image rows][i][lane]: right operands, the half floats of the weights down the
     * columns (fp16_halves). i: 0 for `high`, 1 for `low`, 2 for `rest`. */
    uint32_t down[FP16_BLOCKS][3][32];
    uint32_t mask;       /* selects the lower digits of two sums */
    uint32_t unresolved; /* in both halves of the word: a sample is unresolved if its fraction is
                            below this, in units of 2^-15 */
    float offset;
    /* The taps with which unresolved samples are computed again, by distance, in units of 2^-32.
     * The centre's tap is halved, since its row is added twice. */
    uint32_t taps[FP16_MAX_HALO + 1];
};

/* The taps byte by byte, four to a word: operands of the byte products with which unresolved
 * samples are computed again. Between the taps are zeros for the other channels. */
struct tap_bytes {
    uint32_t words[REPAIR_DIGITS][REPAIR_WORDS];
};

/* The weights of the definition (smooth/reference.c), for exact sums. */
typedef two_axes_to<FP16_MAX_HALO> fp16_exact;

/* Returns the number of planes. If taps that are a pixel apart reach at most FP16_MAX_REACH
 * samples, it is 1, and no bytes are gathered. Otherwise it is the number of channels. */
static inline int fp16_planes(const struct request *request)
{
    return request->halo * request->src.channels <= FP16_MAX_REACH ? 1 : request->src.channels;
}

/* Returns how a row's samples lie for the products along it. 0: there is one channel. 2 to 4: each
 * channel is gathered into a plane of its own; this is the number of planes. 1: several channels
 * are not gathered, so neighbouring taps along a row are a pixel apart, and reach more samples than
 * the taps down a column. */
static inline int fp16_kind(const struct request *request)
{
    const int planes = fp16_planes(request);

    return planes > 1 ? planes : request->src.channels > 1 ? 1 : 0;
}

/* Returns the position of the first of the four bytes that a lane has in a register of the operand.
 * Positions are counted from the tile's first output. Without planes a row's bytes are read in
 * units of 16, aligned with the outputs. If 16 outputs depend on 48 samples of a row, the
 * operand is wide: three units, the unit of the outputs, the one before it, and the one after it. A
 * narrow operand of planes has 32 bytes that begin 8 before the outputs. Other narrow operands are
 * folded: their first unit is the unit of the outputs; their second unit joins the first half of
 * the unit after the outputs and the second half of the unit before them. */
static inline int first_of_operand(const struct request *request, int reg, int lane)
{
    const int unit = reg < 4 ? reg / 2 : 2, byte = 4 * (lane % 4);

    if (request->halo > 8 || fp16_kind(request) == 1)
        return 16 * (unit - 1) + byte;
    if (fp16_planes(request) > 1)
        return 16 * unit + byte - 8;
    return unit == 0 ? byte : byte < 8 ? 16 + byte : byte - 16;
}

/* Fills in the operands along the rows, in the layouts of the PTX manual: registers 0 to 3 for
 * m16n8k32, registers 4 and 5 for m16n8k16. Row `row` of a matrix of 16 rows computes output 2 (row
 * % 8) + row / 8, so that a lane gets neighbouring outputs. */
static inline void fill_along(const struct request *request, const fp16_scale &scale,
                              fp16_tables *tables)
{
    /* Samples from a tap to the next in a tile's row. */
    const int apart = fp16_planes(request) > 1 ? 1 : request->src.channels;

    for (int digit = 0; digit < FP16_DIGITS; digit++)
        for (int reg = 0; reg < 6; reg++)
            for (int lane = 0; lane < 32; lane++) {
                const int row = lane / 4 + 8 * (reg & 1);
                const int first = first_of_operand(request, reg, lane);
                uint32_t word = 0;

                for (int byte = 0; byte < 4; byte++) {
                    const int beside = first + byte - 2 * (row % 8) - row / 8;
                    const int64_t tap = beside / apart;

                    if (beside % apart == 0 && tap >= -request->halo && tap <= request->halo)
                        word |=
                            ((uint32_t)fp16_weight(request, scale, tap) >> (16 - 8 * digit) & 255)
                            << (8 * byte);
                }
                tables->along[digit][reg][lane] = word;
            }
}

static inline void fill_down(const struct request *request, const fp16_scale &scale,
                             fp16_tables *tables)
{
    for (int block = 0; block < FP16_BLOCKS; block++)
        for (int lane = 0; lane < 32; lane++)
            for (int j = 0; j < 2; j++) {
                const int64_t tap = 8 * block + 2 * (lane % 4) + j - lane / 4 - request->halo;

                if (tap < -request->halo || tap > request->halo)
                    continue;
                const fp16_halves halves = halves_of(request, scale, tap);
                tables->down[block][0][lane] |= (uint32_t)halves.high << (16 * j);
                tables->down[block][1][lane] |= (uint32_t)halves.low << (16 * j);
                tables->down[block][2][lane] |= (uint32_t)halves.rest << (16 * j);
            }
}

static inline void fill_taps(const struct request *request, fp16_tables *tables, tap_bytes *bytes)
{
    for (int k = -(int)request->halo; k <= (int)request->halo; k++) {
        const uint32_t tap = (uint32_t)floor(ldexp(weight_of(request, k), 32) + 0.5);
        const int at = (k + (int)request->halo) * request->src.channels;

        if (k >= 0)
            tables->taps[k] = k ? tap : tap / 2;
        for (int digit = 0; digit < REPAIR_DIGITS; digit++)
            bytes->words[digit][at / 4] |= (tap >> (8 * digit) & 255) << (8 * (at % 4));
    }
}

/* Returns what a pair of rows adds to the total of an unresolved sample that is computed again.
 * sums: for each digit of the taps, its products with the samples of both rows, summed. tap: the
 * weight of the rows. */
__device__ __forceinline__ uint32_t repair_term(const uint32_t (&sums)[REPAIR_DIGITS], uint32_t tap)
{
    return __umulhi((sums[3] << 15) + (sums[2] << 7) + (sums[1] >> 1) + (sums[0] >> 9), tap);
}

/* Returns a bound on the error of the total of a sample that is computed again, in units of the
 * total's last place, 2^-23 grey levels. The sums of the centre's row and of each pair of rows are
 * cut by less than 2 units, then multiplied by taps that sum to 1/2: one unit in all. Each of the
 * halo + 1 products is cut by less than a unit. The rounding of a tap is at most 2^-33 on either
 * axis, which makes half a unit for each of the 2 halo + 1 taps. Two more units are a margin. */
__device__ __forceinline__ uint32_t repair_slack(int halo)
{
    return (uint32_t)(3 + (halo + 1) + (halo + 1));
}

/* All tables that depend only on the filter. */
struct fp16_filter {
    fp16_tables tables;
    tap_bytes bytes;
};

/* Makes the filter of a request. Returns false if no scale fits, or if so many samples would be
 * unresolved that other kernels are faster. */
static inline bool make_fp16_filter(const struct request *request, const half_adder &adder,
                                    fp16_filter *filter)
{
    const fp16_scale scale = scale_of(request);
    double offset = 0, width = 1;

    *filter = {};
    if (scale.scale > 0)
        width = fp16_width(request, scale, adder, &offset);
    if (width >= MAX_UNRESOLVED)
        return false;
    fill_along(request, scale, &filter->tables);
    fill_down(request, scale, &filter->tables);
    fill_taps(request, &filter->tables, &filter->bytes);
    filter->tables.mask = 0x07ff07ff;
    filter->tables.offset = (float)(offset / 64);
    filter->tables.unresolved = ((uint32_t)ceil(width * 32768) + 1) * 0x10001u;
    return true;
}

#endif
