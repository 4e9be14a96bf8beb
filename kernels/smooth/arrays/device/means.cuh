/* SPDX-License-Identifier: MIT */
/* Computes means of samples with weights: the sum of weighted samples divided by the sum of their
 * weights. Terms such as number, peak and open (unresolved) are defined in pass.h.
 *
 * A tile is the part of the result that a block computes at a time. A part is the piece of a tile
 * that one thread computes. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_MEANS_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_MEANS_CUH

#include "kernels/smooth/arrays/device/store.cuh"
#include "kernels/smooth/arrays/device/sums.cuh"

/* A tile: the part of the result along the last two axes that a block computes at a time. */
struct plane_tile {
    int64_t down, along;           /* position of its first result along the last two axes */
    int64_t from, to, number, own; /* offsets along all other axes, as in device_batch */
};

/* The part of a tile that one thread sums: one value in each of `pixels` adjacent pixels of a row.
 * `pixel` is the first of these pixels. `number` is the index of the value in its pixel, `sample`
 * the index of the sample to which the value belongs. */
struct plane_part {
    int row, pixel, number, sample, pixels;
    char *results; /* where the part's first result goes in shared memory */
    bool is_own;   /* false: `pixel` is beyond the tile's end, and this thread sums nothing */
    bool gives;    /* the sums become results; false: they are only weights, or is_own is false */
};

__device__ __forceinline__ bool is_zero(const real &number)
{
    return number.value == 0 && number.rest == 0;
}

/* Returns 1 / number with a relative error of at most 2 u (u = 2^-53); `number` is from 2^-1000 to
 * 2^1000 in magnitude. The approximation is off by 2^-20, and each of two steps of Newton's method
 * squares that error. The division operator would compile to code with branches. */
__device__ __forceinline__ double inverse_of(double number)
{
#ifdef __NVCC__
    double inverse;

    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(number));
    for (int step = 0; step < 2; step++)
        inverse = fma(inverse, fma(-number, inverse, 1.), inverse);
    return inverse;
#else
    return 1 / number;
#endif
}

/* Returns the divisor for the sums of one group (device_pixel), given the sum of the group's
 * weights. If WIDE (sums are made of two doubles), the divisor is that sum. Otherwise it is the
 * sum's inverse, which is computed once for each group. The inverse is infinite if the sum is 0. It
 * is NaN if the sum is too great or too small for an inverse with an error within 2 u. */
template <bool WIDE> __device__ __forceinline__ real divisor_of(const real &weight)
{
    const double size = fabs(weight.value);

    if (WIDE)
        return weight;
    if (size == 0)
        return real_of(INFINITY);
    return real_of(size > 0x1p-1000 && size < 0x1p1000 ? inverse_of(weight.value) : NAN);
}

template <bool WIDE> __device__ __forceinline__ bool is_none(const real &divisor)
{
    return WIDE ? is_zero(divisor) : isinf(divisor.value);
}

/* Returns error / |sum of weights|. divisor: the value of divisor_of() for this sum of weights. */
template <bool WIDE> __device__ __forceinline__ double by_divisor(double error, const real &divisor)
{
    return WIDE ? error / fabs(divisor.value) : error * fabs(divisor.value);
}

/* Returns a mean: n, a sum of weighted samples, divided by the sum of their weights; if WIDE, in
 * two doubles. divisor: the value of divisor_of() for the sum of weights. A mean becomes NaN if it
 * is infinite, or if its magnitude is below 2^-900 although n is not 0. No bound covers the error
 * of such a mean, so the sample stays unresolved. */
template <bool WIDE> __device__ __forceinline__ real mean_of(const real &n, const real &divisor)
{
    double n_lost, lost;
    const double upper = sum_of(n.value, n.rest, &n_lost);
    const double by = sum_of(divisor.value, divisor.rest, &lost);
    const double value = WIDE ? upper / by : n.value * divisor.value;
    const double left = fma(-value, by, upper) + (n_lost - value * lost);

    if (n.value != 0 && !(fabs(value) >= 0x1p-900 && fabs(value) < INFINITY))
        return {NAN, 0, 0};
    return {value, WIDE ? left / by : 0, 0};
}

/* Returns the error bound of a mean, including the roundings of the division, or INFINITY if no
 * bound is known.
 * sums: the error bound of the sum of weighted samples, divided by the magnitude of the sum of
 * weights; relative: the relative error bound of the sum of weights. */
