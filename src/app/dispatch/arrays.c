/* SPDX-License-Identifier: MIT */
#include "src/app/dispatch/arrays.h"

#include <stdlib.h>

enum status arrays_status(const struct smoothimg_context *library, enum smoothimg_status status,
                          struct error *error)
{
    if (status == SMOOTHIMG_OK)
        return STATUS_OK;
    return fail(error, status == SMOOTHIMG_NO_MEMORY ? STATUS_NO_MEMORY : STATUS_INVALID, "%s",
                library ? smoothimg_message(library) : "no memory");
}

static enum smoothimg_type type_of(int32_t sample_bytes)
{
    return sample_bytes == 4 ? SMOOTHIMG_F32 : sample_bytes == 2 ? SMOOTHIMG_U16 : SMOOTHIMG_U8;
}

/* A term of a gradient has the first derivative along one axis, one of a Laplacian the second. */
enum status arrays_filter_make(struct smoothimg_context *library, const struct filter *filter,
                               const struct combine *combine, struct smoothimg_filter **made,
                               struct error *error)
{
    const struct filter_axis *const from[] = {&filter->z, &filter->y, &filter->x};
    const int order = combine->kind == COMBINE_GRADIENT  ? 1
                      : combine->kind == COMBINE_LAPLACE ? 2
                                                         : 0;
    struct smoothimg_axis axis[(ARRAYS_AXES - 1) * ARRAYS_AXES] = {{0}};
    int terms = 0;

    for (int along = 0; along < (order > 0 ? ARRAYS_AXES - 1 : 1); along++) {
        if (order > 0 && from[along]->halo == 0)
            continue;
        for (int a = 0; a < ARRAYS_AXES - 1; a++)
            axis[terms * ARRAYS_AXES + a] = (struct smoothimg_axis){
                .sigma = from[a]->halo > 0 ? from[a]->sigma : 0,
                .radius = from[a]->halo,
                .edge = (enum smoothimg_edge)filter->edge,
            };
        axis[terms * ARRAYS_AXES + along].order = order;
        axis[terms * ARRAYS_AXES + along].scale =
            order > 0 ? (double)combine->amount / COMBINE_UNIT : 0;
        terms++;
    }
    return arrays_status(
        library,
        smoothimg_filter_create(
            library,
            &(struct smoothimg_filter_options){.axes = ARRAYS_AXES,
                                               .terms = terms,
                                               .axis = axis,
                                               .combination = combine->kind == COMBINE_GRADIENT
                                                                  ? SMOOTHIMG_MAGNITUDE
                                                                  : SMOOTHIMG_ADD},
            made),
        error);
}

struct smoothimg_array arrays_of(const struct view *view, int64_t pages, int64_t page_bytes,
                                 int64_t beside, int64_t above, int64_t *shape, int64_t *strides)
{
    const int64_t pixel = (int64_t)view->channels * view->sample_bytes;

    shape[0] = pages;
    shape[1] = view->height + 2 * above;
    shape[2] = view->width + 2 * beside;
    shape[3] = view->channels;
    strides[0] = page_bytes;
    strides[1] = view->stride_bytes;
    strides[2] = pixel;
    strides[3] = view->sample_bytes;
    return (struct smoothimg_array){.data = (char *)view->origin - above * view->stride_bytes -
                                            beside * pixel,
                                    .axes = ARRAYS_AXES,
                                    .shape = shape,
                                    .strides = strides,
                                    .type = type_of(view->sample_bytes)};
}

enum status arrays_filter(struct smoothimg_context *library, const struct smoothimg_filter *filter,
                          const struct smoothimg_array *src, struct smoothimg_array dst,
                          const int64_t *first, int32_t *derivatives, struct error *error)
{
    if (derivatives) {
        dst.data = derivatives;
        dst.strides = NULL;
        dst.type = SMOOTHIMG_I32;
    }
    return arrays_status(library, smoothimg_filter(library, filter, src, &dst, first, NULL), error);
}

/* From the job's source, with its border, into its destination or into derivatives. */
static enum status filter_job(struct smoothimg_context *library,
                              const struct smoothimg_filter *filter, const struct job *job,
                              int32_t *derivatives, struct error *error)
{
    const int64_t first[ARRAYS_AXES] = {0, job->halo_y, job->halo_x};
    int64_t from[ARRAYS_AXES], to[ARRAYS_AXES], apart[ARRAYS_AXES], beside[ARRAYS_AXES];
    const struct smoothimg_array src =
        arrays_of(&job->src, 1, 0, job->halo_x, job->halo_y, from, apart);

    return arrays_filter(library, filter, &src, arrays_of(&job->dst, 1, 0, 0, 0, to, beside), first,
                         derivatives, error);
}

bool arrays_derive(const struct combine *combine, int32_t sample_bytes)
{
    return combine->kind != COMBINE_SMOOTH && sample_bytes < 4;
}

static int64_t derivative_bytes(const struct view *view)
{
    return view->width * view->height * view->channels * (int64_t)sizeof(int32_t);
}

enum status arrays_run(const struct smoothimg_filter *filter, const struct combine *combine,
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

/* What a thread of the library takes, with most halos, for two axes. */
#define THREAD_BYTES ((int64_t)4 << 20)

int64_t arrays_bytes(const struct combine *combine, const struct job *job)
{
    return job->threads * THREAD_BYTES +
           (arrays_derive(combine, job->dst.sample_bytes) ? derivative_bytes(&job->dst) : 0);
}
