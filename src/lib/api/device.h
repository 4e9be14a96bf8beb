/* SPDX-License-Identifier: MIT */
/* Operations on images in a device's memory. */
#ifndef SMOOTHIMG_API_DEVICE_H
#define SMOOTHIMG_API_DEVICE_H

#include "kernels/common/arrays.h"
#include "src/lib/api/call.h"

/* Enqueues the call's operation on its stream. */
enum status run_on_device(struct call *call, struct error *error);

/* Enqueues a filter of arrays that lie in the memory of the context's device. */
enum status run_array_on_device(struct smoothimg_context *context, const struct array_job *job,
                                void *stream, struct error *error);

/* Allocates what run_array_on_device needs for such arrays. */
enum status reserve_array_on_device(struct smoothimg_context *context, const struct array_job *job,
                                    struct error *error);

/* Allocates what run_on_device needs for such a call, and runs it once on memory of its own, at a
 * limited height: what a process or a filter needs once is done then. Waits for the device. The
 * call's images have no data. */
enum status reserve_on_device(const struct call *call, struct error *error);

#endif
