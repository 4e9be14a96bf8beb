/* SPDX-License-Identifier: MIT */
/* The filter of int8/int8.cuh: the layout of its operands, and the bound of its error.
 *
 * A weight w becomes W = round(2^(32 + s) w), an integer of four digits in base 2^8; the shift s is
 * as large as the greatest weight allows, but at most INT8_MAX_SHIFT. A sample x has one or two
 * such digits. The product of digit d of W, whose place value is 2^(8 d), and digit e of x has the
 * place value 2^(8 (d + e)). The kernel adds products exactly, in one sum for each d + e. It then
 * joins the four sums of the greatest place values (along a row sometimes three) into one number.
 * It leaves out the other sums, which are so small that the bound of the error allows for them. The
 * results are:
 *
 *     along a row:   V = floor(sum of W x / 2^(8 + s)), in units of 2^-24 grey levels; for 16 bits
 *                    V = floor(sum of W x / 2^(16 + s)), in units of 2^-16 grey levels
 *     down a column: t = floor(sum of W V / 2^(32 + s)), in the same units
 *
 * So t is the exact value v plus an error between two known limits, whatever the image. An offset
 * is added so that the total is v + 1/2 + r, with r between 0 and the distance between the limits;
 * fused/arithmetic.cuh says how that is rounded.
 *
 * A tile is 16 samples of a row that a warp computes at a time; a sample is unresolved if the
 * limits of the error do not prove its rounding. */
#ifndef SMOOTHIMG_FUSED_INT8_PLAN_CUH
#define SMOOTHIMG_FUSED_INT8_PLAN_CUH

#include "kernels/common/weights.cuh"
#include "kernels/smooth/fused/filter.cuh"

#include <type_traits>

#define WEIGHT_DIGITS 4
#define SUMS 4       /* the greatest number of sums that join() adds */
#define INT8_WARPS 4 /* computing warps in a thread block; one more warp loads the image */
#define INT8_BLOCK_WARPS (INT8_WARPS + 1)
#define INT8_STAGES 4 /* buffers of 8 rows each, being loaded or in use */
#define INT8_MAX_HALO 64
#define INT8_MAX_SHIFT 6 /* greatest shift s; with it the offset is below 2^31 */
/* For images of bytes with fewer samples than this, four sums along the rows are joined, not three.
 * With four, a fiftieth as many samples are unresolved. In a small image one repair takes longer
 * than the fourth sums of all samples. A rehearsal (src/lib/api/device.c) computes an image of at
 * most 4 MiB first, so that CUDA loads the kernels. This limit is half of that, so that a large
 * image and its rehearsal use the same kernels. */
#define INT8_SMALL (IS_EMULATED ? (int64_t)2000 : (int64_t)2 << 20)

/* BYTES: the size of a sample. PLANES: 1 or the number of channels, 2 to 4. With 1, a tile is 16
 * neighbouring samples of a row, whose taps are a pixel apart. With more, a tile is 16 pixels of
 * one channel, whose bytes are gathered as they are read (int8/planes.cuh); then fewer products
 * have a weight of 0. */
template <int BYTES_, int PLANES_> struct int8_shape {
    typedef typename std::conditional<BYTES_ == 1, uint8_t, uint16_t>::type sample;
    static constexpr int bytes = BYTES_, planes = PLANES_;
    static constexpr int tiles = planes == 3 ? 3 : 4; /* tiles of a warp, each of 16 samples */
    /* Tiles that are computed at a time. The sums of two take few registers; with three or four
     * planes one read of shared memory has all tiles. */
    static constexpr int together = planes > 2 ? tiles : 2;
    static constexpr int warp_samples = 16 * tiles; /* samples of a warp in a row */
    static constexpr int row_tiles = tiles * INT8_WARPS;
    static constexpr int row_samples = 16 * row_tiles; /* samples of a thread block in a row */
    /* Bytes of a warp's row of outputs in shared memory; the last 16 are a gap, for fewer bank
     * conflicts. */
    static constexpr int out_row = warp_samples * bytes + 16;
    static constexpr uint32_t history_bytes = row_tiles * sizeof(uint4[32]); /* V of 8 rows */
};

/* How many thread blocks of a kernel run on a multiprocessor at the same time. Four leave a thread
 * 96 registers, which are too few for four planes, and for 8 bits with four sums along a row. */
template <class Shape, int ALONG>
constexpr int INT8_RESIDENT = Shape::planes == 4 || (Shape::bytes == 1 && ALONG == SUMS) ? 3 : 4;

/* Returns int8_shape::row_samples for this number of planes. */
static inline int int8_row_samples(int planes)
{
    return planes == 3 ? int8_shape<1, 3>::row_samples : int8_shape<1, 1>::row_samples;
}

