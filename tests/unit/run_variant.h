/* SPDX-License-Identifier: MIT */
#ifndef SMOOTHIMG_TEST_RUN_VARIANT_H
#define SMOOTHIMG_TEST_RUN_VARIANT_H

#include "src/bench/run/run.h"

/* Settings of a run of a variant, apart from the images. `threads` must be at least 1. */
struct asked {
    const struct plane_filter *filter; /* NULL for operations that do not smooth */
    bool weighted;
    int threads, block;
};

/* Runs the variant on *src. `gpu` and the errors are those of run_request(). The caller frees *dst,
 * which is empty on failure. */
static inline enum status run_variant(const struct variant *variant, const struct image *src,
                                      const struct asked *asked, struct gpu *gpu, struct image *dst,
                                      struct error *error)
{
    const struct shape src_shape = image_shape(src);
    const struct shape shape = run_result_shape(variant->op, &src_shape);
    enum status status = image_alloc(dst, &shape, error);
    struct request request;

    if (status != STATUS_OK)
        return status;
    request = request_of(variant->op, asked->filter, src->maxval, src->view, dst->view);
    request.weighted = variant->op == OP_SMOOTH && asked->weighted;
    request.threads = asked->threads;
    request.block = asked->block;
    image_copy_kind(dst, src);
    image_note_op(dst, variant->op);
    status = run_request(variant, &request, gpu, error);
    if (status != STATUS_OK)
        image_free(dst);
    return status;
}

#endif
