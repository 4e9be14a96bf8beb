/* SPDX-License-Identifier: MIT */
/* Where samples do not all count alike: sums, by those of their weights, are means. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_MEANS_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_MEANS_CUH

#include "kernels/smooth/arrays/device/store.cuh"
#include "kernels/smooth/arrays/device/sums.cuh"

/* A tile of the last two axes. */
struct plane_tile {
    int64_t down, along;           /* its first result */
    int64_t from, to, number, own; /* of the place along all other axes */
};

/* The sums that a thread makes: so many pixels of a row, from `pixel` on, of one number. */
struct plane_part {
    int row, pixel, number, sample, pixels;
    bool is_own; /* else it has none */
    bool gives;  /* they become results; else they are weights alone */
};

__device__ __forceinline__ bool is_zero(const real &number)
{
    return number.value == 0 && number.rest == 0;
}

/* n / a, with what a double does not hold of it. A quotient that is tiny loses what is not bounded,
 * and becomes NaN. */
template <bool WIDE> __device__ __forceinline__ real quotient_of(const real &n, const real &a)
{
    double n_lost, a_lost;
    const double upper = sum_of(n.value, n.rest, &n_lost), by = sum_of(a.value, a.rest, &a_lost);
    const double value = upper / by;
    const double left = fma(-value, by, upper) + (n_lost - value * a_lost);

    if (upper != 0 && !(fabs(value) >= 0x1p-900 && fabs(value) < INFINITY))
        return {NAN, 0, 0};
    return {value, WIDE ? left / by : 0, 0};
}

/* The error of a mean, and what its own operations round. Infinite: unknown. sums: the error of the
 * sum of samples by their weights; relative: that of the weights' sum. */
__device__ __forceinline__ double mean_error(const device_bound &bound, const device_error &sums,
                                             double relative, double quotient, double weight)
{
    const double size = fabs(quotient);

    if (!(relative <= 0.25))
        return INFINITY;
    return combine_mean_error(sums.most / fabs(weight), relative, size) + size * bound.quotient +
           bound.tiny;
}

/* A bit for each place where no sample counts, and for each mean that is 0, as far as that is
 * proven. */
struct device_means {
    unsigned none, zero;
};

/* Makes means of the block's sums, whose *error becomes that of the thread's means; those that are
 * not known are NaN. numbers: room for the weights of all rows. */
template <bool WIDE, int ROWS, int N>
__device__ __forceinline__ device_means take_means(const plane_pass &pass, const plane_part &part,
                                                   double *numbers, device_sums<WIDE, N> &sums,
                                                   device_error *error)
{
    const device_pixel &pixel = pass.pixel;
    const int groups = pixel.numbers / pixel.group, group = part.number / pixel.group;
    const bool weighs = is_weight(pixel, part.number);
    const bool plain = !(error->peak & NOT_PLAIN);
    const bool proven = pass.bound.proves_zeros && (pixel.drops || plain);
    const double of_plain = 2.01 * error->relative + pass.bound.quotient;
    double *const weights = numbers + (part.row * pass.tile + part.pixel) * groups + group;
    const int64_t rest = ROWS * pass.pitch;
    /* Products of two doubles may be lost. */
    const bool keeps =
        plain && pass.bound.proves_zeros && (pixel.drops || pass.own.type != SAMPLE_F64);
    double greatest = 0;
    device_means known = {0, 0};

    __syncthreads();
    if (part.is_own && weighs)
#pragma unroll
        for (int i = 0; i < N; i++)
            put_sum<WIDE>(weights + i * groups, rest, sums.get(i));
    __syncthreads();
    if (!part.is_own || weighs)
        return known;
#pragma unroll
    for (int i = 0; i < N; i++) {
        const real weight = {weights[i * groups], WIDE ? weights[i * groups + rest] : 0, 0};
        const bool is_none = is_zero(weight);
        real mean = quotient_of<WIDE>(sums.get(i), weight);
        const double own = pixel.drops ? error->relative : error->most / fabs(weight.value);
        const double here = plain ? of_plain * fabs(mean.value) + pass.bound.tiny
                                  : mean_error(pass.bound, *error, own, mean.value, weight.value);

        known.none |= (unsigned)(is_none && proven) << i;
        known.zero |= (unsigned)(!is_none && keeps && is_zero(sums.get(i))) << i;
        if (is_none || !(here < INFINITY))
            mean.value = NAN;
        else
            greatest = fmax(greatest, here);
        sums.set(i, mean);
    }
    error->most = greatest;
    error->relative = of_plain;
    return known;
}

/* Stores, of these results, those that are known. */
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

        store_bits(results + i * pass.pixel.samples * bytes, bytes, bits);
    }
}

#endif
