// SPDX-License-Identifier: MIT
// The order in force: see set_order in emulated.h.
#ifndef SMOOTHIMG_EMULATED_ORDER_H
#define SMOOTHIMG_EMULATED_ORDER_H

#include "emulated.h"

#include <cstddef>
#include <vector>

namespace emulated
{

// Before each launch.
void next_order();

// 0..count-1, in that order.
std::vector<unsigned> numbers_in_order(std::size_t count);

// Another random order, if it is a random one.
void shuffle_if_random(std::vector<unsigned> &list);

} // namespace emulated

#endif
