/* SPDX-License-Identifier: MIT */
/* Repairs a row of a layer in place: the window's rows go to shared memory, where each lane
 * computes its unresolved samples by the definition. Seldom needed, and so made to be short. */
#ifndef SMOOTHIMG_LAYERS_REPAIR_CUH
#define SMOOTHIMG_LAYERS_REPAIR_CUH

#include "kernels/smooth/layers/filter.cuh"

/* Reals of a warp in shared memory: the window's rows, from the top, and the row of results. */
template <int ROWS, int COLUMNS> constexpr int repair_reals = (ROWS + 1) * 32 * COLUMNS;

/* The sample in column `column` of the warp. */
template <typename Sample, int ROWS, int CHANNELS, typename Real>
__device__ __forceinline__ Real exact_sample(const Real *window, int column,
                                             const layers_filter<Real> &filter)
{
    constexpr int halo = ROWS / 2, pitch = 32 * layer_numbers<Sample>::columns;
    uint128 total = 0;

#pragma unroll 1
    for (int i = -halo; i <= halo; i++) {
        uint64_t sum = 0;

#pragma unroll 1
        for (int j = -halo; j <= halo; j++) {
            /* beside the warp's: of results that are not used */
            const int tap = min(max(column + j * CHANNELS, 0), pitch - 1);
            const int sample =
                (int)window[(i + halo) * pitch + tap] + layer_numbers<Sample>::middle;

            sum += filter.exact_along[j < 0 ? -j : j] * (uint64_t)sample;
        }
        total += (uint128)filter.exact_down[i < 0 ? -i : i] * sum;
    }
    return (Real)((int)exact_round(total, filter.maxval) - layer_numbers<Sample>::middle);
}

/* Replaces the lane's totals, in the last row of `window`, by samples. */
template <typename Sample, int ROWS, int CHANNELS, typename Real>
__device__ __attribute__((noinline)) void round_exactly(Real *window,
                                                        const layers_filter<Real> &filter)
{
    typedef layer_numbers<Sample> numbers;
    const int first = (int)threadIdx.x % 32 * numbers::columns;
    Real *results = window + ROWS * 32 * numbers::columns;

#pragma unroll 1
    for (int column = first; column < first + numbers::columns; column++) {
        const Real total = results[column];
        const Real rounded = fma(total, filter.scale, numbers::whole) - numbers::whole;
        typename numbers::distance distance = 0;

        numbers::note(distance, fma(total, filter.scale, -rounded));
        results[column] = numbers::reaches(distance, filter.limit)
                              ? exact_sample<Sample, ROWS, CHANNELS>(window, column, filter)
                              : rounded;
    }
}

/* The whole warp calls it. newest: the index of the window's bottom row in the ring. */
template <typename Sample, int CHANNELS, typename Real, int ROWS, int COLUMNS>
__device__ __forceinline__ void repair_row(Real (&row)[COLUMNS], const Real (&totals)[COLUMNS],
                                           const Real (&ring)[ROWS][COLUMNS], int newest,
                                           const layers_filter<Real> &filter, Real *shared)
{
    Real *own = shared + (int)threadIdx.x % 32 * COLUMNS;

#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            own[r * 32 * COLUMNS + i] = ring[(newest + 1 + r) % ROWS][i];
#pragma unroll
    for (int i = 0; i < COLUMNS; i++)
        own[ROWS * 32 * COLUMNS + i] = totals[i];
    __syncwarp();
    round_exactly<Sample, ROWS, CHANNELS>(shared, filter);
#pragma unroll
    for (int i = 0; i < COLUMNS; i++)
        row[i] = own[ROWS * 32 * COLUMNS + i];
    __syncwarp();
}

#endif
