// SPDX-License-Identifier: MIT
#include "src/emulator/exec/order.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

namespace emulated
{

static int chosen_order = -1;
static order in_force; // for the current launch
static std::minstd_rand &generator = *new std::minstd_rand;

void set_order(order order)
{
    chosen_order = (int)order;
}

static order order_chosen()
{
    const char *const names[] = {"forward", "reverse", "random", "mixed"};
    const char *name = getenv("EMULATED_ORDER");

    for (int i = 0; i < 4 && chosen_order < 0; i++)
        if (strcmp(name != nullptr ? name : "forward", names[i]) == 0)
            chosen_order = i;
    if (chosen_order < 0) {
        fprintf(stderr, "emulated device: EMULATED_ORDER=%s: forward, reverse, random or mixed\n",
                name);
        abort();
    }
    return (order)chosen_order;
}

void next_order()
{
    static unsigned launches;

    in_force = order_chosen();
    if (in_force == order::mixed)
        in_force = (order)(launches++ % 3);
}

std::vector<unsigned> numbers_in_order(std::size_t count)
{
    std::vector<unsigned> list(count);

    std::iota(list.begin(), list.end(), 0u);
    if (in_force == order::reverse)
        std::reverse(list.begin(), list.end());
    shuffle_if_random(list);
    return list;
}

void shuffle_if_random(std::vector<unsigned> &list)
{
    if (in_force == order::random)
        std::shuffle(list.begin(), list.end(), generator);
}

} // namespace emulated
