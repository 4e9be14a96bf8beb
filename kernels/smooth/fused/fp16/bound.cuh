/* SPDX-License-Identifier: MIT */
/* The arithmetic of fp16/fp16.cuh, and the proof of its error bound.
 *
 * Along the rows: the weights times a scale c are rounded to whole numbers W, each of three digits
 * of one byte. Sums of W times samples, shifted right, are whole numbers V below 2^27. The lowest
 * five bits of V are dropped; the next 11 are the digit L, the top 11 the digit H. An 11-bit number
 * n, read as the bits of a half float, is n times 2^-24, since the subnormal halves and the halves
 * of the first binade are evenly spaced. So a digit needs no conversion.
 *
 * Down the columns: t = offset + sum over i of H(i) high(i) + L(i) low(i) + H(i) rest(i), with half
 * floats high, low and rest, and products added in floats. t is (256 + v + 1/2 + bound + error)/64,
 * within [4, 8): bits 22..15 are the sample, bits 14..0 the fraction.
 *
 * The bound follows a model of how tensor cores add (MMA-Sim, arXiv 2511.10909). Products are
 * exact. Hopper adds 16 products at a time. Let E be the greatest exponent of these products and of
 * the sum so far; the exponent of a product is the sum of its factors' exponents. All of these
 * numbers are truncated to multiples of 2^(E-25) and added exactly; then the new sum is truncated
 * to a float. Earlier GPUs add 8 products at a time, and truncate to multiples of 2^(E-24). NVIDIA
 * does not promise this, so a trial runs before the first use (fp16/trial.cuh).
 *
 * A sample is unresolved if the bound does not prove its rounding. The place of a number is the
 * value of its last bit. */
#ifndef SMOOTHIMG_FUSED_FP16_BOUND_CUH
#define SMOOTHIMG_FUSED_FP16_BOUND_CUH

#include "kernels/common/half.h"
#include "kernels/smooth/fused/filter.cuh"

/* How a GPU's tensor cores add: `group` products at a time, keeping `extra_bits` bits below the
 * last place of a float. */
struct half_adder {
    int group, extra_bits;
};

/* Returns how tensor cores of compute capability major.x add; major is 8 or 9. */
static inline half_adder half_adder_of(int major)
{
    return major < 9 ? half_adder{8, 1} : half_adder{16, 2};
}

/* The greatest halo of each class. All halos of a class use kernels with the same constants. */
static constexpr int fp16_halos[] = {4, 5, 8, 12, 16};

static constexpr int fp16_class(int64_t halo)
{
    int number = 0;

    while (halo > fp16_halos[number])
        number++;
    return number;
}

#define FP16_DIGITS 3 /* digits of a weight along the rows */

/* Returns by how many bits a sum along a row, of integer weights W times samples, is shifted right
 * to get V. Weights of short halos may be above 1/2. A smaller shift then gives a grey level more
 * units of V, so that the half floats of halves_of() do not overflow. */
static constexpr int fp16_shift(int64_t halo)
{
    return halo <= 5 ? 6 : 8;
}

/* Returns how many thread blocks are to run on a multiprocessor at the same time. bulk: the TMA
 * (tensor memory accelerator) copies the image. */
static constexpr int fp16_resident(int64_t halo, bool bulk)
{
    return halo <= 5 && bulk ? 4 : halo <= 8 ? 3 : 2;
}

/* Returns the weight at distance k, which is the same along both axes. */
static inline double weight_of(const struct request *request, int64_t k)
{
    return axis_weight(weights_along(request), k);
}

#define HALF_MOST 65504.0 /* the greatest half float */

/* The scale by which weights along the rows become whole numbers W. */
struct fp16_scale {
    double scale; /* c, in the head of this file */
    double units; /* how many units of V, the sums along a row, are one grey level */
};

static inline double fp16_weight(const struct request *request, const fp16_scale &scale, int64_t k)
{
    return floor(scale.scale * weight_of(request, k) + 0.5);
}

struct fp16_halves {
    uint16_t high, low, rest;
};

/* Returns the weight at distance k as three half floats: high + rest for the digits H, `low` for
 * the digits L. `high` is a multiple of 8, and a digit is a multiple of 2^-24. So each product of
 * `high` and a digit is a multiple of 2^-21, the unit in t's last place, and is never cut. */
static inline fp16_halves halves_of(const struct request *request, const fp16_scale &scale,
                                    int64_t k)
{
    const double factor = weight_of(request, k) * ldexp(1, 34) / scale.units;
    const uint16_t high = half_of(8 * nearbyint(factor / 8));

    return {high, half_of(factor / 2048), half_of(factor - of_half(high))};
}

/* Returns the range of the estimate's error, without the roundings of the float sums. */
static inline error_limits fp16_estimate(const struct request *request, const fp16_scale &scale)
{
    const double cut = 32; /* bound, in units of V, on what the shift and the dropped bits lose */
    double sum = 0;
    error_limits errors = {-cut / scale.units, 0};

    for (int64_t k = -request->halo; k <= request->halo; k++) {
        const double weight = fp16_weight(request, scale, k);

        sum += weight;
        add_error(&errors, weight / scale.scale - weight_of(request, k), 255);
    }
    const double high_most = floor(255 * sum * scale.units / scale.scale / 65536);

    for (int64_t k = -request->halo; k <= request->halo; k++) {
        const fp16_halves halves = halves_of(request, scale, k);
        const double exact = weight_of(request, k) / scale.units;
        const double high = of_half(halves.high) + of_half(halves.rest);

        add_error(&errors, ldexp(high, -18) - 65536 * exact, high_most);
        add_error(&errors, ldexp(of_half(halves.low), -18) - 32 * exact, 2047);
    }
    return errors;
}

