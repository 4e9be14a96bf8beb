/* SPDX-License-Identifier: MIT */
/* Runs a variant on an image once, for benchmarks and tests. */
#ifndef SMOOTHIMG_RUN_H
#define SMOOTHIMG_RUN_H

#include "src/bench/run/plane.h"
#include "src/files/image/image.h"
#include "src/lib/filter/plan.h"
#include "src/lib/gpu/gpu.h"

struct shape run_result_shape(enum op op, const struct shape *src);

/* Computes the request, whose images are in host memory. Allocates working memory. For a GPU
 * variant, copies the images to `gpu` and the result back; for a CPU variant, `gpu` is NULL.
 * Returns STATUS_UNSUPPORTED, with the reason, if the variant refuses the request; STATUS_NO_MEMORY
 * if the host's memory runs out; STATUS_DEVICE if the variant or the GPU fails. */
enum status run_request(const struct variant *variant, const struct request *request,
                        struct gpu *gpu, struct error *error);

#endif
