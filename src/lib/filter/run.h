/* SPDX-License-Identifier: MIT */
/* Gives a variant its memory, and runs it. */
#ifndef SMOOTHIMG_RUN_H
#define SMOOTHIMG_RUN_H

#include "src/lib/base/error.h"
#include "src/lib/filter/gauss.h"
#include "src/lib/gpu/gpu.h"
#include "src/lib/image/image.h"

/* Everything that a call needs besides the images. */
struct run_options {
    const uint64_t *weights; /* smooth: 2 halo + 1, see gauss_weights; else NULL */
    int64_t halo;            /* smooth: of the filter; else 0 */
    bool weighted;           /* smooth: struct job's */
    int threads;             /* at least 1 */
    int block;               /* --block, or 0 */
    struct gpu *gpu;         /* for the GPU's variants; else NULL */
    const struct isa *isa;   /* for the CPU's variants; NULL: the highest */
};

/* The shape of the operation's result. */
struct shape run_result_shape(enum op op, const struct shape *src);

/* Runs the variant on a job whose images are in the host's memory; allocates scratch, and copies to
 * the GPU and back. STATUS_UNSUPPORTED, with the reason, if the variant refuses. */
enum status run_job(const struct variant *variant, const struct job *job, struct gpu *gpu,
                    struct error *error);

/* Runs the variant on *src, whose border of at least options->halo is filled, into *dst, allocated
 * here with room for a border of dst_halo pixels (unfilled) for the operation that comes next. The
 * caller frees *dst. Fails as run_job does. */
enum status run_variant(const struct variant *variant, const struct image *src,
                        const struct run_options *options, int64_t dst_halo, struct image *dst,
                        struct error *error);

#endif
