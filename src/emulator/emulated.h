// SPDX-License-Identifier: MIT
// What a test may ask of the emulated device, besides what CUDA's own functions give.
#ifndef SMOOTHIMG_EMULATED_H
#define SMOOTHIMG_EMULATED_H

#include <string>

namespace emulated
{

// In which order the blocks of a grid run, and the threads of a block as long as nothing makes them
// wait. A right kernel gives the same bytes in every order. The environment variable EMULATED_ORDER
// names the one to begin with: forward (also where it is not set), reverse, random, or mixed: each
// launch has another one of these.
enum class order { forward, reverse, random, mixed };
void set_order(order order);

// The byte that fills memory before its first use: after cudaMalloc, and shared memory at the start
// of each block. 0xff, a NaN in every float, unless EMULATED_POISON (in hexadecimal) says
// otherwise.
void set_poison(unsigned char byte);

// What the last fault was, in words: the kernel, the block, the threads and the lines of the
// source; empty since the last call of this function. It has been written to standard error, too.
std::string take_report();

} // namespace emulated

#endif
