/* SPDX-License-Identifier: MIT */
/* Computes a request by a GPU variant in GPU memory of its own, for tests and benchmarks, which run
 * it repeatedly. */
#ifndef SMOOTHIMG_ON_DEVICE_H
#define SMOOTHIMG_ON_DEVICE_H

#include "src/lib/filter/plan.h"
#include "src/lib/gpu/gpu.h"

/* The source's or the result's images on the device. Each row's first pixel is at a multiple of 256
 * bytes. */
struct device_images {
    struct view view; /* the first image */
    struct beside beside;
    int64_t apart; /* bytes from an image to the next */
    void *memory;
};

struct on_device {
    struct gpu *gpu;               /* not owned */
    const struct request *request; /* the original, with images in host memory; not owned */
    struct device_images src, dst;
    struct plan plan;
    struct piece piece;
};

/* Copies src, with the samples beside it, to the device; and dst with `margin` pixels around it,
 * which must exist on the host. Makes the plan, and allocates working memory on the device. Between
 * the images of a stack lie whole rows, which are copied too. The caller calls
 * on_device_free(), after a failure too. Returns STATUS_UNSUPPORTED if the variant refuses,
 * STATUS_DEVICE for any CUDA error. */
enum status on_device_make(struct on_device *own, struct gpu *gpu, const struct variant *variant,
                           const struct request *request, int64_t margin, struct error *error);

/* Runs the variant `runs` times, and waits. *seconds is the time of all runs together, by CUDA
 * events. */
enum status on_device_run(struct on_device *own, int64_t runs, double *seconds,
                          struct error *error);

/* Copies dst and the margin around it back to the host. */
enum status on_device_get(const struct on_device *own, struct error *error);

void on_device_free(struct on_device *own);

/* Calls the functions above in turn, with one run. */
enum status on_device_once(const struct variant *variant, const struct request *request,
                           struct gpu *gpu, int64_t margin, struct error *error);

#endif
