/* SPDX-License-Identifier: MIT */
/* A variant on an image, by a plan of its own: for the bench and tests. */
#ifndef SMOOTHIMG_RUN_H
#define SMOOTHIMG_RUN_H

#include "src/bench/run/plane.h"
#include "src/files/image/image.h"
#include "src/lib/filter/plan.h"
#include "src/lib/gpu/gpu.h"

/* The shape of the operation's result. */
struct shape run_result_shape(enum op op, const struct shape *src);

/* Plans what is asked, and computes the piece that the request
 * names, whose images are in host memory: allocates scratch, and for the GPU (gpu, else NULL)
 * copies the images there and back. STATUS_UNSUPPORTED, with the reason, if the variant refuses;
 * STATUS_NO_MEMORY; STATUS_DEVICE if it fails. */
enum status run_request(const struct variant *variant, const struct request *request,
                        struct gpu *gpu, struct error *error);

#endif
