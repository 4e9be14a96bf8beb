/* SPDX-License-Identifier: MIT */
/* A variant on a whole image. */
#ifndef SMOOTHIMG_TEST_RUN_VARIANT_H
#define SMOOTHIMG_TEST_RUN_VARIANT_H

#include "src/lib/run/run.h"

/* Runs the variant on *src, whose border, if it has one, is filled as far as the filter reaches.
 * gpu: as in run_job. Allocates *dst with room for a border of dst_halo pixels, which the next
 * operation needs, and leaves that border unfilled. The caller frees *dst, which is empty on
 * failure. Fails as run_job does. */
static inline enum status run_variant(const struct variant *variant, const struct image *src,
                                      const struct request *request, struct gpu *gpu,
                                      int64_t dst_halo, struct image *dst, struct error *error)
{
    const struct shape src_shape = image_shape(src);
    const struct shape shape = run_result_shape(variant->op, &src_shape);
    enum status status = image_alloc(dst, &shape, dst_halo, error);
    struct job job;

    if (status != STATUS_OK)
        return status;
    job = request_job(request, variant->op, src->maxval, src->view, dst->view);
    if (src->halo == 0)
        job.beside = (struct beside){0, 0, 0, 0};
    image_copy_kind(dst, src);
    image_note_op(dst, variant->op, job.halo);
    status = run_job(variant, &job, gpu, error);
    if (status != STATUS_OK)
        image_free(dst);
    return status;
}

#endif
