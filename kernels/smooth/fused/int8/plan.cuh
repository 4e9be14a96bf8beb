/* SPDX-License-Identifier: MIT */
/* The filter of int8/int8.cuh: where its operands lie, and the bound of its error.
 *
 * Weights are W = round(2^32 w), four digits of 8 bits. Samples are digits themselves, one or two.
 * Products of a digit worth 2^(8 d) with one worth 2^(8 e) are summed apart for each d + e,
 * exactly, and the four greatest of these sums joined:
 *
 *     along a row:   V = floor(sum of W x / 2^(8 + s)), of 16 bits floor(sum of W x / 2^(16 + s)):
 *                    in units of 2^-24 or 2^-16 grey levels;
 *     down a column: t = floor(sum of W V / 2^(32 + s)): the same units.
 *
 * So t is v and an error that is known to lie between two limits, whatever the image is. With an
 * offset it becomes v + 1/2 + something from 0 to the limits' distance: fused/arithmetic.cuh says
 * how that is rounded. */
#ifndef SMOOTHIMG_FUSED_INT8_PLAN_CUH
#define SMOOTHIMG_FUSED_INT8_PLAN_CUH

#include "kernels/smooth/fused/filter.cuh"

#define WEIGHT_DIGITS 4
#define SUMS 4                                    /* of products, that are joined */
#define INT8_WARPS 4                              /* in a block */
#define INT8_TILES 4                              /* of 16 samples in a row, of a warp */
#define INT8_STRIP (16 * INT8_TILES * INT8_WARPS) /* samples in a row of a block */
#define INT8_STAGES 4                             /* groups of 8 rows on their way, or in use */
#define INT8_MAX_HALO 64
#define INT8_MAX_SHIFT 6 /* the offset stays below 2^31 */

/* What the blocks of one launch share. */
struct int8_plan {
    int halo, channels;
    int lead;               /* bytes of a strip's row before the first tap of its first sample */
    int along_blocks;       /* of 32 bytes that the taps of 16 samples touch */
    int down_blocks;        /* of 8 rows that the taps of 8 rows touch */
    int row_bytes;          /* of a strip's row in shared memory: an odd multiple of 16 */
    int along_sums;         /* 4, or 3 where that is enough */
    int shift;              /* s */
    uint32_t upper, middle; /* 2^(16 - s), 2^(8 - s) */
    uint32_t offset;        /* in units of t, times 2^s */
    uint32_t unresolved; /* a fraction below this is unresolved, in units of t, shifted to the top
                            of a word */
    uint32_t weights[INT8_MAX_HALO + 1]; /* W, by distance */
};

/* Of an error, in grey levels. */
struct error_limits {
    double least, most;
};

static inline uint32_t digit_of_weight(uint32_t weight, int digit)
{
    return weight >> (8 * digit) & 255;
}

/* Sum over the window of a digit of the weights. */
static inline double sum_of_digits(const int8_plan &plan, int digit)
{
    double sum = 0;

    for (int k = 0; k <= plan.halo; k++)
        sum += (k ? 2 : 1) * (double)digit_of_weight(plan.weights[k], digit);
    return sum;
}

/* Adds what weights rounded to W make of values from 0 to `most`. */
static inline void add_rounding(const struct job *job, const int8_plan &plan, double most,
                                error_limits *error)
{
    for (int k = 0; k <= plan.halo; k++) {
        const double off = ldexp(plan.weights[k], -32 - plan.shift) - weight_of(job, k);

        (off < 0 ? error->least : error->most) += (k ? 2 : 1) * off * most;
    }
}

/* What the sums below `first` come to at most, of digits of the weights and so many others. */
static inline double sums_left_out(const int8_plan &plan, int first, int others)
{
    double most = 0;

    for (int sum = 0; sum < first; sum++)
        for (int digit = max(0, sum - others + 1); digit <= min(sum, WEIGHT_DIGITS - 1); digit++)
            most += ldexp(255 * sum_of_digits(plan, digit), 8 * sum);
    return most;
}

/* The least sums that are joined. */
__host__ __device__ static inline int first_along(const int8_plan &plan, int bytes)
{
    return WEIGHT_DIGITS + bytes - 1 - plan.along_sums;
}

#define FIRST_DOWN (2 * WEIGHT_DIGITS - 1 - SUMS)

/* Of t, as said above. */
static inline error_limits int8_limits(const struct job *job, const int8_plan &plan)
{
    const int bytes = job->src.sample_bytes;
    const double unit = ldexp(1, bytes == 1 ? -24 : -16);
    const double along = sums_left_out(plan, first_along(plan, bytes), bytes);
    const double down = sums_left_out(plan, FIRST_DOWN, WEIGHT_DIGITS);
    error_limits error = {0, 0};

    error.least -= (1 + ldexp(along, -8 * bytes - plan.shift)) * unit;
    error.least -= (1 + ldexp(down, -32 - plan.shift)) * unit;
    add_rounding(job, plan, job->maxval, &error);
    add_rounding(job, plan, job->maxval + 1, &error); /* V is less than one grey level off */
    return error;
}

