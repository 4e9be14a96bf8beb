/* SPDX-License-Identifier: MIT */
/* The adjoint of a filter: the product with the transpose of its matrix. A filter is a matrix that
 * multiplies the samples. This matrix is a product of matrices, one for each filtered axis, and so
 * is its transpose. Away from the ends of an axis the transpose is the filter with reversed
 * weights. With some edge rules the transpose is the same filter near the ends, too. With the other
 * rules the result is computed in parts: in each part the transpose is another filter, or a sum of
 * filters. The engine of arrays, the implementation for any array, computes such a sum exactly and
 * rounds it once. */
#ifndef SMOOTHIMG_API_ADJOINT_H
#define SMOOTHIMG_API_ADJOINT_H

#include "src/lib/api/arrays.h"
#include "src/lib/api/filter.h"

/* Returns the number of filters whose sum is the transpose of a term near the ends of an axis.
 * `odd` means that the term is a derivative of odd order along the axis. */
int adjoint_sums(enum edge edge, bool odd);

/* True if the transpose is computed in parts, because near the ends of the axis it is not the
 * filter with reversed weights and this edge rule. */
bool adjoint_has_parts(enum edge edge, bool odd);

/* Calls the function for each part of asked->dst, with a filter for that part, and stops at the
 * first failure. The filter asked->filter has by_parts set. */
enum status adjoint_for_each_part(const struct arguments *asked,
                                  enum status (*function)(const struct arguments *asked));

#endif
