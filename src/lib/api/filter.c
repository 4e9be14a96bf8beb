/* SPDX-License-Identifier: MIT */
/* Makes filters: checks the options, sets defaults, and computes the weights. A filter is a sum of
 * terms, each of which smooths or differentiates along some axes. An engine is an implementation of
 * filters: some are only for images, and the engine of arrays is for any array. */
#include "src/lib/api/filter.h"

#include "kernels/common/numbers.h"
#include "src/lib/api/adjoint.h"
#include "src/lib/api/arrays.h"
#include "src/lib/base/float_environment.h"
#include "src/lib/filter/gauss.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(SMOOTHIMG_MAX_RADIUS == MAX_HALO && SMOOTHIMG_MAX_AXES == ARRAY_AXES &&
                   SMOOTHIMG_MAX_FILTERED == ARRAY_FILTERED &&
                   SMOOTHIMG_ANALYTIC == (int)NORM_ANALYTIC && SMOOTHIMG_ADD == (int)ARRAY_SUM &&
                   SMOOTHIMG_MAGNITUDE == (int)ARRAY_MAGNITUDE &&
                   SMOOTHIMG_APART == (int)ARRAY_APART && SMOOTHIMG_REFLECT == (int)EDGE_REFLECT &&
                   SMOOTHIMG_NEAREST == (int)EDGE_CLAMP && SMOOTHIMG_MIRROR == (int)EDGE_MIRROR &&
                   SMOOTHIMG_WRAP == (int)EDGE_WRAP && SMOOTHIMG_CONSTANT == (int)EDGE_ZERO,
               "one limit, and public numbers are the library's own");

static const int definition_bits[DEFINITIONS] = {ARRAY_COARSE_BITS, ARRAY_FINE_BITS};

/* Checks an axis, and sets its defaults. Its radius becomes -1 if filtering along it changes no
 * sample: smoothing with radius 0 changes samples only if the scale is -1. A sigma of 0 still means
 * a third of the radius. */
static enum status take_axis(int number, enum smoothimg_norm norm, struct smoothimg_axis *axis,
                             struct error *error)
{
    const double default_radius = gauss_halo_of(axis->sigma);
    const struct range ranges[] = {{"radius", axis->radius, -1, MAX_HALO, NULL},
                                   {"edge", (int)axis->edge, 0, SMOOTHIMG_CONSTANT, EDGE_WORDS},
                                   {"order", axis->order, 0, INT32_MAX, NULL}};
    enum status status;
    char owner[64];

    snprintf(owner, sizeof owner, "axis %d", number);
    if (!isfinite(axis->sigma) || axis->sigma < 0)
        return fail(error, STATUS_INVALID, "%s: sigma is %g; it has to be a number above 0, or 0",
                    owner, axis->sigma);
    if (axis->radius == 0 && default_radius > MAX_HALO)
        return fail(error, STATUS_INVALID,
                    "%s: sigma %g calls for a radius of %g; the largest is %d, which can be set",
                    owner, axis->sigma, default_radius, MAX_HALO);
    if (axis->order > 0 && axis->sigma == 0 && axis->radius <= 0)
        return fail(error, STATUS_INVALID, "%s: order is %d, of a Gaussian without a sigma", owner,
                    axis->order);
    if (axis->order > 0 && norm == SMOOTHIMG_ANALYTIC)
        return fail(error, STATUS_INVALID,
                    "%s: order is %d; the analytic norm has derivatives of none", owner,
                    axis->order);
    if (axis->scale != 0 && (axis->order == 0 ? fabs(axis->scale) != 1
                                              : !(fabs(axis->scale) >= MIN_WEIGHT_SCALE) ||
                                                    fabs(axis->scale) > MAX_WEIGHT_SCALE))
        return fail(error, STATUS_INVALID,
                    "%s: scale is %g; it is 1 or -1, of a derivative also 2^-20 to 2^20 and "
                    "-2^20 to -2^-20",
                    owner, axis->scale);
    status = check_ranges(owner, ranges, sizeof ranges / sizeof *ranges, error);
    if (status != STATUS_OK)
        return status;
    axis->radius = axis->radius > 0 ? axis->radius : axis->radius < 0 ? 0 : (int64_t)default_radius;
    axis->scale = axis->scale != 0 ? axis->scale : 1;
    if (axis->radius == 0 && axis->order == 0 && axis->scale > 0)
        axis->radius = -1;
    return STATUS_OK;
}

