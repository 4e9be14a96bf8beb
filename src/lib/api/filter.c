/* SPDX-License-Identifier: MIT */
#include "src/lib/api/context.h"
#include "src/lib/api/range.h"

#include "src/lib/base/float_environment.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

_Static_assert(SMOOTHIMG_MAX_HALO == MAX_HALO, "one limit");
_Static_assert(SMOOTHIMG_ZERO == (int)EDGE_ZERO && SMOOTHIMG_WRAP == (int)EDGE_WRAP &&
                   SMOOTHIMG_MIRROR == (int)EDGE_MIRROR && SMOOTHIMG_REFLECT == (int)EDGE_REFLECT &&
                   SMOOTHIMG_CLAMP == (int)EDGE_CLAMP && SMOOTHIMG_ANALYTIC == (int)NORM_ANALYTIC,
               "public numbers are the library's own");

/* One axis, whose halo is in its range, with the halo in force; `name` is for messages. */
static enum status make_axis(char name, int64_t halo, double sigma, struct filter_axis *axis,
                             struct error *error)
{
    double implied = 0;

    if (!isfinite(sigma) || sigma < 0)
        return fail(error, STATUS_INVALID, "sigma_%c is %g; it has to be a number above 0, or 0",
                    name, sigma);
    if (halo == 0 && sigma > 0)
        implied = gauss_halo_of(sigma);
    if (implied > MAX_HALO)
        return fail(error, STATUS_INVALID,
                    "sigma_%c %g calls for a halo of %g pixels; the largest is %d, which can be "
                    "set",
                    name, sigma, implied, MAX_HALO);
    *axis = (struct filter_axis){halo > 0 ? halo : (int64_t)implied, sigma};
    return STATUS_OK;
}

static enum status check_options(const struct smoothimg_filter_options *options,
                                 struct filter *filter, struct error *error)
{
    const struct range ranges[] = {
        {"norm", (int)options->norm, 0, SMOOTHIMG_ANALYTIC, "SMOOTHIMG_SUM or SMOOTHIMG_ANALYTIC"},
        {"edge", (int)options->edge, 0, SMOOTHIMG_ZERO, EDGE_WORDS},
        {"halo_x", options->halo_x, 0, MAX_HALO, NULL},
        {"halo_y", options->halo_y, 0, MAX_HALO, NULL}};
    enum status status = check_ranges(NULL, ranges, sizeof ranges / sizeof *ranges, error);

    if (status != STATUS_OK)
        return status;
    *filter = (struct filter){.norm = (enum norm)options->norm,
                              .edge = (enum edge)options->edge,
                              .nan = options->skip_nan ? NAN_SKIP : NAN_PROPAGATE,
                              {0, 0}};
    status = make_axis('x', options->halo_x, options->sigma_x, &filter->x, error);
    if (status == STATUS_OK)
        status = make_axis('y', options->halo_y, options->sigma_y, &filter->y, error);
    return status;
}

IN_DEFAULT_ENVIRONMENT
static enum status create(const struct smoothimg_filter_options *options,
                          struct smoothimg_filter **filter, struct error *error)
{
    static atomic_uint_least64_t made_before;
    struct filter checked;
    struct smoothimg_filter *made = NULL;
    enum status status = check_options(options, &checked, error);

    if (status == STATUS_OK) {
        made = malloc(sizeof *made);
        status = made ? STATUS_OK : fail(error, STATUS_NO_MEMORY, "no memory for a filter");
    }
    if (status == STATUS_OK) {
        made->number = ++made_before;
        made->weighted = options->alpha_weighted != 0;
        status = filter_weights_make(&checked, &made->weights, error);
    }
    if (status == STATUS_OK)
        *filter = made;
    else
        free(made);
    return status;
}

enum smoothimg_status smoothimg_filter_create(struct smoothimg_context *context,
                                              const struct smoothimg_filter_options *options,
                                              struct smoothimg_filter **filter)
{
    const struct given given[] = {{"options", options}, {"filter", filter}, {NULL, NULL}};
    struct float_environment callers;
    enum status status;

    if (filter)
        *filter = NULL;
    if (has_null(context, given))
        return SMOOTHIMG_INVALID;
    callers = float_environment_enter();
    status = create(options, filter, &context->error);
    float_environment_leave(&callers);
    return public_status(status);
}

void smoothimg_filter_free(struct smoothimg_filter *filter)
{
    free(filter);
}
