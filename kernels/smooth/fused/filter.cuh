/* SPDX-License-Identifier: MIT */
/* A job's filter in the numbers of a form, and the bound on the form's error. */
#ifndef SMOOTHIMG_FUSED_FILTER_CUH
#define SMOOTHIMG_FUSED_FILTER_CUH

#include "kernels/smooth/fused/arithmetic.cuh"

/* In grey levels; a little below 1/2, so that 2 * bound leaves room in 32 bits of a fraction. */
#define MOST_BOUND 0.499

static inline double weight_of(const struct job *job, int64_t k)
{
    return ldexp((double)job->weights[job->halo + k], -WEIGHT_BITS);
}

static inline double sum_of_weights(const struct job *job)
{
    double sum = 0;

    for (int64_t k = -job->halo; k <= job->halo; k++)
        sum += weight_of(job, k);
    return sum;
}

/* The greatest weight of a tap. Not always the centre's: under --norm sum the centre gets what the
 * other taps leave of 2^46, which in a flat filter may be less than any of them has. */
static inline double greatest_weight(const struct job *job)
{
    double greatest = 0;

    for (int64_t k = 0; k <= job->halo; k++)
        greatest = fmax(greatest, weight_of(job, k));
    return greatest;
}

/* Half the distance between doubles around x. */
static inline double half_ulp(double x)
{
    return ldexp(1, ilogb(x) - 53);
}

/* Sums of columns, whatever their form: units in a grey level, error in grey levels, and how much
 * the doubles that they stand in are above them, in their units. */
struct column_sums {
    double scale, error, offset;
};

/* The columns' weights as whole numbers: c times the weights. Errors count by the greatest sample.
 */
template <class Form, int N>
static column_sums whole_columns(const struct job *job, double c, int shift,
                                 fused_filter<Form, N> *filter)
{
    column_sums columns = {ldexp(c, -shift), 0, 0};

    for (int64_t k = 0; k <= job->halo; k++) {
        filter->columns[k] = (uint32_t)floor(c * weight_of(job, k) + 0.5);
        columns.error +=
            (k ? 2 : 1) * job->maxval * fabs(filter->columns[k] / c - weight_of(job, k));
    }
    filter->shift = shift;
    filter->half = shift ? (typename Form::product)1 << (shift - 1) : 0;
    columns.error += shift ? 0.5 / columns.scale : 0;
    return columns;
}

/* Sums below 2^31 without a shift. */
template <class Form, int N>
static column_sums make_columns(const struct job *job, fused_filter<Form, N> *filter,
                                const columns_of_bytes *)
{
    const double room = 2147483647.0 / job->maxval - (double)(2 * job->halo + 1);

    return whole_columns(job, floor(room / sum_of_weights(job)), 0, filter);
}

/* The weights are as long as 32 bits allow, and the sums of their products are shifted to 31. */
template <int N>
static column_sums make_columns(const struct job *job, fused_filter<form_words_integers, N> *filter,
                                const samples_of_words *)
{
    const double c = floor(4294967294.0 / greatest_weight(job));
    const double most = (c * sum_of_weights(job) + (double)(2 * job->halo + 1)) * job->maxval;
    int shift = 1;

    while (ldexp(most, -shift) >= 2147483647.0)
        shift++;
    return whole_columns(job, c, shift, filter);
}

/* Exact weights; halo + 1 roundings of sums below those of weights times 2^20 + 2 maxval. */
template <int N>
static column_sums make_columns(const struct job *job, fused_filter<form_words, N> *filter,
                                const samples_of_words *)
{
    const double half = (sum_of_weights(job) + weight_of(job, 0)) / 2; /* rows count once in two */
    const double most = half * 1048576 + sum_of_weights(job) * job->maxval + 1;

    for (int64_t k = 0; k <= job->halo; k++)
        filter->columns[k] = weight_of(job, k);
    filter->shift = 0;
    filter->half = 0;
    return {1, (double)(job->halo + 1) * half_ulp(most), half * 1048576};
}

/* Fills in the rows' weights. Each make_rows() returns the bound on |error|, in grey levels;
 * begin() turns a bound below 1/2 into the totals' offset and the threshold. */

/* t is base + v in units where base is 2^20: its 20 bits below are the whole number. above: what
 * the sums' own offsets come to, in grey levels. */
template <class Form, int N>
static double make_rows(const struct job *job, const column_sums &columns, bool in_pairs,
                        fused_filter<Form, N> *filter, const totals_in_doubles *)
{
    const double base = 1048576, sum = sum_of_weights(job);
    const double own = columns.offset > 0 ? columns.offset : ldexp(1, 52);
    double above = 0;

    for (int64_t k = 0; k <= job->halo; k++) {
        const int times = k == 0 || (in_pairs && columns.offset == 0) ? 1 : 2;

        filter->rows[k] = weight_of(job, k) / columns.scale;
        above += times * filter->rows[k] * own;
    }
    filter->offset = base - above + 0.5;
    /* A rounding for each tap, one for each weight, and for each of `above` and the offset. */
    return columns.error * sum +
           (6 * (double)job->halo + 6) * half_ulp(2 * (above + base * (sum * sum + 1)));
}

template <class Form, int N>
static void begin(double bound, fused_filter<Form, N> *filter, const totals_in_doubles *)
{
    const double ulp = ldexp(1, -32), whole_ulps = ceil(bound / ulp);

    filter->offset += whole_ulps * ulp;
    filter->unresolved = (uint32_t)(2 * whole_ulps) + 2;
}

/* Whole numbers again: the weights are rounded, and fraction() leaves some bits out. A column's sum
 * is at most maxval times the weights' sum. */
template <class Form, int N, int BITS>
static double make_rows(const struct job *job, const column_sums &columns, bool,
                        fused_filter<Form, N> *filter, const totals_in_integers<BITS> *)
{
    const double unit = ldexp(1, BITS), sum = sum_of_weights(job);
    const double greatest = job->maxval * sum + columns.error;
    double bound = columns.error * sum + ldexp(1, -32);

    for (int64_t k = 0; k <= job->halo; k++) {
        const double weight = weight_of(job, k) * (unit / columns.scale);

        filter->rows[k] = (uint32_t)floor(weight + 0.5);
        bound += (k ? 2 : 1) * greatest * fabs(filter->rows[k] - weight) * columns.scale / unit;
    }
    return bound;
}

template <class Form, int N, int BITS>
static void begin(double bound, fused_filter<Form, N> *filter, const totals_in_integers<BITS> *)
{
    filter->offset = (uint64_t)((0.5 + bound) * ldexp(1, BITS));
    filter->unresolved = (uint32_t)ceil(2 * bound * 4294967296.0) + 2;
}

/* in_pairs: the kernel adds the column sums at the same distance before it multiplies. Returns
 * false where no estimate is worth anything: where all weights are 0, or the bound reaches 1/2, so
 * that every sample would be unresolved. */
template <class Form, int N>
static bool make_filter(const struct job *job, bool in_pairs, fused_filter<Form, N> *filter)
{
    const Form *form = nullptr; /* chooses by what the form is made of */

    if (greatest_weight(job) == 0)
        return false;
    const column_sums columns = make_columns(job, filter, form);
    const double bound = make_rows(job, columns, in_pairs, filter, form);

    if (bound > MOST_BOUND)
        return false;
    begin(bound, filter, form);
    filter->maxval = job->maxval;
    filter->halo = (int)job->halo;
    return true;
}

#endif
