/* SPDX-License-Identifier: MIT */
/* Arrays in the host's memory that the context's device computes: they are copied there and back.
 */
#ifndef SMOOTHIMG_HOST_ON_DEVICE_H
#define SMOOTHIMG_HOST_ON_DEVICE_H

#include "src/lib/api/arrays.h"

/* Does the device compute them? If the context has one, and a variant of a GPU is chosen. */
bool goes_to_device(const struct arguments *asked);

/* What is asked of arrays in the host's memory, whose job has been checked: by filter_term() or
 * move_array(), in parts if the device lacks the memory for all. STATUS_NO_MEMORY if it has none
 * for a part of one place. */
enum status host_on_device(const struct arguments *asked, const struct array_job *job);

#endif
