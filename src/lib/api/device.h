/* SPDX-License-Identifier: MIT */
/* Operations on what lies in a device's memory. */
#ifndef SMOOTHIMG_API_DEVICE_H
#define SMOOTHIMG_API_DEVICE_H

#include "src/lib/api/call.h"

/* Enqueues the call's operation on its stream. */
enum status run_on_device(struct call *call, struct error *error);

/* Allocates what run_on_device needs for such a call. Of images runs it once on memory of its own,
 * at a limited height: what a process or a filter needs once is done then. Waits for the device.
 * Nothing of the call has data. */
enum status reserve_on_device(const struct call *call, struct error *error);

#endif