static enum status check_options(const struct smoothimg_filter_options *options,
                                 struct error *error)
{
    const struct range ranges[] = {
        {"axes", options->axes, 0, ARRAY_AXES, NULL},
        {"terms", options->terms, 0, ARRAY_FILTERED, NULL},
        {"combination", (int)options->combination, 0, SMOOTHIMG_APART,
         "SMOOTHIMG_ADD, SMOOTHIMG_MAGNITUDE or SMOOTHIMG_APART"},
        {"norm", (int)options->norm, 0, SMOOTHIMG_ANALYTIC, "SMOOTHIMG_SUM or SMOOTHIMG_ANALYTIC"},
        {"missing", (int)options->missing, 0, SMOOTHIMG_NAN,
         "SMOOTHIMG_ALL, SMOOTHIMG_ALPHA or SMOOTHIMG_NAN"},
        {"adjoint", options->adjoint, 0, 1, NULL}};
    enum status status = check_ranges(NULL, ranges, sizeof ranges / sizeof *ranges, error);

    if (status != STATUS_OK)
        return status;
    if (options->axes > 0 && !options->axis)
        return fail(error, STATUS_INVALID, "axis is NULL, and the arrays have %d", options->axes);
    if (!isfinite(options->outside))
        return fail(error, STATUS_INVALID, "outside is %g; it has to be a number",
                    options->outside);
    if ((options->outside != 0) + (options->outside_i64 != 0) + (options->outside_u64 != 0) > 1)
        return fail(error, STATUS_INVALID,
                    "outside is %g, outside_i64 %lld and outside_u64 %llu; set one of them",
                    options->outside, (long long)options->outside_i64,
                    (unsigned long long)options->outside_u64);
    return STATUS_OK;
}

/* Sets the constant outside the array. A 64-bit integer is split into two doubles, as the loader of
 * samples splits it (smooth/arrays/host/load.h). */
static void set_outside(const struct smoothimg_filter_options *options,
                        struct smoothimg_filter *filter)
{
    const bool negative = options->outside_i64 < 0;
    const uint64_t integer = (uint64_t)options->outside_i64 | options->outside_u64;
    const uint64_t magnitude = negative ? ~integer + 1 : integer;
    const double upper = (double)(magnitude >> 32) * 0x1p32, lower = (double)(uint32_t)magnitude;
    const double value = upper + lower, rest = lower - (value - upper);

    filter->job.outside = options->outside + (negative ? -value : value);
    filter->job.outside_rest = negative ? -rest : rest;
}

/* Finds the axes that at least one term filters and, for each of them, the greatest halo of all
 * terms: the radius, or, for an adjoint with the edge rule "mirror", the radius plus 1. Sets
 * filter->no_smooth and filter->alike. */
static enum status set_axes(const struct smoothimg_axis *axis, struct smoothimg_filter *filter,
                            struct error *error)
{
    struct array_job *job = &filter->job;
    const char *no_smooth =
        job->terms > 1 || job->combination == ARRAY_MAGNITUDE ? "there is one term" : NULL;

    for (int a = 0; a < job->axes; a++) {
        int64_t halo = -1;

        for (int t = 0; t < job->terms; t++) {
            const struct smoothimg_axis *one = &axis[t * job->axes + a];
            const bool farther =
                filter->adjoint && one->edge == SMOOTHIMG_MIRROR && one->radius > 0;

            halo = max(halo, one->radius + farther);
        }
        if (halo < 0)
            continue;
        if (job->filtered == ARRAY_FILTERED)
            return fail(error, STATUS_INVALID, "more than %d axes are filtered", ARRAY_FILTERED);
        if (halo > MAX_HALO)
            return fail(error, STATUS_UNSUPPORTED,
                        "axis %d: the adjoint with SMOOTHIMG_MIRROR has a radius of at most %d", a,
                        MAX_HALO - 1);
        job->axis[job->filtered] = a;
        job->halo[job->filtered++] = halo;
        if (!no_smooth)
            no_smooth = axis[a].order > 0   ? "there are no derivatives"
                        : axis[a].scale < 0 ? "the scale is not negative"
                        : filter->missing == SMOOTHIMG_ALPHA && a == job->axes - 1
                            ? "the last axis, of colours and alpha, is not smoothed"
                            : NULL;
    }
    filter->no_smooth = no_smooth;
    for (int t = job->terms - 1; t >= 0; t--) {
        const struct smoothimg_axis *one = &axis[t * job->axes];
        bool alike = t < job->terms - 1;

        for (int a = 0; a < job->axes && alike; a++)
            alike = one[a].radius == one[job->axes + a].radius;
        filter->alike[t] = alike ? filter->alike[t + 1] + 1 : 1;
    }
    return STATUS_OK;
}