/* The products that a block of eight rows adds to the float sums. `overshoot` assumes their worst
 * order. */
struct fp16_block {
    int products, negative; /* number of rows with a tap; number of taps with a negative `rest` */
    /* How far the sum may exceed its final value before the negative products are added, in grey
     * levels. */
    double overshoot;
    int exponent; /* greatest exponent of a product with `high` or `rest`, in grey levels */
};

static inline fp16_block block_of(const struct request *request, const fp16_scale &scale, int first)
{
    const int taps = 2 * (int)request->halo + 1;
    fp16_block block = {0, 0, 0, -30};

    for (int tap = max(first, 0); tap < min(first + 8, taps); tap++) {
        const fp16_halves halves = halves_of(request, scale, tap - request->halo);
        const double high = of_half(halves.high), rest = of_half(halves.rest);

        block.products++;
        block.negative += rest < 0;
        block.overshoot += fmax(0, -rest) * ldexp(2047, -18);
        /* A digit is below 2^-13. Tensor cores give it the exponent -14, even if it is subnormal.
         * Adding 6 converts the exponent to grey levels, since t is v / 64. */
        const double greatest = fmax(high, fabs(rest)); /* `low` is about 2^-11 of their sum */
        if (greatest > 0)
            block.exponent = max(block.exponent, ilogb(greatest) - 14 + 6);
    }
    return block;
}

/* Sets *down and *up to the greatest errors in grey levels that the roundings of the float sums
 * cause: a total may be too small by *down, or too great by *up. Eight rows of outputs are summed
 * at a time; the row with the greatest errors decides. After the sums, one more addition adds the
 * offset. */
static inline void fp16_roundings(const struct request *request, const fp16_scale &scale,
                                  const half_adder &adder, double *down, double *up)
{
    /* How often the sum is truncated to a float in a block of eight rows: once for each group of
     * products that are added at a time. */
    const int results = 16 / adder.group + (8 + adder.group - 1) / adder.group;
    const int taps = 2 * (int)request->halo + 1, blocks = 1 + ((int)request->halo + 3) / 4;

    *down = *up = 0;
    for (int row = 0; row < 8; row++) {
        double lost = 0, gained = 0, most = 0;
        int previous = 8;

        for (int i = 0; i < blocks; i++) {
            const int first = 8 * i - row;
            const fp16_block block = block_of(request, scale, first);

            if (block.products == 0)
                continue;
            for (int tap = max(first, 0); tap < min(first + 8, taps); tap++)
                most = fmin(most + 255.5 * weight_of(request, tap - request->halo), 255.9);
            const int exponent = max(block.exponent, ilogb(most + block.overshoot));
            const double place = ldexp(1, exponent - 23), cut = ldexp(place, -adder.extra_bits);

            /* This counts one `cut` for the truncation of each product with `low`, or with a `rest`
             * that is not negative, and one `place` for the truncation of each group's result. The
             * sum so far is truncated too, by less than `cut`, but only if its last place is at
             * most half a `cut`. When such a sum was a result, it lost at most half a `cut`,
             * although the whole earlier `place` was counted for it. The difference covers the new
             * truncation, unless the earlier `place` was less than 2 `cut`. That is so if the
             * exponent has grown by extra_bits or more; then one `cut` more is counted. */
            lost += (2 * block.products - block.negative) * cut + results * place +
                    (exponent >= previous + adder.extra_bits ? cut : 0);
            gained += block.negative * cut;
            previous = exponent;
        }
        *down = fmax(*down, lost);
        *up = fmax(*up, gained);
    }
    /* The addition of the offset is rounded to nearest in t's last place. */
    *down += ldexp(1, -16);
    *up += ldexp(1, -16);
}

/* Returns how wide the range of fractions is, in grey levels, for which the bound does not prove
 * the rounding. Sets *offset to the number that the kernel adds to each total, in grey levels:
 * 256.5 plus the bound, rounded up to a multiple of 2^-15, the value of a total's last bit. */
static inline double fp16_width(const struct request *request, const fp16_scale &scale,
                                const half_adder &adder, double *offset)
{
    const error_limits errors = fp16_estimate(request, scale);
    double down, up;

    fp16_roundings(request, scale, adder, &down, &up);
    const double exact = 256.5 - errors.least + down;
    *offset = ldexp(ceil(ldexp(exact, 15)), -15);
    return errors.most - errors.least + down + up + *offset - exact;
}

/* Returns the greatest scale for which the weights have three digits and V, the sum along a row, is
 * below 2^27. All members are 0 if the greatest weight would overflow the half floats of
 * halves_of(). */
static inline fp16_scale scale_of(const struct request *request)
{
    const double greatest = axis_greatest(weights_along(request));
    const int shift = fp16_shift(request->halo);
    const double scale = fmin(ldexp(1, 19 + shift), floor(16777214.0 / greatest));
    const double units = ldexp(scale, -shift);

    return greatest * ldexp(1, 34) / units <= HALF_MOST ? fp16_scale{scale, units}
                                                        : fp16_scale{0, 0};
}

#endif
