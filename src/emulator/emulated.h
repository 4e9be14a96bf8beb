// SPDX-License-Identifier: MIT
// What tests may set and ask on the emulated device, besides CUDA's own functions.
#ifndef SMOOTHIMG_EMULATED_H
#define SMOOTHIMG_EMULATED_H

#include <string>

namespace emulated
{

// The order in which the blocks of a grid run, and the threads of a block up to their next wait. A
// correct kernel gives the same bytes in every order. EMULATED_ORDER in the environment sets the
// first order; the default is forward. mixed: launches take forward, reverse and random in turn.
enum class order { forward, reverse, random, mixed };
void set_order(order order);

// The byte that fills memory from cudaMalloc, and shared memory at the start of each block. The
// default is EMULATED_POISON (hexadecimal), or 0xff, which makes every float a NaN.
void set_poison(unsigned char byte);

// The message of the last fault since the last call, or "": the kernel, the block, the threads and
// the source lines. It is also written to standard error.
std::string take_report();

} // namespace emulated

#endif