/* Computes the weights of all terms, in units of 2^-bits. Along each axis a term's weights beyond
 * its own halo, up to the greatest halo of all terms (job->halo), are 0. */
static enum status fill_taps(const struct smoothimg_axis *axis,
                             const struct smoothimg_filter *filter, int bits,
                             struct array_taps *taps, struct array_weight **next,
                             struct error *error)
{
    const struct array_job *job = &filter->job;
    enum status status = STATUS_OK;

    for (int t = 0; t < filter->job.terms; t++)
        for (int i = 0; i < job->filtered && status == STATUS_OK; i++) {
            const struct smoothimg_axis *one = &axis[t * job->axes + job->axis[i]];
            const struct filter_axis smooth = {max(one->radius, 0), one->sigma};
            /* With radius 0 the filter reaches over no end of the axis. Its edge rule must then add
             * no filters to the adjoint, since set_adjoint() has counted none. */
            const bool has_edge = one->radius > 0 || !filter->by_parts;
            bool negates;

            *taps++ = (struct array_taps){*next, one->order % 2 == 1,
                                          has_edge ? (enum edge)one->edge : EDGE_ZERO};
            status = gauss_weights(&smooth, one->order, fabs(one->scale), (enum norm)filter->norm,
                                   bits, *next, error);
            negates = (one->scale < 0) != (filter->adjoint && one->order % 2 == 1);
            for (int64_t k = 0; k <= one->radius && negates; k++)
                (*next)[k].negative ^= true;
            *next += job->halo[i] + 1;
        }
    return status;
}

#define MOST_TAPS (2 * MAX_HALO + 1) /* maximum number of weights in a table for images */

uint64_t filter_next_number(void)
{
    static atomic_uint_least64_t number;

    return atomic_fetch_add(&number, 1) + 1;
}

const char *filter_obstacle(const struct smoothimg_filter *filter)
{
    const struct array_job *job = &filter->job;
    const struct array_taps *taps = filter->taps[COARSE];

    if (filter->no_smooth)
        return filter->no_smooth;
    if (filter->by_parts)
        return "the filter is no adjoint";
    if (job->filtered > IMAGE_AXES || job->axes <= (filter->missing == SMOOTHIMG_ALPHA))
        return "one or two axes are smoothed";
    if (job->filtered == IMAGE_AXES && taps[0].edge != taps[1].edge)
        return "both axes have the same edge rule";
    return job->outside != 0 ? "the constant outside is 0" : NULL;
}

/* Sets the number and the weights of a filter whose axes are set. For a single term that only
 * smooths, along at most two axes, also makes the tables of weights for images; axes with equal
 * weights share a table. Sets the members that say whether the filter is a mean, and whether the
 * engines of images can compute it. */
static enum status fill(const struct smoothimg_filter_options *options,
                        const struct smoothimg_axis *axis, struct smoothimg_filter *filter,
                        struct error *error)
{
    static const uint64_t alone = UINT64_C(1) << ARRAY_COARSE_BITS;
    const struct array_job *job = &filter->job;
    struct array_weight *next = filter->weights;
    uint64_t *table = (uint64_t *)(filter->taps[FINE] + job->terms * job->filtered);
    enum status status = STATUS_OK;
    bool outside = false; /* some filtered axis has SMOOTHIMG_CONSTANT */

    filter->number = filter_next_number();
    for (int i = 0; i < job->terms * job->axes; i++)
        outside |= axis[i].radius >= 0 && axis[i].edge == SMOOTHIMG_CONSTANT;
    if (outside && !filter->adjoint)
        set_outside(options, filter);
    for (int d = 0; d < DEFINITIONS && status == STATUS_OK; d++)
        status = fill_taps(axis, filter, definition_bits[d], filter->taps[d], &next, error);
    filter->obstacle = filter_obstacle(filter);
    if (status != STATUS_OK || filter->no_smooth)
        return status;
    filter->is_mean = filter->norm == SMOOTHIMG_SUM && job->outside == 0 && !filter->by_parts;
    for (int i = 0; i < IMAGE_AXES && job->filtered <= IMAGE_AXES; i++, table += MOST_TAPS) {
        const int64_t halo = job->halo[i];

        filter->tables[i] = halo > 0 ? table : &alone;
        if (halo > 0)
            gauss_mirror(filter->taps[COARSE][i].weights, halo, table);
        if (i > 0 && halo > 0 && halo == job->halo[0] &&
            memcmp(table, filter->tables[0], (size_t)(2 * halo + 1) * sizeof *table) == 0)
            filter->tables[i] = filter->tables[0];
    }
    return STATUS_OK;
}

