/* SPDX-License-Identifier: MIT */
/* Fast Fourier transforms of LENGTH complex doubles, 1024 or 4096, by threads of which each holds
 * sixteen in registers (Cooley and Tukey 1965): three passes, two of radix 16 and one of radix 4 or
 * 16, each of levels of radix 2.
 *
 * forward() leaves the frequencies in the order in which its passes end, and backward() takes them
 * in that order, so no pass has to put them in theirs. Between two passes the numbers change hands
 * in shared memory: each thread loads what others stored, and stores where it loaded, so one
 * barrier for each exchange is enough. */
#ifndef SMOOTHIMG_FUSED_FFT_TRANSFORM_CUH
#define SMOOTHIMG_FUSED_FFT_TRANSFORM_CUH

#include "kernels/common/launch.cuh"

#define FFT_THREADS 256 /* of a block, for all its transforms */

/* What follows from the length. */
template <int LENGTH> struct fft_shape {
    static constexpr int first = LENGTH / 16;   /* the strides of the passes; the last is 1 */
    static constexpr int second = LENGTH / 256; /* and the radix of the last */
    static constexpr int lanes = LENGTH / 16;   /* threads of a transform */
    static constexpr int in_block = FFT_THREADS / lanes;
    static constexpr int slots = LENGTH + LENGTH / 16; /* in shared memory */
    static constexpr size_t shared_bytes = in_block * slots * sizeof(double2);
};

/* Sixteen numbers of a thread. A pass takes them in order, and leaves them in that of reversed().
 */
typedef double2 sixteen[16];

/* k with the lowest bits reversed, those of numbers below RADIX: 1, 4 or 16. */
template <int RADIX> __host__ __device__ constexpr int reversed(int k)
{
    return RADIX == 1   ? k
           : RADIX == 4 ? (k & 12) | (k & 1) << 1 | (k & 2) >> 1
                        : (k & 1) << 3 | (k & 2) << 1 | (k & 4) >> 1 | k >> 3;
}

__device__ __forceinline__ double2 times(double2 a, double2 b)
{
    return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* z e^(-2 pi i k / 16), for 0 <= k < 8; unrolled loops leave one case of the eight. */
__device__ __forceinline__ double2 turned(double2 z, int k)
{
    constexpr double eighth = 0.70710678118654752; /* cos and sin of pi / 4 */
    constexpr double cosine = 0.92387953251128676, sine = 0.38268343236508977; /* of pi / 8 */

    switch (k) {
    case 0:
        return z;
    case 1:
        return times(z, make_double2(cosine, -sine));
    case 2:
        return make_double2((z.x + z.y) * eighth, (z.y - z.x) * eighth);
    case 3:
        return times(z, make_double2(sine, -cosine));
    case 4:
        return make_double2(z.y, -z.x);
    case 5:
        return times(z, make_double2(-sine, -cosine));
    case 6:
        return make_double2((z.y - z.x) * eighth, (-z.x - z.y) * eighth);
    default:
        return times(z, make_double2(-cosine, -sine));
    }
}

/* The transforms of RADIX numbers each. */
template <int RADIX> __device__ __forceinline__ void transform(sixteen &v)
{
#pragma unroll
    for (int half = RADIX / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < 16; i++)
            if ((i & half) == 0) {
                const double2 a = v[i], b = v[i + half];

                v[i] = make_double2(a.x + b.x, a.y + b.y);
                v[i + half] = turned(make_double2(a.x - b.x, a.y - b.y), i % half * (8 / half));
            }
}

/* Which numbers of the transform a thread has in the pass of the given stride: k = 0..15. */
__device__ __forceinline__ int number_of(int lane, int stride, int k)
{
    return lane / stride * 16 * stride + lane % stride + k * stride;
}

/* One slot in 17 is left free, so that threads 16 numbers apart use different banks. */
__device__ __forceinline__ double2 &slot(double2 *shared, int number)
{
    return shared[number + number / 16];
}

/* Hands the results of a pass, of RADIX, to the pass with another stride. */
template <int RADIX>
__device__ __forceinline__ void exchange(sixteen &v, double2 *shared, int lane, int from, int to)
{
#pragma unroll
    for (int k = 0; k < 16; k++)
        slot(shared, number_of(lane, from, k)) = v[reversed<RADIX>(k)];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[k] = slot(shared, number_of(lane, to, k));
}

/* Where a lane's two roots of a pass are, and that of its product with all of them: number k = 4 i
 * + j of sixteen is multiplied by the j-th power of one and the i-th of the other. To multiply
 * takes less time than to fetch fifteen roots. */
struct pass_roots {
    const double2 *first; /* e^(-2 pi i lane / (16 stride)) */
    int stride;           /* to its fourth power */
};

/* In the table, those of the first pass come first. */
template <int LENGTH>
__device__ __forceinline__ pass_roots first_roots(const double2 *table, int lane)
{
    return {table + lane, fft_shape<LENGTH>::first};
}

template <int LENGTH>
__device__ __forceinline__ pass_roots second_roots(const double2 *table, int lane)
{
    using shape = fft_shape<LENGTH>;

    return {table + 2 * shape::first + lane % shape::second, shape::second};
}

/* Multiplies sixteen numbers in the order of reversed<RADIX>(): 16, or 1 for no change. */
template <int RADIX>
__device__ __forceinline__ void times_roots(sixteen &v, const pass_roots &roots)
{
    const double2 one = roots.first[0], four = roots.first[roots.stride];
    double2 power = one;

#pragma unroll
    for (int j = 1; j < 4; j++) {
#pragma unroll
        for (int i = 0; i < 16; i += 4)
            v[reversed<RADIX>(i + j)] = times(v[reversed<RADIX>(i + j)], power);
        power = times(power, one);
    }
    power = four;
#pragma unroll
    for (int i = 4; i < 16; i += 4) {
#pragma unroll
        for (int j = 0; j < 4; j++)
            v[reversed<RADIX>(i + j)] = times(v[reversed<RADIX>(i + j)], power);
        power = times(power, four);
    }
}

/* v: numbers lane, lane + lanes, ... Leaves frequencies in v[reversed<second>(k)], in the order of
 * number_of(lane, 1, k). */
template <int LENGTH>
__device__ __forceinline__ void forward(sixteen &v, double2 *shared, const double2 *table, int lane)
{
    using shape = fft_shape<LENGTH>;

    transform<16>(v);
    times_roots<16>(v, first_roots<LENGTH>(table, lane));
    exchange<16>(v, shared, lane, shape::first, shape::second);
    transform<16>(v);
    times_roots<16>(v, second_roots<LENGTH>(table, lane));
    exchange<16>(v, shared, lane, shape::second, 1);
    transform<shape::second>(v);
}

/* The inverse, times the length, of numbers whose real and imaginary parts have changed places:
 * then it is made of the same parts as forward(). v: frequencies in the order of number_of(lane, 1,
 * k). Leaves number lane + k lanes in v[reversed<16>(k)], its parts still exchanged. */
template <int LENGTH>
__device__ __forceinline__ void backward(sixteen &v, double2 *shared, const double2 *table,
                                         int lane)
{
    using shape = fft_shape<LENGTH>;

    transform<shape::second>(v);
    exchange<shape::second>(v, shared, lane, 1, shape::second);
    times_roots<1>(v, second_roots<LENGTH>(table, lane));
    transform<16>(v);
    exchange<16>(v, shared, lane, shape::second, shape::first);
    times_roots<1>(v, first_roots<LENGTH>(table, lane));
    transform<16>(v);
}

#endif
