/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/combine.h"

#include <math.h>

/* a + b, with what the sum loses in *rest: Knuth's. */
static double sum_of(double a, double b, double *rest)
{
    const double sum = a + b, b1 = sum - a;

    *rest = (a - (sum - b1)) + (b - b1);
    return sum;
}

void combine_add(const struct reals *total, const struct reals *term, bool first, bool squares,
                 int64_t n)
{
    for (int64_t x = 0; x < n; x++) {
        const double value = term->value[x], rest = term->rest ? term->rest[x] : 0;
        const double added = squares ? value * value : value;
        const double added_rest =
            squares && total->rest ? fma(value, value, -added) + 2 * value * rest : rest;
        double lost;

        total->value[x] = sum_of(first ? 0 : total->value[x], added, &lost);
        if (total->rest)
            total->rest[x] = (first ? 0 : total->rest[x]) + lost + added_rest;
        if (total->magnitude)
            total->magnitude[x] = (first ? 0 : total->magnitude[x]) + term->magnitude[x];
    }
}

#define SAFE_SQUARE 0x1p-900 /* its last bits in two doubles are above 2^-1022 */

void combine_root(const struct reals *total, int64_t n)
{
    for (int64_t x = 0; x < n; x++) {
        const double square = total->value[x], root = sqrt(square);

        total->value[x] = root;
        if (total->rest && root > 0) { /* a step of Newton's method */
            const double product = root * root, left = square - product;

            total->rest[x] = (left - fma(root, root, -product) + total->rest[x]) / (2 * root);
        }
        if (total->magnitude && total->magnitude[x] > 0 && !(square >= SAFE_SQUARE))
            total->magnitude[x] = INFINITY;
    }
}
