// SPDX-License-Identifier: MIT
// Functions that CUDA does not have, for tests of the emulated device.
#ifndef SMOOTHIMG_EMULATED_H
#define SMOOTHIMG_EMULATED_H

#include <string>
#include <vector>

namespace emulated
{

// The order in which the blocks of a grid run, and in which the threads of a block run, each up to
// its next wait. Only one thread runs at a time. A correct kernel gives the same bytes in every
// order. The environment variable EMULATED_ORDER names the initial order; if it is not set, the
// order is forward. With `mixed`, successive launches use forward, reverse, random, forward, and so
// on.
enum class order { forward, reverse, random, mixed };
void set_order(order order);

// Returns the message of the last fault, or "" if there was no fault since the last call. The
// message names the kernel and, as far as they are known, the block, the threads and the source
// lines. It is printed to standard error too.
std::string take_report();

// Returns the kernels of the first 65536 launches since the last call. `kernel` is the address of
// the kernel's function. It tells apart the instances of a template, which have the same `name`.
struct launched {
    std::string name;
    const void *kernel;
};
std::vector<launched> take_launches();

} // namespace emulated

#endif
