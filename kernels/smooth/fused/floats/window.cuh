/* SPDX-License-Identifier: MIT */
/* Floats, halos 1 to 4: as fused_window (../window.cuh), a warp moves down its columns with the
 * window in registers, four samples a lane, here as doubles. Sums down the columns, then along the
 * row from the lanes beside it by shuffles, and both ends of the interval around each,
 * rounded.
 *
 * The bound is that of the processor's path (smooth/floats/floats.h): halo_x + halo_y + 6
 * roundings of a term, 4 spare. Where no sample in reach of the warp is negative it is relative;
 * else each lane takes the greatest magnitude in reach of its samples, in this round of rows and
 * the one before, which have the window. */
#ifndef SMOOTHIMG_FUSED_FLOATS_WINDOW_CUH
#define SMOOTHIMG_FUSED_FLOATS_WINDOW_CUH

#include "kernels/smooth/fused/floats/filter.cuh"
#include "kernels/smooth/fused/window_rows.cuh"

#define ALL_LANES 0xffffffffu
#define FLOAT_LANE 4 /* samples of a lane */
#define ALL_OF_LANE ((1u << FLOAT_LANE) - 1)

/* Which of a lane's samples, the first of which is x, are among from..end-1: a bit each. */
__device__ __forceinline__ unsigned samples_in_row(int64_t x, int64_t from, int64_t end)
{
    unsigned which = 0;

    for (int i = 0; i < FLOAT_LANE; i++)
        which |= (x + i >= from && x + i < end ? 1u : 0u) << i;
    return which;
}

/* What lies beside a row may be anything, and would widen the interval. */
__device__ __forceinline__ void clear_others(uint32_t (&bits)[FLOAT_LANE], unsigned which)
{
#pragma unroll
    for (int i = 0; i < FLOAT_LANE; i++)
        bits[i] = which >> i & 1 ? bits[i] : 0;
}

/* The magnitudes that a lane has seen, so that a greater number is a greater magnitude: a finite
 * float's bits without the sign, and 2^31 + 2^23 more; of others less than 2^23, by wrapping. */
#define FLOAT_SEEN 0x80800000u

struct float_seen {
    unsigned most, signs; /* signs: the bits of all samples, joined by | */

    __device__ __forceinline__ void add(uint32_t bits)
    {
        most = max(most, (bits & ~FLOAT_SIGN) + FLOAT_SEEN);
        signs |= bits;
    }
};

/* The interval for the lane's samples. bound: smooth_floats_bound. */
template <int MARGIN>
__device__ __forceinline__ float_interval interval_of(const float_seen &now,
                                                      const float_seen &before, double bound,
                                                      double whole)
{
    if (!__any_sync(ALL_LANES, (int)((now.signs | before.signs) >> 31)))
        return {1 - bound, 1 + bound, 0};

    const unsigned own = max(max(now.most, before.most), FLOAT_SEEN);
    unsigned most = own;

#pragma unroll
    for (int lane = 1; lane <= MARGIN; lane++)
        most = max(most, max(__shfl_up_sync(ALL_LANES, own, lane),
                             __shfl_down_sync(ALL_LANES, own, lane)));
    return {1, 1, bound * whole * (double)__uint_as_float(most - FLOAT_SEEN)};
}

/* Taps along a row are CHANNELS samples apart. */
template <int HALO, int CHANNELS> struct float_strip {
    static constexpr int rows = 2 * HALO + 1;
    static constexpr int reach = HALO * CHANNELS; /* samples on either side */
    static constexpr int margin = (reach + FLOAT_LANE - 1) / FLOAT_LANE; /* lanes */
    static constexpr int useful = 32 - 2 * margin;
    static constexpr int columns = useful * FLOAT_LANE; /* outputs of a warp in a row */
    /* On a multiprocessor, so that nothing is spilled. On an H200 at halo 4, three are quicker for
     * one channel (62 % of a copy, with four 54), four for three channels (42, 45). */
    static constexpr int blocks = reach == 4 && HALO == 4 ? 3 : 4;
    static constexpr bool by_unit = margin == 1 && HALO <= 2;
};

/* sums[reach + i] is that down the lane's column i; on either side are those of its neighbours.
 * None is -0. oldest: the index of the window's top row in the ring. */
