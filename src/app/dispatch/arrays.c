/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/arrays.h"

#include <stdlib.h>

#define AXES 4 /* pages, rows, pixels, samples */

enum status arrays_status(const struct smoothimg_context *library, enum smoothimg_status status,
                          struct error *error)
{
    if (status == SMOOTHIMG_OK)
        return STATUS_OK;
    return fail(error, status == SMOOTHIMG_NO_MEMORY ? STATUS_NO_MEMORY : STATUS_INVALID, "%s",
                library ? smoothimg_message(library) : "no memory");
}

enum smoothimg_type arrays_type(int32_t sample_bytes)
{
    return sample_bytes == 4 ? SMOOTHIMG_F32 : sample_bytes == 2 ? SMOOTHIMG_U16 : SMOOTHIMG_U8;
}

/* A term of a gradient has the first derivative along one axis, one of a Laplacian the second. */
enum status arrays_filter_make(struct smoothimg_context *library, const struct filter *filter,
                               const struct combine *combine, struct smoothimg_array_filter **made,
                               struct error *error)
{
    const struct filter_axis *const from[] = {&filter->z, &filter->y, &filter->x};
    const int order = combine->kind == COMBINE_GRADIENT  ? 1
                      : combine->kind == COMBINE_LAPLACE ? 2
                                                         : 0;
    struct smoothimg_axis axis[(AXES - 1) * AXES] = {{0}};
    int terms = 0;

    for (int along = 0; along < (order > 0 ? AXES - 1 : 1); along++) {
        if (order > 0 && from[along]->halo == 0)
            continue;
        for (int a = 0; a < AXES - 1; a++)
            axis[terms * AXES + a] = (struct smoothimg_axis){
                .halo = from[a]->halo,
                .sigma = gauss_sigma(from[a]),
                .edge = (enum smoothimg_edge)filter->edge,
            };
        axis[terms * AXES + along].order = order;
        axis[terms * AXES + along].scale = order > 0 ? (double)combine->amount / COMBINE_UNIT : 0;
        terms++;
    }
    return arrays_status(
        library,
        smoothimg_array_filter_create(library,
                                      &(struct smoothimg_array_filter_options){
                                          .axes = AXES,
                                          .terms = terms,
                                          .axis = axis,
                                          .combination = combine->kind == COMBINE_GRADIENT
                                                             ? SMOOTHIMG_MAGNITUDE
                                                             : SMOOTHIMG_ADD},
                                      made),
        error);
}

/* The samples of a view with so many columns and rows beside it. strides and shape: of AXES. */
static struct smoothimg_array array_of(const struct view *view, int64_t beside, int64_t above,
                                       int64_t *shape, int64_t *strides)
{
    const int64_t pixel = (int64_t)view->channels * view->sample_bytes;

    shape[0] = 1;
    shape[1] = view->height + 2 * above;
    shape[2] = view->width + 2 * beside;
    shape[3] = view->channels;
    strides[0] = 0;
    strides[1] = view->stride_bytes;
    strides[2] = pixel;
    strides[3] = view->sample_bytes;
    return (struct smoothimg_array){.data = (char *)view->origin - above * view->stride_bytes -
                                            beside * pixel,
                                    .axes = AXES,
                                    .shape = shape,
                                    .strides = strides,
                                    .type = arrays_type(view->sample_bytes)};
}

/* From the job's source, with its border, into its destination or, if there are some, into
 * derivatives without gaps. */
static enum status filter_job(struct smoothimg_context *library,
                              const struct smoothimg_array_filter *filter, const struct job *job,
                              int32_t *derivatives, struct error *error)
{
    const int64_t first[AXES] = {0, job->halo_y, job->halo_x};
    int64_t from[AXES], to[AXES], apart[AXES], beside[AXES];
    const struct smoothimg_array src = array_of(&job->src, job->halo_x, job->halo_y, from, apart);
    struct smoothimg_array dst = array_of(&job->dst, 0, 0, to, beside);

    if (derivatives) {
        dst.data = derivatives;
        dst.strides = NULL;
        dst.type = SMOOTHIMG_I32;
    }
    return arrays_status(library, smoothimg_filter_array(library, filter, &src, &dst, first, NULL),
                         error);
}

bool arrays_derive(const struct combine *combine, int32_t sample_bytes)
{
    return combine->kind != COMBINE_SMOOTH && sample_bytes < 4;
}

static int64_t derivative_bytes(const struct view *view)
{
    return view->width * view->height * view->channels * (int64_t)sizeof(int32_t);
}

enum status arrays_run(const struct smoothimg_array_filter *filter, const struct combine *combine,
                       int32_t kept, bool exact, const struct job *job, struct error *error)
{
    struct smoothimg_context *library;
    const bool derives = arrays_derive(combine, job->dst.sample_bytes);
    int32_t *const derivatives = derives ? malloc((size_t)derivative_bytes(&job->dst)) : NULL;
    enum status status = derives && !derivatives
                             ? fail(error, STATUS_NO_MEMORY, "no memory for derivatives")
                             : arrays_status(NULL, smoothimg_open(job->threads, &library), error);

    if (status == STATUS_OK) {
        smoothimg_choose(library, exact ? "reference" : NULL);
        status = filter_job(library, filter, job, derivatives, error);
        smoothimg_close(library);
    }
    if (status == STATUS_OK)
        combine_job(combine, combine->kind == COMBINE_SMOOTH ? 0 : kept, derivatives, job);
    free(derivatives);
    return status;
}

int64_t arrays_bytes(const struct combine *combine, const struct job *job)
{
    return job->threads * ARRAYS_THREAD_BYTES +
           (arrays_derive(combine, job->dst.sample_bytes) ? derivative_bytes(&job->dst) : 0);
}
