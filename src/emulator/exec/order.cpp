// SPDX-License-Identifier: MIT
#include "src/emulator/exec/threads.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <random>

namespace emulated
{

static int chosen_order = -1;
static order in_force; // the order of the current launch

void set_order(order order)
{
    chosen_order = (int)order;
}

// Returns the order that the environment variable EMULATED_ORDER names; forward if it is not set.
// Any other value ends the program.
static order order_of_environment()
{
    const char *const text = getenv("EMULATED_ORDER");
    const char *const words[] = {"forward", "reverse", "random", "mixed"};

    for (int i = 0; i < 4; i++)
        if (text == nullptr || strcmp(text, words[i]) == 0)
            return (order)i;
    fprintf(stderr, "emulated device: EMULATED_ORDER=%s: forward, reverse, random or mixed\n",
            text);
    abort();
}

static order order_chosen()
{
    if (chosen_order < 0)
        chosen_order = (int)order_of_environment();
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

// Returns the seed of random orders. It comes from the environment variable SMOOTHIMG_TEST_TURN or,
// if that is not set, from the number of days since 1970.
static unsigned seed()
{
    const char *turn = std::getenv("SMOOTHIMG_TEST_TURN");

    return 1u + (unsigned)(turn != nullptr ? std::strtoul(turn, nullptr, 10)
                                           : std::time(nullptr) / 86400);
}

void shuffle_if_random(std::vector<unsigned> &list)
{
    static std::minstd_rand generator(seed());

    if (in_force == order::random)
        std::shuffle(list.begin(), list.end(), generator);
}

} // namespace emulated