template <int HALO, int CHANNELS>
__device__ __forceinline__ void
sum_float_columns(double (&sums)[FLOAT_LANE + 2 * float_strip<HALO, CHANNELS>::reach],
                  const double (&ring)[2 * HALO + 1][FLOAT_LANE], int oldest,
                  const double (&down)[FLOAT_WINDOW_HALO + 1])
{
    constexpr int rows = 2 * HALO + 1, reach = HALO * CHANNELS;

#pragma unroll
    for (int i = 0; i < FLOAT_LANE; i++) {
        double sum = 0;

#pragma unroll
        for (int k = HALO; k >= 1; k--)
            sum += down[k] *
                   (ring[(oldest + HALO - k) % rows][i] + ring[(oldest + HALO + k) % rows][i]);
        sums[reach + i] = sum + down[0] * ring[(oldest + HALO) % rows][i];
    }
#pragma unroll
    for (int i = 1; i <= reach; i++) { /* samples beyond the lane's own */
        const int lanes = (i + FLOAT_LANE - 1) / FLOAT_LANE;

        sums[reach - i] =
            __shfl_up_sync(ALL_LANES, sums[reach + lanes * FLOAT_LANE - i], (unsigned)lanes);
        sums[reach + FLOAT_LANE - 1 + i] = __shfl_down_sync(
            ALL_LANES, sums[reach + FLOAT_LANE - 1 + i - lanes * FLOAT_LANE], (unsigned)lanes);
    }
}

template <int HALO, int CHANNELS>
__device__ __forceinline__ double
sum_float_row(const double (&sums)[FLOAT_LANE + 2 * float_strip<HALO, CHANNELS>::reach], int i,
              const double (&along)[FLOAT_WINDOW_HALO + 1])
{
    const double *centre = sums + HALO * CHANNELS + i;
    double sum = 0;

#pragma unroll
    for (int k = HALO; k >= 1; k--)
        sum += along[k] * (centre[-k * CHANNELS] + centre[k * CHANNELS]);
    return sum + along[0] * centre[0];
}

#define FLOAT_OPEN_ROWS 16 /* of a warp's strip, that are kept by number */

/* Computes what a warp has left open in its strip: in these rows, or, if there are more than a list
 * has, in all. Behind the loop, where the window's registers are free. x, y: of the strip's first
 * output sample. The lanes read what others have written. */
static __device__ __noinline__ void finish_strip(const source &src, const view &dst,
                                                 const float_filter &filter, int64_t x, int64_t y,
                                                 int columns, int rows, const int *open_rows,
                                                 int opened)
{
    const bool listed = opened <= FLOAT_OPEN_ROWS;

    __syncwarp();
    for (int r = 0; r < (listed ? opened : rows); r++) {
        const int64_t row = y + (listed ? open_rows[r] : r);
        uint32_t *out = row_of<uint32_t>(dst, row) + x;

        for (int i = (int)(threadIdx.x % 32); i < columns; i += 32)
            if (out[i] == FLOAT_OPEN)
                out[i] = round_exact_float<false>(
                    share_of_float<false>(src, filter, row, x + i, 0, 1, 0, 1));
    }
}

/* The results of a lane's sums, or FLOAT_OPEN; tells whether some are open. The GPU has another NaN
 * than the definition. */
template <int HALO, int CHANNELS>
__device__ __forceinline__ bool
round_floats(uint32_t (&results)[FLOAT_LANE],
             const double (&sums)[FLOAT_LANE + 2 * float_strip<HALO, CHANNELS>::reach],
             const double (&along)[FLOAT_WINDOW_HALO + 1], const float_interval &interval)
{
    uint32_t high[FLOAT_LANE], differ = 0;

#pragma unroll
    for (int i = 0; i < FLOAT_LANE; i++) {
        const double estimate = sum_float_row<HALO, CHANNELS>(sums, i, along);
        const float low = (float)(estimate * interval.below - interval.off);

        high[i] = __float_as_uint((float)(estimate * interval.above + interval.off));
        differ |= __float_as_uint(low) ^ high[i];
        results[i] = low == low ? __float_as_uint(low) : FLOAT_QUIET_NAN;
    }
#pragma unroll
    for (int i = 0; i < FLOAT_LANE && differ; i++)
        results[i] =
            results[i] == high[i] || results[i] == FLOAT_QUIET_NAN ? results[i] : FLOAT_OPEN;
    return differ != 0;
}

/* Writes a lane's samples, of which `left` are in the row. */
__device__ __forceinline__ void store_floats(uint32_t *out, const uint32_t (&results)[FLOAT_LANE],
                                             int64_t left)
{
    if (left >= FLOAT_LANE)
        *reinterpret_cast<uint4 *>(out) =
            make_uint4(results[0], results[1], results[2], results[3]);
    else
#pragma unroll
        for (int i = 0; i < FLOAT_LANE; i++)
            if (i < left)
                out[i] = results[i];
}

