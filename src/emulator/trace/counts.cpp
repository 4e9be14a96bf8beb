// SPDX-License-Identifier: MIT
// Counts the cost of a request: transactions, sectors and bank conflicts. A request is one load or
// store that lanes of a warp execute together.
#include "src/emulator/trace/log.h"

#include <algorithm>

namespace emulated
{

counts sums;
static constexpr unsigned SECTOR_BYTES = 32, LINE_SECTORS = 4; // sectors of an L1 line

// A set of at most MOST numbers.
class number_set
{
  public:
    void insert(uintptr_t number)
    {
        // This test comes first because the previous lane has usually added the same number.
        if (size > 0 && numbers[size - 1] == number)
            return;
        if (std::find(numbers, numbers + size, number) == numbers + size && size < MOST)
            numbers[size++] = number;
    }

    const uintptr_t *begin() const
    {
        return numbers;
    }

    const uintptr_t *end() const
    {
        return numbers + size;
    }

    unsigned size = 0;

  private:
    static constexpr unsigned MOST = 32 * 64; // 32 lanes access up to 64 units each
    uintptr_t numbers[MOST];
};

// Memory is divided into units of UNIT_BYTES, numbered from address 0. For each lane of the
// request, calls `action` with the number of each unit that the lane's access touches.
template <unsigned UNIT_BYTES, typename Action>
static void for_units(const request &request, Action &&action)
{
    for (unsigned rest = request.lanes; rest != 0; rest &= rest - 1) {
        const event &event = *request.of[__builtin_ctz(rest)];
        const uintptr_t first = (uintptr_t)event.address;

        for (uintptr_t unit = first / UNIT_BYTES; unit <= (first + event.bytes - 1) / UNIT_BYTES;
             unit++)
            action(unit);
    }
}

static void count_global(const request &request, bool store)
{
    global_counts &sum = store ? sums.stores : sums.loads;
    number_set sectors, lines;

    for_units<SECTOR_BYTES>(request, [&](uintptr_t sector) { sectors.insert(sector); });
    if (!store)
        for (const uintptr_t sector : sectors)
            lines.insert(sector / LINE_SECTORS);
    sum.requests++;
    for (unsigned rest = request.lanes; rest != 0; rest &= rest - 1)
        sum.bytes += request.of[__builtin_ctz(rest)]->bytes;
    sum.sectors += sectors.size;
    sum.transactions += store ? sectors.size : lines.size * LINE_SECTORS;
}

// Returns how many passes a request to shared memory takes. Shared memory has 32 banks of 4-byte
// words. In each pass, a bank serves one word to all lanes that access it.
static unsigned passes(const request &request)
{
    number_set words;
    unsigned per_bank[32] = {};

    for_units<4>(request, [&](uintptr_t word) {
        const unsigned before = words.size;

        words.insert(word);
        per_bank[word % 32] += words.size - before;
    });
    return *std::max_element(per_bank, per_bank + 32);
}

// A GPU executes an access of 8 bytes by one half warp after the other, and an access of 16 bytes
// by one quarter warp after another.
static void count_shared(const request &request, bool store)
{
    shared_counts &sum = store ? sums.shared_stores : sums.shared_loads;
    const unsigned bytes = request.of[__builtin_ctz(request.lanes)]->bytes;
    const unsigned at_once = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;

    sum.requests++;
    for (unsigned first = 0; first < 32; first += at_once) {
        struct request part = request;

        part.lanes &= (0xffffffffu >> (32 - at_once)) << first;
        const unsigned degree = passes(part);

        sum.conflicts += degree > 1 ? degree - 1 : 0;
        sum.worst_degree = std::max(sum.worst_degree, degree);
    }
}

void count(const request &request)
{
    const event &first = *request.of[__builtin_ctz(request.lanes)];
    const bool store = first.kind == event_kind::store;

    if (first.shared)
        count_shared(request, store);
    else
        count_global(request, store);
}

} // namespace emulated