/* Checks that the adjoint is defined, and that it is a sum of no more filters than the engine of
 * arrays can add. Sets filter->by_parts. */
static enum status set_adjoint(const struct smoothimg_filter_options *options,
                               const struct smoothimg_axis *axis, struct smoothimg_filter *filter,
                               struct error *error)
{
    double sums = 0;

    if (options->combination != SMOOTHIMG_ADD || options->missing != SMOOTHIMG_ALL)
        return fail(error, STATUS_UNSUPPORTED,
                    "an adjoint is that of a sum of terms (SMOOTHIMG_ADD) in which all samples "
                    "contribute (SMOOTHIMG_ALL)");
    for (int t = 0; t < filter->job.terms; t++) {
        double product = 1;

        for (int a = 0; a < options->axes; a++) {
            const struct smoothimg_axis *one = &axis[t * options->axes + a];
            const bool is_odd = one->order % 2 == 1;

            if (one->radius <= 0)
                continue;
            product *= adjoint_sums((enum edge)one->edge, is_odd);
            filter->by_parts |= adjoint_has_parts((enum edge)one->edge, is_odd);
        }
        sums += product;
    }
    if (sums > ARRAY_FILTERED)
        return fail(error, STATUS_UNSUPPORTED,
                    "with these edge rules the adjoint is a sum of %g filters; the most is %d; use "
                    "SMOOTHIMG_CONSTANT or SMOOTHIMG_NEAREST for some axes",
                    sums, ARRAY_FILTERED);
    return STATUS_OK;
}

/* Makes the filter. take_axis() has checked the axes, and set their defaults. */
static enum status make(const struct smoothimg_filter_options *options,
                        const struct smoothimg_axis *axis, struct smoothimg_filter **filter,
                        struct error *error)
{
    const int terms = (int)max(options->terms, 1);
    struct smoothimg_filter axes = {
        .results = options->combination == SMOOTHIMG_APART ? terms : 1,
        .norm = options->norm,
        .missing = options->missing,
        .adjoint = options->adjoint,
        .job = {.axes = options->axes,
                .terms = terms,
                .combination = (enum array_combination)options->combination}};
    enum status status = set_axes(axis, &axes, error);
    const size_t taps = (size_t)(terms * axes.job.filtered);
    struct smoothimg_filter *made;
    size_t weights = 0;

    if (status == STATUS_OK && axes.adjoint)
        status = set_adjoint(options, axis, &axes, error);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < axes.job.filtered; i++)
        weights += (size_t)(terms * (axes.job.halo[i] + 1));
    /* One block of memory: the filter, the weights in both units (filter.h), the structs array_taps
     * that point to them, and tables for images. */
    made = *filter =
        calloc(1, sizeof *made +
                      DEFINITIONS * (weights * sizeof *made->weights + taps * sizeof **made->taps) +
                      IMAGE_AXES * MOST_TAPS * sizeof(uint64_t));
    if (!made)
        return fail(error, STATUS_NO_MEMORY, "no memory for a filter");
    *made = axes;
    made->taps[COARSE] = (struct array_taps *)(made->weights + DEFINITIONS * weights);
    made->taps[FINE] = made->taps[COARSE] + taps;
    return fill(options, axis, made, error);
}

IN_DEFAULT_ENVIRONMENT
static enum status create(const struct arguments *asked)
{
    const struct smoothimg_filter_options *options = asked->options;
    struct error *error = &asked->context->error;
    struct smoothimg_axis *axis;
    enum status status = check_options(options, error);
    int count;

    if (status != STATUS_OK)
        return status;
    count = (int)max(options->terms, 1) * options->axes;
    axis = calloc((size_t)count + 1, sizeof *axis);
    if (!axis)
        return fail(error, STATUS_NO_MEMORY, "no memory for a filter");
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        axis[i] = options->axis[i];
        status = take_axis(i % options->axes, options->norm, &axis[i], error);
    }
    if (status == STATUS_OK)
        status = make(options, axis, asked->made, error);
    free(axis);
    if (status != STATUS_OK) {
        free(*asked->made);
        *asked->made = NULL;
    }
    return status;
}

enum smoothimg_status smoothimg_filter_create(struct smoothimg_context *context,
                                              const struct smoothimg_filter_options *options,
                                              struct smoothimg_filter **filter)
{
    const char *null = !options ? "options" : !filter ? "filter" : NULL;
    const struct arguments asked = {.context = context, .options = options, .made = filter};

    if (filter)
        *filter = NULL;
    return do_asked(null, &asked, create);
}

void smoothimg_filter_free(struct smoothimg_filter *filter)
{
    free(filter);
}