/* A thread block smooths WINDOW_WARPS strips of segment_rows rows. As in fused_window, the inner
 * loop is unrolled over plan::round rows. */
template <int HALO, int CHANNELS, bool BY_UNIT>
__global__ void __launch_bounds__(32 * (WINDOW_WARPS + (BY_UNIT ? 1 : 0)),
                                  float_strip<HALO, CHANNELS>::blocks)
    smooth_float_window(const __grid_constant__ source src, const view dst,
                        const __grid_constant__ float_filter filter, const double bound,
                        const int segment_rows)
{
    typedef float_strip<HALO, CHANNELS> strip;
    typedef window_rows<HALO, float, BY_UNIT, strip::useful> plan;
    typedef typename plan::type coming_rows;
    __shared__ typename coming_rows::memory memory;
    __shared__ int open_rows[WINDOW_WARPS][FLOAT_OPEN_ROWS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t samples = dst.width * CHANNELS; /* in a row */
    const int64_t first = (int64_t)blockIdx.x * WINDOW_WARPS * strip::columns -
                          strip::margin * FLOAT_LANE; /* of lane 0 of warp 0 */
    const int64_t x = first + warp * strip::columns + lane * FLOAT_LANE;
    const int64_t y = (int64_t)blockIdx.y * segment_rows;
    const int outputs = (int)min((int64_t)segment_rows, dst.height - y);
    const int64_t left = lane < strip::margin || lane >= 32 - strip::margin ? 0 : samples - x;
    /* How many warps, from warp 0 on, have outputs. */
    const int64_t warps =
        (samples - first - strip::margin * FLOAT_LANE + strip::columns - 1) / strip::columns;
    const window_image image = {src,           first,    samples + strip::reach, strip::reach,
                                strip::margin, y - HALO, outputs + 2 * HALO};
    const unsigned mine = samples_in_row(x, -strip::reach, samples + strip::reach);
    double ring[strip::rows][FLOAT_LANE];
    float_seen now = {}, before = {};
    int opened = 0; /* rows with open samples */
    coming_rows coming;

    coming_rows::open(memory, (int)min(warps, (int64_t)WINDOW_WARPS));
    if (warp == WINDOW_WARPS)
        coming_rows::bring(memory, image);
    if (warp == WINDOW_WARPS || warp >= warps)
        return;
    coming.begin(memory, image, warp, lane);
    for (int i = 0; i < outputs + 2 * HALO; i += plan::round) {
        before = now;
        now = {};
        coming.begin_round(image, lane);
#pragma unroll
        for (int phase = 0; phase < plan::round; phase++) {
            const int row = i + phase; /* from the top of the first window */

            if (row >= outputs + 2 * HALO)
                break;
            const uint4 in = coming.take(phase);
            uint32_t bits[FLOAT_LANE] = {in.x, in.y, in.z, in.w};

            if (mine != ALL_OF_LANE)
                clear_others(bits, mine);
#pragma unroll
            for (int k = 0; k < FLOAT_LANE; k++) {
                now.add(bits[k]);
                ring[phase % strip::rows][k] = (double)__uint_as_float(bits[k]);
            }
            if (row >= 2 * HALO) {
                const float_interval interval =
                    interval_of<strip::margin>(now, before, bound, filter.whole);
                double sums[FLOAT_LANE + 2 * strip::reach];
                uint32_t results[FLOAT_LANE];

                sum_float_columns<HALO, CHANNELS>(sums, ring, (phase + 1) % strip::rows,
                                                  filter.down);
                const bool open =
                    round_floats<HALO, CHANNELS>(results, sums, filter.along, interval);

                if (__any_sync(ALL_LANES, open && left > 0)) {
                    if (lane == 0 && opened < FLOAT_OPEN_ROWS)
                        open_rows[warp][opened] = row - 2 * HALO;
                    opened++;
                }
                if (left > 0)
                    store_floats(row_of<uint32_t>(dst, y + row - 2 * HALO) + x, results, left);
            }
        }
    }
    if (opened > 0) {
        const int64_t own = first + warp * strip::columns + strip::margin * FLOAT_LANE;

        finish_strip(src, dst, filter, own, y, (int)min(samples - own, (int64_t)strip::columns),
                     outputs, open_rows[warp], opened);
    }
}

#endif
