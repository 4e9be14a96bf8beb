/* SPDX-License-Identifier: MIT */
/* What the transforms need of a filter, in scratch, and the bound on their error. */
#ifndef SMOOTHIMG_FUSED_FFT_FILTER_CUH
#define SMOOTHIMG_FUSED_FFT_FILTER_CUH

#include "kernels/common/weights.cuh"
#include "kernels/smooth/fused/fft/transform.cuh"
#include "kernels/smooth/fused/filter.cuh"

/* Laid out by fft_roots and fft_spectra. */
struct fft_tables {
    double2 *roots;       /* of both passes, as first_roots() and second_roots() fetch them */
    double *along, *down; /* the spectra of the weights of each axis, divided by the length; k-th
                             frequencies of all lanes side by side */
};

/* e^(-2 pi i j / length), for 0 <= j < length. The sine and cosine are taken of an eighth of the
 * circle, where the angle's rounding matters least. */
__device__ inline double2 root_of_one(int j, int length)
{
    const int quarter = length / 4, beyond = j % quarter;
    const bool mirrored = beyond > quarter / 2;
    const double angle = 6.283185307179586 * (mirrored ? quarter - beyond : beyond) / length;
    const double first = cos(angle), second = sin(angle);
    const double re = mirrored ? second : first, im = mirrored ? first : second;

    switch (j / quarter) {
    case 0:
        return make_double2(re, -im);
    case 1:
        return make_double2(-im, -re);
    case 2:
        return make_double2(-re, im);
    default:
        return make_double2(im, re);
    }
}

/* Threads: a lane's root of the first pass each; some have one of the second too. */
template <int LENGTH> __global__ void fft_roots(fft_tables tables)
{
    using shape = fft_shape<LENGTH>;
    const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    double2 *second = tables.roots + 2 * shape::first;

    if (j < shape::first) {
        tables.roots[j] = root_of_one(j, LENGTH);
        tables.roots[shape::first + j] = root_of_one(4 * j, LENGTH);
    }
    if (j < shape::second) {
        second[j] = root_of_one(16 * j, LENGTH);
        second[shape::second + j] = root_of_one(64 * j, LENGTH);
    }
}

/* The weight of pixel `distance`, in units of 1; 0 beyond the halo, and where the spectrum is
 * known. */
__device__ inline double weight_of(const weights &weights, int distance)
{
    return distance > weights.halo || weights.halo == 0
               ? 0
               : (double)weight_at(weights, distance) * 0x1p-46;
}

/* An axis that is left alone has the same weight for each frequency. */
__device__ inline double spectrum_of(const weights &weights, double value)
{
    return weights.halo == 0 ? (double)weight_at(weights, 0) * 0x1p-46 : value;
}

/* One block. The weights are real and even, and so are their spectra: one transform, of one axis as
 * real and the other as imaginary parts, gives both. */
template <int LENGTH>
__global__ void __launch_bounds__(FFT_THREADS)
    fft_spectra(const __grid_constant__ two_axes filter, fft_tables tables)
{
    using shape = fft_shape<LENGTH>;
    DYN_SHARED(double2, shared);
    const int lane = (int)threadIdx.x % shape::lanes, which = (int)threadIdx.x / shape::lanes;
    sixteen v;

    for (int k = 0; k < 16; k++) {
        const int number = lane + k * shape::lanes, distance = min(number, LENGTH - number);

        v[k] = make_double2(weight_of(filter.x(), distance), weight_of(filter.y(), distance));
    }
    forward<LENGTH>(v, shared + which * shape::slots, tables.roots, lane);
    if (which == 0)
        for (int k = 0; k < 16; k++) {
            const double2 value = v[reversed<shape::second>(k)];

            tables.along[k * shape::lanes + lane] = spectrum_of(filter.x(), value.x) / LENGTH;
            tables.down[k * shape::lanes + lane] = spectrum_of(filter.y(), value.y) / LENGTH;
        }
}

/* The bound on the error of a sample's estimate, in grey levels.
 *
 * A level of radix 2 multiplies the 2-norm of the numbers by the root of 2. With u = 2^-53, each
 * number is off by u of it after an addition, by sqrt(5) u after a product (Brent, Percival and
 * Zimmermann, Error bounds on complex floating-point multiplication, 2007), and by what the factor
 * is off: less than u for the constants of transform(). Between passes come two products with
 * powers of roots (times_roots()): six roots, each off by less than 4 u, sine's and cosine's error
 * and that of the angle, in six products. So a transform's 2-norm is off by at most `off` of its
 * own, as in their theorem on convolution. An element is off by no more than the 2-norm is. Both
 * rows or columns of a transform have samples up to `greatest`; the filter's spectrum, no greater
 * than the sum of the weights, is a transform too. */
struct fft_bound {
    double log_off; /* of 1 + off */
    double rounding, root_of_length;

    /* After an axis, whose sum and 2-norm of weights are given. Nothing here is a difference. */
    double after(double greatest, double sum, double norm) const
    {
        const double spectrum = expm1(log_off) * root_of_length * norm;
        const double both_ways = expm1(2 * log_off + rounding);

        return greatest * root_of_length * sqrt(2) * (sum * both_ways + spectrum * (1 + both_ways));
    }
};

static inline double squares_of(const axis_weights &weights)
{
    double squares = 0;

    for (int64_t k = -weights.halo; k <= weights.halo; k++)
        squares += weights.at(k) * weights.at(k);
    return squares;
}

static inline fft_bound bound_of_length(int length)
{
    const double u = 0x1p-53, of_product = sqrt(5) * u, of_level = u + of_product + u;
    const double of_roots = 6 * 4 * u + 6 * of_product;

    return {log2(length) * of_level + 2 * of_roots, u, sqrt(length)};
}

/* The spectra of both axes come from one transform; an axis that is left alone is not in it. */
static inline double norm_of(const struct request *request)
{
    const double along = request->halo_x > 0 ? squares_of(weights_along(request)) : 0;
    const double down = request->halo_y > 0 ? squares_of(weights_down(request)) : 0;

    return sqrt(along + down);
}

/* The same of a row's sum. */
static inline double fft_rows_bound(const struct request *request, int length)
{
    return bound_of_length(length).after(request->maxval, weights_along(request).sum(),
                                         norm_of(request));
}

static inline double fft_bound_of(const struct request *request, int length)
{
    const axis_weights along = weights_along(request), down = weights_down(request);
    const double greatest = request->maxval * along.sum(), rows = fft_rows_bound(request, length);
    const double columns =
        bound_of_length(length).after(greatest + rows, down.sum(), norm_of(request));

    return rows * down.sum() + columns + half_ulp(2 * (greatest + 1) * down.sum() + 2);
}

#endif
