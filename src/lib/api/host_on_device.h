/* SPDX-License-Identifier: MIT */
/* Arrays in the host's memory that the context's device computes: they are copied there and back.
 */
#ifndef SMOOTHIMG_HOST_ON_DEVICE_H
#define SMOOTHIMG_HOST_ON_DEVICE_H

#include "src/lib/api/filter.h"

/* Does the device compute them? If the context has one, and a variant of a GPU is chosen. */
bool goes_to_device(const struct smoothimg_context *context, enum smoothimg_memory memory);

/* The result of term t, or of all terms, of a job that has been checked, and whose arrays lie in
 * the host's memory: by filter_term(), in parts if the device lacks the memory for all.
 * STATUS_NO_MEMORY if it has none for a part of one place. */
enum status filter_host_on_device(struct smoothimg_context *context,
                                  const struct smoothimg_filter *filter, int t,
                                  const struct smoothimg_array *src,
                                  const struct smoothimg_array *dst, const struct array_job *job);

/* Moves the samples of a job whose shape, extent, src and dst have been checked: by move_array().
 */
enum status move_host_on_device(struct smoothimg_context *context, const int *axes, const int *flip,
                                const struct smoothimg_array *src,
                                const struct smoothimg_array *dst, const struct array_job *job);

/* Of move.c. */
enum status move_array(struct smoothimg_context *context, const int *axes, const int *flip,
                       const struct smoothimg_array *src, const struct smoothimg_array *dst,
                       void *stream);

/* Of filter_arrays.c: the result of term t, or of all terms. */
enum status filter_term(struct smoothimg_context *context, const struct smoothimg_filter *filter,
                        const struct smoothimg_array *src, const struct smoothimg_array *dst, int t,
                        const int64_t *first, void *stream);

#endif