/* Constants that all thread blocks of a launch share. */
struct int8_plan {
    int halo_x, halo_y, channels, planes;
    /* Number of bytes in a thread block's row in shared memory before the first tap of the thread
     * block's first sample; with planes these are whole pixels. */
    int lead;
    /* Bytes from the row's first byte to the word that has the first tap of the thread block's
     * first sample; with planes, to the words that have the first tap of each plane. */
    int start;
    int along_blocks; /* how many blocks of 32 bytes the taps of a tile's outputs reach */
    int down_blocks;  /* how many blocks of 8 rows the taps of 8 rows of outputs reach */
    int row_bytes; /* length of a thread block's row in shared memory: chosen so that the lanes of a
                      read use different banks */
    int along_sums;         /* how many sums are joined along a row: 4, or 3 where that is enough */
    int shift;              /* s: the weights W are in units of 2^-(32 + s) */
    uint32_t upper, middle; /* 2^(16 - s), 2^(8 - s): factors of sums in join() */
    /* Added to each total before it is rounded. Its unit is the unit of t divided by 2^s. */
    uint32_t offset;
    uint32_t unresolved; /* a sample is unresolved if its fraction, shifted to the top of a word, is
                        below this */
};

struct int8_axis {
    int halo;
    uint32_t weights[INT8_MAX_HALO + 1]; /* W, by distance */
};

/* The weights from which the operands are made. Both axes have the same shift s, as large as the
 * greatest weight of the two allows. */
struct int8_filter : int8_plan {
    int8_axis x, y;
};

/* The weights of the definition (smooth/reference.c), for exact sums of unresolved samples. */
typedef two_axes_to<INT8_MAX_HALO> int8_exact;

__host__ __device__ static inline uint32_t digit_of_weight(uint32_t weight, int digit)
{
    return weight >> (8 * digit) & 255;
}

/* Returns the sum of the digits with index `digit` of all weights W of an axis. */
static inline double sum_of_digits(const int8_axis &axis, int digit)
{
    double sum = 0;

    for (int k = 0; k <= axis.halo; k++)
        sum += (k ? 2 : 1) * (double)digit_of_weight(axis.weights[k], digit);
    return sum;
}

/* Adds the error that rounding the weights to W causes in a sum over values from 0 to `most`. */
static inline void add_rounding(const axis_weights &weights, const int8_axis &axis, int shift,
                                double most, error_limits *error)
{
    for (int k = 0; k <= axis.halo; k++)
        add_error(error, ldexp(axis.weights[k], -32 - shift) - axis_weight(weights, k),
                  (k ? 2 : 1) * most);
}

/* Returns the greatest total of the sums that join() leaves out. These are the sums of products of
 * digit d of a weight and digit e of a sample, or of V (a sum along a row), for d + e < first.
 * others: the number of digits of a sample, or of V. */
static inline double sums_left_out(const int8_axis &axis, int first, int others)
{
    double most = 0;

    for (int sum = 0; sum < first; sum++)
        for (int digit = max(0, sum - others + 1); digit <= min(sum, WEIGHT_DIGITS - 1); digit++)
            most += ldexp(255 * sum_of_digits(axis, digit), 8 * sum);
    return most;
}

/* Along the rows, the products of digit d of a weight and digit e of a sample are added, in one sum
 * for each d + e. Returns the least d + e whose sum join() adds. Down the columns it is
 * FIRST_DOWN. */
__host__ __device__ static inline int first_along(const int8_plan &plan, int bytes)
{
    return WEIGHT_DIGITS + bytes - 1 - plan.along_sums;
}

#define FIRST_DOWN (2 * WEIGHT_DIGITS - 1 - SUMS)

/* Returns the limits of the error of t, the total down a column. The errors of V, the sums along
 * the rows, count once, since they are multiplied by weights that sum to 1. */
static inline error_limits int8_limits(const struct request *request, const int8_filter &filter)
{
    const int bytes = request->src.sample_bytes;
    const double unit = ldexp(1, bytes == 1 ? -24 : -16);
    const double along = sums_left_out(filter.x, first_along(filter, bytes), bytes);
    const double down = sums_left_out(filter.y, FIRST_DOWN, WEIGHT_DIGITS);
    error_limits error = {0, 0};

    error.least -= (1 + ldexp(along, -8 * bytes - filter.shift)) * unit;
    error.least -= (1 + ldexp(down, -32 - filter.shift)) * unit;
    add_rounding(weights_along(request), filter.x, filter.shift, request->maxval, &error);
    /* V exceeds maxval by less than one grey level */
    add_rounding(weights_down(request), filter.y, filter.shift, request->maxval + 1, &error);
    return error;
}

static inline void fill_axis(const axis_weights &weights, int shift, int8_axis *axis)
{
    axis->halo = (int)weights.halo;
    for (int k = 0; k <= axis->halo; k++)
        axis->weights[k] =
            (uint32_t)fmin(floor(ldexp(axis_weight(weights, k), 32 + shift) + 0.5), 4294967295.0);
}

/* Returns the shortest length of a row, at least `bytes` bytes, for which reads have no bank
 * conflicts. The lanes of a warp read eight rows at a time: 16 bytes of each, or, if each channel
 * is gathered into a plane of its own, 16 * planes bytes of each by four neighbouring lanes. */
