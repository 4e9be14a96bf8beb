/* SPDX-License-Identifier: MIT */
/* Computes a request (kernels/variant.h) by a GPU variant, for tests and benchmarks. The images are
 * copied to the GPU once, and the variant can then run on them repeatedly. */
#ifndef SMOOTHIMG_ON_DEVICE_H
#define SMOOTHIMG_ON_DEVICE_H

#include "src/lib/filter/plan.h"
#include "src/lib/gpu/gpu.h"

/* Calls launch(context), which launches kernels in gpu_stream, `runs` times, and waits until the
 * kernels have ended. launch returns NULL, or a string that says what failed. Sets *seconds to the
 * time of all runs together, by CUDA events. `name` is for the message. Returns STATUS_DEVICE if a
 * launch or a kernel failed. */
enum status time_launches(struct gpu *gpu, const char *(*launch)(void *context), void *context,
                          const char *name, int64_t runs, double *seconds, struct error *error);

/* The source, or the result, on the device: one image, or several of one shape. The address of the
 * first pixel of each row is a multiple of 256. */
struct device_images {
    struct view view;     /* the first image */
    struct beside beside; /* how many pixels around the images are on the device too */
    int64_t apart;        /* bytes from an image to the next */
    void *memory;         /* owned: the device memory of all images */
};

struct on_device {
    struct gpu *gpu; /* not owned */
    /* The request as the caller made it: its images are in host memory. Not owned. */
    const struct request *request;
    struct device_images src, dst;
    struct plan plan;
    struct piece piece;
};

/* Copies src, with the samples beside it that the filter reaches, to the device. Also copies dst
 * and `margin` pixels around it, which must exist in the host's memory. If there are several
 * images, also copies the rows of pixels between two images. Makes the plan, which chooses one of
 * the variant's engines (implementations), and allocates working memory on the device. The caller
 * calls on_device_free(), after a failure too. Returns STATUS_UNSUPPORTED if the variant refuses,
 * STATUS_DEVICE for any CUDA error. */
enum status on_device_make(struct on_device *own, struct gpu *gpu, const struct variant *variant,
                           const struct request *request, int64_t margin, struct error *error);

/* Runs the variant `runs` times, and waits until it has ended. *seconds is the time of all runs
 * together, by CUDA events. */
enum status on_device_run(struct on_device *own, int64_t runs, double *seconds,
                          struct error *error);

/* Copies dst and the margin around it back to the host. */
enum status on_device_get(const struct on_device *own, struct error *error);

void on_device_free(struct on_device *own);

/* Calls the functions above in turn, with one run. */
enum status on_device_once(const struct variant *variant, const struct request *request,
                           struct gpu *gpu, int64_t margin, struct error *error);

#endif
