// SPDX-License-Identifier: MIT
// Shared memory of a launch: the kernel's static arrays, and the dynamic bytes.
#ifndef SMOOTHIMG_EMULATED_SHARED_H
#define SMOOTHIMG_EMULATED_SHARED_H

#include "machine.h"

namespace emulated
{

// Between these the dynamic bytes are there: exactly as many as the launch asked for.
void shared_open(const launch_site &site);
void shared_close();

// A fault where the kernel that has run wrote before its dynamic bytes.
void shared_check(const char *kernel);

bool in_dynamic_shared(const void *address);

// Poisons all of it: a block starts with unknown contents.
void shared_refill(const launch_site &site);

} // namespace emulated

#endif
