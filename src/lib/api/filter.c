/* SPDX-License-Identifier: MIT */
#include "src/lib/api/context.h"

#include <math.h>
#include <stdlib.h>

_Static_assert(SMOOTHIMG_MAX_HALO == MAX_HALO, "one limit");
_Static_assert(SMOOTHIMG_ZERO == (int)EDGE_ZERO && SMOOTHIMG_WRAP == (int)EDGE_WRAP &&
                   SMOOTHIMG_MIRROR == (int)EDGE_MIRROR && SMOOTHIMG_REFLECT == (int)EDGE_REFLECT &&
                   SMOOTHIMG_CLAMP == (int)EDGE_CLAMP && SMOOTHIMG_ANALYTIC == (int)NORM_ANALYTIC,
               "public numbers are the library's own");

static enum status check_axis(const char *axis, int64_t halo, double sigma, struct error *error)
{
    if (halo < 0 || halo > MAX_HALO)
        return fail(error, STATUS_INVALID, "halo_%s is %lld; it has to be 0 to %d", axis,
                    (long long)halo, MAX_HALO);
    if (!isfinite(sigma) || sigma < 0)
        return fail(error, STATUS_INVALID, "sigma_%s is %g; it has to be a number above 0, or 0",
                    axis, sigma);
    return STATUS_OK;
}

/* The halo in force, checked. */
static enum status find_halo(struct filter *filter, struct error *error)
{
    double halo;

    if (filter->halo > 0 || filter->sigma == 0)
        return STATUS_OK;
    halo = gauss_halo_of(filter->sigma);
    if (halo > MAX_HALO)
        return fail(error, STATUS_INVALID,
                    "sigma %g calls for a halo of %g pixels; the largest is %d, which can be set",
                    filter->sigma, halo, MAX_HALO);
    filter->halo = (int64_t)halo;
    return STATUS_OK;
}

static enum status check_options(const struct smoothimg_filter_options *options,
                                 struct filter *filter, struct error *error)
{
    enum status status = check_axis("x", options->halo_x, options->sigma_x, error);

    if (status == STATUS_OK)
        status = check_axis("y", options->halo_y, options->sigma_y, error);
    if (status != STATUS_OK)
        return status;
    if (options->halo_x != options->halo_y || options->sigma_x != options->sigma_y)
        return fail(error, STATUS_UNSUPPORTED, "both axes must have the same halo and sigma");
    if ((unsigned)options->norm > SMOOTHIMG_ANALYTIC || (unsigned)options->edge > SMOOTHIMG_ZERO)
        return fail(error, STATUS_INVALID, "norm %d, edge %d: one of them does not exist",
                    (int)options->norm, (int)options->edge);
    *filter = (struct filter){.halo = options->halo_x,
                              .sigma = options->sigma_x,
                              .norm = (enum norm)options->norm,
                              .edge = (enum edge)options->edge};
    return find_halo(filter, error);
}

enum smoothimg_status smoothimg_filter_create(struct smoothimg_context *context,
                                              const struct smoothimg_filter_options *options,
                                              struct smoothimg_filter **filter)
{
    struct error *error = &context->error;
    struct filter checked;
    struct smoothimg_filter *made = NULL;
    enum status status = check_options(options, &checked, error);

    *filter = NULL;
    if (status == STATUS_OK) {
        made = malloc(sizeof *made + (size_t)(2 * checked.halo + 1) * sizeof *made->weights);
        status = made ? STATUS_OK : fail(error, STATUS_NO_MEMORY, "no memory for a filter");
    }
    if (status == STATUS_OK) {
        made->filter = checked;
        made->weighted = options->alpha_weighted != 0;
        status = gauss_weights(&checked, made->weights, error);
    }
    if (status != STATUS_OK) {
        free(made);
        return public_status(status);
    }
    *filter = made;
    return SMOOTHIMG_OK;
}

void smoothimg_filter_free(struct smoothimg_filter *filter)
{
    free(filter);
}