__device__ __forceinline__ double mean_error(const device_bound &bound, double sums,
                                             double relative, double mean)
{
    const double size = fabs(mean);

    if (!(relative <= 0.25))
        return INFINITY;
    return combine_mean_error(sums, relative, size) + size * bound.quotient + bound.tiny;
}

/* The facts that are proven about a thread's results. Bit i of `none` is set if all weights in the
 * window of result i are 0, so that the result has no mean; bit i of `zero` is set if the mean of
 * result i is 0. */
struct device_means {
    unsigned none, zero;
};

/* Divides the sums of all threads of a block by the sums of their weights, which gives means. A
 * mean becomes NaN if it has no finite error bound. *error becomes the bound of this thread's
 * means. numbers: shared memory for the divisors of all rows. */
template <bool WIDE, int N>
__device__ __forceinline__ device_means take_means(const plane_pass &pass, const plane_part &part,
                                                   double *numbers, device_sums<WIDE, N> &sums,
                                                   device_error *error)
{
    const device_pixel &pixel = pass.pixel;
    const int groups = pixel.numbers / pixel.group, group = part.number / pixel.group;
    const bool weighs = is_weight(pixel, part.number);
    const bool plain = !(error->peak & NOT_PLAIN);
    const bool is_relative = plain && error->relative < INFINITY;
    const bool proven = pass.bound.proves_zeros && (pixel.drops || plain);
    const double of_plain = 2.01 * error->relative + pass.bound.quotient;
    double *const divisors = numbers + part.row * pass.pitch + part.pixel * groups + group;
    const int64_t rest = to_rest(&pass);
    /* If all samples are plain (0, or 2^-600 to 2^600), an estimate of 0 proves that the mean is 0,
     * except for float64 samples that alpha weights: a sample times its alpha may underflow. */
    const bool proves_zero =
        plain && pass.bound.proves_zeros && (pixel.drops || pass.own.type != SAMPLE_F64);
    double greatest = 0;
    device_means known = {0, 0};

    __syncthreads();
    if (part.is_own && weighs)
#pragma unroll
        for (int i = 0; i < N; i++)
            put_sum<WIDE>(divisors + i * groups, rest, divisor_of<WIDE>(sums.get(i)));
    __syncthreads();
    if (!part.is_own || weighs)
        return known;
#pragma unroll
    for (int i = 0; i < N; i++) {
        const real divisor = {divisors[i * groups], WIDE ? divisors[i * groups + rest] : 0, 0};
        const bool none = is_none<WIDE>(divisor);
        const double own = by_divisor<WIDE>(error->most, divisor);
        /* A bound on the relative error of the sum of weights. If pixel.drops, each weight is 0 or
         * 1, so the peak of the weights is 1. */
        const double of_weights = !pixel.drops ? own
                                  : WIDE       ? by_divisor<true>(pass.bound.per_peak, divisor)
                                               : error->relative;
        real mean = mean_of<WIDE>(sums.get(i), divisor);
        const double here = is_relative ? of_plain * fabs(mean.value) + pass.bound.tiny
                                        : mean_error(pass.bound, own, of_weights, mean.value);

        known.none |= (unsigned)(none && proven) << i;
        known.zero |= (unsigned)(!none && proves_zero && is_zero(sums.get(i))) << i;
        if (none || !(here < INFINITY))
            mean.value = NAN;
        else
            greatest = fmax(greatest, here);
        sums.set(i, mean);
    }
    error->most = greatest;
    error->relative = of_plain;
    return known;
}

/* Stores each result that has its bit set in `which` and in known.zero or known.none. With
 * known.zero the result is 0. With known.none there is no mean: the result is NaN or, if the weight
 * is alpha, the source's own sample. */
__device__ __forceinline__ void store_known(const plane_pass &pass, const plane_tile &tile,
                                            const plane_part &part, unsigned which,
                                            const device_means &known, char *results)
{
    const char *const own = pass.own.origin + tile.own + (tile.down + part.row) * pass.own.down +
                            (tile.along + part.pixel) * pass.own.along +
                            part.sample * pass.own.sample;
    const int bytes = pass.to_format.bytes;

    for (which &= known.none | known.zero; which; which &= which - 1) {
        const int i = __ffs((int)which) - 1;
        const uint64_t bits = known.zero >> i & 1 ? 0
                              : pass.pixel.drops
                                  ? exact_special(EXACT_NAN, &pass.to_format)
                                  : exact_kept(own + i * pass.own.along, pass.own.type,
                                               &pass.own.format, &pass.to_format);

        exact_put_bits(results + i * pass.pixel.samples * bytes, bytes, bits);
    }
}

#endif