static inline int row_without_conflicts(int bytes, int planes)
{
    const int unit = planes == 2 ? 32 : planes == 4 ? 64 : 16;
    const int units = (bytes + unit - 1) / unit;

    return unit * (units + (units % 2 == 0));
}

/* Aligns the filter's operands with a row in shared memory. The row begins at an address in the
 * image that is a multiple of 16 and, if each channel has a plane, at a whole pixel. Returns false
 * if no pixel begins at such an address. An image whose address is not known yet (NULL) will be
 * aligned to 16. */
static inline bool lay_out_row(const struct request *request, int planes, int8_plan *plan)
{
    const int bytes = request->src.sample_bytes, channels = request->src.channels;
    const int reach = plan->halo_x * (planes > 1 ? 1 : channels); /* halo in samples of a tile */
    const int row_samples = int8_row_samples(planes);
    const uintptr_t taps = (uintptr_t)(plan->halo_x * channels * bytes);

    plan->planes = planes;
    plan->lead = (int)(((uintptr_t)request->src.origin - taps) % 16);
    for (int i = 0; i < 2 && plan->lead % (planes * bytes) != 0; i++)
        plan->lead += 16;
    plan->start = plan->lead / planes / 4 * 4 * planes;
    plan->along_blocks = ((plan->lead - plan->start) / planes + (16 + 2 * reach) * bytes + 31) / 32;
    /* A tile reads along_blocks blocks of 32 bytes of its plane (channel). The last tile of each
     * plane begins 16 of the plane's samples before the end of the outputs. */
    plan->row_bytes = row_without_conflicts(plan->start + (row_samples - 16 * planes) * bytes +
                                                32 * planes * plan->along_blocks,
                                            planes);
    return plan->lead % (planes * bytes) == 0;
}

/* Chooses planes, one for each channel, if they save enough products. Three planes leave a warp
 * three tiles instead of four, so they must save two blocks of 32 bytes along a row (figures:
 * kernels/NOTES.md). */
static inline void choose_planes(const struct request *request, int8_plan *plan)
{
    const int channels = request->src.channels;

    lay_out_row(request, 1, plan);
    if (channels < 2 || channels > 4)
        return;
    const int8_plan as_samples = *plan;
    if (!lay_out_row(request, channels, plan) ||
        as_samples.along_blocks - plan->along_blocks < (channels == 3 ? 2 : 1))
        *plan = as_samples;
}

/* Computes the part of the plan that does not depend on the weights. That part depends on the
 * image's address. Halos are at most INT8_MAX_HALO. */
static inline void lay_out_int8(const struct request *request, int8_plan *plan)
{
    const int channels = request->src.channels;

    plan->halo_x = (int)request->halo_x;
    plan->halo_y = (int)request->halo_y;
    plan->channels = channels;
    plan->down_blocks = 1 + (plan->halo_y + 3) / 4;
    /* At these halos three sums are enough. Three sums prove even the rounding of an 8-bit
     * checkerboard: its exact results are at least 5e-5 grey levels away from the middle between
     * two integers. */
    plan->along_sums = request->src.sample_bytes == 1 && request->halo <= 16 &&
                               request->src.height * request->src.width * channels >= INT8_SMALL
                           ? 3
                           : SUMS;
    choose_planes(request, plan);
}

/* Returns the greatest weight of both axes. Returns 0 if it is above 1 - 2^-30, since W might then
 * not fit four digits. */
static inline double greatest_int8_weight(const struct request *request)
{
    const double greatest =
        fmax(axis_greatest(weights_along(request)), axis_greatest(weights_down(request)));

    return greatest > 1 - ldexp(1, -30) ? 0 : greatest;
}

/* Makes the filter, in a few microseconds. Returns NULL, or why the engine refuses the request. */
static inline const char *int8_make(const struct request *request, void *state)
{
    const int bytes = request->src.sample_bytes;
    int8_filter *plan = static_cast<int8_filter *>(state);

    lay_out_int8(request, plan);
    plan->shift = min(-1 - ilogb(greatest_int8_weight(request)), INT8_MAX_SHIFT);
    plan->upper = 65536u >> plan->shift;
    plan->middle = 256u >> plan->shift;
    fill_axis(weights_along(request), plan->shift, &plan->x);
    fill_axis(weights_down(request), plan->shift, &plan->y);

    const error_limits error = int8_limits(request, *plan);
    const double unit = ldexp(1, bytes == 1 ? -24 : -16);

    plan->offset = (uint32_t)ceil((0.5 - error.least) / unit) << plan->shift;
    plan->unresolved = ((uint32_t)ceil((error.most - error.least) / unit) + 2)
                       << (bytes == 1 ? 8 : 16);
    /* At most one sample in 1000 may be unresolved: more could overflow the queues. Filters with
     * one wide, flat axis and one narrow axis can exceed that. */
    return error.most - error.least < 0.001 ? NULL : "its weights leave too much open";
}

#endif