/* False where all weights are 0, or one is all of the sum, and has no digits. */
static inline bool make_int8_plan(const struct job *job, int8_plan *plan)
{
    const int bytes = job->src.sample_bytes, reach = (int)job->halo * job->src.channels;
    const uintptr_t first = (uintptr_t)job->src.origin - (uintptr_t)(reach * bytes);
    const double greatest = greatest_weight(job);

    plan->halo = (int)job->halo;
    plan->channels = job->src.channels;
    plan->lead = (int)(first % 16);
    plan->along_blocks = (plan->lead + (16 + 2 * reach) * bytes + 31) / 32;
    plan->down_blocks = 1 + (plan->halo + 3) / 4;
    /* A warp reads whole blocks: 64 samples' bytes, and what the last tile's blocks reach over. */
    plan->row_bytes = (INT8_STRIP - 16) * bytes + 32 * plan->along_blocks;
    plan->row_bytes += plan->row_bytes / 16 % 2 == 0 ? 16 : 0;
    if (greatest == 0 || greatest > 1 - ldexp(1, -30))
        return false;
    plan->shift = min(-1 - ilogb(greatest), INT8_MAX_SHIFT);
    /* Chequers of 8 bits are 5 10^-5 off a half and more at these halos: near enough. */
    plan->along_sums = bytes == 1 && job->halo <= 16 ? 3 : SUMS;
    plan->upper = 65536u >> plan->shift;
    plan->middle = 256u >> plan->shift;
    for (int k = 0; k <= plan->halo; k++)
        plan->weights[k] =
            (uint32_t)fmin(floor(ldexp(weight_of(job, k), 32 + plan->shift) + 0.5), 4294967295.0);

    const error_limits error = int8_limits(job, *plan);
    const double unit = ldexp(1, bytes == 1 ? -24 : -16);

    plan->offset = (uint32_t)ceil((0.5 - error.least) / unit) << plan->shift;
    plan->unresolved = ((uint32_t)ceil((error.most - error.least) / unit) + 2)
                       << (bytes == 1 ? 8 : 16);
    return error.most - error.least < 0.25;
}

/* The operands, as int8/mma.cuh lays them over a warp, in scratch and in shared memory. */
struct int8_tables {
    uint32_t (*along)[32][4]; /* [block][sum][lane]: A, the weights of 16 samples */
    uint32_t (*down)[32][2];  /* [block][sum][lane]: B, those of 8 rows */
};

__host__ __device__ static inline size_t tables_bytes(const int8_plan &plan)
{
    return ((size_t)(plan.along_blocks * plan.along_sums) * 4 +
            (size_t)(plan.down_blocks * SUMS) * 2) *
           32 * 4;
}

__host__ __device__ static inline int8_tables tables_at(const int8_plan &plan, void *memory)
{
    uint32_t(*along)[32][4] = static_cast<uint32_t(*)[32][4]>(memory);

    return {along,
            reinterpret_cast<uint32_t(*)[32][2]>(along + plan.along_blocks * plan.along_sums)};
}

/* The digit of tap `tap`'s weight that makes, with one worth 2^(8 other), a product of `sum`. */
__device__ static inline uint32_t digit_at(const int8_plan &plan, int tap, int sum, int other)
{
    const int distance = tap < plan.halo ? plan.halo - tap : tap - plan.halo, digit = sum - other;

    if (tap < 0 || tap > 2 * plan.halo || digit < 0 || digit >= WEIGHT_DIGITS)
        return 0;
    return plan.weights[distance] >> (8 * digit) & 255;
}

/* A word of A. Row r of the matrix is sample 2 (r % 8) + r / 8 of the tile: a lane of the result
 * has neighbours. */
template <int BYTES>
__device__ static inline uint32_t along_word(const int8_plan &plan, int block, int sum, int lane,
                                             int reg)
{
    const int sample = 2 * (lane / 4) + reg % 2;
    uint32_t word = 0;

    for (int i = 0; i < 4; i++) {
        const int byte = 32 * block + 16 * (reg / 2) + 4 * (lane % 4) + i - plan.lead;
        const int from_first = byte / BYTES - sample; /* in samples, to the first tap */

        if (byte >= 0 && from_first >= 0 && from_first % plan.channels == 0)
            word |= digit_at(plan, from_first / plan.channels, sum, byte % BYTES) << (8 * i);
    }
    return word;
}

/* A word of B: a column of sums V, byte by byte. */
__device__ static inline uint32_t down_word(const int8_plan &plan, int block, int sum, int lane,
                                            int reg)
{
    const int tap = 8 * block + 2 * (lane % 4) + reg - lane / 4;
    uint32_t word = 0;

    for (int i = 0; i < 4; i++)
        word |= digit_at(plan, tap, sum, i) << (8 * i);
    return word;
}

/* Fills the tables, a word a thread. */
template <int BYTES>
__global__ void lay_out_int8(const __grid_constant__ int8_plan plan, void *memory)
{
    const int8_tables tables = tables_at(plan, memory);
    const int along = plan.along_blocks * plan.along_sums * 128;
    const int down = plan.down_blocks * SUMS * 64;
    const int word = (int)(blockIdx.x * blockDim.x + threadIdx.x), rest = word - along;

    if (word < along)
        tables.along[word / 128][word / 4 % 32][word % 4] = along_word<BYTES>(
            plan, word / 128 / plan.along_sums,
            word / 128 % plan.along_sums + first_along(plan, BYTES), word / 4 % 32, word % 4);
    else if (rest < down)
        tables.down[rest / 64][rest / 2 % 32][rest % 2] = down_word(
            plan, rest / 64 / SUMS, rest / 64 % SUMS + FIRST_DOWN, rest / 2 % 32, rest % 2);
}

#endif
