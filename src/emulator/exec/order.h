// SPDX-License-Identifier: MIT
// The current order: see set_order in emulated.h.
#ifndef SMOOTHIMG_EMULATED_ORDER_H
#define SMOOTHIMG_EMULATED_ORDER_H

#include "src/emulator/emulated.h"

#include <cstddef>
#include <vector>

namespace emulated
{

// Chooses the order of the next launch.
void next_order();

// 0..count-1 in the current order.
std::vector<unsigned> numbers_in_order(std::size_t count);

// Shuffles the list if the current order is random.
void shuffle_if_random(std::vector<unsigned> &list);

} // namespace emulated

#endif
