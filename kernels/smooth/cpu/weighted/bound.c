/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/weighted/bound.h"

#include "kernels/common/numbers.h"
#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/weighted/loops.h"

#include <float.h>
#include <math.h>

#define FLOAT_HALO 16 /* mean of both axes: above it too many samples stay unresolved */

bool smooth_weighted_in_floats(const struct request *request)
{
    return request->src.sample_bytes == 1 && request->halo_x + request->halo_y <= 2 * FLOAT_HALO;
}

/* Of results whose sums are off by no more than `rounds` roundings by u: see below. */
static double bound_of(const struct request *request, double rounds, double u)
{
    const double sum_x = smooth_weights_sum(request->weights_x, request->halo_x);
    const double sum_y = smooth_weights_sum(request->weights_y, request->halo_y);
    const double colours = (2 * rounds + 2 + 1) * (request->maxval + 1.0);
    const double alpha = (rounds + 1) * (request->maxval * sum_x * sum_y + 1);

    return 1.01 * u * fmax(colours, alpha);
}

/* How often a term is rounded at most by the additions of a pass, whose taps come in chunks. */
static double additions(int64_t halo, int64_t chunk)
{
    const int64_t chunks = (halo + chunk - 1) / chunk;

    return halo == 0 ? 0 : (double)(min(halo, chunk) - 1 + chunks);
}

/* u is 2^-24 or 2^-53, M is maxval. Samples, colours times alpha, and two of them added are exact:
 * 17 bits with floats, else 33. How often a term of a sum is rounded at most:
 *
 *     along a row     the weight, the product, and additions(halo_x)
 *     down a column   two rows added, the weight, the product, and additions(halo_y)
 *
 * The first chunk of a row is added to the centre's product, tap by tap, the others each to 0, by
 * one rounding less than it has taps, and then to the sum. Down a column the first one is added to
 * 0, and the centre last. Either way a term meets as many additions as its chunk has taps, less
 * one, and one for each chunk.
 *
 * These are r, 5 and both additions. As nothing is negative the relative error of a sum is at most
 * (1 + u)^r - 1, and that of a colour's quotient, by a reciprocal that is rounded, and a product
 * that may be, less than (2 r + 2) u. Adding 1/2 and the bound rounds these two and the result,
 * which is below M + 1: (M + 1) u with floats. Estimates in doubles have 2^20 added, and are
 * rounded by up to 2^-33, and this number too. Alpha has no quotient, and can exceed M where the
 * weights sum to more than 1, but an estimate above M + 1 is cut to M. One hundredth more covers
 * the products of two of these. The sum is at most 0.0065 with floats, and 2.4e-7 with doubles:
 * where the weights of both axes sum to 4. So it never reaches 1/2, and an estimate stays below
 * 2^31. */
double smooth_weighted_bound(const struct request *request)
{
    const bool floats = smooth_weighted_in_floats(request);
    const int64_t chunk = floats ? FLOAT_CHUNK : MAX_HALO;
    const double rounds = 5 + additions(request->halo_x, chunk) + additions(request->halo_y, chunk);

    return floats ? bound_of(request, rounds, FLT_EPSILON / 2)
                  : bound_of(request, rounds, DBL_EPSILON / 2) + 0x1p-32;
}
