// SPDX-License-Identifier: MIT
// Shared memory of a launch: the kernel's static arrays and the dynamic bytes.
#ifndef SMOOTHIMG_EMULATED_SHARED_H
#define SMOOTHIMG_EMULATED_SHARED_H

#include "src/emulator/machine.h"

namespace emulated
{

// Between shared_open and shared_close a kernel can access exactly the dynamic bytes that the
// launch requests. An access to the page after these bytes ends the kernel with a fault.
// AddressSanitizer also reports accesses directly before and after them.
void shared_open(const launch_site &site);
void shared_close();

// Faults if the kernel has written to the page before its dynamic bytes.
void shared_check(const char *kernel);

bool in_dynamic_shared(const void *address);

// Returns a pointer to the bytes at a 32-bit address, as PTX instructions use them. Faults if the
// bytes are not in shared memory.
char *shared_pointer(uint32_t address, std::size_t bytes, place where);

// Called at the start of a block. Fills all shared memory of the launch with the poison byte
// (machine.h).
void shared_refill(const launch_site &site);

} // namespace emulated

#endif
